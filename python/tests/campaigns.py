"""What the tests of campaigns share."""

import os
import subprocess

import numpy as np
import pytest

import acuity

PROGRAM = os.environ["ACUITY_PROGRAM"]
POOL = np.random.default_rng(3).uniform(0, 3, (40, 2))
LEVELS = [
    acuity.Level("coarse", noise_sd=0.3, cost=1, value=400),
    acuity.Level("fine", noise_sd=0.03, cost=5, value="4 ways"),
]


def answer(suggestion):
    """Repeatable: the same suggestion has the same noise."""
    noise = np.random.default_rng(suggestion.id).normal(0, np.sqrt(suggestion.noise_variance))
    return float(np.sin(suggestion.x.sum()) + noise)


def program(*arguments, code=0):
    """What the program printed."""
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout


# A model that is given: what people compute by hand.
GIVEN_MODEL = {
    "kernel": "rbf", "amplitude": 1.0, "lengthscale": 1.0, "mean": 0.0, "standardise": False, "fit": "never",
}


def make(path=None, **other):
    return acuity.create(path, **{"pool": POOL, "levels": LEVELS, "budget": 30, **GIVEN_MODEL, **other})


@pytest.fixture(params=["memory", "folder"])
def campaign(request, tmp_path):
    with make(None if request.param == "memory" else tmp_path / "c.acuity", unit="h") as made:
        yield made
