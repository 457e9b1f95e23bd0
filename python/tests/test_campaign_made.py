"""What campaigns are made of: classes, ladders, names, tables, and what cannot be made."""

import numpy as np
import pytest
from campaigns import LEVELS, POOL, answer, make, program

import acuity


def test_classes_by_name(tmp_path):
    levels = [acuity.Level("crowd", accuracy=0.7, cost=1), acuity.Level("expert", accuracy=1.0, cost=20)]
    folder = tmp_path / "c.acuity"
    with acuity.create(folder, pool=POOL, levels=levels, budget=40, classes=["fine", "defect"], amplitude=2.0) as campaign:
        assert campaign.classes == ["fine", "defect"] and campaign.binary
        first = campaign.ask()
        assert first.accuracy == 0.7 and first.noise_variance is None
        assert campaign.tell(first, "defect")["surprise"] == pytest.approx(0.5)
        for said in ("fine", -1, 0, 1, False, np.int64(1)):
            campaign.tell(campaign.ask(), said)
        assert campaign.annotations(frame=False)["y"].tolist() == [1, -1, -1, -1, 1, -1, 1]
        with pytest.raises(ValueError, match='"maybe", must be "fine" or "defect"'):
            campaign.tell(campaign.ask(), "maybe")
        with pytest.raises(ValueError, match="is 2, must be -1 or 1"):
            campaign.tell(campaign.pending()[0], 2)
        with pytest.raises(ValueError, match="noise_sd is given and the answers are classes, must be accuracy"):
            campaign.tell(campaign.pending()[0], 1, noise_sd=0.1)
        campaign.tell(campaign.pending()[0], "fine", accuracy=0.95)
        assert campaign.annotations(frame=False)["accuracy"][-1] == 0.95
        campaign.amend(2, "defect", "a slip")
        assert campaign.annotations(frame=False)["y"][1] == 1
        share = campaign.predict_proba(POOL)
        assert share.shape == (40, 2) and np.allclose(share.sum(axis=1), 1)
        assert np.array_equal(campaign.predict(POOL), np.where(share[:, 1] > 0.5, "defect", "fine"))
        (tmp_path / "at.csv").write_text("x1,x2\n" + "".join(f"{a!r},{b!r}\n" for a, b in POOL.tolist()))
        printed = program("predict", folder, "--at", tmp_path / "at.csv", "--format", "csv").splitlines()[1:]
        assert np.abs([float(line.split(",")[-1]) for line in printed] - share[:, 1]).max() < 1e-12
        with pytest.raises(ValueError, match="return_std is for numbers"):
            campaign.predict(POOL, return_std=True)


def test_ladders_of_all_kinds(tmp_path):
    cost = acuity.costs.power(9, 0.8)
    ladders = {
        "hundred": acuity.Ladder(gamma=0.09, cost=cost),
        "listed": acuity.Ladder(gamma=0.09, cost="(1 + 9/alpha)^-0.8", alpha=[1, 4, np.inf]),
        "continuous": acuity.Ladder(gamma=0.09, cost=cost, continuous=True),
        "prices": acuity.Ladder(gamma=0.09, cost=lambda alpha: 0.1 + 0.9 * (1 - 1 / alpha), alpha=[1, 3, 9]).price_list(),
    }
    for name, ladder in ladders.items():
        with acuity.create(tmp_path / name, pool=POOL, levels=ladder, noise_variance=0.01, budget=4, repeat=True) as campaign:
            campaign.run(answer)
            rows = campaign.annotations(frame=False)
            assert len(rows["y"]) >= 5 and campaign.status()["spent"] <= 4 + 1e-8
            if name == "prices":
                assert set(rows["level"]) <= {"alpha=1.0", "alpha=3.0", "alpha=9.0"}
            else:
                assert rows["noise_variance"] == pytest.approx(0.01 + 0.09 / rows["alpha"])
                assert rows["cost"] == pytest.approx(cost(rows["alpha"]))
    with pytest.raises(ValueError, match="a campaign keeps its prices"):
        acuity.create(pool=POOL, levels=acuity.Ladder(gamma=0.1, cost=lambda a: 1.0), noise_variance=0.01)


def test_a_point_may_be_done_at_another_rung(tmp_path):
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 1))
    with acuity.create(pool=POOL, levels=ladder, noise_variance=0.01, budget=4) as campaign:
        told = campaign.tell(campaign.ask(), 0.1, alpha=3.0)
        assert told["charge"] == pytest.approx(1 / 4)
        assert campaign.annotations(frame=False)["noise_variance"] == pytest.approx([0.04])


def test_ids_and_inputs_by_name_of_any_spelling(tmp_path):
    ids = [f'case "{i}", <b>é' for i in range(40)]
    with make(tmp_path / "c.acuity", ids=ids, inputs=["wall, mm", 'the "other"']) as campaign:
        suggestion = campaign.ask()
        assert suggestion.point == ids[suggestion.row] and campaign.inputs == ["wall, mm", 'the "other"']
        campaign.tell(suggestion, 0.1, point=ids[5])
        assert list(campaign.annotations(frame=False)) == [
            "id", "point", "wall, mm", 'the "other"', "level", "y", "cost", "noise_variance", "worker", "told_at", "seconds", "note",
        ]
        assert campaign.annotations(frame=False)["point"].tolist() == [ids[5]]
    assert ids[5].replace('"', '""') in program("export", tmp_path / "c.acuity", "--annotations", "-")


def test_the_pool_keeps_every_digit(tmp_path):
    pool = np.array([[0.1 + 0.2, 1e-300], [np.nextafter(1, 2), 1e300], [-1 / 3, 5e-324]])
    with make(tmp_path / "c.acuity", pool=pool) as campaign:
        assert np.array_equal(campaign.pool, pool)


def test_a_data_frame_is_taken_and_given():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"speed": POOL[:, 0], "angle": POOL[:, 1]})
    with make(None, pool=frame) as campaign:
        assert campaign.inputs == ["speed", "angle"]
        campaign.tell(campaign.ask(), 0.1)
        table = campaign.annotations()
        assert isinstance(table, pandas.DataFrame)
        assert list(table.columns) == [
            *("id", "point", "speed", "angle", "level", "y", "cost", "noise_variance"),
            *("worker", "told_at", "seconds", "note"),
        ]
        assert campaign.predict(table).shape == (1,), "columns of answers are no inputs"
        assert campaign.predict(frame).shape == (40,)
        assert isinstance(campaign.annotations(frame=False), dict)


def test_an_input_may_have_the_name_of_a_column_of_answers():
    with make(None, inputs=["seconds", "angle"]) as campaign:
        suggestion = campaign.ask(worker="Anna")
        campaign.tell(suggestion, 0.1)
        table = campaign.annotations(frame=False)
        assert table["seconds"].tolist() == [suggestion.x[0]] and table["worker"].tolist() == ["Anna"]
        assert abs(table["told_at"][0] - np.datetime64("now")) < np.timedelta64(1, "h")


def test_an_id_with_a_nul_byte_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"^an id is 'p\\x001', must be text without NUL characters"):
        make(None, ids=["p\0001"] + [f"p{k}" for k in range(2, 41)])


def test_without_pandas_a_table_is_a_dictionary_and_a_frame_is_a_sentence(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with make() as campaign:
        assert isinstance(campaign.annotations(), dict)
        with pytest.raises(ImportError, match=r"^frame=True needs pandas, which is not installed \(Debian: python3-pandas\)") as error:
            campaign.annotations(frame=True)
        assert not isinstance(error.value, ModuleNotFoundError)


@pytest.mark.parametrize("frame", [1, 0, "yes", [], 1.0])
def test_frame_is_true_false_or_none(frame):
    with make() as campaign, pytest.raises(TypeError, match="^frame is .*, must be True, False or None$"):
        campaign.annotations(frame=frame)


def test_noise_at_points_as_a_number_a_formula_or_a_list():
    for noise in (0.5, "0.5 + 0 * x1", np.full(40, 0.5)):
        with make(None, noise_variance=noise) as campaign:
            assert campaign.ask().noise_variance == pytest.approx(0.59)


def test_an_audit_is_bought_last_and_judges_the_model():
    with make(None, budget=60, audit={"answers": 4}, seed=5) as campaign:
        campaign.run(answer)
        status = campaign.status()
        assert status["audit"]["told"] == 4 and status["audit"]["complete"] and status["verdict"]["about"] == "audit"
        assert len(campaign.annotations(frame=False)["y"]) == status["annotations"]
    with pytest.raises(ValueError, match="audit.level is \"best\", must be one of"):
        make(None, audit={"answers": 4, "level": "best"})


def test_initial_points_come_first_at_the_highest_precision(tmp_path):
    with make(None, initial=2, seed=5) as campaign:
        assert [s.level for s in campaign.ask(3)] == ["fine", "fine", "coarse"]
    (tmp_path / "known.csv").write_text("x1,x2,y,level\n0.5,0.5,0.8,fine\n")
    with make(None, initial=tmp_path / "known.csv") as campaign:
        assert campaign.annotations(frame=False)["y"].tolist() == [0.8] and campaign.status()["spent"] == 5.0


def test_a_stop_besides_the_budget():
    with make(None, budget=None, stop={"predictive_sd": 0.6}) as campaign:
        assert "below stop.predictive_sd = 0.6" in campaign.run(answer)
        assert 0 < campaign.status()["annotations"] < 40


@pytest.mark.parametrize(
    "other, words",
    [
        ({"lengthscale": -1}, "model.lengthscale is -1, must be a finite number above 0"),
        ({"kernel": "foo"}, "kernel is 'foo', must be one of \"rbf\""),
        ({"kernel": lambda a, b: a @ b.T}, "must be one of \"rbf\""),
        ({"budget": -1}, "campaign.budget is -1, must be a number, 0 or more"),
        ({"fit": "often"}, 'model.fit is "often"'),
        ({"noise_variance": "x1 +"}, 'noise.variance: expression "x1 +" does not parse'),
        ({"noise_variance": [0.1]}, "noise_variance has the shape (1,), must be one number or 40"),
        ({"ids": ["a"] * 40}, 'pool row 1: id "a" is already used at pool row 0, must be unique'),
        ({"ids": [""] + [f"p{i}" for i in range(39)]}, "pool row 0: the id is empty, must be a name"),
        ({"ids": ["a"]}, "there are 1 ids and 40 points"),
        ({"inputs": ["a"]}, "inputs has 1 names and the pool 2 columns"),
        ({"pool": np.full((3, 2), np.nan)}, "pool has NaN at (0, 0), must be finite numbers"),
        ({"pool": [1.0, 2.0]}, "Expected 2D array, got 1D array"),
        ({"levels": []}, "there are no levels"),
        ({"levels": [{"name": "a", "cost": 1}]}, "must have one of noise_variance, noise_sd and accuracy"),
        ({"levels": [LEVELS[0], LEVELS[0]]}, "two levels are called 'coarse'"),
        ({"pool": None}, "pool and levels must be given, or study"),
        ({"study": "s.toml"}, "study and pool or levels are both given"),
        ({"unit": "h", "stop": {"sd": 1}}, "sd"),
    ],
)
def test_a_campaign_that_cannot_be_is_not_made(tmp_path, other, words):
    with pytest.raises(ValueError) as refused:
        make(tmp_path / "c.acuity", **other)
    assert words in str(refused.value) and "\n" not in str(refused.value) and "acuity-" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.acuity: it does not exist"):
        acuity.open(tmp_path / "none.acuity")
    with pytest.raises(FileNotFoundError, match="none.toml: it does not exist"):
        acuity.create(study=tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError, match="none.csv: it does not exist"):
        make(pool=tmp_path / "none.csv")
    with pytest.raises(ValueError, match="it is not a campaign"):
        acuity.open(tmp_path)
    make(tmp_path / "c.acuity").close()
    with pytest.raises(ValueError, match="it already exists, must be a new folder"):
        make(tmp_path / "c.acuity")


def test_a_damaged_or_a_changed_campaign_is_said(tmp_path):
    make(tmp_path / "a.acuity").close()
    with open(tmp_path / "a.acuity" / "study.toml", "a", encoding="utf-8") as study:
        study.write("\n# changed\n")
    with pytest.raises(acuity.DifferentStudyError, match="study.toml"):
        acuity.open(tmp_path / "a.acuity")
    make(tmp_path / "b.acuity").close()
    (tmp_path / "b.acuity" / "events.sqlite").write_bytes(b"no database")
    with pytest.raises(acuity.DamagedError, match="damaged|not"):
        acuity.open(tmp_path / "b.acuity")
    assert issubclass(acuity.DamagedError, acuity.StoreError) and issubclass(acuity.StoreError, OSError)


def test_read_only_looks_and_does_not_touch(tmp_path):
    with make(tmp_path / "c.acuity") as campaign:
        campaign.tell(campaign.ask(), 0.1)
    with acuity.open(tmp_path / "c.acuity", read_only=True) as campaign:
        assert campaign.status()["annotations"] == 1
        for verb in (
            campaign.ask, lambda: campaign.tell(1, 0.2), lambda: campaign.fail(1), lambda: campaign.release(1),
            lambda: campaign.amend(1, 0.2, "r"), lambda: campaign.retract(1, "r"), lambda: campaign.change_budget(1.0),
            lambda: campaign.run(answer),
        ):
            with pytest.raises(ValueError, match="read_only=True, must be opened for writing"):
                verb()
        assert len(campaign.events()) == 3
