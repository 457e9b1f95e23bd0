"""Campaigns: studies under way, kept in a folder that the program shares, or in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._annotator import require_annotator, with_retries
from ._answers import Id, channel_of, id_of, number_of, values_of, words_of
from ._arrays import FloatArray, number, path_of, shown, text, whole
from ._core import Suggestion
from ._frames import point_by_name, points_for_prediction
from ._inputs import NamedInput, inputs_of
from ._estimator import warn_of_convergence
from ._html import campaign_html, escape, one_line
from ._known import answers_of, one_each, places_of
from ._loop import Loop, workers_of
from ._model import CampaignModel
from ._prediction import Prediction, Predictor
from ._progress import Progress
from ._results import ANSWERED, Check, Explanation, Told, table_of, with_infinities, with_names
from ._selection import _count
from .errors import Finished, NoFolderError, NothingNow, UnexpectedAnswerWarning, warn_caller

if TYPE_CHECKING:
    from .plot import CampaignPlots

PathLike = Union[str, "os.PathLike[str]"]


class Campaign(Predictor):
    """A study under way: what was asked, what was answered, what to ask for next.

    Made by `acuity.create` and `acuity.open`. Every verb is one transaction of the store that the program uses, too: any
    number of processes may have the same campaign open. Works as a context manager, and threads may share one.
    """

    def __init__(self, core: "_core.Campaign", read_only: bool = False) -> None:
        self._core = core
        self._read_only = read_only
        self._closed = False
        facts = core.facts()
        self.path: Optional[Path] = Path(facts["folder"]) if facts["folder"] else None
        self.address: Optional[str] = facts["address"] or None
        """The folder, or the address in a database without a password; None: in memory."""
        self.name: str = facts["name"]
        self.unit: str = facts["unit"]
        self.inputs: list[str] = inputs_of(facts["columns"])
        self.pool: NDArray[Any] = with_names(facts["pool"], self.inputs)
        self.binary: bool = facts["binary"]
        self.target: str = facts["target"]
        """What is asked for, with its unit: "dose (Gy)"; empty if it has no name."""
        self.scale: str = facts["scale"]
        """Of the answers: "linear", "log", "fraction" or "rate"."""
        self.logarithmic: bool = self.scale == "log"
        self.classes: Optional[list[str]] = facts["classes"] or None
        self._ladder: bool = facts["ladder"]
        self._levels: list[str] = facts["levels"]
        # Columns that a frame may have besides the inputs: the ids, and those of annotations(). No input has such a name.
        own = {"alpha" if self._ladder else "level", "accuracy" if self.binary else "noise_variance"}
        self._spare = {facts["id_column"], "id", "point", "y", "cost", *own} | set(ANSWERED).difference(map(str, self.inputs))

    @property
    def _counted(self) -> bool:
        return self.scale in ("fraction", "rate")

    @property
    def _writer(self) -> "_core.Campaign":
        if self._read_only:
            raise ValueError("the campaign was opened with read_only=True, must be opened for writing to change it")
        return self._core

    def __enter__(self) -> "Campaign":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store. Nothing is lost without it: every verb is durable when it returns."""
        self._closed = True
        self._core.close()

    # The verbs.

    @overload
    def ask(
        self,
        n: None = None,
        *,
        worker: str = "",
        lease: Optional[float] = None,
        budget: Optional[float] = None,
        level: Optional[Union[str, float]] = None,
        capacity: None = None,
        max_cost: Optional[float] = None,
    ) -> Suggestion: ...

    @overload
    def ask(
        self,
        n: int,
        *,
        worker: str = "",
        lease: Optional[float] = None,
        budget: Optional[float] = None,
        level: Optional[Union[str, float]] = None,
        capacity: Optional[int] = None,
        max_cost: Optional[float] = None,
    ) -> list[Suggestion]: ...

    @overload
    def ask(
        self,
        n: None = None,
        *,
        worker: str = "",
        lease: Optional[float] = None,
        budget: Optional[float] = None,
        level: Optional[Union[str, float]] = None,
        capacity: int,
        max_cost: Optional[float] = None,
    ) -> list[Suggestion]: ...

    def ask(
        self,
        n: Optional[int] = None,
        *,
        worker: str = "",
        lease: Optional[float] = None,
        budget: Optional[float] = None,
        level: Optional[Union[str, float]] = None,
        capacity: Optional[int] = None,
        max_cost: Optional[float] = None,
    ) -> Any:
        """What to annotate next: a Suggestion, or with `n` a list of up to `n` of them. Its cost is reserved from now on.

        worker: a name for the log; of classes nobody gets a point twice. level: only candidates at this level (of a Ladder:
        its alpha). capacity: a list that fills so many units, of which each takes those of its level, chosen jointly. lease: seconds after which it goes back to the pool; None: never. budget: added to the
        budget first, may be negative. max_cost: an answer that is expected to cost more raises ValueError (default: the study's
        `max_cost`; inf: no limit). Raises Finished or NothingNow if there is nothing to ask for.
        """
        return self._ask(n, worker, lease, budget, level, capacity, max_cost=max_cost)

    def _ask(
        self,
        n: Optional[int] = None,
        worker: str = "",
        lease: Optional[float] = None,
        budget: Optional[float] = None,
        level: Optional[Union[str, float]] = None,
        capacity: Optional[int] = None,
        avoid: Sequence[int] = (),
        max_cost: Optional[float] = None,
    ) -> Any:
        """What ask() does; avoid: rows of the pool that are not asked for."""
        seconds = None if lease is None else number_of(lease, "lease", "a number of seconds")
        money = None if budget is None else number_of(budget, "budget")
        units = None if capacity is None else whole(capacity, "capacity", 1, 10**9)
        limit = None if max_cost is None else number_of(max_cost, "max_cost")
        count = (1 if units is None else 2**62) if n is None else _count(n)
        (status, reason, found, note), early = self._writer.ask(
            count, text(str(worker), "worker"), seconds, money, "" if level is None else text(str(level), "level"), units, list(avoid), limit
        )
        if early:
            warn_caller(early, UnexpectedAnswerWarning)
        if not found:
            raise (Finished if status == "finished" else NothingNow)(reason + self._reserved(reason))
        warn_of_convergence(note)
        return found[0] if n is None and units is None else found

    def _reserved(self, reason: str) -> str:
        """If money is missing because it is reserved: for whom."""
        if "affordable" not in reason:
            return ""
        status = self.status()
        if status["escrow"] <= 0.0:
            return ""
        return f"; {status['escrow']:.6g} are reserved for {status['pending']} pending suggestions: tell, fail or release them"

    def tell(
        self,
        id: Id,
        y: Any,
        *,
        cost: Optional[float] = None,
        noise_variance: Optional[float] = None,
        noise_sd: Optional[float] = None,
        accuracy: Optional[float] = None,
        point: Optional[str] = None,
        x: Optional[ArrayLike] = None,
        level: Optional[str] = None,
        alpha: Optional[float] = None,
        dry_run: bool = False,
    ) -> Told:
        """Records the answer to a suggestion: a number, a count (k, n), a class, or a list of replicates.

        cost: what it really cost; left out: the level's. noise_variance (noise_sd) or accuracy: if the annotator reports
        the answer's own. point or x (numbers in the order of `inputs`, or by name), level or alpha: what was done, if that is not what was asked for. dry_run: only say
        what it would do. Recording the same answer again changes nothing; a different one is refused, see `amend`. An answer
        many standard deviations from what was predicted is recorded with an UnexpectedAnswerWarning.
        """
        return self.tell_all(
            [
                {
                    "id": id, "y": y, "cost": cost, "noise_variance": noise_variance, "noise_sd": noise_sd,
                    "accuracy": accuracy, "point": point, "x": x, "level": level, "alpha": alpha,
                }
            ],
            dry_run=dry_run,
        )[0]

    def tell_all(self, answers: Iterable[Mapping[str, Any]], *, dry_run: bool = False) -> list[Told]:
        """Records several answers, each a dictionary of what `tell` takes: all of them are recorded, or none if one is wrong."""
        results, notes = self._tell(answers, dry_run)
        if notes:
            more = f" (and so are {len(notes) - 1} more answers)" if len(notes) > 1 else ""
            warn_caller(notes[0] + more, UnexpectedAnswerWarning)
        return results

    def _tell(self, answers: Iterable[Mapping[str, Any]], dry_run: bool = False) -> tuple[list[Told], list[str]]:
        """What tell_all() returns, and a sentence for every answer that is far from what was predicted."""
        rows = []
        for answer in answers:
            if not isinstance(answer, Mapping):
                raise ValueError(f"an answer is {shown(answer)}, must be a dictionary with an id and y")
            rest = dict(answer)
            if "id" not in rest or "y" not in rest:
                raise ValueError(f"an answer is {shown(rest)}, must have an id and y")
            id, said = id_of(rest.pop("id")), values_of(rest.pop("y"), self.binary, self._counted)
            reports_sd = rest.get("noise_sd") is not None
            channel = channel_of(self.binary, *(rest.pop(key, None) for key in ("noise_variance", "noise_sd", "accuracy")))
            more: dict[str, Any] = {"noise_sd" if reports_sd else "channel": channel}
            for key in ("cost", "alpha"):
                if rest.get(key) is not None:
                    more[key] = number_of(rest.pop(key), key)
            for key in ("point", "level"):
                if rest.get(key) is not None:
                    more[key] = text(str(rest.pop(key)), key)
            if rest.get("x") is not None:
                more["x"] = point_by_name(rest.pop("x"), self.inputs)
            unknown = [key for key, value in rest.items() if value is not None]
            if unknown:
                raise ValueError(f"an answer has {unknown[0]!r}, must be what Campaign.tell takes")
            rows.append((id, said, more))
        told = self._writer.tell(rows, bool(dry_run))
        notes = [fields.pop("note") for fields in told]
        return [Told(fields) for fields in told], [note for note in notes if note]

    def add(
        self,
        X: Any,
        y: Any,
        level: Any = None,
        *,
        alpha: Any = None,
        cost: Any = None,
        noise_variance: Any = None,
        noise_sd: Any = None,
        accuracy: Any = None,
        dry_run: bool = False,
    ) -> Any:
        """Records answers that were not asked for, one event each: all of them are recorded, or none if one is wrong.

        X: one point, its id in the pool ("R017") or its inputs, as numbers or by name; or several, a list of ids, rows of an
        array, or a DataFrame. y: the answer, or one per point. level (of a ladder: alpha), cost and the answer's own noise or
        accuracy: one for all or one per point. The level may be left out if there is only one, or if the noise or accuracy is
        given. cost: by default the level's; it counts as spent, and may exceed the budget. Returns what `tell` does, with the
        new id; a list of it for several points. To correct one later use `amend`.
        """
        places, alone = places_of(X, self.inputs, self._spare)
        count = len(places)
        if level is None and alpha is None and len(self._levels) == 1 and noise_variance is noise_sd is accuracy is None:
            level = self._levels[0]
        answers = [y] if alone else answers_of(y, count, "y")
        given = {
            "level": level, "alpha": alpha, "cost": cost, "noise_variance": noise_variance, "noise_sd": noise_sd, "accuracy": accuracy,
        }
        fields = {key: one_each(value, count, key) for key, value in given.items()}
        rows = []
        for k, place in enumerate(places):
            own = {key: values[k] for key, values in fields.items()}
            reports_sd = own["noise_sd"] is not None
            channel = channel_of(self.binary, *(own.pop(key) for key in ("noise_variance", "noise_sd", "accuracy")))
            more: dict[str, Any] = {"noise_sd" if reports_sd else "channel": channel, **place}
            if "point" in more:
                more["point"] = text(more["point"], "point")
            for key in ("cost", "alpha"):
                if own[key] is not None:
                    more[key] = number_of(own[key], key)
            if own["level"] is not None:
                more["level"] = text(str(own["level"]), "level")
            rows.append((values_of(answers[k], self.binary, self._counted), more))
        told = [Told({key: value for key, value in row.items() if key != "note"}) for row in self._writer.add(rows, bool(dry_run))]
        return told[0] if alone else told

    def fail(
        self, id: Id, reason: str = "", *, cost: float = 0.0, exclude: bool = False, inconclusive: bool = False
    ) -> None:
        """Records that an attempt gave no answer; the point may be suggested again, unless it is excluded.

        inconclusive: the machine failed, not the run, so that nothing is learned about the point.
        """
        self._writer.fail(id_of(id), words_of(reason), number_of(cost, "cost"), bool(exclude), bool(inconclusive))

    def release(self, *ids: Id, reason: str = "") -> list[int]:
        """Returns suggestions that will not be answered to the pool; nothing is charged. Returns the ids that were pending."""
        return self._writer.release([id_of(id) for id in ids], words_of(reason))

    def amend(
        self,
        id: Id,
        y: Any = None,
        reason: str = "",
        *,
        cost: Optional[float] = None,
        refund: Optional[float] = None,
        noise_variance: Optional[float] = None,
        noise_sd: Optional[float] = None,
        accuracy: Optional[float] = None,
        point: Optional[str] = None,
        x: Optional[ArrayLike] = None,
        level: Optional[str] = None,
        alpha: Optional[float] = None,
    ) -> None:
        """Corrects an answer: what is given replaces what was recorded. Both versions stay in the log; a reason is needed.

        cost: what it really cost, the money spent follows. refund: money that came back; choices still count what the
        answer cost. noise_variance (noise_sd) or accuracy, point or x, level or alpha: as in `tell`.
        """
        channel = channel_of(self.binary, noise_variance, noise_sd, accuracy)
        more: dict[str, Any] = {"channel" if noise_sd is None else "noise_sd": channel}
        for key, value in (("cost", cost), ("alpha", alpha)):
            if value is not None:
                more[key] = number_of(value, key)
        for key, word in (("point", point), ("level", level)):
            if word is not None:
                more[key] = text(str(word), key)
        if x is not None:
            more["x"] = point_by_name(x, self.inputs)
        said = [] if y is None else values_of(y, self.binary, self._counted)
        back = None if refund is None else number_of(refund, "refund")
        self._writer.amend(id_of(id), said, more, back, words_of(reason))

    def retract(self, id: Id, reason: str) -> None:
        """Removes an answer from the model; it stays in the log, and its cost is not refunded."""
        self._writer.retract(id_of(id), words_of(reason))

    def change_budget(self, by: float) -> None:
        """Adds to the budget; `by` may be negative."""
        self._writer.change_budget(number_of(by, "by"))

    def import_campaign(
        self, earlier: PathLike, *, as_level: str, level: Optional[str] = None, error_sd: Optional[float] = None
    ) -> dict[str, Any]:
        """Learns from an earlier campaign (a folder or an address): its answers at `level`, by default its reference level,
        become answers of a new level of this name, which is never bought and whose bias is learned. `error_sd` is a guess of
        how far they are off, by default from their spread. Returns how many there are; those at places that are not in the
        pool are `outside`. Not for a campaign in memory.
        """
        guess = None if error_sd is None else number_of(error_sd, "error_sd")
        where = path_of(earlier, "earlier")
        return dict(self._writer.import_campaign(where, text(as_level, "as_level"), text(level or "", "level"), guess))

    # Reading.

    def status(self) -> dict[str, Any]:
        """What was spent and answered, and what is pending: the dictionary of `acuity status --format json`."""
        found: dict[str, Any] = json.loads(self._core.status_json(), object_hook=with_infinities)
        for key in ("budget", "spent", "escrow", "free"):
            found[key] = float(found[key])
        return found

    def best(self, count: int = 1) -> list[dict[str, Any]]:
        """The best points so far of a campaign with find="maximum" or "minimum", the best first: `point` (its id in the pool, or
        None), `inputs`, `mean`, `low`, `high` (95 % interval) and `probability` (to be the best of the goal)."""
        found: list[dict[str, Any]] = json.loads(self._core.best_json(count), object_hook=with_infinities)
        return found

    def pending(self, worker: Optional[str] = None) -> list[Suggestion]:
        """What was asked for and is not answered yet, by one worker if a name is given."""
        return [suggestion for suggestion, who in self._core.pending() if worker is None or who == worker]

    def check(self) -> Check:
        """What `acuity check` says, without a forecast: which level is bought at which uncertainty, what comes first, how the
        budget is planned, and warnings about scales and units. A dictionary that prints as text."""
        fields, text = self._core.check()
        return Check(json.loads(fields, object_hook=with_infinities), text)

    def explain(self, id: Optional[Id] = None) -> Explanation:
        """Why a suggestion was made, what would have changed the choice; of the next one if no id is given."""
        if id is not None:
            fields, text = self._core.explain(id_of(id))
            return Explanation(json.loads(fields, object_hook=with_infinities), text)
        (fields, text), (status, reason, *_) = self._core.explain_next()
        if not fields:
            raise (Finished if status == "finished" else NothingNow)(reason)
        return Explanation(json.loads(fields, object_hook=with_infinities), text)

    def annotations(self, frame: Optional[bool] = None) -> Any:
        """Every valid answer, as columns: a pandas DataFrame if pandas is installed, else a dictionary of arrays.

        Columns, as `acuity export --annotations` has them: id (of the suggestion), point, the inputs, level or alpha, y, cost,
        noise_variance or accuracy, worker, told_at (UTC), seconds that a person took, note. frame: True for the DataFrame,
        False for the dictionary.
        """
        found = self._core.annotations()
        columns: dict[str, Any] = {"id": np.array(found["id"], dtype=np.int64), "point": np.array(found["point"], dtype=object)}
        for i, name in enumerate(self.inputs):
            numbers = found["inputs"][:, i]
            columns[str(name)] = name.names(numbers) if isinstance(name, NamedInput) else numbers
        columns["alpha" if self._ladder else "level"] = (
            found["alpha"] if self._ladder else np.array([level or None for level in found["level"]], dtype=object)
        )
        columns["y"] = found["y"]
        columns["cost"] = found["cost"]
        columns["accuracy" if self.binary else "noise_variance"] = found["channel"]
        answered = {
            "worker": np.array([worker or None for worker in found["worker"]], dtype=object),
            "told_at": np.floor(1000.0 * found["told_at"]).astype("datetime64[ms]"),
            "seconds": found["seconds"],
            "note": np.array([note or None for note in found["note"]], dtype=object),
        }
        for name, values in answered.items():
            columns.setdefault(name, values)  # an input may have such a name
        return table_of(columns, frame)

    def events(self) -> list[dict[str, Any]]:
        """Everything that happened: the lines of `acuity export --events`."""
        return [json.loads(line, object_hook=with_infinities) for line in self._core.events()]

    def model(self) -> CampaignModel:
        """The model as it is now, as a fitted estimator that needs the campaign no longer: see CampaignModel."""
        return CampaignModel(self._core.model(), self)

    def belief(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f at every pool point, given all answers and what is pending."""
        return self._core.belief()

    def _points(self, X: Any) -> FloatArray:
        """Inputs of the campaign, one per row; columns of a frame by their names."""
        return points_for_prediction(X, self.inputs, self._spare)

    def prediction(self, X: ArrayLike) -> Prediction:
        """The prediction at every row of X, given all answers: see Prediction.

        X, here and in the methods below: an array with the inputs in the order of `inputs`, or a DataFrame (or a dictionary of
        columns) whose columns are found by their names. It may also have the ids and what `annotations()` has; other columns
        are refused.
        """
        mean, variance, low, high, probability, noise, median, problem = self._core.predict(self._points(X))
        warn_of_convergence(problem)
        sd = np.sqrt(variance)
        if self.binary:
            return Prediction(mean, sd, low, high, None, probability, median)
        return Prediction(mean, sd, low, high, np.sqrt(variance + noise), None, median)

    def latent(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f on the model's scale (`scale`), at every row of X, given all answers."""
        mean, variance, *_, problem = self._core.predict(self._points(X))
        warn_of_convergence(problem)
        return mean, variance

    def _class_names(self) -> NDArray[Any]:
        return np.array(self.classes) if self.classes else np.array([-1, 1])

    @property
    def plot(self) -> "CampaignPlots":
        """Pictures on matplotlib's axes: `campaign.plot.belief()`, `error`, `levels`, `calibration`, `importance`, `bias`."""
        from .plot import CampaignPlots

        return CampaignPlots(self)

    def report(self, path: PathLike, test: Optional[PathLike] = None) -> Path:
        """One HTML page about all of it; `test`: a table of held-out answers to measure the error on."""
        folder = os.path.dirname(path_of(path, "path")) or "."
        if not os.path.isdir(folder):
            raise NoFolderError(f"{path_of(path, 'path')}: its folder does not exist, must be made first")
        self._core.report(path_of(path, "path"), "" if test is None else path_of(test, "test"))
        return Path(path)

    def __reduce__(self) -> Any:
        where = f"acuity.open({self.address!r})" if self.address else "a campaign in a folder, acuity.create('c.acuity', ...)"
        raise TypeError(f"a campaign cannot be pickled; other processes open it again: {where}. model() can be used as it is now")

    def __repr__(self) -> str:
        if self._closed:
            return f"<acuity.Campaign {self.name!r}: closed>"
        status = self.status()
        where = f" in {self.address!r}" if self.address else " in memory"
        return (
            f"<acuity.Campaign {self.name!r}{where}: {status['annotations']} annotations"
            f"{' of ' + one_line(self.target) if self.target else ''}, "
            f"{status['spent']:.6g} of {status['budget']:.6g}{' ' + one_line(self.unit) if self.unit else ''} spent, "
            f"{status['pending']} pending>"
        )

    def _repr_html_(self) -> str:
        return f"<div>{escape(repr(self))}</div>" if self._closed else campaign_html(self)

    # The loop.

    def __iter__(self) -> Iterator[Suggestion]:
        """Suggestions one by one, until the campaign is finished; tell each before the next."""
        while True:
            try:
                yield self.ask()
            except Finished:
                return

    def run(
        self,
        annotator: Callable[[Suggestion], Any],
        *,
        workers: Optional[int] = None,
        executor: Optional[Executor] = None,
        max_failures: int = 10,
        exclude_on_fail: bool = False,
        on_told: Optional[Callable[[Suggestion, Told], Any]] = None,
        max_cost: Optional[float] = None,
        n: Optional[int] = None,
        timeout: Optional[float] = None,
        retries: int = 0,
        progress: Union[bool, Callable[[dict[str, Any]], Any]] = False,
    ) -> str:
        """Asks `annotator(suggestion)` until the campaign is finished, and returns the reason for its end.

        n: ends after so many answers. timeout: nothing is asked for after so many seconds; what is at work is waited for.
        retries: how often the annotator is called again, at once, before an exception is a failed attempt. progress: True shows how
        far it is (with tqdm if that is installed, also in notebooks), a function is called with `status()` after every answer.
        The annotator may be an `async def`: `workers` of its calls are awaited at the same time, all in one event loop.

        The annotator returns the answer, or a dictionary with what `tell` takes (`y`, `cost`, ...). What it raises is a
        failed attempt, and so is an answer that `tell` refuses; `max_failures` different points that fail in a row raise Stopped. A
        point that failed waits until nothing else is left, is tried once more, and is then left for the next run. With several `workers` it is called by as many
        threads at once, or with an `executor`, any concurrent.futures.Executor (of processes, Dask, mpi4py, Parsl), by its workers,
        which must have acuity installed; by default as many suggestions are at work as the executor has workers. It is not shut
        down. If it breaks, because a worker was killed, that is no failure of the annotator: Stopped is raised, and what was at work
        stays pending.

        Ctrl-C ends the run: the suggestion at work stays pending, and the next run begins with it, unless its answer was computed
        already: then it is recorded. Several workers cannot be stopped, so their answers are waited for and kept. Before an
        answer that is expected to cost more than `max_cost` (see `ask`) it ends in the same way, with ValueError. Raises
        NothingNow if all that is left is pending with others.
        """
        require_annotator(annotator, executor)
        count = workers_of(workers, executor)
        most = None if n is None else _count(n)
        seconds = None if timeout is None else number(timeout, "timeout", 0.0, np.inf, "a number of seconds, 0 or more")
        called = with_retries(annotator, whole(retries, "retries", 0, 10**6))
        shown_progress = Progress(self, progress)
        try:
            self._writer.take_ownership()  # in here: Ctrl-C may come as soon as it has returned
            loop = Loop(self, called, max_failures, exclude_on_fail, on_told, max_cost, most, seconds, shown_progress)
            return loop.run(count, executor)
        finally:
            self._core.give_up_ownership()
            shown_progress.end()
