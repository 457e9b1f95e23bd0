// Which inputs matter: their share of the variation, and how far a prediction moves along each.
import type { InputColumn, View } from "../api";
import { chosenAxes, ordered } from "../axes";
import { categoryAxis, linearAxis } from "../charts/axis";
import { levelColour } from "../charts/colours";
import { Plot, type Area } from "../charts/Plot";
import { numberText, percentText } from "../format";
import { figure, heading, Note, Numbers, Section } from "../parts/basics";

function effectText(input: InputColumn, view: View): string {
  if (input.effect === null) return "";
  if (view.target.classes) return `probability moves by ${percentText(input.effect)}`;
  return `${view.target.axis} moves by ${numberText(input.effect, 2)}`;
}

/** Bars from the most important down, each with the range in which its share is, and what it moves. */
function drawBars(area: Area, inputs: InputColumn[]): void {
  const { context } = area;
  const half = Math.min(9, (0.36 * (area.bottom - area.top)) / inputs.length);
  for (const input of inputs) {
    const share = input.importance ?? 0;
    const y = area.y(input.name);
    context.fillStyle = area.theme.line;
    context.globalAlpha = 0.85;
    context.fillRect(area.left, y - half, Math.max(1, area.x(share) - area.left), 2 * half);
    context.globalAlpha = 1;
    const error = 1.96 * (input.importance_error ?? 0);
    const end = area.x(Math.min(1, share + error));
    if (error > 0) {
      context.strokeStyle = area.theme.ink;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(area.x(Math.max(0, share - error)), y);
      context.lineTo(end, y);
      context.stroke();
    }
    context.fillStyle = area.theme.soft;
    context.textBaseline = "middle";
    const text = `${percentText(share)}${input.effect === null ? "" : `, ${numberText(input.effect, 2)}`}`;
    const from = Math.max(end, area.x(share)) + 6;
    const fits = from + context.measureText(text).width < area.right;
    context.textAlign = fits ? "left" : "right";
    if (!fits) context.fillStyle = levelColour(7);
    context.fillText(text, fits ? from : area.right, fits ? y : y - half - 7);
  }
}

export function Importance(props: { view: View }) {
  const { view } = props;
  const inputs = ordered(view).filter((input) => input.importance !== null);
  if (inputs.length < 2) return null;
  const names = inputs.map((input) => input.name);
  const most = Math.max(...inputs.map((input) => (input.importance ?? 0) + 1.96 * (input.importance_error ?? 0)));
  const choose = (name: string) => {
    const second = names.find((other) => other !== name) ?? "";
    chosenAxes.value = { x: name, y: names.length > 1 ? second : "", panels: "" };
  };
  return (
    <Section id="importance" title="Which inputs matter">
      <Plot
        label={`Importance of ${inputs.length} inputs: ${inputs.slice(0, 3).map((input) => `${input.name} ${percentText(input.importance)}`).join(", ")}. Enter draws the belief along an input.`}
        name="importance"
        x={linearAxis("share of the variation, with interactions", 0, Math.min(1, Math.max(0.1, 1.3 * most)))}
        y={categoryAxis("", [...names].reverse())}
        height={70 + 34 * inputs.length}
        draw={(area) => drawBars(area, inputs)}
        marks={inputs.map((input) => ({
          x: input.importance ?? 0,
          y: input.name,
          key: input.name,
          text: () => `${input.name}: ${percentText(input.importance)} of the variation, ${percentText(input.alone)} alone; ${effectText(input, view)}`,
        }))}
        onSelect={choose}
      />
      <Numbers
        label="Importance of the inputs"
        header={["input", heading("with interactions"), heading("± (95 %)"), heading("alone"), heading(view.target.classes ? "effect" : `effect on ${view.target.axis}`)]}
        rows={inputs.map((input) => [
          input.name,
          figure(percentText(input.importance)),
          figure(input.importance_error === null ? "–" : percentText(1.96 * input.importance_error)),
          figure(percentText(input.alone)),
          figure(view.target.classes ? percentText(input.effect) : numberText(input.effect, 2)),
        ])}
      />
      <Note>The bar is the share of the variation, its line the 95 % range, the number behind it how far a prediction moves along the input. Choose a bar to see the belief along it.</Note>
    </Section>
  );
}
