"""Gaussian process classification with labels that may be wrong."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import FloatArray, as_array, per_point, values
from ._estimator import one_column, warn_of_convergence, weights_of
from ._kernel_model import KernelModel, OptimiserName, PriorName
from .kernels import KernelLike


class GPClassifier(KernelModel):
    """Gaussian process classification by expectation propagation, two classes.

    Each label has its own probability of being right, its accuracy; the clean class is +1 with probability Phi(f).

    Parameters
    ----------
    kernel, amplitude, lengthscale, optimiser, restarts, random_state, threads : as in GPRegressor
    accuracy : float
        Of every label for which `fit` gets no other, from 0.5 to 1.
    classes : list of two, or None
        What the labels may be, the second being +1: then one class alone is enough to begin with. None: as found.
    prior : "weak" or "none"
        "weak", as in campaigns: very large amplitudes and length scales shorter than the data can resolve count as less
        probable, the search begins where it suits the data, and of inputs whose spreads differ by more than ten times one length
        scale for all is in units of each input's standard deviation; then `lengthscale_` has one per input. "none": maximum likelihood from the values given on, which
        takes many times as long.

    Attributes
    ----------
    classes_ : the two classes; the second is +1
    amplitude_, lengthscale_ : as they were learned, or as given
    log_marginal_likelihood_ : float, by expectation propagation
    n_features_in_, feature_names_in_ : the inputs

    Examples
    --------
    >>> import acuity, numpy as np
    >>> X = np.linspace(-3, 3, 40)[:, None]
    >>> y = np.where(X[:, 0] > 0, "above", "below")
    >>> model = acuity.GPClassifier().fit(X, y, accuracy=0.95)
    >>> model.predict([[-2.0], [2.0]]).tolist()
    ['below', 'above']
    >>> mean, variance = model.latent([[2.0]])
    >>> bool(mean[0] < 0) and model.classes_.tolist() == ['above', 'below']
    True
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        amplitude: float = 1.0,
        lengthscale: Union[float, ArrayLike] = 1.0,
        accuracy: float = 1.0,
        classes: Optional[ArrayLike] = None,
        optimiser: Optional[OptimiserName] = "lbfgs",
        restarts: int = 4,
        random_state: Any = None,
        threads: int = 0,
        prior: PriorName = "weak",
    ) -> None:
        self.kernel = kernel
        self.amplitude = amplitude
        self.lengthscale = lengthscale
        self.accuracy = accuracy
        self.classes = classes
        self.optimiser = optimiser
        self.restarts = restarts
        self.random_state = random_state
        self.threads = threads
        self.prior = prior

    def fit(self, X: ArrayLike, y: ArrayLike, accuracy: Any = None) -> "GPClassifier":
        """Learns hyperparameters, unless `optimiser` is None, and adds the labels.

        accuracy: of every label, or one for all; goes before the parameter of that name.
        """
        array = self._take_inputs(X)
        labels, classes = self._take_classes(y, len(array))
        right = self._accuracies(self.accuracy if accuracy is None else accuracy, len(array))
        kernel = self._kernel_to_fit(array)
        learned = None
        if self.optimiser is not None:
            learned = _core.learn_classification(kernel, array, labels, right, **self._learning())
            kernel = learned["kernel"]
        posterior = _core.EpPosterior(kernel, array, labels, right)
        self._keep(kernel, learned)
        self._keep_inputs(X, array)
        self.X_train_, self.y_train_, self.accuracy_train_, self.classes_ = array, labels, right, classes
        self._posterior, self.log_marginal_likelihood_ = posterior, posterior.log_evidence
        warn_of_convergence(posterior.convergence_problem)
        return self

    def _take_classes(self, y: ArrayLike, count: int) -> tuple[FloatArray, NDArray[Any]]:
        """-1 or 1 for every label, and what the two are called."""
        target = as_array(one_column(y), "y")
        if target.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {target.shape} instead.")
        if len(target) != count:
            raise ValueError(f"y has {len(target)} entries and there are {count} points, must be as many of each")
        if target.dtype.kind == "f":
            values(target, count)
            if np.any(target != np.round(target)):
                raise ValueError("Unknown label type: y has numbers that are no whole ones, must be two classes")
        if self.classes is not None:
            return self._known_classes(target)
        try:
            classes = np.unique(target)
        except TypeError:  # None among names, say, which cannot be sorted
            kinds = sorted({type(label).__name__ for label in target.tolist()})
            raise ValueError(f"y has labels of the types {', '.join(kinds)}, must be of one type") from None
        if len(classes) > 2:
            raise ValueError(f"Only binary classification is supported. y has {len(classes)} classes, must be two")
        if len(classes) < 2:
            raise ValueError(f"y has {len(classes)} class, must be two classes (or say which, with `classes`)")
        return np.where(target == classes[1], 1.0, -1.0), classes

    def _known_classes(self, target: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
        classes = as_array(self.classes, "classes")
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise ValueError(f"classes is {self.classes!r}, must be two different ones")
        for label in np.unique(target).tolist():
            if label not in classes.tolist():
                raise ValueError(f"y has {label!r}, must be {classes[0]!r} or {classes[1]!r}")
        return np.where(target == classes[1], 1.0, -1.0), classes

    @staticmethod
    def _accuracies(accuracy: Any, count: int) -> FloatArray:
        return per_point(accuracy, count, "accuracy", 0.5, 1.0, "from 0.5 to 1")

    def _belief(self) -> "_core.EpPosterior":
        if not hasattr(self, "_posterior"):
            self._posterior = _core.EpPosterior(self._core_kernel(), self.X_train_, self.y_train_, self.accuracy_train_)
        return self._posterior

    def add(self, X: ArrayLike, y: Any, accuracy: Any = None) -> "GPClassifier":
        """One more label, or some; hyperparameters stay as they are. Starts from the current belief."""
        array = self._more_inputs(X)
        target = np.atleast_1d(as_array(y, "y"))
        if target.shape != (len(array),):
            raise ValueError(f"y has the shape {target.shape} and there are {len(array)} points, must be as many of each")
        labels = np.array([self._label(label) for label in target.tolist()])
        right = self._accuracies(self.accuracy if accuracy is None else accuracy, len(array))
        X_all, y_all = np.concatenate([self.X_train_, array]), np.concatenate([self.y_train_, labels])
        right_all = np.concatenate([self.accuracy_train_, right])
        before = self.__dict__.get("_posterior")
        posterior = _core.EpPosterior(self._core_kernel(), X_all, y_all, right_all, before=before)
        self.X_train_, self.y_train_, self.accuracy_train_ = X_all, y_all, right_all
        self._posterior, self.log_marginal_likelihood_ = posterior, posterior.log_evidence
        warn_of_convergence(posterior.convergence_problem)
        return self

    def _label(self, label: Any) -> float:
        """-1 or 1 for the first or the second class."""
        low, high = self.classes_.tolist()
        if label not in (low, high):
            raise ValueError(f"y is {label!r}, must be {low!r} or {high!r}")
        return 1.0 if label == high else -1.0

    def latent(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the latent f at every row of X."""
        mean, variance = self._belief_at(X)
        return mean, variance

    def _belief_at(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        array = self._see_inputs(X)
        return self._belief().predict(array)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """In the order of `predict_proba`, as scikit-learn requires, and above 0 if the second class is the more probable."""
        mean, variance = self._belief_at(X)
        score: FloatArray = mean / np.sqrt(1.0 + variance)
        return score

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The more probable clean class at every row of X."""
        array = self._see_inputs(X)
        second = self._belief().mean(array) > 0.0
        chosen: NDArray[Any] = self.classes_[second.astype(int)]
        return chosen

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """The probability of either clean class, in the order of `classes_`."""
        positive = _core.clean_probability(*self._belief_at(X))
        return np.column_stack([1.0 - positive, positive])

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """The logarithms of `predict_proba`, finite also where a probability is below the smallest number."""
        z = self.decision_function(X)
        logarithms: FloatArray = np.column_stack([_core.numerics.normal_log_cdf(-z), _core.numerics.normal_log_cdf(z)])
        return logarithms

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Any = None) -> float:
        """The share of right classes."""
        predicted = self.predict(X)
        target = as_array(one_column(y), "y")
        if target.shape != predicted.shape:
            raise ValueError(f"y has the shape {target.shape}, must have one label per row of X, {len(predicted)}")
        right = np.array([a == b for a, b in zip(predicted.tolist(), target.tolist())], dtype=float)
        return float(np.average(right, weights=weights_of(sample_weight, len(right))))

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": True, "binary_only": True}
