// A curve along every input at once, all through the same values of the others.
import type { Slice, View } from "../api";
import { chosenValues, ordered } from "../axes";
import { query } from "../client";
import { useFetchedAll } from "../fetched";
import { plural } from "../format";
import { Computing, Note } from "../parts/basics";
import { textInAddress } from "../parts/address";
import { Curve } from "./Curve";

/** More are too small to be read, and the rest matters least. */
const most = 12;
const opened = textInAddress("each");

function Curves({ view }: { view: View }) {
  const inputs = ordered(view).slice(0, most);
  const paths = inputs.map(({ name }) => {
    const at = Object.fromEntries(Object.entries(chosenValues.value).filter(([other]) => other !== name));
    return `/v1/slice${query({ x: name, at: Object.keys(at).length ? JSON.stringify(at) : undefined })}`;
  });
  const fetched = useFetchedAll<Slice>(view.parts.slices === null ? [] : paths, view.parts.slices ?? 0);
  const slices = (fetched.data ?? []).filter((slice) => !slice.y);
  if (fetched.problem) return <p class="problem">{fetched.problem}</p>;
  if (slices.length === 0) return <Computing />;
  return (
    <>
      <div class="panels" aria-busy={fetched.loading}>
        {slices.map((slice) => (
          <figure key={slice.x.name}>
            <h3>{slice.x.name}</h3>
            <Curve view={view} axes={{ x: slice.x.name, y: "", panels: "" }} slice={slice} slices={slices} panel="" name={`each-${slice.x.name}`} small next={false} />
          </figure>
        ))}
      </div>
      <Note>
        The pictures have one scale, the most important input comes first.
        {view.inputs.length > most ? ` ${plural(view.inputs.length - most, "input")} of least importance left out.` : ""}
      </Note>
    </>
  );
}

/** Fetched when it is opened. */
export function EachInput({ view }: { view: View }) {
  if (view.inputs.length < 2) return null;
  return (
    <details class="each" open={opened.value === "all"} onToggle={(event) => (opened.value = event.currentTarget.open ? "all" : "")}>
      <summary>Along every input</summary>
      {opened.value === "all" && <Curves view={view} />}
    </details>
  );
}
