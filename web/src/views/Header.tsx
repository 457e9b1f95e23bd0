// Name, connection, money at a glance, and who is signed in.
import type { View } from "../api";
import { countText, durationText, plural, timeText } from "../format";
import { signOut } from "../parts/SignIn";
import { useNow } from "../parts/now";
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

function Counts(props: { view: View }) {
  const { levels, pool, excluded, failed, pending, last_at: last, created_at: created } = props.view;
  const now = useNow(30);
  const bought = levels.filter((level) => level.answers > 0).map((level) => `${countText(level.answers)} ${level.name}`);
  const parts = [
    `${plural(props.view.answers_total, "answer")}${bought.length > 1 ? ` (${bought.join(", ")})` : ""}`,
    `${countText(pending.length)} pending`,
    `${countText(failed)} failed`,
    `pool of ${countText(pool)}${excluded ? `, ${countText(excluded)} excluded` : ""}`,
  ];
  const latest = props.view.answers_total > 0 ? `, last answer ${durationText(Math.max(0, now - last))} ago` : "";
  parts.push(`begun ${timeText(created)}${latest}`);
  return (
    <p class="soft counts">
      {parts.join(" · ")}
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
      {now && <Counts view={now} />}
    </header>
  );
}
