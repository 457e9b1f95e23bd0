"""What a campaign says about itself: check(), warnings, and the defaults of a study file."""

import json
import tomllib
import warnings

import numpy as np
import pytest
from campaigns import LEVELS, POOL, answer, campaign, make, program  # noqa: F401

import acuity

MINIMAL = """[campaign]
name = "made"
budget = 40
[pool]
file = "pool.csv"
[[level]]
name = "coarse"
noise_sd = 0.3
cost = 1
value = 400
[[level]]
name = "fine"
noise_sd = 0.03
cost = 5
value = "4 ways"
"""


@pytest.mark.parametrize("kind", ["numbers", "classes", "ladder"])
def test_create_has_the_defaults_of_a_study_file(tmp_path, kind):
    study = MINIMAL
    levels = LEVELS
    if kind == "classes":
        levels = [acuity.Level("coarse", accuracy=0.8, cost=1), acuity.Level("fine", accuracy=0.99, cost=5)]
        study = MINIMAL.replace("noise_sd = 0.3\n", "accuracy = 0.8\n").replace("noise_sd = 0.03\n", "accuracy = 0.99\n")
        study += "[target]\nkind = \"binary\"\n"
    if kind == "ladder":
        levels = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 0.8))
        study = MINIMAL[: MINIMAL.index("[[level]]")]
        study += "[precision]\nalpha = { from = 1, to = inf, count = 100 }\ngamma = 0.09\n"
        study += 'cost = { form = "power", c = 9, q = 0.8 }\n'
    (tmp_path / "pool.csv").write_text("x1,x2\n" + "".join(f"{a!r},{b!r}\n" for a, b in POOL.tolist()))
    (tmp_path / "study.toml").write_text(study)
    program("init", tmp_path / "theirs.acuity", "--study", tmp_path / "study.toml")
    acuity.create(tmp_path / "mine.acuity", pool=POOL, levels=levels, budget=40, name="made").close()
    ends = []
    for folder in (tmp_path / "mine.acuity", tmp_path / "theirs.acuity"):
        with acuity.open(folder) as one:
            checked = one.check()
            for _ in range(12):
                suggestion = one.ask()
                one.tell(suggestion, 1 if kind == "classes" and suggestion.row % 3 else -1 if kind == "classes" else answer(suggestion))
            fitted = [event for event in one.events() if event["event"] in ("asked", "fitted", "planned")]
            for event in fitted:
                del event["time"]
            ends.append((checked, fitted, one.prediction(POOL).low.tolist()))
    assert ends[0][0] == ends[1][0] and ends[0][1] == ends[1][1] and ends[0][2] == ends[1][2]
    assert any(event["event"] == "fitted" for event in ends[0][1]) and ends[0][0]["initial"]


def test_check_is_what_the_program_says(tmp_path):
    folder = tmp_path / "c.acuity"
    with make(folder, unit="h", amplitude=50.0) as campaign:
        for _ in range(4):
            suggestion = campaign.ask()
            campaign.tell(suggestion, answer(suggestion))
        found = campaign.check()
        assert dict(found) == json.loads(program("check", folder, "--format", "json"))
        assert repr(found) == str(found) == program("check", folder) and "Scales and units" in repr(found)
        assert any("model.amplitude expects 50" in warning for warning in found["warnings"])
    with make() as campaign:
        assert "no problems found" in str(campaign.check())


def test_an_answer_many_standard_deviations_off_warns_once(campaign):
    campaign.ask(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        campaign.tell(1, 0.4)
    with pytest.warns(acuity.UnexpectedAnswerWarning, match="2 is 3.* standard deviations from .*; a mistake can be corrected by amend") as seen:
        told = campaign.tell(2, 40.0)
    assert len(seen) == 1 and seen[0].filename == __file__ and told["changes"] and "note" not in told
    with pytest.warns(acuity.UnexpectedAnswerWarning, match="and so are 1 more answers") as seen:
        campaign.tell_all([{"id": 3, "y": 30.0}, {"id": 4, "y": 30.0}])
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        campaign.tell(2, 40.0)  # known already


def test_a_run_warns_once_when_the_first_answers_are_far_off(campaign):
    def far(suggestion):
        return 100.0 * answer(suggestion)

    with pytest.warns(acuity.UnexpectedAnswerWarning, match="the first answers are far from their predictions") as seen:
        campaign.run(far)
    assert len([one for one in seen if one.category is acuity.UnexpectedAnswerWarning]) == 1
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", acuity.UnexpectedAnswerWarning)
        make().run(answer)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_tuple_is_no_answer(campaign, workers):
    with pytest.raises(ValueError, match=r'the annotator returned the tuple .*, must be .* a dictionary such as {"y": 0.3, "cost"'):
        campaign.run(lambda s: (answer(s), s.cost), workers=workers)
    status = campaign.status()
    assert status["annotations"] == status["failed"] == 0 and 1 <= status["pending"] <= workers and status["owner"] is None
    with pytest.raises(ValueError, match="the answer is the tuple .*, must be a number, a class or a list of replicates"):
        campaign.tell(1, (0.3, 1.2))
    campaign.run(answer)
    assert campaign.status()["pending"] == 0 and campaign.status()["spent"] == 30.0


def test_kernels_of_scikit_learn_are_learned_or_refused():
    kernels = pytest.importorskip("sklearn.gaussian_process.kernels")
    target = np.sin(POOL.sum(axis=1)) + np.random.default_rng(1).normal(0, 0.1, 40)
    theirs = kernels.ConstantKernel(1.0) * kernels.RBF([1.0, 1.0])
    mine = acuity.GPRegressor(noise_variance=0.01, lengthscale=[1.0, 1.0]).fit(POOL, target)
    model = acuity.GPRegressor(kernel=theirs, noise_variance=0.01).fit(POOL, target)
    assert model.log_marginal_likelihood_ == pytest.approx(mine.log_marginal_likelihood_, abs=1e-4)
    learned = np.exp(model.kernel_.kernel.theta)
    assert np.sqrt(learned[0]) == pytest.approx(mine.amplitude_, rel=0.02) and learned[1:] == pytest.approx(mine.lengthscale_, rel=0.02)
    assert theirs.theta.tolist() == [0.0, 0.0, 0.0], "the object of the caller is not changed"
    assert np.allclose(model.predict(POOL), mine.predict(POOL), atol=1e-2)
    fixed = kernels.RBF(1.5, length_scale_bounds="fixed")
    assert acuity.GPRegressor(kernel=fixed, noise_variance=0.01).fit(POOL, target).kernel_.kernel.length_scale == 1.5
    labels = np.where(target > 0, 1, -1)
    assert len(acuity.GPClassifier(kernel=theirs).fit(POOL, labels, accuracy=0.95).kernel_.kernel.theta) == 3
    with pytest.raises(ValueError, match="which has a WhiteKernel, must be without: noise is given or learned by noise_variance"):
        acuity.GPRegressor(kernel=theirs + kernels.WhiteKernel(0.1)).fit(POOL, target)
    with pytest.raises(ValueError, match='kernel is .*, must be one of "rbf", "matern32", "matern52": a campaign keeps its kernel by name'):
        make(None, kernel=theirs)


def test_limits_are_refused_with_a_sentence(campaign):
    suggestion = campaign.ask()
    for said in ("<5", ">90", ["<5"]):
        with pytest.raises(ValueError, match="a limit is no value, and the model cannot use it"):
            campaign.tell(suggestion, said)
    assert campaign.status()["annotations"] == 0


def test_create_has_the_keys_of_failures_stops_and_ranges(tmp_path):
    made = acuity.create(
        tmp_path / "c.acuity", pool=POOL, levels=LEVELS, budget=40, target={"range": [-5, 5]}, find="maximum", explore=0.2,
        stop={"expected_regret": 0.01, "typical_error": 0.02}, annotator={"failures": "wait", "max_failures": 7},
    )
    kept = tomllib.loads((tmp_path / "c.acuity" / "study.toml").read_text())
    assert kept["annotator"] == {"failures": "wait", "max_failures": 7}
    assert kept["goal"] == {"find": "maximum", "explore": 0.2}
    assert kept["stop"] == {"expected_regret": 0.01, "typical_error": 0.02}
    with pytest.raises(ValueError, match=r"-7.*must be"):
        made.tell(made.ask(), -7)
    with pytest.raises(ValueError, match='annotator.failures is "sometimes", must be "learn" or "wait"'):
        acuity.create(pool=POOL, levels=LEVELS, budget=40, annotator={"failures": "sometimes"})
