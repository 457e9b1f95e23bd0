// Files that the reader takes away: tables as CSV, pictures as SVG and PNG. Nothing is sent anywhere.

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A cell that spreadsheets read as text, never as a formula. */
function csvCell(value: number | string | null): string {
  if (value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const harmless = /^[=+\-@\t\r]/.test(value) && !Number.isFinite(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

export function csvOf(header: string[], rows: (number | string | null)[][]): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}

export function saveCsv(name: string, header: string[], rows: (number | string | null)[][]): void {
  saveBlob(`${fileName(name)}.csv`, new Blob([csvOf(header, rows)], { type: "text/csv" }));
}

/** Letters and digits of a name, for a file. */
export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "acuity";
}
