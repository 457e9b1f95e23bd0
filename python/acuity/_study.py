"""A study from Python's arguments: its settings as TOML, which campaigns keep, and its pool as an array."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import as_array, column_names, per_point, points, shown, text
from .levels import Ladder, Level, LevelsLike, as_levels

_LARGEST = float(np.finfo(float).max)


def toml_value(value: Any, depth: int = 0) -> str:
    """A value as TOML."""
    if depth > 20:
        raise ValueError("a value for a study file contains itself, must be a number, text, a truth value or a list of them")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if np.isfinite(number):
            return repr(number)
        return "nan" if np.isnan(number) else ("inf" if number > 0 else "-inf")
    if isinstance(value, (str, os.PathLike)):
        return '"' + "".join(_escaped(letter) for letter in text(os.fspath(value), "text in a study file")) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_value(str(key))} = {toml_value(item, depth + 1)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(toml_value(item, depth + 1) for item in list(value)) + "]"
    raise ValueError(f"{shown(value)} cannot be written to a study file, must be a number, text, a truth value or a list of them")


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if ord(letter) >= 32 and ord(letter) != 127 else f"\\u{ord(letter):04x}"


def toml_text(tables: Mapping[str, Any]) -> str:
    """Tables, and lists of them, as TOML."""
    lines: list[str] = []
    for name, table in tables.items():
        for one in table if isinstance(table, list) else [table]:
            lines.append(f"[[{name}]]" if isinstance(table, list) else f"[{name}]")
            lines += [f"{key} = {toml_value(value)}" for key, value in one.items() if value is not None]
            lines.append("")
    return "\n".join(lines)


def _input_names(pool: ArrayLike, count: int, inputs: Optional[list[str]]) -> list[str]:
    if inputs is not None:
        if len(inputs) != count:
            raise ValueError(f"inputs has {len(inputs)} names and the pool {count} columns, must be as many of each")
        return [str(name) for name in inputs]
    names = column_names(pool)
    if names is not None:
        return [str(name) for name in names]
    return ["x"] if count == 1 else [f"x{i + 1}" for i in range(count)]


def level_biases(levels: list[Level]) -> list[Optional[tuple[float, float, float, bool]]]:
    """The bias of every level, (offset_sd, smooth_sd, lengthscale, whether it is learned), by the rules of study files."""
    if not any(level.bias is not None or level.reference or level.repeat == "same" for level in levels):
        return [None] * len(levels)
    return _core.level_biases(toml_text({"level": [level._for_study() for level in levels]}))


class GoalValues:
    """Points where the model must be good, with their weights, as arrays; both are empty if there are none."""

    def __init__(self, goal: Any = None, weights: Any = None, *, what: str = "goal_weights") -> None:
        self.points = np.empty((0, 1))
        self.weights = np.empty(0)
        if goal is None:
            if weights is not None:
                raise ValueError(f"{what} is given without goal, must come with it")
            return
        self.points = points(goal, "goal")
        if weights is not None:
            self.weights = per_point(weights, len(self.points), what, 0.0, _LARGEST, "a finite number, 0 or more")
            if not 0.0 < self.weights.sum() < np.inf:
                raise ValueError(f"{what} adds up to {self.weights.sum()}, must be finite and above 0")

    def require_inputs(self, count: int) -> None:
        if len(self.points) and self.points.shape[1] != count:
            raise ValueError(f"goal has {self.points.shape[1]} inputs and the pool {count}, must be as many of each")


def _made(
    pool: Any, inputs: Optional[list[str]], ids: Any, noise: Any, goal: GoalValues, tables: dict[str, Any]
) -> _core.Study:
    """A study whose pool is an array or a DataFrame."""
    array = points(pool, "pool")
    labels = [] if ids is None else [text(str(label), "an id") for label in ids]
    if ids is not None and len(labels) != len(array):
        raise ValueError(f"there are {len(labels)} ids and {len(array)} points, must be as many of each")
    names = [text(name, "the name of an input") for name in _input_names(pool, array.shape[1], inputs)]
    variances = np.empty(0)
    if noise is not None and not isinstance(noise, (str, Mapping)) and as_array(noise, "noise_variance").ndim > 0:
        variances = per_point(noise, len(array), "noise_variance", 0.0, _LARGEST, "finite, 0 or more")
        noise = {"column": "noise variance"}
    _put(tables, "noise", {"variance": noise})
    goal.require_inputs(array.shape[1])
    return _core.Study.make(toml_text(tables), array, names, labels, variances, goal.points, goal.weights)


def _of_file(
    pool: Any, inputs: Optional[list[str]], ids: Any, noise: Any, goal: GoalValues, tables: dict[str, Any]
) -> _core.Study:
    """A study whose pool is a file."""
    if not os.path.exists(pool):
        raise FileNotFoundError(f"{os.fspath(pool)}: it does not exist, must be a pool (CSV, or a pool file)")
    _put(tables, "pool", {"file": os.path.abspath(pool), "inputs": inputs, "id": ids})
    _put(tables, "noise", {"variance": noise})
    return _core.Study.from_text(toml_text(tables), goal.points, goal.weights)


def _put(tables: dict[str, Any], name: str, table: Mapping[str, Any]) -> None:
    """Adds keys to a table of the study; those that are None are left out, and a table of such keys is not made."""
    given = {key: value for key, value in table.items() if value is not None}
    if given:
        tables[name] = {**tables.get(name, {}), **given}


def make_study(
    pool: Any,
    levels: LevelsLike,
    *,
    inputs: Optional[list[str]],
    ids: Any,
    noise_variance: Any,
    nugget: Any = None,
    classes: Optional[list[str]],
    campaign: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]],
    goal: Optional[GoalValues] = None,
) -> _core.Study:
    """The study of these arguments; nothing is written to files."""
    ladder = isinstance(levels, Ladder)
    offered = as_levels(levels)
    binary = offered[0].binary
    learned = nugget is None and options["model"].get("fit") != "never" and options["model"].get("optimiser") != "adam"
    if not binary and ladder and noise_variance is None and (nugget == 0 or (nugget is None and not learned)):
        raise ValueError("noise_variance is missing, must be given with a ladder; write 0 if you mean it")
    if binary and nugget is not None:
        raise ValueError("nugget is for numbers and the levels have an accuracy, must be left out")
    if binary and noise_variance is not None:
        raise ValueError("noise_variance is for numbers and the levels have an accuracy, must be left out")
    tables: dict[str, Any] = {"campaign": campaign}
    _put(tables, "noise", {"nugget": nugget})
    if binary:
        tables["target"] = {"kind": "binary", "classes": None if classes is None else list(classes)}
    for name, table in options.items():
        _put(tables, name, table)
    if "goal" in options:
        tables.setdefault("goal", {})  # a table without keys counts, too
    if isinstance(levels, Ladder):
        tables["precision"] = levels._for_study()
    else:
        tables["level"] = [level._for_study() for level in offered]
    make = _of_file if isinstance(pool, (str, os.PathLike)) else _made
    return make(pool, inputs, ids, noise_variance, goal or GoalValues(), tables)
