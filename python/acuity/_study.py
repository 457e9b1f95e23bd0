"""A study from Python's arguments: its settings as TOML, which campaigns keep, and its pool as an array."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import as_array, per_point, points, shown, text
from ._frames import column_of, columns_by_place, default_names, names_of, points_by_name
from ._inputs import DescribedInputs, bounded_input, bounds_of, name_of_input
from ._known import initial_table
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


class PoolValues:
    """The points of a pool that is an array, a frame or a dictionary of columns, with their names and ids.

    Columns of a frame are found by their names: `inputs` says which of them are inputs, by default all but that of the ids and
    that of the noise; `ids` may name a column. An input is a name, or a dictionary with the keys of [[input]]; columns of text,
    categories and truth values are inputs with names (DescribedInputs).
    """

    def __init__(self, pool: Any, inputs: Optional[list[Any]], ids: Any, spare: Optional[str] = None) -> None:
        columns = names_of(pool, "pool")
        self.id_column: Optional[str] = None
        if columns is None:
            array = _rows_of(pool)
            given = list(default_names(array.shape[1])) if inputs is None else [one for one in inputs]
            if len(given) != array.shape[1]:
                raise ValueError(
                    f"inputs has {len(given)} names and the pool {array.shape[1]} columns, must be as many of each"
                )
            if array.dtype != object and all(isinstance(one, str) for one in given):
                described = None  # numbers, without a copy
                self.points, self.names = array, [str(name) for name in given]
            else:
                columns_of_pool = columns_by_place(pool, [name_of_input(one) for one in given], "the pool")
                described = DescribedInputs(list(columns_of_pool.values()), given, "the pool")
        else:
            if isinstance(ids, str):
                self._require(ids, columns, "ids")
                self.id_column = text(ids, "ids")
                ids = column_of(pool, ids, "pool").tolist()
            aside = {self.id_column, spare}
            given = [name for name in columns if name not in aside] if inputs is None else [one for one in inputs]
            for one in given:
                self._require(name_of_input(one), columns, "inputs")
            if not given:
                raise ValueError("the pool has no inputs, must have at least one")
            described = DescribedInputs([pool[name_of_input(one)] for one in given], given, "the pool")
        self.tables: Optional[list[dict[str, Any]]] = None  # [[input]], if there is more to say than a name
        self.values: list[list[str]] = []
        if described is not None:
            self.names = described.names
            self.points = self._numbers(described)
            if not described.are_plain:
                self.tables, self.values = described.tables, described.values
        for name in self.names:
            text(str(name), "the name of an input")
        self.ids = [] if ids is None else [text(str(label), "an id") for label in ids]
        if ids is not None and len(self.ids) != len(self.points):
            raise ValueError(f"there are {len(self.ids)} ids and {len(self.points)} points, must be as many of each")

    @staticmethod
    def _require(name: str, columns: list[str], what: str) -> None:
        if name not in columns:
            shown_columns = ", ".join(map(repr, columns[:12])) + (", ..." if len(columns) > 12 else "")
            raise ValueError(f"{what} has {name!r}, must be columns of the pool, which has {shown_columns}")

    @staticmethod
    def _numbers(described: DescribedInputs) -> Any:
        found = []
        for name, column in zip(described.names, described.numbers):
            try:
                found.append(np.asarray(column, dtype=float))
            except (TypeError, ValueError):
                raise ValueError(
                    f"column {str(name)!r} of the pool is not numbers, must be numbers, or no input: inputs=[...] names the inputs, "
                    f"ids={str(name)!r} says that it has the names of the points"
                ) from None
        lengths = [len(column) for column in found]
        for name, length in zip(described.names, lengths):
            if length != lengths[0]:
                raise ValueError(
                    f"column {str(name)!r} of pool has {length} values and column {str(described.names[0])!r} has {lengths[0]}, "
                    "must be as many"
                )
        return points(np.column_stack(found), "pool")


def _rows_of(pool: Any) -> Any:
    """A pool without names: numbers, or objects if there are names among them."""
    array = as_array(pool, "pool")
    if array.ndim == 2 and (array.dtype.kind in "US" or array.dtype == object and any(isinstance(one, str) for one in array.flat)):
        return array.astype(object)
    return points(pool, "pool")


def level_biases(levels: list[Level]) -> list[Optional[tuple[float, float, float, bool]]]:
    """The bias of every level, (offset_sd, smooth_sd, lengthscale, whether it is learned), by the rules of study files."""
    if not any(level.bias is not None or level.relation is not None or level.reference or level.repeat == "same" for level in levels):
        return [None] * len(levels)
    return _core.level_biases(toml_text({"level": [level._for_study() for level in levels]}))


class GoalValues:
    """Points where the model must be good, with their weights, as arrays; both are empty if there are none."""

    def __init__(
        self, goal: Any = None, weights: Any = None, *, what: str = "goal_weights", names: Optional[list[str]] = None
    ) -> None:
        self.points = np.empty((0, 1))
        self.weights = np.empty(0)
        if goal is None:
            if weights is not None:
                raise ValueError(f"{what} is given without goal, must come with it")
            return
        columns = names_of(goal, "goal")
        if columns is not None and "weight" in columns and "weight" not in (names or []):
            if weights is not None:
                raise ValueError(f"{what} is given and the goal has a column 'weight', must be one of them")
            weights = column_of(goal, "weight", "goal")
        # An array with another number of inputs is refused by require_inputs().
        self.points = points_by_name(goal, names if columns else None, "goal", spare=("weight",))
        if weights is not None:
            self.weights = per_point(weights, len(self.points), what, 0.0, _LARGEST, "a finite number, 0 or more")
            if not 0.0 < self.weights.sum() < np.inf:
                raise ValueError(f"{what} adds up to {self.weights.sum()}, must be finite and above 0")

    def require_inputs(self, count: int) -> None:
        if len(self.points) and self.points.shape[1] != count:
            raise ValueError(f"goal has {self.points.shape[1]} inputs and the pool {count}, must be as many of each")


def _made(
    pool: Any, inputs: Optional[list[Any]], ids: Any, noise: Any, goal: Any, goal_weights: Any, initial: Any,
    tables: dict[str, Any],
) -> _core.Study:
    """A study whose pool is an array, a DataFrame or a dictionary of columns."""
    column = noise.get("column") if isinstance(noise, Mapping) and names_of(pool, "pool") is not None else None
    given = PoolValues(pool, inputs, ids, column)
    if given.id_column is not None:
        _put(tables, "pool", {"id": given.id_column})
    if given.tables is not None:
        tables["input"] = given.tables
    variances = np.empty(0)
    if column is not None:
        PoolValues._require(column, names_of(pool, "pool") or [], "noise_variance")
        noise = column_of(pool, column, "pool")
    if noise is not None and not isinstance(noise, (str, Mapping)) and as_array(noise, "noise_variance").ndim > 0:
        variances = per_point(noise, len(given.points), "noise_variance", 0.0, _LARGEST, "finite, 0 or more")
        noise = {"column": column or "noise variance"}
    _put(tables, "noise", {"variance": noise})
    _write_initial(initial, given.names, given.id_column, tables)
    wanted = GoalValues(goal, goal_weights, names=given.names)
    wanted.require_inputs(given.points.shape[1])
    return _core.Study.make(
        toml_text(tables), given.points, [str(name) for name in given.names], given.ids, variances, wanted.points, wanted.weights,
        given.values,
    )


def _of_file(
    pool: Any, inputs: Optional[list[Any]], ids: Any, noise: Any, goal: Any, goal_weights: Any, initial: Any,
    tables: dict[str, Any],
) -> _core.Study:
    """A study whose pool is a file."""
    if not os.path.exists(pool):
        raise FileNotFoundError(f"{os.fspath(pool)}: it does not exist, must be a pool (CSV, or a pool file)")
    if inputs is not None and any(isinstance(one, Mapping) for one in inputs):
        tables["input"] = [dict(one) if isinstance(one, Mapping) else {"name": str(one)} for one in inputs]
        inputs = [name_of_input(one) for one in inputs]
        _put(tables, "pool", {"file": os.path.abspath(pool), "id": ids})
    else:
        _put(tables, "pool", {"file": os.path.abspath(pool), "inputs": inputs, "id": ids})
    _put(tables, "noise", {"variance": noise})
    _write_initial(initial, inputs, ids if isinstance(ids, str) else None, tables)
    if inputs is None and goal is not None and names_of(goal, "goal") is not None:
        raise ValueError("goal has columns with names and the pool is a file, inputs=[...] must name the inputs")
    wanted = GoalValues(goal, goal_weights, names=inputs)
    return _core.Study.from_text(toml_text(tables), wanted.points, wanted.weights)


def _drawn(
    inputs: Mapping[str, Any], where: Optional[str], points: Optional[int], noise: Any, goal: Any, goal_weights: Any, initial: Any,
    tables: dict[str, Any],
) -> _core.Study:
    """A study whose pool is drawn in the ranges of its inputs."""
    if noise is not None and not isinstance(noise, (int, float, np.integer, np.floating, str)):
        raise ValueError("noise_variance is one per point and the points are drawn, must be a number or a formula in the inputs")
    tables["input"] = [bounds_of(name, given) for name, given in inputs.items()]
    names = [bounded_input(table) for table in tables["input"]]
    _put(tables, "pool", {"points": points, "where": where})
    tables.setdefault("pool", {})
    _put(tables, "noise", {"variance": noise})
    _write_initial(initial, names, None, tables)
    wanted = GoalValues(goal, goal_weights, names=names)
    wanted.require_inputs(len(names))
    return _core.Study.from_text(toml_text(tables), wanted.points, wanted.weights)


def _write_initial(initial: Any, names: Optional[list[str]], id_column: Optional[str], tables: dict[str, Any]) -> None:
    """Writes answers that are known to the file that the study names."""
    if initial is None:
        return
    if isinstance(initial, (tuple, list)) and len(initial) == 2 and len(tables.get("level", [])) == 1:
        initial = (*initial, tables["level"][0]["name"])
    table = initial_table(initial, names, id_column, "precision" in tables, "target" in tables)
    with open(tables["campaign"]["initial"]["file"], "w", encoding="utf-8", newline="") as file:
        file.write(table)


def _put(tables: dict[str, Any], name: str, table: Mapping[str, Any]) -> None:
    """Adds keys to a table of the study; those that are None are left out, and a table of such keys is not made."""
    given = {key: value for key, value in table.items() if value is not None}
    if given:
        tables[name] = {**tables.get(name, {}), **given}


def make_study(
    pool: Any,
    levels: LevelsLike,
    *,
    inputs: Union[None, list[Any], Mapping[str, Any]],
    ids: Any,
    noise_variance: Any,
    where: Optional[str] = None,
    points: Optional[int] = None,
    nugget: Any = None,
    classes: Optional[list[str]],
    campaign: Mapping[str, Any],
    options: Mapping[str, Mapping[str, Any]],
    goal: Any = None,
    goal_weights: Any = None,
    initial: Any = None,
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
    if pool is None and isinstance(inputs, Mapping):
        if ids is not None:
            raise ValueError("ids is given and the points are drawn, must be left out: their ids are their row numbers")
        return _drawn(inputs, where, points, noise_variance, goal, goal_weights, initial, tables)
    if isinstance(inputs, Mapping):
        raise ValueError("inputs is a dictionary of ranges to draw points in and pool is given, must be one of them")
    if where is not None or points is not None:
        raise ValueError("where and points are for points that are drawn and pool is given, must be left out")
    make = _of_file if isinstance(pool, (str, os.PathLike)) else _made
    return make(pool, inputs, ids, noise_variance, goal, goal_weights, initial, tables)
