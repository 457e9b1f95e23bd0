// Pictures of the report that the page does not draw itself.
import { useState } from "preact/hooks";
import type { Figure, View } from "../api";
import { Section } from "../parts/basics";
import { ServedImage } from "../parts/ServedImage";

export function Picture(props: { figure: Figure; version: number }) {
  const { figure } = props;
  if (figure.absent) return <p class="soft">{`${figure.heading}: ${figure.absent}`}</p>;
  return (
    <figure>
      <div class="scroll" tabIndex={0} role="group" aria-label={figure.heading}>
        <ServedImage path={`/v1/figures/${encodeURIComponent(figure.name)}.svg`} alt={figure.caption || figure.heading} version={props.version} />
      </div>
      {figure.caption && <figcaption>{figure.caption}</figcaption>}
    </figure>
  );
}

/** Fetched when it is opened. */
function Folded(props: { figure: Figure; version: number }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{props.figure.heading}</summary>
      {open && <Picture {...props} />}
    </details>
  );
}

/** Those that the page draws itself, from the same data, or shows elsewhere. */
const shownAbove = new Set(["learning-curve", "money", "belief", "calibration"]);

export function MorePictures(props: { view: View }) {
  const more = props.view.figures.filter((figure) => !shownAbove.has(figure.name));
  if (more.length === 0) return null;
  return (
    <Section id="more" title="More pictures" wide>
      {more.map((figure) => (
        <Folded figure={figure} version={props.view.parts.model ?? 0} key={figure.name} />
      ))}
    </Section>
  );
}
