// Along which inputs the belief and the pool are drawn: chosen once for both.
import { signal } from "@preact/signals";
import type { InputColumn, PoolView, View } from "./api";
import { valueInAddress } from "./parts/address";

export interface Axes {
  x: string;
  y: string; // empty: one input
  panels: string; // a category with one picture per value; empty: none
}

function axesIn(value: unknown): Axes | null {
  const { x, y, panels } = (value ?? {}) as Partial<Record<keyof Axes, unknown>>;
  return typeof x === "string" && typeof y === "string" && typeof panels === "string" ? { x, y, panels } : null;
}

function valuesIn(value: unknown): Record<string, number | string> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.values(value).every((one) => typeof one === "number" || typeof one === "string") ? (value as Record<string, number | string>) : null;
}

/** What the reader has chosen; null: the most important inputs. */
export const chosenAxes = valueInAddress<Axes | null>("axes", null, axesIn);
/** Values of the other inputs that the reader has set; the server chooses the rest. */
const noValues: Record<string, number | string> = {};
export const chosenValues = valueInAddress<Record<string, number | string>>("at", noValues, valuesIn);
export function forgetValues(): void {
  chosenValues.value = noValues;
}
export const pool = signal<PoolView | null>(null);

export const mostPanels = 8;

export function ordered(view: View): InputColumn[] {
  const inputs = view.order.map((k) => view.inputs[k]).filter((input): input is InputColumn => input !== undefined);
  return inputs.length === view.inputs.length ? inputs : view.inputs;
}

function defaults(view: View): Axes {
  const inputs = ordered(view);
  const numbers = inputs.filter((input) => input.kind === "number");
  const categories = inputs.filter((input) => input.kind === "category");
  const [x, y] = numbers.length > 0 ? numbers : categories;
  const panels = categories.find(
    (input) => input !== x && input !== y && input.values.length > 1 && input.values.length <= mostPanels,
  );
  return { x: x?.name ?? "", y: y?.name ?? "", panels: panels?.name ?? "" };
}

let settled: Axes | null = null;

/** The chosen inputs, or those that were the most important when that was first known: pictures do not change under the eye. */
export function axesOf(view: View): Axes {
  const chosen = chosenAxes.value ?? settled;
  const known = (name: string) => name === "" || view.inputs.some((input) => input.name === name);
  if (chosen && known(chosen.x) && known(chosen.y) && known(chosen.panels)) return chosen;
  const axes = defaults(view);
  if (view.inputs.some((input) => input.importance !== null)) settled = axes;
  return axes;
}

export function inputNamed(view: View, name: string): InputColumn | undefined {
  return view.inputs.find((input) => input.name === name);
}

/** How far a place is from the slice in the inputs that are not drawn: 0 on it, 1 across the range of an input. */
export function distanceFromSlice(
  view: View,
  axes: Axes,
  at: Record<string, number | string>,
  inputs: (number | string)[],
): number {
  let sum = 0;
  view.inputs.forEach((input, k) => {
    if (input.name === axes.x || input.name === axes.y) return;
    const here = at[input.name];
    const there = inputs[k];
    if (here === undefined || there === undefined) return;
    if (input.kind === "category") sum += here === there ? 0 : 1;
    else {
      const scale = (value: number) => (input.logarithmic && value > 0 ? Math.log(value) : value);
      const span = scale(input.high) - scale(input.low);
      if (span > 0) sum += (input.importance ?? 1) * ((scale(Number(here)) - scale(Number(there))) / span) ** 2;
    }
  });
  return Math.sqrt(sum);
}

/** Opacity of an answer drawn over a slice: fainter the farther it lies from it. */
export function opacityAt(distance: number): number {
  return Math.max(0.15, Math.exp(-0.5 * (distance / 0.2) ** 2));
}
