// Corrects an answer, with a reason.
import { useState } from "preact/hooks";
import type { Answer, Told, View } from "../api";
import { post, RequestFailed } from "../client";
import { numberText, placeText } from "../format";
import { Dialog } from "../parts/Dialog";
import { FormDialog } from "../parts/FormDialog";
import { announcement, me, signInReason, wantView } from "../store";

export function Amend(props: { view: View; answer: Answer; onClose: () => void }) {
  const { view, answer } = props;
  const classes = view.target.classes;
  const [y, setY] = useState(classes ? answer.text : String(answer.value));
  const [reason, setReason] = useState("");
  const role = me.value?.role ?? "watch";

  const submit = async () => {
    const number = Number(y.replace(",", "."));
    if (!classes && (y.trim() === "" || !Number.isFinite(number))) throw new Error("A number is required, for example 3.5 or 2e-4.");
    const value = classes ? (y === classes[1] ? 1 : -1) : number;
    try {
      await post<Told>("/v1/amend", { id: answer.id, y: value, reason });
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 401) signInReason.value = error.message;
      throw error;
    }
    announcement.value = `Answer ${answer.id} is amended`;
    wantView();
    props.onClose();
  };
  const title = `Amend answer #${answer.id}`;
  const recorded = (
    <p>
      {answer.point && `${answer.point}: `}
      {placeText(view.inputs, answer.inputs)}, at {view.levels[answer.level]?.name}. Recorded {answer.text}; predicted{" "}
      {numberText(answer.expected)}.
    </p>
  );
  if (role !== "own")
    return (
      <Dialog title={title} onClose={props.onClose}>
        {recorded}
        <p class="problem">
          Amending needs a token with the role own
          {me.value?.name ? `; ${me.value.name} has the role ${role}.` : "; you are not signed in."}
        </p>
        <div class="actions">
          <button type="button" onClick={() => (signInReason.value = "To amend an answer, sign in with the role own.")}>
            Sign in
          </button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog title={title} explanation={recorded} submit="Amend" onSubmit={submit} onClose={props.onClose}>
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
    </FormDialog>
  );
}
