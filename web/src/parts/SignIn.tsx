// Asks for a token when something needs one. It is kept until the tab is closed.
import { useEffect, useRef, useState } from "preact/hooks";
import { RequestFailed, setToken, token, whoAmI } from "../client";
import { me, signInReason } from "../store";
import { FormDialog } from "./FormDialog";

export function SignIn(props: { onDone: () => void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []); // not the button that closes the dialog
  const submit = async () => {
    const before = token();
    setToken(text);
    try {
      const who = await whoAmI();
      if (!who.name) throw new RequestFailed("The server does not know this token", 401);
      me.value = who;
    } catch (error) {
      setToken(before);
      throw error;
    }
    signInReason.value = null;
    props.onDone();
  };
  const explanation = (
    <>
      {signInReason.value && <p>{signInReason.value}</p>}
      <p class="soft">
        The owner of the campaign gives each person a token. It stays in this tab and is forgotten when the tab closes.
      </p>
    </>
  );
  return (
    <FormDialog title="Sign in" explanation={explanation} submit="Sign in" onSubmit={submit} onClose={() => (signInReason.value = null)}>
      <label for="token">Token</label>
      <input
        id="token"
        ref={field}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function signOut(): void {
  setToken("");
  me.value = null;
}
