// Building blocks that all views share.
import type { ComponentChildren } from "preact";
import type { View } from "../api";
import type { Axis } from "../charts/axis";
import { levelColour, levelShape } from "../charts/colours";
import { numberText } from "../format";

export function Section(props: { id: string; title: string; wide?: boolean; children: ComponentChildren }) {
  return (
    <section id={props.id} class={props.wide ? "wide" : undefined} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{props.title}</h2>
      {props.children}
    </section>
  );
}

export interface Cell {
  text: ComponentChildren;
  number?: boolean;
  long?: boolean;
}

function cellOf(cell: Cell | string | number): Cell {
  return typeof cell === "object" ? cell : { text: cell, number: typeof cell === "number" };
}

interface TableProps {
  label: string;
  header: (string | Cell)[];
  rows: (Cell | string | number)[][];
  keys?: (string | number)[];
}

/** A table that moves sideways where it is too wide, and can then be moved by the keyboard. */
export function Table(props: TableProps) {
  const style = (cell: Cell) => (cell.number ? "number" : cell.long ? "long" : undefined);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            {props.header.map((name, k) => {
              const cell = cellOf(name);
              return (
                <th scope="col" class={style(cell)} key={k}>
                  {cell.text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, i) => (
            <tr key={props.keys?.[i] ?? i}>
              {row.map((value, k) => {
                const cell = cellOf(value);
                return k === 0 ? (
                  <th scope="row" class={style(cell)} key={k}>
                    {cell.text}
                  </th>
                ) : (
                  <td class={style(cell)} key={k}>
                    {cell.text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const heading = (text: string): Cell => ({ text, number: true });
export const figure = (text: ComponentChildren): Cell => ({ text, number: true });
/** The heading of a column of buttons, for those who hear the table. */
export const unseen = (text: string): Cell => ({ text: <span class="unseen">{text}</span> });
export const sentence = (text: ComponentChildren): Cell => ({ text, long: true });

/** The numbers behind a picture, for those who do not see it or want to copy them. */
export function Numbers(props: TableProps & { summary?: string }) {
  return (
    <details class="numbers">
      <summary>{props.summary ?? "As a table"}</summary>
      <Table {...props} />
    </details>
  );
}

export function LevelMark(props: { level: number }) {
  const shape = levelShape(props.level);
  const colour = levelColour(props.level);
  return (
    <svg class="mark" viewBox="-7 -7 14 14" aria-hidden="true">
      {shape === "circle" && <circle r="5" fill={colour} />}
      {shape === "square" && <rect x="-4.5" y="-4.5" width="9" height="9" fill={colour} />}
      {shape === "triangle" && <path d="M0-6L5.5 4H-5.5z" fill={colour} />}
      {shape === "diamond" && <path d="M0-6L6 0 0 6-6 0z" fill={colour} />}
    </svg>
  );
}

/** Names of levels with the mark each has in the pictures. */
export function LevelKey(props: { levels: string[]; more?: ComponentChildren }) {
  return (
    <ul class="key">
      {props.levels.map((name, k) => (
        <li key={name}>
          <LevelMark level={k} /> {name}
        </li>
      ))}
      {props.more}
    </ul>
  );
}

/** The colours of several maps, once. */
export function ColourKey(props: { colours: Axis }) {
  return (
    <div class="colour-key">
      <p>{props.colours.title}</p>
      <div class="scale" aria-hidden="true" />
      <p class="ends">
        {[0, 0.5, 1].map((share) => (
          <span key={share}>{numberText(props.colours.value(share), 3)}</span>
        ))}
      </p>
    </div>
  );
}

/** In the place of what comes later. */
export function Computing() {
  return <p class="soft placeholder">Being computed …</p>;
}

/** In the place of what needs the model, or more answers. */
export function NothingYet(props: { view: View }) {
  return props.view.parts.model === null && props.view.answers_total > 0 ? <Computing /> : <p class="soft">Too few answers yet.</p>;
}

export function Note(props: { children: ComponentChildren }) {
  return <p class="soft note">{props.children}</p>;
}
