// Answers on their way. What could not be sent is kept, also over a reload, and sent again: the server takes the same
// answer twice as one.
import { signal } from "@preact/signals";
import type { Told } from "../api";
import { post, RequestFailed } from "../client";

export interface Parcel {
  path: "/v1/label/answer" | "/v1/label/skip" | "/v1/label/cannot-tell";
  body: { id: number; [key: string]: unknown };
}

const key = "acuity-outbox";

function stored(): Parcel[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(list) ? (list as Parcel[]) : [];
  } catch {
    return [];
  }
}

export const outbox = signal<Parcel[]>(stored());
/** When the next attempt follows, in milliseconds; null: the connection works. */
export const retryAt = signal<number | null>(null);

function keep(parcels: Parcel[]): void {
  outbox.value = parcels;
  try {
    sessionStorage.setItem(key, JSON.stringify(parcels));
  } catch {
    // kept in memory only
  }
}

let sending = false;
let delay = 1000;
let timer: ReturnType<typeof setTimeout> | undefined;

export interface Delivery {
  sent(parcel: Parcel, told: Told | null): void;
  refused(parcel: Parcel, error: RequestFailed): void;
  idle(): void; // everything was sent
}

export function put(parcel: Parcel, delivery: Delivery): void {
  keep([...outbox.value, parcel]);
  void send(delivery);
}

/** Sends one after another, in order. */
export async function send(delivery: Delivery): Promise<void> {
  if (sending) return;
  sending = true;
  clearTimeout(timer);
  try {
    for (let first = outbox.value[0]; first; first = outbox.value[0]) {
      try {
        const told = await post<Told | Record<string, never>>(first.path, first.body);
        keep(outbox.value.slice(1));
        delivery.sent(first, "id" in told ? (told as Told) : null);
      } catch (error) {
        const failed = error instanceof RequestFailed ? error : new RequestFailed(String(error), 0);
        const passing = failed.status === 0 || failed.status === 429 || failed.status >= 500;
        if (passing || failed.status === 401) {
          const wait = failed.retryAfter !== null ? 1000 * failed.retryAfter : delay;
          delay = Math.min(20000, 1.8 * delay);
          retryAt.value = Date.now() + wait;
          timer = setTimeout(() => void send(delivery), wait);
          if (failed.status === 401) delivery.refused(first, failed);
          return;
        }
        keep(outbox.value.slice(1));
        delivery.refused(first, failed);
      }
      delay = 1000;
      retryAt.value = null;
    }
    delivery.idle();
  } finally {
    sending = false;
  }
}
