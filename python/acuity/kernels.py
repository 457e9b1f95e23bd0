"""Covariances: the three built in by name, and your own in Python.

A kernel of your own is a function ``k(a, b)`` that gives the covariances of every row of ``a`` with every row of ``b``, or
a class derived from :class:`Kernel` if it has parameters to be learned. Kernel objects of scikit-learn are kernels, too. A kernel is called with whole blocks of points, so
NumPy does the work; what it costs beside a built-in kernel is in docs/python.md.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Union

import numpy as np

from . import _core
from ._arrays import FloatArray, floats, number, shown
from .errors import warn_caller

KERNELS = ("rbf", "matern32", "matern52")
KernelName = Literal["rbf", "matern32", "matern52"]


class Kernel:
    """A prior covariance written in Python. Derive from it and write ``covariance``.

    Parameters are positive and seen through their logarithms. Write ``log_parameters`` and ``with_log_parameters`` to have
    them learned, and ``weighted_gradient`` if differences of covariances are too slow or too inaccurate.

    >>> import numpy as np
    >>> class Linear(Kernel):
    ...     def covariance(self, a, b):
    ...         return 1.0 + a @ b.T
    >>> import acuity
    >>> model = acuity.GPRegressor(kernel=Linear(), noise_variance=0.01, optimiser=None)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[4.0]]).round(1)
    array([9.])
    """

    def covariance(self, a: FloatArray, b: FloatArray) -> Any:
        """k(a_i, b_j), one row per point of ``a`` and one column per point of ``b``."""
        raise NotImplementedError(f"{type(self).__name__} has no covariance(a, b), must have one")

    def diagonal(self, x: FloatArray) -> Any:
        """k(x_i, x_i). As it is here it costs a small covariance matrix for every 64 points."""
        blocks = [np.diagonal(np.asarray(self.covariance(x[i : i + 64], x[i : i + 64]))) for i in range(0, len(x), 64)]
        return np.concatenate(blocks) if blocks else np.empty(0)

    def log_parameters(self) -> Any:
        """The logarithms of what can be learned; nothing, as it is here."""
        return np.empty(0)

    def with_log_parameters(self, log_parameters: FloatArray) -> "Kernel":
        """A copy of the kernel with these parameters."""
        if len(log_parameters) == 0:
            return self
        raise NotImplementedError(f"{type(self).__name__} has log_parameters(), must have with_log_parameters(), too")

    def weighted_gradient(self, x: FloatArray, weights: FloatArray) -> Any:
        """sum over i, j of weights[i, j] * dk(x_i, x_j)/d log theta, for each parameter; by differences, as it is here."""
        at = np.asarray(self.log_parameters(), dtype=float)
        step = 1e-5
        gradient = np.empty(len(at))
        for i in range(len(at)):
            shift = np.zeros(len(at))
            shift[i] = step
            above = np.asarray(self.with_log_parameters(at + shift).covariance(x, x))
            below = np.asarray(self.with_log_parameters(at - shift).covariance(x, x))
            gradient[i] = np.sum(weights * (above - below)) / (2.0 * step)
        return gradient


class FunctionKernel(Kernel):
    """A function ``k(a, b)`` as a kernel without parameters."""

    def __init__(self, function: Callable[[FloatArray, FloatArray], Any]) -> None:
        self.function = function

    def covariance(self, a: FloatArray, b: FloatArray) -> Any:
        return self.function(a, b)


class ScikitLearnKernel(Kernel):
    """A kernel object of scikit-learn: its hyperparameters that are not "fixed" are learned, without its bounds."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.kernel!r})"

    def covariance(self, a: FloatArray, b: FloatArray) -> Any:
        return self.kernel(a, b)

    def diagonal(self, x: FloatArray) -> Any:
        return self.kernel.diag(x)

    def log_parameters(self) -> Any:
        return self.kernel.theta

    def with_log_parameters(self, log_parameters: FloatArray) -> "ScikitLearnKernel":
        return ScikitLearnKernel(self.kernel.clone_with_theta(np.array(log_parameters)))

    def weighted_gradient(self, x: FloatArray, weights: FloatArray) -> Any:
        return np.einsum("ij,ijk->k", weights, self.kernel(x, eval_gradient=True)[1])


def _of_scikit_learn(kernel: Any) -> ScikitLearnKernel:
    parts = [kernel]
    while parts:
        part = parts.pop()
        if type(part).__name__ == "WhiteKernel":
            raise ValueError(
                f"kernel is {shown(kernel)}, which has a WhiteKernel, must be without: noise is given or learned by noise_variance"
            )
        parts += [getattr(part, name) for name in ("k1", "k2", "kernel") if hasattr(part, name)]
        parts += list(getattr(part, "kernels", []))
    return ScikitLearnKernel(kernel)


KernelLike = Union[KernelName, Kernel, Callable[[FloatArray, FloatArray], Any]]


def core_kernel(kernel: KernelLike, amplitude: Any, lengthscale: Any, inputs: int) -> "_core.Kernel":
    """The kernel that the core computes with."""
    if not isinstance(kernel, str) and callable(kernel) or isinstance(kernel, Kernel):
        for name, value in (("amplitude", amplitude), ("lengthscale", lengthscale)):
            if np.ndim(value) != 0 or value != 1.0:
                warn_caller(f"{name} is {shown(value)} and is not used: the kernel is one of your own, with its own parameters", UserWarning)
    if isinstance(kernel, Kernel):
        return _core.python_kernel(kernel)
    if all(hasattr(kernel, name) for name in ("theta", "clone_with_theta", "diag")):
        return _core.python_kernel(_of_scikit_learn(kernel))
    if callable(kernel):
        return _core.python_kernel(FunctionKernel(kernel))
    if not isinstance(kernel, str) or kernel not in KERNELS:
        words = ", ".join(f'"{word}"' for word in KERNELS)
        raise ValueError(f"kernel is {shown(kernel)}, must be one of {words}, a function k(a, b) or an acuity.Kernel")
    tiny, largest = float(np.finfo(float).tiny), float(np.finfo(float).max)
    scale = number(amplitude, "amplitude", tiny, largest, "a finite number above 0")
    lengths = np.atleast_1d(floats(lengthscale, "lengthscale"))
    if lengths.ndim != 1 or len(lengths) not in (1, inputs):
        raise ValueError(f"lengthscale has the shape {lengths.shape}, must be one number or {inputs}, one per input")
    for length in lengths:
        number(float(length), "lengthscale", tiny, largest, "finite and above 0")
    return _core.stationary_kernel(kernel, scale, np.ascontiguousarray(lengths))
