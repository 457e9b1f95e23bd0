// A server that answers as `acuity serve` does, from fixtures. By hand: node tests/mock-server.mjs wing 8421
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { Campaign } from "./fixtures.mjs";

export const tokens = {
  "token-of-olga": { name: "olga", role: "own", level: null, can_label: true },
  "token-of-rita": { name: "rita", role: "run", level: null, can_label: false },
  "token-of-anna": { name: "anna", role: "label", level: "trained", can_label: true },
  "token-of-ben": { name: "ben", role: "label", level: "crowd", can_label: true },
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const types = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" };
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="760" height="240" viewBox="0 0 760 240"><rect width="760" height="240" fill="#f4f5f7"/><path d="M60 200C200 180 300 60 700 40" stroke="#d55e00" stroke-width="3" fill="none"/><path d="M60 120C200 110 300 100 700 90" stroke="#0072b2" stroke-width="3" fill="none"/></svg>';
const explanation = (point) => `${point} at medium (cost 8)
The model is unsure here: sd 2.4e-4, pool median 1.5e-4 (97th percentile).

          information  per cost  rank of 9000
coarse         0.0196    0.0196            37
medium         0.184     0.0230             1  <- chosen
fine           0.991     0.0155           412

coarse would win if it cost less than 0.85 (now 1).
fine would win if it cost less than 43 (now 64).
`;

async function bodyOf(request) {
  let text = "";
  for await (const part of request) text += part;
  return text ? JSON.parse(text) : {};
}

export class MockServer {
  constructor(scenario) {
    this.campaign = new Campaign(scenario);
    this.streams = new Set();
    this.calls = []; // every POST, with who sent it
    this.held = new Map(); // person -> ids in hand
    this.handled = new Map(); // id -> what was said last
    this.items = new Map();
    this.nextItem = 0;
    this.nothing = null; // what /v1/label/next says instead of an item
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((error) => this.send(response, 400, { error: String(error) }));
    });
  }

  async start(port = 0) {
    await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
    this.server.unref(); // a failed test does not keep the process
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    const closed = new Promise((done) => this.server.close(done));
    this.server.closeAllConnections();
    await closed;
  }

  /** One more answer, and what the stream says of it. */
  grow() {
    const id = this.campaign.grow();
    this.announce();
    return id;
  }

  announce() {
    for (const stream of this.streams)
      for (const event of ["log", "view"]) stream.write(`event: ${event}\ndata: {"sequence": ${this.campaign.sequence}}\n\n`);
  }

  send(response, status, value) {
    response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.end(JSON.stringify(value));
  }

  async page(path, response) {
    const file = path === "/" || path === "/label" ? "/index.html" : path;
    try {
      const content = await readFile(fileURLToPath(new URL(`../dist${file}`, import.meta.url)));
      response.writeHead(200, { "Content-Type": types[file.split(".").pop()] ?? "text/plain", "Content-Security-Policy": policy });
      response.end(content);
    } catch {
      this.send(response, 404, { error: `There is no ${path}` });
    }
  }

  async handle(request, response) {
    const url = new URL(request.url, this.url);
    const path = decodeURIComponent(url.pathname);
    if (!path.startsWith("/v1/")) return this.page(path, response);
    const given = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const who = given ? tokens[given] : { name: "", role: "watch", level: null, can_label: false };
    if (!who) return this.send(response, 401, { error: "This token is not known" });
    if (request.method === "POST") {
      const body = await bodyOf(request);
      if (this.latency) await new Promise((resume) => setTimeout(resume, this.latency));
      return this.post(path, who, body, response);
    }
    const [x, y, at] = ["x", "y", "at"].map((name) => url.searchParams.get(name) ?? "");
    if (path === "/v1/me") return this.send(response, 200, { ...who, only_watch: this.onlyWatch ?? false, asks_people: this.asksPeople ?? true, version: "0.2.0" });
    if (path === "/v1/view") return this.send(response, 200, this.campaign.view());
    if (path === "/v1/answers") {
      const [from, limit] = ["from", "limit"].map((name) => Number(url.searchParams.get(name)));
      const rows = [...this.campaign.answers].reverse();
      return this.send(response, 200, { sequence: this.campaign.sequence, total: rows.length, from, rows: rows.slice(from, from + limit) });
    }
    if (path === "/v1/slice" || path === "/v1/pool") {
      const found = path === "/v1/slice" ? this.campaign.slice(x, y, JSON.parse(at || "{}")) : this.campaign.pool(x, y);
      return found ? this.send(response, 200, found) : this.send(response, 400, { error: "There is no such input" });
    }
    if (path.startsWith("/v1/explain/")) return this.send(response, 200, { text: explanation(path.split("/").pop()), explanation: {} });
    if (path.startsWith("/v1/figures/")) {
      response.writeHead(200, { "Content-Type": "image/svg+xml" });
      return response.end(picture);
    }
    if (path !== "/v1/events") return this.send(response, 404, { error: `There is no ${path}` });
    if (url.searchParams.has("kinds")) {
      response.writeHead(200, { "Content-Type": "application/x-ndjson" });
      return response.end(this.campaign.history().map((line) => `${JSON.stringify(line)}\n`).join(""));
    }
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`: hello\n\nevent: log\ndata: {"sequence": ${this.campaign.sequence}}\n\n`);
    this.streams.add(response);
    response.on("close", () => this.streams.delete(response));
  }

  post(path, who, body, response) {
    this.calls.push({ path, who: who.name, body });
    const refuse = (error) => this.send(response, who.name ? 403 : 401, { error });
    if (path === "/v1/amend") {
      if (who.role !== "own") return refuse("Amending needs the role own");
      if (!this.campaign.amend(body.id, body.y)) return this.send(response, 404, { error: `There is no answer ${body.id}` });
      this.announce();
      return this.send(response, 200, { id: body.id, changes: true, charge: 0, surprise: null });
    }
    if (!path.startsWith("/v1/label/")) return this.send(response, 404, { error: `There is no ${path}` });
    if (!who.can_label) return refuse("Labelling needs a token with the role label");
    if (path === "/v1/label/next") return this.labelNext(who, response);
    const hand = this.held.get(who.name) ?? [];
    if (!this.items.has(body.id)) return this.send(response, 404, { error: `There is no suggestion ${body.id}` });
    if (!hand.includes(body.id) && this.handled.get(body.id)?.who !== who.name)
      return this.send(response, 409, { error: `Suggestion ${body.id} is another person's` });
    this.held.set(who.name, hand.filter((id) => id !== body.id));
    this.handled.set(body.id, { ...body, who: who.name });
    this.send(response, 200, path === "/v1/label/answer" ? { id: body.id, changes: true, charge: 0.05, surprise: null } : {});
  }

  labelNext(who, response) {
    const hand = this.held.get(who.name) ?? [];
    this.held.set(who.name, hand);
    while (!this.nothing && hand.length < 4) {
      const item = this.campaign.item(this.nextItem++);
      this.items.set(item.id, item);
      hand.push(item.id);
    }
    const [item, ...following] = hand.map((id) => this.items.get(id));
    const classes = this.campaign.shape.classes?.map((name, k) => ({ value: 2 * k - 1, name, key: String(k + 1) })) ?? null;
    const answered = [...this.handled.values()].filter((one) => one.who === who.name && "y" in one).length;
    const empty = { reason: "", retry_after: null, finished: false, holders: [] };
    this.send(response, 200, { item: item ?? null, following, classes, unit: this.campaign.view().unit, axis: this.campaign.view().target.axis, question: classes ? "fraud: honest or fraud?" : `${this.campaign.view().target.axis}?`, instructions: this.instructions ?? "", answered, ...empty, ...(item ? {} : this.nothing) });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await new MockServer(process.argv[2] ?? "wing").start(Number(process.argv[3] ?? 8421));
  console.log(`${server.url}/   tokens: ${Object.keys(tokens).join(" ")}`);
  setInterval(() => server.grow(), 3000);
}
