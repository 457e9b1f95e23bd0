"""What a prediction consists of."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arrays import FloatArray
from ._html import columns_html


class Prediction(NamedTuple):
    """Belief about f at some points, averaged over the hyperparameters (docs/math.md 11.3).

    If the target has a scale of its own ("log", "fraction" or "rate"), median, low and high are in the unit of the answers, mean,
    sd and answer_sd on the scale of the model.
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
    """Of f; differs from the mean if the target has a scale of its own or hyperparameters are averaged over."""

    def _repr_html_(self) -> str:
        return columns_html({name: values for name, values in self._asdict().items() if values is not None})


class Predictor:
    """What a campaign and its model predict in parts, from `prediction` and `latent`, which they define."""

    binary: bool
    scale: str

    def prediction(self, X: ArrayLike) -> Prediction:
        raise NotImplementedError

    def latent(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        raise NotImplementedError

    def _class_names(self) -> NDArray[Any]:
        raise NotImplementedError

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> NDArray[Any]: ...

    @overload
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any: ...

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of f at every row of X, with its standard deviation if `return_std`; of classes the more probable one.

        If the target has a scale of its own: the median in the unit of the answers, and the standard deviation on that scale.
        """
        if self.scale != "linear":
            found = self.prediction(X)
            return (found.median, found.sd) if return_std else found.median
        mean, variance = self.latent(X)
        if not self.binary:
            return (mean, np.sqrt(variance)) if return_std else mean
        if return_std:
            raise ValueError("return_std is for numbers, must be left out here: see latent() and predict_proba()")
        return self._class_names()[(mean > 0.0).astype(int)]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """The probability of either clean class: -1 and +1, or as the study names them."""
        if not self.binary:
            raise ValueError("the answers are numbers, predict_proba() is for classes")
        positive: Any = self.prediction(X).probability
        return np.column_stack([1.0 - positive, positive])
