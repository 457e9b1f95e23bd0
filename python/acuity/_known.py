"""Answers that are known already, or that were not asked for: from arrays, frames and tables of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import as_array, shown
from ._frames import column_of, names_of, point_by_name, points_by_name, require_names
from ._inputs import NamedInput, any_named
from ._results import ANSWERED

PRECISIONS = ("level", "alpha", "noise_variance", "accuracy")


def is_table(given: Any) -> bool:
    """Whether `initial` is answers, not a number of points, a design or a file."""
    if isinstance(given, (tuple, list)):
        return True
    return isinstance(given, Mapping) and "y" in given or getattr(given, "columns", None) is not None


def is_single(value: Any) -> bool:
    """Whether it is one value, not a list of them."""
    return value is None or isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or getattr(value, "ndim", 1) == 0


def answers_of(y: Any, count: int, what: str) -> list[Any]:
    """One answer for each of several points."""
    if is_single(y):
        raise ValueError(f"{what} is {shown(y)} and there are {count} points, must be a list with one answer per point")
    return one_each(y, count, what)


def one_each(value: Any, count: int, what: str) -> list[Any]:
    """One value for all, or a list with one for each."""
    if is_single(value):
        return [value] * count
    found: list[Any] = list(value) if isinstance(value, (list, tuple)) else as_array(value, what).tolist()
    if len(found) != count:
        raise ValueError(f"{what} has {len(found)} values and there are {count} points, must be one for all or one per point")
    return found


def places_of(X: Any, names: Sequence[str], spare: Any, what: str = "X") -> tuple[list[dict[str, Any]], bool]:
    """Where answers were given, each {"point": its id} or {"x": its inputs}; and whether X is one point, not a list of them."""
    if isinstance(X, str):
        return [{"point": X}], True
    if hasattr(X, "to_numpy") and getattr(X, "columns", None) is None and not all(isinstance(name, str) for name in X.index):
        X = X.to_numpy()  # a pandas Series without names, perhaps of ids
    if names_of(X, what) is None and not hasattr(X, "to_dict"):
        rows = isinstance(X, (list, tuple)) and any(isinstance(row, (list, tuple)) for row in X)
        array = np.array([list(row) for row in X], dtype=object) if any_named(names) and rows else as_array(X, what)
        if array.ndim == 1 and array.size and all(isinstance(one, str) for one in array.tolist()):
            return [{"point": one} for one in array.tolist()], False
        if array.ndim < 2:
            return [{"x": point_by_name(X, names, what)}], True
    elif getattr(X, "columns", None) is None and not (isinstance(X, Mapping) and all(np.ndim(X[name]) for name in X)):
        return [{"x": point_by_name(X, names, what)}], True  # a dictionary of numbers, or a row of a frame
    return [{"x": row} for row in points_by_name(X, names, what, spare=spare).tolist()], False


def initial_table(given: Any, names: Optional[Sequence[str]], id_column: Optional[str], ladder: bool, binary: bool) -> str:
    """`create(initial=...)` as the table that `campaign.initial` reads: (X, y), (X, y, level), or columns by name."""
    if isinstance(given, (tuple, list)):
        if len(given) not in (2, 3):
            raise ValueError(f"initial has {len(given)} parts, must be (X, y) or (X, y, level)")
        if names is None:
            raise ValueError("initial is answers and the pool is a file, inputs=[...] must name the inputs")
        places, _ = places_of(given[0], names, {id_column, "id", "point"}, "initial X")
        y = answers_of(given[1], len(places), "initial y")
        columns: dict[str, list[Any]] = {}
        if places and "point" in places[0]:
            columns["id"] = [place["point"] for place in places]
        else:
            for k, name in enumerate(names):
                numbers = [_at(place["x"], k, len(names)) for place in places]
                columns[str(name)] = [name.name(one) for one in numbers] if isinstance(name, NamedInput) else numbers
        columns["y"] = y
        if len(given) == 3:
            columns["alpha" if ladder else "level"] = one_each(given[2], len(places), "initial level")
        return _csv(columns)
    found = names_of(given, "initial") or []
    known = {"id", "point", "y", "cost", *PRECISIONS, *ANSWERED, id_column, *(names or [])}
    if names is not None:
        require_names(found, [], "initial", known)
    return _csv({name: column_of(given, name, "initial").tolist() for name in found})


def _at(x: list[float], k: int, count: int) -> float:
    if len(x) != count:
        raise ValueError(f"initial X has {len(x)} inputs, must have {count}")
    return x[k]


def _csv(columns: Mapping[str, list[Any]]) -> str:
    counts = {name: len(values) for name, values in columns.items()}
    if len(set(counts.values())) > 1:
        raise ValueError(f"the columns of initial have {counts} values, must have as many of each")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*([_cell(value) for value in values] for values in columns.values())))
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
