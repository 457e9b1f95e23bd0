// A surface over two axes: colours between its values, the line at which it crosses a value, and the key of its colours.
import type { Axis } from "./axis";
import { mapColour, mapColourText } from "./colours";
import type { Area } from "./Plot";

export interface Surface {
  x: (number | string)[];
  y: (number | string)[];
  rows: number[][]; // over y, columns over x
}

/** For every pixel along an axis: the values left and right of it, and how far it is between them. */
function places(values: (number | string)[], at: (value: number | string) => number, pixels: number) {
  const shares = values.map(at);
  const steps = typeof values[0] === "string";
  const found: { k: number; part: number }[] = [];
  let k = 0;
  for (let pixel = 0; pixel < pixels; ++pixel) {
    const share = (pixel + 0.5) / pixels;
    if (steps) {
      found.push({ k: Math.min(values.length - 1, Math.floor(share * values.length)), part: 0 });
      continue;
    }
    while (k + 2 < shares.length && (shares[k + 1] ?? 0) < share) ++k;
    const [low, high] = [shares[k] ?? 0, shares[k + 1] ?? 1];
    found.push({ k, part: Math.min(1, Math.max(0, high > low ? (share - low) / (high - low) : 0)) });
  }
  return found;
}

export function drawSurface(area: Area, surface: Surface, x: Axis, y: Axis, colours: Axis): void {
  const width = Math.max(1, Math.round((area.right - area.left) / 2));
  const height = Math.max(1, Math.round((area.bottom - area.top) / 2));
  const image = new ImageData(width, height);
  const across = places(surface.x, x.at, width);
  const up = places(surface.y, y.at, height);
  for (let row = 0; row < height; ++row) {
    const { k: j, part: v } = up[height - 1 - row] ?? { k: 0, part: 0 };
    const lower = surface.rows[j] ?? [];
    const upper = surface.rows[Math.min(j + 1, surface.rows.length - 1)] ?? lower;
    for (let column = 0; column < width; ++column) {
      const { k: i, part: u } = across[column] ?? { k: 0, part: 0 };
      const i1 = Math.min(i + 1, lower.length - 1);
      const value =
        (1 - v) * ((1 - u) * (lower[i] ?? NaN) + u * (lower[i1] ?? NaN)) +
        v * ((1 - u) * (upper[i] ?? NaN) + u * (upper[i1] ?? NaN));
      const [r, g, b] = mapColour(colours.at(value));
      const at = 4 * (row * width + column);
      image.data[at] = r;
      image.data[at + 1] = g;
      image.data[at + 2] = b;
      image.data[at + 3] = 255;
    }
  }
  const buffer = document.createElement("canvas");
  buffer.width = width;
  buffer.height = height;
  buffer.getContext("2d")?.putImageData(image, 0, 0);
  area.context.drawImage(buffer, area.left, area.top, area.right - area.left, area.bottom - area.top);
}

/** Where the surface crosses `value`, by marching squares. */
export function drawContour(area: Area, surface: Surface, value: number): void {
  const { context } = area;
  if (typeof surface.x[0] === "string" || typeof surface.y[0] === "string") return;
  const px = surface.x.map((x) => area.x(x));
  const py = surface.y.map((y) => area.y(y));
  context.beginPath();
  for (let j = 0; j + 1 < py.length; ++j)
    for (let i = 0; i + 1 < px.length; ++i) {
      const corners: [number, number, number][] = [
        [px[i]!, py[j]!, surface.rows[j]?.[i] ?? NaN],
        [px[i + 1]!, py[j]!, surface.rows[j]?.[i + 1] ?? NaN],
        [px[i + 1]!, py[j + 1]!, surface.rows[j + 1]?.[i + 1] ?? NaN],
        [px[i]!, py[j + 1]!, surface.rows[j + 1]?.[i] ?? NaN],
      ];
      const crossings: [number, number][] = [];
      corners.forEach(([x0, y0, a], k) => {
        const [x1, y1, b] = corners[(k + 1) % 4]!;
        if (a < value === b < value || Number.isNaN(a) || Number.isNaN(b)) return;
        const part = (value - a) / (b - a);
        crossings.push([x0 + part * (x1 - x0), y0 + part * (y1 - y0)]);
      });
      for (let k = 0; k + 1 < crossings.length; k += 2) {
        context.moveTo(...crossings[k]!);
        context.lineTo(...crossings[k + 1]!);
      }
    }
  context.lineCap = "round";
  context.strokeStyle = "#000";
  context.lineWidth = 4;
  context.stroke();
  context.strokeStyle = "#fff";
  context.lineWidth = 2;
  context.stroke();
}

export const keyRoom = 70;

export function drawKey(area: Area, colours: Axis): void {
  const { context } = area;
  const left = area.right + 12;
  const height = area.bottom - area.top;
  for (let pixel = 0; pixel < height; ++pixel) {
    context.fillStyle = mapColourText(1 - pixel / height);
    context.fillRect(left, area.top + pixel, 13, 1.5);
  }
  context.fillStyle = area.theme.soft;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const tick of colours.ticks(5)) context.fillText(tick.text, left + 18, area.bottom - tick.at * height);
}
