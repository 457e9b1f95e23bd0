// What the model believes: a curve with its band, or a map, through the chosen values of the other inputs.
import type { InputColumn, PoolView, Slice, View } from "../api";
import { axesOf, chosenAxes, chosenValues, forgetValues, inputNamed, ordered, type Axes } from "../axes";
import { linearAxis, logAxis, rangeOf, type Axis } from "../charts/axis";
import { query } from "../client";
import { useFetched, useFetchedAll } from "../fetched";
import { numberText, percentText, valueText } from "../format";
import { ColourKey, Computing, LevelKey, Note, Section } from "../parts/basics";
import { textInAddress } from "../parts/address";
import { Curve } from "./Curve";
import { BeliefMap } from "./BeliefMap";
import { EachInput } from "./EachInput";

const sliderSteps = 200;
/** What maps show: "sd", or the mean. */
const chosenMap = textInAddress("map");

function share(input: InputColumn): string {
  return input.importance === null ? "" : `, ${percentText(input.importance)}`;
}

function AxisChoice(props: { id: string; label: string; value: string; inputs: InputColumn[]; none?: string; onChange(name: string): void }) {
  return (
    <span class="choice">
      <label for={props.id}>{props.label}</label>{" "}
      <select id={props.id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.none !== undefined && <option value="">{props.none}</option>}
        {props.inputs.map((input) => (
          <option value={input.name} key={input.name}>
            {input.name}
            {share(input)}
          </option>
        ))}
      </select>
    </span>
  );
}

function AxisChoices(props: { view: View; axes: Axes }) {
  const inputs = ordered(props.view);
  if (inputs.length < 2) return null;
  const { axes } = props;
  const choose = (change: Partial<Axes>) => {
    const next = { ...axes, ...change };
    if (next.y === next.x) next.y = change.x !== undefined && axes.x !== next.x && axes.y !== "" ? axes.x : "";
    if (next.panels === next.x || next.panels === next.y) next.panels = "";
    chosenAxes.value = next;
  };
  const categories = inputs.filter((input) => input.kind === "category" && input.name !== axes.x && input.name !== axes.y);
  return (
    <div class="controls">
      <AxisChoice id="axis-x" label="Across" value={axes.x} inputs={inputs} onChange={(x) => choose({ x })} />
      <AxisChoice id="axis-y" label="Up" value={axes.y} inputs={inputs.filter((input) => input.name !== axes.x)} none="nothing (a curve)" onChange={(y) => choose({ y })} />
      {categories.length > 0 && (
        <AxisChoice id="axis-panels" label="One picture per" value={axes.panels} inputs={categories} none="nothing" onChange={(panels) => choose({ panels })} />
      )}
    </div>
  );
}

function Slider(props: { input: InputColumn; value: number | string | undefined }) {
  const { input } = props;
  const id = `slice-${input.name}`;
  const set = (value: number | string) => (chosenValues.value = { ...chosenValues.value, [input.name]: value });
  if (input.kind === "category")
    return (
      <div class="slider">
        <label for={id}>{input.name}</label>
        <select id={id} value={String(props.value ?? "")} onChange={(event) => set(event.currentTarget.value)}>
          {input.values.map((value) => (
            <option value={value} key={value}>
              {value}
            </option>
          ))}
        </select>
      </div>
    );
  const axis = input.logarithmic && input.low > 0 ? logAxis("", input.low, input.high) : linearAxis("", input.low, input.high);
  const value = Number(props.value ?? axis.value(0.5));
  const text = `${numberText(value)}${input.unit ? ` ${input.unit}` : ""}`;
  return (
    <div class="slider">
      <label for={id}>
        {input.name} <output for={id}>{text}</output>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={sliderSteps}
        value={Math.round(axis.at(value) * sliderSteps)}
        aria-valuetext={text}
        onInput={(event) => set(Number(axis.value(Number(event.currentTarget.value) / sliderSteps).toPrecision(6)))}
      />
    </div>
  );
}

function Sliders(props: { view: View; axes: Axes; at: Record<string, number | string> }) {
  const { axes } = props;
  const others = ordered(props.view).filter((input) => ![axes.x, axes.y, axes.panels].includes(input.name));
  if (others.length === 0) return null;
  const moved = others.some((input) => chosenValues.value[input.name] !== undefined);
  return (
    <fieldset class="sliders">
      <legend>Through these values of the other inputs, most important first</legend>
      {others.map((input) => (
        <Slider input={input} value={chosenValues.value[input.name] ?? props.at[input.name]} key={input.name} />
      ))}
      {moved && (
        <button type="button" class="plain" onClick={forgetValues}>
          Back to the default values
        </button>
      )}
    </fieldset>
  );
}

/** One range for all panels, so that they can be compared. */
function valueAxis(view: View, slices: Slice[], shown: "mean" | "sd"): Axis {
  const title = shown === "sd" ? `standard deviation of ${view.target.axis}` : view.target.axis;
  if (view.target.kind === "binary" && shown === "mean") return linearAxis(title, 0, 1);
  const numbers = slices.flatMap((slice) => (shown === "sd" ? (slice.sd ?? []) : slice.middle) as (number | number[])[]).flat();
  const [low, high] = rangeOf(numbers, 0);
  return view.target.logarithmic && shown === "mean" && low > 0 ? logAxis(title, low, high) : linearAxis(title, low, high);
}

export function Posterior(props: { view: View }) {
  const { view } = props;
  const shown = chosenMap.value === "sd" ? "sd" : "mean";
  const axes = axesOf(view);
  const panels = axes.panels ? (inputNamed(view, axes.panels)?.values ?? []) : [""];
  const paths = panels.map((value) => {
    const at: Record<string, number | string> = {};
    for (const [name, chosen] of Object.entries(chosenValues.value)) if (name !== axes.x && name !== axes.y) at[name] = chosen;
    if (axes.panels) at[axes.panels] = value;
    const slice = { x: axes.x, y: axes.y || undefined, at: Object.keys(at).length ? JSON.stringify(at) : undefined };
    return `/v1/slice${query(slice)}`;
  });
  const fetched = useFetchedAll<Slice>(axes.x && view.parts.slices !== null ? paths : [], view.parts.slices ?? 0);
  const slices = (fetched.data ?? []).filter((slice) => slice.x.name === axes.x && (slice.y?.name ?? "") === axes.y);
  const map = axes.y !== "";
  const inputs = view.inputs;
  // In which of the pictures the next choice belongs: the pool along the category says which value it has.
  const along = useFetched<PoolView>(axes.panels && view.parts.pool !== null ? `/v1/pool${query({ x: axes.panels })}` : null, view.parts.pool ?? 0);
  const nextValue = along.data?.rows.find((row) => row.point === along.data?.next)?.x;
  const nextHere = (value: string) => axes.panels === "" || nextValue === value;
  const at = { ...(slices[0]?.at ?? {}) };
  const classes = view.target.classes;
  return (
    <Section id="posterior" title={classes ? `Probability of ${classes[1]}` : `What the model believes about ${view.target.axis}`} wide>
      <AxisChoices view={view} axes={axes} />
      {map && (
        <div class="controls" role="group" aria-label="What the map shows">
          {(["mean", "sd"] as const).map((what) => (
            <label key={what}>
              <input type="radio" name="shown" checked={shown === what} onChange={() => (chosenMap.value = what === "sd" ? "sd" : "")} />{" "}
              {what === "mean" ? (classes ? "probability" : "mean") : "standard deviation"}
            </label>
          ))}
        </div>
      )}
      {fetched.problem && <p class="problem">{fetched.problem}</p>}
      {slices.length === 0 && !fetched.problem && <Computing />}
      <div class={slices.length > 1 ? "panels" : "panel"} aria-busy={fetched.loading}>
        {slices.map((slice, k) => {
          const name = axes.panels ? `${axes.panels} ${valueText(panels[k] ?? "")}` : "";
          return (
            <figure key={panels[k] ?? k}>
              {name && <h3>{name}</h3>}
              {map ? (
                <BeliefMap view={view} axes={axes} slice={slice} shown={shown} colours={valueAxis(view, slices, shown)} panel={name} small={slices.length > 1} next={nextHere(panels[k] ?? "")} />
              ) : (
                <Curve view={view} axes={axes} slice={slice} slices={slices} panel={name} small={slices.length > 1} next={nextHere(panels[k] ?? "")} />
              )}
            </figure>
          );
        })}
      </div>
      {map && slices.length > 1 && <ColourKey colours={valueAxis(view, slices, shown)} />}
      <LevelKey
        levels={view.levels.map((level) => level.name)}
        more={
          <>
            <li><svg class="mark" viewBox="-7 -7 14 14" aria-hidden="true"><circle r="4.5" class="hollow" /></svg> pending</li>
            <li><svg class="mark" viewBox="-10 -10 20 20" aria-hidden="true"><path class="next" d="M0-9L2.4-3.2 8.6-2.8 3.8 1.2 5.3 7.3 0 4 -5.3 7.3-3.8 1.2-8.6-2.8-2.4-3.2z" /></svg> next</li>
          </>
        }
      />
      <Note>
        {inputs.some((input) => input.importance !== null) && inputs.length > 1
          ? "Percentages are shares of the variation of the mean, with interactions. "
          : ""}
        {map ? "" : classes ? "" : "The band contains 95 % of what the model thinks possible. "}
        Larger marks are more precise answers{view.inputs.length > (map ? 2 : 1) ? "; fainter ones lie farther from this slice" : ""}.
        {map && classes && shown === "mean" ? " The white line is where both classes are equally probable." : ""}
        {view.answers_total > view.answers.length ? ` Drawn: the newest ${view.answers.length.toLocaleString("en")} of ${view.answers_total.toLocaleString("en")} answers.` : ""}
        {slices[0]?.note ? ` ${slices[0].note}` : ""}
      </Note>
      <Sliders view={view} axes={axes} at={at} />
      <EachInput view={view} />
    </Section>
  );
}
