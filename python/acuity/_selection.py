"""Which point to ask about, how precisely, at what price."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import FloatArray, as_array, choice, floats, number, per_point, seed_of, shown, threads_of, whole
from ._core import Suggestion
from ._frames import default_names, names_of, points_by_name
from ._study import GoalValues, level_biases
from ._spelling import with_hints
from .classifier import GPClassifier
from .errors import Finished
from .levels import Ladder, LevelsLike, as_levels
from .regressor import GPRegressor

_LARGEST = float(np.finfo(float).max)


Model = Union[GPRegressor, GPClassifier]
InformationName = Literal["model", "target", "bald", "random", "goal"]
CriterionName = Literal["variance", "prediction"]


def _seen(model: Model, inputs: int) -> tuple[Any, ...]:
    """The kernel, the mean and the observations of a model; without observations if it was not fitted."""
    binary = isinstance(model, GPClassifier)
    if not isinstance(model, (GPRegressor, GPClassifier)):
        raise ValueError(f"model is {shown(model)}, must be an acuity.GPRegressor or acuity.GPClassifier")
    if not model.__sklearn_is_fitted__():
        mean = 0.0 if isinstance(model, GPClassifier) else number(model.mean, "mean", -_LARGEST, _LARGEST, "a finite number")
        return model._prior_kernel(inputs), mean, np.empty((0, inputs)), np.empty(0), np.empty(0), binary
    if model.n_features_in_ != inputs:
        raise ValueError(f"the pool has {inputs} inputs and the model was fitted to {model.n_features_in_}, must be the same")
    if isinstance(model, GPClassifier):
        return model._core_kernel(), 0.0, model.X_train_, model.y_train_, model.accuracy_train_, binary
    return model._core_kernel(), model.mean_, model.X_train_, model.y_train_, model.noise_train_, binary


def _fitted_names(model: Any) -> Optional[list[str]]:
    """The names of the inputs that a model was fitted to, if it was fitted to a frame."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


class Selector:
    """Chooses annotations of a pool one after another: a step costs O(n M) for n answers and M points.

    pool: inputs, one row per point; if the model was fitted to a frame, columns of a frame are found by their names. model: a GPRegressor or GPClassifier; if it is not fitted, its prior is used with the
    values it was given. levels: a list of Level, or a Ladder. budget: what may be spent in all; None: no limit.

    information: "model", "target", "bald" or "random"; graph and infinite: for "target" (docs/study-file.md). noise_variance:
    of numbers, the noise at a pool point that no level removes, one for all or one per point. candidates: which rows may
    be chosen, by default all. repeat: a point may be chosen again; a level with repeat="same" or a bias is chosen once at a
    point and leaves the point's other levels open in any case.

    goal: where the model must be good: points with the pool's inputs, with `weights`, one per point; by default the pool.
    criterion: "variance", the fall of the mean variance there (of classes: of p (1 - p), p their probability), or "prediction",
    the information about an answer there, whose noise is goal_noise_variance (by default noise_variance, if that is one
    number); None: "variance" for a GPRegressor, "prediction" for a GPClassifier. information is "goal" by default if there is a
    goal or a level has a bias, and "model" otherwise.

    price_weight: how much prices count, from 0, the most information whatever it costs, to 1, the most information per cost
    (lambda of docs/math.md 17). `plan()` finds the best one for the money that is left.

    Levels with bias: nothing is learned here. bias="learn", also where repeat="same" implies it, assumes what a campaign
    assumes before its first fit: for an error of noise_sd an offset of 2 noise_sd, a smooth difference of noise_sd and a white
    part of noise_sd / e. What the model was fitted to counts as answers of the reference level; record others by
    `tell(at(row, level), y)`.

    >>> import acuity, numpy as np
    >>> X = np.linspace(0, 10, 200)[:, None]
    >>> levels = [acuity.Level("coarse", noise_sd=0.5, cost=1), acuity.Level("fine", noise_sd=0.05, cost=10)]
    >>> selector = acuity.Selector(X, acuity.GPRegressor(), levels, budget=30)
    >>> for _ in range(5):
    ...     s = selector.next()
    ...     selector.tell(s, np.sin(s.x[0]))
    >>> s.level, selector.remaining
    ('coarse', 25.0)
    """

    @with_hints
    def __init__(
        self,
        pool: ArrayLike,
        model: Model,
        levels: LevelsLike,
        budget: Optional[float] = None,
        *,
        information: Optional[InformationName] = None,
        goal: Optional[ArrayLike] = None,
        weights: Any = None,
        criterion: Optional[CriterionName] = None,
        goal_noise_variance: Any = None,
        graph: Optional[Literal["b", "c"]] = None,
        infinite: Literal["refuse", "limit", "first"] = "refuse",
        approximation: Literal["exact", "taylor"] = "exact",
        noise_variance: Any = 0.0,
        candidates: Optional[ArrayLike] = None,
        repeat: bool = False,
        price_weight: float = 1.0,
        random_state: Any = None,
        threads: int = 0,
        single_precision: bool = False,
    ) -> None:
        names = _fitted_names(model)
        array = points_by_name(pool, names, "pool")
        names = names or names_of(pool, "pool")
        self.inputs: list[str] = names or default_names(array.shape[1])
        kernel, mean, seen, answers, channel, binary = _seen(model, array.shape[1])
        offered = as_levels(levels)
        self._check_levels(binary, offered)
        # A copy: the model may be fitted again.
        given = getattr(model, "classes", None)
        self._classes = as_array(getattr(model, "classes_", [-1, 1] if given is None else given), "classes").tolist()
        self._points = len(array)
        self.levels = offered
        base = np.zeros(len(array))
        if not binary:
            base = per_point(noise_variance, len(array), "noise_variance", 0.0, _LARGEST, "finite, 0 or more")
            self._check_noise(offered, base)
        described = [level._for_core() for level in offered]
        biases = level_biases(offered)
        for level, bias in zip(described, biases):
            if bias is None:
                continue
            level["bias"] = bias[:3]
            if bias[3]:  # only the white part is noise
                level["channel"] *= _core.assumed_white_share
        biased = any(bias is not None for bias in biases)
        if information is None:
            information = "goal" if goal is not None or biased else "model"
        choice(information, "information", ("model", "target", "bald", "random", "goal"))
        if criterion is None:
            criterion = "prediction" if binary else "variance"
        choice(criterion, "criterion", ("variance", "prediction"))
        wanted_goal = GoalValues(goal, weights, what="weights", names=names)
        wanted_goal.require_inputs(array.shape[1])
        if goal is not None and information != "goal":
            raise ValueError(f'information is "{information}" and a goal is given, must be "goal"')
        if biased and information == "target":
            raise ValueError('information is "target" and a level has a bias, must be "goal", "model", "bald" or "random"')
        if biased and kernel.object is not None:
            raise ValueError("the kernel is a function of yours and a level has a bias, must be one of acuity's")
        if information == "goal" and goal is None:
            wanted_goal.points = array
        if not len(wanted_goal.weights):
            wanted_goal.weights = np.ones(len(wanted_goal.points))
        goal_noise = self._goal_noise(criterion, goal_noise_variance, noise_variance, base, wanted_goal, goal is None)
        choice(infinite, "infinite", ("refuse", "limit", "first"))
        wanted_graph = choice(graph, "graph", ("b", "c")) if graph is not None else ("b" if binary else "c")
        how = {
            "information": information,
            "graph": wanted_graph,
            "infinite": infinite,
            "criterion": criterion,
            "approximation": choice(approximation, "approximation", ("exact", "taylor")),
            "price_weight": number(price_weight, "price_weight", 0.0, 1.0, "a number from 0 to 1"),
            "seed": seed_of(random_state),
            "continuous": levels._for_core() if isinstance(levels, Ladder) else None,
        }
        money = np.inf if budget is None else number(budget, "budget", 0.0, np.inf, "a number, 0 or more, or None")
        self._core = _core.Selection(
            kernel, mean, array, seen, answers, channel, binary, described, base, how, wanted_goal.points,
            wanted_goal.weights, goal_noise, money, bool(repeat), threads_of(threads), bool(single_precision), self.inputs,
        )
        if candidates is not None:
            allowed = np.zeros(len(array), dtype=bool)
            allowed[_rows(candidates, len(array))] = True
            for row in np.flatnonzero(~allowed).tolist():
                self._core.close(row)
        self._binary = binary

    @staticmethod
    def _goal_noise(criterion: str, given: Any, of_pool: Any, base: FloatArray, goal: GoalValues, is_pool: bool) -> FloatArray:
        """The noise of the answers at the goal that are to be predicted."""
        count = len(goal.points)
        if given is not None:
            return per_point(given, count, "goal_noise_variance", 0.0, _LARGEST, "finite, 0 or more")
        if criterion == "variance" or count == 0 or len(base) == 0:
            return np.zeros(count)
        if is_pool:
            return base
        if as_array(of_pool, "noise_variance").ndim > 0:
            raise ValueError(
                'criterion is "prediction" and noise_variance is one per pool point, goal_noise_variance must be given'
            )
        return np.full(count, float(of_pool))

    @staticmethod
    def _check_levels(binary: bool, levels: list[Any]) -> None:
        if levels[0].binary != binary:
            raise ValueError(
                "the model is a GPClassifier and the levels have a noise, must have an accuracy"
                if binary
                else "the model is a GPRegressor and the levels have an accuracy, must have a noise"
            )

    @staticmethod
    def _check_noise(levels: list[Any], base: FloatArray) -> None:
        for level in levels:
            if level.noise_variance + base.min() == 0.0 and not level.exact:
                raise ValueError(
                    f"the total noise of {level!r} is 0 at pool row {int(base.argmin())}, must be above 0: give "
                    "noise_variance, or exact=True with the level"
                )

    def plan(self, seconds: Optional[float] = None) -> dict[str, Any]:
        """Simulates the rest of the budget for several weights of prices and chooses with the best of them from now on.

        Regression with a budget. Call it again now and then, at least when a tenth of the budget is gone. Returns the weight
        (`lambda`), what the money is expected to buy (`expected`, and `expected_ratio` by information per cost alone; None
        without a plan) and a note, for example that `seconds` were not enough.

        >>> import acuity, numpy as np
        >>> levels = [acuity.Level(f"x{n}", noise_sd=0.25 / n**0.5, cost=40 + 12 * n) for n in (1, 2, 4, 8)]
        >>> selector = acuity.Selector(np.linspace(0, 5, 40)[:, None], acuity.GPRegressor(), levels, budget=1000)
        >>> plan = selector.plan()
        >>> plan["lambda"] < 1 and plan["expected"] > plan["expected_ratio"]
        True
        """
        if self._binary:
            raise ValueError("the model is a GPClassifier, must be a GPRegressor to plan: what a label tells depends on the others")
        limit = np.inf if seconds is None else number(seconds, "seconds", 0.0, np.inf, "a number of seconds, 0 or more, or None")
        weight, expected, by_ratio, note = self._core.plan(limit)
        known = not np.isnan(expected)
        return {"lambda": weight, "expected": expected if known else None, "expected_ratio": by_ratio if known else None, "note": note}

    @overload
    def next(self, n: None = None) -> Suggestion: ...

    @overload
    def next(self, n: int) -> list[Suggestion]: ...

    def next(self, n: Optional[int] = None) -> Any:
        """The best choice now; with `n` a list of up to `n` to ask for at once, each the best given those before it.

        Raises Finished if nothing is left that can be paid for.
        """
        found = self._core.next(1 if n is None else _count(n))
        if not found:
            raise Finished("no candidate is left that can be paid for")
        return found[0] if n is None else found

    def at(self, row: int, level: Union[int, str]) -> Suggestion:
        """A suggestion for a row of the pool and a level (its name or its place in `levels`) that the caller chooses."""
        place = level
        if isinstance(level, str):
            names = [one.name for one in self.levels]
            if level not in names:
                raise ValueError(f"level is {level!r}, must be one of {', '.join(names)}")
            place = names.index(level)
        return self._core.at(whole(row, "row", 0, self._points - 1), whole(place, "level", 0, len(self.levels) - 1))

    def expect(self, suggestion: Suggestion) -> None:
        """Marks it as asked for: its cost is spent, and later choices know that its answer will come."""
        self._core.expect(_suggestion(suggestion))

    def tell(self, suggestion: Suggestion, y: Any, *, cost: Optional[float] = None) -> None:
        """Records its answer. `cost`: what it cost, if not the price."""
        paid = None if cost is None else number(cost, "cost", 0.0, _LARGEST, "a finite number, 0 or more")
        self._core.tell(_suggestion(suggestion), y if type(y) is float and not self._binary else self._value(y), paid)

    def release(self, suggestion: Suggestion) -> None:
        """Takes back `expect`: it is a candidate again, and its cost is returned."""
        self._core.release(_suggestion(suggestion))

    def _value(self, y: Any) -> float:
        if not self._binary:
            return number(y, "y", -_LARGEST, _LARGEST, "a finite number")
        low, high = self._classes
        if y not in (low, high):
            raise ValueError(f"y is {shown(y)}, must be {low!r} or {high!r}")
        return 1.0 if y == high else -1.0

    @property
    def remaining(self) -> float:
        """Money left."""
        return self._core.remaining

    def belief(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f at every pool point, given the answers and what is expected."""
        return self._core.marginals()

    def scores(self) -> dict[str, NDArray[Any]]:
        """Every candidate at its best level: `row`, `level` (its place in `levels`), `information`, `cost`, `value`."""
        row, level, information, cost, value = self._core.scores()
        return {"row": row, "level": level, "information": information, "cost": cost, "value": value}


def _suggestion(suggestion: Any) -> Suggestion:
    if not isinstance(suggestion, Suggestion):
        raise ValueError(f"the suggestion is {shown(suggestion)}, must be what next() gave")
    return suggestion


def _count(n: Any) -> int:
    return whole(n, "n", 1, 2**31 - 1)


def _rows(candidates: ArrayLike, count: int) -> NDArray[np.int64]:
    array = as_array(candidates, "candidates")
    if array.dtype == bool:
        if array.shape != (count,):
            raise ValueError(f"candidates has the shape {array.shape}, must have one entry per pool point, {count}")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError("candidates must be row numbers or one truth value per pool point")
    if array.size and (array.min() < 0 or array.max() >= count):
        raise ValueError(f"candidates has {array.min() if array.min() < 0 else array.max()}, must be rows from 0 to {count - 1}")
    return array.astype(np.int64)


@overload
def select(
    pool: ArrayLike, model: Model, levels: LevelsLike, budget: Optional[float] = None, n: None = None, *,
    information: Optional[InformationName] = None, goal: Optional[ArrayLike] = None, weights: Any = None,
    criterion: Optional[CriterionName] = None, goal_noise_variance: Any = None, graph: Optional[Literal["b", "c"]] = None,
    infinite: Literal["refuse", "limit", "first"] = "refuse", approximation: Literal["exact", "taylor"] = "exact",
    noise_variance: Any = 0.0, candidates: Optional[ArrayLike] = None, repeat: bool = False, price_weight: float = 1.0,
    random_state: Any = None, threads: int = 0, single_precision: bool = False,
) -> Suggestion: ...


@overload
def select(
    pool: ArrayLike, model: Model, levels: LevelsLike, budget: Optional[float], n: int, *,
    information: Optional[InformationName] = None, goal: Optional[ArrayLike] = None, weights: Any = None,
    criterion: Optional[CriterionName] = None, goal_noise_variance: Any = None, graph: Optional[Literal["b", "c"]] = None,
    infinite: Literal["refuse", "limit", "first"] = "refuse", approximation: Literal["exact", "taylor"] = "exact",
    noise_variance: Any = 0.0, candidates: Optional[ArrayLike] = None, repeat: bool = False, price_weight: float = 1.0,
    random_state: Any = None, threads: int = 0, single_precision: bool = False,
) -> list[Suggestion]: ...


@overload
def select(
    pool: ArrayLike, model: Model, levels: LevelsLike, budget: Optional[float] = None, *, n: int,
    information: Optional[InformationName] = None, goal: Optional[ArrayLike] = None, weights: Any = None,
    criterion: Optional[CriterionName] = None, goal_noise_variance: Any = None, graph: Optional[Literal["b", "c"]] = None,
    infinite: Literal["refuse", "limit", "first"] = "refuse", approximation: Literal["exact", "taylor"] = "exact",
    noise_variance: Any = 0.0, candidates: Optional[ArrayLike] = None, repeat: bool = False, price_weight: float = 1.0,
    random_state: Any = None, threads: int = 0, single_precision: bool = False,
) -> list[Suggestion]: ...


def select(
    pool: ArrayLike, model: Model, levels: LevelsLike, budget: Optional[float] = None, n: Optional[int] = None, **options: Any
) -> Any:
    """Which point to ask about, how precisely, at what price: one call, for the arguments see Selector.

    >>> import acuity, numpy as np
    >>> model = acuity.GPRegressor(optimiser=None, noise_variance=0.01).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> levels = [{"name": "coarse", "noise_sd": 0.5, "cost": 1}, {"name": "fine", "noise_sd": 0.05, "cost": 10}]
    >>> acuity.select(np.linspace(0, 9, 10)[:, None], model, levels)
    Suggestion(id=1, point='6', x=(6), level='coarse', cost=1, information=0.804719)
    """
    return Selector(pool, model, levels, budget, **options).next(n)


def query(
    X: ArrayLike,
    y: ArrayLike,
    candidates: Optional[ArrayLike] = None,
    batch_size: int = 1,
    return_utilities: bool = False,
    *,
    model: Optional[Model] = None,
    levels: Optional[LevelsLike] = None,
    noise_variance: Any = None,
    accuracy: Any = None,
    pool_noise_variance: Any = 0.0,
    return_levels: bool = False,
    **options: Any,
) -> Any:
    """The call of scikit-activeml: rows of X to ask about next; `y` is NaN for rows without an answer.

    candidates: row numbers of X, by default all without an answer; or other points, then row numbers of these are
    returned. Utilities are information per cost at the best level, one row per choice, NaN for what was no candidate.

    model: by default a GPRegressor, or a GPClassifier if `accuracy` is given, fitted to the answers there are
    (with `noise_variance` or `accuracy` of each). levels: by default one, as precise as the answers are and of cost 1. With
    `return_levels` the place of the level to ask at is returned as well, one per choice. pool_noise_variance and the other options
    are those of Selector, where the first is called noise_variance.

    >>> import numpy as np
    >>> X = np.linspace(0, 5, 6)[:, None]
    >>> y = np.array([0.0, np.nan, np.nan, np.nan, np.nan, 1.0])
    >>> query(X, y, batch_size=2, noise_variance=0.01, model=GPRegressor(optimiser=None)).tolist()
    [2, 4]
    """
    names = _fitted_names(model) or names_of(X)
    array = points_by_name(X, names)
    answers = floats(y, "y")
    if answers.shape != (len(array),):
        raise ValueError(f"y has the shape {answers.shape}, must have one entry per row of X, {len(array)}")
    known = ~np.isnan(answers)
    binary = isinstance(model, GPClassifier) or (model is None and accuracy is not None)
    if model is None:
        model = GPClassifier() if binary else GPRegressor()
    if not isinstance(model, (GPRegressor, GPClassifier)):
        raise ValueError(f"model is {shown(model)}, must be an acuity.GPRegressor or acuity.GPClassifier")
    if known.any():
        what, channel = ("accuracy", accuracy) if binary else ("noise_variance", noise_variance)
        if channel is not None and not isinstance(channel, str):
            channel = floats(channel, what)
            if channel.ndim > 0 and channel.shape != (len(array),):
                raise ValueError(f"{what} has the shape {channel.shape}, must be one number or one per row of X, {len(array)}")
            channel = channel[known] if channel.ndim > 0 else channel
        fresh = type(model)(**model.get_params())
        model = fresh.fit(array[known], answers[known], channel)
    if levels is None:
        from .levels import Level

        if isinstance(model, GPClassifier):
            usual = model.accuracy if accuracy is None else float(np.nanmax(floats(accuracy, "accuracy"), initial=0.5))
            levels = [Level("answer", accuracy=usual, cost=1.0)]
        else:
            learned = getattr(model, "noise_variance_", None)
            usual = learned if noise_variance is None else noise_variance
            if usual is None or isinstance(usual, str):
                raise ValueError("noise_variance is missing, must be given if there are neither levels nor answers")
            least = float(np.nanmin(floats(usual, "noise_variance"), initial=np.inf))
            levels = [Level("answer", noise_variance=least, cost=1.0, exact=least == 0.0)]
    pool, rows = array, np.flatnonzero(~known)
    if candidates is not None:
        if names_of(candidates, "candidates") is None and as_array(candidates, "candidates").ndim == 1:
            rows = _rows(candidates, len(array))
        else:
            pool = points_by_name(candidates, names, "candidates", inputs=array.shape[1])
            rows = np.arange(len(pool))
    if options.get("goal") is not None:
        options["goal"] = points_by_name(options["goal"], names, "goal", inputs=array.shape[1])
    selector = Selector(pool, model, levels, candidates=rows, noise_variance=pool_noise_variance, **options)
    chosen, places, utilities = [], [], []
    for _ in range(_count(batch_size)):
        try:
            suggestion = selector.next()
        except Finished:
            break
        scores = selector.scores()
        row_of_values = np.full(len(pool), np.nan)
        row_of_values[scores["row"]] = scores["value"]
        utilities.append(row_of_values)
        chosen.append(suggestion.row)
        places.append(int(scores["level"][scores["row"] == suggestion.row][0]))
        selector.expect(suggestion)
    result: tuple[Any, ...] = (np.array(chosen, dtype=np.int64),)
    if return_utilities:
        result += (np.array(utilities).reshape(len(chosen), len(pool)),)
    if return_levels:
        result += (np.array(places, dtype=np.int64),)
    return result[0] if len(result) == 1 else result
