// Predicted against answered, and the answers to check first.
import { useState } from "preact/hooks";
import type { Answer, View } from "../api";
import { linearAxis, logAxis, rangeOf } from "../charts/axis";
import { Scatter } from "../charts/Scatter";
import { countText, numberText, percentText, placeText } from "../format";
import { LevelKey, Note, NothingYet, Section } from "../parts/basics";
import { Amend } from "./Amend";

function Agreement(props: { view: View; onSelect: (id: number) => void }) {
  const { view } = props;
  const answers = view.answers.filter((answer) => Number.isFinite(answer.expected));
  if (answers.length === 0) return <NothingYet view={view} />;
  const [low, high] = rangeOf(answers.flatMap((answer) => [answer.value, answer.expected]), 0.02);
  const axis = (title: string) => (view.target.logarithmic && low > 0 ? logAxis(title, low, high) : linearAxis(title, low, high));
  const early = answers.filter((answer) => answer.predicted).length;
  return (
    <>
      <Scatter
        label={`Predicted against answered ${view.target.axis}, ${answers.length} answers; on the line they agree.`}
        name="predicted-against-answered"
        x={axis(`predicted ${view.target.axis}`)}
        y={axis(`answered ${view.target.axis}`)}
        line="identity"
        square
        height={400}
        onSelect={(key) => props.onSelect(Number(key))}
        dots={answers.map((answer) => ({
          x: answer.expected,
          y: answer.value,
          level: answer.level,
          key: String(answer.id),
          text: () => `#${answer.id} ${placeText(view.inputs, answer.inputs)}: answered ${numberText(answer.value, 3)}, predicted ${numberText(answer.expected, 3)}`,
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

export function Answers(props: { view: View }) {
  const { view } = props;
  const [amended, setAmended] = useState<Answer | null>(null);
  const find = (id: number) => setAmended([...view.surprising, ...view.answers].find((answer) => answer.id === id) ?? null);
  return (
    <Section id="answers" title="Predicted against answered">
      {view.target.kind === "real" ? <Agreement view={view} onSelect={find} /> : <Classes view={view} />}
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
        name="reliability"
        x={linearAxis("predicted probability", 0, 1)}
        y={linearAxis("share found", 0, 1)}
        line="identity"
        square
        height={380}
        dots={bins.map((bin) => ({
          x: bin.expected,
          y: bin.found,
          level: 1,
          low: Math.max(0, bin.found - bin.error),
          high: Math.min(1, bin.found + bin.error),
          radius: 4 + Math.min(5, Math.sqrt(bin.count) / 3),
          text: () => `${bin.count} answers: predicted ${percentText(bin.expected)}, found ${percentText(bin.found)}`,
        }))}
      />
      <Note>Answers in groups of similar probability; larger dots are more answers, bars one standard error.</Note>
    </>
  );
}
