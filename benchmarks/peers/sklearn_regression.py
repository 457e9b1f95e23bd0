"""W1 and W2 with scikit-learn: the model is fitted anew in every step, at fixed kernel. With --one-step a single step
in the middle is measured and multiplied by the number of steps.
"""
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from workload_data import Chooser, Regression, measure, parse_arguments


def main():
    arguments = parse_arguments(flags=("one-step",))
    problem = Regression(arguments)
    kernel = RBF(problem.lengthscale, "fixed")

    def predict(points, noise):
        model = GaussianProcessRegressor(kernel, alpha=np.array(noise), optimizer=None, copy_X_train=False)
        model.fit(problem.pool[points], problem.values[points])
        mean, deviation = model.predict(problem.pool, return_std=True)
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

    def one_step():
        n = (problem.initial + problem.annotations) // 2
        points = list(range(n))
        Chooser(problem).choose(predict(points, list(problem.noise[:n]))[1])
        return {}

    if arguments.one_step:
        measure("scikit-learn", problem, one_step, times=problem.annotations - problem.initial)
    else:
        measure("scikit-learn", problem, all_steps)


main()
