// What the browser tests share. Without ACUITY_TEST_URL they run against the mock server; with it against a running
// `acuity serve` of a campaign with two or more inputs: ACUITY_TEST_TOKENS is JSON, {"own": "...", "run": "...", "label": ["...", "..."]}.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { MockServer } from "./mock-server.mjs";

export const realUrl = process.env.ACUITY_TEST_URL ?? "";
const screens = process.env.ACUITY_TEST_SCREENS ?? fileURLToPath(new URL("../../build/page-screens", import.meta.url));
const programs = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const chromium = programs.find((path) => path && existsSync(path));
/** Why the tests cannot run; empty: they can. */
export let missing = chromium ? "" : "chromium is not installed";
let playwright;
try {
  playwright = (await import("playwright-core")).chromium;
} catch {
  missing = "playwright-core is not installed: npm ci in web/";
}
const axe = missing ? "" : readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const patience = 30000; // milliseconds: the machine may be loaded

export function tokensOf() {
  if (realUrl) return JSON.parse(process.env.ACUITY_TEST_TOKENS ?? "{}");
  return { own: "token-of-olga", run: "token-of-rita", label: ["token-of-anna", "token-of-ben"] };
}

let browser;

export async function openBrowser() {
  browser ??= await playwright.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
  return browser;
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

async function ask(url, path, token, body) {
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

/** A campaign to look at: the mock's, or the real one. */
export class Target {
  static async open(scenario) {
    const target = new Target();
    target.mock = realUrl ? null : await new MockServer(scenario).start();
    target.url = realUrl || target.mock.url;
    return target;
  }

  view() {
    return ask(this.url, "/v1/view", "");
  }

  /** One more answer in the log. */
  async grow() {
    if (this.mock) return this.mock.grow();
    const { run } = tokensOf();
    const asked = await ask(this.url, "/v1/ask", run, { worker: "browser-test" });
    const suggestion = asked.suggestions?.[0] ?? asked;
    const { target } = await this.view();
    await ask(this.url, "/v1/tell", run, { id: suggestion.id, y: target.kind === "binary" ? 1 : 0.5 });
    return suggestion.id;
  }

  async close() {
    await this.mock?.stop();
  }
}

/** A tab; errors on it, also those of the content security policy, fail the test that closes it. */
export async function openTab(target, path, { token = "", scheme = "light", width = 1280, height = 900, records = false } = {}) {
  const context = await (await openBrowser()).newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  if (records) await page.addInitScript(recordTexts);
  page.setDefaultTimeout(patience);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|net::ERR/.test(message.text())) errors.push(message.text());
  });
  await page.goto(target.url + path + (token ? `#token=${token}` : ""));
  return {
    page,
    context,
    async close() {
      await context.close();
      assert.deepEqual(errors, []);
    },
  };
}

export async function screenshot(page, name, fullPage = true) {
  mkdirSync(screens, { recursive: true });
  await page.screenshot({ path: `${screens}/${realUrl ? "served-" : ""}${name}.png`, fullPage });
}

/** No finding of axe-core on what is shown. */
export async function accessible(page, name) {
  await page.evaluate(axe); // evaluated, not inserted: the page's policy allows no foreign script element
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });
    return violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
  assert.deepEqual(found, [], name);
}

export async function until(condition, what, milliseconds = patience) {
  const end = Date.now() + milliseconds;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

/** No part of the page is wider than the screen, apart from what scrolls by itself. */
export async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(over <= 0, `the page is ${over} pixels wider than the screen`);
}

/** Runs in the page, before it: every canvas remembers where it has texts. */
function recordTexts() {
  const { fillText } = CanvasRenderingContext2D.prototype;
  const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, "width");
  Object.defineProperty(HTMLCanvasElement.prototype, "width", {
    ...width,
    set(value) {
      this.texts = []; // the canvas is empty again
      width.set.call(this, value);
    },
  });
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const measured = this.measureText(text);
    const at = this.getTransform().transformPoint(new DOMPoint(x - measured.actualBoundingBoxLeft, y - measured.actualBoundingBoxAscent));
    const end = this.getTransform().transformPoint(new DOMPoint(x + measured.actualBoundingBoxRight, y + measured.actualBoundingBoxDescent));
    (this.canvas.texts ??= []).push({ text, left: at.x, top: at.y, right: end.x, bottom: end.y });
    return fillText.call(this, text, x, y);
  };
}

/** The texts in a canvas of a tab that records them. */
export async function drawnTexts(page, selector) {
  return page.locator(selector).first().evaluate((canvas) => canvas.texts.map((one) => one.text));
}

/** Texts in pictures are whole, inside, and apart from each other; buttons, numbers and headings are not cut. */
export async function nothingIsCut(page) {
  const found = await page.evaluate(() => {
    const problems = [];
    for (const canvas of document.querySelectorAll("canvas")) {
      const name = canvas.parentElement.getAttribute("aria-label").slice(0, 60);
      const texts = canvas.texts ?? [];
      texts.forEach((one, k) => {
        if (one.left < -1 || one.top < -1 || one.right > canvas.width + 1 || one.bottom > canvas.height + 1) problems.push(`${name}: "${one.text}" is cut`);
        if (one.text.endsWith("…")) problems.push(`${name}: "${one.text}" is shortened`);
        for (const other of texts.slice(k + 1))
          if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
            problems.push(`${name}: "${one.text}" and "${other.text}" overlap`);
      });
    }
    for (const element of document.querySelectorAll("h1, h2, h3, p, button, select, .value, li, label"))
      if (element.clientWidth > 2 && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible")
        problems.push(`${element.tagName} "${element.textContent.slice(0, 40)}" is cut`);
    return problems.slice(0, 12);
  });
  assert.deepEqual(found, []);
}
