"""Calls everything that is public with what nobody should pass. Run by test_garbage.py, in a process that may die of it.

    garbage.py FOLDER LOG SEED CALLS PART PARTS [ONLY]

The call under way is in LOG, so that after a crash it is known. What came out and should not have is printed.
"""

import faulthandler
import itertools
import os
import pickle
import resource
import shutil
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import absent_packages  # noqa: F401
import numpy as np

import acuity

ALLOWED = (ValueError, TypeError, FileNotFoundError, OSError, ImportError, ArithmeticError, acuity.AskError, acuity.Stopped)
# Those among them that tell a user nothing: ModuleNotFoundError is Python's, acuity's own sentence is a plain ImportError.
NEVER = (OverflowError, ZeroDivisionError, FloatingPointError, ModuleNotFoundError)


class Rude:
    """Has every method that numpy asks for, and means none of them."""

    def __array__(self, *_):
        raise ValueError("no array")

    def __float__(self):
        raise TypeError("no float")

    def __len__(self):
        raise ValueError("no length")

    def __fspath__(self):
        return b"\xff\0"


class Huge:
    def __len__(self):
        return 2**62

    def __getitem__(self, _):
        raise IndexError

    def __float__(self):
        return float("nan")

    def __index__(self):
        return 2**70


def foreign():
    """Suggestions of somebody else: of a larger pool, of classes, of numbers."""
    return [
        acuity.select(np.arange(9.0)[:, None], acuity.GPClassifier(), LABELS),
        acuity.Selector(np.arange(2000.0)[:, None], acuity.GPRegressor(), LEVELS, candidates=[1999]).next(),
        acuity.select(X, acuity.GPRegressor(), LEVELS),
    ]


def hostile():
    """Made anew for every call: some of it is used up."""
    circle = []
    circle.append(circle)
    return [
        None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, -(10**400),
        0.0, -0.0, 0.5, 1.5, -2.5, 1e308, -1e308, 5e-324, 1e-308, float("nan"), float("inf"), float("-inf"), 1j,
        Fraction(10**400, 3), Fraction(1, 3), Decimal("0.5"), Decimal("NaN"),
        "", "x", "rbf", "learn", "inf", "nan", "1", "\0", "\ud800", "x" * 5000, "../x", b"", b"x", bytearray(3), memoryview(b"abcd"),
        [], [[]], [[], [1.0]], [None], [[None]], ["a"], [["a"]], [[1.0], [2.0, 3.0]], [1, 2, 3], [float("nan")], circle,
        (), {}, {"a": 1}, {1: 2}, set(), {1, 2}, range(3), iter([1, 2]), (i for i in range(3)), slice(1), Ellipsis, NotImplemented,
        object(), object, type, len, lambda: 0, lambda *a, **k: None, lambda *a, **k: float("nan"), Rude(), Huge(), sys,
        acuity.costs.power(9, 1), acuity.Level("l", noise_sd=1, cost=1), acuity.GPRegressor(), *foreign(),
        np.float32(1), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True), np.float16("nan"), np.datetime64("2020-01-01"),
        np.array(1.0), np.array("a"), np.array(None), np.zeros(0), np.zeros((0, 1)), np.zeros((3, 0)), np.zeros((0, 0)), np.zeros(4),
        np.zeros((4, 1)), np.zeros((4, 2)), np.ones((1, 1)), np.ones((2, 2, 2)), np.full((4, 1), np.nan), np.full(4, np.inf),
        np.full((4, 1), 1e308), np.full((4, 1), 1e-320), np.arange(4) * 1e300, np.array(["a", "b"]), np.array([object()] * 4),
        np.array([1j] * 4), np.zeros(4, bool), np.ones(4, bool), np.zeros(4, "M8[s]"), np.zeros(4, [("a", float)]), np.array([b"x"] * 4),
        np.ma.masked_array([1.0, 2.0], [True, False]), np.lib.stride_tricks.as_strided(np.zeros(1), (4, 1), (0, 0)), np.matrix([[1.0]]),
    ]


X = np.linspace(0.0, 3.0, 4)[:, None]
Y = np.sin(X[:, 0])
LEVELS = [{"name": "a", "noise_sd": 0.5, "cost": 1.0}, {"name": "b", "noise_sd": 0.1, "cost": 3.0}]
LABELS = [{"name": "a", "accuracy": 0.7, "cost": 1.0}, {"name": "b", "accuracy": 0.9, "cost": 3.0}]


def pick(kwargs, *names):
    return {name: kwargs.pop(name) for name in names if name in kwargs}


def regressor(**k):
    model = acuity.GPRegressor(**pick(k, "kernel", "amplitude", "lengthscale", "mean", "noise_variance", "optimiser", "restarts",
                                      "random_state", "threads"))
    repr(model), model.get_params()
    model.fit(k["X"], k["y"], k["noise"])
    try:
        again = pickle.loads(pickle.dumps(model))
    except (pickle.PicklingError, AttributeError):  # what was passed cannot be
        again = model
    again.predict(k["at"], k["std"], k["cov"])
    model.sample_y(k["at"], k["draws"], k["seed"])
    model.score(k["at"], k["truth"], k["weight"])
    model.add(k["x1"], k["y1"], k["n1"]).predict(X)
    model.set_params(mean=k["mean2"]).predict(X)


REGRESSOR = {"kernel": "rbf", "amplitude": 1.0, "lengthscale": 1.0, "mean": 0.0, "noise_variance": 0.1, "optimiser": None,
             "restarts": 0, "random_state": 0, "threads": 1, "X": X, "y": Y, "noise": None, "at": X, "std": False, "cov": False,
             "draws": 1, "seed": 0, "truth": Y, "weight": None, "x1": [1.0], "y1": 0.5, "n1": 0.1, "mean2": 0.0}


def classifier(**k):
    model = acuity.GPClassifier(**pick(k, "kernel", "amplitude", "lengthscale", "accuracy", "optimiser", "restarts", "random_state",
                                       "threads"))
    repr(model)
    model.fit(k["X"], k["y"], k["right"])
    model.predict(k["at"]), model.predict_proba(k["at"]), model.latent(k["at"]), model.decision_function(k["at"])
    model.score(k["at"], k["truth"], k["weight"])
    model.add(k["x1"], k["y1"], k["n1"]).predict(X)


CLASSES = np.array([0, 1, 1, 0])
CLASSIFIER = {"kernel": "rbf", "amplitude": 1.0, "lengthscale": 1.0, "accuracy": 1.0, "optimiser": None, "restarts": 0,
              "random_state": 0, "threads": 1, "X": X, "y": CLASSES, "right": None, "at": X, "truth": CLASSES, "weight": None,
              "x1": [1.0], "y1": 1, "n1": 0.9}


def learning(**k):
    regressor(**{**REGRESSOR, **k, "X": X, "y": Y})


LEARNING = {"optimiser": "lbfgs", "noise_variance": "learn", "restarts": 1, "random_state": 0, "threads": 2, "amplitude": 1.0,
            "lengthscale": [1.0], "kernel": "matern32"}


def cost(**k):
    for one in (acuity.costs.power(k["c"], k["q"]), acuity.costs.linear(k["b"], k["c"]), acuity.costs.expression(k["text"])):
        repr(one), one(k["alpha"]), pickle.loads(pickle.dumps(one))


def level(**k):
    one = acuity.Level(**k)
    repr(one)
    acuity.select(X, acuity.GPClassifier() if one.binary else acuity.GPRegressor(), [one])
    acuity.create(pool=X, levels=[one], budget=3).ask()


def ladder(**k):
    one = acuity.Ladder(**k)
    repr(one), one.levels(), one.price_list()
    acuity.select(X, acuity.GPClassifier() if one.binary else acuity.GPRegressor(), one, noise_variance=0.1)


def selector(**k):
    one = acuity.Selector(**pick(k, "pool", "model", "levels", "budget", "information", "graph", "infinite", "approximation",
                                 "noise_variance", "candidates", "repeat", "random_state", "threads", "single_precision"))
    one.scores(), one.belief()
    found = one.next(k["n"])
    found = found[0] if isinstance(found, list) else found
    one.expect(found)
    one.tell(found, k["y"], cost=k["cost"])
    second = one.next()
    one.expect(second), one.release(second)
    k["verb"](one, k["what"])
    one.next()


SELECTOR = {"pool": X, "model": acuity.GPRegressor(), "levels": LEVELS, "budget": 50.0, "information": "model", "graph": None,
            "infinite": "refuse", "approximation": "exact", "noise_variance": 0.0, "candidates": None, "repeat": False,
            "random_state": 0, "threads": 1, "single_precision": False, "n": None, "y": 1, "cost": None,
            "verb": lambda one, what: None, "what": None}
VERBS = [lambda one, what: one.expect(what), lambda one, what: one.release(what), lambda one, what: one.tell(what, 1.0)]

QUERY = {"X": X, "y": np.array([0.0, np.nan, np.nan, 1.0]), "candidates": None, "batch_size": 2, "return_utilities": True,
         "model": acuity.GPRegressor(optimiser=None), "levels": LEVELS, "noise_variance": 0.1, "accuracy": None, "return_levels": True}

INFORMATION = {"kind": "model", "graph": "c", "variance": 1.0, "noise_variance": 0.5, "target_variance": 0.1, "mean": None,
               "accuracy": None, "target_accuracy": 1.0, "approximation": "exact"}


def create(**k):
    with acuity.create(**k) as one:
        one.ask(), one.status(), one._repr_html_(), repr(one)


CREATE = {"path": None, "pool": X, "levels": LEVELS, "budget": 10.0, "study": None, "inputs": None, "ids": None, "name": "n",
          "unit": "u", "seed": 0, "initial": None, "classes": None, "kernel": "rbf", "amplitude": 1.0, "lengthscale": 1.0,
          "mean": None, "noise_variance": None, "standardise": False, "repeat": False, "fit": "never", "optimiser": "lbfgs",
          "restarts": 0, "fit_noise": False, "information": "model", "graph": None, "infinite": None, "approximation": None,
          "stop": None, "annotator": None, "threads": 1}


class Campaigns:
    """In memory, stored, read only, closed, without its folder, of classes."""

    def __init__(self, folder):
        self.folder = folder
        self.numbers = itertools.count()

    def make(self, kind):
        if kind == "memory":
            one = acuity.create(pool=X, levels=LEVELS, budget=50.0)
        elif kind == "classes":
            one = acuity.create(pool=X, levels=LABELS, budget=50.0, classes=["no", "yes"])
        else:
            one = acuity.create(self.folder / f"c{next(self.numbers)}", pool=X, levels=LEVELS, budget=50.0)
        one.tell(one.ask(), "yes" if kind == "classes" else 0.5)
        one.ask()
        if kind == "closed":
            one.close()
        elif kind == "gone":
            shutil.rmtree(one.path)
        elif kind == "read only":
            path = one.path
            one.close()
            one = acuity.open(path, read_only=True)
        return one

    def targets(self):
        for kind in ("memory", "classes", "stored", "read only", "closed", "gone"):
            yield f"Campaign ({kind})", self.verbs(kind), VERB_ARGUMENTS

    def verbs(self, kind):
        def use(**k):
            one = self.make(kind)
            try:
                calls = [
                    lambda: one.ask(**pick(k, "n", "worker", "lease", "budget")),
                    lambda: one.tell(**pick(k, "id", "y", "cost", "noise_variance", "noise_sd", "accuracy", "point", "x", "level",
                                            "alpha", "dry_run")),
                    lambda: one.tell_all(k["answers"]),
                    lambda: one.add(k["where"], k["y5"], k["level5"], cost=k["cost5"], noise_variance=k["noise5"]),
                    lambda: (one.check(), one.model().predict(k["at"])),
                    lambda: one.fail(k["id2"], k["reason"], cost=k["cost2"], exclude=k["exclude"]),
                    lambda: one.release(k["id3"], reason=k["reason"]),
                    lambda: one.amend(k["id4"], k["y4"], k["reason"]),
                    lambda: one.retract(k["id4"], k["reason"]),
                    lambda: one.change_budget(k["by"]),
                    lambda: one.explain(k["id5"]),
                    lambda: one.annotations(k["frame"]),
                    lambda: one.latent(k["at"]),
                    lambda: one.predict(k["at"], k["std"]),
                    lambda: one.predict_proba(k["at"]),
                    lambda: one.report(k["report"], k["test"]),
                    lambda: (one.status(), one.pending(), one.events(), one.belief(), repr(one), one._repr_html_()),
                    lambda: one.run(k["annotator"], workers=k["workers"], max_failures=k["max_failures"], on_told=k["on_told"]),
                ]
                for i, call in enumerate(calls):
                    expected(call, f"{kind} {i}")
            finally:
                one.close()
                if kind in ("stored", "read only", "closed") and one.path:
                    shutil.rmtree(one.path, ignore_errors=True)

        return use


VERB_ARGUMENTS = {"n": None, "worker": "w", "lease": None, "budget": None, "id": 2, "y": 0.5, "cost": None, "noise_variance": None,
                  "noise_sd": None, "accuracy": None, "point": None, "x": None, "level": None, "alpha": None, "dry_run": False,
                  "answers": [], "where": "3", "y5": 0.5, "level5": "a", "cost5": None, "noise5": None, "id2": 2, "reason": "r", "cost2": 0.0, "exclude": False, "id3": 3, "id4": 1, "y4": 0.7, "by": 1.0,
                  "id5": None, "frame": False, "at": X, "std": False, "report": None, "test": None, "annotator": lambda s: 0.5,
                  "workers": 1, "max_failures": 2, "on_told": None}


def expected(call, what):
    """Lets through what may come out, and says what may not."""
    try:
        call()
    except ALLOWED as error:
        if isinstance(error, NEVER):
            report(what, error)
    except BaseException as error:
        report(what, error)


current, found = "", []


def report(what, error):
    import traceback

    where = traceback.extract_tb(error.__traceback__)[-1]
    found.append(f"{current} [{what}]: {type(error).__name__}: {str(error)[:200]} ({where.name}:{where.lineno})")


def shown(value):
    try:
        return repr(value)[:80]
    except Exception:
        return f"<{type(value).__name__}>"


def main():
    global current
    folder, log, seed, calls = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    part, parts = int(sys.argv[5]), int(sys.argv[6])
    only = sys.argv[7] if len(sys.argv) > 7 else ""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    os.chdir(folder)
    VERB_ARGUMENTS["report"] = folder / "report.html"
    targets = [
        ("GPRegressor", regressor, REGRESSOR), ("GPClassifier", classifier, CLASSIFIER), ("learning", learning, LEARNING),
        ("costs", cost, {"c": 9.0, "q": 1.0, "b": 0.1, "text": "1 + alpha", "alpha": 2.0}),
        ("Level", level, {"name": "a", "cost": 1.0, "noise_sd": 0.5, "noise_variance": None, "accuracy": None, "value": None,
                          "repeat": "independent", "exact": False, "alpha": None}),
        ("Ladder", ladder, {"gamma": 0.1, "cost": "1 + alpha / (1 + alpha)", "kappa": None, "alpha": None, "low": None, "high": 9.0,
                            "count": 5, "continuous": False}),
        ("Ladder of classes", ladder, {"gamma": 0.1, "cost": "1 + alpha", "kappa": 0.6, "alpha": None, "count": 5, "continuous": True}),
        ("information", acuity.information, INFORMATION),
        ("information of classes", acuity.information, {**INFORMATION, "mean": 0.5, "accuracy": 0.9, "noise_variance": None,
                                                        "target_variance": None}),
        ("Selector", selector, SELECTOR),
        ("Selector of classes", selector, {**SELECTOR, "model": acuity.GPClassifier(), "levels": LABELS}),
        *[(f"Selector verb {i}", selector, {**SELECTOR, "verb": verb}) for i, verb in enumerate(VERBS)],
        ("query", acuity.query, QUERY), ("create", create, CREATE),
        ("create stored", lambda **k: (create(**k), shutil.rmtree("made", ignore_errors=True)), {**CREATE, "path": "made"}),
        ("open", lambda **k: acuity.open(**k).close(), {"path": "nowhere", "read_only": False, "threads": 1}),
        *Campaigns(folder).targets(),
    ]
    count = len(hostile())
    for index, (name, function, arguments) in enumerate(targets):
        if only not in name or index % parts != part:
            continue
        draw = np.random.default_rng([seed, index])
        names = list(arguments)
        for i in range(calls // 5 if name.startswith("Campaign") else calls):  # each of these is sixteen verbs
            chosen = draw.choice(names, size=min(len(names), 1 + i % 3), replace=False)
            values = {key: hostile()[draw.integers(count)] for key in chosen}
            if i == 0:
                values = {}
            current = f"{name}({', '.join(f'{key}={shown(value)}' for key, value in values.items())})"
            with open(log, "w", errors="backslashreplace") as file:
                file.write(current)
            faulthandler.dump_traceback_later(60, exit=True)
            expected(lambda: function(**{**arguments, **values}), name)
            faulthandler.cancel_dump_traceback_later()
            shutil.rmtree("made", ignore_errors=True)
    with open(log, "w") as file:
        file.write("the end")
    for line in found:
        print(line.encode("utf-8", "backslashreplace").decode())


if __name__ == "__main__":
    main()
