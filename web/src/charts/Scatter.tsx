// Dots with error bars and an identity or zero line: predicted against answered, quantiles, differences, reliability.
import type { Axis } from "./axis";
import { levelColour } from "./colours";
import { drawDot } from "./dots";
import { Plot, type Mark } from "./Plot";

export interface Dot {
  x: number | string;
  y: number;
  level: number;
  text: () => string;
  key?: string;
  low?: number | null; // of an error bar up and down
  high?: number | null;
  radius?: number;
  ring?: boolean;
}

interface Props {
  label: string;
  x: Axis;
  y: Axis;
  dots: Dot[];
  line?: "identity" | "zero";
  height?: number;
  faint?: boolean;
  square?: boolean;
  onSelect?: (key: string) => void;
  name?: string; // of a saved file
}

export function Scatter(props: Props) {
  const marks: Mark[] = props.dots.map((dot) => ({
    x: dot.x,
    y: dot.y,
    text: dot.text,
    ...(dot.key === undefined ? {} : { key: dot.key }),
  }));
  return (
    <Plot
      label={props.label}
      x={props.x}
      y={props.y}
      height={props.height ?? 320}
      square={props.square ?? false}
      marks={marks}
      {...(props.name ? { name: props.name } : {})}
      {...(props.onSelect ? { onSelect: props.onSelect } : {})}
      draw={(area) => {
        const { context } = area;
        context.strokeStyle = area.theme.soft;
        context.lineWidth = 1.2;
        context.setLineDash([5, 4]);
        context.beginPath();
        if (props.line === "identity") {
          const low = Math.max(props.x.value(0), props.y.value(0));
          const high = Math.min(props.x.value(1), props.y.value(1));
          context.moveTo(area.x(low), area.y(low));
          context.lineTo(area.x(high), area.y(high));
        } else if (props.line === "zero") {
          context.moveTo(area.left, area.y(0));
          context.lineTo(area.right, area.y(0));
        }
        context.stroke();
        context.setLineDash([]);
        for (const dot of props.dots) {
          if (dot.low === undefined || dot.low === null || dot.high === undefined || dot.high === null) continue;
          context.strokeStyle = levelColour(dot.level);
          context.globalAlpha = props.dots.length > 300 ? 0.15 : 0.45;
          context.lineWidth = 1.2;
          context.beginPath();
          context.moveTo(area.x(dot.x), area.y(dot.low));
          context.lineTo(area.x(dot.x), area.y(dot.high));
          context.stroke();
        }
        context.globalAlpha = props.faint || props.dots.length > 600 ? 0.6 : 1;
        for (const dot of props.dots)
          drawDot(area, dot.level, area.x(dot.x), area.y(dot.y), dot.radius ?? 3.5, dot.ring ? null : levelColour(dot.level));
        context.globalAlpha = 1;
      }}
    />
  );
}
