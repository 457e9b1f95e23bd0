"""Asking at a level, within a capacity and for one of several people."""

import numpy as np
import pytest

import acuity

X = np.linspace(0, 5, 12)[:, None]
VESSELS = [
    {"name": f"x{units}", "noise_sd": 0.4 / np.sqrt(units), "cost": 40 + 12 * units, "units": units} for units in (1, 2, 4)
]
PEOPLE = [{"name": "crowd", "accuracy": 0.8, "cost": 1}, {"name": "expert", "accuracy": 0.99, "cost": 5}]


def test_a_level_is_all_that_is_asked_for():
    campaign = acuity.create(pool=X, levels=VESSELS, budget=2500, amplitude=1.0, lengthscale=1.0, fit="never")
    assert campaign.ask(level="x4").level == "x4"
    assert [one.level for one in campaign.ask(3, level="x1")] == ["x1"] * 3
    with pytest.raises(ValueError, match='level is "x3", must be one of "x1", "x2" or "x4"'):
        campaign.ask(level="x3")


def test_a_capacity_is_filled():
    campaign = acuity.create(pool=X, levels=VESSELS, budget=2500, amplitude=1.0, lengthscale=1.0, fit="never")
    batch = campaign.ask(capacity=8)
    assert sum(int(one.level[1:]) for one in batch) == 8
    assert len(campaign.ask(2, capacity=3)) <= 2
    with pytest.raises(ValueError, match="capacity is 0, must be a whole number"):
        campaign.ask(capacity=0)
    with pytest.raises(ValueError, match="units is 0, must be a whole number"):
        acuity.create(pool=X, levels=[{**VESSELS[0], "units": 0}])


def test_nobody_gets_an_item_twice():
    campaign = acuity.create(pool=X[:3], levels=PEOPLE, budget=100, people={"max_per_item": 2}, initial=0)
    first = campaign.ask(9, worker="anna")
    assert len({one.point for one in first}) == len(first) == 3
    assert [one.id for one in campaign.pending("anna")] == [1, 2, 3]
    assert campaign.pending("bo") == []
    with pytest.raises(acuity.NothingNow, match="anna has had every point that is open"):
        campaign.ask(worker="anna")
    assert len(campaign.ask(99, level="crowd")) + sum(one.level == "crowd" for one in first) == 6


def test_accuracies_are_learned_by_class():
    levels = [acuity.Level("crowd", accuracy="learn-by-class", cost=1), acuity.Level("lab", accuracy={"yes": 0.95, "no": 0.9}, cost=4)]
    campaign = acuity.create(pool=X, levels=levels, budget=100, people={"max_per_item": 3}, initial=0)
    for _ in range(8):
        for who in ("anna", "bo"):
            one = campaign.ask(worker=who, level="crowd")
            campaign.tell(one, 1 if one.x[0] > 2.5 else -1)
    assert campaign.ask(worker="anna", level="lab").accuracy == pytest.approx(0.925)


def test_other_accuracies_are_refused():
    for wrong in ("lern", {"mean": 0.8}, {}, [0.8], {"yes": "high", "no": 0.8}):
        with pytest.raises(ValueError, match="accuracy"):
            acuity.Level("crowd", accuracy=wrong, cost=1)
    with pytest.raises(ValueError, match="sum of yes and no"):
        acuity.create(pool=X, levels=[{"name": "crowd", "accuracy": {"yes": 0.5, "no": 0.4}, "cost": 1}], budget=9)
