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
export async function openTab(target, path, { token = "", scheme = "light", width = 1280, height = 900 } = {}) {
  const context = await (await openBrowser()).newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
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
