"""Pictures of campaigns and models on matplotlib's axes, in the colours of the page and the report.

Every function takes `ax`, by default a new one, and returns it. `campaign.plot.belief()` is `plot.belief(campaign)`.

>>> import acuity, numpy as np, pytest
>>> matplotlib = pytest.importorskip("matplotlib")
>>> matplotlib.use("Agg")
>>> X = np.linspace(0, 10, 60)[:, None]
>>> campaign = acuity.create(pool=X, levels=[acuity.Level("one", noise_sd=0.1, cost=1)], budget=25)
>>> reason = campaign.run(lambda s: np.sin(s.x[0]))
>>> campaign.plot.belief().get_xlabel()
'x'
>>> acuity.plot.levels(campaign).get_ylabel()
'spent'
"""

from __future__ import annotations

import functools
import importlib
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import floats, whole
from ._html import BLUE, ORANGE, YELLOW

if TYPE_CHECKING:
    from ._campaign import Campaign
    from .regressor import GPRegressor

# As the report colours levels, most precise first: they can be told apart by colour-blind readers and on both backgrounds.
COLOURS = (BLUE, ORANGE, YELLOW, "#009e73", "#cc79a7", "#56b4e9", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise ImportError("pictures need matplotlib, which is not installed (pip install acuity[plot], or python3-matplotlib)") from None
    return pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")[1]


def _finished(ax: Any, x: str, y: str, title: str = "", legend: bool = False) -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if title:
        ax.set_title(title, fontsize="medium", loc="left")
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _spent(campaign: "Campaign") -> str:
    return f"spent ({campaign.unit})" if campaign.unit else "spent"


def belief(campaign: "Campaign", input: Optional[str] = None, ax: Any = None) -> Any:
    """What is believed along one input, by default the most important one: the middle and the 95 % interval of f, and the answers.

    The other inputs, if there are any, are at the median of the pool; then answers at other places are not drawn.
    """
    pictures = campaign._core.pictures()
    curves = pictures["curves"]
    if not curves:
        raise ValueError("there are no answers to draw a belief of, must be at least one (or a map of two inputs: plot.surface)")
    names = [str(name) for name in campaign.inputs]
    if input is not None and input not in names:
        raise ValueError(f"input is {input!r}, must be one of {', '.join(map(repr, names))}")
    wanted = [one for one in curves if input is None or one["input"].split(" (")[0] == input]
    if not wanted:
        raise ValueError(f"there is no curve of {input!r}: the report shows the most important inputs, must be one of them")
    curve, ax = wanted[0], _axes(ax)
    x = np.arange(len(curve["names"])) if curve["names"] else np.array(curve["x"])
    ax.fill_between(x, curve["low"], curve["high"], color=BLUE, alpha=0.2, linewidth=0, label="95 % interval of f")
    ax.plot(x, curve["middle"], color=BLUE, label="middle")
    if curve["names"]:
        ax.set_xticks(x, curve["names"])
    elif len(names) == 1:
        _draw_answers(campaign, ax)
    if curve["logarithmic"]:
        ax.set_xscale("log")
    target = campaign.target or ("probability" if campaign.binary else "f")
    return _finished(ax, curve["input"], target, campaign.name, legend=True)


def _draw_answers(campaign: "Campaign", ax: Any) -> None:
    found = campaign.annotations(frame=False)
    if campaign.binary:
        found["y"] = (found["y"] + 1.0) / 2.0
    by = found["level"] if "level" in found else np.full(len(found["y"]), None)
    offered: list[Optional[str]] = [name for name in campaign._levels if name in by.tolist()]
    for k, level in enumerate(offered or [None]):
        rows = by == level
        style = {"s": 16, "color": COLOURS[(k + 1) % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)], "linewidths": 0}
        ax.scatter(found[str(campaign.inputs[0])][rows], found["y"][rows], label=level or "answers", zorder=3, **style)


def surface(campaign: "Campaign", x: Optional[str] = None, y: Optional[str] = None, ax: Any = None, points: int = 60) -> Any:
    """The middle of the belief over two inputs, the others at the median of the pool, and where was asked."""
    names = [str(name) for name in campaign.inputs]
    if len(names) < 2 or campaign.pool.dtype == object:
        raise ValueError("a surface needs two inputs that are numbers")
    first, second = x or names[0], y or [name for name in names if name != (x or names[0])][0]
    for name in (first, second):
        if name not in names:
            raise ValueError(f"{name!r} is no input, must be one of {', '.join(map(repr, names))}")
    a, b = names.index(first), names.index(second)
    count = whole(points, "points", 2, 1000)
    grid = [np.linspace(campaign.pool[:, k].min(), campaign.pool[:, k].max(), count) for k in (a, b)]
    at = np.tile(np.median(campaign.pool, axis=0), (count * count, 1))
    at[:, a], at[:, b] = (one.ravel() for one in np.meshgrid(*grid))
    predicted = campaign.prediction(at)
    shown = predicted.probability if campaign.binary else predicted.median
    ax = _axes(ax)
    drawn = ax.pcolormesh(*grid, np.asarray(shown).reshape(count, count), cmap="viridis", shading="gouraud")
    ax.figure.colorbar(drawn, ax=ax, label=campaign.target or ("probability" if campaign.binary else "f"))
    found = campaign.annotations(frame=False)
    ax.scatter(found[first], found[second], s=12, color="white", edgecolors="black", linewidths=0.6)
    return _finished(ax, first, second, campaign.name)


def error(campaign: "Campaign", ax: Any = None) -> Any:
    """The error of the model against what was spent: measured (by leaving out answers), and as the model expects it."""
    pictures, ax = campaign._core.pictures(), _axes(ax)
    if not pictures["errors"]:
        raise ValueError("there are too few answers to measure an error, must be some more")
    spent, measured, expected = np.array(pictures["errors"]).T
    ax.plot(spent, measured, color=BLUE, marker="o", markersize=4, label="measured")
    ax.plot(spent, expected, color=ORANGE, linestyle="--", label="expected by the model")
    if np.all(measured > 0.0) and np.all(expected > 0.0):
        ax.set_yscale("log")
    return _finished(ax, _spent(campaign), pictures["error_measure"], f"on {pictures['error_source']}", legend=True)


def levels(campaign: "Campaign", ax: Any = None) -> Any:
    """What was spent at each level, with the number of its answers."""
    rows, ax = campaign._core.pictures()["levels"], _axes(ax)
    bars = ax.bar([name for name, _, _ in rows], [spent for _, _, spent in rows], color=[COLOURS[k % 7] for k in range(len(rows))])
    ax.bar_label(bars, [f"{count} answers" for _, count, _ in rows], fontsize="small")
    return _finished(ax, "", _spent(campaign), campaign.name)


def calibration(campaign: "Campaign", ax: Any = None) -> Any:
    """Are the intervals right? The share of answers inside against the probability of the interval; on the diagonal they are.

    Of classes: the share of the second class among answers with similar predicted probabilities.
    """
    scores, ax = campaign._core.pictures()["scores"], _axes(ax)
    if not scores:
        raise ValueError("there are no predicted answers yet, must be some")
    ax.plot([0, 1], [0, 1], color="grey", linewidth=1)
    if campaign.binary:
        probability = np.array([one[1] for one in scores])
        label = np.array([one[2] for one in scores]) > 0.0
        order = np.array_split(np.argsort(probability), max(1, min(8, len(scores) // 10)))
        ax.plot([probability[rows].mean() for rows in order], [label[rows].mean() for rows in order], "o", color=BLUE)
        return _finished(ax, "predicted probability", "share of answers", campaign.name)
    z = np.abs([one[1] for one in scores])
    nominal = np.linspace(0.02, 0.98, 49)
    limits = np.array([NormalDist().inv_cdf((1 + p) / 2) for p in nominal])
    inside = (z[:, None] <= limits[None, :]).mean(axis=0)
    width = 2.0 * np.sqrt(nominal * (1 - nominal) / len(z))
    ax.fill_between(nominal, nominal - width, nominal + width, color="grey", alpha=0.2, linewidth=0, label="chance of so many answers")
    ax.plot(nominal, inside, color=BLUE, label=f"{len(z)} answers")
    return _finished(ax, "probability of the interval", "share of answers inside", campaign.name, legend=True)


def importance(campaign: "Campaign", ax: Any = None) -> Any:
    """The share of f's variance over the pool that is due to each input, with its interactions and alone."""
    rows, ax = campaign._core.pictures()["importance"], _axes(ax)
    if not rows:
        raise ValueError("f is constant as far as the model knows, must have more answers before inputs can be compared")
    rows = rows[::-1]
    places = np.arange(len(rows))
    ax.barh(places, [total for _, _, total, _ in rows], xerr=[sd for *_, sd in rows], color=BLUE, alpha=0.4, label="with interactions")
    ax.barh(places, [first for _, first, _, _ in rows], color=BLUE, height=0.4, label="alone")
    ax.set_yticks(places, [name for name, *_ in rows])
    return _finished(ax, "share of the variance", "", campaign.name, legend=True)


def bias(campaign: "Campaign", level: Optional[str] = None, ax: Any = None) -> Any:
    """By how much a level reads above the reference along the first input, with two standard deviations."""
    found = [one for one in campaign._core.pictures()["biases"] if one["curves"] and level in (None, one["level"])]
    if not found:
        raise ValueError(f"{'no level' if level is None else repr(level)} has a bias that is learned, must be one (repeat=\"same\" or bias=)")
    ax = _axes(ax)
    for k, one in enumerate(found):
        curve, colour = one["curves"][0], COLOURS[k % len(COLOURS)]
        ax.fill_between(curve["x"], curve["low"], curve["high"], color=colour, alpha=0.2, linewidth=0)
        ax.plot(curve["x"], curve["middle"], color=colour, label=f"{one['level']} above {one['reference']}")
    ax.axhline(0.0, color="grey", linewidth=1)
    return _finished(ax, found[0]["curves"][0]["input"], "difference", campaign.name, legend=True)


def model(fitted: "GPRegressor", X: Optional[ArrayLike] = None, ax: Any = None) -> Any:
    """A fitted GPRegressor of one input: the mean, the 95 % interval of f and the answers, at X or over its answers."""
    seen = fitted.X_train_
    if seen.shape[1] != 1:
        raise ValueError(f"the model has {seen.shape[1]} inputs, must have one to be drawn as a curve")
    reach = 0.05 * (seen.max() - seen.min())
    at = np.linspace(seen.min() - reach, seen.max() + reach, 300) if X is None else np.sort(floats(X, "X").ravel())
    mean, sd = fitted.predict(at[:, None], return_std=True)
    ax = _axes(ax)
    ax.fill_between(at, mean - 1.96 * sd, mean + 1.96 * sd, color=BLUE, alpha=0.2, linewidth=0, label="95 % interval of f")
    ax.plot(at, mean, color=BLUE, label="mean")
    ax.scatter(seen[:, 0], fitted.y_train_, s=16, color=ORANGE, linewidths=0, label="answers", zorder=3)
    names = getattr(fitted, "feature_names_in_", ["x"])
    return _finished(ax, str(names[0]), "f", legend=True)


class CampaignPlots:
    """The pictures of one campaign; see acuity.plot."""

    def __init__(self, campaign: "Campaign") -> None:
        self._campaign = campaign

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _OF_CAMPAIGNS:
            raise AttributeError(f"there is no picture {name!r}, must be one of {', '.join(_OF_CAMPAIGNS)}")
        return functools.partial(_OF_CAMPAIGNS[name], self._campaign)

    def __dir__(self) -> list[str]:
        return list(_OF_CAMPAIGNS)

    def __repr__(self) -> str:
        return f"<pictures of {self._campaign.name!r}: {', '.join(_OF_CAMPAIGNS)}>"


_OF_CAMPAIGNS: dict[str, Callable[..., Any]] = {
    "belief": belief, "surface": surface, "error": error, "levels": levels, "calibration": calibration,
    "importance": importance, "bias": bias,
}
