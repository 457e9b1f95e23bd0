// Items that are pictures, on `acuity serve --items items.csv --images images` (web/tests/run starts it).
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { accessible, closeBrowser, fits, missing, openTab, realUrl, screenshot, Target, tokensOf, until } from "./harness.mjs";

const outside = { s3: "a path that leaves the folder", s6: "a link to a file outside of it" };
const stored = (page) => page.evaluate(() => sessionStorage.getItem("acuity-outbox"));

describe("labelling pictures", { skip: missing || (realUrl ? false : "needs acuity serve") }, () => {
  after(closeBrowser);

  it("shows the picture with an alternative text, takes the answer, and serves no file outside the folder", async () => {
    const target = await Target.open("scans");
    const [token, other] = tokensOf().label;
    const tab = await openTab(target, "/label", { token, width: 700 });
    const { page } = tab;
    const read = async (path, bearer) => {
      const response = await fetch(target.url + path, { headers: bearer ? { Authorization: `Bearer ${bearer}` } : {} });
      return { status: response.status, type: response.headers.get("content-type") ?? "", size: (await response.arrayBuffer()).byteLength };
    };
    const seen = new Set();
    let checked = false;
    for (let k = 0; k < 24; ++k) {
      await page.waitForSelector("#item, .nothing");
      if ((await page.locator("#item").count()) === 0) break;
      const name = await page.textContent("#item-name");
      assert.ok(!seen.has(name), `${name} came twice`);
      seen.add(name);
      if (name in outside) {
        await page.waitForSelector("#item .problem");
        assert.match(await page.textContent("#item .problem"), /cannot be loaded/, outside[name]);
        assert.equal(await page.locator("#item img").count(), 0, outside[name]);
        await accessible(page, "a picture that is missing");
        await page.keyboard.press("c");
      } else {
        await page.waitForFunction(() => document.querySelector("#item img")?.naturalWidth > 0);
        const [width, height] = await page.$eval("#item img", (image) => [image.naturalWidth, image.naturalHeight]);
        assert.deepEqual([width, height], [240, 160], "another file than the one named");
        assert.equal(await page.getAttribute("#item img", "alt"), `The picture of ${name}`);
        if (!checked) {
          checked = true;
          await accessible(page, "a picture");
          await fits(page);
          await screenshot(page, "label-image");
          const next = await fetch(`${target.url}/v1/label/next`, { method: "POST", body: "{}", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` } });
          const { image } = (await next.json()).item;
          assert.equal((await read(image, token)).status, 200);
          assert.notEqual((await read(image, other)).status, 200, "another person's picture");
          assert.notEqual((await read(image, "")).status, 200, "without a token");
        }
        await page.keyboard.press(Number(name.slice(1)) % 2 === 0 ? "2" : "1");
      }
      await until(async () => (await page.locator("#item-name").count()) === 0 || (await page.textContent("#item-name")) !== name, "another item");
    }
    await until(async () => (await stored(page)) === "[]", "everything sent");
    for (const name of Object.keys(outside)) assert.ok(seen.has(name), `${name} was not asked for`);
    assert.ok(seen.size >= 20, `${seen.size} items`);
    await tab.close();

    // By address, as somebody who tries.
    for (const path of ["secret.png", "../secret.png", "..%2fsecret.png", "%2e%2e/secret.png", "link.png", "s1.png", "1/../../secret.png"]) {
      const found = await read(`/v1/label/image/${path}`, other);
      assert.ok(!found.type.startsWith("image/"), `${path}: ${found.status} ${found.type}`);
      assert.notEqual(found.status, 200, path);
    }
    await target.close();
  });

  it("offers the levels with their prices, one key each, and records the one chosen", async () => {
    const target = await Target.open("scans");
    const [, token] = tokensOf().label;
    const tab = await openTab(target, "/label", { token, width: 700 });
    const { page } = tab;
    await page.waitForSelector("#item");
    const offered = await page.$$eval(".levels label", (labels) => labels.map((label) => label.textContent.replace(/\s+/g, " ").trim()));
    assert.equal(offered.length, 2);
    assert.match(offered[0], /^careful 4 EUR/, "the most precise first, with its price");
    assert.match(offered[1], /^quick 1 EUR/);
    assert.equal(offered.filter((text) => text.includes("suggested")).length, 1);
    const name = await page.textContent("#item-name");
    const other = (await page.isChecked(".levels label:nth-of-type(1) input")) ? 1 : 0;
    await page.keyboard.press("qw"[other]);
    await until(() => page.isChecked(`.levels label:nth-of-type(${other + 1}) input`), "the level");
    await accessible(page, "levels");
    await screenshot(page, "label-levels");
    await page.keyboard.press("1");
    await until(async () => (await page.textContent("#item-name")) !== name, "the next item");
    await until(async () => (await stored(page)) === "[]", "everything sent");
    // Whoever labels does not see the answers of others.
    const answers = (as) => fetch(`${target.url}/v1/annotations`, { headers: { Authorization: `Bearer ${as}` } });
    assert.equal((await answers(token)).status, 403);
    const { rows } = await (await answers(tokensOf().own)).json();
    const row = rows.findLast((one) => one.point === name);
    assert.equal(row.level, ["careful", "quick"][other]);
    assert.equal(row.cost, [4, 1][other]);
    await tab.close();
    await target.close();
  });
});
