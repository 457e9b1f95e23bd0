"""Slow twins of what the package computes: the textbook's formulas, inverse and all."""

import numpy as np


def rbf(a, b, amplitude=1.0, lengthscale=1.0):
    """a^2 exp(-r^2 / 2 l^2)."""
    difference = (a[:, None, :] - b[None, :, :]) / lengthscale
    return amplitude**2 * np.exp(-0.5 * np.sum(difference**2, axis=2))


def matern32(a, b, amplitude=1.0, lengthscale=1.0):
    """a^2 (1 + sqrt 3 r) exp(-sqrt 3 r)."""
    r = np.sqrt(3.0 * np.sum(((a[:, None, :] - b[None, :, :]) / lengthscale) ** 2, axis=2))
    return amplitude**2 * (1.0 + r) * np.exp(-r)


def matern52(a, b, amplitude=1.0, lengthscale=1.0):
    """a^2 (1 + sqrt 5 r + 5 r^2 / 3) exp(-sqrt 5 r)."""
    r = np.sqrt(5.0 * np.sum(((a[:, None, :] - b[None, :, :]) / lengthscale) ** 2, axis=2))
    return amplitude**2 * (1.0 + r + r**2 / 3.0) * np.exp(-r)


def regression(kernel, X, y, noise, at, mean=0.0):
    """Mean and covariance of f at `at`, and the log marginal likelihood."""
    covariance = kernel(X, X) + np.diag(noise)
    inverse = np.linalg.inv(covariance)
    across = kernel(at, X)
    residual = y - mean
    evidence = -0.5 * residual @ inverse @ residual - 0.5 * np.linalg.slogdet(2.0 * np.pi * covariance)[1]
    return mean + across @ inverse @ residual, kernel(at, at) - across @ inverse @ across.T, evidence


def sine(count=25, inputs=1, seed=0):
    """Inputs, answers and the noise variance of each."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(0.0, 6.0, (count, inputs))
    noise = draw.uniform(0.005, 0.3, count)
    return X, np.sin(X).sum(axis=1) + np.sqrt(noise) * draw.standard_normal(count), noise
