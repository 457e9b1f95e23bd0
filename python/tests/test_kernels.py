"""Kernels and costs of one's own: the same numbers as the built-in ones, and exceptions for all that is wrong."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import acuity
from acuity import GPClassifier, GPRegressor, Ladder, Selector
from twins import rbf, sine

AT = np.linspace(-1.0, 7.0, 150)[:, None]


class Rbf(acuity.Kernel):
    """As built in, with differences for a gradient."""

    def __init__(self, amplitude=1.0, lengthscale=1.0):
        self.amplitude, self.lengthscale = amplitude, lengthscale

    def covariance(self, a, b):
        return rbf(a, b, self.amplitude, self.lengthscale)

    def log_parameters(self):
        return [np.log(self.amplitude), np.log(self.lengthscale)]

    def with_log_parameters(self, log_parameters):
        return type(self)(*np.exp(log_parameters).tolist())


class RbfWithGradient(Rbf):
    def diagonal(self, x):
        return np.full(len(x), self.amplitude**2)

    def weighted_gradient(self, x, weights):
        k = self.covariance(x, x) * weights
        squares = np.sum((x[:, None] - x[None]) ** 2, axis=2) / self.lengthscale**2
        return [2.0 * k.sum(), np.sum(k * squares)]


OWN = {
    "function": lambda: lambda a, b: rbf(a, b, 1.2, 0.8),
    "class": lambda: Rbf(1.2, 0.8),
    "class with gradient": lambda: RbfWithGradient(1.2, 0.8),
}


@pytest.mark.parametrize("kind", OWN)
def test_own_kernels_are_the_built_in_one(kind):
    X, y, noise = sine()
    built_in = GPRegressor("rbf", 1.2, 0.8, optimiser=None).fit(X, y, noise_variance=noise)
    own = GPRegressor(OWN[kind](), optimiser=None).fit(X, y, noise_variance=noise)
    np.testing.assert_allclose(own.predict(AT), built_in.predict(AT), atol=1e-8)
    for a, b in zip(own.predict(AT, return_cov=True), built_in.predict(AT, return_cov=True)):
        np.testing.assert_allclose(a, b, atol=1e-8)
    assert own.log_marginal_likelihood_ == pytest.approx(built_in.log_marginal_likelihood_, abs=1e-8)
    levels = [acuity.Level("a", noise_sd=0.3, cost=1), acuity.Level("b", noise_sd=0.03, cost=5)]
    one, other = Selector(AT, own, levels), Selector(AT, built_in, levels)
    np.testing.assert_allclose(one.scores()["value"], other.scores()["value"], atol=1e-8)
    for _ in range(5):
        suggestion, same = one.next(), other.next()
        assert (suggestion.row, suggestion.level) == (same.row, same.level)
        one.tell(suggestion, 0.1), other.tell(same, 0.1)
    np.testing.assert_allclose(one.belief(), other.belief(), atol=1e-8)


@pytest.mark.parametrize("kind", ["class", "class with gradient"])
@pytest.mark.parametrize("noise", ["learn", 0.1])
def test_their_parameters_are_learned(kind, noise):
    X, y, _ = sine()
    built_in = GPRegressor("rbf", noise_variance=noise).fit(X, y)
    own = GPRegressor(type(OWN[kind]())(), noise_variance=noise, restarts=2).fit(X, y)
    assert own.log_marginal_likelihood_ == pytest.approx(built_in.log_marginal_likelihood_, abs=1e-4)
    assert own.kernel_.lengthscale == pytest.approx(built_in.lengthscale_, rel=1e-2)
    assert own.kernel.lengthscale == 1.0  # what was given stays
    np.testing.assert_allclose(own.predict(AT), built_in.predict(AT), atol=1e-2)


def test_gradients_by_differences_are_those_by_hand():
    X = sine()[0]
    weights = np.random.default_rng(0).standard_normal((25, 25))
    weights = weights + weights.T
    core = acuity._core.stationary_kernel("rbf", 1.2, np.array([0.8])).weighted_gradient(X, weights)
    np.testing.assert_allclose(Rbf(1.2, 0.8).weighted_gradient(X, weights), core, rtol=1e-7)
    np.testing.assert_allclose(RbfWithGradient(1.2, 0.8).weighted_gradient(X, weights), core, rtol=1e-10)
    np.testing.assert_allclose(Rbf(1.2).diagonal(X), 1.44)


@pytest.mark.parametrize("noise", ["learn", 0.1])
@pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
def test_a_kernel_without_parameters_has_nothing_to_learn(noise, optimiser):
    X, y, _ = sine()
    model = GPRegressor(rbf, noise_variance=noise, optimiser=optimiser).fit(X, y)
    built_in = GPRegressor(optimiser=None, noise_variance=model.noise_variance_).fit(X, y)
    np.testing.assert_allclose(model.predict(AT), built_in.predict(AT), atol=1e-8)
    labels = np.where(y > 0, 1, -1)
    assert GPClassifier(rbf, optimiser=optimiser).fit(X, labels).score(X, labels) > 0.7


def test_a_kernel_without_parameters_still_has_its_noise_learned():
    X, y, _ = sine()
    learned = GPRegressor(rbf).fit(X, y)
    for factor in (0.9, 1.1):
        other = GPRegressor(rbf, optimiser=None, noise_variance=factor * learned.noise_variance_).fit(X, y)
        assert other.log_marginal_likelihood_ < learned.log_marginal_likelihood_


class Boom(Exception):
    pass


def raises(a, b):
    raise Boom("not today")


WRONG = {
    "raises": (raises, Boom),
    "too few rows": (lambda a, b: rbf(a, b)[1:], ValueError),
    "transposed": (lambda a, b: rbf(a, b).T if len(a) != len(b) else rbf(a, b)[:1], ValueError),
    "one number": (lambda a, b: 1.0, ValueError),
    "a list": (lambda a, b: [1.0] * len(a), ValueError),
    "three dimensions": (lambda a, b: rbf(a, b)[None], ValueError),
    "NaN": (lambda a, b: rbf(a, b) * np.nan, ValueError),
    "infinity": (lambda a, b: rbf(a, b) + np.inf, ValueError),
    "None": (lambda a, b: None, ValueError),
    "text": (lambda a, b: "covariance", ValueError),
    "objects": (lambda a, b: np.full((len(a), len(b)), object()), (ValueError, TypeError)),
    "itself": (lambda a, b: WRONG, (ValueError, TypeError)),
    "complex numbers": (lambda a, b: rbf(a, b) * 1j, (ValueError, TypeError)),
    "nothing positive": (lambda a, b: -rbf(a, b), (ValueError, ArithmeticError)),
    "wrong arguments": (lambda a: a, TypeError),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("optimiser", [None, "lbfgs", "adam"])
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_kernel_is_an_exception(kind, optimiser):
    kernel, error = WRONG[kind]
    X, y, noise = sine()
    with pytest.raises(error):
        GPRegressor(kernel, optimiser=optimiser).fit(X, y, noise_variance=noise).predict(AT)
    with pytest.raises(error):
        GPClassifier(kernel, optimiser=optimiser).fit(X, np.where(y > 0, 1, -1)).predict(AT)
    if kind != "nothing positive":
        with pytest.raises(error):
            Selector(AT, GPRegressor(kernel, noise_variance=0.1), [acuity.Level("a", noise_sd=1, cost=1)]).next()


class Fickle(Rbf):
    """With another number of parameters every time somebody looks."""

    looks = 0

    def log_parameters(self):
        Fickle.looks += 1
        return np.zeros(Fickle.looks % 5)


class Growing(Rbf):
    def with_log_parameters(self, log_parameters):
        return Rbf()

    def log_parameters(self):
        return np.zeros(5)


class Nothing(Rbf):
    def with_log_parameters(self, log_parameters):
        return None


class WrongGradient(Rbf):
    def weighted_gradient(self, x, weights):
        return np.zeros(7)


class NoWay(Rbf):
    with_log_parameters = acuity.Kernel.with_log_parameters


class NotANumber(Rbf):
    def log_parameters(self):
        return [np.nan, 0.0]


class Table(Rbf):
    def log_parameters(self):
        return np.zeros((2, 2))


class NoDiagonal(Rbf):
    def diagonal(self, x):
        return np.zeros((len(x), len(x)))


@pytest.mark.parametrize("kind", [Fickle, Growing, Nothing, WrongGradient, NoWay, NotANumber, Table, NoDiagonal])
@pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
def test_a_kernel_that_contradicts_itself_is_an_exception(kind, optimiser):
    X, y, noise = sine()
    with pytest.raises((ValueError, NotImplementedError)):
        GPRegressor(kind(), optimiser=optimiser).fit(X, y, noise_variance=noise).predict(AT, return_std=True)


def test_a_kernel_that_fails_later_leaves_the_model_as_it_was():
    X, y, noise = sine()
    state = {"ok": True}

    def kernel(a, b):
        if not state["ok"]:
            raise Boom
        return rbf(a, b)

    model = GPRegressor(kernel, optimiser=None).fit(X, y, noise_variance=noise)
    before = model.predict(AT)
    selector = Selector(AT, model, [acuity.Level("a", noise_sd=0.1, cost=1)])
    first = selector.next()
    state["ok"] = False
    with pytest.raises(Boom):
        model.predict(AT)
    with pytest.raises(Boom):
        model.add([1.0], 0.5, noise_variance=0.1)
    with pytest.raises(Boom):
        selector.tell(first, 0.3)
    state["ok"] = True
    np.testing.assert_array_equal(model.predict(AT), before)
    assert len(model.X_train_) == 25
    assert selector.next().row == first.row and selector.remaining == np.inf
    selector.tell(first, 0.3)
    assert selector.next().row != first.row


def test_a_kernel_may_keep_and_change_what_it_is_given():
    kept = []

    def kernel(a, b):
        kept.append((a, b))
        result = rbf(a, b)
        a *= 0.0
        b -= 1e9
        return result

    X, y, noise = sine()
    own = GPRegressor(kernel, optimiser=None).fit(X, y, noise_variance=noise)
    built_in = GPRegressor(optimiser=None).fit(X, y, noise_variance=noise)
    np.testing.assert_allclose(own.predict(AT), built_in.predict(AT), atol=1e-8)
    assert all(np.isfinite(a).all() and np.isfinite(b).all() for a, b in kept)


def run_in_time(work, seconds=60):
    """What came of work(), in a thread of its own: a deadlock must not stop the tests."""
    found = []

    def target():
        try:
            found.append(work())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "it waits for itself"
    return found[0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("what", ["next", "scores", "tell", "remaining", "belief"])
def test_a_kernel_must_not_use_the_selector_that_calls_it(threads, what):
    selector = None
    errors = []

    def kernel(a, b):
        if selector is not None:
            try:
                if what == "tell":
                    selector.tell(first, 0.0)
                elif what == "remaining":
                    assert selector.remaining
                else:
                    getattr(selector, what)()
            except Exception as error:
                errors.append(error)
                raise
        return rbf(a, b)

    pool = np.linspace(0, 9, 3000)[:, None]
    model = GPRegressor(kernel, noise_variance=0.1, threads=threads)
    made = Selector(pool, model, [acuity.Level("a", noise_sd=0.5, cost=1)], threads=threads)
    first = made.next()
    selector = made
    found = run_in_time(lambda: made.tell(first, 1.0))
    assert isinstance(found, RuntimeError) and "at work" in str(found)
    selector = None
    made.tell(first, 1.0)
    assert made.next().row != first.row


@pytest.mark.parametrize("threads", [1, 2])
def test_a_cost_must_not_use_the_selector_that_calls_it(threads):
    selector = None

    def cost(alpha):
        if selector is not None:
            selector.next()
        return 1.0 / (1.0 + 9.0 / alpha)

    pool = np.linspace(0, 9, 2000)[:, None]
    made = Selector(pool, GPRegressor(), Ladder(0.09, cost, continuous=True), noise_variance=0.01, threads=threads)
    made.next()
    selector = made
    found = run_in_time(made.next)
    assert isinstance(found, RuntimeError) and "at work" in str(found)
    selector = None
    assert made.next().row >= 0


def test_two_selectors_whose_kernels_use_each_other_do_not_wait_for_ever():
    both = []
    pool = np.linspace(0, 9, 200)[:, None]

    def kernel_for(other):
        def kernel(a, b):
            if len(both) == 2:
                try:
                    both[other].remaining
                except RuntimeError:
                    pass
            return rbf(a, b)

        return kernel

    made = [Selector(pool, GPRegressor(kernel_for(1 - i)), [acuity.Level("a", noise_sd=0.5, cost=1)], repeat=True) for i in (0, 1)]
    both.extend(made)

    def use(selector):
        for _ in range(30):
            selector.tell(selector.next(), 0.0)

    threads = [threading.Thread(target=use, args=(selector,), daemon=True) for selector in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


def test_a_kernel_may_use_other_models():
    inner = GPRegressor(optimiser=None, noise_variance=0.1).fit([[0.0], [1.0]], [0.0, 1.0])

    def kernel(a, b):
        assert np.isfinite(inner.predict(a)).all()
        return rbf(a, b)

    X, y, noise = sine()
    for threads in (1, 2):
        model = GPRegressor(kernel, optimiser=None, threads=threads).fit(X, y, noise_variance=noise)
        assert np.isfinite(model.predict(np.linspace(0, 6, 2000)[:, None])).all()


@pytest.mark.parametrize("continuous", [False, True])
def test_own_costs_are_the_built_in_one(continuous):
    model = GPRegressor(optimiser=None).fit([[1.0]], [0.5], noise_variance=0.1)
    options = {"noise_variance": 0.01, "budget": 20.0, "threads": 2}
    own = Selector(AT, model, Ladder(0.09, lambda alpha: 1.0 / (1.0 + 9.0 / alpha), continuous=continuous), **options)
    built_in = Selector(AT, model, Ladder(0.09, acuity.costs.power(9.0, 1.0), continuous=continuous), **options)
    text = Selector(AT, model, Ladder(0.09, "1 / (1 + 9 / alpha)", continuous=continuous), **options)
    for _ in range(5):
        a, b, c = own.next(), built_in.next(), text.next()
        assert a.row == b.row == c.row
        assert a.alpha == pytest.approx(b.alpha, rel=1e-6) and a.cost == pytest.approx(b.cost, rel=1e-6)
        assert c.alpha == pytest.approx(b.alpha, rel=1e-6)
        for selector, suggestion in ((own, a), (built_in, b), (text, c)):
            selector.tell(suggestion, 0.1)


BAD_COSTS = {
    "raises": (raises, (Boom, TypeError)),
    "raises later": (lambda alpha: 1.0 / 0.0 if 1.0 < alpha < np.inf else 1.0, ZeroDivisionError),
    "None": (lambda alpha: None, (TypeError, ValueError)),
    "text": (lambda alpha: "much", (TypeError, ValueError)),
    "NaN": (lambda alpha: np.nan, ValueError),
    "zero": (lambda alpha: 0.0, ValueError),
    "negative": (lambda alpha: -1.0, ValueError),
    "infinite": (lambda alpha: np.inf, ValueError),
    "an array": (lambda alpha: np.ones(3), (TypeError, ValueError)),
    "complex": (lambda alpha: 1j, (TypeError, ValueError)),
    "too large for a double": (lambda alpha: 10**400, (ValueError, OverflowError)),
}


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("kind", BAD_COSTS)
def test_a_wrong_cost_is_an_exception(kind, continuous):
    cost, error = BAD_COSTS[kind]
    with pytest.raises(error):
        Selector(AT, GPRegressor(), Ladder(0.09, cost, continuous=continuous), noise_variance=0.01).next()


@pytest.mark.parametrize("value", [np.nan, -1.0, 0.0, None, "x"])
def test_a_cost_that_is_wrong_between_the_ends_of_a_ladder_is_an_exception(value):
    def cost(alpha):
        return 1.0 if alpha in (1.0, np.inf) else value

    with pytest.raises((ValueError, TypeError)):
        Selector(AT, GPRegressor(), Ladder(0.09, cost, continuous=True), noise_variance=0.01).next()


def test_costs_and_kernels_that_can_be_pickled_are():
    cost = pickle.loads(pickle.dumps(acuity.costs.expression("1 + alpha")))
    assert cost(2.0) == 3.0 and repr(cost) == "costs.expression('1 + alpha')"
    for one in (acuity.costs.power(3.0, 0.5), acuity.costs.linear(0.2, 0.4)):
        again = pickle.loads(pickle.dumps(one))
        assert again(2.0) == one(2.0) and repr(again) == repr(one)
    assert pickle.loads(pickle.dumps(Rbf(2.0, 3.0))).lengthscale == 3.0
    ladder = pickle.loads(pickle.dumps(Ladder(0.09, acuity.costs.power(9, 1))))
    assert len(ladder.levels()) == 100


@pytest.mark.parametrize("text", ["", "alpha +", "beta", "1 + exit(1)", "alpha\0", "\N{GREEK SMALL LETTER ALPHA}", "((" * 2000])
def test_a_wrong_formula_is_a_value_error(text):
    with pytest.raises(ValueError):
        acuity.costs.expression(text)(1.0)


def test_kernels_outlive_the_interpreter_quietly():
    """Those that are alive at the end, in cycles and in selectors, too."""
    code = """
import numpy as np, acuity
class K(acuity.Kernel):
    def covariance(self, a, b): return np.exp(-(a - b.T) ** 2)
    def __del__(self): pass
kernel = K()
X = np.linspace(0, 3, 300)[:, None]
model = acuity.GPRegressor(kernel, noise_variance=0.1).fit(X[::30], np.sin(X[::30, 0]))
kernel.model = model
selector = acuity.Selector(X, model, acuity.Ladder(0.1, lambda a: 1 + 1 / a, continuous=True), noise_variance=0.1)
selector.next()
kernel.selector = selector
"""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
