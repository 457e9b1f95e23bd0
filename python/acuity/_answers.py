"""What callers say about an answer, checked and translated for the core."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._arrays import shown, text, whole
from ._core import Suggestion

Id = Union[int, Suggestion]


def id_of(id: Id) -> int:
    value = id.id if isinstance(id, Suggestion) else id
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"the id is {shown(value)}, must be a suggestion or its number")
    return whole(value, "the id", -(2**63), 2**63 - 1)


def words_of(reason: Any) -> str:
    """A reason as text: characters that the log cannot store become question marks."""
    return str(reason).encode("utf-8", "replace").decode("utf-8").replace("\0", "?")


def values_of(y: Any, binary: bool, counted: bool = False) -> list[Union[float, str]]:
    """One answer or several replicates: numbers, or names of classes. Of classes 0 is the first, as in tables.

    counted: a tuple (k, n) is a count, which the core takes as "k/n".
    """
    if counted and isinstance(y, tuple):
        return [_count_of(y)]
    if counted and isinstance(y, list) and any(isinstance(one, tuple) for one in y):
        return [said for one in y for said in values_of(one, binary, counted)]
    if isinstance(y, tuple):
        raise ValueError(
            f"the answer is the tuple {shown(y)}, must be a number, a class or a list of replicates; an annotator reports its "
            'cost or noise by a dictionary, {"y": 0.3, "cost": 1.2, "noise_sd": 0.1}, tell by arguments'
        )
    several = list(y) if isinstance(y, (list, np.ndarray)) and np.ndim(y) > 0 else [y]
    said: list[Union[float, str]] = []
    for one in several:
        if isinstance(one, str):
            said.append(text(one, "the answer"))
        else:
            try:
                value = float(one)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"the answer is {shown(one)}, must be a finite number or a class") from None
            said.append(-1.0 if binary and value == 0.0 else value)
    return said


def _count_of(pair: tuple[Any, ...]) -> str:
    if len(pair) != 2:
        raise ValueError(f"the answer is the tuple {shown(pair)}, must be a count and its number of trials, (k, n)")
    k, n = (number_of(one, "the count (k, n)") for one in pair)
    return f"{k!r}/{n!r}"


def number_of(value: Any, what: str, required: str = "a number") -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {shown(value)}, must be {required}") from None


def channel_of(binary: bool, noise_variance: Any, noise_sd: Any, accuracy: Any) -> Optional[float]:
    """The precision that an answer reports for itself."""
    given = {"noise_variance": noise_variance, "noise_sd": noise_sd, "accuracy": accuracy}
    reported = [name for name, value in given.items() if value is not None]
    if not reported:
        return None
    if len(reported) > 1:
        raise ValueError(f"{reported[0]} and {reported[1]} are both given, must be one of them")
    name = reported[0]
    if binary != (name == "accuracy"):
        kind = "classes, must be accuracy" if binary else "numbers, must be noise_variance or noise_sd"
        raise ValueError(f"{name} is given and the answers are {kind}")
    value = number_of(given[name], name)
    if name == "noise_sd" and not 0.0 < value < 1e150:
        raise ValueError(f"noise_sd is {noise_sd!r}, must be a finite number above 0")
    return value
