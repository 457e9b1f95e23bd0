// Pending work with its age and lease, failures with their last lines, people, and warnings.
import type { View } from "../api";
import { countText, durationText, moneyText, numberText, percentText, placeText, plural } from "../format";
import { useNow } from "../parts/now";
import { figure, heading, Note, Section, sentence, Table } from "../parts/basics";

const mostPending = 50;

function PendingTable(props: { view: View }) {
  const { view } = props;
  const now = useNow();
  const shown = view.pending.slice(0, mostPending);
  return (
    <>
      <Table
        label="Pending"
        header={["suggestion", "where", "level", heading("cost"), "worker", heading("age"), heading("lease ends in")]}
        keys={shown.map((one) => one.id)}
        rows={shown.map((one) => [
          `#${one.id}`,
          sentence(one.point || placeText(view.inputs, one.inputs)),
          one.level,
          figure(moneyText(one.cost, view.unit)),
          one.worker || "–",
          figure(durationText(now - one.asked_at)),
          figure(one.lease_until === null ? "no deadline" : one.lease_until > now ? durationText(one.lease_until - now) : "ended"),
        ])}
      />
      {view.pending.length > shown.length && (
        <Note>
          The first {shown.length} of {countText(view.pending.length)}.
        </Note>
      )}
    </>
  );
}

export function Runs(props: { view: View }) {
  const { view } = props;
  return (
    <Section id="runs" title="Runs" wide>
      <h3>Pending</h3>
      {view.pending.length === 0 ? <p class="soft">Nothing is pending.</p> : <PendingTable view={view} />}
      <h3>Failed</h3>
      {view.failures.length === 0 ? (
        <p class="soft">Nothing has failed.</p>
      ) : (
        view.failures.map((place) => (
          <details class="failure" key={place.point + JSON.stringify(place.inputs)}>
            <summary>
              <b>{place.point || placeText(view.inputs, place.inputs)}</b> {plural(place.failures, "failure")}
              {place.cost > 0 && `, ${moneyText(place.cost, view.unit)}`}
              {place.answered && ", answered since"}: {place.reason || "no reason given"}
            </summary>
            <p class="soft">{placeText(view.inputs, place.inputs)}</p>
            {place.log ? <pre>{place.log}</pre> : <p class="soft">It left no output.</p>}
          </details>
        ))
      )}
      {view.failures_total > view.failures.length && (
        <Note>
          {countText(view.failures.length)} of {countText(view.failures_total)} places.
        </Note>
      )}
    </Section>
  );
}

export function People(props: { view: View }) {
  const { people } = props.view;
  if (people.length === 0) return null;
  const [no, yes] = props.view.target.classes ?? ["no", "yes"];
  const byClass = people.some((person) => person.by_class);
  return (
    <Section id="people" title="People" wide>
      <Table
        label="Who labelled, and how well"
        header={["name", "level", heading("answers"), heading("right on gold"), heading("agreed with others"), heading("accuracy"), heading("95 % interval"), ...(byClass ? [heading(`right if ${yes}`), heading(`right if ${no}`)] : []), heading("cannot tell"), heading("median time"), "remark"]}
        keys={people.map((person) => `${person.name} ${person.level}`)}
        rows={people.map((person) => {
          const gold = person.gold ? person.gold.right + person.gold.wrong : 0;
          const shared = person.agreement.same + person.agreement.different;
          return [
            person.name,
            person.level,
            figure(countText(person.answers)),
            figure(gold ? `${person.gold?.right ?? 0} of ${gold}` : "–"),
            figure(shared ? `${person.agreement.same} of ${shared}` : "–"),
            figure(percentText(person.accuracy)),
            figure(person.low === null ? "–" : `${percentText(person.low)} to ${percentText(person.high)}`),
            ...(byClass ? [figure(percentText(person.by_class?.yes.accuracy ?? null)), figure(percentText(person.by_class?.no.accuracy ?? null))] : []),
            figure(countText(person.cannot_tell)),
            figure(person.median_seconds === null ? "–" : `${numberText(person.median_seconds, 2)} s`),
            person.remark ? sentence(<b class="off">{person.remark}</b>) : "",
          ];
        })}
      />
    </Section>
  );
}
