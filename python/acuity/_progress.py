"""How far a run is: a bar of tqdm, which knows notebooks, or a line on standard error."""

from __future__ import annotations

import importlib
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Union

if TYPE_CHECKING:
    from ._campaign import Campaign

Report = Callable[[dict[str, Any]], Any]


class Progress:
    """`progress` of `Campaign.run`: True for a display, or a function of the dictionary of `status()`."""

    def __init__(self, campaign: "Campaign", wanted: Union[bool, Report]) -> None:
        self.campaign = campaign
        self.report = wanted if callable(wanted) else None
        self.bar: Any = None
        self.shown_at = 0.0
        self.is_shown = wanted is True
        self.status: dict[str, Any] = {}
        if not callable(wanted) and not isinstance(wanted, bool):
            raise ValueError(f"progress is {wanted!r}, must be True, False or a function of the status")

    def __call__(self) -> None:
        """After an answer."""
        if self.report is not None:
            self.report(self.campaign.status())
        elif self.is_shown and time.monotonic() - self.shown_at > 0.2:
            self.shown_at = time.monotonic()
            self._show()

    def _show(self) -> None:
        status = self.campaign.status()
        unit = f" {self.campaign.unit}" if self.campaign.unit else ""
        words = f"{status['annotations']} answers, {status['failed']} failed"
        if self.bar is None and "tqdm" in sys.modules or _can_import("tqdm"):
            self._show_bar(status, words, unit)
            return
        line = f"\racuity: {words}, {status['spent']:.6g} of {status['budget']:.6g}{unit} spent"
        print(line.ljust(79), end="", file=sys.stderr, flush=True)

    def _show_bar(self, status: dict[str, Any], words: str, unit: str) -> None:
        if self.bar is None:
            tqdm = importlib.import_module("tqdm.auto").tqdm
            total = status["budget"] if status["budget"] < float("inf") else None
            self.bar = tqdm(total=total, unit=unit.strip() or "spent", desc=self.campaign.name)
        self.bar.update(status["spent"] - self.bar.n)
        self.bar.set_postfix_str(words, refresh=True)

    def end(self) -> None:
        if not self.is_shown:
            return
        self._show()
        if self.bar is not None:
            self.bar.close()
        else:
            print(file=sys.stderr, flush=True)


def _can_import(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
