"""Levels with bias, and goals: what is written into a study, what is chosen, and what is refused."""

import numpy as np
import pytest

import acuity
from acuity import GPClassifier, GPRegressor, Level, Selector

X = np.linspace(0, 10, 40)[:, None]
GOAL = np.linspace(2, 3, 7)[:, None]
COARSE = Level("coarse", noise_sd=0.2, cost=1, repeat="same")
FINE = Level("fine", noise_sd=0.01, cost=8, repeat="same")
FIXED = {"amplitude": 1.0, "lengthscale": 1.0, "standardise": False, "fit": "never", "mean": 0.0}


def study_of(folder):
    return pytest.importorskip("tomllib").loads((folder / "study.toml").read_text())


def solver(suggestion):
    x = suggestion.x[0]
    return np.sin(x) + (0.3 + 0.1 * np.cos(x) if suggestion.level == "coarse" else 0.0)


def test_bias_and_reference_are_written_into_the_study(tmp_path):
    levels = [
        Level("draft", noise_sd=0.3, cost=1, bias={"offset_sd": 0.5, "smooth_sd": 0.1, "lengthscale": 2}),
        Level("coarse", noise_sd=0.2, cost=2, bias="learn"),
        Level("fine", noise_sd=0.1, cost=8, repeat="same", bias="none", reference=True),
    ]
    with acuity.create(tmp_path / "c", pool=X, levels=levels, budget=30):
        pass
    draft, coarse, fine = study_of(tmp_path / "c")["level"]
    assert draft["bias"] == {"offset_sd": 0.5, "smooth_sd": 0.1, "lengthscale": 2.0} and "reference" not in draft
    assert coarse["bias"] == "learn" and "repeat" not in coarse
    assert fine["bias"] == "none" and fine["reference"] is True and fine["repeat"] == "same"


def test_the_relation_is_written_into_the_study(tmp_path):
    levels = [Level("coarse", noise_sd=0.2, cost=2, relation="any"), Level("fine", noise_sd=0.1, cost=8)]
    with acuity.create(tmp_path / "c", pool=X, levels=levels, budget=30):
        pass
    coarse, fine = study_of(tmp_path / "c")["level"]
    assert coarse["relation"] == "any" and "relation" not in fine
    with pytest.raises(ValueError, match="relation is 'some'"):
        Level("coarse", noise_sd=0.2, cost=2, relation="some")
    with pytest.raises(ValueError, match="relation is for numbers"):
        Level("crowd", accuracy=0.7, cost=1, relation="any")


def test_meshes_and_retired_levels_are_written_into_the_study(tmp_path):
    meshes = [Level(f"mesh{n}", noise_sd=0.4 / n, cost=n, repeat="same", h=1 / n) for n in (1, 2)]
    finest = Level("mesh4", noise_sd=0.05, cost=4, repeat="same", h=0.25, reference="limit")
    old = Level("old", noise_sd=0.3, cost=1, bias="learn", retired=True)
    with acuity.create(tmp_path / "c", pool=X, levels=[*meshes, finest], budget=60) as campaign:
        campaign.run(lambda asked: np.sin(asked.x[0]) + 0.3 * {"mesh1": 1, "mesh2": 0.25, "mesh4": 0.0625}[asked.level])
        assert np.abs(campaign.prediction(X).mean - np.sin(X[:, 0])).mean() < 0.1
    tables = study_of(tmp_path / "c")["level"]
    assert [table["h"] for table in tables] == [1.0, 0.5, 0.25] and tables[2]["reference"] == "limit"
    with acuity.create(tmp_path / "d", pool=X, levels=[old, FINE], budget=30):
        pass
    assert study_of(tmp_path / "d")["level"][0]["retired"] is True
    with pytest.raises(ValueError, match='reference is \'far\', must be True, False or "limit"'):
        Level("a", noise_sd=0.1, cost=1, reference="far")
    with pytest.raises(ValueError, match="h is 0"):
        Level("a", noise_sd=0.1, cost=1, h=0)
    with pytest.raises(ValueError, match="h is for numbers"):
        Level("a", accuracy=0.9, cost=1, h=1)
    with pytest.raises(ValueError, match="h, retired and a cost with a guess are for campaigns"):
        Selector(X, GPRegressor(), [old, FINE])


def test_a_campaign_finds_a_relation_that_is_no_difference():
    coarse = Level("coarse", noise_sd=0.8, cost=1, repeat="same")
    fine = Level("fine", exact=True, cost=3, repeat="same")
    x = np.linspace(0, 1, 120)[:, None]
    wave = lambda z: np.sin(8 * np.pi * z)
    solver = lambda asked: wave(asked.x[0]) * (1.0 if asked.level == "coarse" else (asked.x[0] - 2**0.5) * wave(asked.x[0]))
    with acuity.create(pool=x, levels=[coarse, fine], budget=70, initial={"fine": 8, "coarse": 13, "nested": True}) as campaign:
        campaign.run(solver)
        truth = (x[:, 0] - 2**0.5) * wave(x[:, 0]) ** 2
        found = campaign.prediction(x)
        assert np.sqrt(np.mean((found.mean - truth) ** 2)) < 0.05
        assert campaign.status()["relations"][0]["relation"] == "any"


def test_a_campaign_learns_what_a_coarse_level_gets_wrong():
    levels = [COARSE, FINE]
    initial = {"fine": 4, "coarse": 10, "nested": True}
    with acuity.create(pool=X, levels=levels, budget=110, initial=initial) as campaign:
        campaign.run(solver)
        told = campaign.annotations(frame=False)
        assert {"coarse", "fine"} == set(told["level"])
        pairs = list(zip(told["point"], told["level"]))
        assert len(set(pairs)) == len(pairs)  # a pair of point and level is bought once, a point at both levels
        assert len({point for point, _ in pairs}) < len(pairs)
        found = campaign.prediction(X)
        truth = np.sin(X[:, 0])
        assert np.sqrt(np.mean((found.mean - truth) ** 2)) < 0.06
        assert np.mean((found.low <= truth) & (truth <= found.high)) > 0.8


def test_the_prior_alone_knows_f_up_to_the_bias():
    with acuity.create(pool=X, levels=[COARSE, FINE], **FIXED) as campaign:
        only_coarse = Selector(X, GPRegressor(kernel="matern52", amplitude=1.0, lengthscale=1.0), [COARSE, FINE])
        campaign.tell(campaign.ask(), 0.4)
        campaign.tell(campaign.ask(), 0.4)
        for row, level in zip(*[campaign.annotations(frame=False)[name] for name in ("point", "level")]):
            only_coarse.tell(only_coarse.at(int(row), level), 0.4)
        assert campaign.belief()[0] == pytest.approx(only_coarse.belief()[0], abs=1e-12)
        assert campaign.belief()[1] == pytest.approx(only_coarse.belief()[1], abs=1e-12)
        assert campaign.belief()[1].min() > 0.1  # an offset of 0.4 and a smooth difference of 0.2 remain


def test_learn_means_the_assumed_values_in_a_selector():
    given = {"offset_sd": 0.4, "smooth_sd": 0.2}
    white = 0.2 * np.exp(-1)
    plain = Level("coarse", noise_sd=white, cost=1, bias=given)
    found = [
        Selector(X, GPRegressor(), [level, Level("fine", noise_sd=0.01, cost=8, bias="none")], goal=GOAL).at(3, 0)
        for level in (COARSE, Level("coarse", noise_sd=0.2, cost=1, bias="learn"), plain)
    ]
    assert [one.information for one in found] == pytest.approx([found[0].information] * 3, rel=1e-12)
    assert found[0].noise_variance == pytest.approx(white**2)


def test_without_a_bias_nothing_changes():
    none = [Level(level.name, noise_sd=0.2 / level.cost, cost=level.cost, repeat="same", bias="none") for level in (COARSE, FINE)]
    plain = [Level(level.name, noise_sd=0.2 / level.cost, cost=level.cost) for level in (COARSE, FINE)]
    zero = [Level("coarse", noise_sd=0.2, cost=1, bias={"offset_sd": 0.0}), plain[1]]
    wanted = Selector(X, GPRegressor(), plain).next(5)
    for levels in (none, zero):
        assert [(s.row, s.level, s.information) for s in Selector(X, GPRegressor(), levels).next(5)] == [
            (s.row, s.level, s.information) for s in wanted
        ]


def test_a_goal_draws_choices_to_itself():
    levels = [Level("one", noise_sd=0.1, cost=1)]
    chosen = [s.x[0] for s in acuity.select(X, GPRegressor(lengthscale=0.5), levels, n=4, goal=GOAL)]
    assert all(1.5 <= x <= 3.5 for x in chosen)
    heavy = acuity.select(X, GPRegressor(lengthscale=0.5), levels, goal=[[1.0], [9.0]], weights=[1e-9, 1.0])
    assert abs(heavy.x[0] - 9.0) < 0.3
    # The value is exactly what the mean variance over the goal falls by.
    selector = Selector(X, GPRegressor(), levels, goal=X, weights=np.full(40, 3.0))
    before, best = selector.belief()[1].mean(), selector.next()
    selector.expect(best)
    assert before - selector.belief()[1].mean() == pytest.approx(best.information, rel=1e-12)
    assert Selector(X, GPRegressor(), levels, information="goal").next().information == pytest.approx(best.information)


def test_a_goal_that_is_predicted():
    levels = [Level("one", noise_sd=0.1, cost=1)]
    options = {"goal": GOAL, "criterion": "prediction"}
    one = Selector(X, GPRegressor(), levels, noise_variance=0.04, **options).next()
    by_point = Selector(X, GPRegressor(), levels, noise_variance=np.full(40, 0.04), goal_noise_variance=0.04, **options).next()
    assert (one.row, one.information) == (by_point.row, by_point.information)
    with pytest.raises(ValueError, match="noise_variance is one per pool point, goal_noise_variance must be given"):
        Selector(X, GPRegressor(), levels, noise_variance=np.full(40, 0.04), **options)
    exact = [Level("exact", cost=1, exact=True)]
    assert np.isfinite(Selector(X, GPRegressor(), exact, goal=X[:1], criterion="prediction").at(0, 0).information)


@pytest.mark.parametrize("criterion", [None, "variance", "prediction"])
def test_a_goal_of_a_campaign_is_kept_in_its_folder(tmp_path, criterion):
    weights = np.linspace(1, 2, 7)
    options = dict(pool=X, levels=[COARSE, FINE], goal=GOAL, goal_weights=weights, criterion=criterion, budget=30, **FIXED)
    options["noise_variance"] = "0.001 * (1 + x)"
    with acuity.create(**options) as memory, acuity.create(tmp_path / "c", **options) as stored:
        first, second = memory.ask(4), stored.ask(4)
        assert [(s.row, s.level, s.information) for s in first] == [(s.row, s.level, s.information) for s in second]
        selector = Selector(
            X, GPRegressor(kernel="matern52", amplitude=1.0, lengthscale=1.0), [COARSE, FINE], goal=GOAL, weights=weights,
            noise_variance=0.001 * (1 + X[:, 0]), criterion=criterion or "variance",
            goal_noise_variance=0.001 * (1 + GOAL[:, 0]),
        )
        assert selector.next().information == pytest.approx(first[0].information, rel=1e-9)
    kept = np.loadtxt(tmp_path / "c" / "goal.csv", delimiter=",", skiprows=1)
    assert np.array_equal(kept, np.column_stack([GOAL, weights]))
    assert study_of(tmp_path / "c")["goal"]["file"] == "goal.csv"
    with acuity.open(tmp_path / "c") as again:
        assert len(again.pending()) == 4


def test_goals_of_other_kinds(tmp_path):
    (tmp_path / "pool.csv").write_text("x\n" + "".join(f"{x!r}\n" for x in X[:, 0].tolist()))
    (tmp_path / "goal.csv").write_text("x\n" + "".join(f"{x!r}\n" for x in GOAL[:, 0].tolist()))
    levels = [Level("one", noise_sd=0.1, cost=1)]
    made = [
        acuity.create(tmp_path / f"c{k}", pool=pool, levels=levels, goal=goal, budget=10, **FIXED)
        for k, (pool, goal) in enumerate([(X, GOAL), (tmp_path / "pool.csv", GOAL), (X, tmp_path / "goal.csv")])
    ]
    asked = [campaign.ask() for campaign in made]
    assert len({(s.row, s.information) for s in asked}) == 1
    for k, campaign in enumerate(made):
        campaign.close()
        assert np.array_equal(np.loadtxt(tmp_path / f"c{k}" / "goal.csv", skiprows=1), GOAL[:, 0])
    box = acuity.create(pool=X, levels=levels, goal={"x": [2, 3]}, goal_points=50, **FIXED).ask()
    assert 1.5 <= box.x[0] <= 3.5
    pool = acuity.create(pool=X, levels=levels, information="goal", **FIXED).ask()
    assert pool.row == Selector(X, GPRegressor(kernel="matern52"), levels, information="goal").next().row


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"bias": "some"}, 'bias is \'some\', must be "learn", "none" or a dictionary'),
        ({"bias": {"offset": 1}}, "bias is {'offset': 1}, must be"),
        ({"bias": {}}, "bias is {}, must be"),
        ({"bias": {"offset_sd": -1}}, "bias offset_sd is -1, must be a finite number, 0 or more"),
        ({"bias": {"lengthscale": 0}}, "bias lengthscale is 0, must be a finite number above 0"),
        ({"bias": {"smooth_sd": "x"}}, "bias smooth_sd is 'x', must be"),
    ],
)
def test_what_a_bias_cannot_be(wrong, message):
    with pytest.raises(ValueError) as error:
        Level("coarse", noise_sd=0.2, cost=1, **wrong)
    assert message in str(error.value) and str(error.value).startswith("level 'coarse': ")


@pytest.mark.parametrize("wrong", [{"bias": "learn"}, {"reference": True}])
def test_classes_have_no_bias(wrong):
    with pytest.raises(ValueError, match="bias and reference are for numbers"):
        Level("crowd", accuracy=0.7, cost=1, **wrong)


def test_levels_that_do_not_fit_together():
    both = [Level(name, noise_sd=0.1, cost=1, reference=True) for name in "ab"]
    biased = [Level(name, noise_sd=0.1, cost=1, bias="learn") for name in "ab"]
    itself = [Level("a", noise_sd=0.1, cost=1, bias="learn", reference=True), FINE]
    for levels, message in (
        (both, "must be true at one level at most"),
        (biased, "every level has a bias, must be one without"),
        (itself, 'must be "none" at the reference level'),
    ):
        with pytest.raises(ValueError, match=message):
            acuity.create(pool=X, levels=levels)
        with pytest.raises(ValueError, match=message):
            Selector(X, GPRegressor(), levels)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"goal": [[1.0, 2.0]]}, "goal has 2 inputs and the pool 1, must be as many of each"),
        ({"goal": [1.0, 2.0]}, "goal must have one row per point"),
        ({"goal": [[np.nan]]}, "goal has NaN"),
        ({"goal": np.empty((0, 1))}, "goal has 0 sample"),
        ({"goal": GOAL, "weights": [1.0]}, "weights has the shape"),
        ({"goal": GOAL, "weights": np.zeros(7)}, "weights adds up to 0.0, must be finite and above 0"),
        ({"goal": GOAL, "weights": -np.ones(7)}, "weights is -1.0 at 0, must be a finite number, 0 or more"),
        ({"weights": np.ones(7)}, "weights is given without goal, must come with it"),
        ({"goal": GOAL, "criterion": "both"}, 'criterion is \'both\', must be one of "variance", "prediction"'),
    ],
)
def test_what_a_goal_cannot_be(options, message):
    plain = [Level("one", noise_sd=0.1, cost=1)]
    with pytest.raises(ValueError) as error:
        Selector(X, GPRegressor(), plain, **options)
    assert message in str(error.value)
    renamed = {("goal_weights" if name == "weights" else name): value for name, value in options.items()}
    with pytest.raises(ValueError) as error:
        acuity.create(pool=X, levels=plain, **renamed)
    assert message in str(error.value) or "goal.criterion" in str(error.value)


@pytest.mark.parametrize("criterion", [None, "variance", "prediction"])
def test_classes_are_chosen_for_a_goal(criterion):
    near, far = X.min(axis=0), X.max(axis=0)
    levels = [Level("one", accuracy=0.9, cost=1)]
    by_goal = [Selector(X, GPClassifier(), levels, goal=[place], criterion=criterion).next().x for place in (near, far)]
    assert np.linalg.norm(by_goal[0] - near) < np.linalg.norm(by_goal[0] - far)
    assert np.linalg.norm(by_goal[1] - far) < np.linalg.norm(by_goal[1] - near)


def test_what_does_not_go_with_a_goal_or_a_bias(tmp_path):
    plain = [Level("one", noise_sd=0.1, cost=1)]
    with pytest.raises(ValueError, match='information is "model" and a goal is given, must be "goal"'):
        Selector(X, GPRegressor(), plain, goal=GOAL, information="model")
    with pytest.raises(ValueError, match='information is "target" and a level has a bias'):
        Selector(X, GPRegressor(), [COARSE, FINE], information="target")
    with pytest.raises(ValueError, match="where a level has a bias"):
        acuity.create(pool=X, levels=[COARSE, FINE], information="target")
    with pytest.raises(ValueError, match="goal_weights is given with a goal that is no array"):
        acuity.create(pool=X, levels=plain, goal={"x": [0, 1]}, goal_weights=[1.0])
    with pytest.raises(ValueError, match='goal.box has "z", must have inputs only'):
        acuity.create(pool=X, levels=plain, goal={"z": [0, 1]})
    with pytest.raises(ValueError, match='an input is called "weight"'):
        acuity.create(tmp_path / "c", pool=X, inputs=["weight"], levels=plain, goal=GOAL, goal_weights=np.arange(7.0))

    class Own(acuity.kernels.Kernel):
        def __call__(self, a, b):
            return np.exp(-np.abs(a - b.T))

    with pytest.raises(ValueError, match="a level has a bias, must be one of acuity's"):
        Selector(X, GPRegressor(kernel=Own()), [COARSE, FINE])
