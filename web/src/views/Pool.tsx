// What one more answer is worth per cost, over the pool; each point says why.
import { useEffect, useState } from "preact/hooks";
import type { PoolPoint, PoolView, View } from "../api";
import { axesOf, inputNamed, pool } from "../axes";
import { inputAxis, linearAxis, logAxis, rangeOf, type Axis } from "../charts/axis";
import { levelColour, levelShape, mapColourText, traceShape } from "../charts/colours";
import { drawNext } from "../charts/dots";
import { drawKey, keyRoom } from "../charts/heat";
import { Plot, type Area } from "../charts/Plot";
import { query } from "../client";
import { useFetched } from "../fetched";
import { countText, numberText, plural, valueText } from "../format";
import { Computing, figure, heading, LevelKey, Note, Section, Table, unseen } from "../parts/basics";
import { Picture } from "./MorePictures";
import { Why } from "./Why";

/** Nats and bits are words of the mathematics. */
function worthName(unit: string): string {
  return `${unit === "nats" || unit === "bits" ? "information" : unit} per cost`;
}

function rowText(row: PoolPoint, unit: string, next: string | null): string {
  const many = row.count > 1 ? `, best of ${countText(row.count)} points here` : "";
  return `${row.point === next ? "Next: " : ""}${row.point} at ${row.level}: ${worthName(unit)} ${numberText(row.per_cost, 3)}${many}`;
}

/** From the lowest to the highest value, on a logarithmic axis if they differ by more than ten times. */
function worthAxis(rows: PoolPoint[], title: string): Axis {
  const values = rows.map((row) => row.per_cost).filter((value) => value > 0);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length > 1 && high > 10 * low) return logAxis(title, Math.max(low, 1e-4 * high) / 1.1, high * 1.1);
  const [from, to] = rangeOf(values);
  return linearAxis(title, Math.max(0, from), to);
}

function Candidates(props: { view: View; data: PoolView; onSelect: (point: string) => void }) {
  const { view, data } = props;
  const axes = axesOf(view);
  const across = inputNamed(view, axes.x);
  const up = inputNamed(view, axes.y);
  if (!across || data.rows.length === 0) return <p class="soft">{data.reason || "There is nothing left to ask for."}</p>;
  const flat = data.rows.every((row) => row.y === null) || !up;
  const worth = worthAxis(data.rows, worthName(data.unit));
  const level = (row: PoolPoint) => view.levels.findIndex((one) => one.name === row.level);
  const best = [...data.rows].sort((a, b) => b.per_cost - a.per_cost);
  const radius = data.rows.length > 1500 ? 3 : data.rows.length > 300 ? 4 : 5.5;
  const upward = (row: PoolPoint) => (flat ? row.per_cost : (row.y ?? 0));
  const draw = (area: Area) => {
    const { context } = area;
    for (const row of [...best].reverse()) {
      traceShape(context, levelShape(level(row)), area.x(row.x), area.y(upward(row)), radius);
      context.fillStyle = flat ? levelColour(level(row)) : mapColourText(worth.at(row.per_cost));
      context.fill();
      if (radius > 3) {
        context.strokeStyle = area.theme.grid;
        context.lineWidth = 1;
        context.stroke();
      }
    }
    const next = data.rows.find((row) => row.point === data.next);
    if (next) drawNext(area, area.x(next.x), area.y(upward(next)));
    if (flat) return;
    context.restore();
    context.save(); // the key is outside of what the axes enclose
    drawKey(area, worth);
  };
  return (
    <>
      <Plot
        label={`${worthName(data.unit)} of ${plural(data.rows.length, "candidate")}; the best is ${best[0] ? rowText(best[0], data.unit, data.next) : ""}. Enter explains a point.`}
        x={inputAxis(across, across.kind === "number" ? 0.02 : 0)}
        y={flat || !up ? worth : inputAxis(up, up.kind === "number" ? 0.02 : 0)}
        height={400}
        keyRoom={flat ? 0 : keyRoom}
        draw={draw}
        marks={best.map((row) => ({ x: row.x, y: upward(row), text: () => rowText(row, data.unit, data.next), key: row.point }))}
        onSelect={props.onSelect}
      />
      <LevelKey levels={view.levels.map((one) => one.name)} />
      <Note>
        {data.binned
          ? `${countText(data.points)} candidates are too many to draw: each of the ${countText(data.rows.length)} marks is the best point of its cell. `
          : `${data.note ? "" : "All "}${countText(data.points)} candidates, each at its best level. `}
        {data.note ? `${data.note} ` : ""}
        {flat ? "" : `Colour is ${worthName(data.unit)}, shape the best level. `}
        Choose a mark to see why it is worth that.
      </Note>
    </>
  );
}

function Best(props: { view: View; data: PoolView; onSelect: (point: string) => void }) {
  const { data, view } = props;
  const axes = axesOf(view);
  const best = [...data.rows].sort((a, b) => b.per_cost - a.per_cost).slice(0, 10);
  const up = best.some((row) => row.y !== null);
  return (
    <Table
      label="The ten best candidates"
      header={["point", unseen("why"), axes.x, ...(up ? [axes.y] : []), "level", heading(worthName(data.unit)), heading(`cost${view.unit ? ` (${view.unit})` : ""}`)]}
      keys={best.map((row) => row.point)}
      rows={best.map((row) => [
        row.point === data.next ? { text: <>{row.point} <span class="soft">next</span></> } : row.point,
        {
          text: (
            <button type="button" class="plain" onClick={() => props.onSelect(row.point)} aria-label={`Why ${row.point}?`}>
              Why?
            </button>
          ),
        },
        valueText(row.x),
        ...(up ? [valueText(row.y ?? "")] : []),
        row.level,
        figure(numberText(row.per_cost, 3)),
        figure(numberText(row.cost)),
      ])}
    />
  );
}

export function Pool(props: { view: View }) {
  const { view } = props;
  const axes = axesOf(view);
  const [why, setWhy] = useState<string | null>(null);
  const path = axes.x && view.parts.pool !== null ? `/v1/pool${query({ x: axes.x, y: axes.y || undefined })}` : null;
  const fetched = useFetched<PoolView>(path, view.parts.pool ?? 0);
  useEffect(() => {
    pool.value = fetched.data;
  }, [fetched.data]);
  const data = fetched.data;
  const breakEven = view.figures.find((one) => one.name.includes("break-even"));
  return (
    <Section id="worth" title="Information per cost">
      {fetched.problem && <p class="problem">{fetched.problem}</p>}
      {!data && !fetched.problem && <Computing />}
      {data && data.next === null && data.reason && <p class="soft">{data.reason}</p>}
      {data && (
        <div class="columns">
          <div>
            <Candidates view={view} data={data} onSelect={setWhy} />
          </div>
          <div>
            <h3>The ten best</h3>
            <Best view={view} data={data} onSelect={setWhy} />
            <p>
              <button type="button" onClick={() => setWhy("")}>
                Why the next one?
              </button>
            </p>
          </div>
        </div>
      )}
      {breakEven && <Picture figure={breakEven} version={view.parts.model ?? 0} />}
      {why !== null && <Why point={why} onClose={() => setWhy(null)} />}
    </Section>
  );
}
