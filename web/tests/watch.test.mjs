// What a person does who watches a campaign.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { accessible, closeBrowser, fits, missing, openTab, realUrl, screenshot, Target, tokensOf, until } from "./harness.mjs";

const only = realUrl ? ["served"] : ["curve", "map", "wing", "claims"];

async function ready(page) {
  await page.waitForSelector(".verdict");
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

  it("shows the three verdicts first, by word as well as by colour", async () => {
    const tab = await openTab(target, "/");
    await ready(tab.page);
    const { verdicts } = await target.view();
    assert.deepEqual(await tab.page.locator(".verdict h2").allTextContents(), verdicts.map((one) => one.question));
    assert.deepEqual(await tab.page.locator(".verdict .answer").allTextContents(), verdicts.map((one) => one.answer));
    const folded = tab.page.locator(".verdict details");
    assert.equal(await folded.count(), verdicts.filter((one) => one.details).length);
    assert.equal(await folded.locator("p:visible").count(), 0, "details are behind a fold");
    for (const state of await tab.page.locator(".verdict .state").allTextContents()) assert.match(state, /Good|Attention|Open/);
    const tops = await tab.page.evaluate(() => ["verdict", "plot"].map((name) => document.querySelector(`.${name}`).getBoundingClientRect().top));
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

  it("shows money by level over answers and over time, and no picture twice", async () => {
    const tab = await openTab(target, "/");
    const { page } = tab;
    await ready(page);
    const view = await target.view();
    const levels = view.levels.map((level) => level.name);
    const legend = async () => (await page.locator("#money .lines").first().locator(".u-legend th").allTextContents()).map((text) => text.replace(/:.*/, "").trim());
    const more = view.money_reach.budget ? ["budget"] : [];
    assert.deepEqual(await legend(), ["answers", ...levels, ...more]);
    const over = page.locator("#money input[type=radio]").nth(1);
    if (await over.isEnabled()) {
      await over.check();
      const projected = view.money_reach.projected_end ? ["projected"] : [];
      assert.deepEqual(await legend(), ["since the campaign was created", ...levels, "spent in total", ...projected, ...more]);
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
    await page.locator("#worth .plot").focus();
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
    const amend = page.locator("#answers tbody button").first();
    const id = Number((await page.locator("#answers tbody th").first().textContent()).replace("#", ""));
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
    for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 360]])
      it(`${scenario} is accessible and fits, ${scheme}, ${width} pixels wide`, async () => {
        const target = await Target.open(scenario);
        const tab = await openTab(target, "/", { scheme, width });
        await ready(tab.page);
        await tab.page.waitForTimeout(300);
        await fits(tab.page);
        await screenshot(tab.page, `watch-${scenario}-${scheme}-${width}`);
        await accessible(tab.page, scenario);
        for (const one of await tab.page.locator("details > summary").all()) await one.click();
        await accessible(tab.page, `${scenario}, all unfolded`);
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
    for (const name of [/^Label$/, /^Sign in$/, /Amend/])
      assert.equal(await tab.page.locator("a, button", { hasText: name }).count(), 0, String(name));
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
