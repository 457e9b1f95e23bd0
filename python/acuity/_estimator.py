"""The interface that scikit-learn expects of an estimator, without needing scikit-learn."""

from __future__ import annotations

import importlib
import inspect
import sys
import warnings
from typing import Any, Optional, TypeVar

import numpy as np

from ._arrays import FloatArray, as_array, column_names, floats, per_point, points, shown, whole
from ._frames import names_of, point_by_name, points_by_name
from ._html import table_html
from ._spelling import hint_on, with_hints

Self = TypeVar("Self", bound="Estimator")


class NotFittedError(ValueError, AttributeError):
    """The estimator was used before ``fit``."""


def _sklearn(name: str, otherwise: Any) -> Any:
    """The class of scikit-learn if that is imported already, so that `except` clauses for it catch ours."""
    module = sys.modules.get("sklearn.exceptions")
    return getattr(module, name, otherwise) if module is not None else otherwise


class Estimator:
    """Parameters by name, cloning and pickling."""

    n_features_in_: int
    _estimator_type: str

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:
            setattr(cls, "__init__", with_hints(cls.__init__))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn 1.6 and later ask an estimator about itself; earlier ones read `_estimator_type` and `_more_tags`."""
        theirs = importlib.import_module("sklearn.utils")
        is_classifier = self._estimator_type == "classifier"
        return theirs.Tags(
            estimator_type=self._estimator_type,
            target_tags=theirs.TargetTags(required=True),
            classifier_tags=theirs.ClassifierTags(multi_class=False) if is_classifier else None,
            regressor_tags=None if is_classifier else theirs.RegressorTags(),
            input_tags=theirs.InputTags(),
        )

    @classmethod
    def _parameter_names(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters
        return sorted(name for name in parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: Self, **parameters: Any) -> Self:
        """Sets parameters; they are used from the next ``fit`` on."""
        names = self._parameter_names()
        for name in parameters:
            if name not in names:
                raise ValueError(
                    f"{name!r} is no parameter of {type(self).__name__}{hint_on(name, names)}, must be one of {', '.join(names)}"
                )
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = []
        for name in defaults:
            if name == "self":
                continue
            value, default = getattr(self, name), defaults[name].default
            if repr(value) != repr(default):
                given.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        learned = ("classes_", "amplitude_", "lengthscale_", "noise_variance_", "kernel_", "log_marginal_likelihood_")
        rows = {name: getattr(self, name) for name in learned if hasattr(self, name)}
        return table_html(repr(self), rows if self.__sklearn_is_fitted__() else {"fitted": "not yet"})

    def __getstate__(self) -> dict[str, Any]:
        # The posterior is a value of its observations: it is made again, bit for bit, when it is needed.
        state = {name: value for name, value in self.__dict__.items() if name != "_posterior"}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise _sklearn("NotFittedError", NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )

    def _take_inputs(self, X: Any) -> FloatArray:
        """The inputs to fit to, as they are now: the caller may change them."""
        return np.array(points(X))

    def _keep_inputs(self, X: Any, array: FloatArray) -> None:
        """Stores the number and the names of the inputs after a successful fit."""
        names = column_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = array.shape[1]

    def _see_inputs(self, X: Any) -> FloatArray:
        """Inputs to predict at, which must be like those fitted to."""
        self._require_fitted()
        names, fitted = column_names(X), getattr(self, "feature_names_in_", None)
        if fitted is not None and names is not None and list(names) != list(fitted):
            raise ValueError(
                f"The feature names should match those that were passed during fit: found {', '.join(names)}, must be "
                f"{', '.join(fitted)}"
            )
        array = points(X)
        if array.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {array.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        return array

    def _more_inputs(self, X: Any) -> FloatArray:
        """One more point, or one per row; with names, if the fit had them, in any order."""
        self._require_fitted()
        fitted = getattr(self, "feature_names_in_", None)
        if names_of(X) is not None:
            return points_by_name(X, None if fitted is None else list(fitted), inputs=self.n_features_in_)
        if fitted is not None and hasattr(X, "to_dict"):  # a row of a frame
            return points([point_by_name(X, list(fitted), "X")], inputs=self.n_features_in_)
        array = floats(X, "X")
        return points(array[None, :] if array.ndim == 1 else array, inputs=self.n_features_in_)


def warn_of_convergence(problem: str) -> None:
    """Warns if expectation propagation has not converged; `problem` is the core's sentence, empty otherwise."""
    if problem:
        warnings.warn(problem, _sklearn("ConvergenceWarning", RuntimeWarning), stacklevel=3)


def one_column(y: Any) -> Any:
    """A target of one column is taken as a list, with a warning, as scikit-learn does."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    array = as_array(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.",
            _sklearn("DataConversionWarning", UserWarning),
            stacklevel=3,
        )
        return array.ravel()
    return y


def weights_of(sample_weight: Any, count: int) -> FloatArray:
    """How much every point counts in a score."""
    if sample_weight is None:
        return np.ones(count)
    weights = per_point(sample_weight, count, "sample_weight", 0.0, float(np.finfo(float).max), "finite, 0 or more")
    if not 0.0 < float(weights.sum()) < np.inf:
        raise ValueError(f"sample_weight has the sum {weights.sum()}, must be a finite number above 0")
    return weights


def generator(random_state: Any) -> np.random.Generator | np.random.RandomState:
    """Random numbers from what scikit-learn calls a random state."""
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, (int, np.integer)):
        return np.random.RandomState(whole(random_state, "random_state", 0, 2**32 - 1))
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return random_state
    raise ValueError(f"random_state is {shown(random_state)}, must be None, a whole number or a numpy generator")


def joined(a: Optional[FloatArray], b: FloatArray) -> FloatArray:
    """One after the other."""
    return b if a is None else np.concatenate([a, b])
