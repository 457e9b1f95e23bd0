"""What can go wrong, besides Python's own errors.

What a caller did wrong is a ``ValueError``, a file that does not exist a ``FileNotFoundError``. The others have names:

>>> import acuity
>>> issubclass(acuity.Finished, acuity.AskError) and issubclass(acuity.NothingNow, acuity.AskError)
True
"""

from __future__ import annotations

from ._core import DamagedError, DifferentStudyError, NumericalError, OwnedError, StoreError


class AskError(Exception):
    """There is nothing to ask for; the message says why."""


class Finished(AskError):
    """Nothing is left to ask for: the budget is spent, the target reached or the pool exhausted."""


class NothingNow(AskError):
    """Nothing to ask for now, perhaps later: everything useful is pending."""


class Stopped(RuntimeError):
    """`Campaign.run` gave up: too many annotations failed in a row."""


__all__ = [
    "AskError",
    "DamagedError",
    "DifferentStudyError",
    "Finished",
    "NothingNow",
    "NumericalError",
    "OwnedError",
    "Stopped",
    "StoreError",
]
