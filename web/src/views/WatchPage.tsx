import { useEffect } from "preact/hooks";
import type { View } from "../api";
import { retryEvent } from "../events";
import { SignIn } from "../parts/SignIn";
import { announcement, me, signInReason, startWatching, view, viewProblem, wantView } from "../store";
import { Answers } from "./Answers";
import { AnswerTable } from "./AnswerTable";
import { Bought } from "./Bought";
import { FirstScreen } from "./FirstScreen";
import { Header } from "./Header";
import { History } from "./History";
import { Importance } from "./Importance";
import { Money } from "./Money";
import { MorePictures } from "./MorePictures";
import { Pool } from "./Pool";
import { Posterior } from "./Posterior";
import { People, Runs } from "./Runs";
import { BiasSection, CalibrationSection } from "./Trust";

const hasBelief = (now: View) => now.answers.length > 0;
const hasImportance = (now: View) => now.inputs.filter((input) => input.importance !== null).length > 1;
const hasRows = (now: View) => now.answers.length + now.pending.length + now.failures.length > 0;

function Contents() {
  const now = view.value;
  if (!now) return null;
  const links: [string, string][] = [];
  if (hasBelief(now)) links.push(["posterior", "Belief"], ["worth", "Worth"]);
  if (hasImportance(now)) links.push(["importance", "Inputs"]);
  if (now.answers.length > 0) links.push(["answers", "Agreement"], ["bought", "Bought"], ["money", "Money"]);
  if (now.calibrations.length > 0) links.push(["calibration", "Calibration"]);
  if (now.biases.length > 0) links.push(["bias", "Bias"]);
  if (hasRows(now)) links.push(["all-answers", "All answers"]);
  if (now.pending.length + now.failures.length > 0) links.push(["runs", "Runs"]);
  if (now.people.length > 0) links.push(["people", "People"]);
  links.push(["history", "History"]);
  if (hasBelief(now) && now.figures.length > 1) links.push(["more", "More"]);
  return (
    <nav aria-label="Sections">
      <ul>
        {links.map(([id, title]) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function signedIn(): void {
  if (me.value?.role === "label") return location.replace("/label");
  wantView();
  window.dispatchEvent(new Event(retryEvent));
}

export function WatchPage() {
  const role = me.value?.role;
  useEffect(() => {
    if (role === "label") location.replace("/label"); // people who label see nothing of others
  }, [role]);
  useEffect(startWatching, []);
  const now = view.value;
  useEffect(() => {
    document.title = now ? `${now.name} · acuity` : "acuity";
  }, [now?.name]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the results
      </a>
      <Header />
      <Contents />
      <main id="main">
        {viewProblem.value && (
          <p class="problem" role="alert">
            {now ? `What you see is as of event ${now.sequence}: ` : ""}
            {viewProblem.value}
          </p>
        )}
        {!now && !viewProblem.value && <p class="soft placeholder">Loading the campaign …</p>}
        {now && (
          <>
            <FirstScreen view={now} />
            {hasBelief(now) && <Posterior view={now} />}
            {hasBelief(now) && <Pool view={now} />}
            <Importance view={now} />
            {now.answers.length > 0 && <Answers view={now} />}
            <Bought view={now} />
            {now.answers.length > 0 && <Money view={now} />}
            {now.calibrations.length > 0 && <CalibrationSection view={now} />}
            <BiasSection view={now} />
            <AnswerTable view={now} />
            {now.pending.length + now.failures.length > 0 && <Runs view={now} />}
            <People view={now} />
            <History view={now} />
            {hasBelief(now) && <MorePictures view={now} />}
          </>
        )}
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
      {signInReason.value !== null && <SignIn onDone={signedIn} />}
    </>
  );
}
