"""Gaussian process regression with answers of differing precision."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import FloatArray, floats, number, per_point, threads_of, values, whole
from ._estimator import generator, one_column, weights_of
from ._kernel_model import KernelModel, OptimiserName, PriorName
from .kernels import KernelLike

_LARGEST = float(np.finfo(float).max)
_MOST_DRAWS = 10**9  # 8 GB of them


class GPRegressor(KernelModel):
    """Gaussian process regression.

    Parameters
    ----------
    kernel : "rbf", "matern32", "matern52", a function k(a, b), an acuity.Kernel or a kernel of scikit-learn
        The prior covariance of f. amplitude and lengthscale are those of the three; others have their own parameters.
    amplitude : float
        The prior variance of f is its square.
    lengthscale : float or list
        One for all inputs, or one per input.
    mean : float
        The prior mean of f.
    noise_variance : float or "learn"
        Of every answer for which `fit` gets no other. "learn": one for all, found together with the others.
    optimiser : "lbfgs", "adam" or None
        What maximises the likelihood, from the values given on; None keeps them.
    restarts : int
        Further starts of "lbfgs"; the best likelihood is kept. They are needed if the climbs from the values given and from values
        that suit the data end at different summits.
    random_state : int, generator or None
        Of the further starts.
    threads : int
        0: all the machine has, or OMP_NUM_THREADS. Results do not depend on it.
    prior : "none" or "weak"
        "none": maximum likelihood, as in scikit-learn. "weak", as in campaigns: length scales shorter than the data can resolve
        count as less probable, and of inputs whose spreads differ by more than ten times one length scale for all is in units of
        each input's standard deviation; then `lengthscale_` has one per input. Not with "adam" or a kernel of one's own.

    Attributes
    ----------
    amplitude_, lengthscale_, noise_variance_ : as they were learned, or as given
    mean_, log_marginal_likelihood_ : float
    n_features_in_, feature_names_in_ : the inputs

    Examples
    --------
    >>> import acuity, numpy as np
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> model = acuity.GPRegressor(noise_variance=0.01).fit(X, np.sin(X[:, 0]))
    >>> mean, sd = model.predict([[1.5]], return_std=True)
    >>> abs(mean[0] - np.sin(1.5)) < 0.05 and sd[0] < 0.1
    True

    Answers of different precision, and one more later, for O(n^2):

    >>> model = acuity.GPRegressor(optimiser=None).fit([[0.0], [1.0]], [0.0, 1.0], noise_variance=[0.5, 0.01])
    >>> model.add([0.5], 0.4, noise_variance=0.1).predict([[0.5]]).round(2)
    array([0.53])
    """

    _estimator_type = "regressor"

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        amplitude: float = 1.0,
        lengthscale: Union[float, ArrayLike] = 1.0,
        mean: float = 0.0,
        noise_variance: Union[float, str] = "learn",
        optimiser: Optional[OptimiserName] = "lbfgs",
        restarts: int = 4,
        random_state: Any = None,
        threads: int = 0,
        prior: PriorName = "none",
    ) -> None:
        self.kernel = kernel
        self.amplitude = amplitude
        self.lengthscale = lengthscale
        self.mean = mean
        self.noise_variance = noise_variance
        self.optimiser = optimiser
        self.restarts = restarts
        self.random_state = random_state
        self.threads = threads
        self.prior = prior

    def fit(self, X: ArrayLike, y: ArrayLike, noise_variance: Any = None) -> "GPRegressor":
        """Learns hyperparameters, unless `optimiser` is None, and adds the answers.

        noise_variance: of every answer, or one for all; goes before the parameter of that name.
        """
        array = self._take_inputs(X)
        target = np.array(values(one_column(y), len(array)))
        given = self.noise_variance if noise_variance is None else noise_variance
        learn_noise = isinstance(given, str)
        if learn_noise and given != "learn":
            raise ValueError(f'noise_variance is {given!r}, must be a number, one per answer or "learn"')
        if learn_noise and self.optimiser is None:
            raise ValueError('noise_variance is "learn" and optimiser is None, must be numbers if nothing is learned')
        spread = float(np.var(target))
        start = 0.1 * spread if spread > 0.0 else 1e-4
        noise = per_point(start if learn_noise else given, len(array), "noise_variance", 0.0, _LARGEST, "finite, 0 or more")
        mean = number(self.mean, "mean", -_LARGEST, _LARGEST, "a finite number")
        kernel = self._kernel_to_fit(array)
        learned = None
        if self.optimiser is not None:
            learned = _core.learn_regression(
                kernel, mean, array, target, noise, scale_noise=learn_noise, **self._learning()
            )
            kernel = learned["kernel"]
            if learn_noise:
                noise = noise * learned["base_scale"] if learned["nugget"] == 0.0 else np.full(len(noise), learned["nugget"])
        posterior = _core.GpPosterior(kernel, mean, array, target, noise, threads_of(self.threads))
        self._keep(kernel, learned)
        self._keep_inputs(X, array)
        self.X_train_, self.y_train_, self.noise_train_, self.mean_ = array, target, noise, mean
        self.noise_variance_: Union[float, FloatArray] = float(noise[0]) if len(noise) and np.all(noise == noise[0]) else noise
        self._posterior, self.log_marginal_likelihood_ = posterior, posterior.log_marginal_likelihood
        return self

    def _belief(self) -> "_core.GpPosterior":
        if not hasattr(self, "_posterior"):
            self._posterior = _core.GpPosterior(
                self._core_kernel(), self.mean_, self.X_train_, self.y_train_, self.noise_train_, threads_of(self.threads)
            )
        return self._posterior

    def add(self, X: ArrayLike, y: Any, noise_variance: Any = None) -> "GPRegressor":
        """One more answer, or some, for O(n^2) each; hyperparameters stay as they are.

        X: one point, or one per row; columns of a frame are found by their names. noise_variance: by default as learned or given.
        """
        array = self._more_inputs(X)
        target = values(np.atleast_1d(floats(y, "y")), len(array))
        if noise_variance is None:
            if np.ndim(self.noise_variance_) != 0:
                raise ValueError("noise_variance is left out and differs between answers, must be given")
            noise_variance = self.noise_variance_
        noise = per_point(noise_variance, len(array), "noise_variance", 0.0, _LARGEST, "finite, 0 or more")
        self._posterior = self._belief().given(array, target, noise)
        self.X_train_ = np.concatenate([self.X_train_, array])
        self.y_train_ = np.concatenate([self.y_train_, target])
        self.noise_train_ = np.concatenate([self.noise_train_, noise])
        self.log_marginal_likelihood_ = self._posterior.log_marginal_likelihood
        return self

    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[False] = False, return_cov: Literal[False] = False, include_noise: bool = False
    ) -> FloatArray: ...

    @overload
    def predict(
        self, X: ArrayLike, return_std: bool = False, return_cov: bool = False, include_noise: bool = False
    ) -> Any: ...

    def predict(
        self, X: ArrayLike, return_std: bool = False, return_cov: bool = False, include_noise: bool = False
    ) -> Any:
        """The mean of f at every row of X; with its standard deviation, or with the covariance matrix.

        include_noise: of an answer instead of f, with noise_variance_, which must then be one for all.
        """
        if return_std and return_cov:
            raise ValueError("return_std and return_cov are both asked for, must be one of them")
        array = self._see_inputs(X)
        noise = self._answer_noise() if include_noise else 0.0
        if return_std:
            mean, variance = self._belief().predict(array, threads_of(self.threads))
            return mean, np.sqrt(variance + noise)
        mean = self._belief().mean(array)
        return (mean, self._belief().covariance(array, array) + noise * np.eye(len(array))) if return_cov else mean

    def _answer_noise(self) -> float:
        if np.ndim(self.noise_variance_) != 0:
            raise ValueError("include_noise is True and noise_variance differs between answers, must be one for all")
        return float(self.noise_variance_)

    def log_density(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """The logarithm of the predictive density of an answer `y` at every row of X."""
        mean, sd = self.predict(X, return_std=True, include_noise=True)
        z = (values(y, len(mean)) - mean) / sd
        density: FloatArray = -0.5 * z**2 - np.log(sd) - 0.5 * np.log(2.0 * np.pi)
        return density

    def crps(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """The continuous ranked probability score of the prediction of `y` at every row of X; smaller is better."""
        mean, sd = self.predict(X, return_std=True, include_noise=True)
        z = (values(y, len(mean)) - mean) / sd
        density = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        score: FloatArray = sd * (z * (2.0 * np.exp(_core.numerics.normal_log_cdf(z)) - 1.0) + 2.0 * density - 1.0 / np.sqrt(np.pi))
        return score

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = 0) -> FloatArray:
        """Draws of f at the rows of X, jointly: one column each."""
        array = self._see_inputs(X)
        count = whole(n_samples, "n_samples", 1, max(1, _MOST_DRAWS // len(array)))
        mean, covariance = self._belief().mean(array), self._belief().covariance(array, array)
        eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
        draws = generator(random_state).standard_normal((len(array), count))
        drawn: FloatArray = mean[:, None] + (vectors * np.sqrt(np.maximum(eigenvalues, 0.0))) @ draws
        return drawn

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Any = None) -> float:
        """The coefficient of determination R^2 of the mean."""
        predicted = self.predict(X)
        target = values(one_column(y), len(predicted))
        weight = weights_of(sample_weight, len(target))
        centre = np.average(target, weights=weight)
        spread = float(np.sum(weight * (target - centre) ** 2))
        error = float(np.sum(weight * (target - predicted) ** 2))
        if spread == 0.0:
            return 1.0 if error == 0.0 else 0.0
        return 1.0 - error / spread

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": True}
