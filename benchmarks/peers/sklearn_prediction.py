"""W5 with scikit-learn; the pool in blocks, so that memory stays bounded."""
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from workload_data import Prediction, measure, parse_arguments

BLOCK = 2000


def main():
    problem = Prediction(parse_arguments())

    def work():
        model = GaussianProcessRegressor(RBF(problem.lengthscale, "fixed"), alpha=0.01, optimizer=None,
                                         copy_X_train=False)
        model.fit(problem.x, problem.values)
        mean_sum = variance_sum = 0.0
        for begin in range(0, len(problem.pool), BLOCK):
            mean, deviation = model.predict(problem.pool[begin:begin + BLOCK], return_std=True)
            mean_sum += mean.sum()
            variance_sum += (deviation**2).sum()
        return {"mean_sum": mean_sum, "variance_sum": variance_sum}

    measure("scikit-learn", problem, work)


main()
