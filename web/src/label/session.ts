// The course of labelling: the item on the page, those after it, what was answered, and how long it took.
import { signal } from "@preact/signals";
import type { LabelItem, LabelNext } from "../api";
import { post, RequestFailed } from "../client";
import { fetchImage } from "../parts/ServedImage";
import { announcement, signInReason } from "../store";
import { type Delivery, outbox, put, retryAt, send } from "./outbox";
import { Stopwatch } from "./stopwatch";

interface Past {
  item: LabelItem;
  y: number;
  said: string;
  level: string;
}

export const next = signal<LabelNext | null>(null);
export const item = signal<LabelItem | null>(null);
/** An earlier item is shown again, to be answered anew. */
export const again = signal<Past | null>(null);
export const problem = signal("");
export const notice = signal("");
export const loading = signal(true);
export const done = signal(0); // in this tab
export const images = new Map<string, string>();

const watch = new Stopwatch();
const past: Past[] = [];
const finished = new Set<number>(); // ids that this tab has dealt with
let waiting: LabelItem | null = null; // set aside by undo
let following: LabelItem[] = []; // loaded ahead, so that a slow line delays nobody
let retryTimer: ReturnType<typeof setTimeout> | undefined;
let fetching = false;

function show(one: LabelItem | null): void {
  if (one?.id === item.value?.id && again.value === null) {
    item.value = one; // its lease may have been renewed
    return;
  }
  item.value = one;
  if (one) {
    watch.restart();
    loading.value = false;
    announcement.value = `${one.point || "Next item"}. ${one.text ?? ""}`;
  }
}

function preload(one: LabelItem | null): void {
  const address = one?.image;
  if (!address || images.has(address)) return;
  if (images.size > 8) images.clear();
  void fetchImage(address)
    .then((data) => images.set(address, data))
    .catch(() => undefined); // shown as a problem when its turn comes
}

/** Asks the server which item is this person's. */
export async function fetchNext(): Promise<void> {
  if (fetching) return;
  fetching = true;
  clearTimeout(retryTimer);
  try {
    const found = await post<LabelNext>("/v1/label/next", {});
    const fresh = [found.item, ...found.following].filter((one): one is LabelItem => one !== null && !finished.has(one.id));
    next.value = found;
    problem.value = "";
    retryAt.value = outbox.value.length > 0 ? retryAt.value : null;
    if (again.value) {
      waiting = fresh.find((one) => one.id === waiting?.id) ?? fresh[0] ?? waiting;
      following = fresh.filter((one) => one.id !== waiting?.id);
    } else {
      const shown = fresh.find((one) => one.id === item.value?.id) ?? fresh[0] ?? null;
      following = fresh.filter((one) => one.id !== shown?.id);
      show(shown);
    }
    preload(item.value);
    following.forEach(preload);
    loading.value = !item.value && outbox.value.length > 0; // what was sent makes room for more
    if (!item.value && !found.finished && !loading.value) {
      const seconds = Math.min(120, Math.max(1, found.retry_after ?? 10));
      retryAt.value = null;
      retryTimer = setTimeout(() => void fetchNext(), 1000 * seconds);
      nextAttempt.value = Date.now() + 1000 * seconds;
    }
  } catch (error) {
    const failed = error instanceof RequestFailed ? error : new RequestFailed(String(error), 0);
    loading.value = false;
    if (failed.status === 401 || failed.status === 403) {
      problem.value = failed.message;
      signInReason.value = failed.message;
    } else {
      if (failed.status !== 0) problem.value = failed.message;
      const seconds = Math.min(30, Math.max(2, failed.retryAfter ?? 3));
      retryAt.value = Date.now() + 1000 * seconds;
      retryTimer = setTimeout(() => void fetchNext(), 1000 * seconds);
    }
  } finally {
    fetching = false;
  }
}

/** When the server is asked again for an item, in milliseconds. */
export const nextAttempt = signal(0);

const delivery: Delivery = {
  sent: () => undefined,
  refused(parcel, error) {
    if (error.status === 401) signInReason.value = error.message;
    else notice.value = `The answer to suggestion ${parcel.body.id} was not taken: ${error.message}`;
  },
  idle: () => void fetchNext(),
};

function advance(): void {
  if (again.value) {
    again.value = null;
    const back = waiting;
    waiting = null;
    item.value = null;
    show(back);
    return;
  }
  if (item.value) finished.add(item.value.id);
  following = following.filter((one) => !finished.has(one.id));
  const upcoming = following.shift() ?? null;
  loading.value = upcoming === null;
  show(upcoming);
  if (following.length < 2) void fetchNext(); // beside the answers on their way
}

export function answer(y: number, said: string, level: string): void {
  const one = item.value;
  if (!one) return;
  notice.value = "";
  const before = past.findIndex((entry) => entry.item.id === one.id);
  if (before >= 0) past.splice(before, 1);
  past.push({ item: one, y, said, level });
  const chosen = one.levels.length > 1 ? { level } : {};
  const body = { id: one.id, y, seconds: watch.seconds(), ...chosen };
  if (!again.value) done.value += 1;
  advance();
  put({ path: "/v1/label/answer", body }, delivery);
}

export function cannotTell(): void {
  const one = item.value;
  if (!one) return;
  notice.value = `${one.point}: cannot tell`;
  const body = { id: one.id, seconds: watch.seconds() };
  advance();
  put({ path: "/v1/label/cannot-tell", body }, delivery);
}

export function skip(reason: string): void {
  const one = item.value;
  if (!one) return;
  notice.value = `${one.point} is skipped`;
  advance();
  put({ path: "/v1/label/skip", body: { id: one.id, reason } }, delivery);
}

/** Shows the last answered item again; a second answer amends the first. */
export function undo(): void {
  if (again.value) {
    advance(); // back to the item that was set aside
    return;
  }
  const last = past.at(-1);
  if (!last) {
    notice.value = "There is nothing to undo in this tab.";
    return;
  }
  waiting = item.value;
  again.value = last;
  item.value = last.item;
  watch.restart();
  notice.value = "";
  announcement.value = `Again: ${last.item.point}, answered ${last.said}`;
}

export function canUndo(): boolean {
  return past.length > 0 && done.value >= 0;
}

/** Sends what waits, then asks for the next item: at the start, after signing in, when the connection is back. */
export function resume(): void {
  if (outbox.value.length > 0) void send(delivery);
  else void fetchNext();
}

export function start(): () => void {
  window.addEventListener("online", resume);
  resume();
  return () => {
    window.removeEventListener("online", resume);
    clearTimeout(retryTimer);
  };
}
