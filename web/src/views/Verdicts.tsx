import type { Verdict } from "../api";

const words = { good: "Good", bad: "Attention", unknown: "Open" } as const;
const signs = { good: "M-5 0l3.5 3.5L5-4", bad: "M0-5.5v6.5M0 4v1.5", unknown: "M-4 0h8" } as const;

/** The three answers a person comes for, in three sentences. */
export function Verdicts(props: { verdicts: Verdict[] }) {
  return (
    <section class="verdicts" aria-label="The three questions">
      {props.verdicts.map((verdict) => (
        <article class={`verdict ${verdict.state}`} key={verdict.question}>
          <p class="state">
            <svg viewBox="-8 -8 16 16" aria-hidden="true">
              <path d={signs[verdict.state]} />
            </svg>
            {words[verdict.state]}
          </p>
          <h2>{verdict.question}</h2>
          <p class="answer">{verdict.answer}</p>
          {verdict.advice && <p class="soft">{verdict.advice}</p>}
          {verdict.details && (
            <details>
              <summary>Details</summary>
              <p class="soft">{verdict.details}</p>
            </details>
          )}
        </article>
      ))}
    </section>
  );
}
