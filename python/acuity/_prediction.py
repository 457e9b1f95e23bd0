"""What a prediction consists of."""

from __future__ import annotations

from typing import NamedTuple, Optional

from ._arrays import FloatArray


class Prediction(NamedTuple):
    """Belief about f at some points, averaged over the hyperparameters (docs/math.md 11.3).

    If the target is logarithmic, median, low and high are in the unit of the answers, mean, sd and answer_sd those of the
    logarithm.
    """

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
    median: FloatArray
    """Of f; differs from the mean if the target is logarithmic or hyperparameters are averaged over."""
