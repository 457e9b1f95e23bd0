"""What campaigns return: dictionaries that print as text, and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._arrays import FloatArray, shown
from ._inputs import NamedInput, any_named


ANSWERED = ("worker", "told_at", "seconds", "note")
"""Columns of annotations() that say who answered and when."""


class Told(dict):  # type: ignore[type-arg]
    """The result of `tell`: `charge`, `surprise` and `changes`, which is False if the answer was recorded before."""


class Explanation(dict):  # type: ignore[type-arg]
    """Why a point and a level were chosen: numbers by name, and text that can be printed or pasted."""

    def __init__(self, fields: Mapping[str, Any], text: str) -> None:
        super().__init__(fields)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text)


class Check(dict):  # type: ignore[type-arg]
    """What `acuity check` says about a study, by name: `break_even`, `warnings`, `initial`, `notes` and `plan`; it prints as text."""

    def __init__(self, fields: Mapping[str, Any], text: str) -> None:
        super().__init__(fields)
        self.text = text

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text)


def with_names(pool: FloatArray, inputs: list[str]) -> NDArray[Any]:
    """The pool as an array of objects if some of its inputs have names."""
    if not any_named(inputs):
        return pool
    found = pool.astype(object)
    for k, name in enumerate(inputs):
        if isinstance(name, NamedInput):
            found[:, k] = name.names(pool[:, k])
    return found


def with_infinities(fields: dict[str, Any]) -> dict[str, Any]:
    """The program writes infinity as text."""
    words = {"inf": np.inf, "-inf": -np.inf}
    return {key: words.get(value, value) if isinstance(value, str) and key not in _TEXTS else value for key, value in fields.items()}


_TEXTS = {"name", "unit", "point", "level", "reason", "event", "worker", "id", "time", "created", "host", "since"}


def table_of(columns: dict[str, NDArray[Any]], frame: Optional[bool]) -> Any:
    if frame is not None and not isinstance(frame, (bool, np.bool_)):
        raise TypeError(f"frame is {shown(frame)}, must be True, False or None")
    if frame is not None and not frame:
        return columns
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        if frame:
            raise ImportError(
                "frame=True needs pandas, which is not installed (Debian: python3-pandas); frame=False gives a dictionary of arrays"
            ) from None
        return columns
    return pandas.DataFrame(columns)
