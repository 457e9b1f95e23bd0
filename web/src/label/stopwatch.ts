/** Time that an item was before a person's eyes: not counted while the tab is hidden. */
export class Stopwatch {
  private counted = 0; // milliseconds
  private since: number | null = null;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.pause();
      else if (this.since === null) this.since = performance.now();
    });
  }

  restart(): void {
    this.counted = 0;
    this.since = document.hidden ? null : performance.now();
  }

  private pause(): void {
    if (this.since !== null) this.counted += performance.now() - this.since;
    this.since = null;
  }

  seconds(): number {
    const now = this.since === null ? 0 : performance.now() - this.since;
    return Math.round(this.counted + now) / 1000;
  }
}
