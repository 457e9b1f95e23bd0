// Curves over money, time or a number of answers, with a legend that has the values where the pointer is, else the last.
import { useState } from "preact/hooks";
import { countText, durationText, numberText } from "../format";
import { linearAxis, logAxis, rangeOf, type Axis } from "./axis";
import { Plot, type Area, type Mark } from "./Plot";

export interface Line {
  label: string;
  values: (number | null)[];
  colour(): string;
  dash?: number[];
  fillTo?: number; // index of the line below it: the area between is filled
  fill?: boolean; // down to the axis
  width?: number;
  shown?: (number | null)[]; // what the legend says, if not the values
  stepped?: boolean; // keeps its height until the next value
}

interface Props {
  label: string; // the picture in words
  name: string;
  xTitle: string;
  yTitle: string;
  x: number[];
  lines: Line[];
  height?: number;
  logarithmic?: boolean;
  time?: boolean; // x is in seconds
  fromZero?: boolean;
}

function faint(colour: string): string {
  const at = (k: number) => parseInt(colour.slice(k, k + 2), 16);
  return `rgba(${at(1)},${at(3)},${at(5)},.3)`;
}

// Round durations in seconds, up to a century.
const durations = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200].concat(
  [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].map((days) => 86400 * days),
);

function timeAxis(title: string, low: number, high: number): Axis {
  const plain = linearAxis(title, low, high);
  return {
    ...plain,
    ticks(about) {
      const step = durations.find((one) => (high - low) / one <= about) ?? (high - low) / about;
      const ticks = [];
      for (let at = Math.ceil(low / step) * step; at <= high * (1 + 1e-9); at += step) ticks.push({ at: plain.at(at), text: durationText(at) });
      return ticks;
    },
  };
}

function horizontal(props: Props): Axis {
  const [low, high] = [Math.min(...props.x), Math.max(...props.x)];
  const to = high > low ? high : low + 1;
  return props.time ? timeAxis(props.xTitle, low, to) : linearAxis(props.xTitle, low, to);
}

function vertical(props: Props): Axis {
  const values = props.lines.flatMap((line) => line.values);
  const [low, high] = rangeOf(values, 0.04);
  if (props.fromZero) return linearAxis(props.yTitle, 0, high > 0 ? high : 1);
  return props.logarithmic && low > 0 ? logAxis(props.yTitle, low, high) : linearAxis(props.yTitle, low, high);
}

/** Corners of a line from left to right; values that are missing are bridged. */
function corners(area: Area, x: number[], line: Line): [number, number][] {
  const points: [number, number][] = [];
  line.values.forEach((value, k) => {
    if (value === null || !Number.isFinite(value)) return;
    const at: [number, number] = [area.x(x[k] ?? 0), area.y(value)];
    const before = points.at(-1);
    if (line.stepped && before) points.push([at[0], before[1]]);
    points.push(at);
  });
  return points;
}

function drawLines(area: Area, props: Props): void {
  const { context } = area;
  const paths = props.lines.map((line) => corners(area, props.x, line));
  const trace = (points: [number, number][]) => points.forEach((point, k) => (k === 0 ? context.moveTo(...point) : context.lineTo(...point)));
  props.lines.forEach((line, k) => {
    const path = paths[k] ?? [];
    if (path.length === 0 || !(line.fill || line.fillTo !== undefined)) return;
    const below = line.fillTo === undefined ? [[path[0]![0], area.bottom], [path.at(-1)![0], area.bottom]] as [number, number][] : (paths[line.fillTo] ?? []);
    context.beginPath();
    trace([...path, ...[...below].reverse()]);
    context.closePath();
    context.fillStyle = faint(line.colour());
    context.fill();
  });
  context.lineJoin = "round";
  props.lines.forEach((line, k) => {
    const path = paths[k] ?? [];
    context.strokeStyle = context.fillStyle = line.colour();
    context.lineWidth = line.width ?? 2;
    context.setLineDash(line.dash ?? []);
    context.beginPath();
    if (path.length === 1) context.arc(path[0]![0], path[0]![1], 3, 0, 2 * Math.PI);
    else trace(path);
    if (path.length === 1) context.fill();
    else context.stroke();
  });
  context.setLineDash([]);
}

function valueText(value: number | null): string {
  return value !== null && Math.abs(value) >= 1000 ? countText(value) : numberText(value, 3);
}

function lastKnown(values: (number | null)[]): number | null {
  for (let k = values.length - 1; k >= 0; --k) if (values[k] !== null && values[k] !== undefined) return values[k]!;
  return null;
}

function Legend(props: { lines: Line[]; at: number | null; title: string }) {
  return (
    <ul class="key legend">
      {props.lines.map((line) => {
        const values = line.shown ?? line.values;
        const value = props.at === null ? lastKnown(values) : (values[props.at] ?? null);
        return (
          <li key={line.label}>
            <svg class="stroke" viewBox="0 0 24 10" aria-hidden="true">
              <path d="M1 5H23" stroke={line.colour()} stroke-width={line.width ?? 2} stroke-dasharray={line.dash?.join(" ")} />
            </svg>{" "}
            {line.label} <b>{valueText(value)}</b>
          </li>
        );
      })}
      <li class="soft">{props.title}</li>
    </ul>
  );
}

const mostMarks = 300;

export function Curves(props: Props) {
  const [found, setFound] = useState(-1);
  const every = Math.max(1, Math.ceil(props.x.length / mostMarks));
  const kept = props.x.map((_, k) => k).filter((k) => k % every === 0 || k + 1 === props.x.length);
  const xText = (value: number) => (props.time ? durationText(value) : value >= 1000 ? countText(value) : numberText(value));
  const y = vertical(props);
  const marks: Mark[] = kept.map((k) => {
    const line = props.lines.find((one) => one.values[k] !== null && one.values[k] !== undefined);
    return {
      x: props.x[k] ?? 0,
      y: line?.values[k] ?? y.value(0.5),
      text: () => `${xText(props.x[k] ?? 0)}: ${props.lines.map((one) => `${one.label} ${valueText((one.shown ?? one.values)[k] ?? null)}`).join(", ")}`,
    };
  });
  const at = found < 0 ? null : (kept[found] ?? null);
  const place = at === null ? "at the end" : `at ${xText(props.x[at] ?? 0)}`;
  return (
    <>
      <Plot
        label={props.label}
        name={props.name}
        x={horizontal(props)}
        y={y}
        height={props.height ?? 300}
        marks={marks}
        alongX
        onFound={setFound}
        draw={(area) => drawLines(area, props)}
      />
      <Legend lines={props.lines} at={at} title={place} />
    </>
  );
}
