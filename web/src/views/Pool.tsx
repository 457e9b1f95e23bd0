// What one more answer is worth per cost, over the pool; each point says why.
import { useEffect, useState } from "preact/hooks";
import type { PoolPoint, PoolView, View } from "../api";
import { axesOf, inputNamed, pool, type Axes } from "../axes";
import { inputAxis, linearAxis, logAxis, rangeOf, type Axis } from "../charts/axis";
import { levelColour, levelShape, mapColourText, traceShape } from "../charts/colours";
import { drawNext, spread } from "../charts/dots";
import { drawKey, keyRoom } from "../charts/heat";
import { Plot, type Area } from "../charts/Plot";
import { query } from "../client";
import { useFetched } from "../fetched";
import { countText, numberText, plural, valueText } from "../format";
import { ColourKey, Computing, figure, heading, LevelKey, Note, Section, Table, unseen } from "../parts/basics";
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

interface CandidatesProps {
  view: View;
  data: PoolView;
  rows: PoolPoint[]; // those of this picture
  panel: string; // name of the picture; empty: it is the only one
  onSelect: (point: string) => void;
}

function Candidates(props: CandidatesProps) {
  const { view, data, rows } = props;
  const axes = axesOf(view);
  const across = inputNamed(view, axes.x);
  const up = inputNamed(view, axes.y);
  if (!across || rows.length === 0) return <p class="soft">None here.</p>;
  const flat = rows.every((row) => row.y === null) || !up;
  const worth = worthAxis(data.rows, worthName(data.unit));
  const level = (row: PoolPoint) => view.levels.findIndex((one) => one.name === row.level);
  const best = [...rows].sort((a, b) => b.per_cost - a.per_cost);
  const radius = rows.length > 1500 ? 3 : rows.length > 300 ? 4 : 5.5;
  const upward = (row: PoolPoint) => (flat ? row.per_cost : (row.y ?? 0));
  const small = props.panel !== "";
  const draw = (area: Area) => {
    const { context } = area;
    const names = !flat && up?.kind === "category";
    const places = spread(area, best.map((row) => ({ x: row.x, y: upward(row) })), across.kind === "category", names);
    for (let k = best.length - 1; k >= 0; --k) {
      const row = best[k]!;
      traceShape(context, levelShape(level(row)), ...places[k]!, radius);
      context.fillStyle = flat ? levelColour(level(row)) : mapColourText(worth.at(row.per_cost));
      context.fill();
      if (radius > 3) {
        context.strokeStyle = area.theme.grid;
        context.lineWidth = 1;
        context.stroke();
      }
    }
    const next = best.findIndex((row) => row.point === data.next);
    if (next >= 0) drawNext(area, ...places[next]!);
    if (flat || small) return;
    context.restore();
    context.save(); // the key is outside of what the axes enclose
    drawKey(area, worth);
  };
  return (
    <Plot
      label={`${worthName(data.unit)} of ${plural(rows.length, "candidate")}${small ? `, ${props.panel}` : ""}; the best is ${best[0] ? rowText(best[0], data.unit, data.next) : ""}. Enter explains a point.`}
      name={`worth${small ? `-${props.panel}` : ""}`}
      x={inputAxis(across)}
      y={flat || !up ? worth : inputAxis(up)}
      height={small ? 260 : 400}
      keyRoom={flat || small ? 0 : keyRoom}
      draw={draw}
      marks={best.map((row) => ({ x: row.x, y: upward(row), text: () => rowText(row, data.unit, data.next), key: row.point }))}
      onSelect={props.onSelect}
    />
  );
}

/** In which picture each candidate is: a category has one each, so that no mark hides another's. */
function usePanels(view: View, axes: Axes, data: PoolView | null): Map<string, PoolPoint[]> | null {
  const wanted = axes.panels !== "" && data !== null && !data.binned;
  const along = useFetched<PoolView>(wanted ? `/v1/pool${query({ x: axes.panels })}` : null, view.parts.pool ?? 0);
  if (!wanted || !along.data) return null;
  const valueOf = new Map(along.data.rows.map((row) => [row.point, String(row.x)]));
  const panels = new Map((inputNamed(view, axes.panels)?.values ?? []).map((value) => [value, [] as PoolPoint[]]));
  for (const row of data.rows) panels.get(valueOf.get(row.point) ?? "")?.push(row);
  return panels;
}

function Best(props: { view: View; data: PoolView; onSelect: (point: string) => void }) {
  const { data, view } = props;
  if (data.best.length === 0) return null;
  return (
    <>
      <h3>The ten best</h3>
      <Table
        label="The ten best candidates"
        header={[heading(worthName(data.unit)), unseen("why"), heading(`cost${view.unit ? ` (${view.unit})` : ""}`), "level", "point", ...view.inputs.map((input) => (input.unit ? `${input.name} (${input.unit})` : input.name))]}
        keys={data.best.map((row) => row.point)}
        rows={data.best.map((row) => [
          figure(numberText(row.per_cost, 3)),
          {
            text: (
              <button type="button" class="plain" onClick={() => props.onSelect(row.point)} aria-label={`Why ${row.point}?`}>
                Why?
              </button>
            ),
          },
          figure(numberText(row.cost, 3)),
          row.level,
          row.point === data.next ? { text: <>{row.point} <span class="soft">next</span></> } : row.point,
          ...row.inputs.map(valueText),
        ])}
      />
    </>
  );
}

function explanation(data: PoolView, flat: boolean): string {
  const shown = data.binned
    ? `${countText(data.points)} candidates are too many to draw: each of the ${countText(data.rows.length)} marks is the best point of its cell. `
    : `${data.note ? "" : "All "}${countText(data.points)} candidates, each at its best level. `;
  const colours = flat ? "" : `Colour is ${worthName(data.unit)}, shape the best level. `;
  return `${shown}${data.note ? `${data.note} ` : ""}${colours}Choose a mark to see why it is worth that.`;
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
  const panels = usePanels(view, axes, data);
  if (data && data.rows.length === 0) return null; // what ends the campaign is said on the first screen
  return (
    <Section id="worth" title="What one more answer is worth" wide>
      {fetched.problem && <p class="problem">{fetched.problem}</p>}
      {!data && !fetched.problem && <Computing />}
      {data && (
        <div class={panels ? "" : "columns"}>
          <div>
            {panels ? (
              <div class="panels">
                {[...panels].map(([value, rows]) => (
                  <figure key={value}>
                    <h3>{`${axes.panels} ${value}`}</h3>
                    <Candidates view={view} data={data} rows={rows} panel={`${axes.panels} ${value}`} onSelect={setWhy} />
                  </figure>
                ))}
              </div>
            ) : (
              <Candidates view={view} data={data} rows={data.rows} panel="" onSelect={setWhy} />
            )}
            {panels && axes.y !== "" && <ColourKey colours={worthAxis(data.rows, worthName(data.unit))} />}
            <LevelKey levels={view.levels.map((one) => one.name)} />
            <Note>{explanation(data, axes.y === "")}</Note>
          </div>
          <div>
            <Best view={view} data={data} onSelect={setWhy} />
          </div>
        </div>
      )}
      {why !== null && <Why point={why} onClose={() => setWhy(null)} />}
    </Section>
  );
}
