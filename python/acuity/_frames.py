"""Inputs by name: the columns of a DataFrame, or of a dictionary of columns, may be in any order.

Arrays have no names and are taken by place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import FloatArray, as_array, floats, points, shown
from ._inputs import NamedInput, any_named
from .errors import warn_caller


def names_of(X: Any, what: str = "X") -> Optional[list[str]]:
    """The names of the columns of a frame or a dictionary; None if they have none, as in an array."""
    columns = X.keys() if isinstance(X, Mapping) else getattr(X, "columns", None)
    if columns is None:
        return None
    names = list(columns)
    texts = [isinstance(name, str) for name in names]
    if not any(texts) and not isinstance(X, Mapping):
        return None  # numbered columns, as pandas makes them from an array
    if not all(texts):
        raise ValueError(f"{what} has the column {shown(names[texts.index(False)])}, the names of all columns must be text")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} has two columns {name!r}, the names of columns must be unique")
    return [str(name) for name in names]


def _listed(names: Sequence[str]) -> str:
    quoted = [repr(str(name)) for name in names]
    return ", ".join(quoted) if len(quoted) <= 12 else ", ".join(quoted[:12]) + ", ..."


def column_of(X: Any, name: str, what: str) -> Any:
    """One column of a frame or a dictionary, as an array of one dimension."""
    array = as_array(X[name], f"column {name!r} of {what}")
    if array.ndim != 1:
        raise ValueError(f"column {name!r} of {what} has the shape {array.shape}, must be a list with one value per point")
    return array


def select_columns(X: Any, names: Sequence[str], what: str = "X", unseen: Optional[dict[str, list[str]]] = None) -> FloatArray:
    """These columns of a frame or a dictionary, in this order. unseen: where new names of categories go, see NamedInput."""
    found = []
    for name in names:
        column = column_of(X, str(name), what)
        if isinstance(name, NamedInput):
            found.append(name.numbers(column.tolist(), what, None if unseen is None else unseen.setdefault(str(name), [])))
            continue
        try:
            found.append(floats(column, f"column {name!r} of {what}"))
        except TypeError as error:
            raise ValueError(str(error)) from None
    lengths = [len(column) for column in found]
    for name, length in zip(names, lengths):
        if length != lengths[0]:
            raise ValueError(
                f"column {name!r} of {what} has {length} values and column {names[0]!r} has {lengths[0]}, must be as many"
            )
    return points(np.column_stack(found), what)


def points_by_name(
    X: Any, names: Optional[Sequence[str]], what: str = "X", *, spare: Collection[Optional[str]] = (), inputs: Optional[int] = None,
    unseen: Optional[dict[str, list[str]]] = None,
) -> FloatArray:
    """Inputs, one per row, in the order of `names`: columns with names are found by them, others are taken by place.

    names: None if the inputs have no names. spare: columns that may be there besides. inputs: how many, for arrays. unseen: by
    input, names of categories that the pool does not have; None: they are refused.
    """
    given = names_of(X, what)
    if given is None and names is not None and any_named(names):
        return select_columns(columns_by_place(X, names, what), names, what, unseen)
    if given is None or names is None:
        if given and isinstance(X, Mapping):
            return points(select_columns(X, given, what), what, inputs)
        return points(X, what, len(names) if names is not None else inputs)
    require_names(given, names, what, spare)
    return select_columns(X, names, what, unseen)


def columns_by_place(X: Any, names: Sequence[str], what: str) -> dict[str, Any]:
    """The columns of an array, or of a list of rows, that has names among its numbers."""
    array = np.array([list(row) for row in (X.tolist() if hasattr(X, "tolist") else X)], dtype=object)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ValueError(f"{what} has the shape {array.shape}, must have one row per point and the inputs {_listed(names)}")
    return {str(name): array[:, k] for k, name in enumerate(names)}


def require_names(given: Sequence[str], names: Sequence[str], what: str, spare: Collection[Optional[str]] = ()) -> None:
    """Refuses inputs that are missing and columns that are not known."""
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names and name not in spare]
    if missing:
        more = f" (it has {_listed(unknown)}, which is not known)" if unknown else ""
        raise ValueError(f"{what} has no column {missing[0]!r}{more}, must have the inputs {_listed(names)}")
    if unknown:
        raise ValueError(
            f"{what} has the column {unknown[0]!r}, which is not known, must have the inputs {_listed(names)} and no others"
        )


def point_by_name(x: Any, names: Sequence[str], what: str = "x") -> list[float]:
    """One point: by name from a dictionary, a pandas Series with names or a frame of one row, else numbers by place."""
    index: Any = getattr(x, "index", None)
    is_series = index is not None and not callable(index) and not hasattr(x, "columns") and hasattr(x, "to_dict")
    if is_series and len(index) and all(isinstance(name, str) for name in index):
        x = x.to_dict()
    if isinstance(x, Mapping):
        require_names([str(name) for name in x], names, what)
        if any_named(names):
            return point_by_name([x[str(name)] for name in names], names, what)
        return [float(value) for value in np.concatenate([floats(x[name], what).ravel() for name in names])]
    if names_of(x, what) is not None:
        array = points_by_name(x, names, what)
        if len(array) != 1:
            raise ValueError(f"{what} has {len(array)} rows, must have one")
        return [float(value) for value in array[0]]
    if any_named(names):
        row = [x] if isinstance(x, (str, bool)) or np.ndim(x) == 0 else list(x)
        return [float(value) for value in points_by_name([row], names, what)[0]]
    return [float(value) for value in np.atleast_1d(floats(x, what)).ravel()]


def points_for_prediction(X: Any, names: Sequence[str], spare: Collection[Optional[str]]) -> FloatArray:
    """Points at which a campaign predicts: names of categories that its pool does not have are a warning."""
    unseen: dict[str, list[str]] = {}
    array = points_by_name(X, names, spare=spare, unseen=unseen)
    for name, values in unseen.items():
        if values:
            warn_caller(
                f"column {name!r} has {_listed(values)}, which no point of the pool has: predictions there are those of a value "
                "that was never asked about",
                UserWarning,
            )
    return array


def default_names(count: int) -> list[str]:
    """What inputs without names are called."""
    return ["x"] if count == 1 else [f"x{i + 1}" for i in range(count)]
