"""The strongest rival that numpy allows: a Gaussian process as the R package RobustGaSP has it, and a choice of row and level by the
expected fall of the variance over the pool per price (ALC).

The covariance is a product of one-dimensional Maternes 5/2, the constant mean is integrated out, the nugget is learned, and length scales
are the mode under the jointly robust prior (Gu 2019): it keeps them away from 0 and from infinity, where likelihoods are flat. Several starts
are climbed. No code of that package is used.
"""
import numpy
import scipy.linalg, scipy.optimize

import metrics

CANDIDATES, CLIMBED = 16, 3  # starts that are evaluated, and the best of them that are climbed; besides a smooth one and the last values
GROWTH = 1.15                # learned again when there are so many times the answers
JITTER = 1e-8                # least nugget, of the variance of f
PRIOR_A = 0.2                # of the jointly robust prior, as in the package


class Process:
    """A fit. Inputs are in comparable units; `noise` is the known variance of each answer, besides the nugget; y in any units."""

    def __init__(self, x, y, noise=0.0):
        self.x, self.center, self.unit = x, float(numpy.mean(y)), float(numpy.std(y)) or 1.0
        self.y = (y - self.center) / self.unit
        self.noise = numpy.broadcast_to(noise, len(y)) / self.unit**2
        self.distance = numpy.abs(x[:, None, :] - x[None, :, :])
        n, inputs = x.shape
        spread = numpy.ptp(x, axis=0)
        self.prior_scale, self.prior_b = numpy.where(spread > 0, spread, 1.0) / n ** (1 / inputs), (PRIOR_A + inputs) / n ** (1 / inputs)
        self.theta = None

    def starts(self, random, last=None):
        """log length scales, log nugget (of the variance of f), log variance of f (of the variance of y)."""
        n, inputs = self.x.shape
        spread = numpy.log(numpy.where((s := numpy.ptp(self.x, axis=0)) > 0, s, 1.0))
        drawn = [numpy.concatenate([spread + numpy.log(inputs) / 2 + random.uniform(-2.0, 1.5) + random.uniform(-1.0, 1.0, inputs),
                                    [random.uniform(numpy.log(1e-5), numpy.log(0.5)), random.uniform(-0.5, 1.5)]])
                 for _ in range(CANDIDATES)]
        drawn.sort(key=lambda theta: self.objective(theta)[0])
        smooth = numpy.concatenate([spread + numpy.log(inputs) / 2 + 0.5, [numpy.log(1e-3), 1.0]])
        return [smooth, *drawn[:CLIMBED]] + ([last] if last is not None else [])

    def covariance(self, theta):
        r = numpy.sqrt(5.0) * self.distance / numpy.exp(theta[:-2])
        k = numpy.prod(1 + r + r * r / 3, axis=2) * numpy.exp(-r.sum(axis=2))
        return r, k

    def objective(self, theta):
        """Minus the log posterior density, and its gradient."""
        n, ones = len(self.y), numpy.ones(len(self.y))
        nugget, variance = numpy.exp(theta[-2]) + JITTER, numpy.exp(theta[-1])
        r, k = self.covariance(theta)
        full = variance * k
        full[numpy.diag_indices(n)] += variance * nugget + self.noise
        try:
            factor = scipy.linalg.cho_factor(full, lower=True)
        except scipy.linalg.LinAlgError:
            return 1e10, numpy.zeros_like(theta)
        inverse = scipy.linalg.cho_solve(factor, numpy.eye(n))
        u = inverse @ ones
        weight = u.sum()
        mean = u @ self.y / weight
        a = inverse @ (self.y - mean)
        value = numpy.log(numpy.diag(factor[0])).sum() + 0.5 * numpy.log(weight) + 0.5 * (self.y - mean) @ a
        w = inverse - numpy.outer(u, u) / weight - numpy.outer(a, a)  # 2 d value / d full
        wk = variance * w * k
        gradient = numpy.array([0.5 * numpy.sum(wk * slope) for slope in numpy.moveaxis(r * r * (1 + r) / (3 + 3 * r + r * r), 2, 0)]
                               + [0.5 * variance * numpy.exp(theta[-2]) * numpy.trace(w),
                                  0.5 * (wk.sum() + variance * nugget * numpy.trace(w))])
        inverse_lengths = self.prior_scale * numpy.exp(-theta[:-2])
        t = inverse_lengths.sum() + numpy.exp(theta[-2])
        slope = self.prior_b - PRIOR_A / t
        gradient[:-2] -= slope * inverse_lengths
        gradient[-2] += slope * numpy.exp(theta[-2])
        return value + self.prior_b * t - PRIOR_A * numpy.log(t), gradient

    def learn(self, random, last=None):
        inputs = self.x.shape[1]
        bounds = [(-7.0, 9.0)] * inputs + [(numpy.log(1e-12), numpy.log(20.0)), (-7.0, 9.0)]
        clip = lambda theta: numpy.clip(theta, *numpy.array(bounds).T)
        ends = [scipy.optimize.minimize(self.objective, clip(start), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 200})
                for start in self.starts(random, last)]
        return self.at(min(ends, key=lambda end: end.fun).x)

    def at(self, theta):
        """The belief at these hyperparameters."""
        self.theta, n = theta, len(self.y)
        self.variance, self.nugget = numpy.exp(theta[-1]), numpy.exp(theta[-1]) * (numpy.exp(theta[-2]) + JITTER)
        full = self.variance * self.covariance(theta)[1]
        full[numpy.diag_indices(n)] += self.nugget + self.noise
        self.factor = scipy.linalg.cholesky(full, lower=True)
        half = scipy.linalg.solve_triangular(self.factor, numpy.column_stack([numpy.ones(n), self.y]), lower=True)
        self.half_ones, self.weight = half[:, 0], half[:, 0] @ half[:, 0]
        self.mean = half[:, 0] @ half[:, 1] / self.weight
        self.half_residuals = half[:, 1] - self.mean * half[:, 0]
        return self

    def prior_covariance(self, x, z):
        r = numpy.sqrt(5.0) * numpy.abs(x[:, None, :] - z[None, :, :]) / numpy.exp(self.theta[:-2])
        return self.variance * numpy.prod(1 + r + r * r / 3, axis=2) * numpy.exp(-r.sum(axis=2))

    def predict(self, x):
        """Mean and variance of an answer that has the nugget and no other noise; the mean's uncertainty is included."""
        half = scipy.linalg.solve_triangular(self.factor, self.prior_covariance(self.x, x), lower=True)
        left = 1 - self.half_ones @ half
        variance = self.variance - (half**2).sum(axis=0) + left**2 / self.weight
        mean = self.mean + self.half_residuals @ half
        return self.center + self.unit * mean, self.unit**2 * (numpy.maximum(variance, 0.0) + self.nugget)

    def posterior_covariance(self, x):
        """Of f at the rows of x, mean included, in units of the variance of y."""
        half = scipy.linalg.solve_triangular(self.factor, self.prior_covariance(self.x, x), lower=True)
        left = 1 - self.half_ones @ half
        return self.prior_covariance(x, x) - half.T @ half + numpy.outer(left, left) / self.weight


def gains(covariance, noises):
    """By row and level: by how much the variances sum to less after an answer there."""
    return (covariance**2).sum(axis=0)[:, None] / (numpy.diag(covariance)[:, None] + numpy.asarray(noises)[None, :])


def conditioned(covariance, row, noise):
    """After an answer at a row."""
    column = covariance[:, row]
    return covariance - numpy.outer(column, column) / (column[row] + noise)


def campaign(problem, budget, random):
    """Buys the row and the level of the largest fall of variance over the pool per price, until nothing is affordable."""
    levels, spread = range(len(problem.levels)), problem.pool.std(axis=0)
    scale = numpy.where(spread > 0, spread, 1.0)
    pool, test = (problem.pool - problem.pool.mean(axis=0)) / scale, (problem.test - problem.pool.mean(axis=0)) / scale
    rows, bought = list(problem.initial), [problem.finest] * len(problem.initial)
    price, noise = numpy.array([level.cost for level in problem.levels]), numpy.array([problem.noise_sd(k) ** 2 for k in levels])
    left, last, learned_from = budget, None, 0

    def learned():
        return Process(pool[rows], problem.answers[rows, bought], noise[bought]).learn(random, last)

    while True:
        affordable = price <= left * (1 + 1e-9)
        is_open = numpy.ones(len(pool), dtype=bool)
        is_open[rows] = False
        if not affordable.any() or not is_open.any():
            break
        if len(rows) >= GROWTH * learned_from:
            process = learned()
            last, learned_from, covariance = process.theta, len(rows), process.posterior_covariance(pool)
        total = process.nugget + noise / process.unit**2
        worth = gains(covariance, total) / price
        worth[:, ~affordable], worth[~is_open] = -1.0, -1.0
        row, level = (int(i) for i in numpy.unravel_index(numpy.argmax(worth), worth.shape))
        covariance = conditioned(covariance, row, total[level])
        rows.append(row)
        bought.append(level)
        left -= price[level]
    mean, variance = learned().predict(test)
    counts = {level.name: bought[len(problem.initial):].count(k) for k, level in enumerate(problem.levels)}
    return {**metrics.regression_measures((problem.test_y - problem.mean) / problem.sd, (mean - problem.mean) / problem.sd,
                                          variance / problem.sd**2), "bought": counts, "spent": float(budget - left)}
