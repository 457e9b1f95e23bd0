"""What `Campaign.run` calls: a function, an object, or a coroutine function, checked before anything is asked for."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import threading
from collections.abc import Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Callable, Optional

from ._arrays import shown
from ._spelling import hint_on

# What an answer that is a dictionary may have: the arguments of Campaign.tell.
ANSWER_KEYS = ("y", "cost", "noise_variance", "noise_sd", "accuracy", "point", "x", "level", "alpha")


def is_async(annotator: Any) -> bool:
    return inspect.iscoroutinefunction(annotator) or inspect.iscoroutinefunction(getattr(annotator, "__call__", None))


def require_annotator(annotator: Any, executor: Optional[Executor]) -> None:
    """Refuses what cannot answer."""
    if not callable(annotator):
        raise ValueError(f"the annotator is {shown(annotator)}, must be a function of a suggestion, or a class instance with __call__")
    if inspect.isclass(annotator):
        raise ValueError(f"the annotator is the class {annotator.__name__}, must be a function, or an instance of it")
    call = getattr(annotator, "__call__", None)
    if any(inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one) for one in (annotator, call)):
        raise ValueError(f"the annotator is the generator function {shown(annotator)}, must return the answer instead of yielding it")
    if executor is None:
        return
    if callable(getattr(executor, "get_executor", None)):
        raise ValueError("executor is a Dask client, must be its executor: client.get_executor(pure=False)")
    if is_async(annotator):
        raise ValueError("executor is given and the annotator is async, must be left out: workers=8 has eight at work at once")
    if isinstance(executor, ProcessPoolExecutor):
        try:
            pickle.dumps(annotator)
        except Exception as error:
            raise ValueError(
                f"the annotator cannot be sent to other processes ({error}), must be a function of a module, no lambda"
            ) from None


def fields_of(answer: Any, is_count: bool) -> dict[str, Any]:
    """An answer as arguments of `tell`. Wrong shapes are the caller's mistake, no failure: the suggestion stays pending."""
    if isinstance(answer, tuple) and not is_count:
        raise ValueError(
            f"the annotator returned the tuple {shown(answer)}, must be the answer, a list of replicates or a dictionary "
            'such as {"y": 0.3, "cost": 1.2, "noise_sd": 0.1}'
        )
    if inspect.isawaitable(answer) or inspect.isgenerator(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise ValueError(f"the annotator returned {shown(answer)}, must be the answer; an annotator that awaits is an `async def`")
    if not isinstance(answer, Mapping):
        return {"y": answer}
    for key in answer:
        if key not in ANSWER_KEYS and key != "id":
            words = ", ".join(ANSWER_KEYS)
            raise ValueError(
                f"the annotator returned a dictionary with the key {shown(key)}{hint_on(str(key), list(ANSWER_KEYS))}, must be of {words}"
            )
    if "y" not in answer:
        raise ValueError(f"the annotator returned {shown(dict(answer))}, must have the key 'y'")
    return dict(answer)


class EventLoopExecutor(Executor):
    """Runs coroutine functions, all in one event loop on a thread of its own, so that they may share a session."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="acuity-annotators", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(fn(*args, **kwargs), self._loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        async def cancel_all() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self._loop.shutdown_asyncgens()

        asyncio.run_coroutine_threadsafe(cancel_all(), self._loop).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()


def with_retries(annotator: Callable[[Any], Any], retries: int) -> Callable[[Any], Any]:
    """The annotator, which is called again up to so many times if it raises an exception."""
    if retries == 0:
        return annotator
    return AsyncRetrying(annotator, retries) if is_async(annotator) else Retrying(annotator, retries)


class Retrying:
    """At module level, so that processes can have it."""

    def __init__(self, annotator: Callable[[Any], Any], retries: int) -> None:
        self.annotator, self.retries = annotator, retries

    def __call__(self, suggestion: Any) -> Any:
        for _ in range(self.retries):
            try:
                return self.annotator(suggestion)
            except Exception:
                pass
        return self.annotator(suggestion)


class AsyncRetrying(Retrying):
    async def __call__(self, suggestion: Any) -> Any:
        for _ in range(self.retries):
            try:
                return await self.annotator(suggestion)
            except Exception:
                pass
        return await self.annotator(suggestion)
