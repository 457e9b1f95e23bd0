#!/usr/bin/python3
"""acuity fit against scikit-learn's GaussianProcessRegressor: the log evidence of ours must reach, within 0.1 nat, the
best of scikit-learn's multi-start L-BFGS on the same data, kernel and noise, with as many starts.

usage: fit_against_sklearn.py ACUITY [DATA_DIR]     DATA_DIR holds concrete.csv; without it that part is skipped
"""
import csv, json, os, subprocess, sys, tempfile, warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

warnings.simplefilter("ignore", ConvergenceWarning)
KERNELS = {"rbf": lambda l: RBF(l, (1e-3, 1e5)), "matern52": lambda l: Matern(l, (1e-3, 1e5), nu=2.5),
           "matern32": lambda l: Matern(l, (1e-3, 1e5), nu=1.5)}


def ours(acuity, X, y, noise, kernel):
    with tempfile.TemporaryDirectory() as folder:
        names = [f"x{k}" for k in range(X.shape[1])]
        with open(os.path.join(folder, "pool.csv"), "w", newline="") as file:
            csv.writer(file).writerows([names] + [[f"{v:.17g}" for v in row] for row in X])
        with open(os.path.join(folder, "A.csv"), "w", newline="") as file:
            rows = [[*(f"{v:.17g}" for v in row), f"{t:.17g}", f"{noise:.17g}"] for row, t in zip(X, y)]
            csv.writer(file).writerows([names + ["y", "noise_variance"]] + rows)
        with open(os.path.join(folder, "study.toml"), "w") as file:
            file.write(f'[pool]\nfile = "pool.csv"\nstandardise = "annotations"\n[model]\nkernel = "{kernel}"\n'
                       f'lengthscale = {[1.0] * X.shape[1]}\nmean = "annotations"\nprior = "none"\nrestarts = 6\n[noise]\nvariance = {noise}\nnugget = 0\n'
                       '[precision]\nalpha = [1]\ngamma = 1\ncost = 1\n')
        out = subprocess.run([acuity, "fit", os.path.join(folder, "study.toml"), "--annotations",
                              os.path.join(folder, "A.csv"), "--format", "json"], check=True, capture_output=True)
        return json.loads(out.stdout)


def theirs(X, y, noise, kernel, starts=6):
    Z = (X - X.mean(0)) / np.where(X.std(0) > 0, X.std(0), 1)
    model = GaussianProcessRegressor(ConstantKernel(y.var(), (1e-4, 1e8)) * KERNELS[kernel](np.full(X.shape[1], 3.0)),
                                     alpha=noise, n_restarts_optimizer=starts, random_state=0)
    return model.fit(Z, y - y.mean()).log_marginal_likelihood_value_


def generated(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d)) * 10.0 ** rng.integers(-2, 3, d)
    Z = X / X.std(0)
    return X, np.sin(1.3 * Z[:, 0]) * 3 + Z[:, 1] ** 2 + 0.5 * Z[:, 0] * Z[:, 2] + 0.1 * rng.standard_normal(n)


def main():
    acuity = sys.argv[1]
    data = os.environ.get("ACUITY_DATA_DIR") or (sys.argv[2] if len(sys.argv) > 2 else "")
    problems = [(f"generated n={n} d={d}", *generated(n, d, n), 0.01, kernel)
                for n, d, kernel in [(80, 8, "rbf"), (150, 10, "matern52"), (200, 13, "rbf"), (120, 8, "matern32")]]
    table = os.path.join(data, "concrete.csv")
    if data and os.path.exists(table):
        rows = np.loadtxt(table, delimiter=",", skiprows=1)
        for n, seed, kernel, noise in [(100, 1, "rbf", 1e-3), (300, 2, "rbf", 10.0), (300, 3, "matern52", 10.0), (400, 4, "rbf", 1.0)]:
            some = rows[np.random.default_rng(seed).permutation(len(rows))[:n]]
            problems.append((f"concrete n={n}", some[:, :-1], some[:, -1], noise, kernel))
    else:
        print("concrete.csv: not there, skipped")
    failed = 0
    for name, X, y, noise, kernel in problems:
        fit, reference = ours(acuity, X, y, noise, kernel), theirs(X, y, noise, kernel)
        difference = fit["log_marginal_likelihood"] - reference
        bad = difference < -0.1
        failed += bad
        print(f"{name:24} {kernel:9} ours {fit['log_marginal_likelihood']:12.4f}  scikit-learn {reference:12.4f}"
              f"  difference {difference:+.4f}{'  FAILED' if bad else ''}", flush=True)
    sys.exit(1 if failed else 0)


main()
