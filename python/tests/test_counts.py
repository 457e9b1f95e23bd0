"""Targets that are k of n trials, counts in an exposure, or have a range, from Python (docs/math.md 22)."""

import numpy as np
import pytest

import acuity

X = np.linspace(0.0, 4.0, 41)[:, None]
LEVELS = [{"name": "few", "trials": 50, "cost": 1}, {"name": "many", "trials": 400, "cost": 5}]
TARGET = {"name": "yield", "scale": "fraction"}


def share(x):
    return 0.5 + 0.4 * np.sin(1.7 * x)


def test_annotators_return_counts_and_predictions_are_shares():
    draws = np.random.default_rng(1)
    campaign = acuity.create(pool=X, levels=LEVELS, budget=60, target=TARGET)

    def count(suggestion):
        n = 50 if suggestion.level == "few" else 400
        return int(draws.binomial(n, share(suggestion.x[0]))), n

    campaign.run(count)
    found = campaign.prediction(X)
    truth = share(X[:, 0])
    assert np.all(found.low >= 0) and np.all(found.high <= 1) and np.all(found.low <= found.median)
    assert np.sqrt(np.mean((found.median - truth) ** 2)) < 0.06
    median, sd = campaign.predict(X, return_std=True)
    assert np.array_equal(median, found.median) and np.array_equal(sd, found.sd)
    assert np.allclose(found.mean, np.arcsin(np.sqrt(median)), atol=0.2)
    assert campaign.scale == "fraction" and np.array_equal(campaign.model().predict(X), median)


def test_counts_have_the_noise_of_their_trials():
    campaign = acuity.create(pool=X, levels=LEVELS, target=TARGET, amplitude=1.0, lengthscale=1.0, fit="never")
    first, second, third = campaign.ask(3)
    campaign.tell(first, (30, 120))
    campaign.tell(second, "7/100")
    campaign.tell(third, [(3, 50), (5, 50)])
    columns = campaign.annotations(frame=False)
    assert np.allclose(columns["y"], [0.25, 0.07, 0.08])
    assert np.allclose(columns["noise_variance"], [1 / 480, 1 / 400, 1 / 400])
    campaign.amend(first.id, (40, 120), "typo")
    assert campaign.annotations(frame=False)["y"][0] == pytest.approx(1 / 3)


def test_what_is_no_count_is_refused():
    campaign = acuity.create(pool=X, levels=LEVELS, target=TARGET, amplitude=1.0, lengthscale=1.0, fit="never")
    suggestion = campaign.ask()
    with pytest.raises(ValueError, match="must be k/n"):
        campaign.tell(suggestion, (60, 50))
    with pytest.raises(ValueError, match="must be a count and its number of trials"):
        campaign.tell(suggestion, (1, 2, 3))
    with pytest.raises(ValueError, match="must be n, the number of trials"):
        campaign.tell(suggestion, 0.3, noise_sd=0.1)
    with pytest.raises(ValueError, match="must be trials where target.scale is"):
        acuity.create(pool=X, levels=[{"name": "a", "noise_sd": 0.1, "cost": 1}], target=TARGET)


def test_rates_are_not_negative():
    levels = [{"name": "hour", "exposure": 1.0, "cost": 1}]
    campaign = acuity.create(
        pool=X, levels=levels, target={"scale": "rate"}, amplitude=1.0, lengthscale=1.0, mean=0.0, fit="never"
    )
    for suggestion in campaign.ask(5):
        campaign.tell(suggestion, (2, 1.0))
    assert np.all(campaign.prediction(X).low >= 0.0)


def test_predictions_stay_in_the_range():
    levels = [{"name": "a", "noise_sd": 2.0, "cost": 1}]
    campaign = acuity.create(
        pool=X, levels=levels, target={"range": [0, 100]}, amplitude=60.0, lengthscale=1.0, mean=50.0, fit="never"
    )
    for suggestion in campaign.ask(8):
        campaign.tell(suggestion, float(np.clip(50 + 80 * np.sin(2 * suggestion.x[0]), 0, 100)))
    found = campaign.prediction(X)
    assert found.low.min() >= 0.0 and found.high.max() <= 100.0
    assert campaign.predict(X).min() >= 0.0 and campaign.predict(X).max() <= 100.0
    with pytest.raises(ValueError, match="must be a number from 0 to 100"):
        campaign.tell(campaign.ask(), 101.0)
