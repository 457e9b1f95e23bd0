"""W5 with scikit-learn: one call of predict for the whole pool, or with --block one for every so many points of it."""
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from workload_data import Prediction, measure, parse_arguments, slices


def main():
    arguments = parse_arguments(blocks=True)
    problem = Prediction(arguments)

    def work():
        model = GaussianProcessRegressor(RBF(problem.lengthscale, "fixed"), alpha=0.01, optimizer=None,
                                         copy_X_train=False)
        model.fit(problem.x, problem.values)
        mean_sum = variance_sum = 0.0
        for rows in slices(len(problem.pool), arguments.block):
            mean, deviation = model.predict(problem.pool[rows], return_std=True)
            mean_sum += mean.sum()
            variance_sum += (deviation**2).sum()
        return {"mean_sum": mean_sum, "variance_sum": variance_sum}

    measure("scikit-learn", problem, work)


main()
