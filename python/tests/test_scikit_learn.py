"""scikit-learn's own checks of an estimator, every one of them."""

import pytest
from sizes import THOROUGH

import acuity

checks = pytest.importorskip("sklearn.utils.estimator_checks")

# Fewer restarts, because the checks fit some hundred times.
ESTIMATORS = [acuity.GPRegressor(restarts=0), acuity.GPClassifier(restarts=0)]


def name_of(part):
    return getattr(getattr(part, "func", None), "__name__", type(part).__name__)


# Nothing is left out: of what scikit-learn generates for a regressor and a binary classifier, all applies. ./run-tests takes every
# sixth of the checks.
PAIRS = [pair for e in ESTIMATORS for pair in checks.check_estimator(e, generate_only=True)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", PAIRS if THOROUGH else PAIRS[::6], ids=name_of)
def test_check_estimator(estimator, check):
    check(estimator)
