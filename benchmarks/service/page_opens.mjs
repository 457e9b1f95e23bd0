// See page_opens, which starts the server and calls this.
import { createRequire } from "node:module";
const { chromium } = createRequire(new URL("../../web/package.json", import.meta.url))("playwright-core");

const { URL: url, TOKEN: token, ANSWERS: answers, POINTS: points } = process.env;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });

/** Milliseconds from the address until each of these is shown. */
async function opened(parts, patience) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const begin = performance.now(), times = {};
  await page.goto(url + "/");
  for (const [name, selector] of Object.entries(parts)) {
    await page.locator(selector).first().waitFor({ timeout: patience });
    times[name] = performance.now() - begin;
  }
  await page.context().close();
  return times;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const first = { "name of the campaign": "h1:text('large')", "money and precision": "#money .lines canvas" };
const later = { "three answers": ".verdicts h2", "belief": "#posterior canvas, #posterior svg", "scores of the pool": "#worth canvas, #worth svg" };
console.log(`${answers} answers, ${points} points; milliseconds from the address, median of 5`);
await opened(first, 600000); // starts the browser's own processes
const runs = [];
for (let k = 0; k < 5; ++k) runs.push(await opened(first, 600000));
for (const name of Object.keys(first)) console.log(`| ${name} | ${median(runs.map((run) => run[name])).toFixed(0)} |`);
const begin = performance.now();
await opened(later, 600000);
console.log(`| three answers, belief and scores of the pool, when they are computed | ${(performance.now() - begin).toFixed(0)} |`);
const again = [];
for (let k = 0; k < 5; ++k) again.push(await opened({ ...first, ...later }, 600000));
for (const name of Object.keys(later)) console.log(`| ${name}, afterwards | ${median(again.map((run) => run[name])).toFixed(0)} |`);
for (const which of ["first", "second"]) {
  const asked = performance.now();
  const reply = await fetch(url + "/v1/explain/next", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  console.log(`| GET /v1/explain/next, ${which} time, status ${reply.status} | ${(performance.now() - asked).toFixed(0)} |`);
}
await browser.close();
