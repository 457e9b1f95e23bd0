// A canvas with two axes, and points that the pointer or the arrow keys find. What is drawn between the axes is given.
// The same drawing is kept as PNG or SVG.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { fileName, saveBlob } from "../parts/save";
import type { Axis } from "./axis";
import { darkScheme, theme } from "./colours";
import { drawAxes, edge, layout, type Area } from "./frame";
import { SvgPen } from "./svg";

export type { Area };

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
  draw(area: Area): void;
  marks?: Mark[];
  onSelect?: (key: string) => void;
  onFound?: (mark: number) => void; // -1: none
  alongX?: boolean; // a mark is found from above and below, too
  square?: boolean;
  name?: string; // of a saved file
}

const reach = 14; // pixels within which the pointer finds a mark

function nearest(marks: Mark[], area: Area, px: number, py: number, alongX: boolean): number {
  let best = -1;
  let least = alongX ? Infinity : reach * reach;
  marks.forEach((mark, k) => {
    const up = alongX ? 0 : area.y(mark.y) - py;
    const distance = (area.x(mark.x) - px) ** 2 + up ** 2;
    if (distance <= least) [best, least] = [k, distance];
  });
  return best;
}

/** Axes and content: on the screen, and into a file. */
function paint(area: Area, props: Pick<Props, "x" | "y" | "draw">): void {
  const { context } = area;
  drawAxes(area, props.x, props.y);
  context.save();
  context.beginPath();
  context.rect(area.left - edge, area.top - edge, area.right - area.left + 2 * edge, area.bottom - area.top + 2 * edge);
  context.clip();
  props.draw(area);
  context.restore();
}

function canvasOf(props: Props, width: number, height: number, scale: number, canvas = document.createElement("canvas")): Area | null {
  const context = canvas.getContext("2d");
  if (!context || width < 60) return null;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return layout(context, width, height, props);
}

function savePng(props: Props, width: number, height: number): void {
  const canvas = document.createElement("canvas");
  const area = canvasOf(props, width, height, 2, canvas);
  if (!area) return;
  area.context.fillStyle = theme().ground;
  area.context.fillRect(0, 0, width, height);
  paint(area, props);
  canvas.toBlob((blob) => blob && saveBlob(`${fileName(props.name ?? props.label)}.png`, blob));
}

function saveSvg(props: Props, width: number, height: number): void {
  const ruler = document.createElement("canvas").getContext("2d");
  if (!ruler) return;
  const pen = new SvgPen(ruler);
  paint(layout(pen as unknown as CanvasRenderingContext2D, width, height, props), props);
  const text = pen.text(width, height, theme().ground, props.label);
  saveBlob(`${fileName(props.name ?? props.label)}.svg`, new Blob([text], { type: "image/svg+xml" }));
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
    area.current = canvasOf(drawable, width, height, window.devicePixelRatio || 1, canvas.current);
    if (area.current) paint(area.current, drawable);
  }, [drawable, width, height, scheme]);

  const find = (k: number) => {
    if (k !== found) props.onFound?.(k);
    setFound(k);
  };
  const mark = marks[found];
  const at = mark && area.current ? { x: area.current.x(mark.x), y: area.current.y(mark.y) } : null;

  const point = (event: PointerEvent | MouseEvent) => {
    if (!canvas.current || !area.current) return -1;
    const box = canvas.current.getBoundingClientRect();
    return nearest(marks, area.current, event.clientX - box.left, event.clientY - box.top, props.alongX ?? false);
  };
  const keyed = (event: KeyboardEvent) => {
    if (marks.length === 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      find((found + step + marks.length + (found < 0 && step < 0 ? 1 : 0)) % marks.length);
    } else if (event.key === "Enter" && mark?.key !== undefined && props.onSelect) {
      event.preventDefault();
      props.onSelect(mark.key);
    } else if (event.key === "Escape") find(-1);
  };
  const interactive = marks.length > 0;
  return (
    <div class="chart">
      <div
        class={`plot${props.onSelect ? " selectable" : ""}`}
        ref={frame}
        style={{ height: `${height}px` }}
        role={interactive ? "application" : "img"}
        aria-roledescription={interactive ? "chart" : undefined}
        aria-label={interactive ? `${props.label} Arrow keys move from point to point.` : props.label}
        tabIndex={interactive ? 0 : undefined}
        onKeyDown={interactive ? keyed : undefined}
        onBlur={() => find(-1)}
      >
        <canvas
          ref={canvas}
          aria-hidden="true"
          onPointerMove={(event) => find(point(event))}
          onPointerLeave={() => find(-1)}
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
      <p class="save">
        <button type="button" class="quiet" onClick={() => savePng(props, width, height)} aria-label={`Save as PNG: ${props.name ?? props.label}`}>
          PNG
        </button>{" "}
        <button type="button" class="quiet" onClick={() => saveSvg(props, width, height)} aria-label={`Save as SVG: ${props.name ?? props.label}`}>
          SVG
        </button>
      </p>
    </div>
  );
}
