"""Pools that no table has: points drawn in the ranges of the inputs."""

import numpy as np
import pytest

import acuity

LEVELS = [{"name": "one", "noise_sd": 0.1, "cost": 1.0}]
INPUTS = {"speed": (0, 40), "load": {"range": (1, 1000), "scale": "log"}, "alloy": ["A", "B"]}


def make(path=None, inputs=INPUTS, points=200, **options):
    return acuity.create(path, inputs=inputs, points=points, levels=LEVELS, budget=20, **options)


def answer(s):
    return s["speed"] / 20 + np.log(s["load"]) / 7 + (0.5 if s["alloy"] == "B" else 0.0)


def test_a_campaign_needs_no_pool(tmp_path):
    campaign = make(tmp_path / "wear.acuity", where="speed * load < 20000", seed=3)
    assert len(campaign.pool) == 200
    speed, load, alloy = np.asarray(campaign.pool).T
    speed, load = speed.astype(float), load.astype(float)
    assert (speed * load < 20000).all() and 0 <= speed.min() and speed.max() <= 40 and 1 <= load.min() and load.max() <= 1000
    assert set(alloy) == {"A", "B"}
    campaign.run(answer)
    found = campaign.prediction({"speed": [10.0, 20.0], "load": [10.0, 100.0], "alloy": ["A", "B"]})
    assert np.abs(found.mean - [0.5 + np.log(10) / 7, 1.5 + np.log(100) / 7]).max() < 0.3
    same = acuity.open_or_create(
        tmp_path / "wear.acuity", inputs=INPUTS, points=200, levels=LEVELS, budget=20, where="speed * load < 20000", seed=3
    )
    assert same.status()["annotations"] == campaign.status()["annotations"]
    with pytest.raises(acuity.DifferentStudyError):
        acuity.open_or_create(tmp_path / "wear.acuity", inputs=INPUTS, points=300, levels=LEVELS, budget=20, seed=3)


def test_the_seed_determines_the_points():
    one, other, third = make(seed=1), make(seed=1), make(seed=2)
    assert (one.pool == other.pool).all() and (one.pool[:, 0] != third.pool[:, 0]).all()
    assert len(make(points=None).pool) == 20000


def test_a_list_has_the_only_values():
    campaign = make(inputs={"n": [1, 2, 4], "dose": {"type": "category", "levels": ["low", "high"]}, "x": (0.0, 1.0)})
    assert set(map(float, campaign.pool[:, 0])) == {1.0, 2.0, 4.0}
    assert set(campaign.pool[:, 1]) == {"low", "high"}
    assert campaign.ask()["dose"] in ("low", "high")


def test_goals_and_known_answers_have_the_names_of_inputs():
    goal = {"speed": [1.0, 2.0], "load": [10.0, 20.0], "alloy": ["A", "B"]}
    known = ({"speed": [5.0], "load": [50.0], "alloy": ["A"]}, [0.7], "one")
    campaign = make(goal={"speed": [0, 10]}, initial=known)
    assert campaign.status()["annotations"] == 1
    assert make(goal=goal, seed=1).ask().id == 1


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"inputs": {"x": 3}}, "inputs['x'] is 3, must be (low, high), a list of values or a dictionary"),
        ({"inputs": {"x": (1, 0)}}, "input 1.range is [ 1, 0 ], must be a list of two numbers, the lower one first"),
        ({"inputs": {"x": {}}}, 'input "x" has neither a range nor values, must have one of them where there is no pool.file'),
        ({"inputs": {"x": {"name": "y"}}}, "inputs['x'] has a name, must be left out: its name is 'x'"),
        ({"pool": np.zeros((3, 1))}, "inputs is a dictionary of ranges to draw points in and pool is given, must be one of them"),
        ({"ids": ["a"]}, "ids is given and the points are drawn, must be left out: their ids are their row numbers"),
        (
            {"noise_variance": np.ones(200)},
            "noise_variance is one per point and the points are drawn, must be a number or a formula in the inputs",
        ),
        (
            {"inputs": ["x"], "pool": np.zeros((3, 1))},
            "where and points are for points that are drawn and pool is given, must be left out",
        ),
        ({"where": "speed <"}, 'pool.where: expression "speed <" does not parse (near position 9), must be a formula in speed, load'),
    ],
)
def test_errors_are_sentences(options, sentence):
    with pytest.raises(ValueError) as error:
        make(**options)
    assert str(error.value) == sentence
