// Curves over time or number of answers, by uPlot: the legend follows the pointer.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { numberText } from "../format";
import { darkScheme, theme } from "./colours";

export interface Line {
  label: string;
  values: (number | null)[];
  colour(): string;
  dash?: number[];
  fillTo?: number; // number of the line below it, 1-based: the area between is filled
  width?: number;
  shown?: (number | null)[]; // what the legend says, if not the values
  fill?: boolean; // down to the axis
  stepped?: boolean; // keeps its height until the next value
}

interface Props {
  label: string; // the picture in words
  xTitle: string;
  yTitle: string;
  x: number[];
  lines: Line[];
  height?: number;
  logarithmic?: boolean;
  xText?: (value: number) => string;
  xSteps?: number[]; // between the numbers on the axis; the smallest that leaves room is used
  fromZero?: boolean;
}

function faint(colour: string): string {
  const at = (k: number) => parseInt(colour.slice(k, k + 2), 16);
  return `rgba(${at(1)},${at(3)},${at(5)},.3)`;
}

function options(props: Props, width: number): uPlot.Options {
  const colours = theme();
  const font = '12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif';
  const axis = (title: string, text: (value: number) => string): uPlot.Axis => ({
    label: title,
    labelFont: font,
    font,
    stroke: colours.soft,
    labelSize: 20,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { stroke: colours.grid, width: 1 },
    values: (_, splits) => splits.map((value) => (value === null ? "" : text(value))),
  });
  const xText = props.xText ?? ((value: number) => numberText(value));
  const yAxis = axis(props.yTitle, (value) => numberText(value));
  yAxis.size = (_, values) => 20 + Math.max(24, ...(values ?? []).map((value) => 7.5 * (value ?? "").length));
  return {
    width,
    height: props.height ?? 300,
    scales: {
      x: { time: false },
      y: props.logarithmic ? { distr: 3 } : props.fromZero ? { range: (_, __, max) => [0, max > 0 ? 1.06 * max : 1] } : {},
    },
    axes: [{ ...axis(props.xTitle, xText), size: 30, labelGap: 0, ...(props.xSteps ? { incrs: props.xSteps } : {}) }, yAxis],
    cursor: { drag: { x: true, y: false }, points: { size: 6 } },
    legend: { live: true },
    series: [
      { label: props.xTitle, value: (_, value) => (value === null ? "–" : xText(value)) },
      ...props.lines.map((line): uPlot.Series => {
        const colour = line.colour();
        return {
          label: line.label,
          stroke: colour,
          width: line.width ?? 2,
          spanGaps: true,
          points: { show: props.x.length === 1 },
          value: (_, value, __, k) => numberText(line.shown && k !== null ? line.shown[k] : value),
          ...(line.dash ? { dash: line.dash } : {}),
          ...(line.stepped && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
          ...(line.fill ? { fill: faint(colour) } : {}),
        };
      }),
    ],
    bands: props.lines.flatMap((line, k) =>
      line.fillTo ? [{ series: [k + 1, line.fillTo] as [number, number], fill: faint(line.colour()) }] : [],
    ),
  };
}

export function Lines(props: Props) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let chart: uPlot | null = null;
    const data = [props.x, ...props.lines.map((line) => line.values)] as uPlot.AlignedData;
    const build = () => {
      chart?.destroy();
      chart = element.clientWidth > 60 ? new uPlot(options(props, element.clientWidth), data, element) : null;
    };
    build();
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      if (chart) chart.setSize({ width, height: props.height ?? 300 });
      else build();
    });
    observer.observe(element);
    darkScheme?.addEventListener("change", build);
    return () => {
      observer.disconnect();
      darkScheme?.removeEventListener("change", build);
      chart?.destroy();
    };
  }, [props]);
  return <div class="lines" ref={frame} role="img" aria-label={props.label} />;
}
