// What a person comes for, on one screen: how good, whether to believe it, what the money does, what comes next.
import { useState } from "preact/hooks";
import type { Fact, View } from "../api";
import { moneyText, placeText } from "../format";
import { Why } from "./Why";

const signs = { good: "M-5 0l3.5 3.5L5-4", bad: "M0-5.5v6.5M0 4v1.5", unknown: "M-4 0h8" } as const;
const words = { good: "good", bad: "attention", unknown: "" } as const;

function FactCard(props: { id: string; title: string; fact: Fact }) {
  const { fact } = props;
  return (
    <article class={`fact ${fact.state}`} id={props.id}>
      <h2>
        {fact.state !== "unknown" && (
          <svg viewBox="-8 -8 16 16" aria-hidden="true">
            <path d={signs[fact.state]} />
          </svg>
        )}
        {props.title}
        {words[fact.state] && <span class="unseen"> ({words[fact.state]})</span>}
      </h2>
      <p class="value">{fact.value}</p>
      <p>{fact.sentence}</p>
    </article>
  );
}

/** Spent, reserved and free as one bar, each with its figure. */
function Budget(props: { view: View }) {
  const { spent, escrow, budget, unit } = props.view;
  const free = budget === null ? null : Math.max(0, budget - spent - escrow);
  const share = (value: number) => `${budget ? Math.min(100, (100 * value) / budget) : 0}%`;
  const parts: [string, number | null][] = [["spent", spent], ["reserved", escrow], ["free", free]];
  const shown = parts.filter(([name, value]) => value !== null && (name !== "reserved" || value > 0));
  return (
    <div class="budget">
      {budget !== null && (
        <div class="bar" aria-hidden="true">
          <span class="spent" style={{ width: share(spent) }} />
          <span class="reserved" style={{ width: share(escrow) }} />
        </div>
      )}
      <ul class="key">
        {shown.map(([name, value]) => (
          <li key={name}>
            <span class={`swatch ${name}`} aria-hidden="true" /> {moneyText(value, unit)} {name}
          </li>
        ))}
        <li class="soft">{budget === null ? "no limit" : `of ${moneyText(budget, unit)}`}</li>
      </ul>
    </div>
  );
}

function Next(props: { view: View }) {
  const { view } = props;
  const { next, nothing_next: nothing } = view.first_screen;
  const [why, setWhy] = useState(false);
  if (!next) return <p class="next-question">{nothing}</p>;
  const place = placeText(view.inputs, next.inputs);
  return (
    <div class="next-question">
      <h2>Next question</h2>
      <p>
        <b>{next.point}</b>
        {place && ` (${place})`}, level {next.level}, for {moneyText(next.cost, view.unit)}.
      </p>
      <p class="soft">
        {next.why}{" "}
        <button type="button" class="quiet" onClick={() => setWhy(true)}>
          All reasons
        </button>
      </p>
      {why && <Why point="" onClose={() => setWhy(false)} />}
    </div>
  );
}

/** The campaign has no answers: no picture would be true. */
function FirstSteps(props: { steps: string[] }) {
  if (props.steps.length === 0) return null;
  return (
    <section class="first-steps" aria-labelledby="first-title">
      <h2 id="first-title">What happens first</h2>
      <ol>
        {props.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>
  );
}

/** What the three numbers rest on, in the words of the mathematics and with keys of the study. */
function ForExperts(props: { view: View }) {
  const { verdicts, warnings } = props.view;
  return (
    <details class="experts">
      <summary>
        For experts{warnings.length > 0 && <b>: {warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`}</b>}
      </summary>
      {warnings.length > 0 && (
        <div class="warnings">
          <h3>Warnings</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      <dl>
        {verdicts.map((verdict) => (
          <div class="verdict" key={verdict.question}>
            <dt>{verdict.question}</dt>
            <dd>
              <p class="answer">{verdict.answer}</p>
              {verdict.advice && <p class="soft">{verdict.advice}</p>}
              {verdict.details && <p class="soft">{verdict.details}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

export function FirstScreen(props: { view: View }) {
  const { view } = props;
  const { error, trust, money, first } = view.first_screen;
  return (
    <section class="first-screen" aria-label="At a glance">
      <div class="facts">
        <FactCard id="fact-error" title="Typical error" fact={error} />
        <FactCard id="fact-trust" title="Can I trust it?" fact={trust} />
        <FactCard id="fact-money" title="The rest of the money" fact={money} />
      </div>
      <Budget view={view} />
      <Next view={view} />
      <FirstSteps steps={first} />
      <ForExperts view={view} />
    </section>
  );
}
