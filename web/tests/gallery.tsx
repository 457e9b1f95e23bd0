// Every picture of the page in its states, without a server: npm run dev, then /gallery.html. Not part of dist/.
import { render } from "preact";
import "../src/style.css";
import { Campaign, scenarios } from "./fixtures.mjs";

const notes: Record<string, string> = {
  fresh: "no answers", one: "one answer", curve: "one input", map: "two inputs", wing: "eight inputs", solvents: "a category of six values",
  claims: "classes, with people", finished: "the money is spent", large: "5,000 answers, 100,000 points", hostile: "names that look like markup",
};

function Contents() {
  return (
    <main>
      <h1>Gallery</h1>
      <ul>
        {scenarios.map((name: string) => (
          <li key={name}>
            <a href={`/gallery.html?scenario=${name}`}>{name}</a>: {notes[name] ?? ""}
          </li>
        ))}
      </ul>
    </main>
  );
}

const json = (value: unknown) => new Response(JSON.stringify(value), { headers: { "Content-Type": "application/json" } });

/** Requests of the page are answered from the fixtures. */
function answerFrom(campaign: Campaign): void {
  window.fetch = async (request: RequestInfo | URL) => {
    const url = new URL(String(request), location.href);
    const [x, y, at] = ["x", "y", "at"].map((name) => url.searchParams.get(name) ?? "");
    if (url.pathname === "/v1/me") return json({ name: "", role: "watch", level: null, can_label: false, only_watch: true, asks_people: false, version: "" });
    if (url.pathname === "/v1/view") return json(campaign.view());
    if (url.pathname === "/v1/slice") return json(campaign.slice(x, y, JSON.parse(at || "{}")));
    if (url.pathname === "/v1/pool") return json(campaign.pool(x, y));
    if (url.pathname === "/v1/events" && url.searchParams.has("kinds"))
      return new Response(campaign.history().map((line: unknown) => JSON.stringify(line)).join("\n"));
    if (url.pathname === "/v1/events") return new Response(new ReadableStream(), { headers: { "Content-Type": "text/event-stream" } });
    return new Response("{}", { status: 404 });
  };
}

async function start(root: HTMLElement): Promise<void> {
  const scenario = new URLSearchParams(location.search).get("scenario");
  if (!scenario) return render(<Contents />, root);
  answerFrom(new Campaign(scenario));
  const { WatchPage } = await import("../src/views/WatchPage");
  render(<WatchPage />, root);
}

const root = document.getElementById("app");
if (root) void start(root);
