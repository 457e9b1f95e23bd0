// "Why this point?": what `acuity explain` says.
import type { Explained } from "../api";
import { useFetched } from "../fetched";
import { Dialog } from "../parts/Dialog";

/** `point` empty: the next choice. */
export function Why(props: { point: string; onClose: () => void }) {
  const path = props.point ? `/v1/explain/point/${encodeURIComponent(props.point)}` : "/v1/explain/next";
  const { data, problem } = useFetched<Explained>(path, 0);
  return (
    <Dialog title={props.point ? `Why ${props.point}?` : "Why the next one?"} onClose={props.onClose}>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!data && !problem && <p class="soft">Computing …</p>}
      {data && (
        <div class="explained" tabIndex={0} role="region" aria-label="Explanation">
          <pre>{data.text}</pre>
        </div>
      )}
    </Dialog>
  );
}
