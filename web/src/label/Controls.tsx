// Buttons that show their keys, and the keys.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LabelItem, LabelNext } from "../api";
import { moneyText } from "../format";
import { announcement } from "../store";
import { again, answer, canUndo, cannotTell, undo } from "./session";

interface Props {
  item: LabelItem;
  classes: LabelNext["classes"];
  known: boolean; // whether classes are known yet
  unit: string;
  money: string; // its unit
  blocked: boolean; // a dialog is open
  onSkip: () => void;
}

const arrows: Record<string, number> = { ArrowLeft: 0, ArrowRight: 1 };

function parsed(text: string): number | null {
  const value = Number(text.trim().replace(",", "."));
  return text.trim() !== "" && Number.isFinite(value) ? value : null;
}

/** Letters that are no part of a number, of the answers or of the other commands. */
const levelKeys = ["q", "w", "r", "t", "z", "p", "g", "b"];

/** The levels that are offered to this person; the answer is recorded, and paid for, at the chosen one. */
function Levels(props: { item: LabelItem; level: string; money: string; onChange(level: string): void }) {
  if (props.item.levels.length < 2) return null;
  return (
    <fieldset class="levels">
      <legend>Precision of your answer</legend>
      {props.item.levels.map((level, k) => (
        <label key={level.name}>
          <input
            type="radio"
            name="level"
            checked={props.level === level.name}
            onChange={() => props.onChange(level.name)}
            aria-keyshortcuts={levelKeys[k]}
          />{" "}
          {level.name}{" "}
          <span class="soft">
            {moneyText(level.cost, props.money)}
            {level.name === props.item.level && ", suggested"}
          </span>{" "}
          {levelKeys[k] && <kbd>{levelKeys[k]}</kbd>}
        </label>
      ))}
    </fieldset>
  );
}

export function Controls(props: Props) {
  const { item, classes } = props;
  const level = useSignal(again.value?.level ?? item.level); // read by the next key at once, before anything is drawn again
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const number = props.known && classes === null;

  useEffect(() => {
    if (number && !props.blocked) field.current?.focus();
  }, [number, props.blocked]);

  useEffect(() => {
    const keyed = (event: KeyboardEvent) => {
      if (props.blocked || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      const target = event.target;
      const typing = target instanceof HTMLInputElement && target.type !== "radio" && target !== field.current;
      if (typing || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return;
      const inRadio = target instanceof HTMLInputElement && target.type === "radio";
      const pressed = event.key.toLowerCase();
      const byArrow = inRadio ? undefined : arrows[event.key];
      const chosen = classes?.find((one) => one.key.toLowerCase() === pressed) ?? (byArrow === undefined ? undefined : classes?.[byArrow]);
      const other = item.levels.length > 1 ? item.levels[levelKeys.indexOf(pressed)] : undefined;
      const act = chosen
        ? () => answer(chosen.value, chosen.name, level.value)
        : other
        ? () => {
            level.value = other.name;
            announcement.value = `Precision ${other.name}, ${moneyText(other.cost, props.money)}`;
          }
        : { u: undo, s: props.onSkip, c: again.value ? undefined : cannotTell }[pressed];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", keyed);
    return () => document.removeEventListener("keydown", keyed);
  });

  const submit = (event: Event) => {
    event.preventDefault();
    const value = parsed(text);
    if (value === null) setProblem("A number is required, for example 3.5 or 2e-4.");
    else answer(value, text, level.value);
  };
  return (
    <div class="answering">
      <Levels item={item} level={level.value} money={props.money} onChange={(name) => (level.value = name)} />
      {classes && (
        <div class="answers" role="group" aria-label="Answers">
          {classes.map((one, k) => (
            <button type="button" class="answer" onClick={() => answer(one.value, one.name, level.value)} key={one.value} aria-keyshortcuts={one.key}>
              {one.name} <kbd>{one.key}</kbd> {k < 2 && <kbd aria-hidden="true">{k === 0 ? "←" : "→"}</kbd>}
            </button>
          ))}
        </div>
      )}
      {number && (
        <form class="number-answer" onSubmit={submit}>
          <label for="value">{props.unit || "Value"}</label>
          <input id="value" ref={field} inputMode="decimal" autocomplete="off" value={text} aria-invalid={problem !== ""} aria-describedby="value-problem" onInput={(event) => (setText(event.currentTarget.value), setProblem(""))} />
          <button type="submit">
            Record <kbd>Enter</kbd>
          </button>
          <p class="problem" id="value-problem">
            {problem}
          </p>
        </form>
      )}
      <div class="others">
        {!again.value && (
          <button type="button" class="plain" onClick={cannotTell} aria-keyshortcuts="c">
            Cannot tell <kbd>c</kbd>
          </button>
        )}
        {!again.value && (
          <button type="button" class="plain" onClick={props.onSkip} aria-keyshortcuts="s">
            Skip <kbd>s</kbd>
          </button>
        )}
        <button type="button" class="plain" onClick={undo} disabled={!canUndo()} aria-keyshortcuts="u">
          {again.value ? "Keep the answer" : "Undo"} <kbd>u</kbd>
        </button>
      </div>
    </div>
  );
}
