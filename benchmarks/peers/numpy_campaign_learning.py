"""W6 done well in numpy and scipy: L-BFGS on the exact gradient without arrays of n x n x inputs, distances made once per
fit, every fit on from the last. The parameters and their bounds are scikit-learn's.
"""
import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack
from scipy.optimize import minimize

from workload_data import CampaignLearning, measure, parse_arguments, squared_distances

ROOT5 = np.sqrt(5.0)
evaluations = 0


def matern52(theta, a, b):
    """Of points of the rows of a and b; theta begins with log amplitude squared and the log length scales."""
    scale = np.exp(-theta[1:1 + a.shape[1]])
    r = np.sqrt(squared_distances(a * scale, b * scale))
    r *= ROOT5
    return np.exp(theta[0]) * (1.0 + r + r * r / 3.0) * np.exp(-r)


def negative_likelihood(theta, x, values, known_noise=0.0):
    """And its gradient by log amplitude squared, log length scales and log noise variance, which is in addition to the
    known one of every answer.
    """
    global evaluations
    evaluations += 1
    n, inputs = x.shape
    variance, noise, scaled = np.exp(theta[0]), np.exp(theta[-1]), x * np.exp(-theta[1:-1])
    r = np.sqrt(squared_distances(scaled, scaled))
    r *= ROOT5
    decay = np.exp(-r)
    decay *= variance
    covariance = (1.0 + r + r * r / 3.0) * decay
    noisy = covariance.copy()
    noisy[np.diag_indices(n)] += noise + known_noise
    try:
        factor, _ = cho_factor(noisy, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return 1e25, np.zeros_like(theta)
    weights = cho_solve((factor, True), values, check_finite=False)
    value = 0.5 * values @ weights + np.log(np.diag(factor)).sum() + 0.5 * n * np.log(2.0 * np.pi)
    inverse = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    inverse -= np.outer(weights, weights)
    # d k / d log l_k = (5/3) variance (1 + r) exp(-r) times the squared distance in that input
    slope = inverse * (1.0 + r)
    slope *= decay
    rows = slope.sum(axis=1)
    by_length = (5.0 / 3.0) * (rows @ scaled**2 - np.einsum("ik,ik->k", scaled, slope @ scaled))
    gradient = np.concatenate([[0.5 * np.vdot(inverse, covariance)], by_length, [0.5 * noise * np.trace(inverse)]])
    return value, gradient


def main():
    problem = CampaignLearning(parse_arguments())
    inputs = problem.x.shape[1]
    bounds = [np.log([1e-5, 1e5])] + [np.log([1e-3, 1e5])] * inputs + [np.log([1e-6, 1e2])]

    def work():
        theta, total = np.array([0.0] * (1 + inputs) + [np.log(0.05)]), 0.0
        for n in problem.sizes:
            values = problem.values[:n]
            found = minimize(negative_likelihood, theta, (problem.x[:n], values - values.mean()), "L-BFGS-B", jac=True,
                             bounds=bounds)
            theta, total = found.x, total - found.fun
        return {"likelihood": -found.fun, "likelihood_sum": total, "evaluations": evaluations, "fits": len(problem.sizes)}

    measure("numpy/scipy", problem, work)


if __name__ == "__main__":
    main()
