"""Groups of what `create` takes: small objects that print themselves and go where their keywords would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Optional, Union, cast

from ._arrays import shown
from ._kernel_model import OptimiserName, PriorName
from .kernels import KernelName


class Group:
    """Keys that belong together; those that are None are left out, as in a study file without them."""

    def to_dict(self) -> dict[str, Any]:
        """The keys that were given."""
        given = {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}
        return {name: value for name, value in given.items() if value is not None}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"


@dataclass(frozen=True, repr=False)
class Model(Group):
    """What is believed of f, and how it is learned; see [model] in docs/study-file.md.

    >>> Model(kernel="rbf", fit="every")
    Model(kernel='rbf', fit='every')
    """

    kernel: Optional[KernelName] = None
    amplitude: Any = None
    lengthscale: Any = None
    mean: Any = None
    noise_variance: Any = None
    nugget: Any = None
    standardise: Union[None, bool, str] = None
    fit: Any = None
    prior: Optional[PriorName] = None
    average: Optional[int] = None
    structure: Union[None, str, list[str]] = None
    optimiser: Optional[OptimiserName] = None
    restarts: Optional[int] = None
    fit_noise: Optional[bool] = None


@dataclass(frozen=True, repr=False)
class Stop(Group):
    """When a campaign ends before its budget is spent; see [stop] in docs/study-file.md.

    >>> Stop(typical_error=0.05)
    Stop(typical_error=0.05)
    """

    information_per_cost: Optional[float] = None
    predictive_sd: Optional[float] = None
    typical_error: Optional[float] = None
    uncertain_share: Optional[float] = None
    wrong_share: Optional[float] = None
    expected_regret: Optional[float] = None
    wall_clock: Union[None, float, str] = None


@dataclass(frozen=True, repr=False)
class People(Group):
    """Classes that several people give to the same items; see [people] in docs/study-file.md.

    >>> People(question="Is this claim fraudulent?", max_per_item=3)
    People(max_per_item=3, question='Is this claim fraudulent?')
    """

    max_per_item: Optional[int] = None
    gold: Optional[str] = None
    gold_rate: Optional[float] = None
    least_worth: Optional[float] = None
    question: Optional[str] = None
    instructions: Optional[str] = None



def keys_of(given: Any, what: str) -> dict[str, Any]:
    """A group, or a dictionary like it."""
    if isinstance(given, Group):
        return given.to_dict()
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} is {shown(given)}, must be a dictionary or acuity.{what.capitalize()}(...)")
    return dict(given)


def with_model(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of create() with those of `model` in their places."""
    rest = {key: value for key, value in given.items() if key != "model"}
    if given["model"] is None:
        return rest
    known = [field.name for field in fields(Model)]
    for key, value in keys_of(given["model"], "model").items():
        if key not in known:
            raise ValueError(f"model has {key!r}, must be of {', '.join(known)}")
        if rest[key] is not None and rest[key] is not False:
            raise ValueError(f"{key} is given and model has {key}={value!r}, must be one of them")
        rest[key] = value
    return rest
