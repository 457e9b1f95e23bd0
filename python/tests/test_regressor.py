"""GPRegressor beside the textbook, and what people pass to it."""

import pickle
import warnings

import numpy as np
import pytest

import acuity
from acuity import GPRegressor
from twins import matern32, matern52, rbf, regression, sine

AT = np.linspace(-1.0, 7.0, 23)[:, None]


class OwnRbf(acuity.Kernel):
    """Here, not in a function, so that it can be pickled."""

    def __init__(self, amplitude=1.0, lengthscale=1.0):
        self.amplitude, self.lengthscale = amplitude, lengthscale

    def covariance(self, a, b):
        return rbf(a, b, self.amplitude, self.lengthscale)

    def log_parameters(self):
        return np.log([self.amplitude, self.lengthscale])

    def with_log_parameters(self, log_parameters):
        return OwnRbf(*np.exp(log_parameters))


def fitted(**parameters):
    X, y, noise = sine()
    return GPRegressor(optimiser=None, **parameters).fit(X, y, noise_variance=noise)


@pytest.mark.parametrize("name, twin", [("rbf", rbf), ("matern32", matern32), ("matern52", matern52)])
def test_agrees_with_the_textbook_for_every_kernel(name, twin):
    X, y, noise = sine()
    model = GPRegressor(name, 1.3, 0.8, mean=0.4, optimiser=None).fit(X, y, noise_variance=noise)
    mean, covariance, evidence = regression(lambda a, b: twin(a, b, 1.3, 0.8), X, y, noise, AT, 0.4)
    np.testing.assert_allclose(model.predict(AT), mean, atol=1e-10)
    np.testing.assert_allclose(model.predict(AT, return_std=True)[1], np.sqrt(np.diag(covariance)), atol=1e-10)
    np.testing.assert_allclose(model.predict(AT, return_cov=True)[1], covariance, atol=1e-10)
    assert model.log_marginal_likelihood_ == pytest.approx(evidence, abs=1e-9)


def test_has_a_lengthscale_per_input():
    X, y, noise = sine(inputs=2)
    lengths = [0.7, 2.5]
    model = GPRegressor(lengthscale=lengths, optimiser=None).fit(X, y, noise_variance=noise)
    mean, covariance, _ = regression(lambda a, b: rbf(a, b, 1.0, np.array(lengths)), X, y, noise, X + 0.1)
    np.testing.assert_allclose(model.predict(X + 0.1, return_cov=True)[1], covariance, atol=1e-10)
    np.testing.assert_allclose(model.predict(X + 0.1), mean, atol=1e-10)
    np.testing.assert_allclose(model.lengthscale_, lengths)


def test_learns_that_an_input_does_not_matter():
    X, y, noise = sine(40, 2)
    y = y - np.sin(X[:, 1])
    model = GPRegressor(lengthscale=[1.0, 1.0]).fit(X, y, noise_variance=noise)
    assert model.lengthscale_[1] > 5.0 * model.lengthscale_[0]


@pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
@pytest.mark.parametrize("noise", ["learn", 0.1, None])
def test_learned_hyperparameters_are_more_probable_than_given_ones(optimiser, noise):
    X, y, each = sine()
    given = each if noise is None else noise
    model = GPRegressor(amplitude=3.0, lengthscale=0.2, optimiser=optimiser).fit(X, y, noise_variance=given)
    before = GPRegressor(amplitude=3.0, lengthscale=0.2, optimiser=None)
    before.fit(X, y, noise_variance=0.1 * np.var(y) if noise == "learn" else given)
    assert model.log_marginal_likelihood_ > before.log_marginal_likelihood_ + 1.0
    # And what it says of them is what the textbook says.
    twin = regression(
        lambda a, b: rbf(a, b, model.amplitude_, model.lengthscale_), X, y, np.broadcast_to(model.noise_variance_, 25), AT
    )
    assert model.log_marginal_likelihood_ == pytest.approx(twin[2], abs=1e-8)
    np.testing.assert_allclose(model.predict(AT), twin[0], atol=1e-8)


def test_lbfgs_ends_where_the_likelihood_is_flat():
    X, y, noise = sine()
    model = GPRegressor().fit(X, y, noise_variance=noise)

    def evidence(shift):
        kernel = GPRegressor(
            amplitude=model.amplitude_ * np.exp(shift[0]), lengthscale=model.lengthscale_ * np.exp(shift[1]), optimiser=None
        )
        return kernel.fit(X, y, noise_variance=noise).log_marginal_likelihood_

    for shift in ([0.01, 0], [-0.01, 0], [0, 0.01], [0, -0.01]):
        assert evidence(shift) < model.log_marginal_likelihood_


def test_learns_the_noise_that_was_there():
    draw = np.random.default_rng(3)
    X = np.linspace(0, 12, 200)[:, None]
    y = np.sin(X[:, 0]) + 0.3 * draw.standard_normal(200)
    assert GPRegressor().fit(X, y).noise_variance_ == pytest.approx(0.09, rel=0.3)


def test_noise_given_to_fit_goes_before_the_parameter():
    X, y, noise = sine()
    a = GPRegressor(optimiser=None, noise_variance=5.0).fit(X, y, noise_variance=noise)
    b = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    np.testing.assert_array_equal(a.predict(AT), b.predict(AT))


@pytest.mark.parametrize("kernel", ["rbf", "matern32", OwnRbf(1.0, 0.9)])
def test_fifty_additions_are_one_fit(kernel):
    X, y, noise = sine(60)
    X[30] = X[29]  # replicates
    X[31] = X[29]
    grown = GPRegressor(kernel, optimiser=None).fit(X[:10], y[:10], noise_variance=noise[:10])
    for i in range(10, 60):
        grown.add(X[i], y[i], noise_variance=noise[i])
    whole = GPRegressor(kernel, optimiser=None).fit(X, y, noise_variance=noise)
    np.testing.assert_allclose(grown.predict(AT), whole.predict(AT), atol=1e-9)
    np.testing.assert_allclose(
        grown.predict(AT, return_cov=True)[1], whole.predict(AT, return_cov=True)[1], atol=1e-9
    )
    np.testing.assert_allclose(grown.predict(AT, return_std=True)[1], whole.predict(AT, return_std=True)[1], atol=1e-9)
    assert grown.log_marginal_likelihood_ == pytest.approx(whole.log_marginal_likelihood_, abs=1e-8)
    np.testing.assert_array_equal(grown.X_train_, X)


def test_several_additions_at_once_are_one_fit():
    X, y, noise = sine(60)
    grown = GPRegressor(optimiser=None).fit(X[:5], y[:5], noise_variance=noise[:5])
    grown.add(X[5:59], y[5:59], noise_variance=noise[5:59]).add(X[59:], y[59], noise_variance=noise[59])
    whole = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    np.testing.assert_allclose(grown.predict(AT), whole.predict(AT), atol=1e-9)
    assert grown.log_marginal_likelihood_ == pytest.approx(whole.log_marginal_likelihood_, abs=1e-8)


def test_an_addition_that_is_refused_changes_nothing():
    model = fitted()
    before, evidence = model.predict(AT), model.log_marginal_likelihood_
    for x, y, noise in [([1.0, 2.0], 0.0, 0.1), ([np.nan], 0.0, 0.1), ([1.0], np.inf, 0.1), ([1.0], 0.0, -1.0),
                        ([1.0], [0.0, 1.0], 0.1), ([1.0], 0.0, [0.1, 0.2]), ([1.0], 0.0, None)]:
        with pytest.raises(ValueError):
            model.add(x, y, noise_variance=noise)
    np.testing.assert_array_equal(model.predict(AT), before)
    assert model.log_marginal_likelihood_ == evidence and len(model.X_train_) == 25


def test_draws_have_the_moments_of_the_belief():
    model = fitted()
    at = AT[:6]
    mean, covariance = model.predict(at, return_cov=True)
    draws = model.sample_y(at, 40000, random_state=1)
    assert draws.shape == (6, 40000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(draws), covariance, atol=0.03)


def test_draws_are_those_of_the_seed():
    model = fitted()
    np.testing.assert_array_equal(model.sample_y(AT, 3, random_state=7), model.sample_y(AT, 3, random_state=7))
    assert not np.array_equal(model.sample_y(AT, 3, random_state=7), model.sample_y(AT, 3, random_state=8))
    generator = np.random.default_rng(1)
    assert not np.array_equal(model.sample_y(AT, random_state=generator), model.sample_y(AT, random_state=generator))


def test_score_is_scikit_learns():
    metrics = pytest.importorskip("sklearn.metrics")
    model = fitted()
    X, y, noise = sine(30, seed=4)
    assert model.score(X, y) == pytest.approx(metrics.r2_score(y, model.predict(X)), abs=1e-12)
    weighted = metrics.r2_score(y, model.predict(X), sample_weight=noise)
    assert model.score(X, y, sample_weight=noise) == pytest.approx(weighted, abs=1e-12)


def test_results_do_not_depend_on_the_number_of_threads():
    X, y, noise = sine(150, 2)
    one, two, all_of_them = (
        GPRegressor(threads=threads, restarts=2).fit(X, y, noise_variance=noise) for threads in (1, 2, 0)
    )
    at = np.random.default_rng(1).uniform(0, 6, (500, 2))
    for other in (two, all_of_them):
        assert one.log_marginal_likelihood_ == other.log_marginal_likelihood_
        for a, b in zip(one.predict(at, return_std=True), other.predict(at, return_std=True)):
            np.testing.assert_array_equal(a, b)


def test_the_seed_alone_decides_the_restarts():
    X, y, _ = sine()
    fits = [GPRegressor(random_state=5).fit(X, y).log_marginal_likelihood_ for _ in range(2)]
    assert fits[0] == fits[1]


@pytest.mark.parametrize("kernel", ["matern52", OwnRbf(), rbf], ids=["built in", "class", "function"])
def test_pickling_keeps_every_bit(kernel):
    X, y, _ = sine()
    model = GPRegressor(kernel, noise_variance=0.1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    for a, b in zip(model.predict(AT, return_std=True), again.predict(AT, return_std=True)):
        np.testing.assert_array_equal(a, b)
    assert again.log_marginal_likelihood_ == model.log_marginal_likelihood_
    again.add([0.5], 0.4), model.add([0.5], 0.4)
    np.testing.assert_array_equal(again.predict(AT), model.predict(AT))


def test_pickling_after_additions_keeps_the_belief():
    model = fitted().add([[2.0], [3.0]], [1.0, 0.2], noise_variance=0.01)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.predict(AT), model.predict(AT), atol=1e-11)
    np.testing.assert_allclose(again.add([1.0], 0.8, noise_variance=0.1).predict(AT),
                               model.add([1.0], 0.8, noise_variance=0.1).predict(AT), atol=1e-11)


def test_a_model_that_was_not_fitted_can_be_pickled():
    again = pickle.loads(pickle.dumps(GPRegressor("matern32", lengthscale=[1.0, 2.0])))
    assert again.kernel == "matern32" and again.lengthscale == [1.0, 2.0]


def test_a_model_does_not_change_when_its_arrays_do():
    X, y, noise = sine()
    model = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    before = pickle.dumps(model.predict(AT))
    X[:], y[:], noise[:] = 0.0, 9.0, 1.0
    assert pickle.dumps(model.predict(AT)) == before
    again = pickle.loads(pickle.dumps(model))  # made anew from what it keeps
    np.testing.assert_array_equal(again.predict(AT), model.predict(AT))


def test_set_params_counts_from_the_next_fit_on():
    model = fitted()
    before = model.predict(AT)
    model.set_params(lengthscale=0.2, mean=3.0, kernel="matern32", amplitude=2.0)
    np.testing.assert_array_equal(model.predict(AT), before)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(AT), before)
    with pytest.raises(ValueError, match="no parameter"):
        model.set_params(lengthscales=1.0)
    assert model.get_params()["lengthscale"] == 0.2


def test_works_with_clone_pipelines_and_searches():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, _ = sine(40)
    model = GPRegressor(noise_variance=0.1, restarts=0)
    fitted_one = clone(model).fit(X, y)
    copied = clone(fitted_one)
    assert not hasattr(copied, "X_train_") and copied.get_params() == model.get_params()
    pipeline = make_pipeline(StandardScaler(), model).fit(X, y)
    assert pipeline.score(X, y) > 0.8
    assert pipeline.predict(X, return_std=True)[1].shape == (40,)
    search = GridSearchCV(clone(model).set_params(optimiser=None), {"lengthscale": [0.01, 1.0], "kernel": ["rbf", rbf]})
    assert search.fit(X, y).best_params_["lengthscale"] == 1.0 or search.best_params_["kernel"] is rbf
    assert np.mean(cross_val_score(model, X, y, n_jobs=2)) > 0.5


FORMS = {
    "float32": lambda X: X.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X: X[::-1][::-1],
    "columns of a wider array": lambda X: np.column_stack([X, X])[:, : X.shape[1]],
    "list": lambda X: X.tolist(),
    "objects": lambda X: X.astype(object),
    "big endian": lambda X: X.astype(">f8"),
    "long double": lambda X: X.astype(np.longdouble),
    "half": lambda X: X.astype(np.float16),
    "memoryview": lambda X: memoryview(X),
    "matrix": lambda X: np.asmatrix(X),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("form", FORMS)
def test_takes_inputs_in_every_form(form):
    X = np.round(sine(20, 2)[0] * 4) / 4  # exact in all of them
    y, noise = np.sin(X[:, 0]), np.full(20, 0.125)
    plain = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    given = FORMS[form](X)
    other = GPRegressor(optimiser=None).fit(given, y, noise_variance=noise)
    np.testing.assert_array_equal(other.predict(given), plain.predict(X))
    np.testing.assert_array_equal(other.predict(given, return_std=True)[1], plain.predict(X, return_std=True)[1])


def test_takes_whole_numbers_and_read_only_arrays():
    X = np.arange(12).reshape(6, 2)
    y = np.arange(6)
    plain = GPRegressor(optimiser=None, noise_variance=1).fit(X.astype(float), y.astype(float))
    whole = GPRegressor(optimiser=None, noise_variance=1).fit(X, y)
    np.testing.assert_array_equal(whole.predict(X), plain.predict(X.astype(float)))
    fixed = X.astype(float)
    fixed.setflags(write=False)
    answers = y.astype(float)
    answers.setflags(write=False)
    model = GPRegressor(optimiser=None, noise_variance=1).fit(fixed, answers)
    np.testing.assert_array_equal(model.predict(fixed), plain.predict(fixed))
    assert model.add(fixed[0], answers[0]).predict(fixed).shape == (6,)
    kernel = GPRegressor(lambda a, b: rbf(a, b), optimiser=None, noise_variance=1).fit(fixed, answers)
    np.testing.assert_allclose(kernel.predict(fixed), plain.predict(fixed), atol=1e-10)


def test_does_not_copy_points_that_are_contiguous_doubles():
    from acuity._arrays import points

    X = np.ascontiguousarray(sine(20, 2)[0])
    assert points(X) is X or np.shares_memory(points(X), X)


def test_takes_dataframes_and_knows_their_columns():
    pandas = pytest.importorskip("pandas")
    X, y, noise = sine(20, 2)
    frame = pandas.DataFrame(X, columns=["depth", "width"])
    plain = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GPRegressor(optimiser=None).fit(frame, pandas.Series(y), noise_variance=pandas.Series(noise))
        np.testing.assert_array_equal(model.predict(frame), plain.predict(X))
    assert model.feature_names_in_.tolist() == ["depth", "width"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["width", "depth"]])
    assert model.score(frame, pandas.Series(y)) == plain.score(X, y)


def test_says_that_it_is_not_fitted():
    for call in (lambda m: m.predict(AT), lambda m: m.sample_y(AT), lambda m: m.score(AT, AT[:, 0]), lambda m: m.add([1.0], 0.0)):
        with pytest.raises(ValueError, match="not fitted"):
            call(GPRegressor())
        with pytest.raises(AttributeError):
            call(GPRegressor())
    exceptions = pytest.importorskip("sklearn.exceptions")
    with pytest.raises(exceptions.NotFittedError):
        GPRegressor().predict(AT)


def test_a_fit_that_fails_leaves_the_old_one():
    model = fitted()
    before = model.predict(AT)
    for X, y, noise in [([[1.0, 2.0]], [1.0], 0.1), ([[1.0] * 3], [np.nan], 0.1), ([[1.0] * 3], [1.0], -0.1), ([[1.0] * 3], [1.0], "x")]:
        with pytest.raises(ValueError):
            model.set_params(lengthscale=[1.0, 2.0, 3.0]).fit(X, y, noise_variance=noise)
    np.testing.assert_array_equal(model.predict(AT), before)


def test_answers_without_any_noise_are_met():
    X = np.linspace(0, 6, 12)[:, None]
    model = GPRegressor(optimiser=None, noise_variance=0.0).fit(X, np.sin(X[:, 0]))
    mean, sd = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, np.sin(X[:, 0]), atol=1e-6)
    assert np.all(sd < 1e-3) and np.all(np.isfinite(sd))


def test_one_answer_is_enough():
    model = GPRegressor(optimiser=None, noise_variance=0.25).fit([[0.0]], [1.0])
    mean, sd = model.predict([[0.0]], return_std=True)
    assert mean[0] == pytest.approx(0.8) and sd[0] == pytest.approx(np.sqrt(0.2))


def test_constant_answers_can_be_learned_from():
    model = GPRegressor().fit(AT, np.full(len(AT), 2.0))
    np.testing.assert_allclose(model.predict(AT), 2.0, atol=0.1)


def test_shows_what_is_not_usual():
    assert repr(GPRegressor()) == "GPRegressor()"
    assert repr(GPRegressor("matern32", lengthscale=2.0)) == "GPRegressor(kernel='matern32', lengthscale=2.0)"
    assert repr(GPRegressor(lengthscale=np.array([1.0, 2.0]))) == "GPRegressor(lengthscale=array([1., 2.]))"


def test_american_spellings_are_taken_and_other_names_get_a_hint():
    with pytest.warns(UserWarning, match="'optimizer' is spelt 'optimiser' here"):
        assert GPRegressor(optimizer=None).optimiser is None
    for name, meant in (("n_restarts_optimizer", "restarts"), ("alpha", "noise_variance"), ("length_scale", "lengthscale"),
                        ("lenghtscale", "lengthscale"), ("normalize_y", "mean")):
        with pytest.raises(TypeError, match=f"GPRegressor\\(\\) got an unexpected keyword argument '{name}'; here it is '{meant}'"):
            GPRegressor(**{name: 1})
    with pytest.raises(ValueError, match="'n_restarts_optimizer' is no parameter of GPRegressor; here it is 'restarts'"):
        GPRegressor().set_params(n_restarts_optimizer=3)
    with pytest.raises(TypeError, match=r"create\(\) got an unexpected keyword argument 'bugdet'; here it is 'budget'"):
        acuity.create(bugdet=3)
    with pytest.raises(TypeError, match="Selector.*got an unexpected keyword argument 'weight'; here it is 'weights'"):
        acuity.select([[0.0]], GPRegressor(), [acuity.Level("a", noise_sd=1, cost=1)], weight=[1.0])


def test_amplitude_and_lengthscale_beside_a_kernel_of_ones_own_are_said_to_be_unused():
    for wrong in ({"amplitude": 2.0}, {"lengthscale": 0.5}, {"lengthscale": [1.0]}):
        with pytest.warns(UserWarning, match="is not used: the kernel is one of your own, with its own parameters"):
            GPRegressor(OwnRbf(), optimiser=None, noise_variance=0.1, **wrong).fit([[0.0]], [0.0])


def test_masked_values_are_refused():
    X = np.ma.masked_equal(np.array([[1.0], [-9.0], [2.0]]), -9.0)
    with pytest.raises(ValueError, match="X has 1 masked values, must have none"):
        GPRegressor(optimiser=None, noise_variance=0.1).fit(X, [0.0, 1.0, 2.0])


def test_predictions_of_answers_have_their_noise_and_scores():
    X, y, _ = sine()
    model = GPRegressor(optimiser=None, noise_variance=0.04).fit(X, y)
    (mean, sd), (same, with_noise) = model.predict(AT, return_std=True), model.predict(AT, return_std=True, include_noise=True)
    np.testing.assert_array_equal(mean, same)
    np.testing.assert_allclose(with_noise**2, sd**2 + 0.04)
    covariance = model.predict(AT, return_cov=True, include_noise=True)[1]
    np.testing.assert_allclose(np.diag(covariance), with_noise**2, atol=1e-10)
    stats = pytest.importorskip("scipy.stats")
    answers = np.sin(AT[:, 0])
    np.testing.assert_allclose(model.log_density(AT, answers), stats.norm(mean, with_noise).logpdf(answers), atol=1e-10)
    # By its definition: the integral of (F(t) - [t > y])^2.
    t = np.linspace(mean[3] - 12 * with_noise[3], mean[3] + 12 * with_noise[3], 400001)
    direct = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    expected = direct((stats.norm(mean[3], with_noise[3]).cdf(t) - (t > answers[3])) ** 2, t)
    assert model.crps(AT, answers)[3] == pytest.approx(expected, abs=1e-5)
    with pytest.raises(ValueError, match="noise_variance differs between answers"):
        fitted().predict(AT, include_noise=True)


def test_learning_counts_every_evaluation_and_searches_only_where_summits_differ():
    X = np.linspace(0, 6, 40)[:, None]
    easy = GPRegressor().fit(X, np.sin(X[:, 0]) + 0.1 * np.cos(37.0 * X[:, 0]))
    none = GPRegressor(restarts=0).fit(X, np.sin(X[:, 0]) + 0.1 * np.cos(37.0 * X[:, 0]))
    assert easy.log_marginal_likelihood_ >= none.log_marginal_likelihood_ - 1e-6
    assert none.learning_["evaluations"] < easy.learning_["evaluations"] < 200, "two climbs, no search"
    # What suits the spread of the data explains these as noise, the values given do not: it is searched, and all of that is counted.
    draw = np.random.default_rng(4)
    X = np.linspace(0, 100, 80)[:, None]
    y = np.sin(X[:, 0]) + 0.1 * draw.standard_normal(80)
    hard = GPRegressor(lengthscale=1.0).fit(X, y)
    assert hard.learning_["evaluations"] > 18 * 12, "eighteen contenders, each the best of twelve draws"
    assert hard.lengthscale_ < 5.0


def test_the_weak_prior_keeps_few_answers_from_being_explained_too_well():
    draw = np.random.default_rng(0)
    X, y = draw.uniform(0, 1, (12, 4)), draw.standard_normal(12)
    free, weak = (GPRegressor(lengthscale=np.ones(4), prior=prior).fit(X, y) for prior in ("none", "weak"))
    assert weak.log_marginal_likelihood_ <= free.log_marginal_likelihood_ + 1e-6
    assert np.min(weak.lengthscale_) >= np.min(free.lengthscale_) - 1e-9
    with pytest.raises(ValueError, match='prior is "strong"|prior is \'strong\', must be one of "weak", "none"'):
        GPRegressor(prior="strong").fit(X, y)
