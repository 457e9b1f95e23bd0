"""W1 and W2 in numpy. `incremental` is the careful way: a row of L^-1 K for every annotation, O(n M) a step. `inverse`
is the published method: the inverse of K + noise recomputed in every step.
"""
import numpy as np

from workload_data import Chooser, Regression, measure, parse_arguments, rbf


class Incremental:
    def __init__(self, problem):
        self.problem, self.n = problem, 0
        self.norms = np.einsum("ij,ij->i", problem.pool, problem.pool)
        self.rows = np.empty((problem.annotations, len(problem.pool)))  # L^-1 K, one row per annotation
        self.mean, self.variance = np.zeros(len(problem.pool)), np.ones(len(problem.pool))

    def condition(self, point, noise, value):
        pool, row = self.problem.pool, self.rows[self.n]
        np.dot(pool, pool[point], out=row)
        row *= -2.0
        row += self.norms
        row += self.norms[point]
        np.maximum(row, 0.0, out=row)
        row *= -0.5 / self.problem.lengthscale**2
        np.exp(row, out=row)
        if self.n:
            row -= self.rows[:self.n, point] @ self.rows[:self.n]
        pivot = np.sqrt(self.variance[point] + noise)
        row /= pivot
        self.mean += row * ((value - self.mean[point]) / pivot)
        self.variance -= row * row
        self.n += 1


class Inverse:
    def __init__(self, problem):
        self.problem, self.points, self.noise = problem, [], []

    def condition(self, point, noise, value):
        self.points.append(point)
        self.noise.append(noise)

    @property
    def variance(self):
        x = self.problem.pool[self.points]
        inverse = np.linalg.inv(rbf(x, x, self.problem.lengthscale) + np.diag(self.noise))
        k = rbf(x, self.problem.pool, self.problem.lengthscale)
        self.mean = k.T @ (inverse @ self.problem.values[self.points])
        return np.maximum(1.0 - np.einsum("ij,ij->j", k, inverse @ k), 0.0)


def main():
    arguments = parse_arguments(methods=("incremental", "inverse"))
    problem = Regression(arguments)

    def work():
        belief = Incremental(problem) if arguments.method == "incremental" else Inverse(problem)
        chooser = Chooser(problem)
        for point in range(problem.initial):
            belief.condition(point, problem.noise[point], problem.values[point])
        for _ in range(problem.annotations - problem.initial):
            point, level = chooser.choose(belief.variance)
            belief.condition(point, problem.noise[point] + problem.added[level], problem.values[point])
        variance = belief.variance
        return {**chooser.report(), "mean_sum": belief.mean.sum(), "variance_sum": variance.sum()}

    measure(f"numpy {arguments.method}", problem, work)


main()
