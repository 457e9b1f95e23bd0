"""Autoregressive co-kriging (Kennedy and O'Hagan 2000) with a nested design, as a careful user of numpy would write it.

The answer of level k is y_k(x) = rho_k y_{k-1}(x) + d_k(x), each d_k a Gaussian process of its own (Matern 5/2) with a constant mean, an
amplitude, length scales and a nugget. A point that is bought at one level is bought at all cheaper ones, too. The likelihood is then a
product over levels, the d_k are independent given the answers, and all of this is exact. A point and level are chosen by the fall of
the variance of the finest level, summed over the pool, per price of the answers that are still missing there.
"""
import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

REFIT = 1.15  # parameters are learned when a level's answers have grown by this factor since the last time
STARTS = 4


class Difference:
    """d_k, and rho_k: of the cheapest level, the level itself.

    `scale`: with priors, the size that is expected of it; mean and amplitude are of that order, rho is close to 1. Without, the likelihood
    alone decides; rho is 1 until there are four answers, because two numbers cannot be learned from two.
    """

    def __init__(self, x, scale, is_first, with_priors, random):
        self.x, self.scale, self.is_first, self.with_priors, self.random = x, scale, is_first, with_priors, random
        self.lengths = x.shape[1] if is_first else 1
        self.squares = (x[:, None] - x[None]) ** 2
        self.theta, self.learned_from = None, 0

    def correlation(self, theta, rows, others):
        lengths = np.exp(theta[1:1 + self.lengths])
        r = np.sqrt(5 * (self.squares[np.ix_(rows, others)] / lengths ** 2).sum(-1))
        return (1 + r + r * r / 3) * np.exp(-r)

    def covariance(self, theta, rows, others, same):
        """With the nugget, which is a part of the answer of a deterministic code, where the points are the same."""
        return np.exp(2 * theta[0]) * (self.correlation(theta, rows, others) + np.exp(theta[-1]) * same)

    def trend(self, below):
        """The regressors, with means and precisions of their coefficients: the constant, and rho."""
        constant = np.ones((len(below), 1))
        if self.is_first:
            return constant, np.zeros(1), np.zeros(1)
        means = np.array([0.0, 1.0])
        if self.with_priors:
            precisions = 1 / np.array([2 * self.scale, 0.3]) ** 2
        else:
            precisions = np.array([0.0, 0.0 if self.counted >= 4 else 1e12])
        return np.hstack([constant, below[:, None]]), means, precisions

    def fitted(self, theta, rows, y, below):
        """Factor, coefficients of the trend and their precision; the negative log likelihood with the trend integrated out."""
        self.counted = len(rows)
        h, prior_mean, prior_precision = self.trend(below)
        k = self.covariance(theta, rows, rows, np.eye(len(rows))) + 1e-10 * np.exp(2 * theta[0]) * np.eye(len(rows))
        factor = cholesky(k, lower=True)
        hk, r = solve_triangular(factor, h, lower=True), solve_triangular(factor, y - h @ prior_mean, lower=True)
        precision = hk.T @ hk + np.diag(prior_precision)
        step = np.linalg.solve(precision, hk.T @ r)
        value = 0.5 * (r @ r - step @ precision @ step) + np.log(np.diag(factor)).sum() + 0.5 * np.linalg.slogdet(precision)[1]
        return value, factor, prior_mean + step, precision

    def objective(self, theta, rows, y, below):
        try:
            value = self.fitted(theta, rows, y, below)[0]
        except np.linalg.LinAlgError:
            return 1e10
        if self.with_priors:
            value += 0.5 * (((theta[1:1 + self.lengths] - np.log(0.7)) / 1.0) ** 2).sum()
            if not self.is_first:
                value += 0.5 * (theta[0] - np.log(self.scale)) ** 2
        return value if np.isfinite(value) else 1e10

    def learn(self, rows, y, below):
        spread = max(np.std(y if self.is_first else y - below), 1e-3)
        bounds = [(np.log(1e-3), np.log(30.0))] + [(np.log(0.03), np.log(10.0))] * self.lengths + [(np.log(1e-8), np.log(10.0))]
        starts = [np.array([np.log(spread)] + [np.log(length)] * self.lengths + [np.log(nugget)])
                  for length, nugget in ((0.5, 1e-4), (0.1, 1e-2), (1.5, 1e-1))]
        starts += [self.theta] if self.theta is not None else []
        starts += [np.array([self.random.uniform(*bound) for bound in bounds]) for _ in range(STARTS - len(starts))]
        found = [minimize(self.objective, start, (rows, y, below), method="L-BFGS-B", bounds=bounds) for start in starts]
        self.theta = min(found, key=lambda one: one.fun).x
        self.learned_from = len(rows)

    def condition(self, rows, y, below, learn):
        """`below`: the level below at all points, as known or as predicted; its own uncertainty is left to the caller."""
        everywhere, below = below, below[rows]
        if learn or self.theta is None or len(rows) >= REFIT * self.learned_from:
            self.learn(rows, y, below)
        _, factor, coefficients, precision = self.fitted(self.theta, rows, y, below)
        self.coefficients = coefficients
        h, every = self.trend(below)[0], np.arange(len(self.x))
        cross = self.covariance(self.theta, rows, every, np.equal.outer(rows, every))
        explained = solve_triangular(factor, cross, lower=True)
        self.mean = coefficients[0] + cross.T @ cho_solve((factor, True), y - h @ coefficients)
        # Universal kriging: what is not known of the constant and of rho.
        unexplained = self.trend(everywhere)[0] - explained.T @ solve_triangular(factor, h, lower=True)
        self.left = (self.covariance(self.theta, every, every, np.eye(len(every))) - explained.T @ explained
                     + unexplained @ np.linalg.solve(precision, unexplained.T))
        self.variance = np.clip(np.diag(self.left), 0, None)
        self.variance[rows] = 0

    def rho(self):
        return 1.0 if self.is_first else self.coefficients[1]

    def gains(self):
        """What the sum of the variance over the pool falls by if d_k becomes known at a point."""
        gains = (self.left ** 2).sum(axis=0) / np.maximum(self.variance, 1e-12 * np.exp(2 * self.theta[0]))
        gains[self.variance <= 0] = 0
        return gains


class CoKriging:
    """Levels from the cheapest to the finest; `scales`: what is declared of the error of each but the finest."""

    def __init__(self, x, answers, costs, scales, with_priors, seed):
        random = np.random.default_rng(seed)
        self.answers, self.costs = answers, np.array(costs, dtype=float)
        self.parts = [Difference(x, 1.0 if k == 0 else float(np.hypot(scales[k - 1], scales[k] if k < len(scales) else 0.0)), k == 0,
                                 with_priors, random) for k in range(len(costs))]
        self.known = [[] for _ in costs]

    def add(self, row, level):
        """At the level and, where they are missing, at all cheaper ones; what that costs."""
        cost = 0.0
        for k in range(level + 1):
            if row not in self.known[k]:
                self.known[k].append(row)
                cost += self.costs[k]
        return cost

    def update(self, learn=False):
        """Also makes the prediction of the finest level over the pool; known answers of a level are used as they are."""
        self.mean = self.variance = np.zeros(len(self.answers[0]))
        for k, part in enumerate(self.parts):
            rows = np.array(self.known[k])
            part.condition(rows, self.answers[k][rows], self.mean, learn)
            self.variance = part.rho() ** 2 * self.variance + part.variance
            self.mean = part.rho() * self.mean + part.mean
            self.variance[rows], self.mean[rows] = 0, self.answers[k][rows]

    def best(self, budget):
        """The point and level of the largest gain per price within the budget; None if there is none."""
        weight, weights = 1.0, []
        for part in reversed(self.parts):
            weights.insert(0, weight)
            weight *= part.rho() ** 2
        points = len(self.answers[0])
        gain, price = np.zeros(points), np.zeros(points)
        best = None
        for k, part in enumerate(self.parts):
            missing = np.ones(points, dtype=bool)
            missing[self.known[k]] = False
            gain = gain + missing * weights[k] * part.gains()
            price = price + missing * self.costs[k]
            open_ = missing & (price <= budget * (1 + 1e-9))
            if not open_.any():
                continue
            ratio = np.where(open_, gain / np.maximum(price, 1e-12), -np.inf)
            row = int(np.argmax(ratio))
            if best is None or ratio[row] > best[0]:
                best = (ratio[row], row, k)
        return best and best[1:]


def campaign(x, answers, costs, scales, initial, budget, with_priors, seed):
    """`initial`: rows and levels of the first answers. Mean, variance and the number of answers by level."""
    model = CoKriging(x, answers, costs, scales, with_priors, seed)
    for row, level in initial:
        budget -= model.add(row, level)
    model.update(learn=True)
    while (choice := model.best(budget)) is not None:
        budget -= model.add(*choice)
        model.update()
    model.update(learn=True)
    return model.mean, model.variance, [len(rows) for rows in model.known]
