// The belief along one input: mean and 95 % band, the answers, pending ones and the next choice.
import type { Slice, View } from "../api";
import { distanceFromSlice, inputNamed, opacityAt, pool, type Axes } from "../axes";
import { inputAxis, linearAxis, logAxis, rangeOf } from "../charts/axis";
import { levelColour } from "../charts/colours";
import { answerText, drawDot, drawNext, drawNoise, noiseRange, pendingText, precisionRadius } from "../charts/dots";
import { Plot, type Area, type Mark } from "../charts/Plot";
import { numberText, placeText, valueText } from "../format";
import { figure, heading, Numbers } from "../parts/basics";

interface Props {
  view: View;
  axes: Axes;
  slice: Slice;
  slices: Slice[]; // of all panels, which share the axis
  panel: string;
  name?: string; // of the file, if it is saved
  small: boolean;
  next: boolean; // whether the next choice belongs here
}

function drawBelief(area: Area, slice: Slice): void {
  const { context } = area;
  const x = slice.x.values.map((value) => area.x(value));
  const middle = slice.middle as number[];
  const { low, high } = slice;
  if (typeof slice.x.values[0] === "string") {
    x.forEach((at, k) => {
      if (low && high) {
        context.fillStyle = area.theme.band;
        context.fillRect(at - 12, area.y(high[k]!), 24, area.y(low[k]!) - area.y(high[k]!));
      }
      context.fillStyle = area.theme.line;
      context.fillRect(at - 12, area.y(middle[k]!) - 1.2, 24, 2.4);
    });
    return;
  }
  if (low && high) {
    context.beginPath();
    x.forEach((at, k) => (k === 0 ? context.moveTo(at, area.y(low[k]!)) : context.lineTo(at, area.y(low[k]!))));
    for (let k = x.length - 1; k >= 0; --k) context.lineTo(x[k]!, area.y(high[k]!));
    context.closePath();
    context.fillStyle = area.theme.band;
    context.fill();
  }
  context.beginPath();
  x.forEach((at, k) => (k === 0 ? context.moveTo(at, area.y(middle[k]!)) : context.lineTo(at, area.y(middle[k]!))));
  context.strokeStyle = area.theme.line;
  context.lineWidth = 2.2;
  context.lineJoin = "round";
  context.stroke();
}

/** The mean at a place between the values of the slice. */
function middleAt(slice: Slice, x: number | string): number {
  const middle = slice.middle as number[];
  let best = 0;
  slice.x.values.forEach((value, k) => {
    const here = typeof x === "number" ? Math.abs(Number(value) - x) : value === x ? 0 : 1;
    const there = slice.x.values[best]!;
    if (here < (typeof x === "number" ? Math.abs(Number(there) - x) : there === x ? 0 : 1)) best = k;
  });
  return middle[best] ?? 0;
}

export function Curve({ view, axes, slice, slices, panel, name, small, next: hasNext }: Props) {
  const input = inputNamed(view, axes.x);
  const index = view.inputs.findIndex((column) => column.name === axes.x);
  if (!input || index < 0) return null;
  const panelIndex = view.inputs.findIndex((column) => column.name === axes.panels);
  const inPanel = (inputs: (number | string)[]) => panelIndex < 0 || inputs[panelIndex] === slice.at[axes.panels];
  const binary = view.target.kind === "binary";
  const answers = view.answers.filter((answer) => inPanel(answer.inputs));
  const pending = view.pending.filter((one) => inPanel(one.inputs));
  const [least, most] = noiseRange(view.answers);
  const x = inputAxis(input, input.kind === "number" ? 0.02 : 0);
  const [low, high] = rangeOf(
    [
      ...slices.flatMap((one) => [...(one.middle as number[]), ...(one.low ?? []), ...(one.high ?? [])]),
      ...(binary ? [] : view.answers.map((answer) => answer.value)),
    ],
    0.04,
  );
  const y = binary
    ? linearAxis(view.target.axis, -0.04, 1.04)
    : view.target.logarithmic && low > 0
      ? logAxis(view.target.axis, low, high)
      : linearAxis(view.target.axis, low, high);
  const nextHere = hasNext ? pool.value?.rows.find((row) => row.point === pool.value?.next) : undefined;
  const nextAt = nextHere ? middleAt(slice, nextHere.x) : 0;
  const opacity = (inputs: (number | string)[]) => opacityAt(distanceFromSlice(view, axes, slice.at, inputs));

  const draw = (area: Area) => {
    drawBelief(area, slice);
    for (const answer of answers) {
      const at = answer.inputs[index];
      if (at === undefined) continue;
      const colour = levelColour(answer.level);
      area.context.globalAlpha = opacity(answer.inputs);
      const shown = area.context.globalAlpha;
      if (!binary && answers.length <= 400 && answer.noise > 0 && !view.target.logarithmic && shown > 0.5)
        drawNoise(area, area.x(at), area.y(answer.value - answer.noise), area.y(answer.value + answer.noise), colour);
      area.context.globalAlpha = shown;
      drawDot(area, answer.level, area.x(at), area.y(answer.value), precisionRadius(answer.noise, least, most), colour);
    }
    area.context.globalAlpha = 1;
    for (const one of pending) {
      const at = one.inputs[index];
      if (at === undefined) continue;
      const level = view.levels.findIndex((total) => total.name === one.level);
      drawDot(area, level, area.x(at), area.y(middleAt(slice, at)), 5, null);
    }
    if (nextHere) {
      const { context } = area;
      context.strokeStyle = area.theme.next;
      context.setLineDash([4, 3]);
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(area.x(nextHere.x), area.top);
      context.lineTo(area.x(nextHere.x), area.bottom);
      context.stroke();
      context.setLineDash([]);
      drawNext(area, area.x(nextHere.x), area.y(nextAt));
    }
  };
  const marks: Mark[] = answers.map((answer) => ({
    x: answer.inputs[index] ?? 0,
    y: answer.value,
    text: () => answerText(answer, view.levels[answer.level]?.name ?? "", placeText(view.inputs, answer.inputs)),
  }));
  for (const one of pending)
    marks.push({ x: one.inputs[index] ?? 0, y: middleAt(slice, one.inputs[index] ?? 0), text: () => pendingText(one, placeText(view.inputs, one.inputs)) });
  if (nextHere) marks.push({ x: nextHere.x, y: nextAt, text: () => `Next: ${nextHere.point} at ${nextHere.level}` });
  const values = slice.x.values;
  const step = Math.max(1, Math.floor(values.length / 20));
  const rows = values.map((value, k) => ({ value, k })).filter(({ k }) => k % step === 0);
  const label = `${view.target.axis} along ${axes.x}${panel ? `, ${panel}` : ""}: from ${numberText(Math.min(...(slice.middle as number[])))} to ${numberText(Math.max(...(slice.middle as number[])))}, with ${answers.length} answers.`;
  return (
    <>
      <Plot label={label} name={name ?? `belief-${axes.x}${panel ? `-${panel}` : ""}`} x={x} y={y} height={small ? 240 : 360} draw={draw} marks={marks} />
      <Numbers
        label={`${view.target.axis} along ${axes.x}${panel ? `, ${panel}` : ""}`}
        header={[axes.x, heading(binary ? "probability" : "mean"), ...(slice.low ? [heading("low"), heading("high")] : [])]}
        rows={rows.map(({ value, k }) => [
          valueText(value),
          figure(numberText((slice.middle as number[])[k])),
          ...(slice.low && slice.high ? [figure(numberText(slice.low[k])), figure(numberText(slice.high[k]))] : []),
        ])}
      />
    </>
  );
}
