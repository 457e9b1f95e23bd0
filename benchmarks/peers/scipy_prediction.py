"""W5 done well in numpy and scipy: one Cholesky factor in place, the pool in blocks, kernels by products of matrices."""
import numpy as np
from scipy.linalg import cholesky, solve_triangular

from workload_data import Prediction, measure, parse_arguments, rbf

BLOCK = 1000


def main():
    problem = Prediction(parse_arguments())

    def work():
        n = len(problem.x)
        covariance = rbf(problem.x, problem.x, problem.lengthscale)
        covariance[np.diag_indices(n)] += 0.01
        # Symmetric, so its transpose is the same matrix in the order LAPACK works on in place.
        factor = cholesky(covariance.T, lower=True, overwrite_a=True, check_finite=False)
        residual = solve_triangular(factor, problem.values, lower=True, check_finite=False)
        mean, variance = np.empty(len(problem.pool)), np.empty(len(problem.pool))
        for begin in range(0, len(problem.pool), BLOCK):
            rows = slice(begin, min(begin + BLOCK, len(problem.pool)))
            k = rbf(problem.pool[rows], problem.x, problem.lengthscale).T
            v = solve_triangular(factor, k, lower=True, overwrite_b=True, check_finite=False)
            mean[rows] = residual @ v
            variance[rows] = 1.0 - np.einsum("ij,ij->j", v, v)
        return {"mean_sum": mean.sum(), "variance_sum": variance.sum()}

    measure("numpy/scipy", problem, work)


main()
