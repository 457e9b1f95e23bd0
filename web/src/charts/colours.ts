// The colours of the report's pictures (src/pictures), after Okabe and Ito, for light and dark.

const levelColours: [string, string][] = [
  ["#d55e00", "#ff8c42"],
  ["#0072b2", "#56b4e9"],
  ["#008a64", "#2cc79b"],
  ["#aa4a85", "#e29fc4"],
  ["#806600", "#e3d23c"],
  ["#4040a8", "#a3a3f5"],
  ["#5c3a21", "#cfab90"],
  ["#767676", "#a6a6a6"],
];

export const darkScheme = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

export function isDark(): boolean {
  return darkScheme?.matches ?? false;
}

export interface Theme {
  ground: string;
  ink: string;
  soft: string;
  grid: string;
  band: string;
  line: string; // of the mean
  next: string; // what is asked for next
  casing: string;
}

export function theme(): Theme {
  return isDark()
    ? {
        ground: "#16181c",
        ink: "#e8e8e8",
        soft: "#b4b4b4",
        grid: "rgba(136,136,136,.3)",
        band: "rgba(86,180,233,.25)",
        line: "#56b4e9",
        next: "#e29fc4",
        casing: "#16181c",
      }
    : {
        ground: "#fff",
        ink: "#222",
        soft: "#555",
        grid: "rgba(136,136,136,.3)",
        band: "rgba(0,114,178,.18)",
        line: "#0072b2",
        next: "#aa4a85",
        casing: "#fff",
      };
}

export function levelColour(level: number): string {
  const pair = levelColours[Math.max(0, level) % levelColours.length] ?? ["#767676", "#a6a6a6"];
  return pair[isDark() ? 1 : 0];
}

const viridis = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const anchors = viridis.map((colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16)));

/** Red, green and blue of the map's colours at a share from 0 to 1. */
export function mapColour(share: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0.5)) * (anchors.length - 1);
  const low = anchors[Math.floor(at)] ?? [0, 0, 0];
  const high = anchors[Math.min(anchors.length - 1, Math.floor(at) + 1)] ?? low;
  const part = at - Math.floor(at);
  const mix = (k: number) => Math.round((low[k] ?? 0) * (1 - part) + (high[k] ?? 0) * part);
  return [mix(0), mix(1), mix(2)];
}

export function mapColourText(share: number): string {
  return `rgb(${mapColour(share).join(",")})`;
}

export type Shape = "circle" | "square" | "triangle" | "diamond";
const shapes: Shape[] = ["circle", "square", "triangle", "diamond"];

/** Levels differ by shape as well as by colour. */
export function levelShape(level: number): Shape {
  return shapes[Math.max(0, level) % shapes.length] ?? "circle";
}

export function traceShape(context: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number): void {
  context.beginPath();
  if (shape === "circle") context.arc(x, y, r, 0, 2 * Math.PI);
  else if (shape === "square") context.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  else if (shape === "triangle") {
    context.moveTo(x, y - 1.2 * r);
    context.lineTo(x + 1.1 * r, y + 0.8 * r);
    context.lineTo(x - 1.1 * r, y + 0.8 * r);
    context.closePath();
  } else {
    context.moveTo(x, y - 1.25 * r);
    context.lineTo(x + 1.25 * r, y);
    context.lineTo(x, y + 1.25 * r);
    context.lineTo(x - 1.25 * r, y);
    context.closePath();
  }
}
