"""Inputs whose values are names: categories, ordered ones, and yes or no. The core works with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray, as_array, shown, text

_YES = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}


class NamedInput(str):
    """The name of an input whose values are names: their place in `values` is the number that the core works with."""

    kind: str
    values: list[str]

    def __new__(cls, name: str, kind: str, values: Sequence[str]) -> "NamedInput":
        made = super().__new__(cls, name)
        made.kind = kind  # "category", "ordered" or "yes-no"
        made.values = list(values)
        return made

    def __reduce__(self) -> Any:
        return NamedInput, (str(self), self.kind, self.values)

    def numbers(self, column: Iterable[Any], what: str, unseen: Optional[list[str]] = None) -> FloatArray:
        """Names as numbers. unseen: names that are new get numbers of their own and are appended; None: they are refused."""
        places = {name: float(k) for k, name in enumerate(self.values)}
        found = []
        for row, value in enumerate(column):
            name = _name(value, self, what, row)
            if self.kind == "yes-no":
                if name.lower() not in _YES:
                    raise ValueError(f"column {str(self)!r} of {what} has {shown(value)}, must be True or False, or yes or no")
                found.append(_YES[name.lower()])
                continue
            if name not in places:
                if unseen is None or self.kind != "category":
                    known = ", ".join(map(repr, self.values[:12])) + (", ..." if len(self.values) > 12 else "")
                    raise ValueError(f"column {str(self)!r} of {what} has {shown(value)}, must be one of {known}")
                places[name] = float(len(self.values) + len(unseen))
                unseen.append(name)
            found.append(places[name])
        return np.array(found, dtype=np.float64)

    def names(self, numbers: Iterable[float]) -> NDArray[Any]:
        """The inverse: names, of yes-no inputs True and False."""
        if self.kind == "yes-no":
            return np.array([number != 0.0 for number in numbers], dtype=bool)
        return np.array([self.values[int(number)] for number in numbers], dtype=object)

    def name(self, number: float) -> str:
        """The name of one number, as tables have it."""
        return self.values[int(number)]


def _name(value: Any, name: str, what: str, row: int) -> str:
    if value is None or (isinstance(value, (float, np.floating)) and np.isnan(value)) or str(value) in ("", "<NA>", "nan"):
        raise ValueError(f"column {str(name)!r} of {what} has no value at {row}, must have a name")
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return text(str(value), f"column {str(name)!r} of {what}")


def inputs_of(columns: Iterable[tuple[str, str, list[str]]]) -> list[str]:
    """The inputs of a campaign by their names: (name, kind, values) each."""
    return [name if kind == "number" else NamedInput(name, kind, values) for name, kind, values in columns]


def any_named(names: Optional[Sequence[str]]) -> bool:
    return names is not None and any(isinstance(name, NamedInput) for name in names)


def _kind_of(series: Any, column: NDArray[Any], given: Mapping[str, Any]) -> tuple[str, list[str]]:
    """What a column of a pool is: "number", "category", "ordered" or "yes-no", and the names of an ordered one."""
    if given.get("levels") is not None:
        return "ordered", [str(level) for level in given["levels"]]
    if given.get("type") is not None:
        return str(given["type"]), []
    categories = getattr(getattr(series, "cat", None), "categories", None)
    if categories is not None:
        if getattr(series.cat, "ordered", False):
            return "ordered", [str(one) for one in categories]
        return "category", []
    if column.dtype.kind == "b":
        return "yes-no", []
    if column.dtype.kind in "OUST":
        some = column.tolist()
        if some and all(isinstance(one, (bool, np.bool_)) for one in some):
            return "yes-no", []
        if any(isinstance(one, str) for one in some):
            return "category", []
    return "number", []


class DescribedInputs:
    """Inputs of a pool: names, their tables for a study file, and the numbers of the points.

    inputs: names, or dictionaries with the keys of [[input]], for the columns in this order. Categories get their numbers in the
    order in which their names appear, as in a table.
    """

    def __init__(self, columns: Sequence[Any], inputs: Sequence[Union[str, Mapping[str, Any]]], what: str = "pool") -> None:
        self.names: list[str] = []
        self.numbers: list[Any] = []
        self.tables: list[dict[str, Any]] = []
        for series, given in zip(columns, inputs):
            table = dict(given) if isinstance(given, Mapping) else {"name": str(given)}
            if "name" not in table:
                raise ValueError(f"an input is {shown(given)}, must have a name")
            name = str(table["name"])
            column = as_array(series, f"column {name!r} of {what}")
            kind, levels = _kind_of(series, column, table)
            if kind == "category" and "type" not in table and column.size > 2 and len(set(map(str, column.tolist()))) == column.size:
                raise ValueError(
                    f"column {name!r} of {what} is not numbers, must be numbers, or no input: inputs=[...] names the inputs, ids={name!r} "
                    f"says that it has the names of the points, which differ at every point; if it is a category, inputs has "
                    f'{{"name": {name!r}, "type": "category"}}'
                )
            if kind == "number":
                self.names.append(name)
                self.numbers.append(column)
            else:
                values = levels
                if kind == "category":
                    values = list(dict.fromkeys(_name(one, name, what, row) for row, one in enumerate(column.tolist())))
                elif kind == "yes-no":
                    values = ["no", "yes"]
                named = NamedInput(name, kind, values)
                self.names.append(named)
                self.numbers.append(named.numbers(column.tolist(), what))
                table["type"] = "yes-no" if kind == "yes-no" else "category"
                if kind == "ordered":
                    table["levels"] = values
            self.tables.append(table)

    @property
    def are_plain(self) -> bool:
        """Whether all inputs are numbers on a linear scale, without a unit."""
        return all(set(table) == {"name"} for table in self.tables)

    @property
    def values(self) -> list[list[str]]:
        """The names of the values of every input, none for numbers."""
        return [name.values if isinstance(name, NamedInput) else [] for name in self.names]


def name_of_input(given: Union[str, Mapping[str, Any]]) -> str:
    """The name in an entry of `inputs`."""
    if isinstance(given, Mapping):
        if "name" not in given:
            raise ValueError(f"an input is {shown(given)}, must have a name")
        return str(given["name"])
    return str(given)


def bounds_of(name: Any, given: Any) -> dict[str, Any]:
    """The keys of [[input]] of an input whose values are drawn: a tuple is a range, a list has the only values."""
    about = f"inputs[{name!r}]"
    if not isinstance(name, str):
        raise ValueError(f"inputs has the name {shown(name)}, must have text")
    if isinstance(given, Mapping):
        if "name" in given:
            raise ValueError(f"{about} has a name, must be left out: its name is {name!r}")
        table = dict(given)
    elif isinstance(given, tuple):
        table = {"range": given}
    elif isinstance(given, (list, np.ndarray)):
        table = {"values": given}
    else:
        raise ValueError(f"{about} is {shown(given)}, must be (low, high), a list of values or a dictionary")
    return {"name": name, **{key: list(value) if isinstance(value, (tuple, np.ndarray)) else value for key, value in table.items()}}


def bounded_input(table: Mapping[str, Any]) -> str:
    """The name of such an input, with the names of its values if it has any."""
    name = str(table["name"])
    if table.get("type") == "yes-no":
        return NamedInput(name, "yes-no", ["no", "yes"])
    values, levels = table.get("values"), table.get("levels")
    if levels is not None:
        return NamedInput(name, "ordered", [str(level) for level in levels])
    if values is not None and len(values) > 0 and isinstance(values[0], str):
        return NamedInput(name, "category", [str(value) for value in values])
    return name
