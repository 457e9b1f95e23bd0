// What a person does who labels.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { accessible, closeBrowser, fits, missing, openTab, realUrl, screenshot, Target, tokensOf, until } from "./harness.mjs";

const items = (page) => page.textContent("#item-name");

/** Answers `count` items by keyboard; gives their names, as they were shown. */
async function labelByKeyboard(page, count) {
  const seen = [];
  for (let k = 0; k < count; ++k) {
    await page.waitForSelector("#item");
    const name = await items(page);
    seen.push(name);
    await page.keyboard.press(k % 3 === 0 ? "2" : "1");
    await until(async () => (await page.locator("#item-name").count()) === 0 || (await items(page)) !== name, "another item");
  }
  await until(async () => (await page.evaluate(() => sessionStorage.getItem("acuity-outbox"))) === "[]", "everything sent");
  return seen;
}

const done = async (page) => Number((await page.textContent("#done")).replace(/\D/g, ""));

describe("labelling", { skip: missing || false }, () => {
  after(closeBrowser);

  it("asks for a token, and says which", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label");
    await tab.page.waitForSelector("dialog[open] #token");
    await accessible(tab.page, "sign in");
    await tab.page.keyboard.type(tokensOf().label[0]); // the field has the focus, not the button that closes
    await tab.page.keyboard.press("Enter");
    await tab.page.waitForSelector("#item");
    await tab.close();
    await target.close();
  });

  it("takes a token from an address that is opened in the same tab, and keeps it out of the address", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label");
    await tab.page.waitForSelector("dialog[open] #token");
    await tab.page.evaluate((token) => (location.hash = `token=${token}`), tokensOf().label[0]);
    await tab.page.waitForSelector("#item");
    assert.ok(!tab.page.url().includes("token"));
    await tab.close();
    await target.close();
  });

  it("says what is asked", { skip: realUrl ? "the mock server has a name for it" : false }, async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    await tab.page.waitForSelector("#item");
    assert.equal((await tab.page.textContent("#question")).trim(), "fraud: honest or fraud?");
    await accessible(tab.page, "question");
    await tab.close();
    await target.close();
  });

  it("shows the instructions, which can be folded for good, and no markup in them", { skip: realUrl ? "needs the mock server" : false }, async () => {
    const target = await Target.open("claims");
    target.mock.instructions = "# How to\n\nA claim is **fraud** if\n- it names no witness\n- *or* two\n\n<img src=x onerror=window.harmed=1> [bad](javascript:window.harmed=1) [good](https://example.org/a)\n";
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector(".instructions[open] li");
    assert.deepEqual(await page.locator(".instructions li").allTextContents(), ["it names no witness", "or two"]);
    assert.equal(await page.textContent(".instructions strong"), "fraud");
    assert.equal(await page.locator(".instructions img").count(), 0);
    assert.match(await page.textContent(".instructions"), /<img src=x.*\[bad\]\(javascript/);
    assert.deepEqual(await page.locator(".instructions a").evaluateAll((links) => links.map((link) => link.href)), ["https://example.org/a"]);
    await accessible(page, "instructions");
    await screenshot(page, "label-instructions", false);
    await page.locator(".instructions summary").click();
    await page.reload();
    await page.waitForSelector("#item");
    assert.equal(await page.locator(".instructions[open]").count(), 0, "who knows them has folded them");
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    await tab.close();
    await target.close();
  });

  it("takes 20 items by keyboard from two browsers at once, none twice", async () => {
    const target = await Target.open("claims");
    const tabs = await Promise.all(tokensOf().label.map((token) => openTab(target, "/label", { token })));
    for (const tab of tabs) await tab.page.waitForSelector("#item");
    const before = await Promise.all(tabs.map((tab) => done(tab.page)));
    const seen = await Promise.all(tabs.map((tab) => labelByKeyboard(tab.page, 20)));
    for (const [k, list] of seen.entries()) {
      assert.equal(new Set(list).size, 20, "an item came twice to one person");
      await until(async () => (await done(tabs[k].page)) >= before[k] + 20, "the count of answers");
    }
    if (target.mock) {
      const sent = target.mock.calls.filter((call) => call.path === "/v1/label/answer");
      assert.equal(sent.length, 40);
      assert.equal(new Set(sent.map((call) => call.body.id)).size, 40);
      assert.ok(sent.every((call) => call.body.seconds >= 0 && call.body.seconds < 120));
    }
    await screenshot(tabs[0].page, "label");
    for (const tab of tabs) await tab.close();
    await target.close();
  });

  it("shows the next item within a tenth of a second", { skip: realUrl ? "timed on the mock server" : false }, async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    await tab.page.waitForSelector("#item");
    const times = [];
    for (let k = 0; k < 10; ++k) {
      await tab.page.waitForTimeout(300); // a person reads; meanwhile the next item is fetched
      times.push(
        await tab.page.evaluate(async () => {
          const before = document.querySelector("#item-name").textContent;
          const begin = performance.now();
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
          while (document.querySelector("#item-name")?.textContent === before) await new Promise(requestAnimationFrame);
          return document.querySelector("#item-name") ? performance.now() - begin : Infinity;
        }),
      );
    }
    times.sort((a, b) => a - b);
    assert.ok(times[5] < 100, `median ${times[5]} ms`);
    await tab.close();
    await target.close();
  });

  it("shows the next three items at once on a slow line", { skip: realUrl ? "timed on the mock server" : false }, async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    await tab.page.waitForSelector("#item");
    target.mock.latency = 2500;
    const seen = new Set([await items(tab.page)]);
    for (let k = 0; k < 3; ++k) {
      await tab.page.waitForTimeout(200);
      const before = await items(tab.page);
      await tab.page.keyboard.press("1");
      await tab.page.waitForTimeout(200);
      assert.equal(await tab.page.locator("#item-name").count(), 1, `answer ${k + 1} has to wait for the next item`);
      assert.notEqual(await items(tab.page), before);
      seen.add(await items(tab.page));
    }
    assert.equal(seen.size, 4);
    target.mock.latency = 0;
    await until(async () => (await tab.page.evaluate(() => sessionStorage.getItem("acuity-outbox"))) === "[]", "everything sent");
    await tab.close();
    await target.close();
  });

  it("undoes: the last item comes back and its new answer counts", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector("#item");
    const first = await items(page);
    await page.keyboard.press("1");
    await until(async () => (await items(page)) !== first, "the next item");
    const second = await items(page);
    await page.keyboard.press("u");
    await until(async () => (await items(page)) === first, "the item again");
    assert.match(await page.textContent(".item-head"), /a new answer replaces it/);
    await accessible(page, "undo");
    await page.keyboard.press("2");
    await until(async () => (await items(page)) === second, "the item that was set aside");
    await until(async () => (await page.evaluate(() => sessionStorage.getItem("acuity-outbox"))) === "[]", "everything sent");
    if (target.mock) {
      const sent = target.mock.calls.filter((call) => call.path === "/v1/label/answer");
      assert.deepEqual(sent.map((call) => call.body.y), [-1, 1]);
      assert.equal(sent[0].body.id, sent[1].body.id);
    }
    await tab.close();
    await target.close();
  });

  it("skips with a reason, and takes cannot-tell as an answer", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[1] });
    const { page } = tab;
    await page.waitForSelector("#item");
    const first = await items(page);
    await page.keyboard.press("s");
    await page.waitForSelector("#skip-reason");
    await accessible(page, "skip");
    await page.keyboard.type("scan is unreadable"); // its letters are no answers
    await page.keyboard.press("Enter");
    await until(async () => (await page.locator("#item-name").count()) > 0 && (await items(page)) !== first, "the next item");
    const second = await items(page);
    await page.keyboard.press("c");
    await until(async () => (await page.locator("#item-name").count()) > 0 && (await items(page)) !== second, "one more item");
    if (target.mock) {
      const last = target.mock.calls.filter((call) => /skip|cannot/.test(call.path));
      assert.deepEqual(last.map((call) => call.path), ["/v1/label/skip", "/v1/label/cannot-tell"]);
      assert.equal(last[0].body.reason, "scan is unreadable");
    }
    await tab.close();
    await target.close();
  });

  it("keeps an answer while the connection is lost, and sends it once it is back", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page, context } = tab;
    await page.waitForSelector("#item");
    await page.waitForTimeout(300);
    const before = await done(page);
    await context.setOffline(true);
    await page.keyboard.press("1");
    await page.waitForSelector("#offline");
    assert.match(await page.textContent("#offline"), /1 answer kept here/);
    await screenshot(page, "label-offline", false);
    await accessible(page, "offline");
    await context.setOffline(false);
    await until(async () => (await page.evaluate(() => sessionStorage.getItem("acuity-outbox"))) === "[]", "the answer to be sent");
    await until(async () => (await done(page)) === before + 1, "the count");
    await page.waitForSelector("#offline", { state: "detached" });
    await tab.close();
    await target.close();
  });

  for (const [scheme, width] of [["light", 1000], ["dark", 1000], ["light", 360]])
    it(`is accessible and fits, ${scheme}, ${width} pixels wide`, async () => {
      for (const scenario of realUrl ? ["served"] : ["claims", "wing"]) {
        const target = await Target.open(scenario);
        const tab = await openTab(target, "/label", { token: tokensOf().own, scheme, width });
        await tab.page.waitForSelector("#item, .nothing");
        await tab.page.waitForTimeout(200);
        await fits(tab.page);
        await accessible(tab.page, scenario);
        await screenshot(tab.page, `label-${scenario}-${scheme}-${width}`);
        await tab.close();
        await target.close();
      }
    });
});

describe("labelling on the mock server", { skip: missing || (realUrl ? "needs the mock server" : false) }, () => {
  after(closeBrowser);

  it("never shows an unexplained empty page", async () => {
    const target = await Target.open("claims");
    const until2 = Date.now() / 1000 + 300;
    target.mock.nothing = { reason: "All items are held by others", retry_after: 2, finished: false, holders: [{ worker: "ben", point: "P17", until: until2 }] };
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    await tab.page.waitForSelector(".nothing");
    const text = await tab.page.textContent(".nothing");
    assert.match(text, /All items are held by others/);
    assert.match(text, /ben holds P17 until/);
    assert.match(text, /Asking again/);
    await accessible(tab.page, "nothing");
    await screenshot(tab.page, "label-nothing", false);
    target.mock.nothing = null;
    await tab.page.waitForSelector("#item"); // by itself
    await tab.close();
    await target.close();
  });

  it("thanks at the end instead of talking about money", async () => {
    const target = await Target.open("claims");
    target.mock.nothing = { reason: "no level is affordable, 0 remains", retry_after: null, finished: true, holders: [] };
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    await tab.page.waitForSelector(".nothing");
    const text = await tab.page.textContent(".nothing");
    assert.match(text, /Thank you, no more items/);
    assert.doesNotMatch(text, /affordable/);
    await tab.close();
    await target.close();
  });

  it("takes numbers, also with a decimal comma, and refuses what is none", async () => {
    const target = await Target.open("wing");
    const tab = await openTab(target, "/label", { token: tokensOf().own });
    const { page } = tab;
    await page.waitForSelector("#value");
    await page.keyboard.type("abz");
    await page.keyboard.press("Enter");
    await until(async () => /number is required/.test(await page.textContent("#value-problem")), "the problem");
    await page.fill("#value", "0,0125");
    await page.keyboard.press("Enter");
    await until(() => target.mock.calls.some((call) => call.path === "/v1/label/answer"), "the answer");
    assert.equal(target.mock.calls.find((call) => call.path === "/v1/label/answer").body.y, 0.0125);
    await tab.close();
    await target.close();
  });

  it("offers the precision by key, and remembers it when the item comes back", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector(".levels");
    const name = await items(page);
    assert.equal(await page.isChecked(".levels label:nth-of-type(2) input"), true, "the suggested one");
    await page.keyboard.press("q");
    await until(() => page.isChecked(".levels label:nth-of-type(1) input"), "the level");
    await page.keyboard.press("2");
    await until(async () => (await items(page)) !== name, "the next item");
    await page.keyboard.press("u");
    await until(async () => (await items(page)) === name, "the item again");
    assert.equal(await page.isChecked(".levels label:nth-of-type(1) input"), true, "as it was answered");
    await page.keyboard.press("w");
    await page.keyboard.press("1");
    await until(() => target.mock.calls.filter((call) => call.path === "/v1/label/answer").length === 2, "both answers");
    const sent = target.mock.calls.filter((call) => call.path === "/v1/label/answer").map((call) => [call.body.level, call.body.y]);
    assert.deepEqual(sent, [["trained", 1], ["crowd", -1]]);
    await tab.close();
    await target.close();
  });

  it("does not count the time while the tab is hidden", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector("#item");
    const hide = (hidden) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    const begin = Date.now();
    await hide(true);
    const hiddenSince = Date.now();
    await page.waitForTimeout(3000);
    const hiddenFor = (Date.now() - hiddenSince) / 1000;
    await hide(false);
    await page.keyboard.press("1");
    await until(() => target.mock.calls.some((call) => call.path === "/v1/label/answer"), "the answer");
    const total = (Date.now() - begin) / 1000;
    const { seconds } = target.mock.calls.find((call) => call.path === "/v1/label/answer").body;
    assert.ok(seconds <= total - hiddenFor + 1.5, `${seconds} s counted of ${total} s, ${hiddenFor} s of them hidden`);
    await tab.close();
    await target.close();
  });

  it("holds a key that is held down for one answer", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector("#item");
    for (let k = 0; k < 5; ++k) await page.keyboard.down("1"); // the second and later ones are repeats
    await page.keyboard.up("1");
    await until(() => target.mock.calls.some((call) => call.path === "/v1/label/answer"), "the answer");
    await page.waitForTimeout(500);
    assert.equal(target.mock.calls.filter((call) => call.path === "/v1/label/answer").length, 1);
    await tab.close();
    await target.close();
  });

  it("says that an answer was not taken, and goes on", async () => {
    const target = await Target.open("claims");
    const tab = await openTab(target, "/label", { token: tokensOf().label[0] });
    const { page } = tab;
    await page.waitForSelector("#item");
    target.mock.held.set("anna", []); // its lease has ended and it was given away
    await page.keyboard.press("1");
    await until(async () => /was not taken: .*another person/.test(await page.textContent("#notice")), "the notice");
    await page.waitForSelector("#item");
    await tab.close();
    await target.close();
  });
});
