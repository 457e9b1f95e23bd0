// Requests to the server. The token stays in this tab's session storage and in a header: never in an address.
import type { Me, Problem } from "./api";

const tokenKey = "acuity-token";

export class RequestFailed extends Error {
  constructor(
    message: string,
    readonly status: number, // 0: the server could not be reached
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** A token given once as `#token=...` is kept, and leaves the address at once. */
export function takeTokenFromAddress(): boolean {
  const match = /^#token=(.+)$/.exec(location.hash);
  if (!match) return false;
  setToken(decodeURIComponent(match[1] ?? ""));
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

export function token(): string {
  try {
    return sessionStorage.getItem(tokenKey) ?? "";
  } catch {
    return ""; // storage is switched off
  }
}

export function setToken(text: string): void {
  try {
    if (text) sessionStorage.setItem(tokenKey, text.trim());
    else sessionStorage.removeItem(tokenKey);
  } catch {
    // without storage the token is asked for again after a reload
  }
}

export function headers(extra: Record<string, string> = {}): Record<string, string> {
  const own = token();
  return own ? { ...extra, Authorization: `Bearer ${own}` } : extra;
}

async function problemOf(response: Response): Promise<RequestFailed> {
  let problem: Problem = { error: `The server answered ${response.status} ${response.statusText}`.trim() };
  try {
    const body = (await response.json()) as Problem;
    if (typeof body.error === "string") problem = body;
  } catch {
    // not JSON: the status has to do
  }
  const header = Number(response.headers.get("Retry-After"));
  const retry = problem.retry_after ?? (header > 0 ? header : null);
  return new RequestFailed(problem.error, response.status, retry);
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { cache: "no-store", credentials: "omit", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestFailed("The server cannot be reached", 0);
  }
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(path, signal ? { headers: headers(), signal } : { headers: headers() });
}

export function post<T>(path: string, body: unknown): Promise<T> {
  return request<T>(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  });
}

export function query(parameters: Record<string, string | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, value);
  const text = search.toString();
  return text ? `?${text}` : "";
}

export function whoAmI(): Promise<Me> {
  return get<Me>("/v1/me");
}
