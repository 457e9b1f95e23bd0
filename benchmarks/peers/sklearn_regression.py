"""W1 and W2 with scikit-learn: the model is fitted again in every step, at fixed kernel, and asked about the whole pool
in one call, or with --block about so many points at a time. With --some-steps five of the steps, evenly spread, are
measured, and stand for all.
"""
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from workload_data import Chooser, Regression, measure, parse_arguments, slices

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def main():
    arguments = parse_arguments(flags=("some-steps",), blocks=True)
    problem = Regression(arguments)
    kernel = RBF(problem.lengthscale, "fixed")
    mean, deviation = np.empty(len(problem.pool)), np.empty(len(problem.pool))

    def predict(points, noise):
        model = GaussianProcessRegressor(kernel, alpha=np.array(noise), optimizer=None, copy_X_train=False)
        model.fit(problem.pool[points], problem.values[points])
        for rows in slices(len(problem.pool), arguments.block):
            mean[rows], deviation[rows] = model.predict(problem.pool[rows], return_std=True)
        return mean, deviation**2

    def all_steps():
        points = list(range(problem.initial))
        noise = list(problem.noise[:problem.initial])
        chooser = Chooser(problem)
        for _ in range(problem.annotations - problem.initial):
            point, level = chooser.choose(predict(points, noise)[1])
            points.append(point)
            noise.append(problem.noise[point] + problem.added[level])
        mean, variance = predict(points, noise)
        return {**chooser.report(), "mean_sum": mean.sum(), "variance_sum": variance.sum()}

    def some_steps():
        steps = problem.annotations - problem.initial
        for share in SHARES:
            n = problem.initial + int(share * steps)
            Chooser(problem).choose(predict(list(range(n)), list(problem.noise[:n]))[1])
        return {"times": steps / len(SHARES)}

    if arguments.some_steps:
        some_steps()  # what only the first use of memory costs is not to be multiplied
    measure("scikit-learn", problem, some_steps if arguments.some_steps else all_steps)


main()
