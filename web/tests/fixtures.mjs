// Campaigns that never were, of the shapes and sizes that real ones have. Plain functions of a seed: the same every time.

export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

const number = (name, low, high, more = {}) => ({ name, unit: "", kind: "number", logarithmic: false, low, high, values: [], importance: null, ...more });
const category = (name, values, importance) => ({ name, unit: "", kind: "category", logarithmic: false, low: 0, high: 0, values, importance });

const shapes = {
  curve: {
    name: "slab-transmission",
    unit: "ms",
    inputs: [number("thickness", 0.5, 8, { unit: "cm", importance: 1 })],
    order: [0],
    levels: [{ name: "fine", noise: 0.02, cost: 20 }, { name: "medium", noise: 0.06, cost: 4 }, { name: "coarse", noise: 0.15, cost: 1 }],
    axis: "transmission",
    truth: ([x]) => Math.exp(-0.4 * x) + 0.25 * Math.sin(1.3 * x),
    answers: 45,
    pool: 300,
    budget: 400,
  },
  map: {
    name: "duct-pressure",
    unit: "core-h",
    inputs: [number("speed", 1, 40, { unit: "m/s", importance: 0.7 }), number("angle", -10, 15, { unit: "deg", importance: 0.35 })],
    order: [0, 1],
    levels: [{ name: "fine", noise: 0.02, cost: 64 }, { name: "coarse", noise: 0.2, cost: 3 }],
    axis: "pressure loss (kPa)",
    truth: ([x, y]) => 2 + Math.sin(x / 7) + 0.02 * (y - 3) ** 2 * (x / 40),
    answers: 120,
    pool: 900,
    budget: 2600,
    biases: true,
  },
  wing: {
    name: "wing-drag",
    unit: "core-h",
    inputs: [
      number("mach", 0.3, 0.85, { importance: 0.46 }),
      number("aoa", -4, 14, { unit: "deg", importance: 0.31 }),
      number("reynolds", 1e5, 1e7, { logarithmic: true, importance: 0.11 }),
      category("flap", ["0", "10", "20", "30"], 0.22),
      number("sweep", 0, 35, { unit: "deg", importance: 0.07 }),
      number("camber", 0, 0.06, { importance: 0.05 }),
      category("tip", ["plain", "raked", "winglet"], 0.03),
      number("roughness", 1e-6, 1e-3, { unit: "m", logarithmic: true, importance: 0.01 }),
    ],
    order: [0, 1, 3, 2, 4, 5, 6, 7],
    levels: [{ name: "fine", noise: 2e-4, cost: 64 }, { name: "medium", noise: 6e-4, cost: 8 }, { name: "coarse", noise: 1.2e-3, cost: 1 }],
    axis: "cd",
    truth: (v) =>
      0.012 + 0.06 * (v[0] - 0.5) ** 2 + 3e-5 * (v[1] - 1) ** 2 + 0.002 * ["0", "10", "20", "30"].indexOf(v[3]) * (0.3 + v[0]) - 4e-4 * Math.log10(v[2]),
    answers: 180,
    pool: 9000,
    budget: 3500,
    biases: true,
  },
  claims: {
    name: "claims-triage",
    unit: "EUR",
    inputs: [
      number("length", 10, 400, { unit: "words", importance: 0.45 }),
      number("amount", 10, 1e5, { unit: "EUR", logarithmic: true, importance: 0.5 }),
    ],
    order: [1, 0],
    levels: [{ name: "expert", noise: 0.02, cost: 4 }, { name: "trained", noise: 0.1, cost: 0.4 }, { name: "crowd", noise: 0.25, cost: 0.05 }],
    axis: "probability of fraud",
    classes: ["honest", "fraud"],
    truth: ([length, amount]) => 1 / (1 + Math.exp(-(2.4 * (Math.log10(amount) - 3.2) - (length - 180) / 60))),
    answers: 260,
    pool: 4000,
    budget: 300,
    people: true,
  },
};
shapes.large = { ...shapes.wing, name: "wing-drag-large", answers: 5000, pool: 100000, budget: 90000 };
shapes.solvents = {
  name: "yield-by-solvent",
  unit: "EUR",
  inputs: [
    number("temperature", 20, 120, { unit: "°C", importance: 0.4 }),
    number("catalyst", 0.001, 0.1, { logarithmic: true, unit: "mol/L", importance: 0.2 }),
    category("solvent", ["DMF", "Ethanol/Wasser", "2-MeTHF", "Toluol", "Acetonitril", "DMSO"], 0.5),
  ],
  order: [2, 0, 1],
  levels: [{ name: "good", noise: 2, cost: 5 }, { name: "rough", noise: 6, cost: 1 }],
  axis: "yield (%)",
  truth: ([t, c, s]) => 50 + 20 * Math.sin(t / 30) + 5 * Math.log10(c) + 6 * "DE2TA".indexOf(s[0]),
  answers: 90,
  pool: 294,
  budget: 400,
};
shapes.fresh = { ...shapes.map, name: "duct-fresh", answers: 0 };
shapes.one = { ...shapes.map, name: "duct-one-answer", answers: 1, biases: false };
shapes.finished = { ...shapes.curve, name: "slab-finished", budget: 100 };
// Names that would do harm if they ever became markup.
shapes.hostile = {
  ...shapes.curve,
  name: '<img src=x onerror="window.harmed=1">',
  levels: [{ name: "<b>fine</b>", noise: 0.02, cost: 20 }, { name: "</script><script>window.harmed=1</script>", noise: 0.15, cost: 1 }],
};

const scaleOf = (input) => (input.logarithmic ? Math.log : (v) => v);
const backOf = (input) => (input.logarithmic ? Math.exp : (v) => v);

function draw(input, random01) {
  if (input.kind === "category") return input.values[Math.floor(random01() * input.values.length)];
  const [low, high] = [input.low, input.high].map(scaleOf(input));
  return Number(backOf(input)(low + random01() * (high - low)).toPrecision(6));
}

const drawn = (inputs, seed) => {
  const next = random(seed);
  return inputs.map((input) => draw(input, next));
};

/** Of the normal distribution, good to three digits, which is enough to draw. */
function quantile(p) {
  const t = Math.sqrt(-2 * Math.log(p < 0.5 ? p : 1 - p));
  const z = t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
  return p < 0.5 ? -z : z;
}

function calibration(level, scores) {
  const sorted = [...scores].sort((a, b) => a - b);
  const kept = sorted.filter((_, k) => k % Math.max(1, Math.ceil(sorted.length / 200)) === 0);
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
  return {
    level,
    count: scores.length,
    mean,
    sd: Math.sqrt(scores.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, scores.length - 1)),
    coverages: [0.5, 0.9, 0.95].map((nominal) => {
      const share = scores.filter((z) => Math.abs(z) < quantile(0.5 + nominal / 2)).length / scores.length;
      const error = Math.sqrt((nominal * (1 - nominal)) / scores.length);
      return { nominal, share, sampling_error: error, off: Math.abs(share - nominal) > 3 * error };
    }),
    quantiles: { expected: kept.map((_, k) => quantile((k + 0.5) / kept.length)), found: kept },
  };
}

const thin = (list, most) => list.filter((_, k) => k % Math.max(1, Math.ceil(list.length / most)) === 0 || k + 1 === list.length);

export class Campaign {
  constructor(scenario) {
    this.shape = shapes[scenario];
    if (!this.shape) throw new Error(`there is no scenario ${scenario}`);
    this.random = random(7);
    this.sequence = 0;
    this.created = Math.floor(Date.now() / 1000) - 6 * 3600;
    this.answers = [];
    for (let k = 0; k < this.shape.answers; ++k) this.grow(k / this.shape.answers);
  }

  grow(share = 1) {
    const { shape } = this;
    const inputs = shape.inputs.map((input) => draw(input, this.random));
    const weights = shape.levels.map((_, k) => (k === 0 ? 0.05 + 0.2 * share : k));
    let pick = this.random() * weights.reduce((a, b) => a + b, 0);
    let level = weights.findIndex((weight) => (pick -= weight) < 0);
    if (level < 0) level = shape.levels.length - 1;
    const { noise, cost } = shape.levels[level];
    const truth = shape.truth(inputs);
    const odd = this.random() < 0.01 ? 6 : 1;
    const id = this.answers.length + 1;
    const binary = !!shape.classes;
    const one = this.random() < noise ? 1 - Math.round(truth) : truth > this.random() ? 1 : 0;
    const value = binary ? one : truth + odd * noise * normal(this.random);
    const expected = binary ? Math.min(0.98, Math.max(0.02, truth + 0.1 * normal(this.random))) : truth + 0.6 * noise * normal(this.random);
    const sd = 1.2 * noise;
    this.answers.push({
      id,
      point: `P${1000 + id}`,
      inputs,
      level,
      value,
      text: binary ? shape.classes[one] : String(Number(value.toPrecision(5))),
      expected,
      expected_low: binary ? null : expected - 1.96 * sd,
      expected_high: binary ? null : expected + 1.96 * sd,
      score: binary ? null : (value - expected) / sd,
      noise,
      predicted: id > 8,
      cost,
      told_at: this.created + Math.round(share * 6 * 3600),
      worker: shape.people ? ["anna", "ben", "chris"][id % 3] : `node${1 + (id % 4)}`,
    });
    this.sequence += 2;
    return id;
  }

  amend(id, value) {
    const answer = this.answers.find((one) => one.id === id);
    if (!answer) return false;
    answer.value = this.shape.classes ? (value + 1) / 2 : value;
    answer.text = this.shape.classes ? this.shape.classes[(value + 1) / 2] : String(value);
    if (answer.score !== null) answer.score = (value - answer.expected) / (1.2 * answer.noise);
    this.sequence += 1;
    return true;
  }

  history() {
    const time = (seconds) => new Date(1000 * (this.created + seconds)).toISOString();
    return [
      { seq: 1, time: time(0), event: "created", name: this.shape.name },
      { seq: 2, time: time(1), event: "owner", host: "node7", process: 9768 },
      { seq: 40, time: time(900), event: "owner", host: "node7", process: 9768 },
      { seq: 90, time: time(4000), event: "amended", id: 12, point: "P1012", y: 0.31, reason: "corrected by olga", worker: "" },
      { seq: 120, time: time(8000), event: "changed", changes: ["annotator.timeout: 30m -> 2h; applies to attempts from now on"] },
    ];
  }

  courses() {
    const sums = this.shape.levels.map(() => 0);
    const [spending, money, course] = [[], [], []];
    this.answers.forEach((answer, k) => {
      sums[answer.level] += answer.cost;
      const total = sums.reduce((a, b) => a + b, 0);
      spending.push({ time: answer.told_at - this.created, answers: k + 1, spent: [...sums] });
      money.push({ time: answer.told_at - this.created, spent: total });
      const error = (0.5 * (this.shape.levels[1]?.noise ?? 1) * (3 + 0.15 * Math.sin(k / 5))) / Math.sqrt(k + 2);
      course.push({ spent: total, answers: k + 1, error: k < 3 ? null : error, expected: k < 2 ? null : error * 0.93, at_goal: null });
    });
    return { sums, spending: thin(spending, 400), money: thin(money, 400), course: thin(course, 300) };
  }

  verdicts() {
    const { shape, answers } = this;
    const [fine, coarse] = [shape.levels[0], shape.levels.at(-1)];
    return [
      {
        question: "Is it good enough?",
        answer: `Not yet: the typical error is 2.1e-4, the goal is 1.5e-4. It falls by a third per 100 ${shape.unit}.`,
        advice: `About 340 ${shape.unit} more (200 to 610) reach the goal.`,
        details: "",
        state: "bad",
      },
      {
        question: "May it be trusted?",
        answer: `Yes: 95 % intervals contain 94 % of ${answers.length} answers that were predicted before they were recorded.`,
        advice: "",
        details: "Of the last 60 answers 95 % were within the 95 % interval predicted before they were recorded.",
        state: "good",
      },
      {
        question: "What next?",
        answer: `P2001 at ${coarse.name}, cost ${coarse.cost} ${shape.unit}.`,
        advice: `${fine.name} would win below a cost of 43.`,
        details: "",
        state: "unknown",
      },
    ];
  }

  firstScreen(spent) {
    const { shape, answers } = this;
    const coarse = shape.levels.at(-1);
    const fact = (value, sentence, state) => ({ value, sentence, state });
    if (answers.length === 0)
      return {
        first: [`First come 21 answers at points far apart: 20 ${coarse.name}, 1 ${shape.levels[0].name}.`, "Then every question is the one that tells most for its price."],
        error: fact("Not known yet", "There are no answers yet.", "unknown"),
        trust: fact("Not known yet", "There are no answers yet.", "unknown"),
        money: fact(`${shape.budget} ${shape.unit} left`, `The first 21 answers cost about 40 ${shape.unit} of it.`, "unknown"),
        next: { point: "P1001", inputs: drawn(shape.inputs, 77), level: coarse.name, cost: coarse.cost, why: "It belongs to the initial design, at points far apart." },
        nothing_next: "",
      };
    const finished = spent >= shape.budget;
    return {
      first: [],
      error: fact(shape.classes ? "6.5 %" : "2.1e-4", shape.classes ? "About this share of the predicted classes is wrong." : "Predictions are typically off by this much, 4 % of their range. It fell by 12 % over the last third of the money.", "bad"),
      trust: fact("Calibrated", `Intervals are good, judged by ${answers.length} answers.`, "good"),
      money: finished ? fact("Finished", "The budget is spent.", "unknown") : fact(`${Math.round(shape.budget - spent)} ${shape.unit} left`, `It will buy about 74 more answers: 62 ${coarse.name}, 12 ${shape.levels[0].name}.`, "unknown"),
      next: finished ? null : { point: "P2001", inputs: drawn(shape.inputs, 77), level: coarse.name, cost: coarse.cost, why: "It lowers the uncertainty of 40 points around it by a quarter or more. No other candidate does more for its price." },
      nothing_next: finished ? "The budget is spent." : "",
    };
  }

  view() {
    const { shape, answers } = this;
    const binary = !!shape.classes;
    const { sums, spending, money, course } = this.courses();
    const spent = sums.reduce((a, b) => a + b, 0);
    const now = Date.now() / 1000;
    const surprise = (answer) => Math.abs(answer.score ?? answer.value - answer.expected);
    const ofLevel = (k) => answers.filter((answer) => answer.level === k);
    return {
      sequence: this.sequence,
      computed_at: now,
      computed_seconds: 0.31,
      parts: { slices: this.sequence, pool: this.sequence, model: this.sequence },
      name: shape.name,
      unit: shape.unit,
      verdicts: this.verdicts(),
      first_screen: this.firstScreen(spent),
      warnings: shape.biases ? ['Level "coarse" reads 6e-4 low against "fine" (5 pairs); the model corrects for it.'] : [],
      budget: shape.budget,
      spent,
      escrow: 3 * shape.levels.at(-1).cost,
      pool: shape.pool,
      excluded: 2,
      failed: 3,
      created_at: this.created,
      last_at: answers.at(-1)?.told_at ?? this.created,
      target: {
        kind: binary ? "binary" : "real",
        axis: shape.axis,
        answers: binary ? "answers" : shape.axis,
        classes: shape.classes ?? null,
        logarithmic: false,
        error_measure: binary ? "mean log loss" : "root mean square error",
        error_logarithmic: !binary,
        source: "answers before they were recorded",
      },
      inputs: shape.inputs.map((input) => {
        const known = input.importance !== null && answers.length > 0;
        return known
          ? { ...input, importance_error: 0.03, alone: 0.8 * input.importance, effect: binary ? input.importance : 2 * shape.levels.at(-1).noise * input.importance }
          : { ...input, importance: null, importance_error: null, alone: null, effect: null };
      }),
      order: shape.order,
      levels: shape.levels.map((level, k) => ({ name: level.name, answers: ofLevel(k).length, spent: sums[k] })),
      answers: answers.slice(-2000),
      answers_total: answers.length,
      surprising: [...answers].sort((a, b) => surprise(b) - surprise(a)).slice(0, 12),
      pending: [0, 1, 2].map((k) => ({
        id: answers.length + 100 + k,
        point: `P${3000 + k}`,
        inputs: drawn(shape.inputs, 90 + k),
        level: shape.levels.at(-1).name,
        cost: shape.levels.at(-1).cost,
        worker: `node${k + 1}`,
        asked_at: now - 300 * (k + 1),
        lease_until: k === 2 ? null : now + 500 * (k + 1),
      })),
      failures: [0, 1].map((k) => ({
        point: `P${3100 + k}`,
        inputs: drawn(shape.inputs, 190 + k),
        failures: 2 - k,
        cost: 1.5 * k,
        answered: k === 1,
        reason: k === 0 ? "the command ended with exit code 3" : "no number in its output",
        log: k === 0 ? "iteration 4998 residual 1.2e+03\niteration 4999 residual 8.9e+05\nsolver diverged\n" : "",
      })),
      failures_total: 2,
      course,
      course_note: "",
      money,
      projected_end: spent < shape.budget ? Math.round((6 * 3600 * shape.budget) / spent) : null,
      spending,
      money_reach: { budget: spent >= 0.2 * shape.budget, projected_end: spent >= 0.2 * shape.budget && spent < shape.budget },
      calibrations: binary
        ? []
        : [calibration("all levels", answers.map((one) => one.score)), ...shape.levels.map((level, k) => calibration(level.name, ofLevel(k).map((one) => one.score)))],
      reliability: binary
        ? [0.08, 0.25, 0.45, 0.62, 0.8, 0.94].map((expected, k) => ({ count: 20 + 9 * k, expected, found: Math.min(1, Math.max(0, expected + 0.05 * Math.sin(5 * k))), error: 0.06 }))
        : [],
      biases: shape.biases
        ? shape.levels.slice(1).map((level) => ({
            level: level.name,
            sentence: `At 24 points answered at both levels, ${level.name} is ${(2 * level.noise).toPrecision(2)} lower. This is bias, not noise; the model corrects for it.`,
            pairs: answers.slice(0, 24).map((answer) => ({ inputs: answer.inputs, difference: level.noise * (0.7 * Math.sin(answer.id) - 2), sd: level.noise })),
          }))
        : [],
      figures: [
        { name: "break-even", heading: "Best level by uncertainty", caption: "Information per cost of each level against the standard deviation of the prediction.", absent: "" },
        { name: "money", heading: "Money and precision over time", caption: "Where a band grows, its level was bought.", absent: "" },
        { name: "hyperparameters", heading: "Learned model", caption: "", absent: "nothing was learned yet" },
      ],
      people: shape.people ? this.people() : [],
    };
  }

  people() {
    const person = (name, level, answers, gold, agreement, accuracy, more) => ({
      name, level, answers,
      gold: { right: gold[0], wrong: gold[1] },
      agreement: { same: agreement[0], different: agreement[1] },
      accuracy: accuracy[0], low: accuracy[1], high: accuracy[2],
      by_class: null, cannot_tell: 2, median_seconds: 8, remark: "", ...more,
    });
    return [
      person("anna", "expert", 88, [9, 0], [20, 1], [0.97, 0.89, 0.99], { median_seconds: 11.4 }),
      person("ben", "trained", 87, [7, 1], [17, 4], [0.86, 0.74, 0.93], { cannot_tell: 5 }),
      person("chris", "crowd", 85, [5, 5], [11, 10], [0.53, 0.5, 0.66], {
        by_class: { yes: { accuracy: 0.94, low: 0.83, high: 0.98 }, no: { accuracy: 0.12, low: 0.05, high: 0.25 }, coin: 0.99 },
        cannot_tell: 0, median_seconds: 1.6, remark: "says yes whatever is asked",
      }),
    ];
  }

  values(input, count) {
    if (input.kind === "category") return input.values;
    const [low, high] = [input.low, input.high].map(scaleOf(input));
    return Array.from({ length: count }, (_, k) => backOf(input)(low + (k / (count - 1)) * (high - low)));
  }

  /** Larger the farther the nearest answers are. */
  sdAt(place) {
    let least = 1;
    for (const answer of this.answers.slice(-150)) {
      let sum = 0;
      this.shape.inputs.forEach((input, k) => {
        if (input.kind === "category") sum += answer.inputs[k] === place[k] ? 0 : 0.05;
        else {
          const scale = scaleOf(input);
          const gap = (scale(answer.inputs[k]) - scale(place[k])) / (scale(input.high) - scale(input.low));
          sum += (input.importance ?? 1) * gap * gap;
        }
      });
      least = Math.min(least, Math.sqrt(sum) + 0.03 * answer.level);
    }
    return this.shape.levels.at(-1).noise * (0.15 + 5 * least);
  }

  slice(x, y, at) {
    const { inputs, classes, truth } = this.shape;
    const across = inputs.find((input) => input.name === x);
    const up = y ? inputs.find((input) => input.name === y) : null;
    if (!across || (y && !up)) return null;
    const others = {};
    for (const input of inputs)
      if (input !== across && input !== up) others[input.name] = at[input.name] ?? (input.kind === "category" ? input.values[0] : this.values(input, 3)[1]);
    const place = (vx, vy) => inputs.map((input) => (input === across ? vx : input === up ? vy : others[input.name]));
    const xs = this.values(across, up ? 41 : 201);
    const common = { sequence: this.sequence, x: { name: x, values: xs }, at: others, note: "" };
    if (!up) {
      const middle = xs.map((v) => truth(place(v)));
      const sd = xs.map((v) => this.sdAt(place(v)));
      const clamp = (v) => (classes ? Math.min(1, Math.max(0, v)) : v);
      const edge = (sign) => middle.map((m, k) => clamp(m + sign * 1.96 * sd[k]));
      return { ...common, y: null, middle, low: edge(-1), high: edge(1), sd: null };
    }
    const ys = this.values(up, 41);
    const grid = (value) => ys.map((vy) => xs.map((vx) => value(place(vx, vy))));
    return { ...common, y: { name: y, values: ys }, middle: grid(truth), low: null, high: null, sd: grid((v) => this.sdAt(v)) };
  }

  pool(x, y) {
    const { inputs, levels, pool, classes, truth } = this.shape;
    const ix = inputs.findIndex((input) => input.name === x);
    const iy = y ? inputs.findIndex((input) => input.name === y) : -1;
    if (ix < 0 || (y && iy < 0)) return null;
    const binned = pool > 4096;
    const pick = random(11);
    const rows = Array.from({ length: binned ? 2500 : pool }, (_, k) => {
      const place = inputs.map((input) => draw(input, pick));
      const sd = this.sdAt(place);
      const level = levels[sd > 2.2 * levels[0].noise ? levels.length - 1 : 0];
      const information = 0.5 * Math.log(1 + (sd / level.noise) ** 2);
      return {
        point: `P${2000 + k}`, x: place[ix], y: iy < 0 ? null : place[iy], level: level.name, information, cost: level.cost,
        per_cost: information / level.cost, mean: truth(place), sd, count: binned ? Math.floor(pool / 2500) : 1,
      };
    });
    const best = rows.reduce((a, b) => (b.per_cost > a.per_cost ? b : a));
    const places = random(11);
    const tops = rows.map((row) => ({ ...row, inputs: inputs.map((input) => draw(input, places)) })).sort((a, b) => b.per_cost - a.per_cost).slice(0, 10);
    return { sequence: this.sequence, unit: classes ? "bits" : "nats", points: pool, binned, note: "", rows, best: tops, next: best.point, reason: "" };
  }

  item(k) {
    const { inputs, levels, people } = this.shape;
    const values = drawn(inputs, 500 + k);
    const sentences = [
      "The water came through the ceiling on Sunday evening.",
      "My neighbour saw the car leave at once.",
      "I bought the camera two days before the journey.",
      "All receipts were lost in the fire.",
    ];
    const coarse = levels.at(-1);
    return {
      id: 10000 + k,
      point: `P${4000 + k}`,
      level: coarse.name,
      cost: coarse.cost,
      inputs: inputs.map((input, i) => ({ name: input.name, unit: input.unit, value: values[i] })),
      text: people ? `Claim ${k}: ${sentences[k % 4]} ${sentences[(k + 1) % 4]}` : null,
      image: null,
      lease_until: Date.now() / 1000 + 1200,
      levels: (people ? levels.slice(1) : [coarse]).map(({ name, cost }) => ({ name, cost })),
    };
  }
}

export const scenarios = Object.keys(shapes);
