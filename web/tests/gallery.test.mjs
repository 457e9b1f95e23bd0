// The gallery shows all of its states from the sources, without a server of acuity.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { scenarios } from "./fixtures.mjs";
import { closeBrowser, missing, nothingIsCut, openTab, realUrl } from "./harness.mjs";

describe("the gallery", { skip: missing || (realUrl ? "has no server" : false) }, () => {
  let server;
  before(async () => {
    const { createServer } = await import("vite");
    server = await createServer({ root: fileURLToPath(new URL("..", import.meta.url)), logLevel: "error", server: { port: 0, host: "127.0.0.1" } });
    await server.listen();
  });
  after(async () => {
    await server?.close();
    await closeBrowser();
  });

  it("has every state", async () => {
    const target = { url: server.resolvedUrls.local[0].replace(/\/$/, "") };
    const contents = await openTab(target, "/gallery.html");
    await contents.page.waitForSelector("li a");
    assert.deepEqual(await contents.page.locator("li a").allTextContents(), scenarios);
    await contents.close();
    for (const name of ["fresh", "solvents", "hostile"]) {
      const tab = await openTab(target, `/gallery.html?scenario=${name}`, { records: true });
      await tab.page.waitForSelector(name === "fresh" ? ".first-steps" : "#posterior canvas");
      await tab.page.waitForTimeout(300);
      await nothingIsCut(tab.page);
      await tab.close();
    }
  });
});
