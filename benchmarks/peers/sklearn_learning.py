"""W3 with scikit-learn: amplitude and one length scale per input by its own L-BFGS, from unit values, no restarts."""
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from workload_data import Learning, measure, parse_arguments

warnings.simplefilter("ignore", ConvergenceWarning)


class Counted(GaussianProcessRegressor):
    evaluations = 0

    def log_marginal_likelihood(self, *arguments, **named):
        Counted.evaluations += 1
        return super().log_marginal_likelihood(*arguments, **named)


def main():
    problem = Learning(parse_arguments())

    def work():
        likelihoods = []
        for n in problem.sizes:
            kernel = ConstantKernel(1.0) * RBF(np.ones(problem.x.shape[1]))
            model = Counted(kernel, alpha=0.01).fit(problem.x[:n], problem.values[:n])
            likelihoods.append(model.log_marginal_likelihood_value_)
        return {"likelihoods": likelihoods, "evaluations": Counted.evaluations}

    measure("scikit-learn", problem, work)


main()
