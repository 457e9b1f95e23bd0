// What a person does who watches a campaign.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { accessible, closeBrowser, drawnTexts, fits, missing, nothingIsCut, openTab, realUrl, screenshot, Target, tokensOf, until } from "./harness.mjs";

const only = realUrl ? ["served"] : ["fresh", "one", "curve", "map", "wing", "solvents", "claims", "finished"];
const isFresh = (scenario) => scenario === "fresh";

async function ready(page) {
  await page.waitForSelector(".fact");
  await page.waitForSelector("#posterior canvas");
  await page.waitForSelector("#worth table");
}

const sequence = async (page) => Number((await page.textContent("#sequence")).replace(/\D/g, ""));

describe("watching", { skip: missing || false }, () => {
  let target;
  before(async () => {
    target = await Target.open("wing");
  });
  after(async () => {
    await target.close();
    await closeBrowser();
  });

  it("begins with three numbers, each with a sentence, the money and the next question", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const { first_screen: first, verdicts } = await target.view();
    const facts = [first.error, first.trust, first.money];
    assert.deepEqual(await page.locator(".fact .value").allTextContents(), facts.map((one) => one.value));
    assert.deepEqual(await page.locator(".fact > p:not(.value)").allTextContents(), facts.map((one) => one.sentence));
    for (const [k, fact] of facts.entries()) {
      const word = { good: "(good)", bad: "(attention)", unknown: "" }[fact.state];
      assert.ok((await page.locator(".fact h2").nth(k).textContent()).includes(word), "the state is a word, not only a colour");
    }
    for (const word of ["spent", "free"]) assert.match(await page.textContent(".budget"), new RegExp(word));
    const next = await page.textContent(".next-question");
    assert.ok(next.includes(first.next ? first.next.point : first.nothing_next));
    if (first.next) assert.ok(next.includes(first.next.why));
    const shown = await page.locator(".first-screen").innerText();
    assert.doesNotMatch(shown, /\bnats?\b|\bbits\b|[a-z]+\.[a-z]+_[a-z]+|acuity [a-z]+ /, "words for experts are behind a fold");
    assert.equal(await page.locator(".verdict p:visible").count(), 0);
    await page.locator(".experts > summary").click();
    assert.deepEqual(await page.locator(".verdict .answer:visible").allTextContents(), verdicts.map((one) => one.answer));
    const tops = await page.evaluate(() => ["fact", "plot"].map((name) => document.querySelector(`.${name}`).getBoundingClientRect().top));
    assert.ok(tops[0] < tops[1]);
    await tab.close();
  });

  it("follows a running campaign, and keeps sliders, focus and place", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    await until(async () => (await page.textContent("#connection")) === "live", "the event stream");
    const slider = page.locator("#posterior input[type=range]").first();
    const hasSlider = (await slider.count()) > 0;
    if (hasSlider) {
      await slider.focus();
      await page.keyboard.press("Home");
    }
    await page.evaluate(() => window.scrollTo(0, 700));
    const place = () => page.locator("#posterior-title").evaluate((title) => Math.round(title.getBoundingClientRect().top));
    const seen = await place();
    const first = await sequence(page);
    await target.grow();
    await until(async () => (await sequence(page)) > first, "the view after one more answer");
    await page.waitForTimeout(500);
    const moved = Math.abs((await place()) - seen); // texts above may be longer now: the browser scrolls by as much
    assert.ok(moved < 60, `what was read has moved by ${moved} pixels`);
    if (hasSlider) {
      assert.equal(await slider.inputValue(), "0");
      assert.equal(await page.evaluate(() => document.activeElement.type), "range");
    }
    await tab.close();
  });

  it("draws another slice when a slider moves", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const slider = page.locator("#posterior input[type=range]").first();
    if ((await slider.count()) === 0) return tab.close(); // fewer than three inputs
    const picture = () => page.locator("#posterior canvas").first().evaluate((canvas) => canvas.toDataURL());
    await until(async () => (await slider.getAttribute("aria-valuetext")) !== "", "the slider's value");
    const earlier = await picture();
    const request = page.waitForRequest((one) => one.url().includes("/v1/slice") && one.url().includes("at="));
    await slider.focus();
    await page.keyboard.press("End");
    await request;
    await until(async () => (await picture()) !== earlier, "another picture");
    await tab.close();
  });

  it("draws a curve along every input when it is asked for, and the address keeps that", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const view = await target.view();
    const fold = page.locator("#posterior details.each");
    if (view.inputs.length < 2) {
      assert.equal(await fold.count(), 0);
      return tab.close();
    }
    await fold.locator("summary").first().click();
    await until(async () => (await fold.locator("canvas").count()) === Math.min(12, view.inputs.length), "a curve per input");
    assert.match(page.url(), /each=all/);
    assert.equal(new Set(await fold.locator("h3").allTextContents()).size, Math.min(12, view.inputs.length));
    await nothingIsCut(page);
    await accessible(page, "a curve along every input");
    await tab.close();
  });

  it("says how well people answer for either class, where that is learned", async () => {
    const people = await Target.open("claims");
    const tab = await openTab(people, "/");
    await tab.page.waitForSelector("#people table");
    const { target: shown, people: rows } = await people.view();
    if (rows.some((one) => one.by_class)) {
      const header = await tab.page.locator("#people th").allTextContents();
      for (const name of shown.classes) assert.ok(header.some((text) => text.includes(`right if ${name}`)), `no column for ${name}`);
      assert.match(await tab.page.locator("#people tbody tr", { hasText: "whatever is asked" }).textContent(), /94 %.*12 %/);
    }
    await nothingIsCut(tab.page);
    await tab.close();
    await people.close();
  });

  it("shows money by level over answers and over time, and no picture twice", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const view = await target.view();
    const levels = view.levels.map((level) => level.name);
    const legend = async () => (await page.locator("#money .legend").first().locator("li:not(.soft)").allTextContents()).map((text) => text.trim());
    const more = view.money_reach.budget ? ["budget"] : [];
    const named = async (names) => {
      const entries = await legend();
      assert.equal(entries.length, names.length, entries.join(" | "));
      for (const [k, name] of names.entries()) assert.match(entries[k].slice(name.length), /^ (−?[\d.,e−]+|–)$/, `${entries[k]}: the legend has values`);
      for (const [k, name] of names.entries()) assert.ok(entries[k].startsWith(name), entries[k]);
    };
    await named([...levels, ...more]);
    const over = page.locator("#money input[type=radio]").nth(1);
    if (await over.isEnabled()) {
      await over.check();
      const projected = view.money_reach.projected_end ? ["projected"] : [];
      await named([...levels, "spent in total", ...projected, ...more]);
    }
    const pictures = await page.locator("#more summary").allTextContents();
    for (const figure of view.figures.filter((one) => ["learning-curve", "money", "belief", "calibration"].includes(one.name)))
      assert.ok(!pictures.includes(figure.heading), figure.heading);
    await tab.close();
  });

  it("changes the axes, from a map to a curve", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    if ((await page.locator("#axis-y").count()) === 0) return tab.close();
    await page.selectOption("#axis-y", "");
    await page.waitForSelector('#posterior [aria-label*=" along "]');
    await page.locator("#posterior .numbers summary").first().click();
    assert.ok((await page.locator("#posterior .numbers").first().locator("tbody tr").count()) > 1);
    await screenshot(page, "watch-curve");
    await tab.close();
  });

  it("says why a point is worth asking for, by pointer and by keyboard", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const why = page.locator("#worth tbody tr").first().getByRole("button");
    await why.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] pre");
    assert.ok((await page.textContent("dialog pre")).length > 40);
    await accessible(page, "why");
    await screenshot(page, "why", false);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Why/);
    await page.locator("#worth .plot").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#worth .tip");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] pre");
    await tab.close();
  });

  it("comes back after the connection was lost, with what happened meanwhile", async () => {
    const tab = await openTab(target, "/");
    const { page, context } = tab;
    await ready(page);
    await until(async () => (await page.textContent("#connection")) === "live", "the event stream");
    const first = await sequence(page);
    await context.setOffline(true);
    if (target.mock) for (const stream of target.mock.streams) stream.destroy();
    await until(async () => (await page.textContent("#connection")) === "reconnecting", "the loss to be noticed", 90000);
    await screenshot(page, "reconnecting", false);
    await target.grow();
    await context.setOffline(false);
    await until(async () => (await page.textContent("#connection")) === "live", "the connection", 60000);
    await until(async () => (await sequence(page)) > first, "the answer of meanwhile");
    await tab.close();
  });

  it("refuses to amend without a token, and amends with one", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    await page.selectOption("#answers-state", "answered");
    const amend = page.locator("#all-answers tbody button").first();
    const id = Number(/Amend answer (\d+)/.exec(await amend.getAttribute("aria-label"))[1]);
    await amend.click();
    await page.waitForSelector("dialog[open] .problem");
    assert.match(await page.textContent("dialog .problem"), /role own/);
    await accessible(page, "refused");
    await page.locator("dialog .actions button").click();
    await page.fill("#token", "not-a-token");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog .problem[role=alert]");
    await page.fill("#token", tokensOf().own);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#amend-y");
    const { target: kind, answers } = await target.view();
    const old = answers.find((one) => one.id === id);
    const value = kind.classes ? kind.classes.find((name) => name !== old?.text) : "0.0123";
    if (kind.classes) await page.selectOption("#amend-y", value);
    else await page.fill("#amend-y", value);
    await page.fill("#amend-reason", "typing error");
    await accessible(page, "amend");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#amend-y", { state: "detached" });
    const said = async () => (await target.view()).answers.find((one) => one.id === id)?.text;
    await until(async () => (kind.classes ? (await said()) === value : Number(await said()) === Number(value)), "the amended value");
    assert.ok(!page.url().includes(tokensOf().own), "the token is in the address");
    await tab.close();
  });

  it("keeps a token from the address out of it", async () => {
    const tab = await openTab(target, "/", { token: tokensOf().own });
    await tab.page.waitForSelector(".who >> text=/own/");
    assert.ok(!tab.page.url().includes("token"));
    await tab.close();
  });
});

describe("every view", { skip: missing || false }, () => {
  after(closeBrowser);
  for (const scenario of only)
    for (const width of [390, 1280, 1920])
      for (const scheme of ["light", "dark"])
        it(`${scenario} is accessible and nothing is cut, ${scheme}, ${width} pixels wide`, async () => {
          const target = await Target.open(scenario);
          const tab = await openTab(target, "/", { scheme, width, records: true });
          const { page } = tab;
          if (isFresh(scenario)) await page.waitForSelector(".first-steps");
          else await page.waitForSelector("#posterior canvas");
          if (!isFresh(scenario) && scenario !== "finished") await page.waitForSelector("#worth table");
          await page.waitForTimeout(400);
          await fits(page);
          await nothingIsCut(page);
          await screenshot(page, `watch-${scenario}-${scheme}-${width}`);
          await accessible(page, scenario);
          if (width !== 1280) {
            await tab.close();
            return target.close();
          }
          for (const one of await page.locator("details > summary").all()) await one.click();
          await page.waitForTimeout(200);
          await accessible(page, `${scenario}, all unfolded`);
          await tab.close();
          await target.close();
        });
});

describe("states of a campaign", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);

  it("says what happens first instead of drawing what nobody knows", async () => {
    const target = await Target.open("fresh");
    const tab = await openTab(target, "/");
    await tab.page.waitForSelector(".first-steps");
    const { first } = (await target.view()).first_screen;
    assert.deepEqual(await tab.page.locator(".first-steps li").allTextContents(), first);
    assert.equal(await tab.page.locator("canvas").count(), 0);
    await target.grow();
    await tab.page.waitForSelector("#posterior canvas");
    assert.equal(await tab.page.locator(".first-steps").count(), 0);
    await tab.close();
    await target.close();
  });

  it("offers no next question when the money is spent", async () => {
    const target = await Target.open("finished");
    const tab = await openTab(target, "/");
    await tab.page.waitForSelector("#posterior canvas");
    assert.equal(await tab.page.textContent("#fact-money .value"), "Finished");
    assert.equal(await tab.page.locator(".next-question button").count(), 0);
    await tab.close();
    await target.close();
  });

  it("gives every value of a category its own picture, and hides no mark", async () => {
    const target = await Target.open("solvents");
    const tab = await openTab(target, "/");
    await ready(tab.page);
    await tab.page.waitForSelector("#worth .panels figure");
    const names = target.mock.campaign.shape.inputs[2].values.map((value) => `solvent ${value}`);
    for (const section of ["#posterior", "#worth"])
      assert.deepEqual(await tab.page.locator(`${section} .panels h3`).allTextContents(), names);
    await tab.close();
    await target.close();
  });
});

describe("the table of answers", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);
  const column = (page, k) => page.locator(`#all-answers tbody tr > :nth-child(${k})`).allTextContents();

  it("sorts and filters, with pending and failed ones, and a link shows the same", async () => {
    const target = await Target.open("wing");
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const sizes = (await column(page, 1)).map((text) => Math.abs(parseFloat(text.replace("−", "-"))));
    assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a), "the farthest from its prediction first");
    await page.locator("#all-answers th button", { hasText: /^mach/ }).click();
    const machs = (await column(page, 7)).map(Number);
    assert.deepEqual(machs, [...machs].sort((a, b) => b - a));
    await page.locator("#all-answers th button", { hasText: /^mach/ }).click();
    assert.equal(await page.locator("#all-answers th[aria-sort=ascending]").count(), 1);
    await page.selectOption("#answers-level", "medium");
    assert.deepEqual([...new Set((await column(page, 4)).map((text) => text.trim()))], ["medium"]);
    await page.fill("#answers-words", "winglet");
    assert.deepEqual([...new Set(await column(page, 13))], ["winglet"]);
    const before = await column(page, 7);
    await page.reload();
    await ready(page);
    assert.deepEqual(await column(page, 7), before, "the address keeps the filters and the order");
    await page.fill("#answers-words", "");
    await page.selectOption("#answers-level", "");
    await page.selectOption("#answers-state", "failed");
    assert.match((await column(page, 2)).join(), /failed: the command ended with exit code 3/);
    await page.selectOption("#answers-state", "pending");
    assert.equal((await column(page, 2)).length, 3);
    await tab.close();
    await target.close();
  });

  it("loads what the view leaves out, in steps, and saves all of it", async () => {
    const target = await Target.open("large");
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const asked = [];
    page.on("request", (request) => request.url().includes("/v1/answers") && asked.push(request.url()));
    assert.match(await page.textContent("#all-answers [role=status]"), /3,000 older answers are not loaded/);
    await page.getByRole("button", { name: "Load all" }).click();
    await until(async () => !/not loaded/.test(await page.textContent("#all-answers [role=status]")), "all rows");
    assert.ok(asked.length >= 3, "one request would be too large");
    await page.selectOption("#answers-state", "answered");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).click()]);
    const { readFile } = await import("node:fs/promises");
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    assert.equal(lines.length, 5001);
    assert.match(lines[0], /^off by,said,predicted,level,who,point,mach,/);
    await tab.close();
    await target.close();
  });

  it("tells who corrected and changed what", async () => {
    const target = await Target.open("wing");
    const tab = await openTab(target, "/");
    await ready(tab.page);
    await tab.page.locator("#history summary").click();
    await tab.page.waitForSelector("#history table");
    const what = await tab.page.locator("#history tbody td:nth-child(2)").allTextContents();
    assert.deepEqual(what, [
      "annotator.timeout: 30m -> 2h; applies to attempts from now on",
      "answer #12 (P1012) was corrected to 0.31: corrected by olga",
      "run by process 9768 on node7",
      "the campaign was created",
    ]);
    await tab.close();
    await target.close();
  });
});

describe("what can be taken away", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);

  it("keeps the view in the address", async () => {
    const target = await Target.open("wing");
    const tab = await openTab(target, `/?axes=${encodeURIComponent('{"x":"sweep","y":"camber","panels":""}')}&map=sd`);
    await ready(tab.page);
    assert.equal(await tab.page.inputValue("#axis-x"), "sweep");
    assert.match(await tab.page.locator("#posterior .plot").first().getAttribute("aria-label"), /^standard deviation of cd over sweep and camber/);
    await tab.page.selectOption("#axis-y", "");
    assert.match(decodeURIComponent(tab.page.url()), /"x":"sweep","y":""/);
    await tab.close();
    await target.close();
  });

  it("saves pictures as PNG and SVG, with all of their texts", async () => {
    const target = await Target.open("map");
    const tab = await openTab(target, "/", { records: true });
    const { page } = tab;
    await ready(page);
    const { readFile } = await import("node:fs/promises");
    for (const section of ["#posterior", "#answers", "#money"]) {
      const chart = page.locator(`${section} .chart`).first();
      await chart.scrollIntoViewIfNeeded();
      await chart.hover();
      const save = async (name) => (await Promise.all([page.waitForEvent("download"), chart.getByRole("button", { name: `Save as ${name}` }).click()]))[0];
      const svg = await readFile(await (await save("SVG")).path(), "utf8");
      const drawn = await drawnTexts(page, `${section} canvas`);
      assert.ok(drawn.length > 5);
      for (const text of drawn) assert.ok(svg.includes(`>${text}</text>`), `${section}: ${text}`);
      const parsed = await page.evaluate((text) => !!new DOMParser().parseFromString(text, "image/svg+xml").querySelector("svg:not(:has(parsererror)) path"), svg);
      assert.ok(parsed, "well-formed");
      const png = await readFile(await (await save("PNG")).path());
      assert.equal(png.subarray(1, 4).toString(), "PNG");
    }
    await tab.close();
    await target.close();
  });
});

describe("a server that only shows", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);

  it("offers nothing that it refuses", async () => {
    const target = await Target.open("wing");
    target.mock.onlyWatch = true;
    const tab = await openTab(target, "/");
    await ready(tab.page);
    for (const name of [/^Label$/, /^Sign in$/])
      assert.equal(await tab.page.locator("a, button", { hasText: name }).count(), 0, String(name));
    assert.equal(await tab.page.locator("[aria-label^=Amend]").count(), 0);
    await tab.close();
    await target.close();
  });

  it("does not send people to label what a program answers", async () => {
    const target = await Target.open("wing");
    target.mock.asksPeople = false;
    const tab = await openTab(target, "/");
    await ready(tab.page);
    assert.equal(await tab.page.locator("a", { hasText: /^Label$/ }).count(), 0);
    assert.equal(await tab.page.locator("button", { hasText: /^Sign in$/ }).count(), 1);
    await tab.close();
    await target.close();
  });
});

describe("limits", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);

  it("opens 5,000 answers and a pool of 100,000 and says what it leaves out", async () => {
    const target = await Target.open("large");
    const tab = await openTab(target, "/");
    await ready(tab.page);
    const text = await tab.page.textContent("#main");
    assert.match(text, /newest 2,000 of 5,000 answers/);
    assert.match(text, /100,000 candidates are too many to draw/);
    // From data in hand to drawn: the page's own share of the time, apart from network and server.
    const busy = await tab.page.evaluate(async () => {
      const begin = performance.now();
      window.dispatchEvent(new Event("resize"));
      document.querySelector("#posterior").style.width = "90%";
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return performance.now() - begin;
    });
    assert.ok(busy < 2000, `redrawing took ${busy} ms`);
    await screenshot(tab.page, "watch-large");
    await tab.close();
    await target.close();
  });

  it("shows names that look like markup as text", async () => {
    const target = await Target.open("hostile");
    const tab = await openTab(target, "/");
    await ready(tab.page);
    assert.equal(await tab.page.textContent("h1"), target.mock.campaign.shape.name);
    assert.equal(await tab.page.evaluate(() => window.harmed), undefined);
    await tab.close();
    await target.close();
  });
});
