// Where a value lies along an axis, from 0 to 1, and the ticks a reader needs.
import { numberText } from "../format";

export interface Tick {
  at: number; // 0 to 1
  text: string;
}

export interface Axis {
  title: string;
  at(value: number | string): number;
  value(share: number): number; // the inverse, of numbers
  ticks(about: number): Tick[];
}

function roundStep(span: number, about: number): number {
  const rough = span / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const digit of [1, 2, 5]) if (digit * power >= rough * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

/** Lowest and highest finite number, widened a little; something drawable if there is none. */
export function rangeOf(values: Iterable<number | null>, margin = 0.05): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(low <= high)) return [0, 1];
  if (low === high) {
    const reach = low === 0 ? 1 : 0.1 * Math.abs(low);
    return [low - reach, high + reach];
  }
  const more = margin * (high - low);
  return [low - more, high + more];
}

export function linearAxis(title: string, low: number, high: number): Axis {
  const span = high > low ? high - low : 1;
  return {
    title,
    at: (value) => (Number(value) - low) / span,
    value: (share) => low + share * span,
    ticks(about) {
      const step = roundStep(span, about);
      // As many digits as tell one from the next.
      const digits = Math.max(2, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step) + 1));
      const ticks: Tick[] = [];
      for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span && ticks.length < 100; ++k)
        ticks.push({ at: (k * step - low) / span, text: numberText(Number((k * step).toPrecision(10)), digits) });
      return ticks;
    },
  };
}

export function logAxis(title: string, low: number, high: number): Axis {
  if (!(low > 0) || !(high > low)) return linearAxis(title, low, high);
  const begin = Math.log10(low);
  const span = Math.log10(high) - begin;
  return {
    title,
    at: (value) => (Number(value) > 0 ? (Math.log10(Number(value)) - begin) / span : -1),
    value: (share) => 10 ** (begin + share * span),
    ticks(about) {
      const first = Math.floor(begin);
      const last = Math.ceil(begin + span);
      const every = Math.max(1, Math.ceil((last - first) / about));
      const digits = span < 0.7 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : span < 2.2 ? [1, 2, 5] : [1];
      const ticks: Tick[] = [];
      for (let decade = first; decade <= last; ++decade)
        for (const digit of digits) {
          if (decade % every !== 0) continue;
          const value = Number(`${digit}e${decade}`);
          const at = (Math.log10(value) - begin) / span;
          if (at >= -1e-9 && at <= 1 + 1e-9) ticks.push({ at, text: numberText(value) });
        }
      return ticks;
    },
  };
}

export function categoryAxis(title: string, values: string[]): Axis {
  const index = new Map(values.map((value, k) => [value, k]));
  const at = (value: number | string) => ((index.get(String(value)) ?? -10) + 0.5) / values.length;
  return {
    title,
    at,
    value: (share) => Math.floor(share * values.length),
    ticks: () => values.map((text) => ({ at: at(text), text })),
  };
}

export interface Column {
  name: string;
  unit: string;
  kind: "number" | "category";
  logarithmic: boolean;
  low: number;
  high: number;
  values: string[];
}

export function withUnit(name: string, unit: string): string {
  return unit ? `${name} (${unit})` : name;
}

export function inputAxis(input: Column, margin = 0): Axis {
  const title = withUnit(input.name, input.unit);
  if (input.kind === "category") return categoryAxis(title, input.values);
  if (input.logarithmic && input.low > 0) {
    const more = (input.high / input.low) ** margin;
    return logAxis(title, input.low / more, input.high * more);
  }
  const more = margin * (input.high - input.low);
  return linearAxis(title, input.low - more, input.high + more);
}
