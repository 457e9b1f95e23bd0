// The belief over two inputs, as a map of its mean or of its standard deviation.
import type { Slice, View } from "../api";
import { distanceFromSlice, inputNamed, opacityAt, pool, type Axes } from "../axes";
import { inputAxis, type Axis } from "../charts/axis";
import { levelColour } from "../charts/colours";
import { answerText, drawDot, drawNext, noiseRange, pendingText, precisionRadius, spread } from "../charts/dots";
import { drawContour, drawKey, drawSurface, keyRoom, type Surface } from "../charts/heat";
import { Plot, type Area, type Mark } from "../charts/Plot";
import { numberText, placeText, valueText } from "../format";
import { figure, heading, Numbers } from "../parts/basics";

interface Props {
  view: View;
  axes: Axes;
  slice: Slice;
  shown: "mean" | "sd";
  colours: Axis;
  panel: string;
  small: boolean;
  next: boolean; // whether the next choice belongs here
}

/** At most so many values, evenly taken. */
function thinned<T>(values: T[], most: number): number[] {
  const count = Math.min(most, values.length);
  return Array.from({ length: count }, (_, k) => Math.round((k * (values.length - 1)) / Math.max(1, count - 1)));
}

export function BeliefMap({ view, axes, slice, shown, colours, panel, small, next: hasNext }: Props) {
  const across = inputNamed(view, axes.x);
  const up = inputNamed(view, axes.y);
  const index = view.inputs.findIndex((column) => column.name === axes.x);
  const upIndex = view.inputs.findIndex((column) => column.name === axes.y);
  const rows = (shown === "sd" ? slice.sd : slice.middle) as number[][] | null;
  if (!across || !up || !slice.y || !rows) return <p class="soft">There is no standard deviation for this target.</p>;
  const surface: Surface = { x: slice.x.values, y: slice.y.values, rows };
  const x = inputAxis(across);
  const y = inputAxis(up);
  const panelIndex = view.inputs.findIndex((column) => column.name === axes.panels);
  const inPanel = (inputs: (number | string)[]) => panelIndex < 0 || inputs[panelIndex] === slice.at[axes.panels];
  const answers = view.answers.filter((answer) => inPanel(answer.inputs));
  const pending = view.pending.filter((one) => inPanel(one.inputs));
  const [least, most] = noiseRange(view.answers);
  const next = !hasNext ? undefined : pool.value?.rows.find((row) => row.point === pool.value?.next);
  const place = (inputs: (number | string)[]): [number | string, number | string] => [inputs[index] ?? 0, inputs[upIndex] ?? 0];

  const draw = (area: Area) => {
    drawSurface(area, surface, x, y, colours);
    if (view.target.kind === "binary" && shown === "mean") drawContour(area, surface, 0.5);
    const places = spread(area, answers.map((answer) => ({ x: place(answer.inputs)[0], y: place(answer.inputs)[1] })), across.kind === "category", up.kind === "category");
    for (const [k, answer] of answers.entries()) {
      const [ax, ay] = places[k]!;
      area.context.globalAlpha = opacityAt(distanceFromSlice(view, axes, slice.at, answer.inputs));
      drawDot(area, answer.level, ax, ay, precisionRadius(answer.noise, least, most), levelColour(answer.level));
    }
    area.context.globalAlpha = 1;
    for (const one of pending) {
      const [ax, ay] = place(one.inputs);
      const level = view.levels.findIndex((total) => total.name === one.level);
      drawDot(area, level, area.x(ax), area.y(ay), 6, area.theme.casing);
      drawDot(area, level, area.x(ax), area.y(ay), 4.5, null);
    }
    if (next && next.y !== null) drawNext(area, area.x(next.x), area.y(next.y));
    area.context.restore();
    area.context.save(); // the key is outside of what the axes enclose
    if (!small) drawKey(area, colours);
  };
  const marks: Mark[] = answers.map((answer) => {
    const [ax, ay] = place(answer.inputs);
    return { x: ax, y: ay, text: () => answerText(answer, view.levels[answer.level]?.name ?? "", placeText(view.inputs, answer.inputs)) };
  });
  for (const one of pending) {
    const [ax, ay] = place(one.inputs);
    marks.push({ x: ax, y: ay, text: () => pendingText(one, placeText(view.inputs, one.inputs)) });
  }
  if (next && next.y !== null) marks.push({ x: next.x, y: next.y, text: () => `Next: ${next.point} at ${next.level}` });
  const flat = rows.flat().filter((value) => Number.isFinite(value));
  const label = `${colours.title} over ${axes.x} and ${axes.y}${panel ? `, ${panel}` : ""}: from ${numberText(Math.min(...flat))} to ${numberText(Math.max(...flat))}.`;
  const columns = thinned(surface.x, 7);
  const lines = thinned(surface.y, 7).reverse();
  return (
    <>
      <Plot label={label} name={`belief-${axes.x}-${axes.y}${panel ? `-${panel}` : ""}`} x={x} y={y} height={small ? 260 : 420} keyRoom={small ? 0 : keyRoom} draw={draw} marks={marks} />
      <Numbers
        label={`${colours.title} over ${axes.x} and ${axes.y}${panel ? `, ${panel}` : ""}`}
        header={[`${axes.y} \\ ${axes.x}`, ...columns.map((k) => heading(valueText(surface.x[k]!)))]}
        rows={lines.map((j) => [valueText(surface.y[j]!), ...columns.map((k) => figure(numberText(rows[j]?.[k])))])}
      />
    </>
  );
}
