"""Selection beside brute force: information() of the belief, over every point and level."""

import numpy as np
import pytest

import acuity
from acuity import GPClassifier, GPRegressor, Ladder, Level, Selector, information, query, select
from twins import rbf, regression, sine

POOL = np.linspace(-1.0, 7.0, 60)[:, None]
LEVELS = [Level("coarse", noise_sd=0.5, cost=1), Level("middle", noise_sd=0.2, cost=2.5), Level("fine", noise_sd=0.02, cost=6)]
LABELS = [Level("crowd", accuracy=0.7, cost=1), Level("nurse", accuracy=0.85, cost=3), Level("expert", accuracy=0.98, cost=9)]


def numbers():
    X, y, noise = sine(8)
    return GPRegressor(lengthscale=0.7, optimiser=None).fit(X, y, noise_variance=noise)


def classes():
    X, y, _ = sine(12, seed=2)
    return GPClassifier(amplitude=1.5, lengthscale=0.7, optimiser=None).fit(X, np.where(y > 0, 1, -1), accuracy=0.9)


def belief_of(model, pool):
    if isinstance(model, GPClassifier):
        return model.latent(pool)
    mean, sd = model.predict(pool, return_std=True)
    return mean, sd**2


def table(model, levels, pool, kind="model", graph=None, base=0.0):
    """Information, one row per point and one column per level."""
    mean, variance = belief_of(model, pool)
    columns = []
    for level in levels:
        if level.binary:
            top = max(one.accuracy for one in levels)
            columns.append(
                information(kind, graph or "b", mean=mean, variance=variance, accuracy=level.accuracy, target_accuracy=top)
            )
        elif kind == "target":
            noise = base + level.noise_variance
            columns.append(information(kind, graph or "c", variance=variance, noise_variance=noise, target_variance=base))
        else:
            columns.append(information(variance=variance, noise_variance=base + level.noise_variance))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("model, levels", [(numbers, LEVELS), (classes, LABELS)], ids=["numbers", "classes"])
@pytest.mark.parametrize("kind", ["model", "target"])
def test_the_choice_is_the_best_of_all(model, levels, kind):
    fitted = model()
    base = 0.01 if model is numbers else 0.0
    values = table(fitted, levels, POOL, kind, base=base)
    prices = np.array([level.cost for level in levels])
    per_cost = values / prices
    found = select(POOL, fitted, levels, information=kind, noise_variance=base)
    row, place = np.unravel_index(per_cost.argmax(), per_cost.shape)
    assert (found.row, found.level) == (row, levels[place].name)
    assert found.information == pytest.approx(values[row, place], rel=1e-8)
    assert found.information_per_cost == pytest.approx(per_cost.max(), rel=1e-8)
    assert found.cost == levels[place].cost and found.point == str(row) and found.x.tolist() == POOL[row].tolist()
    mean, variance = belief_of(fitted, POOL)
    assert found.mean == pytest.approx(mean[row], abs=1e-8) and found.variance == pytest.approx(variance[row], abs=1e-8)
    scores = Selector(POOL, fitted, levels, information=kind, noise_variance=base).scores()
    np.testing.assert_array_equal(scores["row"], np.arange(60))
    np.testing.assert_allclose(scores["value"], per_cost.max(axis=1), rtol=1e-7, atol=1e-12)
    np.testing.assert_array_equal(scores["level"], per_cost.argmax(axis=1))
    np.testing.assert_allclose(scores["information"] / scores["cost"], scores["value"])


@pytest.mark.parametrize("model, levels", [(numbers, LEVELS), (classes, LABELS)], ids=["numbers", "classes"])
def test_bald_looks_at_the_highest_precision_and_at_no_price(model, levels):
    fitted = model()
    values = table(fitted, levels, POOL)
    found = select(POOL, fitted, levels, information="bald")
    assert (found.row, found.level) == (values[:, 2].argmax(), levels[2].name)


def test_random_choices_are_those_of_the_seed():
    rows = [[s.row for s in select(POOL, numbers(), LEVELS, n=8, information="random", random_state=seed)] for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize("per_point", [False, True])
def test_noise_of_the_points_counts(per_point):
    base = np.linspace(0.0, 2.0, 60) if per_point else 0.3
    values = table(numbers(), LEVELS, POOL, base=base)
    found = select(POOL, numbers(), LEVELS, noise_variance=base)
    per_cost = values / [level.cost for level in LEVELS]
    assert (found.row, found.level) == (per_cost.max(axis=1).argmax(), LEVELS[per_cost[found.row].argmax()].name)
    expected = LEVELS[per_cost[found.row].argmax()].noise_variance + np.broadcast_to(base, 60)[found.row]
    assert found.noise_variance == pytest.approx(expected)


def test_a_model_that_was_not_fitted_speaks_with_its_prior():
    found = select(POOL, GPRegressor(amplitude=2.0), LEVELS)
    assert found.row == 0 and found.mean == 0.0 and found.variance == pytest.approx(4.0)
    assert select(POOL, GPRegressor(mean=3.0), LEVELS).mean == 3.0
    assert select(POOL, GPClassifier(), LABELS).mean == 0.0


@pytest.mark.parametrize("model, levels", [(numbers, LEVELS), (classes, LABELS)], ids=["numbers", "classes"])
def test_telling_is_adding_to_the_model(model, levels):
    selector, fitted = Selector(POOL, model(), levels), model()
    truth = np.sin(POOL[:, 0]) if model is numbers else np.where(np.sin(POOL[:, 0]) > 0, 1, -1)
    for _ in range(12):
        found = selector.next()
        per_cost = table(fitted, levels, POOL) / [level.cost for level in levels]
        asked = [row for row in range(60) if row not in seen] if (seen := getattr(selector, "seen", [])) else range(60)
        best = max(asked, key=lambda row: per_cost[row].max())
        assert per_cost[found.row].max() == pytest.approx(per_cost[best].max(), rel=1e-4)
        selector.seen = [*seen, found.row]
        selector.tell(found, truth[found.row])
        if model is numbers:
            fitted.add(POOL[found.row], truth[found.row], noise_variance=found.noise_variance)
        else:
            fitted.add(POOL[found.row], truth[found.row], accuracy=found.accuracy)
    for a, b in zip(selector.belief(), belief_of(fitted, POOL)):
        np.testing.assert_allclose(a, b, atol=1e-8 if model is numbers else 1e-3)


def test_levels_are_taken_as_dictionaries():
    given = [{"name": "coarse", "noise_sd": 0.5, "cost": 1}, {"name": "fine", "noise_variance": 0.0004, "cost": 6}]
    a, b = select(POOL, numbers(), given), select(POOL, numbers(), [LEVELS[0], LEVELS[2]])
    assert (a.row, a.level, a.cost, a.information) == (b.row, b.level, b.cost, b.information)
    for wrong in ([], [{}], [{"name": "a"}], [{"name": "a", "cost": 1}], [{"name": "a", "cost": 1, "noise": 1}], [1], "coarse",
                  {"name": "a", "noise_sd": 1, "cost": 1}, [LEVELS[0], LEVELS[0]], [LEVELS[0], LABELS[0]], LEVELS[0], None,
                  [{"name": "a", "noise_sd": 1, "cost": 0}], [{"name": "a", "noise_sd": 1, "cost": np.nan}],
                  [{"name": "a", "noise_sd": 1, "accuracy": 0.9, "cost": 1}], [{"name": "", "noise_sd": 1, "cost": 1}]):
        with pytest.raises((ValueError, TypeError)):
            select(POOL, numbers(), wrong)


def test_models_and_levels_must_be_of_a_kind():
    with pytest.raises(ValueError, match="accuracy"):
        select(POOL, numbers(), LABELS)
    with pytest.raises(ValueError, match="noise"):
        select(POOL, classes(), LEVELS)
    with pytest.raises(ValueError, match="model"):
        select(POOL, object(), LEVELS)


def test_a_level_without_noise_must_say_so():
    with pytest.raises(ValueError, match="exact"):
        select(POOL, numbers(), [Level("all", noise_sd=0.0, cost=1)])
    assert select(POOL, numbers(), [Level("all", noise_sd=0.0, cost=1, exact=True)]).noise_variance == 0.0
    assert select(POOL, numbers(), [Level("all", noise_sd=0.0, cost=1)], noise_variance=0.1).noise_variance == 0.1


def test_ladders_are_their_rungs():
    ladder = Ladder(0.09, acuity.costs.power(9.0, 1.0), count=20)
    rungs = ladder.levels()
    assert [rungs[0].alpha, rungs[-1].alpha] == [1.0, np.inf] and rungs[0].noise_variance == pytest.approx(0.09)
    values = table(numbers(), rungs, POOL, base=0.01) / [rung.cost for rung in rungs]
    found = select(POOL, numbers(), ladder, noise_variance=0.01)
    row, place = np.unravel_index(values.argmax(), values.shape)
    assert (found.row, found.alpha) == (row, rungs[place].alpha) and found.level is None
    named = select(POOL, numbers(), ladder.price_list(), noise_variance=0.01)
    assert (named.row, named.level) == (row, f"alpha={rungs[place].alpha!r}")


def test_ladders_of_classes_are_their_rungs():
    ladder = Ladder(0.4, "0.2 + alpha^2", kappa=0.55, count=20)
    rungs = ladder.levels()
    values = table(classes(), rungs, POOL) / [rung.cost for rung in rungs]
    found = select(POOL, classes(), ladder)
    assert (found.row, found.alpha) == (values.max(axis=1).argmax(), rungs[values[found.row].argmax()].alpha)
    assert found.accuracy == pytest.approx(0.55 + 0.4 * found.alpha)


@pytest.mark.parametrize("kind", ["model", "target"])
def test_a_continuous_ladder_is_at_least_as_good_as_many_rungs(kind):
    cost = acuity.costs.power(9.0, 1.5)
    options = {"noise_variance": 0.01, "information": kind}
    found = select(POOL, numbers(), Ladder(0.09, cost, continuous=True), **options)
    rungs = select(POOL, numbers(), Ladder(0.09, cost, count=3000), **options)
    assert found.row == rungs.row and found.alpha == pytest.approx(rungs.alpha, rel=0.02)
    assert found.information_per_cost >= rungs.information_per_cost * (1 - 1e-9)
    assert found.information_per_cost == pytest.approx(rungs.information_per_cost, rel=1e-4)
    assert found.cost == pytest.approx(cost(found.alpha))


def test_a_continuous_ladder_of_classes_is_at_least_as_good_as_many_rungs():
    ladder = {"gamma": 0.4, "cost": "0.05 + alpha^2", "kappa": 0.55}
    found = select(POOL, classes(), Ladder(**ladder, continuous=True))
    rungs = select(POOL, classes(), Ladder(**ladder, count=1000))
    assert found.row == rungs.row and found.alpha == pytest.approx(rungs.alpha, abs=0.01)
    assert found.information_per_cost >= rungs.information_per_cost * (1 - 1e-9)


def test_only_what_can_be_paid_for_is_chosen():
    assert select(POOL, numbers(), LEVELS, budget=2.6).cost <= 2.6
    assert select(POOL, numbers(), [LEVELS[2], LEVELS[0]], budget=1.0).level == "coarse"
    for money in (0, 0.5, 0.999):
        with pytest.raises(acuity.Finished):
            select(POOL, numbers(), LEVELS, budget=money)
    selector = Selector(POOL, numbers(), LEVELS, budget=7.3)
    spent = 0.0
    with pytest.raises(acuity.Finished):
        while True:
            found = selector.next()
            selector.tell(found, 0.0)
            spent += found.cost
            assert selector.remaining == pytest.approx(7.3 - spent) and spent <= 7.3 + 1e-6
    assert spent > 6.3


def test_ten_times_a_tenth_is_a_whole():
    selector = Selector(POOL, numbers(), [Level("a", noise_sd=0.5, cost=0.1)], budget=1.0)
    for _ in range(10):
        selector.tell(selector.next(), 0.0)
    with pytest.raises(acuity.Finished):
        selector.next()


def test_a_cost_that_differs_is_what_counts():
    selector = Selector(POOL, numbers(), LEVELS, budget=50)
    first = selector.next()
    selector.tell(first, 0.0, cost=7.25)
    assert selector.remaining == pytest.approx(42.75)
    second = selector.next()
    selector.expect(second)
    assert selector.remaining == pytest.approx(42.75 - second.cost)
    selector.tell(second, 0.0, cost=2.0)
    assert selector.remaining == pytest.approx(40.75)


def test_what_is_expected_is_known_of():
    selector = Selector(POOL, numbers(), LEVELS, budget=100)
    before = selector.belief()
    first = selector.next()
    selector.expect(first)
    mean, variance = selector.belief()
    # Its answer will come: the variance falls already, the mean waits for it.
    np.testing.assert_allclose(mean, before[0], atol=1e-9)
    s = before[1][first.row]
    assert variance[first.row] == pytest.approx(s * first.noise_variance / (s + first.noise_variance), rel=1e-6)
    assert selector.remaining == 100 - first.cost and selector.next().row != first.row
    with pytest.raises(ValueError, match="twice"):
        selector.expect(first)
    selector.tell(first, 2.0)
    told = Selector(POOL, numbers(), LEVELS, budget=100)
    told.tell(first, 2.0)
    np.testing.assert_allclose(selector.belief(), told.belief(), atol=1e-8)
    assert selector.remaining == told.remaining


def test_what_is_released_is_forgotten():
    selector = Selector(POOL, numbers(), LEVELS, budget=100)
    before, first = selector.belief(), selector.next()
    selector.expect(first)
    selector.release(first)
    np.testing.assert_allclose(selector.belief(), before, atol=1e-9)
    assert selector.remaining == 100 and selector.next().row == first.row
    with pytest.raises(ValueError, match="not pending"):
        selector.release(first)
    selector.tell(first, 0.0)
    with pytest.raises(ValueError, match="not pending"):
        selector.release(first)


def test_choices_after_a_release_are_still_the_best():
    """What made it fast must not outlive a variance that rises."""
    pool = np.random.default_rng(0).uniform(0, 6, (3000, 2))
    selector = Selector(pool, GPRegressor(), LEVELS)
    pending = []
    for _ in range(40):
        pending.append(selector.next())
        selector.expect(pending[-1])
    for step in range(40):
        selector.release(pending.pop((7 * step) % len(pending)))
        scores = selector.scores()
        found = selector.next()
        assert found.information_per_cost == pytest.approx(scores["value"].max(), rel=1e-8)
        assert found.row == scores["row"][scores["value"] >= scores["value"].max() * (1 - 1e-9)][0]


def test_a_point_that_was_answered_does_not_open_again():
    selector = Selector(POOL[:2], numbers(), LEVELS)
    first, same = selector.next(), selector.next()
    assert first.row == same.row
    selector.tell(first, 0.0)
    selector.expect(same)
    selector.release(same)
    assert selector.next().row != first.row


def test_suggestions_of_another_selector_are_not_taken_for_its_own():
    one, other = Selector(POOL, numbers(), LEVELS), Selector(POOL[::-1], GPRegressor(), LEVELS)
    mine, foreign = one.next(), other.next()
    assert mine.id == foreign.id and mine.row != foreign.row
    one.expect(mine)
    for verb in (one.expect, one.release, lambda s: one.tell(s, 0.0)):
        with pytest.raises(ValueError, match="none of this"):
            verb(foreign)
    one.tell(mine, 0.0)


def test_a_refused_answer_changes_nothing():
    for selector, wrong in ((Selector(POOL, numbers(), LEVELS, 10), [None, np.nan, np.inf, "a", [1], True]),
                            (Selector(POOL, classes(), LABELS, 10), [None, np.nan, 0, 2, "a", [1], np.array([1, -1])])):
        suggestion = selector.next()
        before = selector.belief()
        for y in wrong:
            with pytest.raises((ValueError, TypeError)):
                selector.tell(suggestion, y)
        for cost in (-1, np.nan, np.inf, "a", True):
            with pytest.raises((ValueError, TypeError)):
                selector.tell(suggestion, 1, cost=cost)
        for other in (None, 5, "x", object(), acuity.Suggestion):
            for verb in (selector.expect, selector.release, lambda s: selector.tell(s, 1)):
                with pytest.raises((ValueError, TypeError)):
                    verb(other)
        np.testing.assert_array_equal(selector.belief(), before)
        assert selector.remaining == 10 and selector.next().row == suggestion.row


def test_points_are_chosen_once_unless_they_may_be_repeated():
    once = Selector(POOL[:4], numbers(), [LEVELS[0]])
    rows = []
    for _ in range(4):
        found = once.next()
        rows.append(found.row)
        once.tell(found, 0.0)
    assert sorted(rows) == [0, 1, 2, 3]
    with pytest.raises(acuity.Finished):
        once.next()
    again = Selector(POOL[:1], numbers(), [LEVELS[0]], repeat=True)
    for _ in range(5):
        again.tell(again.next(), 0.0)
    assert again.next().row == 0


def test_a_level_that_repeats_itself_is_never_bought_twice_at_a_point():
    levels = [Level("model", noise_sd=0.4, cost=1, repeat="same"), Level("test", noise_sd=0.3, cost=5)]
    selector = Selector([[0.0]], GPRegressor(), levels, repeat=True)
    names = []
    for _ in range(4):
        found = selector.next()
        names.append(found.level)
        selector.tell(found, 0.0)
    assert names == ["model", "test", "test", "test"]


@pytest.mark.parametrize("repeat", [True, False])
def test_every_level_of_every_point_is_bought_if_answers_repeat(repeat):
    levels = [Level(str(k), noise_sd=0.5 / k, cost=k, repeat="same") for k in (1, 2, 3)]
    selector = Selector(np.linspace(0, 8, 40)[:, None], GPRegressor(), levels, budget=240, repeat=repeat)
    bought = set()
    for _ in range(120):
        found = selector.next()
        bought.add((found.row, found.level))
        selector.tell(found, 0.0)
    assert len(bought) == 120 and selector.remaining == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(acuity.Finished):
        selector.next()


def test_an_independent_level_closes_the_point_that_others_leave_open():
    levels = [Level("model", noise_sd=0.4, cost=1, repeat="same"), Level("test", noise_sd=0.3, cost=5)]
    selector = Selector([[0.0], [9.0]], GPRegressor(), levels)
    selector.tell(selector.at(0, "model"), 0.0)
    assert selector.scores()["row"].tolist() == [0, 1] and selector.scores()["level"][0] == 1
    selector.tell(selector.at(0, "test"), 0.0)
    assert selector.scores()["row"].tolist() == [1]


def test_releasing_one_of_two_leaves_the_other_in_place():
    levels = [Level("model", noise_sd=0.4, cost=1, repeat="same")]
    selector = Selector([[0.0], [9.0]], GPRegressor(), levels)
    one, other = selector.at(0, 0), selector.at(0, 0)
    selector.expect(one)
    selector.expect(other)
    selector.release(one)
    assert selector.scores()["row"].tolist() == [1]
    selector.release(other)
    assert selector.scores()["row"].tolist() == [0, 1]


@pytest.mark.parametrize("mask", [True, False])
def test_only_candidates_are_chosen(mask):
    rows = np.array([3, 17, 40])
    given = np.isin(np.arange(60), rows) if mask else rows
    selector = Selector(POOL, numbers(), LEVELS, candidates=given)
    np.testing.assert_array_equal(selector.scores()["row"], rows)
    values = table(numbers(), LEVELS, POOL) / [level.cost for level in LEVELS]
    assert selector.next().row == rows[values.max(axis=1)[rows].argmax()]
    with pytest.raises(acuity.Finished):
        Selector(POOL, numbers(), LEVELS, candidates=np.zeros(60, bool) if mask else []).next()


@pytest.mark.parametrize("wrong", [[60], [-1], [0.5], ["a"], np.zeros(59, bool), np.zeros((60, 1), bool), [[0], [1]], 3, [None]])
def test_candidates_that_are_none_are_refused(wrong):
    with pytest.raises((ValueError, TypeError)):
        Selector(POOL, numbers(), LEVELS, candidates=wrong)


@pytest.mark.parametrize("model, levels", [(numbers, LEVELS), (classes, LABELS)], ids=["numbers", "classes"])
def test_a_batch_is_one_choice_after_the_other(model, levels):
    batch = select(POOL, model(), levels, n=6)
    one_by_one = Selector(POOL, model(), levels)
    for found in batch:
        expected = one_by_one.next()
        assert (found.row, found.level) == (expected.row, expected.level)
        one_by_one.expect(expected)
    assert len({found.id for found in batch}) == 6 and len({found.row for found in batch}) == 6


def test_a_batch_leaves_the_belief_as_it_was():
    selector = Selector(POOL, numbers(), LEVELS, budget=20)
    before = selector.belief()
    batch = selector.next(5)
    np.testing.assert_allclose(selector.belief(), before, atol=1e-12)
    assert selector.remaining == 20 and [s.row for s in selector.next(5)] == [s.row for s in batch]


def test_a_batch_ends_with_the_money_or_the_points():
    assert sum(s.cost for s in select(POOL, numbers(), LEVELS, budget=4.2, n=50)) <= 4.2 + 1e-6
    assert len(select(POOL[:3], numbers(), LEVELS, n=50)) == 3
    for wrong in (0, -1, 1.5, "2", True, None):
        if wrong is not None:
            with pytest.raises(ValueError):
                select(POOL, numbers(), LEVELS, n=wrong)


def test_results_do_not_depend_on_the_number_of_threads():
    pool = np.random.default_rng(0).uniform(0, 6, (3000, 2))
    runs = []
    for threads in (1, 2):
        selector = Selector(pool, GPRegressor(), Ladder(0.09, acuity.costs.power(9, 1)), noise_variance=0.01, threads=threads)
        for i in range(10):
            selector.tell(selector.next(), float(i % 3))
        runs.append((selector.next(), selector.belief()))
    assert repr(runs[0][0]) == repr(runs[1][0])
    np.testing.assert_array_equal(runs[0][1], runs[1][1])


def test_single_precision_is_nearly_the_same():
    a, b = (Selector(POOL, numbers(), LEVELS, single_precision=single) for single in (False, True))
    for _ in range(5):
        s, t = a.next(), b.next()
        assert s.row == t.row
        a.tell(s, 0.5), b.tell(t, 0.5)
    np.testing.assert_allclose(a.belief(), b.belief(), atol=1e-4)


def test_a_selector_keeps_what_it_was_given():
    pool, model = POOL.copy(), numbers()
    selector = Selector(pool, model, LEVELS)
    first = selector.next()
    pool[:] = 0.0
    model.set_params(lengthscale=99.0).fit([[0.0]], [0.0], noise_variance=1.0)
    assert selector.next().row == first.row
    selector.tell(first, 0.0)
    X, y, noise = sine(8)
    twin = regression(
        lambda a, b: rbf(a, b, 1.0, 0.7), np.r_[X, POOL[[first.row]]], np.r_[y, 0.0], np.r_[noise, first.noise_variance], POOL
    )
    np.testing.assert_allclose(selector.belief()[0], twin[0], atol=1e-8)
    np.testing.assert_allclose(selector.belief()[1], np.diag(twin[1]), atol=1e-8)


# scikit-activeml's manner.


def some_answers():
    y = np.full(60, np.nan)
    y[[3, 20, 41]] = np.sin(POOL[[3, 20, 41], 0])
    return y


def test_query_is_what_the_selector_says():
    y = some_answers()
    rows, utilities = query(POOL, y, batch_size=4, return_utilities=True, noise_variance=0.01, model=GPRegressor(optimiser=None))
    assert rows.shape == (4,) and rows.dtype == np.int64 and utilities.shape == (4, 60)
    model = GPRegressor(optimiser=None).fit(POOL[[3, 20, 41]], y[[3, 20, 41]], noise_variance=0.01)
    selector = Selector(POOL, model, [Level("a", noise_variance=0.01, cost=1)], candidates=np.isnan(y))
    for i in range(4):
        found = selector.next()
        assert rows[i] == found.row and utilities[i, found.row] == np.nanmax(utilities[i])
        selector.expect(found)
    # What was no candidate has no utility: the answered, and what the batch has already.
    for i in range(4):
        assert set(np.flatnonzero(np.isnan(utilities[i]))) == {3, 20, 41, *rows[:i]}
    _, variance = belief_of(model, POOL)
    expected = information(variance=variance, noise_variance=0.01)
    np.testing.assert_allclose(utilities[0][np.isnan(y)], expected[np.isnan(y)], rtol=1e-7)


def test_query_takes_rows_as_candidates():
    options = {"noise_variance": 0.01, "model": GPRegressor(optimiser=None)}
    rows, utilities = query(POOL, some_answers(), [5, 30, 50], 2, True, **options)
    assert set(rows) <= {5, 30, 50} and utilities.shape == (2, 60)
    assert set(np.flatnonzero(~np.isnan(utilities[0]))) == {5, 30, 50}
    for wrong in ([60], [-1], [0.5]):
        with pytest.raises(ValueError):
            query(POOL, some_answers(), wrong, **options)


def test_query_takes_points_as_candidates():
    options = {"noise_variance": 0.01, "model": GPRegressor(optimiser=None)}
    points = [[-5.0], [0.0], [20.0]]
    rows, utilities = query(POOL, some_answers(), points, 2, True, **options)
    assert utilities.shape == (2, 3) and rows.tolist() in ([0, 2], [2, 0])
    with pytest.raises(ValueError):
        query(POOL, some_answers(), [[1.0, 2.0]], **options)


def test_query_gives_what_there_is():
    options = {"noise_variance": 0.01, "model": GPRegressor(optimiser=None)}
    rows, utilities = query(POOL, some_answers(), [5, 30], 10, True, **options)
    assert len(rows) == 2 and utilities.shape == (2, 60)
    empty, none = query(POOL, np.zeros(60), None, 3, True, **options)
    assert empty.shape == (0,) and none.shape == (0, 60)
    assert query(POOL, np.full(60, np.nan), noise_variance=0.1).tolist() == [0]
    with pytest.raises(ValueError, match="noise_variance"):
        query(POOL, np.full(60, np.nan))


def test_query_does_not_change_the_model_it_is_given():
    model = GPRegressor(optimiser=None)
    query(POOL, some_answers(), model=model, noise_variance=0.1)
    assert not hasattr(model, "X_train_")


def test_query_has_levels_and_classes():
    y = some_answers()
    rows, places = query(POOL, y, levels=LEVELS, noise_variance=0.01, return_levels=True, model=GPRegressor(optimiser=None))
    model = GPRegressor(optimiser=None).fit(POOL[~np.isnan(y)], y[~np.isnan(y)], noise_variance=0.01)
    found = select(POOL, model, LEVELS, candidates=np.isnan(y))
    assert (rows[0], LEVELS[places[0]].name) == (found.row, found.level)
    labels = np.where(np.isnan(y), np.nan, y > 0)
    rows, utilities = query(POOL, labels, accuracy=0.9, batch_size=2, return_utilities=True)
    assert utilities.shape == (2, 60) and np.nanmin(utilities) >= 0.0
    each = np.where(np.arange(60) < 30, 0.8, 0.95)
    assert query(POOL, labels, accuracy=each).shape == (1,)
    assert query(POOL, y, noise_variance=np.where(np.arange(60) < 30, 0.1, 0.2)).shape == (1,)


def test_query_has_continuous_ladders():
    ladder = Ladder(0.09, acuity.costs.power(9, 1), high=100.0, continuous=True)
    model = GPRegressor(optimiser=None)
    rows, utilities = query(POOL, some_answers(), None, 3, True, model=model, levels=ladder, noise_variance=0.01)
    assert len(set(rows)) == 3 and utilities.shape == (3, 60)


def test_prices_in_parts():
    level = acuity.Level("assay", noise_sd=1.0, cost={"setup": 40, "per": 12, "units": 4})
    assert level.cost == 88.0
    for wrong in ({"per": 12}, {"per": 1, "units": 2, "price": 3}, {"per": -1, "units": 2}, {"per": 0, "units": 2}):
        with pytest.raises(ValueError, match="cost"):
            acuity.Level("assay", noise_sd=1.0, cost=wrong)


def test_query_takes_a_ladder_where_the_pool_has_a_noise():
    X = np.linspace(0.0, 5.0, 40)[:, None]
    y = np.full(40, np.nan)
    y[::9] = np.sin(X[::9, 0])
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9.0, 2.0))
    model = acuity.GPRegressor(optimiser=None)
    rows, places = acuity.query(
        X, y, batch_size=3, model=model, noise_variance=0.01, levels=ladder, pool_noise_variance=0.02, return_levels=True
    )
    known = ~np.isnan(y)
    fitted = acuity.GPRegressor(optimiser=None).fit(X[known], y[known], noise_variance=0.01)
    wanted = acuity.select(X, fitted, ladder, n=3, noise_variance=0.02, candidates=~known)
    assert rows.tolist() == [one.row for one in wanted]
    assert [ladder.alpha[place] for place in places] == [one.alpha for one in wanted]
