// The event stream, read with fetch() because EventSource cannot send an Authorization header.
import { headers } from "./client";

export interface Handlers {
  grew(sequence: number): void; // the log
  computed(): void; // a new view
  connected(): void;
  lost(retryAt: number): void; // milliseconds, as Date.now() counts
}

const firstDelay = 500;
const longestDelay = 15000;
const longestSilence = 60000; // after a server that sends comments has fallen silent, the connection is taken for dead

/** One event's lines, as the server sends them: `event: view`, `data: {"sequence": 7}`. */
function dispatch(block: string, handlers: Handlers): void {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
  if (!data) return;
  let sequence: unknown;
  try {
    sequence = (JSON.parse(data) as { sequence?: unknown }).sequence;
  } catch {
    return; // not for us
  }
  if (typeof sequence !== "number") return;
  if (name === "view") handlers.computed();
  else if (name === "log") handlers.grew(sequence);
}

async function readOnce(handlers: Handlers, stop: AbortSignal): Promise<void> {
  const control = new AbortController();
  const abort = () => control.abort();
  stop.addEventListener("abort", abort);
  window.addEventListener("offline", abort); // a connection without a network may stay open, and silent
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  try {
    const response = await fetch("/v1/events", {
      headers: headers({ Accept: "text/event-stream" }),
      cache: "no-store",
      credentials: "omit",
      signal: control.signal,
    });
    if (!response.ok || !response.body) throw new Error(String(response.status));
    handlers.connected();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let buffer = "";
    let keepsAlive = false;
    for (;;) {
      clearTimeout(watchdog);
      if (keepsAlive) watchdog = setTimeout(abort, longestSilence);
      const { done, value } = await reader.read();
      if (done) return;
      buffer += decoder.decode(value, { stream: true }).replace(/\r\n?/g, "\n");
      for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
        const block = buffer.slice(0, end);
        if (block.startsWith(":")) keepsAlive = true;
        dispatch(block, handlers);
        buffer = buffer.slice(end + 2);
      }
    }
  } finally {
    clearTimeout(watchdog);
    stop.removeEventListener("abort", abort);
    window.removeEventListener("offline", abort);
    control.abort();
  }
}

/** Another attempt at once: somebody has signed in. */
export const retryEvent = "acuity-retry";

function wait(milliseconds: number): Promise<void> {
  return new Promise((resume) => {
    const end = () => {
      clearTimeout(timer);
      for (const name of ["online", retryEvent]) window.removeEventListener(name, end);
      resume();
    };
    const timer = setTimeout(end, milliseconds);
    for (const name of ["online", retryEvent]) window.addEventListener(name, end);
  });
}

/** Follows the stream until the returned function is called; comes back by itself, with growing delay. */
export function followEvents(handlers: Handlers): () => void {
  const stop = new AbortController();
  const run = async () => {
    let delay = firstDelay;
    while (!stop.signal.aborted) {
      const begun = Date.now();
      try {
        await readOnce(handlers, stop.signal);
      } catch {
        // the next attempt follows
      }
      if (stop.signal.aborted) return;
      if (Date.now() - begun > 10000) delay = firstDelay; // it had worked
      handlers.lost(Date.now() + delay);
      await wait(delay);
      delay = Math.min(longestDelay, delay * 1.8);
    }
  };
  void run();
  return () => stop.abort();
}
