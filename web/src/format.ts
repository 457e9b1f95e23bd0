// How numbers, times and places are written, as the report writes them: as many digits as a reader can use.

export function numberText(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(Number(value.toPrecision(digits)));
  if (size >= 1e5 || size < 1e-4) {
    const [mantissa = "", exponent = ""] = value.toExponential(Math.max(0, digits - 2)).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${exponent.replace("+", "")}`.replace("-", "−").replace("e-", "e−");
  }
  const text = Number(value.toPrecision(digits)).toString();
  return text.replace("-", "−");
}

/** What was said or predicted, with three digits. */
export function resultText(value: number | null | undefined): string {
  return numberText(value, 3);
}

/** A count with thousands separated. */
export function countText(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** A cost or a budget with its unit. */
export function moneyText(value: number | null, unit: string): string {
  const text = value !== null && Math.abs(value) >= 1000 ? countText(value) : numberText(value, 4);
  return unit ? `${text} ${unit}` : text;
}

export function percentText(share: number | null, digits = 0): string {
  return share === null || !Number.isFinite(share) ? "–" : `${(100 * share).toFixed(digits)} %`;
}

/** "45 s", "12 min", "3 h 20 min", "2 days": for ages and for what is left. */
export function durationText(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172800) {
    const hours = Math.floor(s / 3600);
    const minutes = Math.round((s % 3600) / 60);
    return minutes > 0 && hours < 10 ? `${hours} h ${minutes} min` : `${hours} h`;
  }
  return `${Math.round(s / 86400)} days`;
}

/** "18:40", for a countdown that is looked at. */
export function clockText(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s >= 7200) return durationText(s);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

export function timeText(unix: number): string {
  return new Date(unix * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

export function hourText(unix: number): string {
  return new Date(unix * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

export function valueText(value: number | string): string {
  return typeof value === "number" ? numberText(value) : value;
}

/** "mach 0.61, flap 10 deg": the inputs of a place. */
export function placeText(columns: { name: string; unit: string }[], values: (number | string)[]): string {
  return columns
    .map((column, k) => {
      const value = values[k];
      return value === undefined ? "" : `${column.name} ${valueText(value)}${column.unit ? ` ${column.unit}` : ""}`;
    })
    .filter((text) => text !== "")
    .join(", ");
}
