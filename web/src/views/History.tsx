// Who corrected or changed what, and when: read from the log when it is opened.
import { useState } from "preact/hooks";
import type { LogEvent, View } from "../api";
import { headers } from "../client";
import { moneyText, timeText } from "../format";
import { Note, Section, sentence, Table } from "../parts/basics";

const kinds = "created,amended,retracted,changed,budget,owner,person,excluded,audited";

async function loadHistory(): Promise<LogEvent[]> {
  const response = await fetch(`/v1/events?kinds=${kinds}&limit=5000`, { headers: headers(), credentials: "omit", cache: "no-store" });
  if (!response.ok) throw new Error(`The history cannot be loaded (${response.status})`);
  return (await response.text()).split("\n").filter(Boolean).map((line) => JSON.parse(line) as LogEvent);
}

function wording(event: LogEvent, view: View): string {
  const about = event.id === undefined ? "" : `answer #${event.id}${event.point ? ` (${event.point})` : ""}`;
  const why = event.reason ? `: ${event.reason}` : "";
  switch (event.event) {
    case "created":
      return "the campaign was created";
    case "amended":
      return `${about} was corrected${event.y === undefined ? "" : ` to ${String(event.y)}`}${why}`;
    case "retracted":
      return `${about} was taken back${why}`;
    case "changed":
      return event.changes?.length ? event.changes.join("; ") : "the study was changed";
    case "budget":
      return `the budget is now ${moneyText(Number(event.budget), view.unit)}`;
    case "owner":
      return event.host ? `run by process ${event.process} on ${event.host}` : "run by nobody";
    case "person":
      return `${event.name ?? "somebody"} takes part`;
    case "excluded":
      return `${event.point ?? "a point"} is never asked again${why}`;
    default:
      return "the audit is complete";
  }
}

/** Signs of life of one owner are one line. */
function withoutRepeats(events: LogEvent[]): LogEvent[] {
  let owner = "";
  return events.filter((event) => {
    if (event.event !== "owner") return true;
    const now = `${event.host} ${event.process}`;
    const isNew = now !== owner;
    owner = now;
    return isNew;
  });
}

export function History(props: { view: View }) {
  const [events, setEvents] = useState<LogEvent[] | null>(null);
  const [problem, setProblem] = useState("");
  const open = () => {
    loadHistory()
      .then((found) => setEvents(withoutRepeats(found).reverse()))
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  return (
    <Section id="history" title="History" wide>
      <details onToggle={(event) => event.currentTarget.open && open()}>
        <summary>Corrections, changes and owners</summary>
        {problem && <p class="problem">{problem}</p>}
        {!events && !problem && <p class="soft">Loading …</p>}
        {events && (
          <Table
            label="History of the campaign"
            header={["when", "what", "who"]}
            keys={events.map((event) => event.seq)}
            rows={events.map((event) => [
              timeText(Date.parse(event.time) / 1000),
              sentence(wording(event, props.view)),
              event.worker || "–",
            ])}
          />
        )}
        <Note>The latest first. Times are those of this machine.</Note>
      </details>
    </Section>
  );
}
