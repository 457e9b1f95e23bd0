"""Inputs by name: columns in any order mean the same, and unknown or missing ones are refused."""

import numpy as np
import pytest
from campaigns import LEVELS, POOL, answer, make

import acuity


def dictionary(columns):
    return columns


def data_frame(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


@pytest.fixture(params=[dictionary, data_frame])
def table(request):
    """Makes a table of columns: a dictionary, or a pandas DataFrame if there is pandas."""
    return request.param


def columns(X=POOL, *names):
    return {name: X[:, i] for i, name in enumerate(names or ("speed", "angle"))}


def swapped(X=POOL):
    return {"angle": X[:, 1], "speed": X[:, 0]}


@pytest.fixture
def answered(table):
    with make(None, pool=table(columns())) as campaign:
        campaign.run(answer)
        yield campaign


def test_predictions_find_columns_by_name(answered, table):
    expected = answered.predict(POOL)
    assert np.array_equal(answered.predict(table(columns())), expected)
    assert np.array_equal(answered.predict(table(swapped())), expected)
    assert np.array_equal(answered.latent(table(swapped()))[1], answered.latent(POOL)[1])
    assert np.array_equal(answered.prediction(table(swapped())).low, answered.prediction(POOL).low)
    assert not np.allclose(answered.predict(POOL[:, ::-1]), expected), "arrays are taken by place"


def test_a_campaign_predicts_at_its_own_annotations(answered):
    rows = answered.annotations(frame=False)
    assert np.array_equal(answered.predict(rows), answered.predict(np.column_stack([rows["speed"], rows["angle"]])))
    assert np.array_equal(answered.predict(answered.annotations()), answered.predict(rows))


@pytest.mark.parametrize(
    "names, words",
    [
        (("speed", "angel"), "X has no column 'angle' (it has 'angel', which is not known), must have the inputs 'speed', 'angle'"),
        (("speed",), "X has no column 'angle', must have the inputs 'speed', 'angle'"),
        (("speed", "angle", "mass"), "X has the column 'mass', which is not known, must have the inputs 'speed', 'angle' and no"),
    ],
)
def test_columns_that_are_unknown_or_missing_are_refused(answered, table, names, words):
    wide = np.column_stack([POOL, POOL[:, 0]])
    with pytest.raises(ValueError) as refused:
        answered.predict(table(columns(wide, *names)))
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_an_answer_elsewhere_is_given_by_name(table):
    with make(None, pool=table(columns())) as campaign:
        campaign.ask(3)
        campaign.tell(1, 0.1, x={"angle": 2.0, "speed": 1.0})
        campaign.tell(2, 0.2, x=[1.0, 2.0])
        campaign.tell(3, 0.3, x=table({"angle": [2.0], "speed": [1.0]}))
        rows = campaign.annotations(frame=False)
        assert rows["speed"].tolist() == [1.0] * 3 and rows["angle"].tolist() == [2.0] * 3
        with pytest.raises(ValueError, match="x has no column 'angle'"):
            campaign.tell(campaign.ask(), 0.1, x={"speed": 1.0})


def test_a_row_of_a_frame_is_a_point():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(swapped())
    with make(None, pool=pandas.DataFrame(columns())) as campaign:
        campaign.tell(campaign.ask(), 0.1, x=frame.iloc[3])
        assert campaign.annotations()["speed"].tolist() == [POOL[3, 0]]
    model = acuity.GPRegressor(optimiser=None).fit(pandas.DataFrame(columns()), POOL.sum(axis=1), noise_variance=0.01)
    again = acuity.GPRegressor(optimiser=None).fit(POOL, POOL.sum(axis=1), noise_variance=0.01)
    model.add(frame.iloc[3], 0.5), again.add(POOL[3], 0.5)
    assert np.array_equal(model.predict(pandas.DataFrame(columns())), again.predict(POOL))


def test_a_pool_with_ids_works_as_in_the_program(table, tmp_path):
    names = [f"case {i}" for i in range(40)]
    with make(tmp_path / "c.acuity", pool=table({**swapped(), "case": names}), ids="case", inputs=["speed", "angle"]) as campaign:
        assert campaign.inputs == ["speed", "angle"] and np.array_equal(campaign.pool, POOL)
        suggestion = campaign.ask()
        assert suggestion.point == names[suggestion.row]
        campaign.tell(suggestion, 0.1)
        at = table({"case": names, **swapped()})
        assert np.array_equal(campaign.predict(at), campaign.predict(POOL))
    with acuity.open(tmp_path / "c.acuity") as campaign:
        assert np.array_equal(campaign.predict(at), campaign.predict(POOL))
    assert (tmp_path / "c.acuity" / "pool.csv").read_text().startswith("case,speed,angle\n")
    with make(None, pool=table({**columns(), "case": names}), ids="case") as campaign:
        assert campaign.inputs == ["speed", "angle"], "every column but the ids, as in the program"
    noise = {**columns(), "s2": np.linspace(0.1, 0.2, 40)}
    with make(None, pool=table(noise), noise_variance={"column": "s2"}) as campaign:
        first = campaign.ask()
        assert campaign.inputs == ["speed", "angle"] and first.noise_variance == pytest.approx(0.09 + noise["s2"][first.row])


@pytest.mark.parametrize(
    "other, words",
    [
        ({"inputs": ["speed", "angel"]}, "inputs has 'angel', must be columns of the pool, which has 'speed', 'angle', 'case'"),
        ({"ids": "name"}, "ids has 'name', must be columns of the pool, which has 'speed', 'angle', 'case'"),
        ({}, "column 'case' of the pool is not numbers, must be numbers, or no input: inputs=[...] names the inputs, ids='case' says"),
        ({"ids": "case", "noise_variance": {"column": "s2"}}, "noise_variance has 's2', must be columns of the pool"),
    ],
)
def test_a_pool_whose_columns_do_not_fit_is_refused(table, other, words):
    with pytest.raises(ValueError) as refused:
        make(None, pool=table({**columns(), "case": [f"c{i}" for i in range(40)]}), **other)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["id", "point", "level", "y", "cost", "noise_variance", "accuracy", "alpha"])
@pytest.mark.parametrize("folder", [False, True])
def test_an_input_is_not_called_like_a_column_of_annotations(tmp_path, folder, name):
    with pytest.raises(ValueError, match=f'input "{name}" has the name of a column that campaigns print, must be renamed'):
        make(tmp_path / "c.acuity" if folder else None, inputs=["x", name])
    assert list(tmp_path.iterdir()) == []


def test_models_take_answers_and_pools_by_name(table):
    frame, labels = table(columns()), np.where(POOL[:, 0] > 1.5, "fast", "slow")
    pytest.importorskip("pandas")  # estimators are fitted to arrays and frames
    if isinstance(frame, dict):
        pytest.skip("a dictionary is no input of an estimator")
    regressor = acuity.GPRegressor(optimiser=None).fit(frame, POOL.sum(axis=1), noise_variance=0.01)
    twin = acuity.GPRegressor(optimiser=None).fit(POOL, POOL.sum(axis=1), noise_variance=0.01)
    regressor.add(table(swapped(POOL[:5])), np.zeros(5)), twin.add(POOL[:5], np.zeros(5))
    assert np.array_equal(regressor.predict(frame), twin.predict(POOL))
    with pytest.raises(ValueError, match="X has no column 'angle' .it has 'angel', which is not known"):
        regressor.add(table(columns(POOL[:5], "speed", "angel")), np.zeros(5))
    classifier = acuity.GPClassifier(optimiser=None, accuracy=0.9).fit(frame, labels)
    other = acuity.GPClassifier(optimiser=None, accuracy=0.9).fit(POOL, labels)
    classifier.add(table(swapped(POOL[:5])), labels[:5]), other.add(POOL[:5], labels[:5])
    assert np.array_equal(classifier.predict_proba(frame), other.predict_proba(POOL))

    pool = np.random.default_rng(5).uniform(0, 3, (30, 2)) * [1, 3]
    chosen = acuity.select(pool, twin, LEVELS, n=5)
    by_name = acuity.select(table(swapped(pool)), regressor, LEVELS, n=5)
    assert [s.row for s in by_name] == [s.row for s in chosen]
    assert np.array_equal(by_name[0].x, chosen[0].x), "the inputs of a suggestion are in the order of the model"
    with pytest.raises(ValueError, match="pool has no column 'speed'"):
        acuity.select(table(columns(pool, "velocity", "angle")), regressor, LEVELS)
    goal = acuity.select(table(columns(pool)), regressor, LEVELS, goal=table(swapped(pool[:3])))
    assert goal.row == acuity.select(pool, twin, LEVELS, goal=pool[:3]).row


def test_queries_and_goals_find_columns_by_name(table):
    known = np.full(40, np.nan)
    known[::4] = np.sin(POOL[::4].sum(axis=1))
    model = acuity.GPRegressor(optimiser=None)
    others = np.random.default_rng(6).uniform(0, 3, (20, 2)) * [1, 3]
    expected = acuity.query(POOL, known, others, batch_size=4, noise_variance=0.01, model=model)
    found = acuity.query(table(columns()), known, table(swapped(others)), batch_size=4, noise_variance=0.01, model=model)
    assert np.array_equal(found, expected)
    with pytest.raises(ValueError, match="candidates has no column 'angle'"):
        acuity.query(table(columns()), known, table(columns(others, "speed", "b")), noise_variance=0.01, model=model)
    with pytest.raises(ValueError, match="goal has no column 'angle'"):
        acuity.query(table(columns()), known, noise_variance=0.01, model=model, goal=table(columns(others, "speed", "b")))


def test_the_goal_of_a_campaign_by_name(tmp_path):
    pandas = pytest.importorskip("pandas")
    wanted = np.random.default_rng(7).uniform(0, 3, (10, 2)) * [1, 3]
    frame = pandas.DataFrame({**swapped(wanted), "weight": np.arange(10.0)})
    first = []
    for pool, goal in ((POOL, {"goal": wanted, "goal_weights": np.arange(10.0)}), (pandas.DataFrame(columns()), {"goal": frame})):
        with make(None, pool=pool, **goal) as campaign:
            first.append([s.row for s in campaign.ask(4)])
    assert first[0] == first[1]
    with pytest.raises(ValueError, match="goal has no column 'angle'"):
        make(None, pool=pandas.DataFrame(columns()), goal=frame.rename(columns={"angle": "b"}))


def test_columns_without_proper_names_are_refused():
    pandas = pytest.importorskip("pandas")
    with make() as campaign:
        assert np.array_equal(campaign.predict(pandas.DataFrame(POOL)), campaign.predict(POOL)), "numbered columns have no names"
        with pytest.raises(ValueError, match="X has the column 1, the names of all columns must be text"):
            campaign.predict(pandas.DataFrame(POOL, columns=["x1", 1]))
        with pytest.raises(ValueError, match="X has two columns 'x1'"):
            campaign.predict(pandas.DataFrame(POOL, columns=["x1", "x1"]))
    with pytest.raises(ValueError, match="column 'x2' of X has 2 values and column 'x1' has 3, must be as many"):
        make().predict({"x1": [1.0, 2.0, 3.0], "x2": [1.0, 2.0]})
