"""What others offer, written as a careful user of scikit-learn would: Gaussian processes that ask where they are least certain,
at one level throughout, and logistic regression on random labels. And rival.py, which chooses levels, too.
"""
import functools, warnings

import numpy
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import LogisticRegression

import metrics, rival
from tables import generator

REFIT = 10  # hyperparameters are learned when so many answers have come since the last time, and at the end
RESTARTS = 2  # scikit-learn's own, drawn within the bounds: of the first and the last fit of the warm variant


class Purchases:
    """The answers known so far: the initial ones, and one per pool row at the fixed level while the budget lasts."""

    def __init__(self, problem, level, budget):
        self.problem, self.level, self.left = problem, level, budget
        self.rows, self.bought_at = list(problem.initial), [problem.finest] * len(problem.initial)
        spread = problem.pool.std(axis=0)
        self.center, self.scale = problem.pool.mean(axis=0), numpy.where(spread > 0, spread, 1.0)
        self.pool = self.standardised(problem.pool)

    def standardised(self, x):
        return (x - self.center) / self.scale

    def open_rows(self):
        cost = self.problem.levels[self.level].cost
        if cost > self.left * (1 + 1e-9):
            return numpy.array([], dtype=int)
        return numpy.setdiff1d(numpy.arange(len(self.pool)), self.rows)

    def buy(self, row):
        self.rows.append(int(row))
        self.bought_at.append(self.level)
        self.left -= self.problem.levels[self.level].cost

    def x(self):
        return self.pool[self.rows]

    def y(self):
        return self.problem.answers[self.rows, self.bought_at]

    def summary(self, budget):
        name = self.problem.levels[self.level].name
        return {"bought": {name: len(self.rows) - len(self.problem.initial)}, "spent": budget - self.left}


def regressor(known, kernel, learn, restarts=0):
    """`alpha` is the known noise of each answer, in the units that normalize_y makes; the rest is left to the WhiteKernel."""
    y = known.y()
    noise = numpy.array([known.problem.noise_sd(level) for level in known.bought_at])
    model = GaussianProcessRegressor(kernel, alpha=(noise / y.std()) ** 2, normalize_y=True,
                                     optimizer="fmin_l_bfgs_b" if learn else None, n_restarts_optimizer=restarts,
                                     random_state=known.problem.seed)
    return model.fit(known.x(), y)


def best_of_two_starts(known, first, last, ends):
    """From the first values and from the last: a fit to 20 answers may end where no later one leaves (Friedman 1)."""
    return max((regressor(known, kernel, True) for kernel in (first, last)), key=lambda model: model.log_marginal_likelihood_value_)


def warm_start(known, first, last, ends):
    """From the last values; the first fit and the last one have restarts besides. Neither way is the better one everywhere."""
    return regressor(known, last, True, RESTARTS if ends else 0)


def regression_campaign(problem, level, budget, learn=best_of_two_starts):
    known = Purchases(problem, level, budget)
    inputs = problem.pool.shape[1]
    first = (ConstantKernel(1.0, (1e-4, 1e4)) * Matern(numpy.full(inputs, numpy.sqrt(inputs)), (1e-2, 1e4), nu=2.5)
             + WhiteKernel(0.01, (1e-6, 4.0)))
    kernel, learned_from = first, 0
    while len(rows := known.open_rows()):
        if len(known.rows) - learned_from >= REFIT:
            model = learn(known, first, kernel, learned_from == 0)
            kernel, learned_from = model.kernel_, len(known.rows)
        else:
            model = regressor(known, kernel, False)
        spread = model.predict(known.pool[rows], return_std=True)[1]
        known.buy(rows[numpy.argmax(spread)])
    model = learn(known, first, kernel, True)
    mean, sd = model.predict(known.standardised(problem.test), return_std=True)  # with the noise of the WhiteKernel
    return {**metrics.regression_measures((problem.test_y - problem.mean) / problem.sd, (mean - problem.mean) / problem.sd,
                                          (sd / problem.sd) ** 2), **known.summary(budget)}


def classifier_campaign(problem, level, budget):
    known = Purchases(problem, level, budget)
    kernel = ConstantKernel(9.0, (1e-2, 1e3)) * Matern(numpy.sqrt(problem.pool.shape[1]), (1e-1, 1e3), nu=2.5)
    learned_from = 0

    def fit(learn):
        model = GaussianProcessClassifier(kernel, optimizer="fmin_l_bfgs_b" if learn else None, random_state=problem.seed)
        return model.fit(known.x(), known.y())

    while len(rows := known.open_rows()):
        learn = len(known.rows) - learned_from >= REFIT
        model = fit(learn)
        if learn:
            kernel, learned_from = model.kernel_, len(known.rows)
        known.buy(rows[numpy.argmin(numpy.abs(model.predict_proba(known.pool[rows])[:, 1] - 0.5))])
    probability = fit(True).predict_proba(known.standardised(problem.test))[:, 1]
    return {**metrics.classification_measures(problem.test_y, probability), **known.summary(budget)}


def logistic_campaign(problem, level, budget):
    known = Purchases(problem, level, budget)
    draws = generator("random labels", problem.table, problem.seed)
    while len(rows := known.open_rows()):
        known.buy(draws.choice(rows))
    model = LogisticRegression(max_iter=1000).fit(known.x(), known.y())
    probability = model.predict_proba(known.standardised(problem.test))[:, 1]
    return {**metrics.classification_measures(problem.test_y, probability), **known.summary(budget)}


# By the name of the method; the level is added to it.
REGRESSION_PEERS = {"scikit-learn": regression_campaign,
                    "scikit-learn warm": functools.partial(regression_campaign, learn=warm_start)}
CLASSIFICATION_PEERS = {"scikit-learn": classifier_campaign, "logistic": logistic_campaign}
ONLY_NAMED = {"scikit-learn warm"}
RIVAL = "rival"  # real targets; has all levels to buy


def peers_for(kind):
    """Those that have one level to buy."""
    return CLASSIFICATION_PEERS if kind == "binary" else REGRESSION_PEERS


def run_peer(name, problem, level, budget):
    if name == RIVAL:
        return rival.campaign(problem, budget, generator("rival", problem.table, problem.seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return peers_for(problem.kind)[name](problem, level, budget)
