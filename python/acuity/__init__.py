"""Decides which input to annotate next and how precisely, at what cost, with Gaussian processes.

Models with the interface of scikit-learn (`GPRegressor`, `GPClassifier`), what an answer is worth (`information`, `costs`), the
choice (`select`, `Selector`, `query`) and campaigns that survive crashes (`create`, `open`, and
`connect` for one that `acuity serve` serves). docs/python.md has the tour.
"""

from . import costs, errors, kernels, levels, plot
from ._campaign import Campaign
from ._connect import RemoteCampaign, RemoteSuggestion, connect
from ._core import Suggestion, instruction_set
from ._core import version as __version__
from ._create import create, open, open_or_create
from ._html import table_html
from ._information import information
from ._model import CampaignModel
from ._options import Model, People, Stop
from ._prediction import Prediction
from ._results import Check, Explanation, Told
from ._selection import Selector, query, select
from .classifier import GPClassifier
from .errors import (
    AskError,
    DamagedError,
    DifferentStudyError,
    Finished,
    NothingNow,
    NumericalError,
    OwnedError,
    Stopped,
    StoreError,
    UnexpectedAnswerWarning,
)
from .kernels import Kernel
from .levels import Ladder, Level
from .regressor import GPRegressor

setattr(Suggestion, "_repr_html_", lambda self: table_html(f"Suggestion {self.id}", self.to_dict()))

__all__ = [
    "AskError",
    "Campaign",
    "CampaignModel",
    "Check",
    "Prediction",
    "DamagedError",
    "DifferentStudyError",
    "Explanation",
    "Finished",
    "GPClassifier",
    "GPRegressor",
    "Kernel",
    "Ladder",
    "Level",
    "Model",
    "NothingNow",
    "NumericalError",
    "OwnedError",
    "People",
    "RemoteCampaign",
    "RemoteSuggestion",
    "Selector",
    "Stop",
    "Stopped",
    "StoreError",
    "Suggestion",
    "Told",
    "UnexpectedAnswerWarning",
    "__version__",
    "connect",
    "costs",
    "create",
    "errors",
    "information",
    "instruction_set",
    "kernels",
    "levels",
    "open",
    "open_or_create",
    "plot",
    "query",
    "select",
]
