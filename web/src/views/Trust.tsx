// May the intervals be trusted: calibration per level, and the differences between levels.
import { useState } from "preact/hooks";
import type { Bias, Calibration, View } from "../api";
import { ordered } from "../axes";
import { inputAxis, linearAxis, rangeOf } from "../charts/axis";
import { Scatter } from "../charts/Scatter";
import { numberText, percentText, valueText } from "../format";
import { figure, heading, Note, NothingYet, Numbers, Section, Table } from "../parts/basics";

function Quantiles(props: { view: View; calibration: Calibration }) {
  const { calibration, view } = props;
  const { expected, found } = calibration.quantiles;
  if (expected.length === 0) return <p class="soft">Too few answers.</p>;
  const [low, high] = rangeOf([...expected, ...found, -2.5, 2.5]);
  const level = view.levels.findIndex((one) => one.name === calibration.level);
  return (
    <Scatter
      label={`Quantiles of standardised errors, ${calibration.level}: standard deviation ${numberText(calibration.sd, 3)}, should be 1.`}
      x={linearAxis("expected score", low, high)}
      y={linearAxis("found score", low, high)}
      line="identity"
      square
      height={300}
      dots={expected.map((x, k) => ({
        x,
        y: found[k] ?? 0,
        level: level < 0 ? 7 : level,
        radius: 2.8,
        text: () => `expected ${numberText(x, 3)}, found ${numberText(found[k], 3)}`,
      }))}
    />
  );
}

export function CalibrationSection(props: { view: View }) {
  const { view } = props;
  const list = view.calibrations.filter((one) => one.count > 0);
  if (view.target.kind !== "real") return null; // reliability is shown beside the answers
  const shown = list.length === 2 ? list.slice(0, 1) : list; // one level: the same twice
  const nominals = list[0]?.coverages.map((coverage) => coverage.nominal) ?? [];
  return (
    <Section id="calibration" title="Calibration" wide>
      {list.length === 0 ? (
        <NothingYet view={view} />
      ) : (
        <>
          <p>
            Every answer beside its prediction, in standard deviations. Calibrated intervals put the dots on the line; steeper means that
            the intervals are too narrow, an offset that a level is biased.
          </p>
          <div class="panels">
            {shown.slice(0, 6).map((one) => (
              <figure key={one.level}>
                <h3>
                  {one.level} ({one.count})
                </h3>
                <Quantiles view={view} calibration={one} />
              </figure>
            ))}
          </div>
          {shown.length > 6 && <Note>The first 6 of {shown.length} levels; the table has all.</Note>}
          <Table
            label="Coverage by level"
            header={["level", heading("answers"), heading("mean"), heading("sd"), ...nominals.map((nominal) => heading(`in ${percentText(nominal)}`))]}
            rows={list.map((one) => [
              one.level,
              figure(one.count),
              figure(numberText(one.mean, 2)),
              figure(numberText(one.sd, 3)),
              ...one.coverages.map((coverage) =>
                figure(
                  <span class={coverage.off ? "off" : undefined}>
                    {percentText(coverage.share)} ± {percentText(coverage.sampling_error)}
                    {coverage.off && " (off)"}
                  </span>,
                ),
              ),
            ])}
          />
          <Note>“in 95 %”: how many answers were inside the 95 % interval, with the sampling error of that share.</Note>
        </>
      )}
    </Section>
  );
}

function Pairs(props: { view: View; bias: Bias; input: string }) {
  const { view, bias } = props;
  const index = view.inputs.findIndex((input) => input.name === props.input);
  const input = view.inputs[index];
  const reference = view.levels[0]?.name ?? "the reference";
  const level = view.levels.findIndex((one) => one.name === bias.level);
  if (!input) return null;
  if (bias.pairs.length === 0) return <p class="soft">No point has answers of both levels yet.</p>;
  const [low, high] = rangeOf([0, ...bias.pairs.flatMap((pair) => [pair.difference - pair.sd, pair.difference + pair.sd])]);
  return (
    <>
      <Scatter
        label={`Differences of ${bias.level} to ${reference} along ${input.name}, ${bias.pairs.length} pairs.`}
        x={inputAxis(input, 0.02)}
        y={linearAxis(`${bias.level} − ${reference}`, low, high)}
        line="zero"
        height={280}
        dots={bias.pairs.map((pair) => ({
          x: pair.inputs[index] ?? 0,
          y: pair.difference,
          level,
          low: pair.difference - pair.sd,
          high: pair.difference + pair.sd,
          text: () => `${input.name} ${valueText(pair.inputs[index] ?? "")}: ${numberText(pair.difference, 3)} ± ${numberText(pair.sd, 2)}`,
        }))}
      />
      <Numbers
        label={`Paired differences of ${bias.level}`}
        header={[input.name, heading("difference"), heading("sd")]}
        rows={bias.pairs.slice(0, 50).map((pair) => [valueText(pair.inputs[index] ?? ""), figure(numberText(pair.difference, 3)), figure(numberText(pair.sd, 2))])}
        summary={bias.pairs.length > 50 ? `The first 50 of ${bias.pairs.length} as a table` : "As a table"}
      />
    </>
  );
}

export function BiasSection(props: { view: View }) {
  const { view } = props;
  const inputs = ordered(view);
  const [chosen, setChosen] = useState("");
  const input = inputs.some((one) => one.name === chosen) ? chosen : (inputs[0]?.name ?? "");
  if (view.biases.length === 0) return null;
  return (
    <Section id="bias" title="Bias of the levels" wide>
      {inputs.length > 1 && (
        <div class="controls">
          <span class="choice">
            <label for="bias-input">Along</label>{" "}
            <select id="bias-input" value={input} onChange={(event) => setChosen(event.currentTarget.value)}>
              {inputs.map((one) => (
                <option value={one.name} key={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          </span>
        </div>
      )}
      <div class="panels wide">
        {view.biases.map((bias) => (
          <figure key={bias.level}>
            <h3>{bias.level}</h3>
            <Pairs view={view} bias={bias} input={input} />
            <figcaption>{bias.sentence}</figcaption>
          </figure>
        ))}
      </div>
    </Section>
  );
}
