"""W6 with scikit-learn: amplitude, one length scale per input and white noise, as its users do it in a loop: every fit
starts from the kernel of the last. What is compared at the end is its best of five starts, which is not timed.
"""
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from workload_data import CampaignLearning, measure, parse_arguments

warnings.simplefilter("ignore", ConvergenceWarning)


class Counted(GaussianProcessRegressor):
    evaluations = 0

    def log_marginal_likelihood(self, *arguments, **named):
        Counted.evaluations += 1
        return super().log_marginal_likelihood(*arguments, **named)


def first_kernel(problem):
    inputs = problem.x.shape[1]
    return (ConstantKernel(1.0, (1e-5, 1e5)) * Matern(np.ones(inputs), (1e-3, 1e5), nu=2.5)
            + WhiteKernel(0.05, (1e-6, 1e2)))


def fit(problem, n, kernel, **options):
    # WhiteKernel is the noise; alpha is left at its default, which is for rounding.
    values = problem.values[:n]
    return Counted(kernel, **options).fit(problem.x[:n], values - values.mean())


def main():
    problem = CampaignLearning(parse_arguments())

    def work():
        kernel, total = first_kernel(problem), 0.0
        for n in problem.sizes:
            model = fit(problem, n, kernel)
            kernel = model.kernel_
            total += model.log_marginal_likelihood_value_
        return {"likelihood": model.log_marginal_likelihood_value_, "likelihood_sum": total,
                "evaluations": Counted.evaluations, "fits": len(problem.sizes)}

    def best_of_five():
        model = fit(problem, problem.sizes[-1], first_kernel(problem), n_restarts_optimizer=4, random_state=1)
        return {"best_likelihood": model.log_marginal_likelihood_value_}

    measure("scikit-learn", problem, work, after=best_of_five)


main()
