"""W4 in numpy by the published method: expectation propagation from zero sites in every step, updates to a negative
precision skipped, tolerance 1e-2, the information by its Taylor approximation. Of the posterior covariance of the pool
only the diagonal is computed, which the published code does not spare itself.
"""
import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import erf, ndtr

from workload_data import Classification, measure, mix_one, parse_arguments, rbf

LN2 = np.log(2.0)


def propagate(kernel, labels, accuracy, tolerance=1e-2, sweeps=100):
    """The sites (precision, shift) of all labels."""
    n = len(labels)
    tau, nu = np.zeros(n), np.zeros(n)
    sigma, mu = kernel.copy(), np.zeros(n)
    gain = 2.0 * accuracy - 1.0
    for _ in range(sweeps):
        before = tau.copy(), nu.copy()
        for i in range(n):
            variance = sigma[i, i]
            cavity_tau, cavity_nu = 1.0 / variance - tau[i], mu[i] / variance - nu[i]
            if cavity_tau <= 0.0:
                continue
            v, m = 1.0 / cavity_tau, cavity_nu / cavity_tau
            root = np.sqrt(1.0 + v)
            z = labels[i] * m / root
            density = gain[i] * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
            ratio = density / (1.0 - accuracy[i] + gain[i] * ndtr(z))
            mean = m + labels[i] * v * ratio / root
            spread = v - v * v * ratio * (z + ratio) / (1.0 + v)
            new_tau = 1.0 / spread - cavity_tau
            if not new_tau > 0.0:
                continue
            step = new_tau - tau[i]
            tau[i], nu[i] = new_tau, mean / spread - cavity_nu
            column = sigma[:, i].copy()
            sigma -= np.outer(column * (step / (1.0 + step * column[i])), column)
            mu = sigma @ nu
        root = np.sqrt(tau)
        factor = cholesky(np.eye(n) + root[:, None] * kernel * root, lower=True, check_finite=False)
        half = solve_triangular(factor, root[:, None] * kernel, lower=True, check_finite=False)
        sigma = kernel - half.T @ half
        mu = sigma @ nu
        if max(np.abs(tau - before[0]).max(), np.abs(nu - before[1]).max()) < tolerance:
            break
    return tau, nu


def predict(x, kernel, tau, nu, pool, lengthscale):
    root = np.sqrt(tau)
    factor = cholesky(np.eye(len(x)) + root[:, None] * kernel * root, lower=True, check_finite=False)
    k = rbf(x, pool, lengthscale)
    half = solve_triangular(factor, root * (kernel @ nu), lower=True, check_finite=False)
    weights = nu - root * solve_triangular(factor, half, lower=True, trans=1, check_finite=False)
    mean = weights @ k
    k *= root[:, None]
    v = solve_triangular(factor, k, lower=True, overwrite_b=True, check_finite=False)
    return mean, np.maximum(1.0 - np.einsum("ij,ij->j", v, v), 0.0)


def capacity(gain):
    """Bits that a symmetric channel carries; exact next to gains of 1."""
    p, q = 0.5 * (1.0 + gain), 0.5 * (1.0 - gain)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 + (p * np.log(p) + np.where(q > 0.0, q * np.log(q), 0.0)) / LN2


class Taylor:
    def __init__(self, accuracy):
        self.gain = 2.0 * accuracy - 1.0
        self.top = capacity(self.gain)
        self.curvature = self.gain**2 / (np.pi * LN2 * self.top)

    def __call__(self, mean, variance):
        spread = 2.0 * variance[:, None] * self.curvature
        expected = np.exp(-self.curvature * (mean * mean)[:, None] / (1.0 + spread)) / np.sqrt(1.0 + spread)
        sure = erf(np.abs(mean) / np.sqrt(2.0 * (1.0 + variance)))
        return self.top * (1.0 - expected) - capacity(self.gain * sure[:, None])


def main():
    problem = Classification(parse_arguments())

    def work():
        points, labels = list(range(problem.initial)), list(problem.classes[:problem.initial])
        accuracy, is_open = [1.0] * problem.initial, np.ones(len(problem.pool), bool)
        is_open[points] = False
        information = Taylor(problem.accuracy)
        chosen, levels, hashed = [], [], 0
        while True:
            x = problem.pool[points]
            kernel = rbf(x, x, problem.lengthscale)
            tau, nu = propagate(kernel, np.array(labels), np.array(accuracy))
            mean, variance = predict(x, kernel, tau, nu, problem.pool, problem.lengthscale)
            if len(points) == problem.annotations:
                break
            scores = information(mean, variance) / problem.cost
            scores[~is_open] = -np.inf
            point, level = (int(i) for i in np.unravel_index(np.argmax(scores), scores.shape))
            points.append(point)
            labels.append(problem.answer(point, level))
            accuracy.append(problem.accuracy[level])
            is_open[point] = False
            chosen.append(point)
            levels.append(level)
            hashed = mix_one(hashed ^ (point * 65536 + level))
        return {"sig": f"{hashed:016x}", "points": chosen, "levels": levels, "mean_sum": mean.sum(),
                "variance_sum": variance.sum(), "right": float(np.mean(mean * problem.classes > 0.0))}

    measure("numpy EP, published method", problem, work)


main()
