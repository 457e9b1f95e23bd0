"""The loop of `Campaign.run`: ask, let the annotator answer, tell."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from typing import TYPE_CHECKING, Any, Callable, Optional

from ._arrays import whole
from ._core import Suggestion
from .errors import Finished, NothingNow, Stopped

if TYPE_CHECKING:
    from ._campaign import Campaign, Told


class Loop:
    """What `Campaign.run` does."""

    worker = "python"

    def __init__(
        self,
        campaign: "Campaign",
        annotator: Callable[[Suggestion], Any],
        max_failures: int,
        exclude: bool,
        on_told: Optional[Callable[[Suggestion, "Told"], Any]],
    ) -> None:
        self.campaign = campaign
        self.annotator = annotator
        self.max_failures = whole(max_failures, "max_failures", 1, 2**31 - 1)
        self.exclude = exclude
        self.on_told = on_told
        self.failures = 0
        self.failed_rows: set[int] = set()  # since the last answer
        self.times: dict[int, int] = {}  # that a row failed in this run
        self.answered = False
        self.over = ""
        # What an earlier run has left.
        self.left = [suggestion for suggestion, worker in campaign._core.pending() if worker == self.worker]

    def run(self, workers: int) -> str:
        if workers == 1:
            return self._alone()
        busy: dict[Future[Any], Suggestion] = {}
        with ThreadPoolExecutor(workers, thread_name_prefix="acuity-annotator") as threads:
            try:
                return self._together(threads, workers, busy)
            except BaseException:
                self._settle(busy)
                raise

    def _settle(self, busy: dict[Future[Any], Suggestion]) -> None:
        """Ends early. Threads cannot be stopped, so their answers are waited for and recorded."""
        self.max_failures = len(busy) + self.failures + 1  # one end is enough
        self.answered = True
        self.on_told = None
        for done in as_completed(busy):
            self._take(busy[done], done)

    def _next(self) -> Suggestion:
        if self.left:
            return self.left.pop(0)
        if self.over:
            raise Finished(self.over)
        suggestion: Suggestion = self.campaign.ask(worker=self.worker)
        return suggestion

    def _alone(self) -> str:
        while True:
            try:
                suggestion = self._next()
            except Finished as end:
                return str(end)
            try:
                answer = self.annotator(suggestion)
            except Exception as error:  # KeyboardInterrupt is none: it ends the loop
                self._failed(suggestion, error)
                continue
            self._answered(suggestion, answer)

    def _together(self, threads: ThreadPoolExecutor, workers: int, busy: dict[Future[Any], Suggestion]) -> str:
        reason = ""
        while True:
            while not reason and len(busy) < workers:
                try:
                    suggestion = self._next()
                except Finished as end:
                    reason = str(end)
                except NothingNow:
                    if not busy:
                        raise
                    break
                else:
                    busy[threads.submit(self.annotator, suggestion)] = suggestion
            if not busy:
                return reason
            for done in wait(busy, return_when=FIRST_COMPLETED).done:
                suggestion = busy.pop(done)
                self._take(suggestion, done)
                error = done.exception()
                if error is not None and not isinstance(error, Exception):
                    raise error  # KeyboardInterrupt, say: the suggestion stays pending
                reason = ""  # a failure may have freed money

    def _take(self, suggestion: Suggestion, done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            self._answered(suggestion, done.result())
        elif isinstance(error, Exception):
            self._failed(suggestion, error)

    def _answered(self, suggestion: Suggestion, answer: Any) -> None:
        fields = dict(answer) if isinstance(answer, Mapping) else {"y": answer}
        try:
            told = self.campaign.tell_all([{**fields, "id": suggestion.id}])[0]
        except ValueError as error:  # the answer is none, say not a finite number
            self._failed(suggestion, error)
            return
        self.failures = 0
        self.failed_rows.clear()
        self.answered = True
        if self.on_told is not None:
            self.on_told(suggestion, told)

    def _failed(self, suggestion: Suggestion, error: Exception) -> None:
        self.campaign.fail(suggestion, f"{type(error).__name__}: {error}", exclude=self.exclude)
        # A point that failed waits behind everything else: it fails again only when nothing else is left.
        row = suggestion.row
        self.failed_rows.add(row)
        self.failures = len(self.failed_rows)
        self.times[row] = self.times.get(row, 0) + 1
        gave_up = self.times[row] > 1 and not self.exclude
        if self.failures >= self.max_failures or (gave_up and not self.answered):
            raise Stopped(f"{self.failures} annotations failed in a row, the last one with {error!r}") from error
        if gave_up:
            self.over = f"only points that failed are left, the last one {suggestion.point}; fail(..., exclude=True) excludes it"
