"""The verbs and the looks of a campaign, in memory and in a folder, and what is refused."""

import pickle
import threading

import numpy as np
import pytest
from campaigns import POOL, answer, campaign, make  # noqa: F401

import acuity


@pytest.fixture(scope="module", params=["memory", "folder"])
def asked(request, tmp_path_factory):
    """One that was asked once: for tests that change nothing."""
    with make(None if request.param == "memory" else tmp_path_factory.mktemp("asked") / "c.acuity") as made:
        made.ask()
        yield made


def test_asking_gives_what_to_do_and_holds_the_money(campaign):
    first = campaign.ask()
    assert (first.id, first.level, first.value, first.cost) == (1, "coarse", 400, 1.0)
    assert first.point == str(first.row) and np.array_equal(first.x, POOL[first.row])
    assert first.information == pytest.approx(0.5 * np.log(1 + 1 / 0.09)) and first.alpha is None
    assert first.information_per_cost == first.information
    batch = campaign.ask(3, worker="ann")
    assert [s.id for s in batch] == [2, 3, 4] and len({s.row for s in [first, *batch]}) == 4
    status = campaign.status()
    assert (status["spent"], status["escrow"], status["free"], status["pending"]) == (0, 4, 26, 4)
    assert [s.id for s in campaign.pending()] == [1, 2, 3, 4]
    assert repr(first).startswith("Suggestion(id=1, point=") and "reserved" not in repr(campaign)


def test_telling_charges_once_and_a_contradiction_points_to_amend(campaign):
    suggestion = campaign.ask()
    told = campaign.tell(suggestion, 0.4)
    assert told["changes"] and told["charge"] == 1.0
    assert told["surprise"] == pytest.approx(0.4 / np.sqrt(1.09))
    again = campaign.tell(suggestion.id, 0.4)
    assert not again["changes"] and again["charge"] == 0.0
    with pytest.raises(ValueError, match="already has the answer 0.4; found 0.5; to correct it use amend"):
        campaign.tell(suggestion, 0.5)
    assert campaign.status()["spent"] == 1.0


def test_an_answer_may_say_what_it_cost_how_noisy_it_was_and_where_it_was_done(campaign):
    campaign.ask(6)
    assert campaign.tell(1, 0.1, cost=2.5)["charge"] == 2.5
    campaign.tell(2, 0.2, noise_sd=0.5)
    campaign.tell(3, 0.3, point="7")
    campaign.tell(4, 0.4, x=[9.0, 9.5])
    assert campaign.tell(5, 0.5, level="fine")["charge"] == 5.0
    assert campaign.tell(6, [0.6, 0.7], dry_run=True)["charge"] == 2.0
    assert campaign.status()["pending"] == 1, "a dry run changes nothing"
    campaign.tell(6, [0.6, 0.7])
    rows = campaign.annotations(frame=False)
    assert rows["id"].tolist() == [1, 2, 3, 4, 5, 6, 6]
    assert rows["y"].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert rows["cost"].tolist() == [2.5, 1, 1, 1, 5, 2, 0], "that of replicates stands with the first"
    assert rows["level"].tolist() == ["coarse", "coarse", "coarse", "coarse", "fine", "coarse", "coarse"]
    assert rows["noise_variance"] == pytest.approx([0.09, 0.25, 0.09, 0.09, 0.0009, 0.09, 0.09])
    assert rows["point"][2] == "7" and rows["point"][3] == ""
    assert (rows["x1"][3], rows["x2"][3]) == (9.0, 9.5)


def test_several_answers_are_all_told_or_none(campaign):
    campaign.ask(3)
    with pytest.raises(ValueError, match="the answer to 2 is not a number"):
        campaign.tell_all([{"id": 1, "y": 0.1}, {"id": 2, "y": float("nan")}])
    assert campaign.status()["annotations"] == 0
    assert [told["id"] for told in campaign.tell_all([{"id": 1, "y": 0.1}, {"id": 3, "y": 0.3, "cost": 2}])] == [1, 3]
    assert campaign.status()["spent"] == 3.0


def test_failed_released_and_excluded_points(campaign):
    first, second, third = campaign.ask(3)
    campaign.fail(first, "the power went", cost=0.25)
    assert campaign.release(second, third.id) == [2, 3] and campaign.release(second) == []
    status = campaign.status()
    assert (status["spent"], status["escrow"], status["failed"], status["pending"]) == (0.25, 0, 1, 0)
    other = campaign.ask()
    assert other.id == 4 and other.row != first.row, "a point that failed waits behind the others"
    campaign.release(other, first)
    again = campaign.ask()
    assert again.id == 5 and again.row == first.row, "and competes again after it was released"
    campaign.fail(again, "it melts", exclude=True)
    assert campaign.status()["excluded"] == 1
    assert all(s.row != first.row for s in campaign.ask(5))
    ends = [(event["event"], event["reason"]) for event in campaign.events() if "reason" in event and event["reason"]]
    assert ends == [("failed", "the power went"), ("failed", "it melts"), ("excluded", "it melts")]
    campaign.tell(second, 0.3)
    assert campaign.status()["annotations"] == 1, "a late answer is a true measurement"


def test_amended_and_retracted_answers(campaign):
    first, second = campaign.ask(2)
    campaign.tell(first, 4.0)
    campaign.tell(second, 0.2)
    campaign.amend(first, 0.4, "a slip of the point")
    assert campaign.annotations(frame=False)["y"].tolist() == [0.4, 0.2]
    campaign.retract(2, reason="the wrong sample")
    assert campaign.annotations(frame=False)["id"].tolist() == [1]
    assert campaign.status()["spent"] == 2.0, "money is not refunded"
    kinds = [event["event"] for event in campaign.events()]
    assert kinds == ["created", "asked", "asked", "told", "told", "amended", "retracted"]
    with pytest.raises(ValueError, match="reason"):
        campaign.amend(first, 0.5, "")


def test_explanations_have_numbers_and_words(campaign):
    campaign.tell(campaign.ask(), 0.4)
    why = campaign.explain(1)
    assert why["level"] == "coarse" and why["unit"] == "nats" and '"coarse"' in str(why)
    assert [level["level"] for level in why["levels"]] == ["coarse", "fine"]
    upcoming = campaign.explain()
    assert campaign.ask().point == upcoming["point"]
    with pytest.raises(ValueError, match="there is no suggestion 9, must be one of 1 to 2"):
        campaign.explain(9)


def test_the_end_is_finished_and_a_lull_is_nothing_now(campaign):
    assert campaign.run(answer) == "the budget is spent"
    with pytest.raises(acuity.Finished, match="^the budget is spent$"):
        campaign.ask()
    with pytest.raises(acuity.Finished):
        campaign.explain()
    assert list(campaign) == []
    campaign.change_budget(1)
    last = campaign.ask()
    with pytest.raises(acuity.NothingNow):
        campaign.ask()
    campaign.release(last)
    assert campaign.ask(budget=2).id == last.id + 1 and campaign.status()["budget"] == 33.0


def test_a_lease_gives_the_work_to_somebody_else(campaign):
    lost = campaign.ask(lease=0.05, worker="ann")
    threading.Event().wait(0.1)
    again = campaign.ask(worker="bob")
    assert (again.id, again.row) == (2, lost.row)
    assert [s.id for s in campaign.pending()] == [2]


def test_predictions_are_those_of_a_model_fitted_to_the_annotations(campaign):
    campaign.run(answer)
    rows = campaign.annotations(frame=False)
    model = acuity.GPRegressor(optimiser=None).fit(
        np.column_stack([rows["x1"], rows["x2"]]), rows["y"], noise_variance=rows["noise_variance"]
    )
    mean, sd = campaign.predict(POOL, return_std=True)
    expected = model.predict(POOL, return_std=True)
    assert np.allclose(mean, expected[0], rtol=0, atol=1e-10) and np.allclose(sd, expected[1], rtol=0, atol=1e-10)
    assert np.allclose(campaign.belief()[0], mean, rtol=0, atol=1e-9)
    assert np.array_equal(campaign.latent(POOL)[0], campaign.predict(POOL))
    with pytest.raises(ValueError, match="predict_proba.. is for classes"):
        campaign.predict_proba(POOL)


def test_a_report_is_one_page(campaign, tmp_path):
    campaign.run(answer)
    assert campaign.report(tmp_path / "r.html") == tmp_path / "r.html"
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count("data:image/svg") >= 2


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda c: c.tell(1, float("nan")), "the answer to 1 is not a number, must be a finite number"),
        (lambda c: c.tell(1, float("inf")), "must be a finite number"),
        (lambda c: c.tell(1, None), "the answer is None"),
        (lambda c: c.tell(1, "abc"), 'the answer to 1 is "abc", must be a finite number'),
        (lambda c: c.tell(1, object()), "must be a finite number or a class"),
        (lambda c: c.tell(1, []), "the answer to 1 is missing"),
        (lambda c: c.tell(9, 0.1), "there is no suggestion 9, must be one of 1 to 1"),
        (lambda c: c.tell(1.5, 0.1), "must be a suggestion or its number"),
        (lambda c: c.tell(1, 0.1, cost=-1), "the cost of 1 is -1, must be a finite number, 0 or more"),
        (lambda c: c.tell(1, 0.1, cost="x"), "cost is 'x', must be a number"),
        (lambda c: c.tell(1, 0.1, cost=float("nan")), "the cost of 1 is not a number"),
        (lambda c: c.tell(1, 0.1, noise_sd=0), "noise_sd is 0, must be a finite number above 0"),
        (lambda c: c.tell(1, 0.1, noise_variance=float("nan")), "the noise variance of 1 is not a number"),
        (lambda c: c.tell(1, 0.1, noise_variance=-1), "the noise variance of 1 is -1"),
        (lambda c: c.tell(1, 0.1, noise_sd=1, noise_variance=1), "noise_variance and noise_sd are both given"),
        (lambda c: c.tell(1, 0.1, accuracy=0.9), "accuracy is given and the answers are numbers"),
        (lambda c: c.tell(1, 0.1, point="nowhere"), 'point is "nowhere", must be one of the pool'),
        (lambda c: c.tell(1, 0.1, x=[1.0]), "has 1 inputs, must have 2"),
        (lambda c: c.tell(1, 0.1, x=[1.0, float("nan")]), 'the input "x2" of the answer to 1 is not a number'),
        (lambda c: c.tell(1, 0.1, level="finest"), "finest"),
        (lambda c: c.tell(1, 0.1, alpha=2), "alpha"),
        (lambda c: c.tell_all([{"id": 1}]), "must have an id and y"),
        (lambda c: c.tell_all([{"id": 1, "y": 0.1, "prise": 3}]), "has 'prise', must be what Campaign.tell takes"),
        (lambda c: c.fail(9), "there is no suggestion 9"),
        (lambda c: c.fail(1, cost=float("inf")), "must be a finite number, 0 or more"),
        (lambda c: c.release(9), "there is no suggestion 9"),
        (lambda c: c.amend(1, 0.1, "r"), "suggestion 1 is pending, must have an answer to be amended"),
        (lambda c: c.retract(1, "r"), "suggestion 1 is pending"),
        (lambda c: c.ask(0), "n is 0, must be a whole number, 1 or more"),
        (lambda c: c.ask(2.5), "n is 2.5"),
        (lambda c: c.ask(lease=-1), "the lease is -1, must be a number of seconds from 0 to"),
        (lambda c: c.ask(lease=float("nan")), "the lease is not a number"),
        (lambda c: c.ask(lease="2h"), "lease is '2h', must be a number of seconds"),
        (lambda c: c.change_budget(float("nan")), "the change of the budget is not finite"),
        (lambda c: c.change_budget(-100), "the budget would be -70, must be 0 or more"),
        (lambda c: c.predict([[1.0]]), "X has 1 features, but is expecting 2"),
        (lambda c: c.run(answer, workers=0), "workers is 0"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(asked, wrong, words):
    before = asked.events()
    with pytest.raises(ValueError) as refused:
        wrong(asked)
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert asked.events() == before
    if asked.path:
        acuity.open(asked.path).close()  # its log can be read


def test_closed_is_closed(campaign):
    campaign.close()
    campaign.close()
    with pytest.raises(ValueError, match="the campaign is closed, must be open"):
        campaign.ask()
    assert "closed" in repr(campaign) and "closed" in campaign._repr_html_()


def test_everything_that_can_be_mistyped_is_amended_in_one_event(campaign):
    suggestion = campaign.ask()
    campaign.tell(suggestion, 0.4, cost=5200)
    other = next(p for p in range(len(POOL)) if p != suggestion.row)
    campaign.amend(suggestion, 0.5, "two sheets mixed up", cost=52, level="fine", point=str(other), noise_sd=0.2)
    row = campaign.annotations(frame=False)
    assert (row["point"][0], row["level"][0], row["y"][0], row["cost"][0]) == (str(other), "fine", 0.5, 52)
    assert row["noise_variance"][0] == pytest.approx(0.04)
    campaign.amend(suggestion, reason="credited", refund=50)
    assert campaign.status()["spent"] == 2
    assert [event["event"] for event in campaign.events()].count("amended") == 2
    with pytest.raises(ValueError, match="must be at most 52"):
        campaign.amend(suggestion, reason="more", refund=3)
    with pytest.raises(ValueError, match="corrects nothing"):
        campaign.amend(suggestion, reason="why")


def test_runs_that_can_be_continued():
    levels = [acuity.Level("x1", noise_sd=0.4, cost=1), acuity.Level("x4", noise_sd=0.2, cost=4, topup=True)]
    campaign = acuity.create(pool=np.linspace(0, 3, 12)[:, None], levels=levels, budget=40, amplitude=1.0, lengthscale=1.0)
    continued = []
    for suggestion in campaign:
        assert pickle.loads(pickle.dumps(suggestion)).resume_from == suggestion.resume_from
        if suggestion.resume_from is not None:
            assert (suggestion.level, suggestion.cost) == ("x4", 3.0)
            continued.append(suggestion.resume_from)
        campaign.tell(suggestion, np.sin(suggestion.x[0]))
    assert continued and len(set(continued)) == len(continued)
    assert campaign.status()["replaced"] == len(continued)
    with pytest.raises(ValueError, match="for campaigns"):
        acuity.Selector(np.zeros((3, 1)), acuity.GPRegressor(optimiser=None), levels)


def test_an_answer_that_costs_more_than_one_may_needs_a_yes():
    levels = [acuity.Level("a", noise_sd=0.3, cost=1), acuity.Level("b", noise_sd=0.1, cost={"guess": 40})]
    study = dict(pool=np.linspace(0, 3, 30)[:, None], levels=levels, budget=100, initial={"a": 2, "b": 1})
    campaign = acuity.create(**study)
    for _ in range(2):
        campaign.tell(campaign.ask(), 0.0)
    with pytest.raises(ValueError, match="is expected to cost 40, more than a tenth of the budget"):
        campaign.ask()
    assert campaign.ask(max_cost=40).level == "b"
    for workers in (1, 2):
        campaign = acuity.create(**study)
        with pytest.raises(ValueError, match="is expected to cost 40"):
            campaign.run(lambda suggestion: 0.0, workers=workers)
        assert campaign.status()["annotations"] == 2 and campaign.status()["pending"] == 0
        campaign.run(lambda suggestion: 0.0, workers=workers, max_cost=np.inf)
        assert campaign.status()["spent"] > 40
    campaign = acuity.create(**{**study, "levels": [acuity.Level("a", noise_sd=0.3, cost=5)], "initial": 1}, max_cost=4)
    pytest.raises(ValueError, campaign.ask)


def test_costs_that_depend_on_the_inputs():
    levels = [acuity.Level("a", noise_sd=0.3, cost={"guess": 2}), acuity.Level("b", noise_sd=0.1, cost=9)]
    campaign = acuity.create(pool=np.linspace(0, 3, 30)[:, None], levels=levels, budget=100)
    for _ in range(12):
        suggestion = campaign.ask()
        campaign.tell(suggestion, 0.0, cost=suggestion.cost if suggestion.level == "b" else float(np.exp(suggestion.x[0])))
    (found,) = [one for one in campaign.status()["reported_cost"] if one["level"] == "a"]
    assert len(found["log_cost"]["slopes"]) == 3 and found["expected"] is None
    assert "guess" in str(pytest.raises(ValueError, acuity.Level, "c", noise_sd=1, cost={"guess": 1, "per": 2}).value)
