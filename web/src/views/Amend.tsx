// Corrects an answer, with a reason.
import { useState } from "preact/hooks";
import type { Answer, Told, View } from "../api";
import { post, RequestFailed } from "../client";
import { numberText, placeText } from "../format";
import { Dialog } from "../parts/Dialog";
import { announcement, me, signInReason, wantView } from "../store";

export function Amend(props: { view: View; answer: Answer; onClose: () => void }) {
  const { view, answer } = props;
  const classes = view.target.classes;
  const [y, setY] = useState(classes ? answer.text : String(answer.value));
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const role = me.value?.role ?? "watch";
  const allowed = role === "own";

  const submit = async (event: Event) => {
    event.preventDefault();
    const number = Number(y.replace(",", "."));
    if (!classes && (y.trim() === "" || !Number.isFinite(number))) {
      setProblem("A number is required, for example 3.5 or 2e-4.");
      return;
    }
    setBusy(true);
    setProblem("");
    try {
      const value = classes ? (y === classes[1] ? 1 : -1) : number;
      await post<Told>("/v1/amend", { id: answer.id, y: value, reason });
      announcement.value = `Answer ${answer.id} is amended`;
      wantView();
      props.onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      if (error instanceof RequestFailed && error.status === 401) signInReason.value = error.message;
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Amend answer #${answer.id}`} onClose={props.onClose}>
      <p>
        {answer.point && `${answer.point}: `}
        {placeText(view.inputs, answer.inputs)}, at {view.levels[answer.level]?.name}. Recorded {answer.text}; predicted{" "}
        {numberText(answer.expected)}.
      </p>
      {allowed ? (
        <form onSubmit={(event) => void submit(event)}>
          <label for="amend-y">Right value</label>
          {classes ? (
            <select id="amend-y" value={y} onChange={(event) => setY(event.currentTarget.value)}>
              {classes.map((name) => (
                <option value={name} key={name}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            <input id="amend-y" inputMode="decimal" required value={y} onInput={(event) => setY(event.currentTarget.value)} />
          )}
          <label for="amend-reason">Reason</label>
          <input id="amend-reason" required maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <div class="actions">
            <button type="submit" disabled={busy}>
              Amend
            </button>
          </div>
        </form>
      ) : (
        <>
          <p class="problem">
            Amending needs a token with the role own
            {me.value?.name ? `; ${me.value.name} has the role ${role}.` : "; you are not signed in."}
          </p>
          <div class="actions">
            <button type="button" onClick={() => (signInReason.value = "To amend an answer, sign in with the role own.")}>
              Sign in
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
