#!/usr/bin/env python3
"""Reference values of docs/math.md 12.8 in arbitrary precision: python3 meshes.py > ../meshes.json (needs mpmath)."""

import json
import random

from mpmath import exp, log, matrix, mp, mpf, pi, sqrt

mp.dps = 50


def rounded(values):
    if isinstance(values, (list, tuple)):
        return [rounded(value) for value in values]
    return float(mp.nstr(values, 17))


def matern52(rho):
    return (1 + sqrt(5) * rho + mpf(5) / 3 * rho**2) * exp(-sqrt(5) * rho)


def distance(x, y, lengths):
    return sqrt(sum(((a - b) / l) ** 2 for a, b, l in zip(x, y, lengths)))


def multiple(case, theta, level):
    """Of the error that all meshes share; the reference has none."""
    h = case["h"][level]
    if level == case["reference"]:
        return mpf(0)
    limit = case["h"][case["reference"]] ** theta["p"] if case["reference"] is not None else mpf(0)
    return h ** theta["p"] - limit


def answer_covariance(case, theta, x, k, y, q):
    """math.md eq. (12.21) for answers of levels k and q; None stands for f."""
    found = theta["a"] ** 2 * matern52(distance(x, y, theta["l"]))
    if k is None or q is None:
        return found
    error = case["beta"] ** 2 + theta["tau"] ** 2 * matern52(distance(x, y, [theta["phi"] * l for l in theta["l"]]))
    return found + multiple(case, theta, k) * multiple(case, theta, q) * error


def gram(case, theta):
    n = len(case["X"])
    k = matrix(n, n)
    for i in range(n):
        for j in range(n):
            k[i, j] = answer_covariance(case, theta, case["X"][i], case["level"][i], case["X"][j], case["level"][j])
        k[i, i] += case["noise"][i]
    return k


def log_likelihood(case, theta):
    k = gram(case, theta)
    factor = mp.cholesky(k)
    residual = matrix([y - case["mean"] for y in case["y"]])
    determinant = 2 * sum(log(factor[i, i]) for i in range(len(case["y"])))
    return -(determinant + (residual.T * mp.lu_solve(k, residual))[0] + len(case["y"]) * log(2 * pi)) / 2


def gradient(case, theta):
    """By central differences in the log parameters, exact to more digits than are kept: a, l, tau, phi, p."""
    step = mpf(10) ** -15
    names = [("a", None)] + [("l", k) for k in range(len(theta["l"]))] + [("tau", None), ("phi", None), ("p", None)]
    found = []
    for name, k in names:
        def moved(by):
            other = dict(theta)
            other[name] = theta[name] * exp(by) if k is None else [l * exp(by) if j == k else l for j, l in enumerate(theta[name])]
            return log_likelihood(case, other)
        found.append((moved(step) - moved(-step)) / (2 * step))
    return found


def posterior(case, theta, level):
    """Mean and variance at the test points of f (None), or of the answer of a level without noise."""
    inverse = mp.inverse(gram(case, theta))
    residual = matrix([y - case["mean"] for y in case["y"]])
    means, variances = [], []
    for x in case["X_test"]:
        column = matrix([answer_covariance(case, theta, one, k, x, level) for one, k in zip(case["X"], case["level"])])
        means.append(case["mean"] + (column.T * inverse * residual)[0])
        variances.append(answer_covariance(case, theta, x, level, x, level) - (column.T * inverse * column)[0])
    return means, variances


def main():
    random.seed(12)
    number = lambda low, high, digits=3: mpf(repr(round(random.uniform(low, high), digits)))
    cases = []
    for reference, sizes in ((None, ("1", "0.5", "0.25")), (2, ("1", "0.4", "0.2")), (1, ("1", "0.5", "0.125", "0.25"))):
        n = 9
        case = {"reference": reference, "h": [mpf(size) for size in sizes], "beta": mpf("0.7"), "mean": mpf("0.3")}
        case["X"] = [[number(-2, 2), number(-2, 2)] for _ in range(n)]
        case["level"] = [i % len(sizes) for i in range(n)]
        case["y"] = [number(-2, 2) for _ in range(n)]
        case["noise"] = [mpf("0.01") * (1 + i % 3) for i in range(n)]
        case["X_test"] = [[number(-2.5, 2.5), number(-2.5, 2.5)] for _ in range(4)]
        theta = {"a": mpf("1.3"), "l": [mpf("1.1"), mpf("1.9")], "tau": mpf("0.8"), "phi": mpf("1.4"), "p": mpf("1.7")}
        means, variances = posterior(case, theta, None)
        at_levels = [posterior(case, theta, k) for k in range(len(sizes))]
        cases.append({key: rounded(value) if value is not None and key not in ("reference", "level") else value
                      for key, value in {**case, **theta}.items()}
                     | {"log_marginal_likelihood": rounded(log_likelihood(case, theta)),
                        "gradient": rounded(gradient(case, theta)), "f_mean": rounded(means), "f_var": rounded(variances),
                        "answer_mean": [rounded(one[0]) for one in at_levels],
                        "answer_var": [rounded(one[1]) for one in at_levels]})
    print(json.dumps({"about": "errors of meshes, docs/math.md 12.8, by make/meshes.py", "cases": cases}, indent=1))


if __name__ == "__main__":
    main()
