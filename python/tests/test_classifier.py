"""GPClassifier: what must be true of any belief about classes, and what people pass to it."""

import pickle

import numpy as np
import pytest

import acuity
from acuity import GPClassifier
from twins import rbf

special = pytest.importorskip("scipy.special")

AT = np.linspace(-4.0, 4.0, 17)[:, None]


def problem(count=30, seed=0, right=0.85):
    """Points, labels of -1 and 1 some of which are wrong, and how probably each is right."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-3.0, 3.0, (count, 1))
    accuracy = draw.uniform(right, 1.0, count)
    clean = np.where(special.ndtr(2.0 * np.sin(X[:, 0])) > draw.uniform(size=count), 1, -1)
    return X, np.where(draw.uniform(size=count) < accuracy, clean, -clean), accuracy


def fitted(**parameters):
    X, y, accuracy = problem()
    return GPClassifier(optimiser=None, **parameters).fit(X, y, accuracy=accuracy)


def by_quadrature(X, y, accuracy, at, amplitude=1.0):
    """The exact belief about f given two labels, on a grid: P(label) = (2 w - 1) Phi(y f) + 1 - w."""
    grid, step = np.linspace(-7.0, 7.0, 281, retstep=True)
    one, two = np.meshgrid(grid, grid, indexing="ij")
    weight = np.ones_like(one)
    for value, label, right in zip((one, two), y, accuracy):
        weight = weight * ((2 * right - 1) * special.ndtr(label * value) + 1 - right)
    prior = rbf(X, X, amplitude)
    inverse = np.linalg.inv(prior)
    exponent = inverse[0, 0] * one**2 + 2 * inverse[0, 1] * one * two + inverse[1, 1] * two**2
    weight = weight * np.exp(-0.5 * exponent) / (2 * np.pi * np.sqrt(np.linalg.det(prior)))
    evidence = weight.sum() * step**2
    weight = weight * step**2 / evidence
    across = rbf(at, X, amplitude) @ inverse
    means = across @ np.stack([one.ravel(), two.ravel()])
    mean = means @ weight.ravel()
    left = np.diag(rbf(at, at, amplitude)) - np.sum(across * rbf(at, X, amplitude), axis=1)
    return mean, left + (means - mean[:, None]) ** 2 @ weight.ravel(), np.log(evidence)


@pytest.mark.parametrize("labels, accuracy", [((1, 1), (1.0, 1.0)), ((1, -1), (0.9, 1.0)), ((-1, 1), (0.7, 0.95))])
def test_is_close_to_the_exact_belief(labels, accuracy):
    X = np.array([[0.0], [0.8]])
    kernel = acuity._core.stationary_kernel("rbf", 1.0, np.ones(1))
    posterior = acuity._core.EpPosterior(kernel, X, np.array(labels, float), np.array(accuracy))
    mean, variance, evidence = by_quadrature(X, labels, accuracy, AT)
    # Expectation propagation is an approximation, a good one for two labels.
    np.testing.assert_allclose(posterior.predict(AT)[0], mean, atol=0.02)
    np.testing.assert_allclose(posterior.predict(AT)[1], variance, atol=0.02)
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.01)


def test_shows_what_the_core_computes():
    X, y, accuracy = problem()
    model = fitted(amplitude=1.5, lengthscale=0.8)
    core = acuity._core.EpPosterior(
        acuity._core.stationary_kernel("rbf", 1.5, np.array([0.8])), X, y.astype(float), accuracy
    )
    for a, b in zip(model.latent(AT), core.predict(AT)):
        np.testing.assert_allclose(a, b, atol=1e-12)
    mean, variance = core.predict(AT)
    np.testing.assert_allclose(model.decision_function(AT), mean / np.sqrt(1.0 + variance), atol=1e-12)
    assert model.log_marginal_likelihood_ == core.log_evidence


def test_probabilities_are_those_of_the_latent_belief():
    model = fitted()
    mean, variance = model.latent(AT)
    positive = special.ndtr(mean / np.sqrt(1.0 + variance))
    np.testing.assert_allclose(model.predict_proba(AT), np.column_stack([1.0 - positive, positive]), atol=1e-12)
    np.testing.assert_array_equal(model.predict(AT), np.where(mean > 0, 1, -1))
    np.testing.assert_array_equal(model.predict(AT), model.classes_[model.predict_proba(AT).argmax(axis=1)])


def test_is_the_mirror_image_for_the_other_labels():
    X, y, accuracy = problem()
    a = GPClassifier(optimiser=None).fit(X, y, accuracy=accuracy)
    b = GPClassifier(optimiser=None).fit(X, -y, accuracy=accuracy)
    np.testing.assert_allclose(a.latent(AT)[0], -b.latent(AT)[0], atol=1e-8)
    np.testing.assert_allclose(a.latent(AT)[1], b.latent(AT)[1], atol=1e-8)


def test_labels_of_a_coin_say_nothing():
    X, y, _ = problem()
    mean, variance = GPClassifier(optimiser=None).fit(X, y, accuracy=0.5).latent(AT)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(variance, 1.0, atol=1e-12)
    both = GPClassifier(optimiser=None).fit(np.concatenate([X, AT]), np.r_[y, np.ones(17)], accuracy=np.r_[np.ones(30), [0.5] * 17])
    alone = GPClassifier(optimiser=None).fit(X, y)
    np.testing.assert_allclose(both.latent(AT)[0], alone.latent(AT)[0], atol=1e-6)


def test_sharper_labels_say_more():
    X, y, _ = problem(seed=3, right=1.0)
    spreads = [np.mean(GPClassifier(optimiser=None).fit(X, y, accuracy=a).latent(X)[1]) for a in (0.6, 0.8, 0.99)]
    assert spreads[0] > spreads[1] > spreads[2]


@pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
def test_learned_hyperparameters_are_more_probable_than_given_ones(optimiser):
    X, y, accuracy = problem(60)
    given = GPClassifier(amplitude=0.3, lengthscale=8.0, optimiser=None).fit(X, y, accuracy=accuracy)
    learned = GPClassifier(amplitude=0.3, lengthscale=8.0, optimiser=optimiser).fit(X, y, accuracy=accuracy)
    assert learned.log_marginal_likelihood_ > given.log_marginal_likelihood_ + 0.5
    kept = GPClassifier(amplitude=learned.amplitude_, lengthscale=learned.lengthscale_, optimiser=None)
    assert kept.fit(X, y, accuracy=accuracy).log_marginal_likelihood_ == pytest.approx(learned.log_marginal_likelihood_, abs=1e-5)


def test_fifty_additions_are_one_fit():
    X, y, accuracy = problem(60)
    X[40] = X[39]
    grown = GPClassifier(optimiser=None).fit(X[:10], y[:10], accuracy=accuracy[:10])
    for i in range(10, 55):
        grown.add(X[i], y[i], accuracy=accuracy[i])
    grown.add(X[55:], y[55:], accuracy=accuracy[55:])
    whole = GPClassifier(optimiser=None).fit(X, y, accuracy=accuracy)
    np.testing.assert_allclose(grown.latent(AT)[0], whole.latent(AT)[0], atol=1e-5)
    np.testing.assert_allclose(grown.latent(AT)[1], whole.latent(AT)[1], atol=1e-5)
    assert grown.log_marginal_likelihood_ == pytest.approx(whole.log_marginal_likelihood_, abs=1e-5)


def test_an_addition_that_is_refused_changes_nothing():
    model = fitted()
    before, evidence = model.predict_proba(AT), model.log_marginal_likelihood_
    for x, y, accuracy in [([1.0, 2.0], 1, 0.9), ([np.nan], 1, 0.9), ([1.0], 0, 0.9), ([1.0], None, 0.9), ([1.0], 1, 0.4),
                           ([1.0], 1, 1.1), ([1.0], [1, 1], 0.9), ([1.0], "1", 0.9), ([1.0], np.nan, 0.9)]:
        with pytest.raises(ValueError):
            model.add(x, y, accuracy=accuracy)
    np.testing.assert_array_equal(model.predict_proba(AT), before)
    assert model.log_marginal_likelihood_ == evidence and len(model.X_train_) == 30


@pytest.mark.parametrize(
    "low, high", [(0, 1), (False, True), ("no", "yes"), (2.0, 5.0), (np.int8(3), np.int8(4))], ids=str
)
def test_classes_are_called_what_they_are_called(low, high):
    X, y, accuracy = problem()
    plain = GPClassifier(optimiser=None).fit(X, y, accuracy=accuracy)
    named = GPClassifier(optimiser=None).fit(X, np.where(y > 0, high, low), accuracy=accuracy)
    assert named.classes_.tolist() == [low, high]
    np.testing.assert_array_equal(named.predict_proba(AT), plain.predict_proba(AT))
    np.testing.assert_array_equal(named.predict(AT), np.where(plain.predict(AT) > 0, high, low))
    assert named.score(X, np.where(y > 0, high, low)) == plain.score(X, y)
    assert len(named.add([0.0], high).y_train_) == 31 and named.y_train_[-1] == 1.0


def test_the_score_is_the_share_of_right_ones():
    model = fitted()
    X, y, _ = problem(50, seed=9)
    weights = np.random.default_rng(0).uniform(size=50)
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    assert model.score(X, y, sample_weight=weights) == pytest.approx(np.average(model.predict(X) == y, weights=weights))
    with pytest.raises(ValueError):
        model.score(X, y[:-1])
    with pytest.raises(ValueError):
        model.score(X, None)


def test_refuses_what_are_no_two_classes():
    X = [[0.0], [1.0], [2.0]]
    for y in ([0, 1, 2], [0, 0, 0], [0.5, 1.0, 1.0], [0.0, np.nan, 1.0], [0, 1], [[0, 1], [1, 0], [0, 1]], None, "abc",
              ["a", None, "b"], [None, 1, 1], [{}, 1, 1]):
        with pytest.raises((ValueError, TypeError)):
            GPClassifier(optimiser=None).fit(X, y)


def test_a_fit_that_fails_leaves_the_old_one():
    model = fitted()
    before = model.predict_proba(AT)
    for X, y, accuracy in [([[0.0], [1.0]], ["a", "b"], 0.2), ([[0.0], [1.0]], [3, 4], "x"), ([[0.0, 1.0]], [1], 1.0)]:
        with pytest.raises(ValueError):
            model.fit(X, y, accuracy=accuracy)
    np.testing.assert_array_equal(model.predict_proba(AT), before)
    assert model.classes_.tolist() == [-1, 1] and set(model.predict(AT)) <= {-1, 1}


def test_pickling_keeps_every_bit():
    X, y, accuracy = problem()
    model = GPClassifier(random_state=1).fit(X, y, accuracy=accuracy)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(AT), model.predict_proba(AT))
    np.testing.assert_array_equal(again.latent(AT)[1], model.latent(AT)[1])
    grown = model.add([0.3], 1, accuracy=0.8)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(grown)).latent(AT)[0], grown.latent(AT)[0], atol=1e-5)


def test_own_kernels_are_the_same_model():
    X, y, accuracy = problem()
    own = GPClassifier(lambda a, b: rbf(a, b, 1.2, 0.9), optimiser=None).fit(X, y, accuracy=accuracy)
    built_in = GPClassifier("rbf", 1.2, 0.9, optimiser=None).fit(X, y, accuracy=accuracy)
    np.testing.assert_allclose(own.latent(AT)[0], built_in.latent(AT)[0], atol=1e-8)
    np.testing.assert_allclose(own.predict_proba(AT), built_in.predict_proba(AT), atol=1e-8)


def test_results_do_not_depend_on_the_number_of_threads():
    X, y, accuracy = problem(50)
    one, two = (GPClassifier(threads=threads, restarts=2).fit(X, y, accuracy=accuracy) for threads in (1, 2))
    assert one.log_marginal_likelihood_ == two.log_marginal_likelihood_
    np.testing.assert_array_equal(one.predict_proba(AT), two.predict_proba(AT))


def test_takes_inputs_in_every_form():
    X, y, accuracy = problem()
    X = np.round(X * 8) / 8
    plain = GPClassifier(optimiser=None).fit(X, y, accuracy=accuracy)
    for form in (X.tolist(), X.astype(np.float32), np.asfortranarray(X), np.repeat(X, 3, axis=0)[::3], X.astype(object)):
        other = GPClassifier(optimiser=None).fit(form, y.tolist(), accuracy=accuracy.tolist())
        np.testing.assert_array_equal(other.predict_proba(form), plain.predict_proba(X))
    with pytest.warns(UserWarning, match="column-vector"):
        column = GPClassifier(optimiser=None).fit(X, y[:, None], accuracy=accuracy)
    np.testing.assert_array_equal(column.predict_proba(X), plain.predict_proba(X))


def test_takes_dataframes():
    pandas = pytest.importorskip("pandas")
    X, y, accuracy = problem()
    frame, labels = pandas.DataFrame(X, columns=["dose"]), pandas.Series(np.where(y > 0, "hit", "miss"), dtype="category")
    model = GPClassifier(optimiser=None).fit(frame, labels, accuracy=pandas.Series(accuracy))
    assert model.feature_names_in_.tolist() == ["dose"] and model.classes_.tolist() == ["hit", "miss"]
    assert model.score(frame, labels) > 0.7


def test_works_with_clone_pipelines_and_searches():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, _ = problem(60, right=1.0)
    model = GPClassifier(restarts=0)
    assert make_pipeline(StandardScaler(), clone(model)).fit(X, y).predict_proba(X).shape == (60, 2)
    search = GridSearchCV(GPClassifier(optimiser=None), {"lengthscale": [1e-4, 1.0]}, scoring="neg_log_loss", cv=3).fit(X, y)
    assert search.best_params_ == {"lengthscale": 1.0}
    assert CalibratedClassifierCV(GPClassifier(optimiser=None), cv=2).fit(X, y).predict(X).shape == (60,)


def test_says_that_it_is_not_fitted():
    for name in ("predict", "predict_proba", "latent", "decision_function"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(GPClassifier(), name)(AT)
    with pytest.raises(ValueError, match="not fitted"):
        GPClassifier().add([0.0], 1)


def test_warns_where_it_does_not_converge(monkeypatch):
    X, y, accuracy = problem()
    model = GPClassifier(optimiser=None).fit(X, y, accuracy=accuracy)
    assert model._belief().converged and model._belief().convergence_problem == ""

    class Stuck:
        log_evidence, convergence_problem = 0.0, "expectation propagation has not converged: and what to do"

        def __init__(self, *arguments, **named):
            pass

    monkeypatch.setattr(acuity._core, "EpPosterior", Stuck)
    with pytest.warns(Warning, match="has not converged: and what to do"):
        model.fit(X, y, accuracy=accuracy)
    with pytest.warns(Warning, match="has not converged: and what to do"):
        model.add(X[0], y[0], accuracy=0.9)


def test_logarithms_of_probabilities_are_finite_where_probabilities_are_not():
    model = fitted(amplitude=3.0)
    np.testing.assert_allclose(model.predict_log_proba(AT), np.log(model.predict_proba(AT)), atol=1e-9)
    far = GPClassifier(amplitude=1e6, optimiser=None).fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    assert np.isfinite(far.predict_log_proba([[0.05], [5.05]])).all()


def test_labels_of_several_types_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="y has labels of the types NoneType, str, must be of one type"):
        GPClassifier().fit([[0.0], [1.0], [2.0]], ["a", None, "b"])


def test_raw_inputs_of_very_different_spread_take_no_longer_than_scaled_ones():
    """Once this took a thousand times as long as the same data scaled: every point was an island at the first evaluation."""
    draw = np.random.default_rng(2)
    X = draw.standard_normal((120, 12))
    y = np.where(X[:, 0] + X[:, 1] + 0.3 * draw.standard_normal(120) > 0, 1, -1)
    model = GPClassifier(threads=1)
    model.fit(X * 10.0 ** draw.uniform(1, 3, 12), y)
    assert model.learning_["evaluations"] < 200 and model.log_marginal_likelihood_ > 120 * np.log(0.5)
