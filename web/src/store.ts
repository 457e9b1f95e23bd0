// What the watching page knows: one view, kept up to date by the event stream.
import { signal } from "@preact/signals";
import type { Me, View } from "./api";
import { get, RequestFailed, whoAmI } from "./client";
import { followEvents } from "./events";

export type Connection = "connecting" | "live" | "reconnecting";

export const view = signal<View | null>(null);
export const viewProblem = signal("");
export const connection = signal<Connection>("connecting");
export const logLength = signal(0); // events the log has, as the stream says
export const me = signal<Me | null>(null);
/** Why a token is asked for; null: no dialog. */
export const signInReason = signal<string | null>(null);
/** Announced to screen readers. */
export const announcement = signal("");

const shortestInterval = 1000;
let loading = false;
let wantedAgain = false;
let lastLoad = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export async function refreshMe(): Promise<void> {
  try {
    me.value = await whoAmI();
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 401) signInReason.value = error.message;
  }
}

async function load(): Promise<void> {
  loading = true;
  wantedAgain = false;
  lastLoad = Date.now();
  try {
    const next = await get<View>("/v1/view");
    view.value = next;
    viewProblem.value = "";
    logLength.value = Math.max(logLength.value, next.sequence);
  } catch (error) {
    viewProblem.value = error instanceof Error ? error.message : String(error);
    if (error instanceof RequestFailed) {
      if (error.status === 401) signInReason.value = error.message;
      else if (error.retryAfter !== null) setTimeout(wantView, 1000 * Math.min(60, Math.max(1, error.retryAfter)));
      else if (error.status >= 500) setTimeout(wantView, 3000);
    }
  } finally {
    loading = false;
    if (wantedAgain) wantView();
  }
}

/** Loads the view again: at once, but at most once a second and never while the tab is hidden. */
export function wantView(): void {
  wantedAgain = true;
  if (loading || document.hidden) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (wantedAgain && !loading) void load();
  }, Math.max(0, lastLoad + shortestInterval - Date.now()));
}

export function startWatching(): () => void {
  const visible = () => {
    if (!document.hidden && wantedAgain) wantView();
  };
  document.addEventListener("visibilitychange", visible);
  void refreshMe();
  wantView();
  const stop = followEvents({
    grew: (sequence) => (logLength.value = Math.max(logLength.value, sequence)),
    computed: wantView, // also of the same log: the first view comes before its model
    connected: () => {
      const back = connection.value === "reconnecting";
      connection.value = "live";
      if (back) {
        announcement.value = "Connected again";
        wantView();
      }
    },
    lost: () => {
      if (connection.value === "live") announcement.value = "Connection lost, reconnecting";
      connection.value = "reconnecting";
    },
  });
  return () => {
    stop();
    document.removeEventListener("visibilitychange", visible);
  };
}
