// A pen with the methods of a canvas that the pictures use, which writes SVG: one way to draw, two ways to keep it.

interface Ink {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  lineJoin: string;
  lineCap: string;
  globalAlpha: number;
  dash: number[];
  transform: string;
  clip: string;
}

const fresh: Ink = {
  fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, font: "12px sans-serif", textAlign: "start", textBaseline: "alphabetic",
  lineJoin: "miter", lineCap: "butt", globalAlpha: 1, dash: [], transform: "", clip: "",
};

const short = (value: number) => String(Math.round(100 * value) / 100);

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
}

export class SvgPen {
  private parts: string[] = [];
  private clips = 0;
  private path = "";
  private kept: Ink[] = [];
  private ink: Ink = { ...fresh };

  /** `ruler` measures text. */
  constructor(private readonly ruler: CanvasRenderingContext2D) {}

  set fillStyle(value: string) { this.ink.fillStyle = value; }
  set strokeStyle(value: string) { this.ink.strokeStyle = value; }
  set lineWidth(value: number) { this.ink.lineWidth = value; }
  set textAlign(value: string) { this.ink.textAlign = value; }
  set textBaseline(value: string) { this.ink.textBaseline = value; }
  set lineJoin(value: string) { this.ink.lineJoin = value; }
  set lineCap(value: string) { this.ink.lineCap = value; }
  get globalAlpha(): number { return this.ink.globalAlpha; }
  set globalAlpha(value: number) { this.ink.globalAlpha = value; }
  get font(): string { return this.ink.font; }
  set font(value: string) {
    this.ink.font = value;
    this.ruler.font = value;
  }

  measureText(text: string): TextMetrics { return this.ruler.measureText(text); }
  setLineDash(dash: number[]): void { this.ink.dash = dash; }
  save(): void { this.kept.push({ ...this.ink }); }
  restore(): void { this.ink = this.kept.pop() ?? { ...fresh }; }
  translate(x: number, y: number): void { this.ink.transform += `translate(${short(x)} ${short(y)})`; }
  rotate(angle: number): void { this.ink.transform += `rotate(${short((180 * angle) / Math.PI)})`; }

  beginPath(): void { this.path = ""; }
  moveTo(x: number, y: number): void { this.path += `M${short(x)} ${short(y)}`; }
  lineTo(x: number, y: number): void { this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`; }
  closePath(): void { this.path += "Z"; }
  rect(x: number, y: number, width: number, height: number): void {
    this.path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }
  arc(x: number, y: number, r: number): void {
    this.path += `M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`;
  }
  clip(): void {
    const name = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.path}"/></clipPath>`);
    this.ink.clip = name;
  }

  private put(element: string): void {
    const { globalAlpha, transform, clip } = this.ink;
    const group = `${globalAlpha < 1 ? ` opacity="${short(globalAlpha)}"` : ""}${transform ? ` transform="${transform}"` : ""}`;
    const drawn = group ? `<g${group}>${element}</g>` : element;
    this.parts.push(clip ? `<g clip-path="url(#${clip})">${drawn}</g>` : drawn);
  }
  fill(): void { if (this.path) this.put(`<path d="${this.path}" fill="${escaped(this.ink.fillStyle)}"/>`); }
  stroke(): void {
    const { strokeStyle, lineWidth, dash, lineJoin, lineCap } = this.ink;
    const more = `${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}${lineJoin !== "miter" ? ` stroke-linejoin="${lineJoin}"` : ""}${lineCap !== "butt" ? ` stroke-linecap="${lineCap}"` : ""}`;
    if (this.path) this.put(`<path d="${this.path}" fill="none" stroke="${escaped(strokeStyle)}" stroke-width="${short(lineWidth)}"${more}/>`);
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.put(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${escaped(this.ink.fillStyle)}"/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end" }[this.ink.textAlign] ?? "start";
    const down = { middle: 4, top: 10 }[this.ink.textBaseline] ?? 0;
    this.put(`<text x="${short(x)}" y="${short(y + down)}" text-anchor="${anchor}" fill="${escaped(this.ink.fillStyle)}">${escaped(text)}</text>`);
  }
  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number, height: number): void {
    this.put(`<image x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" preserveAspectRatio="none" href="${image.toDataURL()}"/>`);
  }

  /** The picture, on a ground of its own. */
  text(width: number, height: number, ground: string, title: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="12"><title>${escaped(title)}</title><rect width="${width}" height="${height}" fill="${escaped(ground)}"/>${this.parts.join("")}</svg>`;
  }
}
