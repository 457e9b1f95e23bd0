import { useEffect } from "preact/hooks";
import { retryEvent } from "../events";
import { SignIn } from "../parts/SignIn";
import { announcement, me, signInReason, startWatching, view, viewProblem, wantView } from "../store";
import { Answers } from "./Answers";
import { Header } from "./Header";
import { Money } from "./Money";
import { MorePictures } from "./MorePictures";
import { Pool } from "./Pool";
import { Posterior } from "./Posterior";
import { People, Runs, Warnings } from "./Runs";
import { BiasSection, CalibrationSection } from "./Trust";
import { Verdicts } from "./Verdicts";

function Contents() {
  const now = view.value;
  if (!now) return null;
  const links: [string, string][] = [
    ["posterior", "Belief"],
    ["worth", "Information per cost"],
    ["answers", "Answers"],
    ["money", "Money"],
  ];
  if (now.target.kind === "real") links.push(["calibration", "Calibration"]);
  if (now.biases.length > 0) links.push(["bias", "Bias"]);
  links.push(["runs", "Runs"]);
  if (now.people.length > 0) links.push(["people", "People"]);
  if (now.figures.length > 1) links.push(["more", "More"]);
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
            <Verdicts verdicts={now.verdicts} />
            <Warnings warnings={now.warnings} />
            <Posterior view={now} />
            <Pool view={now} />
            <Answers view={now} />
            <Money view={now} />
            <CalibrationSection view={now} />
            <BiasSection view={now} />
            <Runs view={now} />
            <People view={now} />
            <MorePictures view={now} />
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
