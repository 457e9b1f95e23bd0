"""A campaign that `acuity serve` serves, perhaps on another machine."""

from __future__ import annotations

import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._annotator import is_async, require_annotator
from ._arrays import shown, whole
from ._core import FailurePolicy
from .errors import Finished, NothingNow, Stopped

PathLike = Union[str, "os.PathLike[str]"]

_AWAY = (429, 502, 503, 504)
_POINTS = 1000  # that the server predicts per request
_LARGEST = 256 << 20  # bytes of a reply


class _Refused(ValueError):
    """What the server refuses, with its HTTP status."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class RemoteSuggestion:
    """What to annotate: `id`, `point`, `inputs` by name, `level` (or `alpha`), `value`, `cost`, `information`."""

    def __init__(self, fields: Mapping[str, Any], inputs: Sequence[str]) -> None:
        self.fields = dict(fields)
        """Everything that the server says, as `acuity ask --format json` has it."""
        self.id: int = int(fields["id"])
        self.point: str = fields["point"]
        self.inputs: dict[str, Any] = {name: fields[name] for name in inputs}
        self.level: Optional[str] = fields.get("level")
        self.alpha: Optional[float] = None if fields.get("alpha") is None else float(fields["alpha"])
        self.value: Any = fields.get("value")
        self.cost: float = float(fields["cost"])
        self.information: float = float(fields["information"])

    @property
    def x(self) -> list[Any]:
        """The inputs in their order."""
        return list(self.inputs.values())

    def __repr__(self) -> str:
        level = f"alpha={self.alpha}" if self.level is None else f"level={self.level!r}"
        return f"RemoteSuggestion(id={self.id}, point={self.point!r}, {level}, cost={self.cost:g})"


def _id_of(id: Union[int, RemoteSuggestion]) -> int:
    return id.id if isinstance(id, RemoteSuggestion) else whole(id, "id", 1, 2**62)


class RemoteCampaign:
    """The verbs of a campaign over HTTP; made by `acuity.connect`. Threads may share one.

    What the server refuses is a ValueError with its sentence, a missing right a PermissionError. While the server cannot be
    reached a request is repeated for `patience` seconds, then it is a ConnectionError; an answer told twice counts once.
    """

    def __init__(self, url: str, token: str, patience: float, timeout: float) -> None:
        self.url = url
        self._token = token
        self._patience = patience
        self._timeout = timeout
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}) if _is_here(url) else urllib.request.ProxyHandler())
        study = self.study()
        self.name: str = study["name"]
        self.unit: str = study["unit"]
        self.inputs: list[str] = [one["name"] for one in study["inputs"]]
        self.binary: bool = study["target"] == "binary"

    def _request(self, path: str, body: Optional[Mapping[str, Any]] = None) -> bytes:
        data = None if body is None else json.dumps({key: value for key, value in body.items() if value is not None}).encode()
        headers = {"Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        until, pause = time.monotonic() + self._patience, 0.2
        while True:
            try:
                request = urllib.request.Request(self.url + path, data, headers)
                with self._opener.open(request, timeout=self._timeout) as reply:
                    content = bytes(reply.read(_LARGEST + 1))
                    if len(content) > _LARGEST:
                        raise ValueError(f"{self.url}{path}: the reply is larger than {_LARGEST} bytes")
                    return content
            except urllib.error.HTTPError as error:
                sentence, after = _problem_of(error)
                if error.code in (401, 403):
                    raise PermissionError(sentence) from None
                if error.code not in _AWAY:
                    raise _Refused(sentence, error.code) from None
                problem, pause = sentence, max(pause, after)
            except (urllib.error.URLError, OSError) as error:
                problem = str(getattr(error, "reason", error))
            if time.monotonic() + pause > until:
                raise ConnectionError(f"{self.url}: {problem}")
            time.sleep(pause)
            pause = min(10.0, 2.0 * pause)

    def _json(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        return _value_of(self._request(path, body), self.url + path)

    def ask(
        self,
        n: Optional[int] = None,
        *,
        worker: Optional[str] = None,
        lease: Optional[Union[float, str]] = None,
        level: Optional[str] = None,
        capacity: Optional[int] = None,
        max_cost: Optional[float] = None,
    ) -> Any:
        """What to annotate next: a RemoteSuggestion, or with `n` a list of up to `n` of them.

        A worker that asks again gets what it has not answered yet. worker: the token's name if left out; another one needs the
        role run. lease: seconds, or a text such as "2h". max_cost: an answer that is expected to cost more is refused
        (default: the study's). Raises Finished or NothingNow.
        """
        return self._ask(n, worker, lease, level, capacity, max_cost=max_cost)

    def _ask(
        self,
        n: Optional[int] = None,
        worker: Optional[str] = None,
        lease: Optional[Union[float, str]] = None,
        level: Optional[str] = None,
        capacity: Optional[int] = None,
        avoid: Sequence[str] = (),
        max_cost: Optional[float] = None,
    ) -> Any:
        """What ask() does; avoid: points that are not asked for."""
        count = None if n is None else whole(n, "n", 1, 1000)
        found = self._json(
            "/v1/ask",
            {
                "count": count,
                "worker": worker,
                "lease": lease,
                "level": level,
                "capacity": capacity,
                "avoid": list(avoid) or None,
                "max_cost": max_cost,
            },
        )
        suggestions = [RemoteSuggestion(one, self.inputs) for one in found["suggestions"]]
        if not suggestions:
            error = (Finished if found["status"] == "finished" else NothingNow)(found["reason"])
            setattr(error, "retry_after", found["retry_after"])
            raise error
        return suggestions[0] if n is None and capacity is None else suggestions

    def tell(
        self,
        id: Union[int, RemoteSuggestion],
        y: Any,
        *,
        cost: Optional[float] = None,
        noise_sd: Optional[float] = None,
        accuracy: Optional[float] = None,
        seconds: Optional[float] = None,
    ) -> dict[str, Any]:
        """Records an answer: a number, a class, or a list of replicates. The same one again changes nothing."""
        return dict(
            self._json(
                "/v1/tell",
                {"id": _id_of(id), "y": _said(y), "cost": cost, "noise_sd": noise_sd, "accuracy": accuracy, "seconds": seconds},
            )
        )

    def fail(
        self,
        id: Union[int, RemoteSuggestion],
        reason: str = "",
        *,
        cost: Optional[float] = None,
        exclude: bool = False,
        cannot_tell: bool = False,
        inconclusive: bool = False,
    ) -> None:
        body = {"id": _id_of(id), "reason": reason, "cost": cost, "exclude": exclude, "cannot_tell": cannot_tell}
        self._json("/v1/fail", {**body, "inconclusive": inconclusive} if inconclusive else body)

    def release(self, *ids: Union[int, RemoteSuggestion], reason: str = "") -> list[int]:
        return list(self._json("/v1/release", {"ids": [_id_of(one) for one in ids], "reason": reason})["released"])

    def heartbeat(self, *ids: Union[int, RemoteSuggestion], lease: Optional[Union[float, str]] = None) -> list[int]:
        """Extends leases; returns the ids that are still pending."""
        return list(self._json("/v1/heartbeat", {"ids": [_id_of(one) for one in ids], "lease": lease})["renewed"])

    def amend(self, id: Union[int, RemoteSuggestion], y: Any = None, *, reason: str, **more: Any) -> dict[str, Any]:
        """Corrects an answer; needs the role own. more: cost, noise_sd, accuracy, level, alpha, point."""
        said = None if y is None else _said(y)
        return dict(self._json("/v1/amend", {"id": _id_of(id), "y": said, "reason": reason, **more}))

    def retract(self, id: Union[int, RemoteSuggestion], reason: str) -> None:
        self._json("/v1/amend", {"id": _id_of(id), "retract": True, "reason": reason})

    def status(self) -> dict[str, Any]:
        return dict(self._json("/v1/status"))

    def study(self) -> dict[str, Any]:
        return dict(self._json("/v1/study"))

    def pending(self, worker: Optional[str] = None) -> list[RemoteSuggestion]:
        rows = self._json("/v1/pending")["pending"]
        return [RemoteSuggestion(row, self.inputs) for row in rows if worker in (None, row["worker"])]

    def annotations(self) -> list[dict[str, Any]]:
        """Every answer that counts, with who gave it, when, and how long it took."""
        return list(self._json("/v1/annotations")["rows"])

    def explain(self, id: Optional[Union[int, RemoteSuggestion]] = None) -> dict[str, Any]:
        """Why a suggestion was made, or the next one would be: {"text": ..., "explanation": {...}}."""
        return dict(self._json("/v1/explain/" + ("next" if id is None else str(_id_of(id)))))

    def predict(self, points: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """mean, variance, sd, low, high (and probability of classes) at points, each a dictionary of inputs."""
        given = [dict(point) for point in points]
        rows: list[dict[str, Any]] = []
        for first in range(0, max(1, len(given)), _POINTS):
            rows += self._json("/v1/predict", {"points": given[first : first + _POINTS]})["rows"]
        return rows

    def events(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """The log, as `acuity export --events` has it, from after this number on."""
        while True:
            lines = self._request(f"/v1/events?after={whole(after, 'after', 0, 2**62)}&limit=1000").splitlines()
            for line in lines:
                event = _value_of(line, self.url)
                after = int(event["seq"])
                yield event
            if not lines:
                return

    def run(
        self,
        annotator: Callable[[RemoteSuggestion], Any],
        *,
        workers: int = 1,
        worker: Optional[str] = None,
        lease: float = 600.0,
        max_failures: int = 10,
    ) -> int:
        """Asks, calls `annotator` and tells until the campaign is finished; returns how many answers were given.

        annotator returns what `tell` takes as y, or a dictionary with y and any of cost, noise_sd, accuracy. An exception is a
        failure of that point, and so is an answer that the server refuses; `max_failures` different points that fail in a row
        raise Stopped. A point that failed twice is not asked for again. Leases are renewed while it works.
        """
        require_annotator(annotator, None)
        if is_async(annotator):
            raise ValueError("the annotator is async, must be a plain function here: every worker has a thread of its own")
        count = whole(workers, "workers", 1, 1000)
        name = worker or f"{os.uname().nodename}-{os.getpid()}"
        names = [name] if count == 1 else [f"{name}-{k + 1}" for k in range(count)]
        work = _RemoteWork(self, annotator, lease, whole(max_failures, "max_failures", 1, 2**31 - 1))
        with ThreadPoolExecutor(count, thread_name_prefix="acuity-remote") as threads:
            for done in [threads.submit(work.run, one) for one in names]:
                done.result()
        return work.answers

    def __repr__(self) -> str:
        return f"RemoteCampaign({self.url!r}, name={self.name!r})"


class _RemoteWork:
    """What the threads of `RemoteCampaign.run` share."""

    def __init__(self, campaign: RemoteCampaign, annotator: Callable[[RemoteSuggestion], Any], lease: float, most: int) -> None:
        self.campaign, self.annotator, self.lease = campaign, annotator, lease
        self.answers = 0
        self.failures = FailurePolicy(most)
        self.failed_points: list[str] = []  # their places are their numbers for the policy
        self.lock = threading.Lock()

    def run(self, worker: str) -> None:
        while True:
            with self.lock:
                self._check(self.failures.stops)
                avoid = [self.failed_points[number] for number in self.failures.given_up]
            try:
                suggestion = self.campaign._ask(worker=worker, lease=self.lease, avoid=avoid)
            except Finished:
                with self.lock:
                    self._check(self.failures.ends_without_answer)
                return
            except NothingNow as nothing:
                time.sleep(min(5.0, getattr(nothing, "retry_after", None) or 1.0))
                continue
            self._answer(suggestion)

    def _check(self, stops: bool) -> None:
        if stops:
            raise Stopped(f"{self.failures.failures_in_a_row} annotations failed in a row")

    def _answer(self, suggestion: RemoteSuggestion) -> None:
        over = threading.Event()
        renewing = threading.Thread(target=self._renew, args=(suggestion, over), daemon=True)
        renewing.start()
        start = time.monotonic()
        try:
            said = self.annotator(suggestion)
        except Exception as error:  # of the annotator: any
            self._failed(suggestion, error)
            return
        finally:
            over.set()
            renewing.join()
        answer = dict(said) if isinstance(said, Mapping) else {"y": said}
        if "y" not in answer:
            raise ValueError(f"the annotator returned {shown(said)}, must be an answer or a dictionary with y")
        try:
            self.campaign.tell(suggestion, answer.pop("y"), seconds=time.monotonic() - start, **answer)
        except _Refused as error:
            if error.status == 400:  # it is no answer
                self._failed(suggestion, error, inconclusive=True)
            elif error.status != 409:  # 409: another answer is recorded, which takes precedence
                raise
            return
        with self.lock:
            self.answers += 1
            self.failures.count_answer()

    def _failed(self, suggestion: RemoteSuggestion, error: Exception, inconclusive: bool = False) -> None:
        try:
            self.campaign.fail(suggestion, f"{type(error).__name__}: {error}", inconclusive=inconclusive)
        except _Refused as refusal:
            if refusal.status not in (400, 409):  # it is not pending any more: the other event takes precedence
                raise
        with self.lock:
            if suggestion.point not in self.failed_points:
                self.failed_points.append(suggestion.point)
            self.failures.count_failure(self.failed_points.index(suggestion.point), suggestion.id, repr(error))

    def _renew(self, suggestion: RemoteSuggestion, over: threading.Event) -> None:
        while not over.wait(self.lease / 3.0):
            try:
                self.campaign.heartbeat(suggestion, lease=self.lease)
            except (ValueError, ConnectionError):  # a late answer is still taken
                pass


def _value_of(text: bytes, place: str) -> Any:
    """The JSON value of a reply, from whatever answers there."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(f"{place}: the reply is nested too deeply, must be JSON of acuity serve") from None
    except ValueError:  # also of bytes that are no UTF-8
        raise ValueError(f"{place}: the reply is no JSON, must be JSON of acuity serve") from None


def _said(y: Any) -> Any:
    """Numbers of numpy as JSON knows them."""
    if isinstance(y, (list, tuple)) or (hasattr(y, "tolist") and getattr(y, "ndim", 0) > 0):
        return [_said(one) for one in y]
    return y.item() if hasattr(y, "item") else y


def _problem_of(error: urllib.error.HTTPError) -> tuple[str, float]:
    try:
        fields = json.loads(error.read())
        return str(fields["error"]), float(fields.get("retry_after") or 0.0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return f"HTTP status {error.code}", 0.0


def _is_here(url: str) -> bool:
    return urllib.parse.urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def connect(
    url: str,
    *,
    token: Optional[str] = None,
    token_file: Optional[PathLike] = None,
    patience: float = 60.0,
    timeout: float = 60.0,
) -> RemoteCampaign:
    """The campaign that `acuity serve` serves at this address.

    token: as in the server's file of tokens; left out: that of `token_file`, else of ACUITY_TOKEN, else none, which is enough
    to watch on the same machine. patience: seconds for which a server that cannot be reached is tried again. timeout: of one
    request, in seconds.
    """
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError(f"url is {shown(url)}, must be http://HOST:PORT or https://HOST, without a token")
    if token is None:
        token = Path(token_file).read_text().split()[0] if token_file is not None else os.environ.get("ACUITY_TOKEN", "")
    return RemoteCampaign(url.rstrip("/"), token, patience, timeout)
