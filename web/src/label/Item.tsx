// The item to be labelled: its text, its picture, or its columns and where it lies.
import type { LabelItem, View } from "../api";
import { inputAxis } from "../charts/axis";
import { levelColour } from "../charts/colours";
import { drawNext } from "../charts/dots";
import { Plot } from "../charts/Plot";
import { numberText } from "../format";
import { ServedImage } from "../parts/ServedImage";
import { images } from "./session";

function Columns(props: { item: LabelItem }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Columns of the item">
      <table class="item-columns">
        <tbody>
          {props.item.inputs.map((input) => (
            <tr key={input.name}>
              <th scope="row">{input.name}</th>
              <td class="number">
                {typeof input.value === "number" ? numberText(input.value, 6) : input.value}
                {input.unit && ` ${input.unit}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where the item lies among the answered points, whose answers are not shown: nobody is to be led by them. */
function Place(props: { item: LabelItem; view: View }) {
  const { view, item } = props;
  const numbers = view.order.filter((k) => view.inputs[k]?.kind === "number");
  const [i, j] = [numbers[0], numbers[1]];
  const across = i === undefined ? undefined : view.inputs[i];
  const up = j === undefined ? undefined : view.inputs[j];
  if (!across || i === undefined || !up || j === undefined) return null;
  const value = (name: string) => item.inputs.find((input) => input.name === name)?.value;
  const [x, y] = [value(across.name), value(up.name)];
  if (x === undefined || y === undefined) return null;
  return (
    <figure class="place">
      <Plot
        label={`Where it lies: ${across.name} ${x}, ${up.name} ${y}, among ${view.answers.length} answered points.`}
        x={inputAxis(across, 0.03)}
        y={inputAxis(up, 0.03)}
        height={220}
        draw={(area) => {
          area.context.fillStyle = levelColour(7);
          area.context.globalAlpha = 0.55;
          for (const answer of view.answers) {
            area.context.beginPath();
            area.context.arc(area.x(answer.inputs[i] ?? 0), area.y(answer.inputs[j] ?? 0), 2.5, 0, 2 * Math.PI);
            area.context.fill();
          }
          area.context.globalAlpha = 1;
          drawNext(area, area.x(x), area.y(y));
        }}
      />
      <figcaption>The star is this item, the dots are points that have an answer.</figcaption>
    </figure>
  );
}

export function Item(props: { item: LabelItem; view: View | null }) {
  const { item } = props;
  const shown = item.text !== null || item.image !== null;
  return (
    <div class="item" id="item">
      {item.image !== null && (
        <ServedImage path={item.image} alt={`The picture of ${item.point}`} ready={images.get(item.image)} key={item.image} />
      )}
      {item.text !== null && <p class="item-text">{item.text}</p>}
      {shown ? (
        item.inputs.length > 0 && item.inputs.length <= 12 && (
          <details>
            <summary>Columns</summary>
            <Columns item={item} />
          </details>
        )
      ) : (
        <div class="columns">
          <Columns item={item} />
          {props.view && <Place item={item} view={props.view} />}
        </div>
      )}
    </div>
  );
}
