"""The model that a campaign has learned, by itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import FloatArray, as_array, values
from ._estimator import one_column, warn_of_convergence, weights_of
from ._frames import points_for_prediction
from ._prediction import Prediction, Predictor

if TYPE_CHECKING:
    from ._campaign import Campaign


class CampaignModel(Predictor):
    """What a campaign has learned, as an estimator that is fitted: it predicts what `Campaign.predict` did when it was made.

    The campaign may go on or be closed; the model does not change. Predictions are averaged over sets of hyperparameters as
    the study says (docs/math.md 11.3); the attributes are the best set.

    Attributes
    ----------
    amplitude_, lengthscale_, mean_, nugget_ : as learned or given; lengthscale_ is in standardised units if inputs are standardised
    log_marginal_likelihood_ : float, or None if nothing was learned
    X_train_, y_train_, noise_train_ (of classes accuracy_train_) : the answers, as the model sees them
    n_features_in_, feature_names_in_ : the inputs; classes_ : of classes, the second is +1

    >>> import acuity, numpy as np
    >>> X = np.linspace(0, 10, 50)[:, None]
    >>> campaign = acuity.create(pool=X, levels=[acuity.Level("one", noise_sd=0.1, cost=1)], budget=15)
    >>> reason = campaign.run(lambda s: np.sin(s["x"]))
    >>> model = campaign.model()
    >>> bool(np.array_equal(model.predict(X), campaign.predict(X)))
    True
    """

    def __init__(self, core: "_core.CampaignModel", campaign: "Campaign") -> None:
        self._core = core
        self._spare = campaign._spare
        self._inputs = campaign.inputs
        self.binary = campaign.binary
        self.scale = campaign.scale
        self.logarithmic = campaign.logarithmic
        self._estimator_type = "classifier" if self.binary else "regressor"
        found = json.loads(core.status)["hyperparameters"] or {}
        self.amplitude_: Optional[float] = found.get("amplitude")
        scales = found.get("lengthscale")
        self.lengthscale_: Any = np.array(scales) if isinstance(scales, list) else scales
        self.mean_: Optional[float] = found.get("mean")
        self.nugget_: float = found.get("nugget", 0.0)
        self.log_marginal_likelihood_: Optional[float] = found.get("log_marginal_likelihood")
        self.n_features_in_ = len(campaign.inputs)
        self.feature_names_in_ = np.array([str(name) for name in campaign.inputs], dtype=object)
        self.X_train_: FloatArray = core.points
        self.y_train_: FloatArray = core.values  # on the model's scale
        if self.binary:
            self.accuracy_train_: FloatArray = core.channel
            self.classes_ = np.array(campaign.classes) if campaign.classes else np.array([-1, 1])
        else:
            self.noise_train_: FloatArray = core.channel

    def __repr__(self) -> str:
        kind = "classes" if self.binary else "numbers"
        return f"<acuity.CampaignModel of {len(self.y_train_)} {kind}, inputs {', '.join(map(str, self.feature_names_in_))}>"

    def __reduce__(self) -> Any:
        raise TypeError("the model of a campaign cannot be pickled; open the campaign again, or use acuity export C --model F")

    def prediction(self, X: ArrayLike) -> Prediction:
        """The prediction at every row of X: see Prediction. answer_sd is NaN if sigma^2(x) is no constant."""
        array = points_for_prediction(X, self._inputs, self._spare)
        mean, variance, low, high, probability, nugget, median, problem = self._core.predict(array, 0)
        warn_of_convergence(problem)
        if self.binary:
            return Prediction(mean, np.sqrt(variance), low, high, None, probability, median)
        return Prediction(mean, np.sqrt(variance), low, high, np.sqrt(variance + nugget + self._core.noise), None, median)

    def latent(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of f on the model's scale (`scale`), at every row of X."""
        array = points_for_prediction(X, self._inputs, self._spare)
        mean, variance, *_, problem = self._core.predict(array, 0)
        warn_of_convergence(problem)
        return mean, variance

    def _class_names(self) -> NDArray[Any]:
        return self.classes_

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Any = None) -> float:
        """The coefficient of determination R^2 of the mean; of classes the share of right ones."""
        predicted: NDArray[Any] = self.predict(X)
        if self.binary:
            target = as_array(one_column(y), "y")
            if target.shape != predicted.shape:
                raise ValueError(f"y has the shape {target.shape}, must have one label per row of X, {len(predicted)}")
            right = np.array([a == b for a, b in zip(predicted.tolist(), target.tolist())], dtype=float)
            return float(np.average(right, weights=weights_of(sample_weight, len(right))))
        target = values(one_column(y), len(predicted))
        weight = weights_of(sample_weight, len(target))
        spread = float(np.sum(weight * (target - np.average(target, weights=weight)) ** 2))
        error = float(np.sum(weight * (target - predicted) ** 2))
        return 1.0 - error / spread if spread > 0.0 else float(error == 0.0)
