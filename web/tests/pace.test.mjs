// Sentences about money that are computed on the page, without a browser.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { transformWithEsbuild } from "vite";

const source = new URL("../src/pace.ts", import.meta.url);
const { code } = await transformWithEsbuild(await readFile(source, "utf8"), source.pathname, { target: "es2022" });
const { freeMoney, secondsOfMoney } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

describe("the pace of spending", () => {
  const view = { created_at: 1000, projected_end: 5000, money: [{ time: 0, spent: 0 }, { time: 3000, spent: 40 }] };

  it("is told from now on, not from the creation of the campaign", () => {
    assert.equal(secondsOfMoney(view, 4000), 2000); // the last answer has just come
    assert.equal(secondsOfMoney(view, 4600), 1400);
    assert.equal(secondsOfMoney(view, 3900), 2000); // a clock that is behind
  });

  it("is not told after a break that shows that it is over", () => {
    assert.equal(secondsOfMoney(view, 5001), null);
    assert.equal(secondsOfMoney({ ...view, projected_end: 3007 }, 4300), null);
    assert.equal(secondsOfMoney({ ...view, projected_end: 3007 }, 4030), 0);
    assert.equal(secondsOfMoney({ ...view, projected_end: null }, 4000), null);
    assert.equal(secondsOfMoney({ ...view, money: [] }, 4000), null);
  });

  it("is about money that is free: what is reserved is not", () => {
    assert.equal(freeMoney({ budget: 100, spent: 45, escrow: 15 }), 40);
    assert.equal(freeMoney({ budget: 100, spent: 101, escrow: 0 }), 0);
    assert.equal(freeMoney({ budget: null, spent: 1, escrow: 0 }), null);
  });
});
