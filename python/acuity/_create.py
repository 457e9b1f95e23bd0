"""Creates and opens campaigns."""

from __future__ import annotations

import contextlib
import inspect
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, Literal, Optional, Union

import numpy as np

from . import _core
from ._arrays import path_of, shown, text, threads_of
from ._campaign import Campaign, PathLike
from ._known import is_table
from ._options import Model, People, Stop, keys_of, with_model
from ._study import make_study
from .errors import PlaceTakenError, StoreError
from ._kernel_model import OptimiserName, PriorName
from ._spelling import with_hints, with_hints_of
from .kernels import KERNELS, KernelName
from .levels import LevelsLike


def open(path: PathLike, *, read_only: bool = False, threads: int = 0) -> Campaign:
    """Opens a campaign that was made by Python or by `acuity init`: a folder, or `postgresql://host/database/name`."""
    where = _address_of(path)
    if not _core.is_in_database(where) and not os.path.exists(where):
        raise FileNotFoundError(f"{where}: it does not exist, must be a campaign (acuity.create makes one)")
    try:
        return Campaign(_core.Campaign.open(where, not read_only, threads_of(threads)), bool(read_only))
    except ValueError as error:
        raise ValueError(str(error).replace("that acuity init has created", "that acuity.create or acuity init has created")) from None


@with_hints
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
    model: Union[None, Model, Mapping[str, Any]] = None,
    kernel: Optional[KernelName] = None,
    amplitude: Any = None,
    lengthscale: Any = None,
    target: Optional[Mapping[str, str]] = None,
    mean: Any = None,
    noise_variance: Any = None,
    nugget: Any = None,
    standardise: Union[None, bool, str] = None,
    repeat: bool = False,
    fit: Any = None,
    prior: Optional[PriorName] = None,
    average: Optional[int] = None,
    structure: Union[None, str, list[str]] = None,
    optimiser: Optional[OptimiserName] = None,
    restarts: Optional[int] = None,
    fit_noise: bool = False,
    information: Optional[Literal["model", "target", "goal", "bald", "random"]] = None,
    goal: Any = None,
    goal_weights: Any = None,
    goal_points: Optional[int] = None,
    criterion: Optional[Literal["variance", "prediction"]] = None,
    contour: Optional[float] = None,
    find: Optional[Literal["maximum", "minimum"]] = None,
    explore: Optional[float] = None,
    graph: Optional[str] = None,
    infinite: Optional[str] = None,
    approximation: Optional[str] = None,
    plan: Any = None,
    stop: Union[None, Stop, Mapping[str, Any]] = None,
    annotator: Optional[Mapping[str, Any]] = None,
    people: Union[None, People, Mapping[str, Any]] = None,
    audit: Optional[Mapping[str, Any]] = None,
    prior_campaigns: Optional[Mapping[str, PathLike]] = None,
    threads: int = 0,
) -> Campaign:
    """Creates a campaign, in a folder that must not exist yet, in a database, or in memory. `campaign.check()` says what all of it means.

    Parameters
    ----------
    path : path or None
        The folder, or `postgresql://host/database/name`; None: in memory.
    pool : array, DataFrame, dictionary of columns, or file
        What can be asked about, one row per point. Columns of text and pandas categories are categories (ordered ones in their
        order), truth values yes-no inputs: they appear by their names.
    levels : list of Level (or dictionaries like it), or Ladder
        The ways of asking, with price and error.
    budget : float or None
        What may be spent in all; None: no limit.
    study : file
        A study file instead of all that follows (docs/study-file.md, whose keys the other arguments are).
    inputs : list or dictionary
        With a pool the names of the inputs, of a DataFrame those of its columns that are inputs, by default all but that of the ids; an
        entry may be a dictionary with the keys of [[input]], {"name": "c", "scale": "log", "unit": "mol/l"}. Without a pool where points
        are drawn: {"speed": (0, 40), "load": {"range": (1, 1000), "scale": "log"}, "alloy": ["A", "B"]}, a tuple for a range, a list for
        the only values.
    ids : list or name
        The names of the pool's points, or of the column that has them.
    where, points : condition and int
        Of drawn points: what holds at all of them, "speed * load < 20000", and how many are drawn (20000).
    name, unit : str
        Of the campaign, by default the name of the folder; and of its costs.
    seed : int
        Of everything that is drawn; the same seed and log give the same choices.
    initial : int, "auto", dictionary, (X, y, level), DataFrame or file
        How many points are asked first, as a design that fills the pool ("auto", the default), or at which levels,
        {"fine": 3, "coarse": 12, "nested": True}; or answers that are known: X are points or ids of the pool, the level is one for all
        or one per answer; a DataFrame or a file has the columns of `annotations()`.
    learn_costs : bool
        Whether prices follow the costs that answers report (True).
    max_cost : float
        An answer that is expected to cost more is not asked for without asking you: `ask(max_cost=...)`.
    classes : two names
        Of classes; the second is +1.
    model : Model or dictionary
        The keywords from kernel to fit_noise in one object: `acuity.Model(kernel="rbf", fit="every")`.
    kernel : "matern52", "matern32" or "rbf"
        The family of f ("matern52").
    amplitude, lengthscale, mean : float
        Of f; learned unless given. A length scale is one for all inputs, or one per input.
    noise_variance : float, formula or list
        The noise at a point that no level removes: a number, a formula in the inputs, or one per point.
    nugget : float
        A noise variance of every answer beside it; learned unless given.
    standardise : bool
        Whether inputs are scaled by their mean and standard deviation in the pool (True).
    repeat : bool
        Whether a point may be asked at one level more than once (False).
    fit : "auto", "never", "every" or int
        When the model is learned; k: at every k-th answer.
    prior : "weak" or "none"
        Of what is learned; "weak" keeps few answers from being explained too well.
    average : int
        Over how many sets of hyperparameters predictions are averaged (8).
    structure : str or list
        How f may be seen from 20 answers on: "average", "plain", "ranked", "additive", "transformed", "smooth" or a list of these.
    optimiser, restarts : "lbfgs" or "adam", and int
        What maximises the likelihood, and from how many further starts (4).
    fit_noise : bool
        Whether declared noise is learned, too.
    information : "goal", "model", "target", "bald" or "random"
        What an answer is worth: "goal" by default where hyperparameters are learned, there is a goal, or a level has a bias.
    graph, infinite, approximation : str
        Of "target", and of classes: docs/study-file.md.
    goal : array, DataFrame, file or limits
        Where the model must be good: points with the pool's inputs; a table that may have a column weight; or limits of inputs,
        {"x": [0, 2]}, between which points are drawn.
    goal_weights, goal_points : list and int
        One weight per point; how many of them are used at most.
    criterion : "variance" or "prediction"
        Of a goal: the fall of the variance, or the information about an answer there.
    contour, find : float, "maximum" or "minimum"
        Asks where f is above a value, or for its best point: `best()`.
    explore : float
        The share of the money for accuracy over the goal, where a contour or an optimum is sought.
    plan : "budget", "none" or float
        Whether the rest of the budget is planned (where it can be), or a weight of prices.
    target : dictionary
        {"name": ..., "unit": ..., "scale": "log"}: answers are positive and modelled by their logarithm, and levels have
        noise_relative; with "fraction" or "rate" answers are counts, told as (k, n), and levels have trials or exposure;
        "range": [0, 100] says that no answer lies outside.
    stop : Stop or dictionary
        When it ends before the budget is spent: `acuity.Stop(typical_error=0.05)`.
    annotator : dictionary
        The program that answers if the campaign is run by `acuity run`; {"failures": "wait"} learns nothing about where runs
        fail (by default "learn").
    people : People or dictionary
        Of classes that several people give: `acuity.People(max_per_item=3)`.
    audit : dictionary
        {"answers": 20}: points drawn at random, bought last, that judge the model.
    prior_campaigns : dictionary
        Earlier campaigns to learn from, by the names of the levels that their answers get (`Campaign.import_campaign`).
    threads : int
        0: OMP_NUM_THREADS, or all the machine has. Choices do not depend on it.

    Examples
    --------
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


@with_hints_of(create)
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
    given = with_model(given)
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
            options[key] = keys_of(given[key], key) if key in ("stop", "people") else _dictionary(given[key], key)
    if initial_file is not None:
        initial = {"file": initial_file}
    elif isinstance(initial, Mapping) or isinstance(initial, str) and initial == "auto":
        initial = initial if isinstance(initial, str) else dict(initial)
    elif initial is not None and not isinstance(initial, (int, np.integer)):
        initial = {"file": os.path.abspath(path_of(initial, "initial"))}
    for key in ("name", "unit"):
        text(given[key], key)
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
    try:
        _core.create_campaign(where, study)
    except ValueError as error:
        if "it already exists" in str(error):
            raise PlaceTakenError(str(error)) from None
        raise
    begun = open(where, threads=threads)
    for name, campaign in earlier.items():
        begun.import_campaign(campaign, as_level=name)
    return begun


def _dictionary(given: Any, what: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is {shown(given)}, must be a dictionary")
    return dict(given)
