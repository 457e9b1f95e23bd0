"""Campaigns that look for a contour or for the best point."""
import numpy as np
import pytest

import acuity

X = np.linspace(0, 7, 29)[:, None]
LEVELS = [acuity.Level("coarse", noise_sd=0.2, cost=1), acuity.Level("fine", noise_sd=0.02, cost=6)]


def sine(suggestion):
    return float(np.sin(suggestion.x[0]))


def test_the_best_points_are_found_and_returned():
    campaign = acuity.create(pool=X, levels=LEVELS, budget=80, find="maximum", seed=1)
    campaign.run(sine)
    best = campaign.best(2)
    assert len(best) == 2
    assert abs(next(iter(best[0]["inputs"].values())) - np.pi / 2) < 0.6
    assert best[0]["low"] < best[0]["mean"] < best[0]["high"]
    assert 0 <= best[1]["probability"] <= 1
    assert best[0]["mean"] >= best[1]["mean"]
    assert campaign.status()["goal"]["best"] == best[0] == campaign.best()[0]


def test_a_contour_is_found():
    campaign = acuity.create(pool=X, levels=LEVELS, budget=80, contour=0.3, explore=0, seed=1)
    campaign.run(sine)
    goal = campaign.status()["goal"]
    assert goal["kind"] == "contour"
    assert goal["wrong_share"] <= 0.1
    assert np.mean((campaign.predict(X) > 0.3) != (np.sin(X[:, 0]) > 0.3)) <= 0.1
    with pytest.raises(ValueError, match="goal.find"):
        campaign.best()


def test_both_at_once_are_refused():
    with pytest.raises(ValueError, match="goal.contour and goal.find are both there"):
        acuity.create(pool=X, levels=LEVELS, budget=80, contour=0.3, find="maximum")
