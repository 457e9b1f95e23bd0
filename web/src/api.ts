// What the server answers, as types. docs/openapi.json describes the same requests; a test holds the server to it.
// Numbers that are infinite or not a number arrive as null. Times are seconds since 1970.

export type Role = "watch" | "label" | "run" | "own";

/** GET /v1/me: who the token says the caller is; without a token `name` is empty and `role` is "watch". */
export interface Me {
  name: string;
  role: Role;
  level: string | null; // the level at which this person labels; null: any
  can_label: boolean;
  only_watch: boolean; // the server takes no answers and no changes
  asks_people: boolean; // no command and no simulation answers, or people were added
  version: string;
}

/** One of the three answers at the top of the page. */
export interface Verdict {
  question: string; // "Is it good enough?"
  answer: string; // one sentence, with its number
  advice: string; // what to do; may be empty
  details: string; // what the answer rests on; may be empty
  state: "good" | "bad" | "unknown";
}

/** A number, or a word in its place, and a sentence that says what it means. */
export interface Fact {
  value: string; // "0.03 N m", "Calibrated"
  sentence: string;
  state: "good" | "bad" | "unknown";
}

/** What the page begins with: for everybody, without words of the mathematics. */
export interface FirstScreen {
  first: string[]; // what a campaign without answers does first; empty: there are answers
  error: Fact;
  trust: Fact;
  money: Fact;
  next: { point: string; inputs: (number | string)[]; level: string; cost: number | null; why: string } | null;
  nothing_next: string; // why there is no next question
}

export interface InputColumn {
  name: string;
  unit: string; // may be empty
  kind: "number" | "category";
  logarithmic: boolean;
  low: number; // over the pool
  high: number;
  values: string[]; // of a category; empty for numbers
  importance: number | null; // share of the variation of the mean with interactions; null: not known yet
  importance_error: number | null; // its standard error
  alone: number | null; // share without interactions
  effect: number | null; // how much a prediction changes along the input: the median over places
}

export interface LevelTotal {
  name: string;
  answers: number;
  spent: number;
}

/** An answer that counts. `inputs` has one value per input column: a number, or the name of a category's value. */
export interface Answer {
  id: number;
  point: string; // empty: not in the pool
  inputs: (number | string)[];
  level: number; // index into View.levels
  value: number; // on the axis of predictions: the value, or 0 or 1
  text: string; // as people read it
  expected: number; // prediction, on the same axis
  expected_low: number | null; // 95 % interval of the answer; null for classes
  expected_high: number | null;
  score: number | null; // standard deviations from the prediction; null for classes
  noise: number; // sd of its noise; classes: probability of being wrong
  predicted: boolean; // before it was recorded; else from all the others
  cost: number;
  told_at: number;
  worker: string;
}

export interface Pending {
  id: number;
  point: string;
  inputs: (number | string)[];
  level: string;
  cost: number;
  worker: string;
  asked_at: number;
  lease_until: number | null;
}

export interface Coverage {
  nominal: number;
  share: number;
  sampling_error: number;
  off: boolean;
}

export interface Calibration {
  level: string; // "all levels" first
  count: number;
  mean: number;
  sd: number;
  coverages: Coverage[];
  quantiles: { expected: number[]; found: number[] }; // of the scores: a QQ plot, at most 200 of them
}

export interface Reliability {
  count: number;
  expected: number;
  found: number;
  error: number;
}

export interface Bias {
  level: string;
  sentence: string;
  pairs: { inputs: (number | string)[]; difference: number; sd: number }[]; // at most 500
}

export interface FailedPlace {
  point: string;
  inputs: (number | string)[];
  failures: number;
  cost: number;
  answered: boolean;
  reason: string;
  log: string; // last lines of the last attempt's output; may be empty
}

/** A picture of the report: GET /v1/figures/NAME.svg. `absent`: why there is none. */
export interface Figure {
  name: string;
  heading: string;
  caption: string;
  absent: string;
}

/** GET /v1/view: everything but the belief and the pool. Recomputed when the log has grown; `sequence` tells by how much it lags. */
export interface View {
  sequence: number; // number of events it was computed from
  computed_at: number;
  computed_seconds: number;
  parts: { slices: number | null; pool: number | null; model: number | null }; // events each was computed from; null: being computed
  name: string;
  unit: string; // of money; may be empty
  verdicts: Verdict[]; // good enough, trusted, next
  first_screen: FirstScreen;
  warnings: string[];
  budget: number | null; // null: no limit
  spent: number;
  escrow: number;
  pool: number;
  excluded: number;
  failed: number;
  created_at: number;
  last_at: number;
  target: {
    kind: "real" | "binary";
    axis: string; // title of the axis of predictions
    answers: string; // heading of answers
    classes: [string, string] | null; // of -1 and +1
    logarithmic: boolean;
    error_measure: string;
    error_logarithmic: boolean;
    source: string; // what the error is measured on
  };
  inputs: InputColumn[]; // in the order of the pool
  order: number[]; // indices of inputs, most important first
  levels: LevelTotal[]; // most precise first
  answers: Answer[]; // at most 2000: the newest
  answers_total: number;
  surprising: Answer[]; // at most 12, most surprising first
  pending: Pending[];
  failures: FailedPlace[]; // at most 50
  failures_total: number;
  course: { spent: number; answers: number; error: number | null; expected: number | null; at_goal: number | null }[];
  course_note: string; // how it was thinned; empty: it was not
  money: { time: number; spent: number }[]; // seconds since creation; at most 500
  projected_end: number | null; // seconds since creation
  spending: { time: number; answers: number; spent: number[] }[]; // by level; at most 500
  money_reach: { budget: boolean; projected_end: boolean }; // what the chart of money shows without becoming too small
  calibrations: Calibration[]; // real targets
  reliability: Reliability[]; // classes
  biases: Bias[];
  figures: Figure[]; // in the order of the report
  people: Person[];
}

/** How many items of one class are answered rightly, with a 95 % interval. */
export interface ClassAccuracy {
  accuracy: number;
  low: number;
  high: number;
}

export interface Person {
  name: string;
  level: string;
  answers: number;
  gold: { right: number; wrong: number } | null; // null: not for this role
  agreement: { same: number; different: number }; // with others on the same items
  accuracy: number | null;
  low: number | null; // 95 % interval
  high: number | null;
  by_class: { yes: ClassAccuracy; no: ClassAccuracy; coin: number } | null; // null: one number for both
  cannot_tell: number;
  median_seconds: number | null;
  remark: string; // "no better than a coin", "yes 98 of 98 times", "worse since ..."; empty: none
}

/** GET /v1/answers?from=N&limit=N: every answer, the newest first. */
export interface AnswerPage {
  sequence: number;
  total: number;
  from: number;
  rows: Answer[];
}

/** A line of GET /v1/events?kinds=...: what was corrected or changed. */
export interface LogEvent {
  seq: number;
  time: string;
  event: string;
  id?: number;
  point?: string | null;
  y?: unknown;
  reason?: string;
  worker?: string;
  budget?: number | string;
  by?: number | string;
  host?: string;
  process?: number;
  name?: string;
  changes?: string[];
}

/** GET /v1/slice?x=NAME[&y=NAME][&at=JSON]: the belief along one or two inputs, `at` = {"other input": value}. */
export interface Slice {
  sequence: number;
  x: { name: string; values: (number | string)[] };
  y: { name: string; values: (number | string)[] } | null;
  at: Record<string, number | string>; // values of all other inputs
  note: string; // how it differs from what `predict` says; empty: it does not
  // One input: arrays over x. Two inputs: rows over y, columns over x.
  middle: number[] | number[][];
  low: number[] | null;
  high: number[] | null;
  sd: number[][] | null;
}

/** A candidate with its best level. `count` > 1: the best of so many points in one bin. */
export interface PoolPoint {
  point: string;
  x: number | string;
  y: number | string | null;
  level: string;
  information: number;
  cost: number;
  per_cost: number;
  mean: number;
  sd: number;
  count: number;
}

/** GET /v1/pool?x=NAME[&y=NAME]: information per cost of the candidates. Large pools are binned. */
export interface PoolView {
  sequence: number;
  unit: string; // of the information: nats or bits
  points: number; // candidates in all
  binned: boolean;
  note: string; // if only some points of a large pool were scored
  rows: PoolPoint[]; // at most 4096
  best: (PoolPoint & { inputs: (number | string)[] })[]; // the ten best
  next: string | null; // the point that would be asked for next
  reason: string; // if there is no next one
}

/** GET /v1/explain/ID and /v1/explain/next, and /v1/explain/point/NAME: why, as `acuity explain` says it. */
export interface Explained {
  text: string;
  explanation: unknown; // the JSON of `acuity explain`
}

/** GET /v1/events as server-sent events: `event: log`, data {"sequence": N}; `event: view`, data {"sequence": N}. */
export interface LogGrew {
  sequence: number;
}

/** Any error: HTTP status 400, 401, 403, 404, 409, 413, 415, 429 or 503. */
export interface Problem {
  error: string;
  retry_after?: number;
}

/** POST /v1/tell, /v1/amend. */
export interface Told {
  id: number;
  changes: boolean;
  charge: number;
  surprise: number | null;
}

export interface LabelItem {
  id: number; // of the suggestion
  point: string;
  level: string;
  cost: number;
  inputs: { name: string; unit: string; value: number | string }[];
  text: string | null;
  image: string | null; // address of the picture, /v1/label/image/...
  lease_until: number | null;
  levels: { name: string; cost: number }[]; // the person may choose among these; one: no choice
}

/** POST /v1/label/next {}: the item of this person, and those after it. The same items again until they are answered. */
export interface LabelNext {
  item: LabelItem | null;
  following: LabelItem[];
  classes: { value: -1 | 1; name: string; key: string }[] | null; // null: a number is asked for
  unit: string; // of money; may be empty
  axis: string; // what the number means
  question: string; // what is asked; may be empty
  instructions: string; // Markdown; may be empty
  answered: number; // by this person
  reason: string; // if there is no item: why
  retry_after: number | null; // seconds
  finished: boolean;
  holders: { worker: string; point: string; until: number | null }[]; // who holds what
}
// POST /v1/label/answer {id, y, seconds, level?} -> Told; again with another y: amended (undo)
// POST /v1/label/skip {id, reason} and /v1/label/cannot-tell {id, seconds} -> {}
