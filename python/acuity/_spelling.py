"""Arguments as people of other packages write them: American spellings are taken, other names get a hint."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from .errors import warn_caller

Function = TypeVar("Function", bound=Callable[..., Any])

_AMERICAN = {"standardize": "standardise", "optimizer": "optimiser"}
# Of scikit-learn, and of what the same things are called in other places.
_ELSEWHERE = {
    "alpha": "noise_variance",
    "length_scale": "lengthscale",
    "lengthscales": "lengthscale",
    "n_restarts_optimizer": "restarts",
    "noise": "noise_variance",
    "normalize_y": "mean",
    "objective": "goal",
    "seed": "random_state",
    "random_state": "seed",
    "n_jobs": "threads",
    "columns": "inputs",
    "X": "pool",
}


def hint_on(name: str, known: list[str]) -> str:
    """Which of the known names is meant, as the end of a sentence; empty if none is near."""
    meant = _ELSEWHERE.get(name)
    if meant is None or meant not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.7)
        meant = near[0] if near else None
    return f"; here it is {meant!r}" if meant else ""


def with_hints(function: Function) -> Function:
    """The function, which takes American spellings of its keywords with a warning, and says what others are called here."""
    return with_hints_of(function)(function)


def with_hints_of(described: Callable[..., Any]) -> Callable[[Function], Function]:
    """The same for a function whose keywords are those of another one."""
    parameters = inspect.signature(described).parameters
    known = [name for name in parameters if name != "self"]
    label = described.__qualname__.removesuffix(".__init__")

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            for name in [name for name in named if name not in known]:
                british = _AMERICAN.get(name)
                if british not in known or british in named:
                    raise TypeError(f"{label}() got an unexpected keyword argument {name!r}{hint_on(name, known)}")
                named[british] = named.pop(name)
                warn_caller(f"{name!r} is spelt {british!r} here, and was taken as that", UserWarning)
            return function(*arguments, **named)

        return cast(Function, checked)

    return decorate
