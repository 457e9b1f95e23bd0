"""What can be bought: a list of levels with prices, or a ladder of precisions.

>>> import acuity
>>> acuity.Level("coarse", noise_sd=0.5, cost=1.0)
Level('coarse', noise_variance=0.25, cost=1.0)
>>> len(acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 1)).levels())
100
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import choice, floats, number, shown, text, whole
from .costs import Cost, CostLike, as_cost, core_cost

_LARGEST = float(np.finfo(float).max)
_TINY = float(np.finfo(float).tiny)


class Level:
    """One precision on offer.

    name: what it is called. Of a number `noise_variance` (or `noise_sd`) on top of the point's own, or `noise_relative` to the
    answer for targets that are modelled by their logarithm; of a fraction the number of `trials`, of a rate the `exposure`; of a
    class `accuracy`, the probability of being right; in campaigns also "learn", "learn-by-class", {"guess": 0.8, "weight": 20} or
    {"yes": 0.9, "no": 0.8} (docs/study-file.md). `cost` is a number, or {"setup": 40, "per": 12, "units": 4}, which is 88. `value` is handed to annotators, by default the name. `repeat="same"`: asking again
    gives the same answer, so it is bought once at a point, and the point's other levels stay open. `exact=True` says that no noise at all is meant.

    bias: how answers differ from those of the reference level besides noise: "learn", with the noise as the declared size of
    the error; "none"; or {"offset_sd": ..., "smooth_sd": ..., "lengthscale": ...}, where the noise is the part that is new at
    every point. By default "learn" with `repeat="same"`, except at the reference level, and "none" otherwise.
    relation: of a level with a bias, how its answers and f go together: "difference", f and an error; "any", f is any function
    of the inputs and of them; or "learn", the default, which weighs both. "noise" is bias="none".
    reference: True at the level that the others differ from; by default the level of least noise (docs/study-file.md).
    "limit" at a level with `h`: f is meant at h = 0, beyond the finest mesh.
    h: the size of its mesh, at three levels or more: their errors shrink as a power of it, which is learned.
    retired: True at a level that is not for sale any more; its answers still count.
    units: what it takes of the capacity of `ask(capacity=...)`.

    In campaigns only: topup=True, it may continue the run of a coarser answer at the difference of the prices
    (docs/choices.md); a cost of {"guess": 4} depends on the inputs and is learned from what answers report.
    """

    def __init__(
        self,
        name: str,
        *,
        cost: Union[float, Mapping[str, float]],
        noise_variance: Optional[float] = None,
        noise_sd: Optional[float] = None,
        noise_relative: Optional[float] = None,
        trials: Optional[int] = None,
        exposure: Optional[float] = None,
        accuracy: Union[None, float, str, Mapping[str, float]] = None,
        value: Any = None,
        repeat: str = "independent",
        exact: bool = False,
        bias: Union[None, str, Mapping[str, float]] = None,
        relation: Optional[str] = None,
        reference: Union[bool, str] = False,
        h: Optional[float] = None,
        retired: bool = False,
        units: int = 1,
        topup: bool = False,
        alpha: Optional[float] = None,
    ) -> None:
        where = f"level {shown(name)}: "
        if not text(name, "the name of a level") and alpha is None:
            raise ValueError("the name of a level is empty, must be text")
        if not (value is None or isinstance(value, (bool, int, float, str, np.generic))):
            raise ValueError(where + f"value is {shown(value)}, must be a number, text or a truth value")
        given = [one is not None for one in (noise_variance, noise_sd, noise_relative, trials, exposure, accuracy)]
        if sum(given) > 1 or (sum(given) == 0 and not exact):
            raise ValueError(where + "must have one of noise_variance, noise_sd and accuracy (or exact=True)")
        self._counts: Optional[tuple[str, Union[int, float]]] = None  # the key and what it says
        if trials is not None:
            self._counts = "trials", whole(trials, where + "trials", 1, 10**15)
        if exposure is not None:
            self._counts = "exposure", number(exposure, where + "exposure", 1e-15, 1e15, "a finite number above 0")
        if self._counts is not None:
            noise_variance = 0.25 / self._counts[1]  # docs/math.md eq. (22.1)
        if noise_relative is not None:
            noise_variance = number(noise_relative, where + "noise_relative", 0.0, 1e150, "a finite number, 0 or more") ** 2
        if noise_sd is not None:
            noise_variance = number(noise_sd, where + "noise_sd", 0.0, 1e150, "a finite number, 0 or more") ** 2
        self.accuracy: Optional[float] = None  # of what is learned, the guess; by class, the mean
        self._accuracy: Union[None, str, dict[str, float]] = None  # as a study says it, if it is no number
        if accuracy is None:
            noise_variance = number(
                0.0 if noise_variance is None else noise_variance, where + "noise_variance", 0.0, _LARGEST,
                "a finite number, 0 or more",
            )
        elif isinstance(accuracy, (str, Mapping)):
            self._accuracy = _accuracy(accuracy, where)
            self.accuracy = _mean(self._accuracy)
        else:
            self.accuracy = number(accuracy, where + "accuracy", 0.5, 1.0, "from 0.5 to 1")
        self.name = name
        self.cost = number(_total(cost, where), where + "cost", _TINY, _LARGEST, "a finite number above 0")
        self.noise_variance = noise_variance
        self.relative = noise_relative is not None
        self.value = value
        self.repeat = choice(repeat, where + "repeat", ("independent", "same"))
        self.exact = bool(exact)
        self.bias = _bias(bias, where)
        self.relation = relation if relation is None else choice(
            relation, where + "relation", ("noise", "difference", "any", "learn")
        )
        if isinstance(reference, str) and reference != "limit":
            raise ValueError(where + f'reference is {shown(reference)}, must be True, False or "limit"')
        self.reference = reference if isinstance(reference, str) else bool(reference)
        self.h = None if h is None else number(h, where + "h", _TINY, 1e150, "a finite number above 0")
        self.retired = bool(retired)
        self.units = whole(units, where + "units", 1, 10**6)
        self.topup = bool(topup)
        self._guess = isinstance(cost, Mapping) and "guess" in cost
        if accuracy is not None and self.relation is not None:
            raise ValueError(where + "relation is for numbers and the level has an accuracy, must be left out")
        if accuracy is not None and self.h is not None:
            raise ValueError(where + "h is for numbers and the level has an accuracy, must be left out")
        if accuracy is not None and (self.bias is not None or self.reference):
            raise ValueError(where + "bias and reference are for numbers and the level has an accuracy, must be left out")
        self.alpha = None if alpha is None else number(alpha, where + "alpha", 0.0, np.inf, "a number, 0 or more")

    @property
    def binary(self) -> bool:
        """Whether its answers are classes."""
        return self.accuracy is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.name, self.cost, self.alpha))

    def __repr__(self) -> str:
        name = repr(self.name) if self.alpha is None else f"alpha={self.alpha!r}"
        what = f"accuracy={self.accuracy!r}" if self.binary else f"noise_variance={self.noise_variance!r}"
        return f"Level({name}, {what}, cost={self.cost!r})"

    def _for_core(self) -> dict[str, Any]:
        if self.topup or self._guess or self.retired or self.h is not None:
            raise ValueError(
                f"level {shown(self.name)}: topup, h, retired and a cost with a guess are for campaigns, must be left out"
            )
        if self.binary and self._accuracy is not None:
            raise ValueError(f"level {shown(self.name)}: an accuracy that is learned, or by class, is for campaigns, must be a number")
        return {
            "name": self.name or None,
            "alpha": self.alpha,
            "channel": self.accuracy if self.binary else self.noise_variance,
            "cost": self.cost,
            "repeats_itself": self.repeat == "same",
            "exact": self.exact,
            "bias": None,
        }

    def _for_study(self) -> dict[str, Any]:
        table: dict[str, Any] = {"name": self.name, "cost": {"guess": self.cost} if self._guess else self.cost}
        if self.binary:
            table["accuracy"] = self.accuracy if self._accuracy is None else self._accuracy
        else:
            noise = float(np.sqrt(self.noise_variance or 0.0))
            if noise > 0.0 or not self.exact:
                key, size = self._counts or ("noise_relative" if self.relative else "noise_sd", noise)
                table[key] = size
            if self.exact:
                table["exact"] = True
        if self.value is not None:
            table["value"] = self.value
        if self.repeat == "same":
            table["repeat"] = "same"
        if self.bias is not None:
            table["bias"] = self.bias
        if self.relation is not None:
            table["relation"] = self.relation
        if self.reference:
            table["reference"] = self.reference
        if self.h is not None:
            table["h"] = self.h
        if self.retired:
            table["retired"] = True
        if self.units != 1:
            table["units"] = self.units
        if self.topup:
            table["topup"] = True
        return table


def _accuracy(accuracy: Any, where: str) -> Union[str, dict[str, float]]:
    """An accuracy that is no number, as a study writes it."""
    if isinstance(accuracy, str):
        return choice(accuracy, where + "accuracy", ("learn", "learn-by-class"))
    keys = {"yes", "no", "weight"} if isinstance(accuracy, Mapping) and "yes" in accuracy else {"guess", "weight"}
    if not isinstance(accuracy, Mapping) or not set(accuracy) <= keys or not accuracy:
        raise ValueError(
            where + f"accuracy is {shown(accuracy)}, must be a number from 0.5 to 1, \"learn\", \"learn-by-class\", "
            '{"guess": 0.8, "weight": 20} or {"yes": 0.9, "no": 0.8}'
        )
    return {key: number(value, where + "accuracy " + key, _TINY, 1e6, "a number above 0") for key, value in accuracy.items()}


def _mean(accuracy: Union[str, dict[str, float]]) -> float:
    """The accuracy that is assumed before something is learned."""
    if isinstance(accuracy, str):
        return 0.8
    if "yes" in accuracy:
        return 0.5 * (accuracy["yes"] + accuracy.get("no", accuracy["yes"]))
    return accuracy.get("guess", 0.8)


def _bias(bias: Any, where: str) -> Union[None, str, dict[str, float]]:
    """A bias, as in a study file."""
    requirement = '"learn", "none" or a dictionary with offset_sd, smooth_sd and lengthscale'
    if bias is None or (isinstance(bias, str) and bias in ("learn", "none")):
        return bias
    if not isinstance(bias, Mapping) or not bias or set(bias) - {"offset_sd", "smooth_sd", "lengthscale"}:
        raise ValueError(where + f"bias is {shown(bias)}, must be {requirement}")
    given = {}
    for key, value in bias.items():
        least, words = (_TINY, "a finite number above 0") if key == "lengthscale" else (0.0, "a finite number, 0 or more")
        given[key] = number(value, where + f"bias {key}", least, 1e150, words)
    return given


def _total(cost: Any, where: str) -> Any:
    """A price in parts, as in a study file."""
    if not isinstance(cost, Mapping):
        return cost
    if set(cost) == {"guess"}:
        return cost["guess"]
    unknown = [key for key in cost if key not in ("setup", "per", "units")]
    if unknown or "per" not in cost or "units" not in cost:
        raise ValueError(where + f"cost is {shown(dict(cost))}, must be a number or have per and units, and setup if any")
    parts = {key: number(cost[key], where + f"cost {key}", 0.0, _LARGEST, "a finite number, 0 or more") for key in cost}
    return parts.get("setup", 0.0) + parts["per"] * parts["units"]


class Ladder:
    """The paper's ladder: precisions alpha, with one law for their noise and one for their price.

    Numbers: an answer of precision alpha >= 1 has noise of variance gamma / alpha on top of the point's own. Classes: with
    `kappa`, an answer of precision alpha from 0 to 1 is right with probability kappa + gamma * alpha.

    alpha: a list, or None for `count` of them from `low` to `high`, uniform in 1 / alpha (numbers) or in alpha (classes).
    continuous: every precision between `low` and `high`. cost: one of acuity.costs, a formula in alpha or a function.
    """

    def __init__(
        self,
        gamma: float,
        cost: CostLike,
        *,
        kappa: Optional[float] = None,
        alpha: Optional[ArrayLike] = None,
        low: Optional[float] = None,
        high: Optional[float] = None,
        count: int = 100,
        continuous: bool = False,
    ) -> None:
        self.binary = kappa is not None
        self.gamma = number(gamma, "gamma", 0.0, _LARGEST, "a finite number, 0 or more")
        self.kappa = None if kappa is None else number(kappa, "kappa", 0.5, 1.0, "from 0.5 to 1")
        if self.kappa is not None and self.kappa + self.gamma > 1.0 + 1e-12:
            raise ValueError(f"kappa + gamma is {self.kappa + self.gamma}, must be at most 1")
        self.cost = as_cost(cost)
        least, most = (0.0, 1.0) if self.binary else (1.0, np.inf)
        bounds = "from 0 to 1" if self.binary else "1 or more"
        self.low = number(least if low is None else low, "low", least, most, bounds)
        self.high = number(most if high is None else high, "high", least, most, bounds)
        if not self.low < self.high:
            raise ValueError(f"low is {self.low} and high is {self.high}, low must be below high")
        self.continuous = bool(continuous)
        self._listed = alpha is not None
        if alpha is not None:
            if continuous:
                raise ValueError("alpha and continuous are both given, must be one of them")
            listed = np.array(np.atleast_1d(floats(alpha, "alpha")))
            if listed.ndim != 1 or len(listed) == 0:
                raise ValueError(f"alpha has the shape {listed.shape}, must be a list of numbers")
            for one in listed:
                number(float(one), "alpha", least, most, bounds)
            self.alpha = listed
        elif continuous:
            self.alpha = np.array([self.low, self.high])
        elif self.binary:
            self.alpha = np.linspace(self.low, self.high, self._count(count))
        else:
            inverse = np.linspace(1.0 / self.low, 1.0 / self.high, self._count(count))
            with np.errstate(divide="ignore"):
                self.alpha = 1.0 / inverse

    @staticmethod
    def _count(count: int) -> int:
        return whole(count, "count", 2, 10**6)

    def levels(self) -> list[Level]:
        """The rungs, vaguest first; of a continuous ladder its two ends."""
        rungs = []
        for alpha in self.alpha.tolist():
            price = number(self.cost(alpha), f"the cost at alpha = {alpha}", -np.inf, np.inf, "a finite number above 0")
            if not (np.isfinite(price) and price > 0.0):
                raise ValueError(f"the cost at alpha = {alpha} is {price}, must be a finite number above 0")
            if self.binary:
                rungs.append(Level("", alpha=alpha, accuracy=min(1.0, self.kappa + self.gamma * alpha), cost=price))
            else:
                rungs.append(Level("", alpha=alpha, noise_variance=self.gamma / alpha, cost=price))
        return rungs

    def __repr__(self) -> str:
        law = f"gamma={self.gamma!r}" + (f", kappa={self.kappa!r}" if self.binary else "")
        how = "continuous" if self.continuous else f"{len(self.alpha)} rungs"
        return f"Ladder({law}, cost={self.cost!r}; {how} from {self.alpha.min()} to {self.alpha.max()})"

    def _for_core(self) -> Optional[dict[str, Any]]:
        if not self.continuous:
            return None
        return {"low": self.low, "high": self.high, "gamma": self.gamma, "kappa": self.kappa, "cost": core_cost(self.cost)}

    def _for_study(self) -> dict[str, Any]:
        if not isinstance(self.cost, Cost):
            raise ValueError(
                "a campaign keeps its prices: the cost of a ladder must be one of acuity.costs or a formula in alpha; "
                "with a function of your own pass levels=ladder.price_list()"
            )
        if self.continuous:
            alpha: Any = {"from": self.low, "to": self.high, "continuous": True}
        elif self._listed:
            alpha = self.alpha.tolist()
        else:
            spacing = "linear" if self.binary else "inverse"
            alpha = {"from": self.low, "to": self.high, "count": len(self.alpha), "spacing": spacing}
        table: dict[str, Any] = {"alpha": alpha, "gamma": self.gamma, "cost": self.cost._toml}
        if self.binary:
            table["kappa"] = self.kappa
        return table

    def price_list(self) -> list[Level]:
        """The rungs as levels with names, `alpha=1.5`, whose prices are fixed now: for costs that are functions of yours."""
        return [
            Level(
                f"alpha={level.alpha!r}", noise_variance=level.noise_variance, accuracy=level.accuracy, cost=level.cost,
                value=level.alpha if np.isfinite(level.alpha or 0.0) else "inf", exact=level.noise_variance == 0.0,
            )
            for level in self.levels()
        ]


LevelsLike = Union[Ladder, Iterable[Union[Level, Mapping[str, Any]]]]


def as_levels(levels: LevelsLike) -> list[Level]:
    """A list of Level; dictionaries are converted."""
    if isinstance(levels, Ladder):
        return levels.levels()
    if isinstance(levels, (str, bytes, Mapping, Level)) or not isinstance(levels, Iterable):
        raise ValueError(f"levels is {shown(levels)}, must be a list of levels or an acuity.Ladder")
    found = []
    for level in levels:
        if isinstance(level, Mapping):
            fields = dict(level)
            try:
                level = Level(**fields)
            except TypeError as error:
                raise ValueError(f"a level is {shown(fields)}, must be that of acuity.Level ({error})") from None
        if not isinstance(level, Level):
            raise ValueError(f"a level is {shown(level)}, must be an acuity.Level or a dictionary like one")
        found.append(level)
    if not found:
        raise ValueError("there are no levels, must be at least one")
    if len({level.binary for level in found}) > 1:
        raise ValueError("some levels have an accuracy and some a noise, must all have the same")
    names = [level.name for level in found if level.alpha is None]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two levels are called {name!r}, must have different names")
    return found
