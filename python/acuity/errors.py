"""What can go wrong, besides Python's own errors.

What a caller did wrong is a ``ValueError``, a file that does not exist a ``FileNotFoundError``. The others have names:

>>> import acuity
>>> issubclass(acuity.Finished, acuity.AskError) and issubclass(acuity.NothingNow, acuity.AskError)
True
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Optional

from ._core import DamagedError, DifferentStudyError, NumericalError, OwnedError, StoreError


class AskError(Exception):
    """There is nothing to ask for; the message says why."""


class Finished(AskError):
    """Nothing is left to ask for: the budget is spent, the target reached or the pool exhausted."""


class NothingNow(AskError):
    """Nothing to ask for now, perhaps later: everything useful is pending."""


class Stopped(RuntimeError):
    """`Campaign.run` gave up: too many annotations failed in a row."""


class PlaceTakenError(FileExistsError, ValueError):
    """There is something already where a campaign was to be created."""


class NoFolderError(FileNotFoundError, ValueError):
    """The folder of a file that was to be written does not exist."""


class UnexpectedAnswerWarning(UserWarning):
    """An answer, or the first answers together, are many standard deviations from what was predicted."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warns at the line that called the package."""
    frame: Optional[FrameType] = sys._getframe(1)
    level = 2
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("acuity."):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


__all__ = [
    "AskError",
    "DamagedError",
    "DifferentStudyError",
    "Finished",
    "NothingNow",
    "NoFolderError",
    "NumericalError",
    "OwnedError",
    "PlaceTakenError",
    "Stopped",
    "StoreError",
    "UnexpectedAnswerWarning",
]
