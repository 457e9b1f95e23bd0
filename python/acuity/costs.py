"""What an answer of precision alpha costs.

>>> import acuity
>>> acuity.costs.power(9.0, 1.0)([1.0, float("inf")]).round(12).tolist()
[0.1, 1.0]
"""

from __future__ import annotations

from typing import Any, Callable, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import floats, number, shown, text

_LARGEST = float(np.finfo(float).max)


class Cost:
    """A price for every precision: call it with one alpha, or an array of them."""

    def __init__(self, core: "_core.CostFunction", words: str, toml: Union[dict[str, Any], str]) -> None:
        self._core = core
        self._words = words
        self._toml = toml  # how a study file says it

    def __call__(self, alpha: ArrayLike) -> Any:
        array = floats(alpha, "alpha")
        prices = self._core(np.ascontiguousarray(array.ravel())).reshape(array.shape)
        return prices if prices.ndim else float(prices)

    def __repr__(self) -> str:
        return self._words

    def __reduce__(self) -> Any:
        return _again, (self._toml,)


def power(c: float = 9.0, q: float = 1.0) -> Cost:
    """(1 + c / alpha)^-q: the sharpest answer costs (1 + c)^q times the vaguest, alpha = 1.

    >>> round(power(9.0, 0.5)(1.0), 9)
    0.316227766
    """
    c = number(c, "c", 0.0, _LARGEST, "a finite number, 0 or more")
    q = number(q, "q", 0.0, _LARGEST, "a finite number, 0 or more")
    return Cost(_core.power_cost(c, q), f"costs.power({c!r}, {q!r})", {"form": "power", "c": c, "q": q})


def linear(b: float = 0.1, c: float = 0.9) -> Cost:
    """b + c * alpha.

    >>> linear(0.5, 2.0)(3.0)
    6.5
    """
    b = number(b, "b", -_LARGEST, _LARGEST, "a finite number")
    c = number(c, "c", -_LARGEST, _LARGEST, "a finite number")
    return Cost(_core.linear_cost(b, c), f"costs.linear({b!r}, {c!r})", {"form": "linear", "b": b, "c": c})


def expression(formula: str) -> Cost:
    """A formula in `alpha`, as in a study file.

    >>> expression("1 + sqrt(alpha)")(4.0)
    3.0
    """
    words = text(formula, "the formula")
    return Cost(_core.expression_cost(words), f"costs.expression({words!r})", words)


CostLike = Union[Cost, str, Callable[[float], float]]


def as_cost(cost: CostLike) -> Union[Cost, Callable[[float], float]]:
    """A cost as it is, or a formula as one."""
    if isinstance(cost, str):
        return expression(cost)
    if isinstance(cost, Cost) or callable(cost):
        return cost
    raise ValueError(f"cost is {shown(cost)}, must be one of acuity.costs, a formula in alpha or a function of alpha")


def core_cost(cost: CostLike) -> "_core.CostFunction":
    """The cost that the core computes with; a function of yours is called from several threads, one at a time."""
    known = as_cost(cost)
    return known._core if isinstance(known, Cost) else _core.python_cost(known)


def _again(toml: Union[dict[str, Any], str]) -> Cost:
    if isinstance(toml, str):
        return expression(toml)
    return power(toml["c"], toml["q"]) if toml["form"] == "power" else linear(toml["b"], toml["c"])
