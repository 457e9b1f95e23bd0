"""Answers that are known before or were not asked for, campaigns that are opened or created, models by themselves, names."""

import json
import pickle

import numpy as np
import pytest
from campaigns import GIVEN_MODEL, LEVELS, POOL, answer, campaign, make, program  # noqa: F401
from test_frames import columns, data_frame, dictionary, swapped, table  # noqa: F401

import acuity

KNOWN = np.random.default_rng(11).uniform(0, 3, (6, 2))
TRUTH = np.sin(KNOWN.sum(axis=1))


def test_known_answers_from_arrays_and_frames_are_those_of_a_file(tmp_path, table):
    lines = "".join(f"{a!r},{b!r},{y!r},fine\n" for (a, b), y in zip(KNOWN.tolist(), TRUTH.tolist()))
    (tmp_path / "known.csv").write_text("speed,angle,y,level\n" + lines)
    forms = {
        "file": tmp_path / "known.csv",
        "arrays": (KNOWN, TRUTH, "fine"),
        "levels": (KNOWN, TRUTH, ["fine"] * 6),
        "by name": (table(swapped(KNOWN)), TRUTH, "fine"),
        "table": table({**swapped(KNOWN), "level": ["fine"] * 6, "y": TRUTH}),
    }
    found = {}
    for name, initial in forms.items():
        folder = tmp_path / f"{name}.acuity"
        with make(folder, pool=table(columns()), initial=initial, budget=100, name="c") as made:
            assert made.status()["spent"] == 30.0 and made.status()["annotations"] == 6
            found[name] = (made.predict(POOL).tolist(), [s.row for s in made.ask(3)], (folder / "study.toml").read_text())
        assert (folder / "initial.csv").exists()
        with acuity.open(folder) as again:
            assert again.annotations(frame=False)["y"].tolist() == TRUTH.tolist()
        with make(None, pool=table(columns()), initial=initial, budget=100) as memory:
            assert memory.predict(POOL).tolist() == found[name][0]
    for name in forms:
        assert found[name] == found["file"], name


def test_known_answers_at_points_of_the_pool(tmp_path):
    ids = [f"case {i}" for i in range(40)]
    with make(tmp_path / "c.acuity", ids=ids, initial=(["case 3", "case 5"], [0.1, 0.2], ["fine", "coarse"])) as made:
        rows = made.annotations(frame=False)
        assert rows["point"].tolist() == ["case 3", "case 5"] and rows["cost"].tolist() == [5.0, 1.0]
    with make(None, levels=LEVELS[:1], initial=(POOL[:2], [0.1, 0.2])) as made:
        assert made.annotations(frame=False)["level"].tolist() == ["coarse", "coarse"], "the only one there is"
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 1))
    with acuity.create(pool=POOL, levels=ladder, noise_variance=0.01, initial=(POOL[:2], [0.1, 0.2], [1.0, np.inf])) as made:
        assert made.annotations(frame=False)["alpha"].tolist() == [1.0, np.inf]
    people = [acuity.Level("crowd", accuracy=0.8, cost=1)]
    with acuity.create(pool=POOL, levels=people, classes=["no", "yes"], initial=(POOL[:3], ["no", "yes", "yes"])) as made:
        assert made.annotations(frame=False)["y"].tolist() == [-1.0, 1.0, 1.0]
    exported = made_of(annotations=True)
    with make(None, budget=100, initial=exported) as made:
        assert made.annotations(frame=False)["y"].tolist() == exported["y"].tolist()


def made_of(annotations):
    with make() as one:
        one.run(answer)
        return one.annotations(frame=False)


@pytest.mark.parametrize(
    "initial, words",
    [
        ((KNOWN, TRUTH), "no column says how precise the values are"),
        ((KNOWN, TRUTH[:3], "fine"), "initial y has 3 values and there are 6 points"),
        ((KNOWN, TRUTH, ["fine"]), "initial level has 1 values and there are 6 points"),
        ((KNOWN, TRUTH, "finest"), 'initial.csv:2: column "level" is "finest", must be one of the levels'),
        ((KNOWN[:, :1], TRUTH, "fine"), "initial X has 1 features, but is expecting 2"),
        ((KNOWN,), "initial has 1 parts, must be (X, y) or (X, y, level)"),
        ((["nowhere"], [0.1], "fine"), 'column "id" is "nowhere", must be the id of a pool point'),
        (({"x1": KNOWN[:, 0], "b": KNOWN[:, 1]}, TRUTH, "fine"), "initial X has no column 'x2'"),
        ({"x1": KNOWN[:, 0], "x2": KNOWN[:, 1], "y": TRUTH, "level": ["fine"] * 6, "when": TRUTH}, "initial has the column 'when'"),
        ((KNOWN, np.append(TRUTH[:5], np.inf), "fine"), 'column "y" is "inf", must be a finite number'),
    ],
)
def test_known_answers_that_are_wrong_are_refused(tmp_path, initial, words):
    with pytest.raises(ValueError) as refused:
        make(tmp_path / "c.acuity", initial=initial, budget=100)
    assert words in str(refused.value) and "acuity-" not in str(refused.value) and "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_was_not_asked_for(campaign):
    first = campaign.add("7", 0.31, "fine")
    assert (first["id"], first["charge"], first["changes"]) == (1, 5.0, True)
    assert campaign.add([1.0, 2.0], [0.5, 0.6], "coarse", cost=1.5)["charge"] == 1.5
    assert campaign.add({"x2": 2.0, "x1": 1.5}, -0.2, noise_sd=0.2)["charge"] == 0.0
    assert campaign.add("8", 9.9, "fine", dry_run=True)["id"] == 4 and campaign.status()["annotations"] == 4
    several = campaign.add(POOL[10:13], [0.1, 0.2, 0.3], ["fine", "coarse", "fine"])
    assert [one["id"] for one in several] == [4, 5, 6]
    rows = campaign.annotations(frame=False)
    assert rows["point"].tolist() == ["7", "", "", "", "10", "11", "12"] and rows["x1"][3] == 1.5
    assert campaign.status()["spent"] == 5 + 1.5 + 5 + 1 + 5
    assert [event["event"] for event in campaign.events()] == ["created"] + ["told"] * 6
    assert campaign.ask().id == 7 and campaign.ask().row not in (7, 10, 11, 12)
    campaign.amend(1, 0.13, "digits swapped")
    campaign.retract(2, "wrong sample")
    assert campaign.annotations(frame=False)["y"][0] == 0.13 and campaign.status()["spent"] == 17.5
    assert not campaign.tell(1, 0.31)["changes"], "it is recorded already"
    with pytest.raises(ValueError, match="answer 1 was not asked for, and was never chosen"):
        campaign.explain(1)


def test_what_was_added_is_what_would_have_been_told(tmp_path):
    """The same answers asked for, added, and known from the start give the same belief."""
    with make(None, budget=100) as asked:
        for _ in range(8):
            suggestion = asked.ask()
            asked.tell(suggestion, answer(suggestion))
        rows = asked.annotations(frame=False)
    X = np.column_stack([rows["x1"], rows["x2"]])
    folder = tmp_path / "c.acuity"
    with make(folder, budget=100) as added, make(None, budget=100, initial=(X, rows["y"], rows["level"])) as known:
        added.add(X, rows["y"], rows["level"])
        assert np.array_equal(added.predict(POOL), asked_again(rows).predict(POOL))
        assert np.array_equal(added.predict(POOL), known.predict(POOL))
        assert added.status()["spent"] == known.status()["spent"] == rows["cost"].sum()
        assert added.ask().row == known.ask().row
        expected = added.predict(POOL), added.status()["spent"], added.status()["verdict"]
        added.report(tmp_path / "r.html")
    with acuity.open(folder) as again:
        assert np.array_equal(again.predict(POOL), expected[0]) and again.status()["spent"] == expected[1]
    assert json.loads(program("status", folder, "--format", "json"))["annotations"] == 8
    program("verify", folder)


def asked_again(rows):
    one = make(None, budget=100)
    for point, y, level in zip(rows["point"], rows["y"], rows["level"]):
        one.tell(one.ask(), y, point=point, level=level)
    return one


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda c: c.add("7", 0.1), "the unasked answer has neither a level nor a noise, must have one of them"),
        (lambda c: c.add("nowhere", 0.1, "fine"), 'point is "nowhere", must be one of the pool'),
        (lambda c: c.add([1.0], 0.1, "fine"), "the unasked answer has 1 inputs, must have 2"),
        (lambda c: c.add("7", float("nan"), "fine"), "the unasked answer is not a number, must be a finite number"),
        (lambda c: c.add("7", 0.1, "finest"), "finest"),
        (lambda c: c.add("7", 0.1, "fine", cost=-1), "the cost of the unasked answer is -1, must be a finite number, 0 or more"),
        (lambda c: c.add(POOL[:3], [0.1, 0.2], "fine"), "y has 2 values and there are 3 points"),
        (lambda c: c.add(POOL[:2], [0.1, np.nan], "fine"), "row 1: the unasked answer is not a number"),
        (lambda c: c.add({"x1": 1.0, "b": 2.0}, 0.1, "fine"), "X has no column 'x2'"),
        (lambda c: c.add("7", (0.1, 2.0), "fine"), "the answer is the tuple"),
        (lambda c: c.add("7", 0.1, "fine", accuracy=0.9), "accuracy is given and the answers are numbers"),
    ],
)
def test_what_cannot_be_added_changes_nothing(campaign, wrong, words):
    with pytest.raises(ValueError) as refused:
        wrong(campaign)
    assert words in str(refused.value) and "\n" not in str(refused.value)
    assert len(campaign.events()) == 1


def test_open_or_create(tmp_path):
    folder = tmp_path / "c.acuity"
    study = {"pool": POOL, "levels": LEVELS, "budget": 30, "initial": (KNOWN[:2], TRUTH[:2], "fine"), **GIVEN_MODEL}
    for expected in (2, 3, 4):
        with acuity.open_or_create(folder, **study) as one:
            assert one.status()["annotations"] == expected
            one.tell(one.ask(), 0.1)
    with acuity.open(folder) as one:
        one.change_budget(5)
    acuity.open_or_create(folder, **study).close()
    before = acuity.open(folder).events()
    changed = [
        ({"budget": 40}, 'the study given:2: it is "budget = 40", must be "budget = 30" as when the campaign was created'),
        ({"lengthscale": 2.0}, "lengthscale = 2.0"),
        ({"pool": POOL[:-1]}, "the pool given: it has 40 lines, must have 41"),
        ({"pool": POOL + 1e-9}, "the pool given:2: it was changed to"),
        ({"initial": (KNOWN[:2], TRUTH[1:3], "fine")}, "initial.csv: it differs from the one given"),
    ]
    for other, words in changed:
        with pytest.raises(acuity.DifferentStudyError) as refused:
            acuity.open_or_create(folder, **{**study, **other})
        assert words in str(refused.value) and str(folder) in str(refused.value)
    assert acuity.open(folder).events() == before
    with pytest.raises(TypeError, match="unexpected keyword argument 'bugdet'"):
        acuity.open_or_create(folder, bugdet=3)
    (tmp_path / "pool.csv").write_text("x\n1\n2\n3\n")
    (tmp_path / "s.toml").write_text('[pool]\nfile = "pool.csv"\n[[level]]\nname = "one"\nnoise_sd = 0.1\ncost = 1\n')
    for _ in range(2):
        acuity.open_or_create(tmp_path / "file.acuity", study=tmp_path / "s.toml").close()
    (tmp_path / "s.toml").write_text((tmp_path / "s.toml").read_text() + "repeat = \"same\"\n")
    with pytest.raises(acuity.DifferentStudyError, match='"repeat = "same"" has been added|repeat'):
        acuity.open_or_create(tmp_path / "file.acuity", study=tmp_path / "s.toml")


@pytest.mark.parametrize("kind", ["numbers", "given", "classes"])
def test_the_model_of_a_campaign_predicts_as_the_campaign_did(tmp_path, kind):
    other = {"numbers": {"budget": 60}, "given": GIVEN_MODEL | {"budget": 30}, "classes": {"budget": 30, "classes": ["no", "yes"]}}[kind]
    levels = [acuity.Level("crowd", accuracy=0.9, cost=1)] if kind == "classes" else LEVELS
    campaign = acuity.create(tmp_path / "c.acuity", pool=POOL, levels=levels, **other)
    campaign.run(lambda s: ("yes" if s.x.sum() > 3 else "no") if kind == "classes" else answer(s))
    model = campaign.model()
    at = np.random.default_rng(2).uniform(-1, 4, (30, 2))
    expected, prediction = campaign.predict(at), campaign.prediction(at)
    status = campaign.status()["hyperparameters"]
    if kind == "classes":
        shares = campaign.predict_proba(at)
    campaign.add(POOL[0], "no" if kind == "classes" else 5.0, levels[0].name)
    campaign.close()
    assert np.array_equal(model.predict(at), expected), "it is as it was, also when the campaign has gone on and is closed"
    for mine, theirs in zip(model.prediction(at), prediction):
        assert (mine is None and theirs is None) or np.allclose(mine, theirs, rtol=1e-13, atol=0)
    assert model.amplitude_ == status["amplitude"] and np.array_equal(model.lengthscale_, status["lengthscale"])
    assert model.log_marginal_likelihood_ == status["log_marginal_likelihood"]
    assert model.feature_names_in_.tolist() == ["x1", "x2"] and model.n_features_in_ == 2
    assert np.array_equal(model.predict({"x2": at[:, 1], "x1": at[:, 0]}), expected)
    with pytest.raises(ValueError, match="X has no column 'x2'"):
        model.predict({"x1": at[:, 0]})
    if kind == "classes":
        assert np.array_equal(model.predict_proba(at), shares) and model.classes_.tolist() == ["no", "yes"]
        assert model.score(POOL, np.where(POOL.sum(axis=1) > 3, "yes", "no")) > 0.7
    else:
        assert np.array_equal(model.predict(at, return_std=True)[1], prediction.sd)
        assert model.score(POOL, np.sin(POOL.sum(axis=1))) > 0.8
        assert len(model.y_train_) == len(model.noise_train_) == len(model.X_train_) > 5
    with pytest.raises(TypeError, match="acuity export C --model F"):
        pickle.dumps(model)
    assert "CampaignModel" in repr(model)


def test_status_has_the_hyperparameters(tmp_path):
    with acuity.create(tmp_path / "c.acuity", pool=POOL, levels=LEVELS, budget=60) as campaign:
        assert campaign.status()["hyperparameters"]["learned_from"] is None
        campaign.run(answer)
        found = campaign.status()["hyperparameters"]
        fitted = [event for event in campaign.events() if event["event"] == "fitted"][-1]
    assert found["learned_from"] == fitted["annotations"] and found["converged"] == fitted["converged"]
    parameters = np.exp(fitted["log_parameters"])
    assert found["amplitude"] == pytest.approx(parameters[0]) and found["lengthscale"] == pytest.approx(parameters[1:])
    assert found["nugget"] == pytest.approx(fitted["nugget"])
    printed = json.loads(program("status", tmp_path / "c.acuity", "--format", "json"))["hyperparameters"]
    assert printed == found


def test_suggestions_by_name():
    with make(None, inputs=["angle", "mach"]) as campaign:
        suggestion = campaign.ask()
        assert suggestion["angle"] == suggestion.x[0] and suggestion["mach"] == suggestion.x[1]
        assert suggestion.inputs == {"angle": suggestion.x[0], "mach": suggestion.x[1]}
        everything = suggestion.to_dict()
        assert list(everything)[:6] == ["id", "point", "angle", "mach", "level", "value"]
        assert everything["cost"] == 1.0 and everything["noise_variance"] == pytest.approx(0.09)
        with pytest.raises(KeyError, match='there is no input \\\\?"speed', ):
            suggestion["speed"]
        with pytest.raises(TypeError, match="an input is asked for by its name"):
            suggestion[0]
        assert "mach" in suggestion and "speed" not in suggestion and 0 not in suggestion
        assert campaign.pending()[0].inputs == suggestion.inputs
        again = pickle.loads(pickle.dumps(suggestion))
        assert again["mach"] == suggestion["mach"] and repr(again) == repr(suggestion)
    chosen = acuity.select(POOL, acuity.GPRegressor(), LEVELS)
    assert chosen["x2"] == chosen.x[1]
    chosen = acuity.select({"a": POOL[:, 0], "b": POOL[:, 1]}, acuity.GPRegressor(), LEVELS)
    assert chosen.inputs == {"a": chosen.x[0], "b": chosen.x[1]}
    selector = acuity.Selector(POOL, acuity.GPRegressor(), LEVELS)
    selector.tell(selector.at(3, "fine"), 0.1)
    selector.expect(pickle.loads(pickle.dumps(selector.next())))
