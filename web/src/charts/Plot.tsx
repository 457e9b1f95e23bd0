// A canvas with two axes, and points that the pointer or the arrow keys find. What is drawn between the axes is given.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Axis } from "./axis";
import { darkScheme } from "./colours";
import { drawAxes, layout, type Area } from "./frame";

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
  clip?: boolean;
  draw(area: Area): void;
  marks?: Mark[];
  onSelect?: (key: string) => void;
  square?: boolean;
}

const reach = 14; // pixels within which the pointer finds a mark

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
