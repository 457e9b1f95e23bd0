"""Creates and opens campaigns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import path_of, shown, threads_of
from ._campaign import Campaign, PathLike
from ._study import make_study
from .kernels import KERNELS
from .levels import LevelsLike


def open(path: PathLike, *, read_only: bool = False, threads: int = 0) -> Campaign:
    """Opens a campaign that was made by Python or by `acuity init`."""
    folder = path_of(path, "path")
    if not os.path.exists(folder):
        raise FileNotFoundError(f"{folder}: it does not exist, must be a campaign (acuity.create makes one)")
    return Campaign(_core.Campaign.open(folder, not read_only, threads_of(threads)), bool(read_only))


def create(
    path: Optional[PathLike] = None,
    *,
    pool: Any = None,
    levels: Optional[LevelsLike] = None,
    budget: Optional[float] = None,
    study: Optional[PathLike] = None,
    inputs: Optional[list[str]] = None,
    ids: Any = None,
    name: str = "",
    unit: str = "",
    seed: Optional[int] = None,
    initial: Any = None,
    learn_costs: Optional[bool] = None,
    classes: Optional[list[str]] = None,
    kernel: Optional[str] = None,
    amplitude: Any = None,
    lengthscale: Any = None,
    target: Optional[Mapping[str, str]] = None,
    mean: Any = None,
    noise_variance: Any = None,
    nugget: Any = None,
    standardise: Union[None, bool, str] = None,
    repeat: bool = False,
    fit: Any = None,
    prior: Optional[str] = None,
    average: Optional[int] = None,
    optimiser: Optional[str] = None,
    restarts: Optional[int] = None,
    fit_noise: bool = False,
    information: Optional[str] = None,
    goal: Any = None,
    goal_weights: Any = None,
    goal_points: Optional[int] = None,
    criterion: Optional[str] = None,
    graph: Optional[str] = None,
    infinite: Optional[str] = None,
    approximation: Optional[str] = None,
    plan: Any = None,
    stop: Optional[Mapping[str, Any]] = None,
    annotator: Optional[Mapping[str, Any]] = None,
    people: Optional[Mapping[str, Any]] = None,
    threads: int = 0,
) -> Campaign:
    """Creates a campaign, in a folder that must not exist yet, or in memory if `path` is None.

    Either `study`, a study file, or its contents: pool, an array, a DataFrame, a dictionary of columns or a file, and levels, a
    list of Level (or dictionaries like it) or a Ladder. The other arguments are the keys of a study file (docs/reference.md 3):
    inputs are the names of the inputs, of a DataFrame those of its columns that are inputs, by default all but that of the ids;
    ids are the names of the pool's points, or the name of the column that has them; noise_variance is the noise at a point that no level removes, a number, a formula in the
    inputs or one per point; nugget is a noise variance of every answer beside it, learned unless it is given; fit is "auto",
    "never", "every" or k, for learning at every k-th answer; initial is how many points are asked first at the highest
    precision, "auto" or a dictionary, or a file of what is known. target is {"name": ..., "unit": ..., "scale": "log"}: with
    "log" answers are positive and modelled by their logarithm, and levels have noise_relative.

    What is left out is as in a study file without that key: kernel "matern52"; amplitude, lengthscale (one per input, of classes
    one for all) and nugget learned, with fit "auto" and a weak prior; inputs standardised by the pool; mean that of the answers;
    predictions averaged over 8 sets of hyperparameters; an initial design that fills the pool; the budget planned; costs that
    answers report learned. `campaign.check()` says what that means here.

    goal is where the model must be good: an array or a DataFrame of points with the pool's inputs, with goal_weights, one per point; a table
    (a file) that may have a column weight; or limits of inputs, {"x": [0, 2]}, between which points are drawn. At most
    goal_points of them are used. criterion is "variance" or "prediction". information is "goal" by default if there is a goal
    or a level has a bias, and "model" otherwise. plan is "budget", the default where it can be, "none" or a weight of prices.

    >>> import acuity, numpy as np
    >>> X = np.linspace(0, 10, 50)[:, None]
    >>> levels = [{"name": "coarse", "noise_sd": 0.3, "cost": 1}, {"name": "fine", "noise_sd": 0.03, "cost": 12}]
    >>> campaign = acuity.create(pool=X, levels=levels, budget=60)
    >>> for suggestion in campaign:
    ...     told = campaign.tell(suggestion, np.sin(suggestion.x[0]))
    >>> campaign.status()["spent"]
    60.0
    >>> bool(np.abs(campaign.predict(X) - np.sin(X[:, 0])).max() < 0.3)
    True
    """
    if study is not None:
        if pool is not None or levels is not None:
            raise ValueError("study and pool or levels are both given, must be one or the other")
        given = path_of(study, "study")
        if not os.path.exists(given):
            raise FileNotFoundError(f"{given}: it does not exist, must be a study file")
        return _begun(path, _core.Study.open(given), threads)
    if pool is None or levels is None:
        raise ValueError("pool and levels must be given, or study")
    if kernel is not None and not (isinstance(kernel, str) and kernel in KERNELS):
        words = ", ".join(f'"{word}"' for word in KERNELS)
        raise ValueError(
            f"kernel is {shown(kernel)}, must be one of {words}: a campaign keeps its kernel by name; amplitude and lengthscale "
            "are arguments of their own"
        )
    scaled = standardise if standardise is None or isinstance(standardise, str) else ("pool" if standardise else "none")
    options: dict[str, dict[str, Any]] = {
        "pool": {"standardise": scaled, "repeat": True if repeat else None},
        "model": {
            "kernel": kernel, "amplitude": amplitude, "lengthscale": lengthscale, "mean": mean, "fit": fit,
            "optimiser": optimiser, "restarts": restarts, "fit_noise": True if fit_noise else None, "prior": prior,
            "average": average,
        },
        "acquisition": {"information": information, "graph": graph, "infinite": infinite, "approximation": approximation, "plan": plan},
    }
    if target:
        options["target"] = _dictionary(target, "target")
    if stop:
        options["stop"] = _dictionary(stop, "stop")
    if annotator:
        options["annotator"] = _dictionary(annotator, "annotator")
    if people:
        options["people"] = _dictionary(people, "people")
    if isinstance(initial, Mapping) or initial == "auto":
        initial = initial if isinstance(initial, str) else dict(initial)
    elif initial is not None and not isinstance(initial, (int, np.integer)):
        initial = {"file": os.path.abspath(path_of(initial, "initial"))}
    name = name or (Path(path_of(path, "path")).stem if path is not None else "") or "campaign"
    about = {"name": name, "budget": budget, "unit": unit or None, "seed": seed, "initial": initial,
             "learn_costs": learn_costs}
    if goal is not None or criterion is not None or goal_points is not None:
        options["goal"] = {"criterion": criterion, "points": goal_points}
    if isinstance(goal, (str, os.PathLike, Mapping)):
        if goal_weights is not None:
            raise ValueError("goal_weights is given with a goal that is no array, must be left out")
        if isinstance(goal, Mapping):
            options["goal"]["box"] = dict(goal)
        else:
            options["goal"]["file"] = os.path.abspath(path_of(goal, "goal"))
        goal = None
    made = make_study(
        pool, levels, inputs=inputs, ids=ids, noise_variance=noise_variance, nugget=nugget, classes=classes, campaign=about,
        options=options, goal=goal, goal_weights=goal_weights,
    )
    return _begun(path, made, threads)


def _begun(path: Optional[PathLike], study: _core.Study, threads: int) -> Campaign:
    if path is None:
        return Campaign(_core.Campaign.in_memory(study, threads_of(threads)))
    threads_of(threads)  # before there is a folder
    folder = path_of(path, "path")
    _core.create_campaign(folder, study)
    return open(folder, threads=threads)


def _dictionary(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is {shown(given)}, must be a dictionary")
    return dict(given)
