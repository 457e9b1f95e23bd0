"""What the two models share: a kernel whose parameters may be learned."""

from __future__ import annotations

from typing import Any, Literal, Optional, cast

import numpy as np

from . import _core
from ._arrays import FloatArray, choice, seed_of, threads_of, whole
from ._estimator import Estimator
from .kernels import KernelLike, KernelName, core_kernel


OptimiserName = Literal["lbfgs", "adam"]
PriorName = Literal["weak", "none"]


class KernelModel(Estimator):
    """An estimator with a kernel, as given and as learned."""

    kernel: KernelLike
    amplitude: float
    lengthscale: Any
    amplitude_: float
    lengthscale_: Any  # a number, or one per input
    optimiser: Optional[OptimiserName]
    prior: PriorName
    restarts: int
    random_state: Any
    threads: int

    def _prior_kernel(self, inputs: int) -> "_core.Kernel":
        """The kernel as it was given."""
        return core_kernel(self.kernel, self.amplitude, self.lengthscale, inputs)

    def _kernel_to_fit(self, array: FloatArray) -> "_core.Kernel":
        """The kernel as it was given; one of the user's own shows first that it has variances."""
        kernel = self._prior_kernel(array.shape[1])
        if kernel.object is not None:
            kernel.diagonal(array)
        return kernel

    def _core_kernel(self) -> "_core.Kernel":
        """The kernel as it was learned."""
        if hasattr(self, "kernel_"):
            return core_kernel(self.kernel_, 1.0, 1.0, self.n_features_in_)
        # The family and the number of length scales are those of the last fit(), also after set_params().
        start = core_kernel(cast(KernelName, self._family), 1.0, np.ones(len(self._log_parameters) - 1), self.n_features_in_)
        return start.with_log_parameters(self._log_parameters)

    def _learning(self) -> dict[str, Any]:
        """How to learn, as the core takes it."""
        if not isinstance(self.optimiser, str) or self.optimiser not in ("lbfgs", "adam"):
            raise ValueError(f'optimiser is {self.optimiser!r}, must be "lbfgs", "adam" or None')
        prior = choice(self.prior, "prior", ("weak", "none"))
        return {
            "optimiser": self.optimiser,
            "prior": prior,
            "restarts": whole(self.restarts, "restarts", 0, 1000),
            "seed": seed_of(self.random_state),
            "threads": threads_of(self.threads),
        }

    def _keep(self, kernel: "_core.Kernel", learned: Optional[dict[str, Any]]) -> None:
        """What fit() found; the belief is made when it is needed."""
        self.__dict__.pop("_posterior", None)
        self.__dict__.pop("kernel_", None)
        self._log_parameters = np.asarray(kernel.log_parameters())
        if learned is not None:
            self.learning_ = {key: learned[key] for key in ("iterations", "evaluations", "converged", "reason")}
        if kernel.object is not None:
            self.kernel_ = kernel.object
            return
        self._family = str(self.kernel)
        parameters = np.exp(self._log_parameters)
        self.amplitude_ = float(parameters[0])
        self.lengthscale_ = float(parameters[1]) if np.ndim(self.lengthscale) == 0 and len(parameters) == 2 else parameters[1:]
