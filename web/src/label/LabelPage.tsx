// One item after another, one key per answer.
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabelItem, LabelNext, View } from "../api";
import { get } from "../client";
import { clockText, countText, hourText, moneyText, plural } from "../format";
import { FormDialog } from "../parts/FormDialog";
import { SignIn, signOut } from "../parts/SignIn";
import { announcement, me, refreshMe, signInReason } from "../store";
import { useNow } from "../parts/now";
import { Controls } from "./Controls";
import { Item } from "./Item";
import { Markdown } from "./Markdown";
import { outbox, retryAt } from "./outbox";
import { again, done, fetchNext, item, loading, next, nextAttempt, notice, problem, resume, skip, start } from "./session";

/** Never an unexplained empty page. */
function Nothing(props: { next: LabelNext }) {
  const now = useNow();
  const wait = Math.max(0, Math.ceil(nextAttempt.value / 1000 - now));
  const { holders, finished, reason } = props.next;
  return (
    <section class="nothing" aria-label="No item">
      <h2>{finished ? "Thank you, no more items" : "No item for you at the moment"}</h2>
      {!finished && <p>{reason || "The server gave no reason."}</p>}
      {holders.length > 0 && (
        <>
          <h3>Held by others</h3>
          <ul>
            {holders.map((holder) => (
              <li key={`${holder.worker} ${holder.point}`}>
                {holder.worker || "someone"} holds {holder.point}
                {holder.until === null ? ", without a deadline" : ` until ${hourText(holder.until)} (${clockText(holder.until - now)} left)`}
              </li>
            ))}
          </ul>
        </>
      )}
      {!finished && (
        <p>
          Asking again {wait > 0 ? `in ${wait} s` : "now"}.{" "}
          <button type="button" class="plain" onClick={() => void fetchNext()}>
            Ask now
          </button>
        </p>
      )}
    </section>
  );
}

function Lease(props: { item: LabelItem }) {
  const now = useNow();
  const { lease_until: until } = props.item;
  const ended = until !== null && until < now;
  useEffect(() => {
    if (ended) void fetchNext();
  }, [ended]);
  if (until === null) return null;
  return (
    <span class={until - now < 60 ? "lease soon" : "lease"} id="lease">
      {ended ? "time is up: this item may be given to someone else" : `yours for ${clockText(until - now)}`}
    </span>
  );
}

function Connection() {
  const now = useNow();
  const waiting = outbox.value.length;
  const lost = retryAt.value !== null;
  if (!lost) return null;
  const seconds = Math.max(0, Math.ceil((retryAt.value ?? 0) / 1000 - now));
  return (
    <p class="problem" role="status" id="offline">
      The server cannot be reached. {waiting > 0 ? `${plural(waiting, "answer")} kept here and sent when it is back. ` : ""}
      Next attempt {seconds > 0 ? `in ${seconds} s` : "now"}.
    </p>
  );
}

const reasons = ["not enough information", "the item is broken", "not my subject"];

function SkipDialog(props: { onClose: () => void }) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <FormDialog
      title="Skip this item"
      submit="Skip"
      onSubmit={() => {
        props.onClose();
        skip(reason);
      }}
      onClose={props.onClose}
    >
      <label for="skip-reason">Reason</label>
      <input id="skip-reason" ref={field} list="skip-reasons" required maxLength={300} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      <datalist id="skip-reasons">
        {reasons.map((one) => (
          <option value={one} key={one} />
        ))}
      </datalist>
    </FormDialog>
  );
}

const foldedKey = "acuity-instructions-folded";

function isFolded(text: string): boolean {
  try {
    return localStorage.getItem(foldedKey) === text;
  } catch {
    return false; // storage is switched off
  }
}

/** The question, and how to answer it: folded by whoever knows it, and open again when its text has changed. */
function Task() {
  const { question = "", instructions = "" } = next.value ?? {};
  const [open, setOpen] = useState(!isFolded(instructions));
  useEffect(() => setOpen(!isFolded(instructions)), [instructions]);
  const fold = (isOpen: boolean) => {
    setOpen(isOpen);
    try {
      if (isOpen) localStorage.removeItem(foldedKey);
      else localStorage.setItem(foldedKey, instructions);
    } catch {
      // forgotten with the tab
    }
  };
  return (
    <>
      {question && (
        <p class="question" id="question">
          {question}
        </p>
      )}
      {instructions && (
        <details class="instructions" open={open} onToggle={(event) => fold(event.currentTarget.open)}>
          <summary>Instructions</summary>
          <Markdown text={instructions} />
        </details>
      )}
    </>
  );
}

function Top() {
  const who = me.value;
  const total = (next.value?.answered ?? 0) + outbox.value.filter((parcel) => parcel.path === "/v1/label/answer").length;
  return (
    <header class="top">
      <div class="title">
        <h1>Label</h1>
        <p class="who">
          {who?.name && (
            <span>
              {who.name}
              {who.level ? ` (${who.level})` : ""}
            </span>
          )}{" "}
          {who?.role !== "label" && (
            <a class="button plain" href="/">
              Watch
            </a>
          )}{" "}
          {who?.name && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                signOut();
                location.reload();
              }}
            >
              Sign out
            </button>
          )}
        </p>
      </div>
      <p class="soft">
        <span id="done">{countText(total)}</span> answered by you, {countText(done.value)} in this tab
      </p>
    </header>
  );
}

export function LabelPage() {
  const [view, setView] = useState<View | null>(null);
  const [skipping, setSkipping] = useState(false);
  useEffect(() => {
    document.title = "Label · acuity";
    void refreshMe();
    return start();
  }, []);
  const role = me.value?.role;
  useEffect(() => {
    if (!role || role === "label") return; // it may not look at the answers of others
    get<View>("/v1/view")
      .then(setView)
      .catch(() => undefined); // only the small picture needs it
  }, [role]);
  const one = item.value;
  const money = next.value?.unit ?? "";
  return (
    <div class="label-page">
      <a class="skip" href="#main">
        Skip to the item
      </a>
      <Top />
      <main id="main">
        <Connection />
        {problem.value && (
          <p class="problem" role="alert">
            {problem.value}{" "}
            {!me.value?.name && (
              <button type="button" class="plain" onClick={() => (signInReason.value = "")}>
                Sign in
              </button>
            )}
          </p>
        )}
        {one && (
          <article aria-labelledby="item-name">
            <Task />
            <div class="item-head">
              <h2 id="item-name">{one.point || `Suggestion ${one.id}`}</h2>
              <p class="soft">
                {again.value
                  ? `answered ${again.value.said}${one.levels.length > 1 ? ` at ${again.value.level}` : ""}; a new answer replaces it`
                  : one.levels.length > 1
                    ? ""
                    : `${one.level}, ${moneyText(one.cost, money)}`}
                {!again.value && one.levels.length < 2 && one.lease_until !== null && " · "}
                {!again.value && <Lease item={one} />}
              </p>
            </div>
            <Item item={one} view={view} key={one.id} />
            <Controls item={one} classes={next.value?.classes ?? null} known={next.value !== null} unit={next.value?.axis ?? ""} money={money} blocked={skipping || signInReason.value !== null} onSkip={() => setSkipping(true)} key={`controls-${one.id}-${again.value ? "again" : ""}`} />
          </article>
        )}
        {!one && loading.value && <p class="soft placeholder">Loading the next item …</p>}
        {!one && !loading.value && next.value && !next.value.item && <Nothing next={next.value} />}
        <p class="soft" id="notice" role="status">
          {notice.value}
        </p>
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
      {skipping && <SkipDialog onClose={() => setSkipping(false)} />}
      {signInReason.value !== null && <SignIn onDone={resume} />}
    </div>
  );
}
