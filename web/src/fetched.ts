// Data of one section: fetched again when its address or the view changes, keeping what is shown until the new is there.
import { useEffect, useState } from "preact/hooks";
import { get, RequestFailed } from "./client";

export interface Fetched<T> {
  data: T | null;
  problem: string;
  loading: boolean;
}

/** All addresses at once; an empty list fetches nothing. Changes within a tenth of a second are one. */
export function useFetchedAll<T>(paths: string[], version: number): Fetched<T[]> {
  const [state, setState] = useState<Fetched<T[]>>({ data: null, problem: "", loading: false });
  const [attempt, setAttempt] = useState(0);
  const addresses = paths.join("\n");
  useEffect(() => {
    if (addresses === "") return;
    const control = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(async () => {
      setState((before) => ({ ...before, loading: true }));
      try {
        const data = await Promise.all(addresses.split("\n").map((path) => get<T>(path, control.signal)));
        setState({ data, problem: "", loading: false });
      } catch (error) {
        if (control.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        setState((before) => ({ data: before.data, problem: message, loading: false }));
        if (error instanceof RequestFailed && (error.status === 503 || error.status === 429))
          retry = setTimeout(() => setAttempt((n) => n + 1), 1000 * Math.max(1, error.retryAfter ?? 2));
      }
    }, 100);
    return () => {
      clearTimeout(timer);
      clearTimeout(retry);
      control.abort();
    };
  }, [addresses, version, attempt]);
  return state;
}

export function useFetched<T>(path: string | null, version: number): Fetched<T> {
  const all = useFetchedAll<T>(path === null ? [] : [path], version);
  return { ...all, data: path === null ? null : (all.data?.[0] ?? null) };
}
