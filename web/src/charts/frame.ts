// The two axes around a picture. Marks on an edge have room: nothing that is drawn is cut.
import type { Axis, Tick } from "./axis";
import { theme, type Theme } from "./colours";

export interface Area {
  context: CanvasRenderingContext2D;
  left: number;
  top: number;
  right: number;
  bottom: number;
  x(value: number | string): number; // pixels
  y(value: number | string): number;
  theme: Theme;
}

export interface Frame {
  x: Axis;
  y: Axis;
  keyRoom?: number; // pixels on the right, for a colour key
}

const font = '12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif';
/** Pixels around what the axes enclose: half of the largest mark. */
export const edge = 10;
const lineHeight = 17;

/** The ticks of the vertical axis: room is made for the same ones that are drawn. */
function upwards(y: Axis, top: number, bottom: number): Tick[] {
  return y.ticks(Math.max(2, Math.floor((bottom - top) / 40)));
}

/** Where the axes are: as far to the right as the longest text beside the vertical one needs. Its name is above it, where
 * it needs no turning of the head and covers no number. */
export function layout(context: CanvasRenderingContext2D, width: number, height: number, props: Frame): Area {
  context.font = font;
  const right = width - edge - 2 - (props.keyRoom ?? 0);
  const [top, bottom] = [edge + 2 + (props.y.title ? lineHeight : 0), height - (props.x.title ? 42 : 24)];
  const widest = Math.max(0, ...upwards(props.y, top, bottom).map((tick) => context.measureText(tick.text).width));
  const left = Math.max(edge, Math.min(0.4 * width, Math.ceil(widest) + 10));
  return {
    context,
    left,
    top,
    right,
    bottom,
    x: (value) => left + props.x.at(value) * (right - left),
    y: (value) => bottom - props.y.at(value) * (bottom - top),
    theme: theme(),
  };
}

function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let short = text;
  while (short.length > 1 && context.measureText(`${short}…`).width > room) short = short.slice(0, -1);
  return `${short}…`;
}

/** Texts along the horizontal axis that do not touch: every one, or every second, third, ... of them. Names are shortened
 * only if not even two would fit otherwise. */
function across(area: Area, x: Axis): { at: number; text: string; from: number }[] {
  const { context, left, right } = area;
  const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 80)));
  const most = Math.max(40, (right - left) / Math.min(2, ticks.length) - 8);
  const placed = ticks.map((tick) => {
    const at = left + tick.at * (right - left);
    const text = shorten(context, tick.text, most);
    const width = context.measureText(text).width;
    return { at, text, width, from: Math.max(0, Math.min(right + edge - width, at - width / 2)) };
  });
  for (let every = 1; every <= placed.length; ++every) {
    const kept = placed.filter((_, k) => k % every === 0);
    if (kept.every((one, k) => k === 0 || one.from >= kept[k - 1]!.from + kept[k - 1]!.width + 6)) return kept;
  }
  return placed.slice(0, 1);
}

export function drawAxes(area: Area, x: Axis, y: Axis): void {
  const { context, left, right, top, bottom } = area;
  context.font = font;
  context.strokeStyle = area.theme.grid;
  context.fillStyle = area.theme.soft;
  context.lineWidth = 1;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  context.textAlign = "left";
  context.textBaseline = "top";
  for (const tick of across(area, x)) {
    const at = Math.round(tick.at) + 0.5;
    line(at, top, at, bottom);
    context.fillText(tick.text, tick.from, bottom + edge - 1);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of upwards(y, top, bottom)) {
    const at = Math.round(bottom - tick.at * (bottom - top)) + 0.5;
    line(left, at, right, at);
    context.fillText(shorten(context, tick.text, left - 9), left - 9, at);
  }
  context.fillStyle = area.theme.ink;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(shorten(context, y.title, right), 0, 12);
  context.textAlign = "center";
  context.fillText(shorten(context, x.title, right), Math.max(0, (left + right) / 2), bottom + 38);
}
