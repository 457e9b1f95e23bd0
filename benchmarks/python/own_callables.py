#!/usr/bin/python3
"""What a kernel or a cost of your own in Python costs, beside the built-in ones. Prints wall time, the best of some runs."""

import time

import numpy as np

import acuity


class Rbf(acuity.Kernel):
    """The built-in kernel once more, in numpy."""

    def __init__(self, amplitude=1.0, lengthscale=1.0):
        self.amplitude, self.lengthscale = amplitude, lengthscale

    def covariance(self, a, b):
        squares = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1) - 2 * a @ b.T
        return self.amplitude**2 * np.exp(-0.5 * np.maximum(squares, 0) / self.lengthscale**2)

    def diagonal(self, x):
        return np.full(len(x), self.amplitude**2)

    def log_parameters(self):
        return np.log([self.amplitude, self.lengthscale])

    def with_log_parameters(self, log_parameters):
        return Rbf(*np.exp(log_parameters))


def milliseconds(work, times=7):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return 1e3 * min(taken)


random = np.random.default_rng(0)
X = random.uniform(0, 3, (300, 2))
y = np.sin(X.sum(axis=1)) + random.normal(0, 0.1, 300)
pool = random.uniform(0, 3, (6000, 2))


def fitted(kernel, optimiser=None):
    return acuity.GPRegressor(kernel=kernel, noise_variance=0.01, optimiser=optimiser, restarts=0).fit(X, y)


def fifty_steps(selector):
    for _ in range(50):
        selector.tell(selector.next(), 0.1)


def main():
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 1))
    print("300 answers, 2 inputs, a pool of 6000, 100 levels; milliseconds")
    print("kernel         fit  predict the pool  select  50 steps of a Selector")
    for name, kernel in (("built in", "rbf"), ("your own", Rbf())):
        model = fitted(kernel)
        learn = milliseconds(lambda: fitted(kernel, "lbfgs"))
        predict = milliseconds(lambda: model.predict(pool, return_std=True))
        select = milliseconds(lambda: acuity.select(pool, model, ladder, noise_variance=0.01))
        selectors = iter([acuity.Selector(pool, model, ladder, noise_variance=0.01) for _ in range(7)])
        steps = milliseconds(lambda: fifty_steps(next(selectors)))
        print(f"{name:10} {learn:7.1f} {predict:17.1f} {select:7.1f} {steps:8.1f}")
    print("cost           100 levels  continuous  (select)")
    model = fitted("rbf")
    costs = {"built in": acuity.costs.power(9, 1), "formula": "(1 + 9/alpha)^-1", "your own": lambda alpha: 1 / (1 + 9 / alpha)}
    for name, cost in costs.items():
        times = [
            milliseconds(lambda: acuity.select(pool, model, ladder, noise_variance=0.01))
            for ladder in (acuity.Ladder(0.09, cost), acuity.Ladder(0.09, cost, continuous=True))
        ]
        print(f"{name:10} {times[0]:14.1f} {times[1]:11.1f}")


if __name__ == "__main__":
    main()
