"""Targets with a name, a unit and a logarithmic scale, from Python (docs/math.md 16)."""

import numpy as np
import pytest

import acuity

X = np.linspace(0.0, 4.0, 41)[:, None]
LEVELS = [{"name": "rough", "noise_relative": 0.1, "cost": 1}, {"name": "sharp", "noise_relative": 0.02, "cost": 8}]
TARGET = {"name": "dose", "unit": "Gy", "scale": "log"}


def dose(x):
    return np.exp(4.0 - 1.1 * x + np.sin(2.0 * x))


def test_predictions_are_medians_in_the_unit_of_the_answers():
    campaign = acuity.create(pool=X, levels=LEVELS, budget=60, target=TARGET)
    for suggestion in campaign:
        campaign.tell(suggestion, float(dose(suggestion.x[0])))
    found = campaign.prediction(X)
    truth = dose(X[:, 0])
    assert np.all(found.low < found.median) and np.all(found.median < found.high) and np.all(found.low > 0)
    assert np.median(np.abs(np.log(found.median / truth))) < 0.05
    assert np.mean((found.low < truth) & (truth < found.high)) > 0.7
    median, sd = campaign.predict(X, return_std=True)
    assert np.array_equal(median, found.median) and np.array_equal(sd, found.sd)
    mean, variance = campaign.latent(X)
    assert np.allclose(mean, found.mean) and np.allclose(np.sqrt(variance), found.sd)
    assert np.allclose(mean, np.log(median), atol=0.2)
    assert "annotations of dose (Gy), " in repr(campaign)


def test_reported_noise_is_relative_to_the_answer():
    campaign = acuity.create(pool=X, levels=LEVELS, target=TARGET, amplitude=1.0, lengthscale=1.0, fit="never")
    first, second = campaign.ask(2)
    campaign.tell(first, 20.0, noise_sd=2.0)
    campaign.tell(second, 20.0, noise_variance=0.04)
    assert np.allclose(campaign.annotations(frame=False)["noise_variance"], [0.01, 0.04])


def test_answers_that_are_not_positive_are_refused():
    campaign = acuity.create(pool=X, levels=LEVELS, target=TARGET, amplitude=1.0, lengthscale=1.0, fit="never")
    with pytest.raises(ValueError, match="must be a finite number above 0"):
        campaign.tell(campaign.ask(), 0.0)
    with pytest.raises(ValueError, match="must be noise_relative where target.scale is"):
        acuity.create(pool=X, levels=[{"name": "a", "noise_sd": 0.1, "cost": 1}], target=TARGET)
