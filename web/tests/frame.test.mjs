// The axes of pictures, drawn on a canvas that only measures and remembers text.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { build } from "vite";

async function bundled(name) {
  const entry = fileURLToPath(new URL(`../src/charts/${name}.ts`, import.meta.url));
  const [found] = await build({ configFile: false, logLevel: "silent", build: { write: false, lib: { entry, formats: ["es"] } } });
  return import(`data:text/javascript,${encodeURIComponent(found.output[0].code)}`);
}

globalThis.window ??= { devicePixelRatio: 1 };
const [{ drawAxes, layout }, { linearAxis }] = await Promise.all([bundled("frame"), bundled("axis")]);

function canvas(texts) {
  const ignored = () => undefined;
  const context = new Proxy(
    { measureText: (text) => ({ width: 6.5 * text.length }), fillText: (text) => texts.push(text) },
    { get: (own, name) => own[name] ?? ignored, set: () => true },
  );
  return { getContext: () => context };
}

describe("the axes of a picture", () => {
  it("have room for every number beside the vertical one", () => {
    for (const high of [0.0037, 0.21, 0.9, 1.8, 2.1, 21, 47, 260, 2100, 1234567])
      for (const height of [220, 300, 320, 400])
        for (const width of [340, 560, 1100]) {
          const texts = [];
          const axes = { x: linearAxis("x", 0, 1), y: linearAxis("y", -high / 3, high) };
          const area = layout(canvas(texts).getContext(), width, height, axes);
          drawAxes(area, axes.x, axes.y);
          assert.ok(texts.length > 5);
          assert.deepEqual(texts.filter((text) => text.includes("…")), [], `to ${high}, ${width} x ${height}`);
        }
  });
});
