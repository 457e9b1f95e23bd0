"""Inputs that are categories, ordered names, truth values or on a log scale, by their names everywhere."""

import pickle
import warnings

import numpy as np
import pytest

import acuity

SOLVENTS = ["DMF", "THF", "acetic acid"]
LEVELS = [{"name": "one", "noise_sd": 0.5, "cost": 1.0}]


def columns():
    """54 conditions: solvent, temperature, concentration on a log scale, whether it is stirred."""
    rows = [(s, t, c, w) for s in SOLVENTS for t in (20.0, 60.0, 100.0) for c in (0.01, 0.1, 1.0) for w in (True, False)]
    return {
        "solvent": [row[0] for row in rows], "T": [row[1] for row in rows], "c": [row[2] for row in rows],
        "stirred": [row[3] for row in rows],
    }


INPUTS = ["solvent", "T", {"name": "c", "scale": "log", "unit": "mol/l"}, "stirred"]


def truth(solvent, t, c, stirred):
    return {"DMF": 0.0, "THF": 8.0, "acetic acid": -5.0}[solvent] + 0.05 * t + 2.0 * np.log10(c) + (1.0 if stirred else 0.0)


def make(path=None, pool=None, budget=40, **options):
    return acuity.create(path, pool=columns() if pool is None else pool, inputs=INPUTS, levels=LEVELS, budget=budget, **options)


def answer(s):
    return truth(s["solvent"], s["T"], s["c"], s["stirred"])


def frame(**dtypes):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(columns()).astype(dtypes)


def test_a_campaign_learns_from_names():
    campaign = make()
    campaign.run(answer)
    table = columns()
    wanted = np.array([truth(*row) for row in zip(*table.values())])
    found = campaign.prediction(table)
    assert np.sqrt(np.mean((found.mean - wanted) ** 2)) < 1.0
    assert np.mean((found.low <= wanted) & (wanted <= found.high)) > 0.85
    assert campaign.status()["hyperparameters"]["similarity"].keys() == {"solvent", "stirred"}
    assert np.array_equal(campaign.predict(campaign.pool), campaign.predict(table)), "by place, and by name"
    assert np.array_equal(campaign.model().predict(table), campaign.predict(table))


def test_suggestions_have_names_and_truth_values():
    campaign = make()
    one = campaign.ask()
    assert one["solvent"] in SOLVENTS and isinstance(one["stirred"], bool) and isinstance(one["T"], float)
    assert one.x == (one["solvent"], one["T"], one["c"], one["stirred"])
    assert one.to_dict()["solvent"] == one["solvent"]
    assert repr(one["solvent"]) in repr(one)
    again = pickle.loads(pickle.dumps(one))
    assert again.x == one.x


def test_the_folder_has_the_names_and_reads_them_again(tmp_path):
    campaign = make(tmp_path / "c")
    twin = make()
    for _ in range(12):
        first, second = campaign.ask(), twin.ask()
        assert first.x == second.x
        campaign.tell(first, answer(first))
        twin.tell(second, answer(second))
    campaign.close()
    assert "acetic acid" in (tmp_path / "c" / "pool.csv").read_text()
    opened = acuity.open(tmp_path / "c")
    assert opened.inputs == ["solvent", "T", "c", "stirred"]
    found = opened.annotations(frame=False)
    assert set(found["solvent"]) <= set(SOLVENTS) and found["stirred"].dtype == bool
    assert np.array_equal(opened.predict(columns()), twin.predict(columns()))
    assert opened.ask().x == twin.ask().x


def test_columns_of_pandas_are_what_their_types_say():
    pandas = pytest.importorskip("pandas")
    pool = frame(solvent="category")
    pool["dose"] = pandas.Categorical(["low", "mid", "high"] * 18, categories=["low", "mid", "high"], ordered=True)
    campaign = acuity.create(pool=pool, levels=LEVELS, budget=10)
    kinds = {one["name"]: (one["type"], one.get("ordered")) for one in campaign.check()["inputs"]}
    assert kinds == {
        "solvent": ("category", False), "T": ("number", None), "c": ("number", None), "stirred": ("yes-no", False),
        "dose": ("category", True),
    }
    one = campaign.ask()
    assert one["dose"] in ("low", "mid", "high")
    campaign.tell(one, 1.0)
    assert list(campaign.annotations()["dose"]) == [one["dose"]]
    assert np.array_equal(campaign.predict(pool), campaign.predict(pool[["dose", "stirred", "c", "T", "solvent"]]))


def test_answers_elsewhere_and_known_ones_take_names():
    campaign = make(initial=(np.array([["DMF", 20.0, 0.1, True], ["THF", 35.0, 0.2, False]], dtype=object), [1.0, 9.0]))
    found = campaign.annotations(frame=False)
    assert list(found["solvent"]) == ["DMF", "THF"] and list(found["T"]) == [20.0, 35.0]
    campaign.add({"solvent": "THF", "T": 41.0, "c": 0.3, "stirred": False}, 9.5)
    one = campaign.ask()
    campaign.tell(one, 3.0, x=("DMF", 33.0, 0.5, True))
    found = campaign.annotations(frame=False)
    assert list(found["solvent"][2:]) == ["THF", "DMF"]
    with pytest.raises(ValueError, match="column 'solvent' of .* has 'water', must be one of 'DMF', 'THF', 'acetic acid'"):
        campaign.add({"solvent": "water", "T": 41.0, "c": 0.3, "stirred": False}, 9.5)
    with pytest.raises(ValueError, match="above 0, because the input has scale"):
        campaign.add({"solvent": "THF", "T": 41.0, "c": 0.0, "stirred": False}, 9.5)


def test_names_that_the_pool_does_not_have_are_a_warning():
    campaign = make()
    campaign.run(answer)
    there = {"solvent": ["water", "DMF"], "T": [60.0, 60.0], "c": [0.1, 0.1], "stirred": [True, True]}
    with pytest.warns(UserWarning, match="column 'solvent' has 'water', which no point of the pool has"):
        found = campaign.prediction(there)
    assert found.sd[0] > found.sd[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        campaign.prediction({**there, "solvent": ["THF", "DMF"]})


@pytest.mark.parametrize(
    "change, message",
    [
        ({"solvent": ["DMF"] * 53 + [None]}, "column 'solvent' of the pool has no value at 53, must have a name"),
        ({"c": [0.0] + [1.0] * 53}, 'column "c" is 0, must be a finite number above 0'),
    ],
)
def test_pools_that_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        make(pool={**columns(), **change})


def test_goals_have_names():
    campaign = make(goal={"solvent": ["THF"], "T": [20.0, 60.0]}, goal_points=20)
    campaign.run(answer)
    assert campaign.explain(20)["goal"]["tells_most"][0]["inputs"][0] == "THF"
