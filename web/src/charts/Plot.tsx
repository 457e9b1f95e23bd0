// A canvas with two axes, and points that the pointer or the arrow keys find. What is drawn between the axes is given.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Axis } from "./axis";
import { darkScheme, theme, type Theme } from "./colours";

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

/** What can be found in a picture: by the pointer, or one after another by the arrow keys. */
export interface Mark {
  x: number | string;
  y: number | string;
  text: () => string; // written when it is found: there may be thousands
  key?: string; // what onSelect is given
}

interface Props {
  label: string; // the picture in words
  x: Axis;
  y: Axis;
  height?: number;
  keyRoom?: number; // pixels on the right, for a colour key
  clip?: boolean;
  draw(area: Area): void;
  marks?: Mark[];
  onSelect?: (key: string) => void;
  square?: boolean;
}

const font = '12px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif';
const reach = 14; // pixels within which the pointer finds a mark

function layout(canvas: HTMLCanvasElement, width: number, height: number, props: Props): Area | null {
  const context = canvas.getContext("2d");
  if (!context || width < 60) return null;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = font;
  const widest = Math.max(0, ...props.y.ticks(5).map((tick) => context.measureText(tick.text).width));
  const left = Math.min(0.3 * width, Math.ceil(widest) + 30);
  const right = width - 10 - (props.keyRoom ?? 0);
  const [top, bottom] = [8, height - 40];
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

function drawAxes(area: Area, x: Axis, y: Axis): void {
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
  for (const tick of y.ticks(Math.max(2, Math.floor((bottom - top) / 40)))) {
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

function nearest(marks: Mark[], area: Area, px: number, py: number): number {
  let best = -1;
  let least = reach * reach;
  marks.forEach((mark, k) => {
    const distance = (area.x(mark.x) - px) ** 2 + (area.y(mark.y) - py) ** 2;
    if (distance <= least) [best, least] = [k, distance];
  });
  return best;
}

export function Plot(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const area = useRef<Area | null>(null);
  const [width, setWidth] = useState(0);
  const [scheme, setScheme] = useState(0);
  const [found, setFound] = useState(-1);
  const marks = props.marks ?? [];
  const height = props.square && width > 0 ? Math.min(props.height ?? 320, Math.max(220, width)) : (props.height ?? 300);
  const drawable = useMemo(() => ({ ...props }), [props]);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    const changed = () => setScheme((n) => n + 1);
    darkScheme?.addEventListener("change", changed);
    return () => {
      observer.disconnect();
      darkScheme?.removeEventListener("change", changed);
    };
  }, []);

  useEffect(() => {
    if (!canvas.current) return;
    const now = layout(canvas.current, width, height, drawable);
    area.current = now;
    if (!now) return;
    drawAxes(now, drawable.x, drawable.y);
    now.context.save();
    if (drawable.clip !== false) {
      now.context.beginPath();
      now.context.rect(now.left - 4, now.top - 4, now.right - now.left + 8, now.bottom - now.top + 8);
      now.context.clip();
    }
    drawable.draw(now);
    now.context.restore();
  }, [drawable, width, height, scheme]);

  const mark = marks[found];
  const at = mark && area.current ? { x: area.current.x(mark.x), y: area.current.y(mark.y) } : null;

  const point = (event: PointerEvent | MouseEvent) => {
    if (!canvas.current || !area.current) return -1;
    const box = canvas.current.getBoundingClientRect();
    return nearest(marks, area.current, event.clientX - box.left, event.clientY - box.top);
  };
  const keyed = (event: KeyboardEvent) => {
    if (marks.length === 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setFound((found + step + marks.length + (found < 0 && step < 0 ? 1 : 0)) % marks.length);
    } else if (event.key === "Enter" && mark?.key !== undefined && props.onSelect) {
      event.preventDefault();
      props.onSelect(mark.key);
    } else if (event.key === "Escape") setFound(-1);
  };
  const interactive = marks.length > 0;
  return (
    <div
      class={`plot${props.onSelect ? " selectable" : ""}`}
      ref={frame}
      style={{ height: `${height}px` }}
      role={interactive ? "application" : "img"}
      aria-roledescription={interactive ? "chart" : undefined}
      aria-label={interactive ? `${props.label} Arrow keys move from point to point.` : props.label}
      tabIndex={interactive ? 0 : undefined}
      onKeyDown={interactive ? keyed : undefined}
      onBlur={() => setFound(-1)}
    >
      <canvas
        ref={canvas}
        aria-hidden="true"
        onPointerMove={(event) => setFound(point(event))}
        onPointerLeave={() => setFound(-1)}
        onClick={(event) => {
          const key = marks[point(event)]?.key;
          if (key !== undefined) props.onSelect?.(key);
        }}
      />
      {at && <span class="found" style={{ left: `${at.x}px`, top: `${at.y}px` }} />}
      {at && mark && (
        <div
          class={`tip${at.x > width / 2 ? " leftwards" : ""}${at.y < 70 ? " below" : ""}`}
          role="status"
          style={{ left: `${at.x}px`, top: `${at.y}px` }}
        >
          {mark.text()}
        </div>
      )}
    </div>
  );
}
