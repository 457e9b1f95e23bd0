"""Creates and opens campaigns."""

from __future__ import annotations

import contextlib
import inspect
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._arrays import path_of, shown, threads_of
from ._campaign import Campaign, PathLike
from ._known import is_table
from ._study import make_study
from .errors import StoreError
from .kernels import KERNELS
from .levels import LevelsLike


def open(path: PathLike, *, read_only: bool = False, threads: int = 0) -> Campaign:
    """Opens a campaign that was made by Python or by `acuity init`: a folder, or `postgresql://host/database/name`."""
    where = _address_of(path)
    if not _core.is_in_database(where) and not os.path.exists(where):
        raise FileNotFoundError(f"{where}: it does not exist, must be a campaign (acuity.create makes one)")
    return Campaign(_core.Campaign.open(where, not read_only, threads_of(threads)), bool(read_only))


def create(
    path: Optional[PathLike] = None,
    *,
    pool: Any = None,
    levels: Optional[LevelsLike] = None,
    budget: Optional[float] = None,
    study: Optional[PathLike] = None,
    inputs: Union[None, list[Any], Mapping[str, Any]] = None,
    ids: Any = None,
    where: Optional[str] = None,
    points: Optional[int] = None,
    name: str = "",
    unit: str = "",
    seed: Optional[int] = None,
    initial: Any = None,
    learn_costs: Optional[bool] = None,
    max_cost: Optional[float] = None,
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
    structure: Union[None, str, list[str]] = None,
    optimiser: Optional[str] = None,
    restarts: Optional[int] = None,
    fit_noise: bool = False,
    information: Optional[str] = None,
    goal: Any = None,
    goal_weights: Any = None,
    goal_points: Optional[int] = None,
    criterion: Optional[str] = None,
    contour: Optional[float] = None,
    find: Optional[str] = None,
    explore: Optional[float] = None,
    graph: Optional[str] = None,
    infinite: Optional[str] = None,
    approximation: Optional[str] = None,
    plan: Any = None,
    stop: Optional[Mapping[str, Any]] = None,
    annotator: Optional[Mapping[str, Any]] = None,
    people: Optional[Mapping[str, Any]] = None,
    audit: Optional[Mapping[str, Any]] = None,
    prior_campaigns: Optional[Mapping[str, PathLike]] = None,
    threads: int = 0,
) -> Campaign:
    """Creates a campaign, in a folder that must not exist yet, in a database (`postgresql://host/database/name`), or in
    memory if `path` is None.

    Either `study`, a study file, or its contents: pool, an array, a DataFrame, a dictionary of columns or a file, and levels, a
    list of Level (or dictionaries like it) or a Ladder. Without a pool inputs is a dictionary that says where points are drawn:
    {"speed": (0, 40), "load": {"range": (1, 1000), "scale": "log"}, "alloy": ["A", "B"]}, a tuple for a range, a list for the only
    values, a dictionary for the keys of [[input]]; points is how many are drawn, 20000 by default, and where a condition that
    holds at all of them, "speed * load < 20000". The other arguments are the keys of a study file (docs/study-file.md):
    inputs are the names of the inputs, of a DataFrame those of its columns that are inputs, by default all but that of the ids; an
    entry may also be a dictionary with the keys of [[input]], {"name": "c", "scale": "log", "unit": "mol/l"}. Columns of text and
    pandas categories are categories (ordered ones in their order), truth values are yes-no inputs: they appear by their names;
    ids are the names of the pool's points, or the name of the column that has them; noise_variance is the noise at a point that
    no level removes, a number, a formula in the inputs or one per point; nugget is a noise variance of every answer beside it,
    learned unless it is given; fit is "auto", "never", "every" or k, for learning at every k-th answer; initial is how many points
    are asked first at the highest precision, "auto" or a dictionary; or what is known: (X, y, level), where X are points or ids
    of the pool and the level is one for all or one per answer, a DataFrame with the columns of `annotations()`, or a file.
    target is {"name": ..., "unit": ..., "scale": "log"}: with "log" answers are positive and modelled by their logarithm, and
    levels have noise_relative; with "fraction" or "rate" answers are counts, told as (k, n), and levels have trials or exposure
    (docs/study-file.md). "range": [0, 100] says that no answer lies outside.

    What is left out is as in a study file without that key: kernel "matern52"; amplitude, lengthscale (one per input, of classes
    one for all) and nugget learned, with fit "auto" and a weak prior; inputs standardised by the pool; mean that of the answers;
    predictions averaged over 8 sets of hyperparameters, from 20 answers on of five structures of f (structure = "average",
    "plain", "ranked", "additive", "transformed", "smooth" or a list of these); an initial design that fills the pool; the budget
    planned;
    costs that answers report learned. `campaign.check()` says what that means here.

    goal is where the model must be good: an array or a DataFrame of points with the pool's inputs, with goal_weights, one per
    point; a table (a file) that may have a column weight; or limits of inputs, {"x": [0, 2]}, between which points are drawn. At most
    goal_points of them are used. criterion is "variance" or "prediction". contour=3.5 asks where f is above 3.5, find="maximum"
    or "minimum" for the best point: `best()`; explore is the share of the money for accuracy over the goal. information is
    "goal" by default if there is a goal or a level has a bias, and "model" otherwise. plan is "budget", the default where it can
    be, "none" or a weight of prices.

    stop, annotator, people and audit are dictionaries with the keys of these sections: stop={"expected_regret": 0.5},
    annotator={"failures": "wait"}, by default "learn", which learns where runs fail.

    prior_campaigns are earlier campaigns to learn from, by the names of the levels that their answers get
    (`Campaign.import_campaign`).

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
    settings = {key: value for key, value in locals().items() if key not in ("path", "threads")}
    with _study_of(path, settings) as made:
        return _begun(path, made, threads, settings["prior_campaigns"])


def open_or_create(path: PathLike, *, threads: int = 0, **study: Any) -> Campaign:
    """Opens the campaign at this place, or creates it: for scripts that are started again and go on where they stopped.

    The arguments are those of `create`. They must describe the study that the campaign was created with: otherwise
    DifferentStudyError says where they differ, and nothing is changed. A budget that was changed since is no difference.

    >>> import acuity, numpy as np, tempfile
    >>> study = {"pool": np.linspace(0, 5, 20)[:, None], "levels": [acuity.Level("one", noise_sd=0.1, cost=1)], "budget": 5}
    >>> folder = tempfile.mkdtemp() + "/c.acuity"
    >>> for _ in range(2):
    ...     with acuity.open_or_create(folder, **study) as campaign:
    ...         told = campaign.tell(campaign.ask(), 0.5)
    >>> acuity.open(folder).status()["annotations"]
    2
    """
    given = inspect.signature(create).bind(path, threads=threads, **study)
    given.apply_defaults()
    settings = {key: value for key, value in given.arguments.items() if key not in ("path", "threads")}
    threads_of(threads)
    where = _address_of(path)
    with _study_of(path, settings) as made:
        if not (_core.is_campaign(where) if _core.is_in_database(where) else os.path.exists(where)):
            try:
                return _begun(path, made, threads, settings["prior_campaigns"])
            except (ValueError, StoreError):
                if not _core.is_campaign(where):  # otherwise another process was quicker
                    raise
        if settings["study"] is not None:
            _core.require_same_file(where, path_of(settings["study"], "study"))
        else:
            _core.require_same_study(where, made)
    return open(where, threads=threads)


def _address_of(path: PathLike) -> str:
    """The folder or address as text. A path would have lost one of the two slashes."""
    where = path_of(path, "path")
    if isinstance(path, PurePath) and where.startswith(("postgresql:/", "postgres:/")):
        raise ValueError("path is an address of a database as a Path, must be a text: a Path has no double slashes")
    return where


@contextlib.contextmanager
def _study_of(path: Optional[PathLike], given: Mapping[str, Any]) -> Iterator[_core.Study]:
    """The study of the arguments of create(); answers that are known are in a file as long as the context lasts."""
    if given["study"] is not None:
        if given["pool"] is not None or given["levels"] is not None:
            raise ValueError("study and pool or levels are both given, must be one or the other")
        file = path_of(given["study"], "study")
        if not os.path.exists(file):
            raise FileNotFoundError(f"{file}: it does not exist, must be a study file")
        yield _core.Study.open(file)
        return
    if not is_table(given["initial"]):
        yield _study_from(path, given, None)
        return
    with tempfile.TemporaryDirectory(prefix="acuity-") as aside:
        try:
            yield _study_from(path, given, os.path.join(aside, "initial.csv"))
        except ValueError as error:  # in words that do not name the file
            raise ValueError(str(error).replace(aside + os.sep, "")) from None


def _study_from(path: Optional[PathLike], given: Mapping[str, Any], initial_file: Optional[str]) -> _core.Study:
    """initial_file: where the table of known answers is written."""
    pool, levels, kernel, standardise = given["pool"], given["levels"], given["kernel"], given["standardise"]
    initial, goal, goal_weights = given["initial"], given["goal"], given["goal_weights"]
    table = None if initial_file is None else initial
    if levels is None or pool is None and not isinstance(given["inputs"], Mapping):
        raise ValueError("pool and levels must be given, or study; instead of a pool inputs may be a dictionary of ranges")
    if kernel is not None and not (isinstance(kernel, str) and kernel in KERNELS):
        words = ", ".join(f'"{word}"' for word in KERNELS)
        raise ValueError(
            f"kernel is {shown(kernel)}, must be one of {words}: a campaign keeps its kernel by name; amplitude and lengthscale "
            "are arguments of their own"
        )
    scaled = standardise if standardise is None or isinstance(standardise, str) else ("pool" if standardise else "none")
    options: dict[str, dict[str, Any]] = {
        "pool": {"standardise": scaled, "repeat": True if given["repeat"] else None},
        "model": {
            **{key: given[key] for key in ("kernel", "amplitude", "lengthscale", "mean", "fit", "optimiser", "restarts")},
            "fit_noise": True if given["fit_noise"] else None, "prior": given["prior"], "average": given["average"],
            "structure": given["structure"],
        },
        "acquisition": {key: given[key] for key in ("information", "graph", "infinite", "approximation", "plan")},
    }
    for key in ("target", "stop", "annotator", "people", "audit"):
        if given[key]:
            options[key] = _dictionary(given[key], key)
    if initial_file is not None:
        initial = {"file": initial_file}
    elif isinstance(initial, Mapping) or isinstance(initial, str) and initial == "auto":
        initial = initial if isinstance(initial, str) else dict(initial)
    elif initial is not None and not isinstance(initial, (int, np.integer)):
        initial = {"file": os.path.abspath(path_of(initial, "initial"))}
    name = given["name"] or (_name_of(_address_of(path)) if path is not None else "") or "campaign"
    about = {
        "name": name, "budget": given["budget"], "unit": given["unit"] or None, "seed": given["seed"], "initial": initial,
        "learn_costs": given["learn_costs"], "max_cost": given["max_cost"],
    }
    sought = {key: given[key] for key in ("criterion", "contour", "find", "explore")}
    sought["points"] = given["goal_points"]
    if goal is not None or any(value is not None for value in sought.values()):
        options["goal"] = sought
    if isinstance(goal, (str, os.PathLike, Mapping)):
        if goal_weights is not None:
            raise ValueError("goal_weights is given with a goal that is no array, must be left out")
        if isinstance(goal, Mapping):
            options["goal"]["box"] = dict(goal)
        else:
            options["goal"]["file"] = os.path.abspath(path_of(goal, "goal"))
        goal = None
    return make_study(
        pool, levels, **{key: given[key] for key in ("inputs", "ids", "where", "points", "noise_variance", "nugget", "classes")},
        campaign=about,
        options=options, goal=goal, goal_weights=goal_weights, initial=table,
    )


def _name_of(where: str) -> str:
    return _core.name_in_database(where) if _core.is_in_database(where) else Path(where).stem


def _begun(
    path: Optional[PathLike], study: _core.Study, threads: int, prior_campaigns: Optional[Mapping[str, PathLike]] = None
) -> Campaign:
    earlier = {} if prior_campaigns is None else _dictionary(prior_campaigns, "prior_campaigns")
    if path is None:
        if earlier:
            raise ValueError("prior_campaigns is given without a path, must be left out: a campaign in memory imports nothing")
        return Campaign(_core.Campaign.in_memory(study, threads_of(threads)))
    threads_of(threads)  # before there is a folder
    for name, campaign in earlier.items():
        _core.require_importable(study, path_of(campaign, "prior_campaigns"), name)
    where = _address_of(path)
    _core.create_campaign(where, study)
    begun = open(where, threads=threads)
    for name, campaign in earlier.items():
        begun.import_campaign(campaign, as_level=name)
    return begun


def _dictionary(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is {shown(given)}, must be a dictionary")
    return dict(given)
