"""The golden files through Python, to the tolerances of the C++ tests.

What has a public face goes through it; the rest (special functions, tilted moments, the optimiser's path) through the
functions of the core that the models are made of.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import acuity
from acuity import _core

GOLDEN = Path(os.environ["ACUITY_SOURCE_DIR"]) / "tests" / "golden"
EPSILON = np.finfo(float).eps


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text(), parse_constant=float)


def number(value):
    return np.inf if value == "inf" else float(value)


def numbers(values):
    return np.array([number(value) for value in values])


def close(found, wanted, tolerance):
    """Within so much of the wanted value, or of 1 where that is smaller."""
    wanted = number(wanted)
    assert found == wanted or abs(found - wanted) <= tolerance * max(1.0, abs(wanted)), (found, wanted)


def close_relative(found, wanted, tolerance):
    wanted = number(wanted)
    assert found == wanted or abs(found - wanted) <= tolerance * abs(wanted), (found, wanted)


def all_close(found, wanted, tolerance):
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        close(one, other, tolerance)


# What the C++ tests read is read here as well: a file that nobody tries would be no golden file.
def test_every_file_is_tried():
    tried = Path(__file__).read_text()
    without_public_face = {"structures", "chain", "meshes", "class_accuracy"}
    by_the_program = {"find"}  # tests/cli/find_test.cpp
    for file in GOLDEN.glob("*.json"):
        assert file.stem in without_public_face | by_the_program or f'golden("{file.stem}")' in tried, file.stem


def test_logarithmic_targets():
    g = golden("log_target")
    levels = [acuity.Level(str(k), noise_relative=noise, cost=10 - k) for k, noise in enumerate(g["noise_relative"])]
    X = np.array(g["X"])
    campaign = acuity.create(
        pool=X, levels=levels, target={"scale": "log"}, kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"][0],
        mean="annotations", fit="never", average=1, nugget=g["tau2"], standardise="none",
        initial=(X, g["y"], [str(level) for level in g["level"]]),
    )
    found = campaign.prediction(np.array(g["X_test"]))
    for k, wanted in enumerate(g["predictions"]):
        close(found.mean[k], wanted["log_mean"], 1e-12)
        close(found.sd[k] ** 2, wanted["log_var"], 1e-12)
        for name in ("median", "low", "high"):
            close(getattr(found, name)[k], wanted[name], 1e-11)
        close(np.exp(found.mean[k] + 1.959963984540054 * found.answer_sd[k]), wanted["answer_high"], 1e-11)


@pytest.mark.filterwarnings("ignore:column")  # values that no point of the pool has
def test_categories(tmp_path):
    for number_of_case, g in enumerate(golden("categories")["cases"]):
        numbers, categories = len(g["X"][0]), len(g["categories"][0])
        names = [f"x{k}" for k in range(numbers)] + [f"c{k}" for k in range(categories)]

        def columns(X, codes):
            rows = [list(x) + [f"v{code}" for code in c] for x, c in zip(X, codes)]
            return {name: [row[k] for row in rows] for k, name in enumerate(names)}

        def table(file, data):
            lines = [",".join(data)] + [",".join(map(str, row)) for row in zip(*data.values())]
            (tmp_path / file).write_text("\n".join(lines) + "\n")

        table("pool.csv", columns(g["X"], g["categories"]))
        total = [level + base for level, base in zip(g["level_noise"], g["sigma2"])]
        table("known.csv", {**columns(g["X"], g["categories"]), "y": g["y"], "noise_variance": total})
        for number_of_model, model in enumerate(g["models"]):
            scales = model["l"] if numbers else 1.0
            text = (
                f'[campaign]\ninitial = {{ file = "known.csv" }}\n[pool]\nfile = "pool.csv"\nstandardise = "none"\n'
                f'[model]\nkernel = "{g["kernel"]}"\namplitude = {model["a"]}\nlengthscale = {scales}\n'
                f'mean = {g["prior_mean"]}\nfit = "never"\naverage = 1\n[noise]\nnugget = {model["tau2"]}\n'
                '[[level]]\nname = "one"\nnoise_sd = 1\ncost = 1\n'
            )
            for k, name in enumerate(names):
                text += f'[[input]]\nname = "{name}"\n'
                if k >= numbers:
                    text += f'type = "category"\nsimilarity = {model["rho"][k - numbers]!r}\n'
            (tmp_path / "study.toml").write_text(text)
            campaign = acuity.create(tmp_path / f"{number_of_case}-{number_of_model}.acuity", study=tmp_path / "study.toml")
            found = campaign.prediction(columns(g["X_test"], g["categories_test"]))
            all_close(found.mean, model["mean"], 1e-10)
            all_close(found.sd**2, model["var"], 1e-10)


def test_regression_information():
    file = golden("regression_mi")
    for g in file["cases"]:
        s, base, added = g["s"], g["n0"], file["gamma"] * g["beta"]
        noise = base + added
        close_relative(acuity.information("model", variance=s, noise_variance=noise), g["mi_f"], 1e-12)
        close_relative(acuity.information("bald", variance=s, noise_variance=base), g["bald"], 1e-12)
        target = {"variance": s, "noise_variance": noise, "target_variance": base}
        close_relative(acuity.information("target", "c", **target), g["mi_y_c"], 1e-12)
        # The total noise has forgotten some digits of what was added to a larger base.
        lost = 2 * EPSILON * noise / added if added > 0 else 0.0
        close_relative(acuity.information("target", "b", **target), g["mi_y_b"], 1e-12 + lost)
    assert len(file["cases"]) == 160


def test_costs():
    for g in golden("regression_mi")["costs"]:
        if g["kind"] == "power":
            alpha = np.inf if g["beta"] == 0 else 1.0 / g["beta"]
            close_relative(acuity.costs.power(g["c"], g["q"])(alpha), g["cost"], 1e-12)
            continue
        close_relative(acuity.costs.expression(f"{g['b']} + {g['c']} * alpha ^ {g['q']}")(g["alpha"]), g["cost"], 1e-12)
        if g["q"] == 1.0:
            close_relative(acuity.costs.linear(g["b"], g["c"])(g["alpha"]), g["cost"], 1e-12)


def test_classification_information():
    file = golden("classification_mi")
    for g in file["cases"]:
        belief = {"mean": g["mu"], "variance": g["s2"], "accuracy": g["w"]}
        close_relative(_core.clean_probability(np.array([g["mu"]]), np.array([g["s2"]]))[0], g["p_clean"], 1e-12)
        close_relative(acuity.information("model", **belief), g["mi_f_exact"], 1e-11)
        assert abs(acuity.information("model", approximation="taylor", **belief) - g["mi_f_taylor"]) <= 1e-14
        close_relative(acuity.information("target", "b", **belief), g["mi_y_b"], 1e-12)
        close_relative(acuity.information("target", "c", **belief), g["mi_y_c"], 1e-11)
    assert len(file["cases"]) == 210
    for g in file["general"]:
        belief = {"mean": g["mu"], "variance": g["s2"]}
        close_relative(acuity.information("model", accuracy=g["w"], **belief), g["mi_f_exact"], 1e-12)
        close_relative(acuity.information("bald", accuracy=g["w_top"], **belief), g["bald_exact"], 1e-12)
        taylor = acuity.information("bald", accuracy=g["w_top"], approximation="taylor", **belief)
        assert abs(taylor - g["bald_taylor"]) <= 1e-14
        for graph in "bc":
            found = acuity.information("target", graph, accuracy=g["w"], target_accuracy=g["w_top"], **belief)
            close_relative(found, g["mi_y_" + graph], 1e-12)


def test_special_functions():
    file = golden("special_functions")
    inside = _core.numerics
    for g in file["normal"]:
        close_relative(float(inside.normal_log_cdf(g["x"])), g["log_cdf"], 1e-12)
        found = inside.mills_ratio(g["x"])
        for name in ("mills", "x_plus_mills", "rho", "one_minus_rho"):
            close_relative(found[name], g[name], 1e-12)
    for g in file["entropy_bits"]:
        close_relative(float(inside.entropy_bits(g["p"], 1.0 - g["p"])), g["h"], 1e-12)
    for g in file["one_minus_h"]:
        close_relative(float(inside.capacity_bits(g["c"])), g["one_minus_h"], 1e-12)
        close_relative(float(inside.taylor_curvature(g["c"])), g["C"], 1e-12)
    for g in file["psi"]:
        close_relative(float(inside.psi(g["x"])), g["psi"], 1e-12)
    for g in file["gauss_Phi"]:
        mean, variance = np.array([g["mu"]]), np.array([g["s2"]])
        p, spread = _core.clean_probability(mean, variance)[0], _core.clean_probability_variance(mean, variance)[0]
        close_relative(p, g["E_Phi"], 1e-12)
        close_relative(spread, g["var_Phi"], 1e-11)
        close_relative(p * p + spread, g["E_Phi2"], 1e-11)


def test_lambert_u():
    """u_q of docs/math.md 5.3 is the ratio of variance to noise at the best precision where c = gamma / floor."""
    for g in golden("special_functions")["lambert_u"]:
        q, u = g["q"], g["u"]
        variance, base = 1.0, 2.0**-40
        gamma = 64.0
        cost = _core.power_cost(gamma / base, q)
        found = _core.best_precision("model", variance, base, gamma, 0.0, 4.0, np.inf, cost)
        noise = base + gamma / found[0]
        close_relative(variance / noise, u, 1e-9)


def test_alpha_opt():
    file = golden("alpha_opt")
    kinds = {"mi_f": "model", "mi_y_b": "target_b", "mi_y_c": "target_c"}
    for g in file["power"]:
        alpha, _, _, value = _core.best_precision(
            kinds[g["acquisition"]], g["s"], g["n0"], g["gamma"], g["beta_min"], g["beta_max"], np.inf,
            _core.power_cost(g["c"], g["q"]),
        )
        close_relative(0.0 if np.isinf(alpha) else 1.0 / alpha, g["beta"], 1e-12)
        close_relative(value, g["objective"], 1e-13)
    for g in file["linear_regression"]:
        alpha, _, _, value = _core.best_precision(
            "model", g["s"], g["n0"], g["gamma"], 1.0 / g["alpha_max"], 1.0 / g["alpha_min"], np.inf,
            _core.linear_cost(g["b"], g["c"]),
        )
        close_relative(alpha, g["alpha"], 1e-12)
        close_relative(value, g["objective"], 1e-13)
    for g in file["classification"]:
        cost = (
            _core.linear_cost(g["b"], g["c"])
            if g["q"] == 1.0
            else _core.python_cost(lambda alpha, g=g: g["b"] + g["c"] * alpha ** g["q"])
        )
        alpha, bits, _, value = _core.best_class_precision(
            "model", g["mu"], g["s2"], g["kappa"], g["gamma"], 0.0, 1.0, np.inf, cost
        )
        assert abs(alpha - g["alpha"]) <= 1e-10 and abs(bits - g["mi"]) <= 1e-10
        close_relative(value, g["objective"], 1e-12)
    for g in file["break_even"]:
        found = _core.break_even_variance(g["n_precise"], g["cost_precise"], g["n_cheap"], g["cost_cheap"])
        assert (found is None) == (g["s_break"] is None)
        if found is not None:
            close_relative(found, g["s_break"], 1e-13)
        close_relative(_core.break_even_price_ratio(g["s"], g["n_precise"], g["n_cheap"]), g["price_ratio_at_s"], 1e-14)


@pytest.mark.parametrize("data", golden("gp_regression")["cases"], ids=lambda data: data["name"])
def test_gp_regression(data):
    noise = numbers(data["n0"]) + data["gamma"] * numbers(data["beta"])
    near_singular = data["near_singular"]
    for model in data["models"]:
        regressor = acuity.GPRegressor(
            kernel=model["kernel"], amplitude=model["a"], lengthscale=model["l"], mean=data["prior_mean"], optimiser=None
        )
        regressor.fit(data["X"], data["y"], noise_variance=noise)
        tolerance = 2e-7 if near_singular else 1e-10
        close_relative(regressor.log_marginal_likelihood_, -model["nll"], tolerance)
        close(regressor._belief().log_determinant, model["log_det"], tolerance)
        close(regressor._belief().quadratic_form, model["quad"], tolerance)
        mean, sd = regressor.predict(data["X_test"], return_std=True)
        for i in range(len(mean)):
            close(mean[i], model["mean"][i], 3e-11 if near_singular else 1e-10)
            assert abs(sd[i] ** 2 - model["var"][i]) <= (1e-11 if near_singular else 1e-10) * model["a"] ** 2


@pytest.mark.parametrize("data", golden("gp_regression")["cases"], ids=lambda data: data["name"])
def test_gp_regression_one_observation_at_a_time(data):
    model = data["models"][0]
    noise = numbers(data["n0"]) + data["gamma"] * numbers(data["beta"])
    tolerance = 3e-11 if data["near_singular"] else 1e-10
    regressor = acuity.GPRegressor(amplitude=model["a"], lengthscale=model["l"], mean=data["prior_mean"], optimiser=None)
    for k, step in enumerate(data["incremental_rbf_shared"]):
        if k == 0:
            regressor.fit(data["X"][:1], data["y"][:1], noise_variance=noise[:1])
        else:
            regressor.add(data["X"][k], data["y"][k], noise_variance=noise[k])
        mean, sd = regressor.predict(data["X_test"], return_std=True)
        all_close(mean, step["mean"], tolerance)
        all_close(sd**2, step["var"], tolerance)


# The penalty has no face here; the likelihood and the predictions with a nugget have.
@pytest.mark.parametrize("data", golden("penalised_likelihood")["cases"], ids=lambda data: data["name"])
def test_gp_regression_with_a_nugget(data):
    for theta in data["thetas"]:
        regressor = acuity.GPRegressor(
            kernel=data["kernel"], amplitude=theta["a"], lengthscale=theta["l"], mean=data["prior_mean"], optimiser=None
        )
        noise = numbers(data["level_noise"]) + numbers(data["sigma2"]) + theta["tau2"]
        regressor.fit(data["X"], data["y"], noise_variance=noise)
        close_relative(regressor.log_marginal_likelihood_, theta["log_p"], 1e-9)
        mean, sd = regressor.predict(data["X_test"], return_std=True)
        all_close(mean, theta["mean"], 1e-9)
        all_close(sd**2, theta["var"], 1e-9)


def test_adam_trace():
    file = golden("adam_trace")
    noise = numbers(file["n0"]) + file["gamma"] * numbers(file["beta"])
    X, y = np.array(file["X"]), np.array(file["y"])
    first = file["runs"][0]  # raw parameters, 5 %: what the paper does
    model = acuity.GPRegressor(optimiser="adam").fit(X, y, noise_variance=noise)
    wanted = first["epochs"][-1]["theta"]
    close(model.amplitude_, wanted[0], 1e-10)
    close(model.lengthscale_, wanted[1], 1e-10)
    assert model.learning_["iterations"] == first["stopped_at"] and model.learning_["converged"]
    constant = 0.5 * len(y) * np.log(2.0 * np.pi)
    for run in file["runs"]:
        raw = run["parametrisation"] == "raw"

        def objective(theta, raw=raw):
            logs = np.log(np.abs(theta)) if raw else theta
            kernel = _core.stationary_kernel("rbf", 1.0, np.ones(1)).with_log_parameters(logs)
            value, gradient = _core.regression_likelihood(kernel, 0.0, X, y, noise)
            return -value - constant, -gradient / theta if raw else -gradient

        path, _ = _core.adam(objective, np.ones(2) if raw else np.zeros(2), run["max_epochs"], run["epsilon_stop"])
        assert len(path) == run["stopped_at"]
        for epoch in run["epochs"]:
            theta, value = path[epoch["t"] - 1]
            close(value, epoch["nll_core"], 1e-10)
            all_close(theta, epoch["theta"], 1e-10)


def test_ep_moments():
    for g in golden("ep_moments")["cases"]:
        found = _core.tilted_moments(g["y"], g["mu_cav"], g["var_cav"], g["w"])
        names = {
            "z": "z", "slope": "dlogz_dmu", "curvature": "neg_d2logz_dmu2", "mean": "mu_hat", "variance": "var_hat",
            "site_precision": "tau_site", "site_shift": "nu_site",
        }
        for ours, theirs in names.items():
            close_relative(found[ours], g[theirs], 1e-11)
        assert abs(found["log_weight"] - g["log_z"]) <= 1e-11 * abs(g["log_z"]) + 1e-49


# What the package has of it: the evidence of answers as sites of their own, with the accuracies of who gave them.
@pytest.mark.parametrize("g", golden("learned_accuracy")["cases"], ids=lambda g: g["name"])
def test_the_evidence_of_learned_accuracies(g):
    X = np.array([g["X"][answer["item"]] for answer in g["answers"]]).reshape(len(g["answers"]), -1)
    y = [answer["y"] for answer in g["answers"]]
    lengthscale = g["l"][0] if len(g["l"]) == 1 else g["l"]
    for at in g["separate"]["at"]:
        model = acuity.GPClassifier(
            kernel=g["kernel"], amplitude=g["a"], lengthscale=lengthscale, optimiser=None, classes=[-1, 1]
        )
        model.fit(X, y, accuracy=[at["w"][answer["person"]] for answer in g["answers"]])
        close(model.log_marginal_likelihood_, at["log_z"], 1e-9)


@pytest.mark.parametrize("g", golden("ep_fixed_points")["cases"], ids=lambda g: g["name"])
def test_ep_fixed_points(g):
    model = acuity.GPClassifier(
        kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"], classes=[-1, 1], optimiser=None
    )
    model.fit(g["X"], g["y"], accuracy=g["w"])
    close(model.log_marginal_likelihood_, g["log_z"], 1e-10)
    posterior = model._belief()
    assert posterior.converged
    for found, names in (
        (posterior.sites(), ("tau", "nu")),
        (posterior.at_observations(), ("post_mean", "post_var")),
        (posterior.cavities(), ("cav_mean", "cav_var")),
        ((posterior.gradient(),), (("grad_log_a", "grad_log_l"),)),
        ((posterior.accuracy_gradient(),), ("grad_w",)),
    ):
        for values, name in zip(found, names):
            wanted = g[name] if isinstance(name, str) else [g[one] for one in name]
            all_close(values, wanted, 1e-10)
    for test in g["test"]:
        mean, variance = model.latent([test["x"]])
        close(mean[0], test["mean"], 1e-10)
        close(variance[0], test["var"], 1e-10)
        close(model.predict_proba([test["x"]])[0, 1], test["p_clean"], 1e-10)
    if "clipped" in g:
        clipped = _core.EpPosterior(
            model._core_kernel(), model.X_train_, model.y_train_, model.accuracy_train_, before=None, clip=True
        )
        all_close(clipped.sites()[0], g["clipped"]["tau"], 1e-10)
        close(clipped.log_evidence, g["clipped"]["log_z"], 1e-10)


@pytest.mark.parametrize("trace", golden("greedy_regression")["traces"], ids=lambda t: t["acquisition"] + str(t["cost"]["q"]))
def test_greedy_regression(trace):
    g = golden("greedy_regression")
    cost = acuity.costs.power(trace["cost"]["c"], trace["cost"]["q"])
    betas = g[trace["betas_key"]]
    ladder = acuity.Ladder(g["gamma"], cost, alpha=[np.inf if beta == 0 else 1.0 / beta for beta in betas])
    model = acuity.GPRegressor(amplitude=g["a"], lengthscale=g["l"], optimiser=None)
    model.fit(g["X_init"], g["y_init"], noise_variance=g["n0_init"])
    kind = {"bald": "bald", "mi_f": "model"}.get(trace["acquisition"], "target")
    graph = trace["acquisition"][-1] if kind == "target" else None
    selector = acuity.Selector(
        g["X_pool"], model, ladder, trace["budget"], information=kind, graph=graph, noise_variance=g["n0_pool"]
    )
    for step in trace["steps"]:
        suggestion = selector.next()
        level = betas.index(0.0 if np.isinf(suggestion.alpha) else min(betas, key=lambda b: abs(b * suggestion.alpha - 1.0)))
        assert (suggestion.row, level) == (step["index"], step["level"])
        close_relative(suggestion.information, step["mi"], 1e-10)
        close_relative(suggestion.cost, step["cost"], 1e-12)
        close(suggestion.variance, step["var_before"], 1e-10)
        selector.tell(suggestion, g[trace["y_table_key"]][suggestion.row][level])
        close(selector.remaining, step["remaining"], 1e-10)
    if len(trace["steps"]) < trace["max_steps"]:
        with pytest.raises(acuity.Finished):
            selector.next()


# The same choices from campaigns.
def test_greedy_regression_as_a_campaign(tmp_path):
    g = golden("greedy_regression")
    done = 0
    known = ["x,y,noise_variance"] + [f"{x[0]},{y},{n0}" for x, y, n0 in zip(g["X_init"], g["y_init"], g["n0_init"])]
    (tmp_path / "known.csv").write_text("\n".join(known) + "\n")
    for trace in g["traces"]:
        if trace["acquisition"] not in ("mi_f", "bald"):
            continue
        betas = g[trace["betas_key"]]
        campaign = acuity.create(
            pool=g["X_pool"], noise_variance=g["n0_pool"],
            levels=acuity.Ladder(
                g["gamma"], acuity.costs.power(trace["cost"]["c"], trace["cost"]["q"]),
                alpha=[np.inf if beta == 0 else 1.0 / beta for beta in betas],
            ),
            information="bald" if trace["acquisition"] == "bald" else "model", amplitude=g["a"], lengthscale=g["l"],
            initial=tmp_path / "known.csv", budget=trace["budget"], kernel="rbf", mean=0.0, standardise=False, fit="never",
        )
        for step in trace["steps"]:
            suggestion = campaign.ask()
            assert suggestion.row == step["index"]
            close_relative(suggestion.information, step["mi"], 1e-10)
            campaign.tell(suggestion, step["label"])
            done += 1
    assert done > 50


@pytest.mark.parametrize(
    "trace", golden("greedy_classification")["traces"], ids=lambda t: t["acquisition"] + t["labels"] + str(t["cost"]["q"])
)
def test_greedy_classification(trace):
    g = golden("greedy_classification")
    levels = [
        acuity.Level("", alpha=alpha, accuracy=w, cost=trace["cost"]["b"] + trace["cost"]["c"] * alpha ** trace["cost"]["q"])
        for alpha, w in zip(g["alphas"], g["w_levels"])
    ]
    model = acuity.GPClassifier(amplitude=trace["a"], lengthscale=trace["l"], optimiser=None, classes=[-1, 1])
    model.fit(g["X_init"], g["y_init"], accuracy=g["w_init"])
    name = trace["acquisition"]
    selector = acuity.Selector(
        g["X_pool"], model, levels, trace["budget"],
        information="bald" if name.startswith("bald") else "target" if name.startswith("mi_y") else "model",
        graph=name[-1] if name.startswith("mi_y") else None, approximation="taylor" if name.endswith("taylor") else "exact",
    )
    for step in trace["steps"]:
        suggestion = selector.next()
        level = g["alphas"].index(suggestion.alpha)
        assert (suggestion.row, level) == (step["index"], step["level"])
        close(suggestion.information, step["mi"], 1e-10)
        close(suggestion.mean, step["latent_mean"], 1e-10)
        close(suggestion.variance, step["latent_var"], 1e-10)
        label = g["y_table_" + trace["labels"]][suggestion.row][level]
        selector.tell(suggestion, label)
        model.add(suggestion.x, label, accuracy=suggestion.accuracy)
        close(model.log_marginal_likelihood_, step["log_z_after"], 1e-10)
        close(selector.remaining, step["remaining"], 1e-10)


def test_batch_pending():
    g = golden("batch_pending")
    pool = np.concatenate([g["X_test"], g["X_pending"], g["X_batch"]])
    tests, pendings = len(g["X_test"]), len(g["X_pending"])
    model = acuity.GPRegressor(amplitude=g["a"], lengthscale=g["l"], optimiser=None)
    model.fit(g["X_known"], g["y_known"], noise_variance=g["noise_known"])

    def levels(noises):
        return [acuity.Level(str(i), noise_variance=noise, cost=1.0) for i, noise in enumerate(noises)]

    batch = acuity.Selector(pool, model, levels(g["noise_batch"]))
    total = 0.0
    for i in range(len(g["noise_batch"])):
        wanted = batch.at(tests + pendings + i, i)
        close(wanted.information, g["gains"][i], 1e-10)
        total += wanted.information
        batch.expect(wanted)
    close(total, g["joint_mi"], 1e-10)

    selector = acuity.Selector(pool, model, levels(g["noise_pending"]))
    pending = [selector.at(tests + i, i) for i in range(pendings)]
    for suggestion in pending:
        selector.expect(suggestion)
    mean, variance = selector.belief()
    all_close(mean[:tests], g["mean_given_known"], 1e-10)
    all_close(variance[:tests], g["var_given_known_and_pending"], 1e-10)
    all_close(mean[tests : tests + pendings], g["imputed"], 1e-10)
    selector.tell(pending[1], g["y_pending"][1])
    after = g["after_second_pending_arrives"]
    mean, _ = selector.belief()
    all_close(mean[:tests], after["mean"], 1e-10)
    all_close(mean[[tests, tests + 2]], after["imputed_first_and_third"], 1e-10)
    selector.tell(pending[2], g["y_pending"][2])
    selector.tell(pending[0], g["y_pending"][0])
    all_close(selector.belief()[0][:tests], g["mean_given_all"], 1e-10)


def test_batch_pending_of_classes():
    g = golden("batch_pending")["classification_pending"]
    pool = np.concatenate([g["X_test"], g["X_pending"]])
    tests = len(g["X_test"])
    model = acuity.GPClassifier(amplitude=g["a"], lengthscale=g["l"], optimiser=None, classes=[-1, 1])
    model.fit(g["X"], g["y"], accuracy=g["w"])
    selector = acuity.Selector(pool, model, [acuity.Level(str(i), accuracy=w, cost=1.0) for i, w in enumerate(g["w_pending"])])
    for i, step in enumerate(g["steps"]):
        selector.expect(selector.at(tests + i, str(i)))
        mean, variance = selector.belief()
        all_close(mean[:tests], g["mean_test"], 1e-10)
        all_close(variance[:tests], step["var_test"], 1e-10)


def biased_selector(g, **options):
    """A selector of a golden case of levels with bias: what is known is recorded at the levels it was answered at."""
    own = "pool_index" not in g
    pool = np.concatenate([g["X_pool"], g["X"]]) if own else np.array(g["X_pool"])
    noise = np.concatenate([g["n0_pool"], g["n0"]]) if own else np.array(g["n0_pool"])
    levels = [
        acuity.Level(
            level["name"], noise_sd=level["noise_sd"], cost=level["cost"], repeat="same", exact=level["noise_sd"] == 0.0,
            bias={name: level[name] for name in ("offset_sd", "smooth_sd", "lengthscale")},
        )
        for level in g["levels"]
    ]
    model = acuity.GPRegressor(kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"], mean=g["mean"], optimiser=None)
    selector = acuity.Selector(
        pool, model, levels, noise_variance=noise + g["nugget"], candidates=np.arange(len(g["X_pool"])), **options
    )
    for i, (level, y) in enumerate(zip(g["level"], g["y"])):
        row = len(g["X_pool"]) + i if own else g["pool_index"][i]
        selector.tell(selector.at(row, level), y)
    return selector


BIASED = {
    "local_information": {"information": "model"},
    "variance_reduction": {},
    "epig": {"criterion": "prediction"},
}


def of_the_goal(g, **options):
    return {
        "goal": g["X_goal"], "weights": g["w_goal"], "goal_noise_variance": numbers(g["n0_goal"]) + g["nugget"], **options
    }


# Offsets, smooth differences and the gradient of the likelihood have no face here; the C++ tests read them.
@pytest.mark.parametrize("worth", BIASED)
@pytest.mark.parametrize("g", golden("biased_levels")["cases"], ids=lambda g: g["name"])
def test_levels_with_bias(g, worth):
    options = BIASED[worth] if worth == "local_information" else of_the_goal(g, **BIASED[worth])
    selector = biased_selector(g, **options)
    values, count = g["values"], len(g["X_pool"])
    mean, variance = selector.belief()
    all_close(mean[:count], values["pool_mean"], 1e-10)
    all_close(variance[:count], values["pool_var"], 1e-10)
    for row in range(count):
        for level in range(len(g["levels"])):
            close(selector.at(row, level).information, values[worth][row][level], 1e-10)


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("g", golden("biased_levels")["cases"], ids=lambda g: g["name"])
def test_choices_at_levels_with_bias(g, local):
    (trace,) = [t for t in g["traces"] if t["criterion"].startswith("local") == local]
    selector = biased_selector(g, **({"information": "model"} if local else of_the_goal(g)))
    names = [level["name"] for level in g["levels"]]
    for step in trace["steps"]:
        suggestion = selector.next()
        assert (suggestion.row, names.index(suggestion.level)) == (step["index"], step["level"])
        close(suggestion.information, step["value"], 1e-10)
        selector.expect(suggestion)


# Of the file this reads the regression; goals of classes are read by the C++ tests.
def goal_levels(g):
    bias = ("offset_sd", "smooth_sd", "lengthscale")
    return [
        acuity.Level(
            level["name"], noise_variance=level["noise"], cost=level["cost"], exact=level["noise"] == 0.0,
            bias=None if level["bias"] is None else {name: level["bias"][name] for name in bias if name in level["bias"]},
        )
        for level in g["levels"]
    ]


@pytest.mark.parametrize("criterion", ["variance", "prediction"])
@pytest.mark.parametrize("g", golden("goal")["regression"], ids=lambda g: g["name"])
def test_goals(g, criterion):
    model = acuity.GPRegressor(kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"], optimiser=None)
    pool = np.concatenate([g["candidates"], g["X"]])
    noise = numbers(g["sigma2_candidates"] + g["sigma2"]) + g["tau2"]
    selector = acuity.Selector(
        pool, model, goal_levels(g), noise_variance=noise, goal=g["goal"], weights=g["goal_weight"], criterion=criterion,
        goal_noise_variance=numbers(g["goal_sigma2"]) + g["tau2"],
    )
    count = len(g["candidates"])
    for i, level in enumerate(g["level"]):
        selector.expect(selector.at(count + i, level))
    for row, values in enumerate(g["values"]):
        for level in range(len(g["levels"])):
            close(selector.at(row, level).information, values[criterion][level], 1e-10)


@pytest.mark.parametrize(
    "g", [t for t in golden("goal")["traces"] if t["task"] != "classification"], ids=lambda t: t["task"] + t["criterion"]
)
def test_choices_for_a_goal(g):
    model = acuity.GPRegressor(kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"], optimiser=None)
    pool = np.concatenate([g["X_pool"], g["X_init"]])
    noise = numbers(g["sigma2_pool"] + g["sigma2_init"]) + g["tau2"]
    count = len(g["X_pool"])
    selector = acuity.Selector(
        pool, model, goal_levels(g), noise_variance=noise, goal=g["goal"], weights=g["goal_weight"],
        criterion=g["criterion"], goal_noise_variance=numbers(g["goal_sigma2"]) + g["tau2"], candidates=np.arange(count),
    )
    names = [level["name"] for level in g["levels"]]
    for i, level in enumerate(g["level_init"]):
        selector.expect(selector.at(count + i, level))
    for step in g["steps"]:
        suggestion = selector.next()
        assert (suggestion.row, names.index(suggestion.level)) == (step["index"], step["level"])
        close(suggestion.information, step["value"], 1e-10)
        selector.expect(suggestion)
        selector._core.close(suggestion.row)  # in these traces the point leaves the pool, also at levels with bias


def plan_selector(g, **options):
    model = acuity.GPRegressor(kernel=g["kernel"], amplitude=g["a"], lengthscale=g["l"], optimiser=None)
    if g["X"]:
        model.fit(g["X"], np.zeros(len(g["X"])), noise_variance=g["noise"])
    levels = [
        acuity.Level(
            f"level {k}", noise_variance=level["noise"], cost=level["cost"], exact=level["noise"] == 0.0,
            **({"repeat": "same", "bias": "none"} if g["closing"] == "level" else {}),
        )
        for k, level in enumerate(g["levels"])
    ]
    return acuity.Selector(
        g["X_pool"], model, levels, g["budget"], noise_variance=g["n0_pool"], repeat=g["closing"] == "repeat",
        information="model", **options,
    )


PLANS = golden("plan")["problems"] + golden("plan")["tiny"]


@pytest.mark.parametrize("g", PLANS, ids=lambda g: g["name"])
def test_plans_of_the_budget(g):
    plan = plan_selector(g).plan()
    assert plan["lambda"] == g["best_by_information"]["lam"]
    close(plan["expected"] / plan["expected_ratio"] - 1.0, g["best_by_information"]["gain"], 1e-10)
    for run in g["runs"]:
        chosen = plan_selector(g, price_weight=run["lam"]).next(1000)
        assert [[s.row, int(s.level.split()[1])] for s in chosen] == run["sequence"]
        close(sum(s.information for s in chosen), run["information"], 1e-10)
