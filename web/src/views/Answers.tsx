// Predicted against answered, and the answers to check first.
import { useState } from "preact/hooks";
import type { Answer, View } from "../api";
import { linearAxis, logAxis, rangeOf } from "../charts/axis";
import { Scatter } from "../charts/Scatter";
import { countText, numberText, percentText, placeText } from "../format";
import { figure, heading, LevelKey, Note, NothingYet, Section, sentence, Table, unseen } from "../parts/basics";
import { me } from "../store";
import { Amend } from "./Amend";

function Agreement(props: { view: View; onSelect: (id: number) => void }) {
  const { view } = props;
  const answers = view.answers.filter((answer) => Number.isFinite(answer.expected));
  if (answers.length === 0) return <NothingYet view={view} />;
  const [low, high] = rangeOf(answers.flatMap((answer) => [answer.value, answer.expected]));
  const axis = (title: string) => (view.target.logarithmic && low > 0 ? logAxis(title, low, high) : linearAxis(title, low, high));
  const early = answers.filter((answer) => answer.predicted).length;
  return (
    <>
      <Scatter
        label={`Predicted against answered ${view.target.axis}, ${answers.length} answers; on the line they agree.`}
        x={axis(`predicted ${view.target.axis}`)}
        y={axis("answered")}
        line="identity"
        square
        height={400}
        onSelect={(key) => props.onSelect(Number(key))}
        dots={answers.map((answer) => ({
          x: answer.expected,
          y: answer.value,
          level: answer.level,
          key: String(answer.id),
          text: () => `#${answer.id} ${placeText(view.inputs, answer.inputs)}: answered ${answer.text}, predicted ${numberText(answer.expected)}`,
        }))}
      />
      <LevelKey levels={view.levels.map((level) => level.name)} />
      <Note>
        {view.answers_total > view.answers.length
          ? `The newest ${countText(view.answers.length)} of ${countText(view.answers_total)} answers. `
          : ""}
        {early === answers.length
          ? "Each was predicted before it was recorded."
          : `${countText(early)} were predicted before they were recorded, the others from all other answers.`}
      </Note>
    </>
  );
}

function surprise(answer: Answer): string {
  if (answer.score !== null) return `${numberText(answer.score, 2)} sd`;
  const given = answer.value > 0.5 ? answer.expected : 1 - answer.expected;
  return `probability ${percentText(given)}`;
}

function interval(answer: Answer): string {
  return answer.expected_low === null || answer.expected_high === null
    ? numberText(answer.expected, 3)
    : `${numberText(answer.expected, 3)} ± ${numberText((answer.expected_high - answer.expected_low) / 2, 2)}`;
}

export function Answers(props: { view: View }) {
  const { view } = props;
  const [amended, setAmended] = useState<Answer | null>(null);
  const find = (id: number) => setAmended([...view.surprising, ...view.answers].find((answer) => answer.id === id) ?? null);
  return (
    <Section id="answers" title="Predicted against answered">
      <div class="columns">
        <div>{view.target.kind === "real" ? <Agreement view={view} onSelect={find} /> : <Classes view={view} />}</div>
        <div>
          <h3>Most surprising answers</h3>
          {view.surprising.length === 0 ? (
            <p class="soft">None yet.</p>
          ) : (
            <Table
              label="Most surprising answers"
              header={["answer", unseen("amend"), "where", heading("said"), heading("predicted"), heading("off by")]}
              keys={view.surprising.map((answer) => answer.id)}
              rows={view.surprising.map((answer) => [
                `#${answer.id}`,
                {
                  text: me.value?.only_watch ? null : (
                    <button type="button" class="plain" onClick={() => setAmended(answer)} aria-label={`Amend answer ${answer.id}`}>
                      Amend
                    </button>
                  ),
                },
                sentence(answer.point || placeText(view.inputs, answer.inputs)),
                figure(answer.text),
                figure(interval(answer)),
                figure(surprise(answer)),
              ])}
            />
          )}
          <Note>Predictions with half of their 95 % interval. A slip of the pen is amended with a reason; the log keeps both.</Note>
        </div>
      </div>
      {amended && <Amend view={view} answer={amended} onClose={() => setAmended(null)} />}
    </Section>
  );
}

/** Classes: how often what was called 80 % probable was so. */
function Classes(props: { view: View }) {
  const bins = props.view.reliability;
  if (bins.length === 0) return <NothingYet view={props.view} />;
  return (
    <>
      <Scatter
        label={`Reliability: predicted probability against share found, in ${bins.length} groups.`}
        x={linearAxis("predicted probability", -0.02, 1.02)}
        y={linearAxis("share found", -0.02, 1.02)}
        line="identity"
        square
        height={380}
        dots={bins.map((bin) => ({
          x: bin.expected,
          y: bin.found,
          level: 1,
          low: bin.found - bin.error,
          high: bin.found + bin.error,
          radius: 4 + Math.min(5, Math.sqrt(bin.count) / 3),
          text: () => `${bin.count} answers: predicted ${percentText(bin.expected)}, found ${percentText(bin.found)}`,
        }))}
      />
      <Note>Answers in groups of similar probability; larger dots are more answers, bars one standard error.</Note>
    </>
  );
}
