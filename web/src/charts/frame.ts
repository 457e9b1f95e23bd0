// The two axes around a picture on a canvas.
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

interface Frame {
  x: Axis;
  y: Axis;
  keyRoom?: number; // pixels on the right, for a colour key
}

const font = '12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif';

/** The ticks of the vertical axis: room is made for the same ones that are drawn. */
function upwards(y: Axis, top: number, bottom: number): Tick[] {
  return y.ticks(Math.max(2, Math.floor((bottom - top) / 40)));
}

/** Where the axes are: as far to the right as the longest text beside the vertical one needs. */
export function layout(canvas: HTMLCanvasElement, width: number, height: number, props: Frame): Area | null {
  const context = canvas.getContext("2d");
  if (!context || width < 60) return null;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = font;
  const right = width - 10 - (props.keyRoom ?? 0);
  const [top, bottom] = [8, height - 40];
  const widest = Math.max(0, ...upwards(props.y, top, bottom).map((tick) => context.measureText(tick.text).width));
  const left = Math.min(0.3 * width, Math.ceil(widest) + 30);
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

export function drawAxes(area: Area, x: Axis, y: Axis): void {
  const { context, left, right, top, bottom } = area;
  context.strokeStyle = area.theme.grid;
  context.fillStyle = area.theme.soft;
  context.lineWidth = 1;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  };
  context.textAlign = "center";
  context.textBaseline = "top";
  const across = x.ticks(Math.max(2, Math.floor((right - left) / 80)));
  let written = -Infinity;
  for (const tick of across) {
    const at = Math.round(left + tick.at * (right - left)) + 0.5;
    line(at, top, at, bottom);
    const text = shorten(context, tick.text, Math.max(30, (right - left) / across.length - 4));
    const half = context.measureText(text).width / 2;
    const centre = Math.min(right + 8 - half, at);
    if (centre - half < written + 6) continue; // would touch the one before
    written = centre + half;
    context.fillText(text, centre, bottom + 5);
  }
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of upwards(y, top, bottom)) {
    const at = Math.round(bottom - tick.at * (bottom - top)) + 0.5;
    line(left, at, right, at);
    context.fillText(shorten(context, tick.text, left - 22), left - 6, at);
  }
  context.fillStyle = area.theme.ink;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(shorten(context, x.title, right - left), (left + right) / 2, bottom + 34);
  context.save();
  context.translate(11, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(shorten(context, y.title, bottom - top), 0, 0);
  context.restore();
}
