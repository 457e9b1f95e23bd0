// Asks for a token when something needs one. It is kept until the tab is closed.
import { useState } from "preact/hooks";
import { RequestFailed, setToken, token, whoAmI } from "../client";
import { me, signInReason } from "../store";
import { Dialog } from "./Dialog";

export function SignIn(props: { onDone: () => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const before = token();
    setBusy(true);
    setToken(text);
    try {
      const who = await whoAmI();
      if (!who.name) throw new RequestFailed("The server does not know this token", 401);
      me.value = who;
      signInReason.value = null;
      props.onDone();
    } catch (error) {
      setToken(before);
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Sign in" onClose={() => (signInReason.value = null)}>
      {signInReason.value && <p>{signInReason.value}</p>}
      <p class="soft">
        The owner of the campaign gives each person a token. It stays in this tab and is forgotten when the tab closes.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="submit" disabled={busy}>
            Sign in
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function signOut(): void {
  setToken("");
  me.value = null;
}
