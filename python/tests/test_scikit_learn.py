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


def test_tags_are_what_scikit_learn_1_6_and_later_ask_for(monkeypatch):
    """Where scikit-learn is older, its classes are stood in for by dictionaries."""
    import sklearn.utils

    for name in ("Tags", "TargetTags", "ClassifierTags", "RegressorTags", "InputTags"):
        if not hasattr(sklearn.utils, name):
            monkeypatch.setattr(sklearn.utils, name, lambda **fields: dict(fields), raising=False)
    for estimator, kind in ((acuity.GPRegressor(), "regressor"), (acuity.GPClassifier(), "classifier")):
        tags = estimator.__sklearn_tags__()
        tags = tags if isinstance(tags, dict) else vars(tags)
        assert tags["estimator_type"] == kind
        assert (tags["classifier_tags"] is not None) == (kind == "classifier") != (tags["regressor_tags"] is not None)


def test_estimators_work_where_scikit_learn_asks_what_they_are():
    import numpy as np
    from sklearn.base import is_classifier, is_regressor
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.linspace(0, 6, 30)[:, None]
    y = np.sin(X[:, 0])
    model = acuity.GPRegressor(optimiser=None, noise_variance=0.01)
    assert is_regressor(model) and not is_classifier(model) and is_classifier(acuity.GPClassifier())
    assert np.isfinite(cross_val_score(make_pipeline(StandardScaler(), model), X, y)).all()
    assert GridSearchCV(model, {"lengthscale": [0.01, 1.0]}).fit(X, y).best_params_ == {"lengthscale": 1.0}
