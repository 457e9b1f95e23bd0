// What the reader has chosen is in the address, so that a link shows the same: /?view={"x":"mach"}&sort=1.
import { effect, signal, type Signal } from "@preact/signals";

function parameter(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? "";
}

function write(name: string, text: string): void {
  const search = new URLSearchParams(location.search);
  if (text === (search.get(name) ?? "")) return;
  if (text) search.set(name, text);
  else search.delete(name);
  const all = search.toString();
  history.replaceState(null, "", location.pathname + (all ? `?${all}` : "") + location.hash);
}

/** A choice that the address keeps as text; empty: not made. */
export function textInAddress(name: string): Signal<string> {
  const chosen = signal(parameter(name));
  effect(() => write(name, chosen.value));
  return chosen;
}

/** The same as JSON. `accept` gives null for what is no such value: addresses come from anywhere. */
export function valueInAddress<T>(name: string, none: T, accept: (value: unknown) => T | null): Signal<T> {
  let first = none;
  try {
    first = accept(JSON.parse(parameter(name) || "null")) ?? none;
  } catch {
    // not ours
  }
  const chosen = signal(first);
  effect(() => write(name, chosen.value === none ? "" : JSON.stringify(chosen.value)));
  return chosen;
}
