// Answers, pending ones and the next one, as they are drawn over a curve or a map.
import type { Answer, Pending } from "../api";
import { levelColour, levelShape, traceShape } from "./colours";
import type { Area, Mark } from "./Plot";

/** Pixels of marks. Those at the same place on an axis of names are put beside each other, in a spiral, so that none is
 * hidden. */
export function spread(area: Area, marks: Pick<Mark, "x" | "y">[], across: boolean, up: boolean): [number, number][] {
  const taken = new Map<string, number>();
  return marks.map((mark) => {
    const [x, y] = [area.x(mark.x), area.y(mark.y)];
    if (!across && !up) return [x, y];
    const cell = `${Math.round(x / 4)} ${Math.round(y / 4)}`;
    const before = taken.get(cell) ?? 0;
    taken.set(cell, before + 1);
    const angle = 2.4 * before;
    const radius = Math.min(14, 4.2 * Math.sqrt(before));
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Radius in pixels: the more precise, the larger. */
export function precisionRadius(noise: number, least: number, most: number): number {
  if (!(noise > 0)) return 6.5; // exact
  if (!(most > least) || !(least > 0)) return 4;
  const share = Math.log(most / Math.max(noise, least)) / Math.log(most / least);
  return 3.3 + 3.2 * Math.min(1, Math.max(0, share));
}

export function noiseRange(answers: Answer[]): [number, number] {
  const noises = answers.map((answer) => answer.noise).filter((noise) => noise > 0);
  return noises.length ? [Math.min(...noises), Math.max(...noises)] : [1, 1];
}

export function drawDot(area: Area, level: number, x: number, y: number, radius: number, fill: string | null): void {
  const { context } = area;
  traceShape(context, levelShape(level), x, y, radius);
  if (fill) {
    context.fillStyle = fill;
    context.fill();
    context.strokeStyle = area.theme.casing;
    context.lineWidth = 1;
  } else {
    context.strokeStyle = levelColour(level);
    context.lineWidth = 2;
  }
  context.stroke();
}

/** The vertical bar of an answer's noise, thin so that the dot stays the thing. */
export function drawNoise(area: Area, x: number, low: number, high: number, colour: string): void {
  const { context } = area;
  context.strokeStyle = colour;
  context.globalAlpha = 0.55;
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(x, low);
  context.lineTo(x, high);
  context.stroke();
  context.globalAlpha = 1;
}

/** A star with an outline in both grounds: what would be asked for next. */
export function drawNext(area: Area, x: number, y: number): void {
  const { context } = area;
  context.beginPath();
  for (let k = 0; k < 10; ++k) {
    const radius = k % 2 === 0 ? 9 : 4;
    const angle = -Math.PI / 2 + (k * Math.PI) / 5;
    const point: [number, number] = [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    if (k === 0) context.moveTo(...point);
    else context.lineTo(...point);
  }
  context.closePath();
  context.lineJoin = "round";
  context.strokeStyle = area.theme.casing;
  context.lineWidth = 4;
  context.stroke();
  context.fillStyle = area.theme.next;
  context.fill();
}

export function answerText(answer: Answer, level: string, place: string): string {
  return `#${answer.id} ${place}: ${answer.text} at ${level}${answer.worker ? ` by ${answer.worker}` : ""}`;
}

export function pendingText(pending: Pending, place: string): string {
  return `#${pending.id} ${place}: pending at ${pending.level}${pending.worker ? `, ${pending.worker}` : ""}`;
}
