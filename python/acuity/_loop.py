"""The loop of `Campaign.run`: ask, let the annotator answer, tell."""

from __future__ import annotations

from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    as_completed,
    wait,
)
from time import monotonic
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._annotator import EventLoopExecutor, fields_of, is_async
from ._arrays import shown, whole
from ._core import FailurePolicy, Suggestion, python_worker
from .errors import Finished, NothingNow, Stopped

if TYPE_CHECKING:
    from ._campaign import Campaign
    from ._results import Told


# Errors by which an executor says that a worker died; of packages that need not be installed.
_ENGINE_ERRORS = {("distributed", "KilledWorker"), ("parsl", "WorkerLost"), ("parsl", "ManagerLost")}


def _is_of_engine(error: BaseException) -> bool:
    """Whether the executor failed, not the annotator."""
    kind = (type(error).__module__.partition(".")[0], type(error).__name__)
    return isinstance(error, (BrokenExecutor, CancelledError)) or kind in _ENGINE_ERRORS


def _error_of(done: Future[Any]) -> Optional[BaseException]:
    try:
        return done.exception()
    except CancelledError as error:
        return error


def workers_of(workers: Optional[int], executor: Optional[Executor]) -> int:
    """How many suggestions are at work at once; by default as many as the executor has workers."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ValueError(f"executor is {shown(executor)}, must be a concurrent.futures.Executor")
    if workers is None and executor is not None:
        for name in ("_max_workers", "num_workers"):
            workers = workers or getattr(executor, name, None)
        if workers is None:
            raise ValueError("workers is missing, must be given with this executor: how many suggestions are at work at once")
    return whole(1 if workers is None else workers, "workers", 1, 10**4)


class Loop:
    """What `Campaign.run` does."""

    worker = python_worker

    def __init__(
        self,
        campaign: "Campaign",
        annotator: Callable[[Suggestion], Any],
        max_failures: int,
        exclude: bool,
        on_told: Optional[Callable[[Suggestion, "Told"], Any]],
        max_cost: Optional[float] = None,
        most: Optional[int] = None,
        seconds: Optional[float] = None,
        on_answer: Callable[[], Any] = lambda: None,
    ) -> None:
        self.campaign = campaign
        self.annotator = annotator
        self.exclude = exclude
        self.on_told = on_told
        self.max_cost = max_cost
        self.most = most  # suggestions that are answered at most
        self.ends_at = None if seconds is None else monotonic() + seconds
        self.on_answer = on_answer
        self.answers = 0
        self.failures = FailurePolicy(whole(max_failures, "max_failures", 1, 2**31 - 1))
        self.last_failure: Optional[Exception] = None
        self.failed_points: dict[int, str] = {}  # by row
        self.settles = False
        # What an earlier run has left.
        self.left = [suggestion for suggestion, worker in campaign._core.pending() if worker == self.worker]

    def run(self, workers: int, executor: Optional[Executor] = None) -> str:
        if executor is not None:  # it is the caller's, who shuts it down
            return self._on(executor, workers, cancel=True)
        if is_async(self.annotator):
            with EventLoopExecutor() as loop:
                return self._on(loop, workers, cancel=True)
        if workers == 1:
            return self._alone()
        with ThreadPoolExecutor(workers, thread_name_prefix="acuity-annotator") as threads:
            return self._on(threads, workers, cancel=False)

    def _on(self, executor: Executor, workers: int, cancel: bool) -> str:
        busy: dict[Future[Any], Suggestion] = {}
        try:
            return self._together(executor, workers, busy)
        except BaseException:
            self._settle(busy, cancel)
            raise

    def _settle(self, busy: dict[Future[Any], Suggestion], cancel: bool) -> None:
        """Ends early. What is at work cannot be stopped, so its answers are waited for and recorded.

        cancel: what has not begun, perhaps for days in a queue, is cancelled and stays pending.
        """
        self.settles = True  # one end is enough
        self.on_told = None
        begun = [future for future in busy if not (cancel and future.cancel())]
        for done in as_completed(begun):
            try:  # recording an answer again is harmless
                self._take(busy[done], done)
            except ValueError:  # what ended the run, or another of its kind: that suggestion stays pending
                pass

    def _next(self, at_work: int = 0) -> Suggestion:
        """The next one to annotate, beside so many that are at work."""
        if self.most is not None and self.answers + at_work >= self.most:
            raise Finished(f"{self.most} answers were asked for, and are recorded")
        if self.ends_at is not None and monotonic() >= self.ends_at:
            raise Finished("the time is over (timeout)")
        if self.left:
            return self.left.pop(0)
        suggestion: Suggestion = self.campaign._ask(
            worker=self.worker, avoid=self.failures.given_up, max_cost=self.max_cost
        )
        return suggestion

    def _alone(self) -> str:
        while True:
            try:
                suggestion = self._next()
            except Finished as end:
                return self._end(str(end))
            except NothingNow:
                self._require_answer()
                raise
            answers: list[Any] = []
            failure: Exception = StopIteration("the annotator gave no answer")
            try:
                try:
                    # Python handles signals between its instructions: after these calls the answer is in the list already.
                    answers.extend(map(self.annotator, (suggestion,)))
                except Exception as error:  # KeyboardInterrupt is none: it ends the loop
                    failure = error
                if answers:
                    self._answered(suggestion, answers[0])
                else:
                    self._failed(suggestion, failure)
            except KeyboardInterrupt:
                if answers:
                    self._keep(suggestion, answers[0])
                raise

    def _keep(self, suggestion: Suggestion, answer: Any) -> None:
        """Records what was computed when Ctrl-C came; again is harmless, and so is Ctrl-C again."""
        for _ in range(3):
            try:
                self.campaign._tell([self._fields(suggestion, answer)])
                return
            except KeyboardInterrupt:
                continue
            except ValueError:  # it is no answer: the suggestion stays pending
                return

    def _together(self, executor: Executor, workers: int, busy: dict[Future[Any], Suggestion]) -> str:
        reason = ""
        while True:
            while not reason and len(busy) < workers:
                try:
                    suggestion = self._next(len(busy))
                except Finished as end:
                    reason = str(end)
                except NothingNow:
                    if not busy:
                        self._require_answer()
                        raise
                    break
                else:
                    try:
                        busy[executor.submit(self.annotator, suggestion)] = suggestion
                    except Exception as error:  # such as BrokenProcessPool: nobody is at work any more
                        raise self._engine_failed(error) from error
            if not busy:
                return self._end(reason)
            for done in wait(busy, return_when=FIRST_COMPLETED).done:
                # Not removed before it is recorded: an interruption in between must not lose an answer.
                self._take(busy[done], done)
                del busy[done]
                problem = _error_of(done)
                if problem is not None and _is_of_engine(problem):
                    raise self._engine_failed(problem) from problem
                if problem is not None and not isinstance(problem, Exception):
                    raise problem  # KeyboardInterrupt, say: the suggestion stays pending
                reason = ""  # a failure may have freed money

    @staticmethod
    def _engine_failed(error: BaseException) -> Stopped:
        return Stopped(
            f"the executor failed with {error!r}: what was at work stays pending and is no failure of the annotator; the next run "
            "begins with it"
        )

    def _take(self, suggestion: Suggestion, done: Future[Any]) -> None:
        error = _error_of(done)
        if error is None:
            self._answered(suggestion, done.result())
        elif isinstance(error, Exception) and not _is_of_engine(error):
            self._failed(suggestion, error)

    def _fields(self, suggestion: Suggestion, answer: Any) -> dict[str, Any]:
        is_count = isinstance(answer, tuple) and self.campaign.scale in ("fraction", "rate")
        return {**fields_of(answer, is_count), "id": suggestion.id}

    def _answered(self, suggestion: Suggestion, answer: Any) -> None:
        fields = self._fields(suggestion, answer)
        try:
            told = self.campaign._tell([fields])[0][0]
        except ValueError as error:  # the answer is none, say not a finite number; or another one is recorded
            if self._is_pending(suggestion):
                self._failed(suggestion, error, inconclusive=True)
            return
        self.failures.count_answer()
        self.answers += 1
        self.on_answer()
        if self.on_told is not None:
            self.on_told(suggestion, told)

    def _is_pending(self, suggestion: Suggestion) -> bool:
        """False if another process has answered, failed or released it: the other event takes precedence."""
        return any(one.id == suggestion.id for one, _ in self.campaign._core.pending())

    def _failed(self, suggestion: Suggestion, error: Exception, inconclusive: bool = False) -> None:
        if self._is_pending(suggestion):
            why = f"{type(error).__name__}: {error}"
            self.campaign.fail(suggestion, why, exclude=self.exclude, inconclusive=inconclusive)
        self.failed_points[suggestion.row] = suggestion.point
        self.last_failure = error
        self.failures.count_failure(suggestion.row, suggestion.id, repr(error))
        if self.failures.stops and not self.settles:
            raise self._stopped() from error

    def _stopped(self) -> Stopped:
        return Stopped(f"{self.failures.failures_in_a_row} annotations failed in a row, the last one with {self.last_failure!r}")

    def _require_answer(self) -> None:
        """At the end: nothing but failures is no finished campaign."""
        if self.failures.ends_without_answer:
            raise self._stopped() from self.last_failure

    def _end(self, reason: str) -> str:
        self._require_answer()
        if not self.failures.given_up:
            return reason
        left = self.failures.what_is_left(self.failed_points[self.failures.given_up[-1]])
        return f"{reason}; {left}: the next run tries again, fail(..., exclude=True) excludes it"
