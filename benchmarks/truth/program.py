"""Drives the program: which keys it knows, one campaign with its measures."""
import csv, hashlib, io, json, os, resource, shutil, subprocess, tempfile

import numpy

import metrics, studies

# {model} and {rest} are lines to try.
SMALL_STUDY = """[campaign]
budget = 1
[pool]
file = "pool.csv"
[model]
amplitude = 1.0
lengthscale = 1.0
fit = "never"
{model}
[[level]]
name = "fine"
noise_sd = 0.1
cost = 1
{rest}
"""


class Failed(Exception):
    pass


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def write_csv(path, header, rows):
    cell = lambda value: repr(float(value)) if isinstance(value, (float, numpy.floating)) else str(value)
    write(path, "\n".join([",".join(header), *(",".join(map(cell, row)) for row in rows)]) + "\n")


def libraries(path):
    """The project's own shared libraries that the program is linked with: the model is in one of them."""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    found = [line.split("=>")[1].split()[0] for line in listed.splitlines() if "=>" in line]
    return [library for library in found if "acuity" in os.path.basename(library)]


def checksum_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


def children_seconds():
    """CPU seconds of the programs that this process has started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Program:
    """The program, called with a time limit for each call; `keys` are those of later versions that it knows."""

    def __init__(self, path, timeout=None):
        self.path, self.timeout = os.path.abspath(path), timeout
        self.checksum = checksum_of([self.path, *libraries(self.path)])
        self.version = self("--version").splitlines()[0]
        self.keys = self.known_keys()

    def __call__(self, *arguments, folder=None):
        command = [self.path, *map(str, arguments)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=self.timeout,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Failed(f"acuity {arguments[0]} took more than {self.timeout} s")
        if done.returncode != 0:
            message = done.stderr.strip().splitlines() or ["no message"]
            raise Failed(f"acuity {arguments[0]}: exit code {done.returncode}, {message[-1]}")
        return done.stdout

    def accepts(self, model="", rest=""):
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "pool.csv"), "x\n0\n1\n2\n")
            write(os.path.join(folder, "study.toml"), SMALL_STUDY.format(model=model, rest=rest))
            try:
                self("predict", "study.toml", "--at", "pool.csv", "--format", "csv", folder=folder)
            except Failed:
                return False
        return True

    def known_keys(self):
        if not self.accepts():
            raise Failed(f"{self.path} refuses a study file that every version accepts")
        return studies.Keys(prior=self.accepts(model='prior = "none"'), average=self.accepts(model="average = 1"),
                            nugget=self.accepts(rest="[noise]\nnugget = 0"),
                            plan=self.accepts(rest='[acquisition]\nplan = "none"'),
                            structure=self.accepts(model='structure = "plain"'))


def input_names(problem):
    return [f"x{k + 1}" for k in range(problem.pool.shape[1])]


def write_tables(folder, method, problem):
    """pool.csv, test.csv, initial.csv and truth.csv, as the study of `method` needs them."""
    names, on_offer = input_names(problem), studies.level_indices(method, problem)
    write_csv(os.path.join(folder, "pool.csv"), names, problem.pool)
    write_csv(os.path.join(folder, "test.csv"), names, problem.test)
    write_csv(os.path.join(folder, "truth.csv"), ["id", *(f"y@{problem.levels[k].name}" for k in on_offer)],
              [[row, *problem.answers[row, on_offer]] for row in range(len(problem.pool))])
    # The initial answers cost nothing. A study that does not offer their level is told their noise instead.
    finest = problem.finest
    if finest in on_offer:
        column, value = "level", problem.levels[finest].name
    elif problem.binary:
        column, value = "accuracy", problem.levels[finest].noise
    else:
        column, value = "noise_variance", problem.noise_sd(finest) ** 2
    write_csv(os.path.join(folder, "initial.csv"), ["id", column, "y", "cost"],
              [[row, value, problem.answers[row, finest], 0] for row in problem.initial])


def columns_of(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else {})}


def numbers(column):
    return numpy.array(column, dtype=float)


def measure(problem, predictions):
    """Measures on the test rows; the variance is that of an answer without a level's noise, if the program tells it."""
    columns = columns_of(predictions)
    if problem.binary:
        return metrics.classification_measures(problem.test_y, numbers(columns["probability"]))
    variance = numbers(columns["answer_sd"]) ** 2 if "answer_sd" in columns else numbers(columns["variance"])
    return metrics.regression_measures((problem.test_y - problem.mean) / problem.sd,
                                       (numbers(columns["mean"]) - problem.mean) / problem.sd, variance / problem.sd**2)


def write_bought(folder, problem, exported):
    """The answers of a campaign as a table for `--annotations`; returns how many were bought at each level, and the money."""
    columns = columns_of(exported)
    finest = problem.levels[problem.finest].name
    levels = [level or finest for level in columns.get("level", [""] * len(columns["y"]))]
    rows = list(zip(map(int, columns["point"]), levels, numbers(columns["y"]), numbers(columns["cost"])))
    write_csv(os.path.join(folder, "bought.csv"), ["id", "level", "y", "cost"], rows)
    counts = {level.name: levels.count(level.name) for level in problem.levels}
    counts[finest] -= len(problem.initial)
    return counts, float(sum(numbers(columns["cost"])))


def same_answers(program, folder, problem, budget):
    """The default model beside maximum likelihood with the noise known, on the answers of this campaign."""
    measures = {}
    for rule in (studies.DEFAULT_RULE, studies.LIKELIHOOD_RULE):
        inside = os.path.join(folder, rule.name)
        os.makedirs(inside, exist_ok=True)
        write_tables(inside, rule, problem)
        write(os.path.join(inside, "study.toml"), studies.study_text(rule, problem, budget, program.keys))
        measures[rule.name] = measure(problem, program("predict", "study.toml", "--annotations", os.path.join("..", "bought.csv"),
                                                       "--at", "test.csv", "--format", "csv", folder=inside))
    return measures


def find_number(value, key):
    """The number of the first `key` anywhere in what was JSON."""
    if isinstance(value, dict):
        if isinstance(value.get(key), (int, float)):
            return value[key]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        found = find_number(part, key)
        if found is not None:
            return found
    return None


def learned_nugget(program, folder, problem):
    """The nugget that the campaign learned last, and the one learned afresh from its answers; variances of standardised y."""
    events = [json.loads(line) for line in program("export", "c.acuity", "--events", "-", folder=folder).splitlines()]
    fits = [event for event in events if event.get("event") == "fitted"]
    campaign = find_number(json.loads(program("export", "c.acuity", "--model", "-", folder=folder)), "nugget")
    if campaign is None and fits:
        campaign = find_number(fits[-1], "nugget")
    fresh = find_number(json.loads(program("fit", "study.toml", "--annotations", "bought.csv", "--format", "json", folder=folder)),
                     "nugget")
    if campaign is None or fresh is None:
        return None
    return {"campaign": float(campaign) / problem.sd**2, "fresh": float(fresh) / problem.sd**2}


def run_campaign(program, method, problem, budget, folder):
    """One campaign from the initial answers to the end of the budget."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    write_tables(folder, method, problem)
    write(os.path.join(folder, "study.toml"), studies.study_text(method, problem, budget, program.keys))
    program("run", "c.acuity", "--study", "study.toml", "--threads", 1, "--workers", 1, "--format", "json", folder=folder)
    result = measure(problem, program("predict", "c.acuity", "--at", "test.csv", "--format", "csv", folder=folder))
    counts, spent = write_bought(folder, problem, program("export", "c.acuity", "--annotations", "-", folder=folder))
    return {**result, "bought": counts, "spent": spent}


def further_measures(program, method, problem, budget, folder):
    """What is measured after a campaign besides its predictions; its time does not count as the campaign's."""
    result = {}
    if problem.binary:
        return result
    if not method.model and not method.structure:
        result["same_answers"] = same_answers(program, folder, problem, budget)
    if program.keys.nugget and not method.explicit and not method.level:
        result["nugget"] = learned_nugget(program, folder, problem)
    return result
