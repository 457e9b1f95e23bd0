import { useEffect, useState } from "preact/hooks";

/** Seconds since 1970, renewed every so many seconds. */
export function useNow(every = 1): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000 * every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
