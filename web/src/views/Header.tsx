// Name, connection, money at a glance, and who is signed in.
import type { View } from "../api";
import { countText, durationText, moneyText, plural, timeText } from "../format";
import { signOut } from "../parts/SignIn";
import { connection, logLength, me, refreshMe, signInReason, view } from "../store";

function modelText(now: View): string {
  const { model } = now.parts;
  if (model === null) return " · the model is being computed";
  return model < now.sequence ? ` · model as of event ${countText(model)}` : "";
}

function Live() {
  const now = view.value;
  const behind = now ? logLength.value - now.sequence : 0;
  return (
    <p class="live">
      <span class={`light ${connection.value}`} aria-hidden="true" />
      <span id="connection">{connection.value}</span>
      {now && (
        <span>
          {" "}
          · as of event <span id="sequence">{countText(now.sequence)}</span>
          {behind > 0 && `, ${countText(behind)} newer being computed`}
          {modelText(now)}
        </span>
      )}
    </p>
  );
}

function Who() {
  const who = me.value;
  const label = (
    <a class="button" href="/label">
      Label
    </a>
  );
  if (!who?.name)
    return who?.only_watch ? null : (
      <p class="who">
        {who?.asks_people !== false && label}{" "}
        <button type="button" class="plain" onClick={() => (signInReason.value = "")}>
          Sign in
        </button>
      </p>
    );
  const leave = () => {
    signOut();
    void refreshMe();
  };
  return (
    <p class="who">
      <span>
        {who.name} ({who.role})
      </span>{" "}
      {who.can_label && who.asks_people && label}{" "}
      <button type="button" class="plain" onClick={leave}>
        Sign out
      </button>
    </p>
  );
}

/** Spent, reserved and free as one bar. */
function Budget(props: { view: View }) {
  const { spent, escrow, budget, unit } = props.view;
  const parts = [`${moneyText(spent, unit)} spent`, `${moneyText(escrow, unit)} reserved`];
  parts.push(
    budget === null ? "no limit" : `${moneyText(Math.max(0, budget - spent - escrow), unit)} free of ${moneyText(budget, unit)}`,
  );
  const share = (value: number) => `${budget ? Math.min(100, (100 * value) / budget) : 0}%`;
  return (
    <div class="budget">
      {budget !== null && (
        <div class="bar" aria-hidden="true">
          <span class="spent" style={{ width: share(spent) }} />
          <span class="reserved" style={{ width: share(escrow) }} />
        </div>
      )}
      <p>{parts.join(", ")}</p>
    </div>
  );
}

function Counts(props: { view: View }) {
  const { levels, pool, excluded, failed, pending, last_at: last, created_at: created } = props.view;
  const bought = levels.filter((level) => level.answers > 0).map((level) => `${countText(level.answers)} ${level.name}`);
  const parts = [
    `${plural(props.view.answers_total, "answer")}${bought.length > 1 ? ` (${bought.join(", ")})` : ""}`,
    `${countText(pending.length)} pending`,
    `${countText(failed)} failed`,
    `pool of ${countText(pool)}${excluded ? `, ${countText(excluded)} excluded` : ""}`,
  ];
  return (
    <p class="soft counts">
      {parts.join(" · ")}
      <br />
      Begun {timeText(created)}, last event after {durationText(last - created)}
    </p>
  );
}

export function Header() {
  const now = view.value;
  return (
    <header class="top">
      <div class="title">
        <h1>{now?.name ?? "acuity"}</h1>
        <Who />
      </div>
      <Live />
      {now && <Budget view={now} />}
      {now && <Counts view={now} />}
    </header>
  );
}
