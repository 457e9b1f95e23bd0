"""What a prediction consists of."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ._arrays import FloatArray


class Prediction(NamedTuple):
    """Belief about f at some points, averaged over the hyperparameters (docs/math.md 11.3)."""

    mean: FloatArray
    sd: FloatArray
    """Standard deviation of f."""
    low: FloatArray
    high: FloatArray
    """Ends of the 95 % interval of f."""
    answer_sd: Optional[FloatArray]
    """Standard deviation of an answer without a level's noise; NaN if sigma^2(x) is known in tables only. Numbers only."""
    probability: Optional[FloatArray]
    """Of the clean class +1; classes only."""
