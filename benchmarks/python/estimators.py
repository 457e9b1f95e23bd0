#!/usr/bin/python3
"""acuity's estimators beside the kernels that users of scikit-learn write, on five sets of data, as they are and scaled.

benchmarks/python/estimators.py [--splits 3] [SET...]    with the package on PYTHONPATH; one thread on both sides

scikit-learn: C * RBF + White with normalize_y, of classes C * RBF; no restarts. acuity: GPRegressor() and GPClassifier().
Regression: RMSE, NLPD and coverage of 95 % intervals of answers; classes: accuracy, log loss, calibration error in ten bins; then
CPU seconds of fit. A set fails if acuity takes more than 1.5 times as long, or is worse in the second number by more than 0.005,
or if fewer intervals cover and fewer than 93 %.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import time
import warnings

import numpy as np
from sklearn import datasets
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import acuity

SETS = {
    "diabetes": (lambda seed: datasets.load_diabetes(return_X_y=True, scaled=False), 300),
    "Friedman 1": (lambda seed: datasets.make_friedman1(600, 8, noise=1.0, random_state=seed), 200),
    "Friedman 2": (lambda seed: datasets.make_friedman2(600, noise=50.0, random_state=seed), 200),
    "moons": (lambda seed: datasets.make_moons(600, noise=0.3, random_state=seed), 150),
    "breast cancer": (lambda seed: datasets.load_breast_cancer(return_X_y=True), 250),
}


def scores_of_numbers(mean, sd, y):
    z = (y - mean) / sd
    density = 0.5 * z**2 + np.log(sd) + 0.5 * np.log(2 * np.pi)
    return np.sqrt(np.mean((y - mean) ** 2)), np.mean(density), np.mean(np.abs(z) < 1.96)


def scores_of_classes(probability, y):
    p = np.clip(probability, 1e-12, 1 - 1e-12)
    bins = np.minimum((10 * p).astype(int), 9)
    error = sum(abs(np.sum(p[bins == k] - y[bins == k])) for k in range(10)) / len(y)
    return np.mean((p > 0.5) == y), -np.mean(np.where(y, np.log(p), np.log(1 - p))), error


def of_acuity(X, y, at, truth, is_class):
    model = (acuity.GPClassifier if is_class else acuity.GPRegressor)(threads=1)
    begin = time.process_time()
    model.fit(X, y)
    taken = time.process_time() - begin
    if is_class:
        return (*scores_of_classes(model.predict_proba(at)[:, 1], truth), taken)
    return (*scores_of_numbers(*model.predict(at, return_std=True, include_noise=True), truth), taken)


def of_scikit_learn(X, y, at, truth, is_class):
    smooth = ConstantKernel() * RBF()
    model = GaussianProcessClassifier(smooth) if is_class else GaussianProcessRegressor(smooth + WhiteKernel(), normalize_y=True)
    begin = time.process_time()
    model.fit(X, y)
    taken = time.process_time() - begin
    if is_class:
        return (*scores_of_classes(model.predict_proba(at)[:, 1], truth), taken)
    return (*scores_of_numbers(*model.predict(at, return_std=True), truth), taken)


def row(name, scaled, splits):
    load, count = SETS[name]
    found = {of_acuity: [], of_scikit_learn: []}
    for seed in range(splits):
        X, y = load(seed)
        is_class = set(np.unique(y)) == {0, 1}
        train, test, y_train, y_test = train_test_split(X, y, train_size=count, random_state=seed)
        if scaled:
            scaler = StandardScaler().fit(train)
            train, test = scaler.transform(train), scaler.transform(test)
        for fit, results in found.items():
            results.append(fit(train, y_train, test, y_test, is_class))
    return np.mean(found[of_acuity], axis=0), np.mean(found[of_scikit_learn], axis=0), is_class


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"load {os.getloadavg()[0]:.1f}, {given.splits} splits, acuity {acuity.__version__} ({acuity.instruction_set()})\n")
    print("| data | acuity | scikit-learn | time | |\n|---|---|---|---|---|")
    for scaled in (False, True):
        for name in given.sets:
            ours, theirs, is_class = row(name, scaled, given.splits)
            shown = [" / ".join(f"{value:.4g}" for value in one) for one in (ours, theirs)]
            misses = [] if ours[3] <= 1.5 * theirs[3] else ["slower"]
            misses += ["log loss"] * (ours[1] > theirs[1] + 0.005)
            misses += ["coverage"] * (not is_class and ours[2] < min(theirs[2], 0.93))
            ratio = ours[3] / theirs[3]
            print(f"| {name}, {'scaled' if scaled else 'raw'} | {shown[0]} | {shown[1]} | {ratio:.2f} | {', '.join(misses)} |", flush=True)


if __name__ == "__main__":
    main()
