"""The part of W4 that scikit-learn can do: Laplace's approximation of a logistic likelihood. It knows no labels that
may be flipped and gives no latent variance, so there are no levels: the point of highest entropy is asked at full
precision. It needs both classes to start, hence 20 initial points.
"""
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from workload_data import Classification, measure, parse_arguments


def main():
    arguments = parse_arguments()
    arguments.initial = arguments.initial or 20
    problem = Classification(arguments)
    kernel = RBF(problem.lengthscale, "fixed")

    def work():
        points, is_open = list(range(problem.initial)), np.ones(len(problem.pool), bool)
        is_open[points] = False
        while True:
            model = GaussianProcessClassifier(kernel, optimizer=None, copy_X_train=False)
            model.fit(problem.pool[points], problem.classes[points])
            margin = np.abs(model.predict_proba(problem.pool)[:, 1] - 0.5)
            if len(points) == problem.annotations:
                break
            margin[~is_open] = np.inf
            points.append(int(np.argmin(margin)))
            is_open[points[-1]] = False
        return {"right": float(np.mean(model.predict(problem.pool) == problem.classes))}

    measure("scikit-learn Laplace (subset)", problem, work)


main()
