"""Pictures on matplotlib's axes: what is drawn is what the campaign says."""

import numpy as np
import pytest
from campaigns import POOL, make

import acuity

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def curve():
    X = np.linspace(0, 10, 80)[:, None]
    levels = [acuity.Level("short", noise_sd=0.3, cost=1), acuity.Level("long", noise_sd=0.03, cost=12)]
    campaign = acuity.create(pool={"x": X[:, 0]}, levels=levels, budget=70, unit="h", target={"name": "dose", "unit": "Gy"})
    random = np.random.default_rng(1)
    campaign.run(lambda s: random.normal(np.sin(s.x[0]), s.noise_variance**0.5))
    return campaign


def test_the_belief_is_the_campaigns(curve):
    ax = curve.plot.belief()
    line = ax.get_lines()[0]
    predicted = curve.prediction(line.get_xdata()[:, None])
    np.testing.assert_allclose(line.get_ydata(), predicted.median, atol=0.02)  # averaged over fewer hyperparameters
    assert ax.get_xlabel() == "x" and ax.get_ylabel() == "dose (Gy)"
    drawn = sum(len(points.get_offsets()) for points in ax.collections if hasattr(points, "get_sizes") and len(points.get_offsets()) > 1)
    assert drawn == curve.status()["annotations"]
    with pytest.raises(ValueError, match="input is 'z', must be one of 'x'"):
        curve.plot.belief("z")


def test_levels_show_what_was_spent(curve):
    heights = [bar.get_height() for bar in curve.plot.levels().patches]
    assert sum(heights) == pytest.approx(curve.status()["spent"])


def test_calibration_and_error_are_of_the_answers(curve):
    ax = curve.plot.calibration()
    share = ax.get_lines()[1].get_ydata()
    assert np.all(np.diff(share) >= 0.0) and 0.0 <= share[0] and share[-1] <= 1.0
    ax = curve.plot.error()
    assert ax.get_lines()[0].get_xdata()[-1] == pytest.approx(curve.status()["spent"]) and ax.get_xlabel() == "spent (h)"


def test_two_inputs_are_a_surface_and_an_order():
    campaign = make(name="two")
    campaign.run(lambda s: np.sin(s.x.sum()))
    assert campaign.plot.surface(points=12).get_xlabel() == "x1" or campaign.inputs
    names = [text.get_text() for text in campaign.plot.importance().get_yticklabels()]
    assert sorted(names) == sorted(map(str, campaign.inputs))


def test_a_bias_is_drawn_for_the_level_that_has_one():
    meshes = [
        acuity.Level("coarse", noise_sd=0.2, cost=1, repeat="same"), acuity.Level("fine", noise_sd=0.01, cost=8, repeat="same", reference=True),
    ]
    X = np.linspace(0, 6, 40)[:, None]
    campaign = acuity.create(pool=X, levels=meshes, budget=60)
    campaign.run(lambda s: np.sin(s.x[0]) + (0.2 if s.level == "coarse" else 0.0))
    assert [text.get_text() for text in campaign.plot.bias().get_legend().get_texts()] == ["coarse above fine"]
    with pytest.raises(ValueError, match="'fine' has a bias that is learned, must be one"):
        campaign.plot.bias("fine")


def test_models_are_drawn_on_axes_that_are_given(curve):
    figure = matplotlib.figure.Figure()
    ax = figure.subplots()
    model = acuity.GPRegressor(optimiser=None, noise_variance=0.01).fit(POOL[:, :1], np.sin(POOL[:, 0]))
    assert acuity.plot.model(model, ax=ax) is ax and acuity.plot.belief(curve, ax=ax) is ax
    with pytest.raises(ValueError, match="the model has 2 inputs, must have one"):
        acuity.plot.model(acuity.GPRegressor(optimiser=None, noise_variance=0.1).fit(POOL, POOL[:, 0]))


def test_what_cannot_be_drawn_is_said(monkeypatch):
    campaign = make()
    for name in ("calibration", "bias"):
        with pytest.raises(ValueError):
            getattr(campaign.plot, name)()
    with pytest.raises(AttributeError, match="there is no picture 'beleif', must be one of belief, surface"):
        campaign.plot.beleif()
    assert "belief" in repr(campaign.plot) and "belief" in dir(campaign.plot)


def test_without_matplotlib_the_package_says_what_is_missing(monkeypatch, curve):
    import importlib

    import acuity.plot as plot

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(plot.importlib, "import_module", missing)
    with pytest.raises(ImportError, match="pictures need matplotlib, which is not installed"):
        plot.levels(curve)
    monkeypatch.undo()
    assert importlib.import_module("matplotlib")
