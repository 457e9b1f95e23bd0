"""Converts arguments into arrays that the core accepts; wrong ones raise ValueError with one sentence."""

from __future__ import annotations

import numbers
import os
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


def column_names(X: Any) -> Optional[NDArray[np.object_]]:
    """The names of a DataFrame's columns, if they are all text."""
    columns = getattr(X, "columns", None)
    if columns is None or not len(columns) or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def as_array(values: Any, what: str) -> NDArray[Any]:
    """Any argument as an array."""
    try:
        return np.asarray(values)
    except (MemoryError, OverflowError, RecursionError):  # a list that is in itself, say
        raise ValueError(f"{what} is no array, must be one") from None


def _numbers(values: Any, what: str) -> NDArray[Any]:
    masked = int(np.sum(values.mask)) if isinstance(values, np.ma.MaskedArray) else 0
    if masked:
        raise ValueError(f"{what} has {masked} masked values, must have none: leave out their rows")
    if hasattr(values, "toarray") and hasattr(values, "tocsr"):
        raise TypeError(f"{what} is a sparse matrix, must be dense (for example {what}.toarray())")
    array = as_array(values, what)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has complex numbers, must be real ones")
    if array.dtype.kind not in "fiub":
        if array.dtype.kind in "OUS":
            try:
                array = array.astype(np.float64)
            except TypeError as error:  # a dictionary, say: the words of numpy name it
                raise TypeError(f"{what}: {error}, must be numbers") from None
            except ValueError as error:
                raise ValueError(f"{what}: {error}, must be numbers") from None
            except OverflowError:
                raise ValueError(f"{what} has a number that is too large, must be finite numbers") from None
        else:
            raise ValueError(f"{what} is of type {array.dtype}, must be numbers")
    return array


def _require_finite(array: FloatArray, what: str) -> None:
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0]
        value = array[tuple(place)]
        found = "NaN" if np.isnan(value) else "infinity (inf)"
        raise ValueError(f"{what} has {found} at {tuple(int(i) for i in place)}, must be finite numbers")


def points(X: ArrayLike, what: str = "X", inputs: Optional[int] = None, *, least: int = 1) -> FloatArray:
    """Inputs, one per row: contiguous doubles, without a copy if they are that already."""
    array = _numbers(X, what)
    if array.ndim != 2:
        kind = "scalar" if array.ndim == 0 else f"{array.ndim}D"
        raise ValueError(
            f"Expected 2D array, got {kind} array instead: {what} must have one row per point. Reshape your data "
            f"with {what}.reshape(-1, 1) if it has one input, or {what}.reshape(1, -1) if it is one point."
        )
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required: {what} has no inputs.")
    if array.shape[0] < least:
        raise ValueError(f"{what} has {array.shape[0]} sample(s), a minimum of {least} is required.")
    if inputs is not None and array.shape[1] != inputs:
        raise ValueError(f"{what} has {array.shape[1]} features, but is expecting {inputs} features as input: one column per input.")
    result = np.ascontiguousarray(array, dtype=np.float64)
    _require_finite(result, what)
    return result


def values(y: ArrayLike, count: int, what: str = "y") -> FloatArray:
    """One finite number per point."""
    array = np.ascontiguousarray(_numbers(y, what), dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{what} should be a 1d array, got an array of shape {array.shape} instead.")
    if array.shape[0] != count:
        raise ValueError(f"{what} has {array.shape[0]} entries and there are {count} points, must be as many of each")
    _require_finite(array, what)
    return array


def per_point(value: Any, count: int, what: str, low: float, high: float, requirement: str) -> FloatArray:
    """A number for all points or one for each, within bounds; never the caller's own array."""
    array = np.array(_numbers(value, what), dtype=np.float64)
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise ValueError(f"{what} has the shape {array.shape}, must be one number or {count} of them, one per point")
    wrong = ~((array >= low) & (array <= high) & np.isfinite(array))
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{what} is {array[place]} at {place}, must be {requirement}")
    return np.ascontiguousarray(array)


def floats(values: Any, what: str) -> FloatArray:
    """Numbers of any shape, not finite ones among them."""
    return np.asarray(_numbers(values, what), dtype=np.float64)


def number(value: Any, what: str, low: float, high: float, requirement: str) -> float:
    """One number within bounds."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number)):
        raise ValueError(f"{what} is {shown(value)}, must be {requirement}")
    try:
        result = float(value)
    except (TypeError, OverflowError):
        raise ValueError(f"{what} is {shown(value)}, must be {requirement}") from None
    if not low <= result <= high:
        raise ValueError(f"{what} is {shown(value)}, must be {requirement}")
    return result


def shown(value: Any) -> str:
    """As much of a value as a sentence has room for."""
    text = repr(value)
    return text if len(text) <= 80 else text[:60] + " ..."


def whole(value: Any, what: str, low: int, high: int) -> int:
    """One whole number within bounds."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not low <= int(value) <= high:
        bounds = f" from {low} to {high}" if high < 2**31 - 1 else f", {low} or more"
        raise ValueError(f"{what} is {shown(value)}, must be a whole number{bounds}")
    return int(value)


def threads_of(threads: Any) -> int:
    """How many threads; 0: as many as OMP_NUM_THREADS says, or else all the machine has."""
    count = whole(threads, "threads", 0, 1024)
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(wanted), 1024) if count == 0 and wanted.isdecimal() else count


def text(value: Any, what: str) -> str:
    """Text that files and the core can hold."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {shown(value)}, must be text")
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{what} is {shown(value)}, must be text without NUL characters and unpaired surrogates")
    return str(value)


def choice(value: Any, what: str, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise ValueError(f"{what} is {shown(value)}, must be one of {words}")
    return str(value)


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn calls a random state: None, a number or a generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, (numbers.Integral, np.integer)):
        if not 0 <= int(random_state) < 2**64:
            raise ValueError(f"random_state is {shown(random_state)}, must be from 0 to 2**64 - 1")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**63))
    raise ValueError(f"random_state is {shown(random_state)}, must be None, a whole number or a numpy generator")


def path_of(path: Any, what: str) -> str:
    """A path as text."""
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"{what} is {shown(path)}, must be a path")
    return text(os.fspath(path), what)
