"""What one answer tells, in nats (numbers) or bits (classes)."""

from __future__ import annotations

from typing import Any, Literal, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._arrays import choice, floats


def _arrays(**given: Any) -> tuple[list[Any], tuple[int, ...]]:
    arrays = [floats(value, name) for name, value in given.items()]
    try:
        together = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(given, arrays))
        raise ValueError(f"the shapes {shapes} cannot be combined, must be the same or single numbers") from None
    for (name, _), array in zip(given.items(), together):
        if np.isnan(array).any():
            raise ValueError(f"{name} has NaN, must be numbers")
        if name not in ("mean",) and (array < 0.0).any():
            raise ValueError(f"{name} is {array[array < 0.0].flat[0]}, must be 0 or more")
    return [np.ascontiguousarray(array.ravel()) for array in together], together[0].shape


def information(
    kind: Literal["model", "target", "bald"] = "model",
    graph: Literal["b", "c"] = "c",
    *,
    variance: ArrayLike,
    noise_variance: Optional[ArrayLike] = None,
    target_variance: Optional[ArrayLike] = None,
    mean: Optional[ArrayLike] = None,
    accuracy: Optional[ArrayLike] = None,
    target_accuracy: ArrayLike = 1.0,
    approximation: Literal["exact", "taylor"] = "exact",
) -> Any:
    """Mutual information between one answer and the model, or the target; arrays in, arrays out.

    Numbers, in nats: `variance` of the belief about f, `noise_variance` of the answer, all of it. Classes, in bits: `mean`
    and `variance` of the belief about the latent f, `accuracy` of the answer.

    kind: "model", MI(answer; f), which at the highest precision is "bald"; "target", MI(answer; Y), Y being an answer
    with noise `target_variance`, or of `target_accuracy`. graph: "b", the answer is a noisy copy of Y; "c", both come from
    f independently. approximation: "exact", or "taylor", the paper's, for classes and "model".

    >>> float(information("model", variance=1.0, noise_variance=1.0).round(6))
    0.346574
    >>> information(mean=[0.0, 2.0], variance=[1.0, 0.1], accuracy=0.9).round(3).tolist()
    [0.166, 0.002]
    """
    choice(kind, "kind", ("model", "target", "bald"))
    choice(graph, "graph", ("b", "c"))
    choice(approximation, "approximation", ("exact", "taylor"))
    if (mean is None) != (accuracy is None):
        raise ValueError("mean and accuracy go together, must both be given (classes) or neither (numbers)")
    if mean is not None:
        (m, v, right, top), shape = _arrays(mean=mean, variance=variance, accuracy=accuracy, target_accuracy=target_accuracy)
        if noise_variance is not None or target_variance is not None:
            raise ValueError("noise_variance is for numbers, accuracy for classes, must be one of them")
        if kind == "target":
            result = _core.class_target_information(graph == "b", m, v, right, top)
        else:
            result = _core.class_model_information(approximation == "taylor", m, v, right)
        return result.reshape(shape)
    if approximation != "exact":
        raise ValueError('approximation is "taylor", must be "exact" for numbers, which need no approximation')
    if noise_variance is None:
        raise ValueError("noise_variance is missing, must be given (or mean and accuracy, for classes)")
    if kind != "target":
        (v, noise), shape = _arrays(variance=variance, noise_variance=noise_variance)
        return _core.model_information(v, noise).reshape(shape)
    if target_variance is None:
        raise ValueError('target_variance is missing, must be given with kind "target": the noise variance of Y')
    (v, noise, base), shape = _arrays(variance=variance, noise_variance=noise_variance, target_variance=target_variance)
    if (noise < base).any():
        raise ValueError("noise_variance is below target_variance, must not be: Y is an answer of the highest precision")
    return _core.target_information(graph == "b", v, base, noise - base).reshape(shape)
