// A dialog with a form: what is wrong is said in it, and it cannot be sent twice at once.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./Dialog";

interface Props {
  title: string;
  explanation?: ComponentChildren;
  submit: string; // what the button says
  onSubmit(): Promise<void> | void; // throws an Error whose message is shown
  onClose(): void;
  children: ComponentChildren; // the fields
}

export function FormDialog(props: Props) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      await props.onSubmit();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.explanation}
      <form onSubmit={(event) => void submit(event)}>
        {props.children}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="submit" disabled={busy}>
            {props.submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
