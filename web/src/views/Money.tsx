// Money and precision over time: one chart of what was spent at which level, with the budget and where it leads.
import { useEffect, useState } from "preact/hooks";
import type { View } from "../api";
import { isDark, levelColour } from "../charts/colours";
import { Curves, type Line } from "../charts/Curves";
import { durationText, moneyText, numberText, percentText } from "../format";
import { freeMoney, secondsOfMoney } from "../pace";
import { Computing, figure, heading, Note, Numbers, Section } from "../parts/basics";

/** Leaving out one of three answers measures nothing. */
const fewestForAnError = 5;

const soft = () => (isDark() ? "#b4b4b4" : "#555555");

/** The value at the last of `times` up to each of `at`: what was spent stays spent. */
function held(times: number[], values: number[], at: number[]): number[] {
  let k = 0;
  return at.map((time) => {
    while (k + 1 < times.length && (times[k + 1] ?? 0) <= time) k += 1;
    return values[k] ?? 0;
  });
}

/** Spent by level, stacked with the most precise on top; over time also in total, and on to the projected end. */
function spentLines(view: View, over: "answers" | "time"): { x: number[]; lines: Line[] } {
  const overTime = over === "time";
  const places = view.spending.map((point) => (overTime ? point.time : point.answers));
  const times = view.money.map((point) => point.time);
  const x = overTime ? [...new Set([...places, ...times])].sort((a, b) => a - b) : places;
  const bySteps = (values: number[]) => (overTime ? held(places, values, x) : values);
  const byLevel = view.levels.map((_, level) => bySteps(view.spending.map((point) => point.spent[level] ?? 0)));
  const sums: number[] = x.map(() => 0);
  const stacked = view.levels
    .map((_, k) => k)
    .reverse() // the coarsest at the bottom
    .map((level) => {
      byLevel[level]?.forEach((spent, i) => (sums[i] = (sums[i] ?? 0) + spent));
      return { level, values: [...sums] };
    });
  // The top of the stack first, each filled down to the one below.
  const lines: Line[] = stacked.reverse().map(({ level, values }, k) => ({
    label: view.levels[level]?.name ?? "",
    values,
    shown: byLevel[level] ?? [],
    colour: () => levelColour(level),
    width: 1.5,
    stepped: overTime,
    ...(k + 1 < stacked.length ? { fillTo: k + 1 } : { fill: true }),
  }));
  if (overTime) {
    const spent = held(times, view.money.map((point) => point.spent), x);
    lines.push({ label: "spent in total", values: spent, colour: soft, width: 1.5, stepped: true });
    if (view.money_reach.projected_end && view.projected_end !== null) {
      lines.push({ label: "projected", values: [...x.map((_, k) => (k + 1 === x.length ? view.spent : null)), view.budget], colour: soft, dash: [4, 4] });
      x.push(view.projected_end);
    }
  }
  if (view.money_reach.budget) lines.push({ label: "budget", values: x.map(() => view.budget), colour: soft, dash: [2, 4], width: 1.5 });
  return { x, lines: lines.map((line) => ({ ...line, values: [...line.values, ...Array<null>(x.length - line.values.length).fill(null)] })) };
}

function Course(props: { view: View }) {
  const { view } = props;
  const course = view.course.filter((point) => point.answers >= fewestForAnError && (point.error !== null || point.expected !== null));
  if (course.length < 2)
    return view.parts.model !== null ? null : (
      <div>
        <h3>Error against money</h3>
        <Computing />
      </div>
    );
  const lines: Line[] = [];
  if (course.some((point) => point.error !== null))
    lines.push({ label: `measured on ${view.target.source || "held-out answers"}`, values: course.map((point) => point.error), colour: () => levelColour(0) });
  if (course.some((point) => point.expected !== null))
    lines.push({ label: "predicted by the model", values: course.map((point) => point.expected), colour: () => levelColour(1), dash: [6, 4] });
  if (course.some((point) => point.at_goal !== null))
    lines.push({ label: "predicted at the goal", values: course.map((point) => point.at_goal), colour: () => levelColour(2), dash: [2, 3] });
  const positive = lines.every((line) => line.values.every((value) => value === null || value > 0));
  const last = course.at(-1);
  return (
    <div>
      <h3>Error against money</h3>
      <Curves
        name="error"
        label={`${view.target.error_measure} against money spent; last ${numberText(last?.error ?? last?.expected ?? null)}.`}
        x={course.map((point) => point.spent)}
        xTitle={`spent${view.unit ? ` (${view.unit})` : ""}`}
        yTitle={view.target.error_measure}
        lines={lines}
        logarithmic={view.target.error_logarithmic && positive}
      />
      <Numbers
        label="Error against money"
        header={[`spent${view.unit ? ` (${view.unit})` : ""}`, heading("answers"), heading("measured"), heading("predicted")]}
        rows={course.filter((_, k) => k % Math.ceil(course.length / 20) === 0 || k + 1 === course.length).map((point) => [
          numberText(point.spent), figure(point.answers), figure(numberText(point.error, 3)), figure(numberText(point.expected, 3)),
        ])}
      />
      {view.course_note && <Note>{view.course_note}</Note>}
    </div>
  );
}

/** How long the free money lasts from now on: looked at again although nothing happens. */
function Lasting(props: { view: View }) {
  const { view } = props;
  const [now, setNow] = useState(Date.now() / 1000);
  useEffect(() => {
    setNow(Date.now() / 1000);
    const timer = setInterval(() => setNow(Date.now() / 1000), 10000);
    return () => clearInterval(timer);
  }, [view]);
  const seconds = secondsOfMoney(view, now);
  if (seconds === null) return null;
  return (
    <Note>
      At the pace of the second half of the spending, the {moneyText(freeMoney(view), view.unit)} that are free last for about another {durationText(seconds)}.
    </Note>
  );
}

export function Money(props: { view: View }) {
  const { view } = props;
  const [over, setOver] = useState<"answers" | "time">("answers");
  const enough = { answers: view.spending.length > 1, time: view.money.length > 1 };
  const shown = enough[over] ? over : enough.answers ? "answers" : "time";
  const { x, lines } = spentLines(view, shown);
  const total = view.levels.reduce((sum, level) => sum + level.spent, 0);
  return (
    <Section id="money" title="Money and precision over time" wide>
      {!enough.answers && !enough.time ? (
        <p class="soft">Nothing is spent yet.</p>
      ) : (
        <div class="columns">
          <div>
            <div class="controls" role="group" aria-label="Over what">
              {(["answers", "time"] as const).map((what) => (
                <label key={what}>
                  <input type="radio" name="over" checked={shown === what} disabled={!enough[what]} onChange={() => setOver(what)} />{" "}
                  {what === "answers" ? "over answers" : "over time, with projection"}
                </label>
              ))}
            </div>
            <Curves
              name="money"
              label={`Money spent by level, over ${shown}: ${moneyText(view.spent, view.unit)} so far.`}
              x={x}
              xTitle={shown === "answers" ? "answers" : "since the campaign was created"}
              yTitle={`spent${view.unit ? ` (${view.unit})` : ""}`}
              lines={lines}
              fromZero
              time={shown === "time"}
            />
            <Numbers
              label="Spent by level"
              header={["level", heading("answers"), heading("spent"), heading("share")]}
              rows={view.levels.map((level) => [
                level.name,
                figure(level.answers),
                figure(moneyText(level.spent, view.unit)),
                figure(percentText(total > 0 ? level.spent / total : null)),
              ])}
            />
            <Lasting view={view} />
          </div>
          <Course view={view} />
        </div>
      )}
    </Section>
  );
}
