// Every answer in one table: sorted by any column, filtered, in pages; with what is pending and what has failed.
import type { Signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import type { Answer, AnswerPage, View } from "../api";
import { get } from "../client";
import { countText, moneyText, numberText, percentText, plural, timeText, valueText } from "../format";
import { LevelMark, Note, Section } from "../parts/basics";
import { textInAddress } from "../parts/address";
import { saveCsv } from "../parts/save";
import { me } from "../store";
import { Amend } from "./Amend";

type State = "answered" | "pending" | "failed";

interface Row {
  key: string;
  state: State;
  id: number | null;
  point: string;
  inputs: (number | string)[];
  level: string;
  who: string;
  said: string;
  value: number | null;
  predicted: number | null;
  half: number | null; // of its 95 % interval
  off: number | null; // standard deviations, or how improbable the class was
  cost: number | null;
  at: number | null;
  answer: Answer | null;
}

function rowOf(answer: Answer, view: View): Row {
  const given = answer.value > 0.5 ? answer.expected : 1 - answer.expected;
  return {
    key: `a${answer.id}`,
    state: "answered",
    id: answer.id,
    point: answer.point,
    inputs: answer.inputs,
    level: view.levels[answer.level]?.name ?? "",
    who: answer.worker,
    said: view.target.classes ? answer.text : numberText(answer.value, 3),
    value: answer.value,
    predicted: Number.isFinite(answer.expected) ? answer.expected : null,
    half: answer.expected_low === null || answer.expected_high === null ? null : (answer.expected_high - answer.expected_low) / 2,
    off: answer.score ?? (view.target.classes && Number.isFinite(given) ? given : null),
    cost: answer.cost,
    at: answer.told_at,
    answer,
  };
}

function unfinished(view: View): Row[] {
  const none = { value: null, predicted: null, half: null, off: null, answer: null };
  const pending = view.pending.map((one): Row => ({
    ...none, key: `p${one.id}`, state: "pending", id: one.id, point: one.point, inputs: one.inputs, level: one.level, who: one.worker,
    said: "pending", cost: one.cost, at: one.asked_at,
  }));
  const failed = view.failures.map((one, k): Row => ({
    ...none, key: `f${k}`, state: "failed", id: null, point: one.point, inputs: one.inputs, level: "", who: "",
    said: `failed: ${one.reason || "no reason given"}`, cost: one.cost, at: null,
  }));
  return [...pending, ...failed];
}

interface Column {
  name: string;
  number: boolean;
  sort(row: Row): number | string | null;
  file(row: Row): number | string | null;
}

function columnsOf(view: View): Column[] {
  const column = (name: string, number: boolean, value: (row: Row) => number | string | null, file = value): Column => ({ name, number, sort: value, file });
  const classes = view.target.classes !== null;
  return [
    column(classes ? "probability" : "off by", true, (row) => (row.off === null ? null : classes ? -row.off : Math.abs(row.off)), (row) => row.off),
    column("said", !classes, (row) => row.value ?? row.said, (row) => row.value ?? row.said),
    column("predicted", true, (row) => row.predicted),
    column("level", false, (row) => row.level),
    column("who", false, (row) => row.who),
    column("point", false, (row) => row.point),
    ...view.inputs.map((input, k) => column(input.unit ? `${input.name} (${input.unit})` : input.name, input.kind === "number", (row) => row.inputs[k] ?? null)),
    column(view.unit ? `cost (${view.unit})` : "cost", true, (row) => row.cost),
    column("when", false, (row) => row.at, (row) => (row.at === null ? null : new Date(1000 * row.at).toISOString())),
    column("number", true, (row) => row.id),
  ];
}

function offText(row: Row, view: View): string {
  if (row.off === null) return "–";
  return view.target.classes ? percentText(row.off) : `${numberText(row.off, 2)} sd`;
}

function cells(row: Row, view: View): string[] {
  const predicted = row.predicted === null ? "–" : view.target.classes ? percentText(row.predicted) : numberText(row.predicted, 3);
  return [
    offText(row, view),
    row.said,
    row.half === null ? predicted : `${predicted} ± ${numberText(row.half, 2)}`,
    row.level,
    row.who || "–",
    row.point || "–",
    ...view.inputs.map((_, k) => valueText(row.inputs[k] ?? "–")),
    moneyText(row.cost, ""),
    row.at === null ? "–" : timeText(row.at),
    row.id === null ? "–" : `#${row.id}`,
  ];
}

function ordered(rows: Row[], column: Column, down: boolean): Row[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [column.sort(a), column.sort(b)];
    if (x === y) return 0;
    if (x === null) return 1;
    if (y === null) return -1;
    return typeof x === "number" && typeof y === "number" ? sign * (x - y) : sign * String(x).localeCompare(String(y));
  });
}

/** Filters and order, which a link keeps. */
const chosen = { words: textInAddress("contains"), state: textInAddress("state"), level: textInAddress("level"), order: textInAddress("order") };

/** "3": by the column of this number, the largest first; "3up": the smallest first. Without, by the first. */
function orderIn(text: string): { by: number; down: boolean } {
  return { by: parseInt(text || "0", 10) || 0, down: !text.endsWith("up") };
}

const perPage = 25;
const perStep = 2000;

/** What the view leaves out: loaded in steps when it is asked for. */
function useOlder(view: View) {
  const [older, setOlder] = useState<Answer[]>([]);
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState("");
  const load = async () => {
    setLoading(true);
    setProblem("");
    try {
      const found: Answer[] = [];
      for (let from = 0; ; ) {
        const page = await get<AnswerPage>(`/v1/answers?from=${from}&limit=${perStep}`);
        found.push(...page.rows);
        setOlder([...found]);
        from += page.rows.length;
        if (from >= page.total || page.rows.length === 0) break;
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setLoading(false);
    }
  };
  const known = useMemo(() => {
    const newest = new Map(view.answers.map((answer) => [answer.id, answer]));
    return [...view.answers, ...older.filter((answer) => !newest.has(answer.id))];
  }, [view.answers, older]);
  return { known, loading, problem, load };
}

function Head(props: { columns: Column[]; by: number; down: boolean; onSort(column: number): void }) {
  return (
    <thead>
      <tr>
        {props.columns.map((column, k) => (
          <th scope="col" key={column.name} class={column.number ? "number" : undefined} aria-sort={k !== props.by ? "none" : props.down ? "descending" : "ascending"}>
            <button type="button" class="quiet" onClick={() => props.onSort(k)}>
              {column.name}
              <span aria-hidden="true">{k !== props.by ? "" : props.down ? " ↓" : " ↑"}</span>
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Pages(props: { page: number; pages: number; onPage(page: number): void }) {
  if (props.pages < 2) return null;
  return (
    <p class="pages">
      <button type="button" class="plain" disabled={props.page === 0} onClick={() => props.onPage(props.page - 1)}>
        Previous
      </button>{" "}
      page {countText(props.page + 1)} of {countText(props.pages)}{" "}
      <button type="button" class="plain" disabled={props.page + 1 >= props.pages} onClick={() => props.onPage(props.page + 1)}>
        Next
      </button>
    </p>
  );
}

function Filter(props: { name: string; values: string[]; chosen: Signal<string>; onChange(): void }) {
  const id = `answers-${props.name.toLowerCase()}`;
  return (
    <span class="choice">
      <label for={id}>{props.name}</label>{" "}
      <select id={id} value={props.chosen.value} onChange={(event) => ((props.chosen.value = event.currentTarget.value), props.onChange())}>
        {["", ...props.values].map((one) => (
          <option value={one} key={one}>
            {one || "all"}
          </option>
        ))}
      </select>
    </span>
  );
}

function Filters(props: { view: View; onChange(): void; onSave(): void }) {
  return (
    <div class="controls">
      <span class="choice">
        <label for="answers-words">Contains</label>{" "}
        <input id="answers-words" type="text" value={chosen.words.value} onInput={(event) => ((chosen.words.value = event.currentTarget.value), props.onChange())} />
      </span>
      <Filter name="State" values={["answered", "pending", "failed"]} chosen={chosen.state} onChange={props.onChange} />
      <Filter name="Level" values={props.view.levels.map((one) => one.name)} chosen={chosen.level} onChange={props.onChange} />
      <button type="button" class="plain" onClick={props.onSave}>
        Save as CSV
      </button>
    </div>
  );
}

/** How many rows there are, and those that are not loaded. */
function Counts(props: { shown: number; all: number; missing: number; loading: boolean; problem: string; onLoad(): void }) {
  return (
    <p class="soft" role="status">
      {plural(props.shown, "row")}
      {props.shown < props.all && ` of ${countText(props.all)}`}
      {props.missing > 0 && `; ${countText(props.missing)} older answers are not loaded`}.{" "}
      {props.missing > 0 && (
        <button type="button" class="plain" disabled={props.loading} onClick={props.onLoad}>
          {props.loading ? "Loading …" : "Load all"}
        </button>
      )}
      {props.problem && <span class="problem"> {props.problem}</span>}
    </p>
  );
}

function TableRow(props: { row: Row; view: View; columns: Column[]; onAmend: ((answer: Answer) => void) | null }) {
  const { row, onAmend } = props;
  const { answer } = row;
  const [off = "", ...rest] = cells(row, props.view);
  const style = (k: number) => (props.columns[k]?.number ? "number" : k === 1 ? "long" : undefined);
  return (
    <tr>
      <th scope="row" class={style(0)}>
        {answer && onAmend ? (
          <button type="button" class="quiet" title="Correct this answer" aria-label={`Amend answer ${row.id}, off by ${off}`} onClick={() => onAmend(answer)}>
            {off}
          </button>
        ) : (
          off
        )}
      </th>
      {rest.map((text, k) => (
        <td class={style(k + 1)} key={k}>
          {k === 2 && answer && (
            <>
              <LevelMark level={answer.level} />{" "}
            </>
          )}
          {text}
        </td>
      ))}
    </tr>
  );
}

/** What the chosen filters leave, in the chosen order. */
function useRows(view: View, known: Answer[], columns: Column[]): { all: Row[]; rows: Row[] } {
  const [wanted, state, level] = [chosen.words.value.toLowerCase(), chosen.state.value, chosen.level.value];
  const { by, down } = orderIn(chosen.order.value);
  const all = useMemo(() => [...unfinished(view), ...known.map((answer) => rowOf(answer, view))], [view, known]);
  const rows = useMemo(() => {
    const contains = (row: Row) => [row.point, row.who, row.said, row.level, ...row.inputs].some((text) => String(text).toLowerCase().includes(wanted));
    const fits = (row: Row) => (state === "" || row.state === state) && (level === "" || row.level === level) && (wanted === "" || contains(row));
    return ordered(all.filter(fits), columns[by] ?? columns[0]!, down);
  }, [all, state, level, wanted, by, down]);
  return { all, rows };
}

export function AnswerTable(props: { view: View }) {
  const { view } = props;
  const { known, loading, problem, load } = useOlder(view);
  const [page, setPage] = useState(0);
  const [amended, setAmended] = useState<Answer | null>(null);
  const columns = columnsOf(view);
  const { by, down } = orderIn(chosen.order.value);
  const { all, rows } = useRows(view, known, columns);
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const now = Math.min(page, pages - 1);
  const mayAmend = !me.value?.only_watch;
  const sort = (k: number) => {
    const falls = k === by ? !down : (columns[k]?.number ?? false);
    chosen.order.value = `${k}${falls ? "" : "up"}`;
    setPage(0);
  };
  const save = () => saveCsv(`${view.name} answers`, columns.map((column) => column.name), rows.map((row) => columns.map((column) => column.file(row))));
  if (all.length === 0) return null;
  return (
    <Section id="all-answers" title="All answers" wide>
      <Filters view={view} onChange={() => setPage(0)} onSave={save} />
      <Counts shown={rows.length} all={all.length} missing={view.answers_total - known.length} loading={loading} problem={problem} onLoad={() => void load()} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of all answers">
        <table class="answers-table">
          <Head columns={columns} by={by} down={down} onSort={sort} />
          <tbody>
            {rows.slice(now * perPage, (now + 1) * perPage).map((row) => (
              <TableRow row={row} view={view} columns={columns} onAmend={mayAmend ? setAmended : null} key={row.key} />
            ))}
          </tbody>
        </table>
      </div>
      <Pages page={now} pages={pages} onPage={setPage} />
      <Note>
        {view.target.classes
          ? "The first column is the probability that the model gave to what was said, before it was recorded."
          : "The first column is the distance to the prediction in its standard deviations; predictions have half of their 95 % interval."}
        {mayAmend && " Choose it to correct an answer: the log keeps both values."}
      </Note>
      {amended && <Amend view={view} answer={amended} onClose={() => setAmended(null)} />}
    </Section>
  );
}
