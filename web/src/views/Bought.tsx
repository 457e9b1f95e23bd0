// What was bought where: one picture per level, so that no mark hides another's.
import type { View } from "../api";
import { axesOf, inputNamed } from "../axes";
import { inputAxis, linearAxis } from "../charts/axis";
import { levelColour } from "../charts/colours";
import { drawDot, spread } from "../charts/dots";
import { Plot, type Mark } from "../charts/Plot";
import { countText, numberText, percentText, placeText, plural } from "../format";
import { Section, Note } from "../parts/basics";

const mostLevels = 6;

export function Bought(props: { view: View }) {
  const { view } = props;
  const axes = axesOf(view);
  const across = inputNamed(view, axes.x);
  const up = inputNamed(view, axes.y);
  if (!across || view.answers.length === 0) return null;
  const index = view.inputs.indexOf(across);
  const upIndex = up ? view.inputs.indexOf(up) : -1;
  const levels = view.levels.map((level, k) => ({ level, k })).filter(({ level }) => level.answers > 0).slice(0, mostLevels);
  const total = view.levels.reduce((sum, level) => sum + level.spent, 0);
  const order = linearAxis("answer", 0, Math.max(2, ...view.answers.map((answer) => answer.id)));
  return (
    <Section id="bought" title="What was bought where" wide>
      <div class="panels">
        {levels.map(({ level, k }) => {
          const answers = view.answers.filter((answer) => answer.level === k);
          const marks: Mark[] = answers.map((answer) => ({
            x: answer.inputs[index] ?? 0,
            y: up ? (answer.inputs[upIndex] ?? 0) : answer.id,
            text: () => `#${answer.id} ${placeText(view.inputs, answer.inputs)}: ${numberText(answer.value, 3)}`,
          }));
          return (
            <figure key={level.name}>
              <h3>
                {level.name}: {plural(level.answers, "answer")}, {percentText(total > 0 ? level.spent / total : null)} of the money
              </h3>
              <Plot
                label={`Where ${level.name} was bought, over ${across.name}${up ? ` and ${up.name}` : ""}: ${plural(answers.length, "answer")}.`}
                name={`bought-${level.name}`}
                x={inputAxis(across)}
                y={up ? inputAxis(up) : order}
                height={260}
                marks={marks}
                draw={(area) => {
                  const places = spread(area, marks, across.kind === "category", up?.kind === "category");
                  area.context.globalAlpha = answers.length > 300 ? 0.6 : 1;
                  for (const [x, y] of places) drawDot(area, k, x, y, 4, levelColour(k));
                  area.context.globalAlpha = 1;
                }}
              />
            </figure>
          );
        })}
      </div>
      {view.answers_total > view.answers.length && <Note>The newest {countText(view.answers.length)} of {countText(view.answers_total)} answers.</Note>}
    </Section>
  );
}
