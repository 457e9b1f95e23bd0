// How long the money lasts at the pace of the answers so far.
import type { View } from "./api";

/** Money that is neither spent nor reserved; null: there is no limit. */
export function freeMoney(view: Pick<View, "budget" | "spent" | "escrow">): number | null {
  return view.budget === null ? null : Math.max(0, view.budget - view.spent - view.escrow);
}

/** Seconds from now until the free money is spent. Null if that is not known, or if nothing has happened for so long
 * that the pace of before says nothing about now. */
export function secondsOfMoney(view: Pick<View, "projected_end" | "money" | "created_at">, now: number): number | null {
  const last = view.money.at(-1);
  if (view.projected_end === null || last === undefined) return null;
  const more = view.projected_end - last.time;
  const since = Math.max(0, now - view.created_at - last.time);
  return since > Math.max(60, more / 2) ? null : Math.max(0, more - since);
}
