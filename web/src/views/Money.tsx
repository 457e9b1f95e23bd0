// Money and precision over time: one chart of what was spent at which level, with the budget and where it leads.
import { useState } from "preact/hooks";
import type { View } from "../api";
import { isDark, levelColour } from "../charts/colours";
import { Lines, type Line } from "../charts/Lines";
import { durationText, moneyText, numberText, percentText } from "../format";
import { figure, heading, Note, Numbers, Section } from "../parts/basics";

const soft = () => (isDark() ? "#b4b4b4" : "#555555");

/** Spent by level, stacked with the most precise on top, over the number of answers. */
function byAnswers(view: View): { x: number[]; lines: Line[] } {
  const x = view.spending.map((point) => point.answers);
  const levels = view.levels.map((_, k) => k).reverse(); // the coarsest at the bottom
  const sums: number[] = view.spending.map(() => 0);
  const stacked = levels.map((level) => {
    view.spending.forEach((point, i) => (sums[i] = (sums[i] ?? 0) + (point.spent[level] ?? 0)));
    return { level, values: [...sums] };
  });
  // uPlot draws in order: the top of the stack first, each filled down to the one below.
  const lines: Line[] = stacked.reverse().map(({ level, values }, k) => ({
    label: view.levels[level]?.name ?? "",
    values,
    shown: view.spending.map((point) => point.spent[level] ?? null),
    colour: () => levelColour(level),
    width: 1.5,
    ...(k + 1 < stacked.length ? { fillTo: k + 2 } : { fill: true }),
  }));
  if (view.budget !== null && view.spent > 0.4 * view.budget)
    lines.push({ label: "budget", values: x.map(() => view.budget), colour: soft, dash: [8, 4], width: 1.5 });
  return { x, lines };
}

/** Spent over time, with the projection to the budget. */
function byTime(view: View): { x: number[]; lines: Line[] } {
  const x = view.money.map((point) => point.time);
  const spent: (number | null)[] = view.money.map((point) => point.spent);
  const projected: (number | null)[] = view.money.map((_, k) => (k + 1 === view.money.length ? view.spent : null));
  if (view.projected_end !== null && view.budget !== null && view.projected_end > (x.at(-1) ?? 0)) {
    x.push(view.projected_end);
    spent.push(null);
    projected.push(view.budget);
  }
  const lines: Line[] = [{ label: "spent", values: spent, colour: () => levelColour(1), fill: true }];
  if (projected.length > view.money.length)
    lines.push({ label: "projected", values: projected, colour: () => levelColour(1), dash: [4, 4] });
  if (view.budget !== null) lines.push({ label: "budget", values: x.map(() => view.budget), colour: soft, dash: [8, 4], width: 1.5 });
  return { x, lines };
}

function Course(props: { view: View }) {
  const { view } = props;
  const course = view.course.filter((point) => point.error !== null || point.expected !== null);
  if (course.length < 2) return null;
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
      <Lines
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
    </div>
  );
}

export function Money(props: { view: View }) {
  const { view } = props;
  const [over, setOver] = useState<"answers" | "time">("answers");
  const enough = { answers: view.spending.length > 1, time: view.money.length > 1 };
  const shown = enough[over] ? over : enough.answers ? "answers" : "time";
  const { x, lines } = shown === "answers" ? byAnswers(view) : byTime(view);
  const total = view.levels.reduce((sum, level) => sum + level.spent, 0);
  return (
    <Section id="money" title="Money and precision over time">
      {!enough.answers && !enough.time ? (
        <p class="soft">Nothing is spent yet.</p>
      ) : (
        <div class="columns">
          <div>
            <div class="controls" role="group" aria-label="Over what">
              {(["answers", "time"] as const).map((what) => (
                <label key={what}>
                  <input type="radio" name="over" checked={shown === what} disabled={!enough[what]} onChange={() => setOver(what)} />{" "}
                  {what === "answers" ? "by level, over answers" : "over time, with projection"}
                </label>
              ))}
            </div>
            <Lines
              label={`Money spent over ${shown === "answers" ? "answers, by level" : "time"}: ${moneyText(view.spent, view.unit)} so far.`}
              x={x}
              xTitle={shown === "answers" ? "answers" : "since the beginning"}
              yTitle={`spent${view.unit ? ` (${view.unit})` : ""}`}
              lines={lines}
              fromZero
              {...(shown === "time" ? { xText: durationText } : {})}
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
            {view.projected_end !== null && (
              <Note>At the present pace the budget lasts until {durationText(view.projected_end)} after the beginning.</Note>
            )}
          </div>
          <Course view={view} />
        </div>
      )}
    </Section>
  );
}
