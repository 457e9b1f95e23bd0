"""Averages over tables and seeds, and the tables that are printed. Seeds of a table are averaged first; intervals are drawn over tables."""
import math, statistics

import metrics, peers, studies

STUCK_BELOW = 0.1     # of the nugget learned afresh: less than this is stuck
NUGGET_MATTERS = 1e-3  # of the variance of y: a smaller nugget may be anything
SAME_ANSWERS_DEMAND = 1.03
GROUPS = {"real": "Real tables", "simulator": "Simulators", "binary": "Classes"}
SAME_MODEL, PLAIN_MODEL, EACH_TABLE = "random at its best level", "random with the model of 0.2.0, best level", "random, best level of each table"


def group_of(runs, kind):
    """By method, then by (table, seed)."""
    found = {}
    for run in runs:
        if run["kind"] == kind and "failed" not in run:
            found.setdefault(run["method"], {})[run["table"], run["seed"]] = run
    return found


def means_by_table(values):
    """The mean over seeds, by table; `values` are by (table, seed)."""
    tables = {}
    for (table, _), value in values.items():
        tables.setdefault(table, []).append(value)
    return {table: statistics.fmean(of) for table, of in tables.items()}


def by_table(runs, measure):
    return means_by_table({key: run[measure] for key, run in runs.items()})


def averaged(by_table_values, geometric=False):
    """Mean over tables and its interval; `geometric`: the values are logarithms of ratios."""
    values = list(by_table_values.values())
    scale = math.exp if geometric else float
    interval = metrics.bootstrap(values)
    return scale(statistics.fmean(values)), None if interval is None else [scale(end) for end in interval]


def log_ratios(runs, others, measure="rmse"):
    """Of the runs that both have, by (table, seed)."""
    return {key: math.log(run[measure] / others[key][measure]) for key, run in runs.items() if key in others}


def differences(runs, others, measure):
    return {key: run[measure] - others[key][measure] for key, run in runs.items() if key in others}


def summarise_method(runs, methods, measures):
    """Averages of one method's runs; `measures` are those of its kind of target."""
    summary = {"runs": len(runs), "cpu_seconds": statistics.fmean(run["cpu_seconds"] for run in runs.values()),
               "bought": {level: statistics.fmean(run["bought"].get(level, 0) for run in runs.values())
                          for level in ("coarse", "medium", "fine")}}
    if measures == "classes":
        for measure in ("error", "log_loss"):
            summary[measure], summary[measure + "_interval"] = averaged(by_table(runs, measure))
        return summary
    to_base = log_ratios(runs, methods.get(studies.BASE, {}))
    if to_base:
        summary["ratio"], summary["ratio_interval"] = averaged(means_by_table(to_base), geometric=True)
    summary["nlpd"] = statistics.median(run["nlpd"] for run in runs.values())
    summary["mean_nlpd"], summary["mean_nlpd_interval"] = averaged(by_table(runs, "nlpd"))
    coverage = by_table(runs, "coverage")
    summary["coverage"], summary["coverage_interval"] = averaged(coverage)
    summary["worst_coverage_table"], summary["worst_coverage"] = min(coverage.items(), key=lambda pair: pair[1])
    return summary


def levels_of(methods, family):
    """The runs of a method that was run at every level, by its name."""
    return {name: runs for name, runs in methods.items() if name.partition(" at ")[0] == family and " at " in name}


def badness(run):
    """What is averaged to find the best level: the error of classes, otherwise the logarithm of the RMSE."""
    return run["error"] if "error" in run else math.log(run["rmse"])


def best_level(methods, family):
    """The level with the best mean over tables, known only afterwards: name and runs; None if the method was not run."""
    levels = levels_of(methods, family)
    if not levels:
        return None
    common = set.intersection(*(set(runs) for runs in levels.values()))
    mean = lambda name: statistics.fmean(means_by_table({key: badness(levels[name][key]) for key in common}).values())
    name = min(levels, key=mean) if common else next(iter(levels))
    return name, levels[name]


def best_level_of_each_table(methods, family):
    """The runs at the level that is best for that table, known only afterwards."""
    levels = {name: means_by_table({key: badness(run) for key, run in runs.items()})
              for name, runs in levels_of(methods, family).items()}
    best = {}
    for table in {table for means in levels.values() for table in means}:
        name = min((name for name in levels if table in levels[name]), key=lambda name: levels[name][table])
        best.update({key: run for key, run in methods[name].items() if key[0] == table})
    return best


def opponents(methods):
    """What the default is compared with: labels and runs. Classes, and older programs, have the model of 0.2.0 only."""
    found = {}
    for label, family in ((SAME_MODEL, studies.RANDOM), (PLAIN_MODEL, studies.PLAIN_RANDOM)):
        best = best_level(methods, family) or best_level(methods, studies.RANDOM)
        if best:
            found[label] = best
    if levels_of(methods, studies.RANDOM):
        found[EACH_TABLE] = "-", best_level_of_each_table(methods, studies.RANDOM)
    for family in [peer for peer in (*peers.REGRESSION_PEERS, *peers.CLASSIFICATION_PEERS) if levels_of(methods, peer)]:
        found[f"{family} at its best level"] = best_level(methods, family)
    singles = (studies.EARLIER, "model", "goal", "prediction", "plain", peers.RIVAL)
    return found | {name: (name, methods[name]) for name in singles if name in methods}


def compared(runs, others, classes):
    """The default beside another method, in pairs of the same table and seed."""
    if classes:
        parts = {measure: averaged(means_by_table(differences(runs, others, measure))) for measure in ("error", "log_loss")}
        losses = differences(runs, others, "log_loss")
        worst = max(means_by_table(differences(runs, others, "error")).items(), key=lambda pair: pair[1])
        return {"error": parts["error"][0], "error_interval": parts["error"][1], "log_loss": parts["log_loss"][0],
                "log_loss_interval": parts["log_loss"][1], "better": sum(loss < 0 for loss in losses.values()), "runs": len(losses),
                "worst_table": worst[0], "worst": worst[1]}
    logs = log_ratios(runs, others)
    tables = means_by_table(logs)
    ratio, interval = averaged(tables, geometric=True)
    nlpd, nlpd_interval = averaged(means_by_table(differences(runs, others, "nlpd")))
    return {"ratio": ratio, "ratio_interval": interval, "better": sum(log < 0 for log in logs.values()), "runs": len(logs),
            "tables_better": sum(log < 0 for log in tables.values()), "tables": len(tables), "nlpd": nlpd, "nlpd_interval": nlpd_interval}


def comparisons(runs, kind):
    """By label of the other method; the default with the runs that both have."""
    methods = group_of(runs, kind)
    default = methods.get("default", {})
    return {label: {"method": name, **compared(default, others, kind == "binary")}
            for label, (name, others) in opponents(methods).items() if set(default) & set(others)}


def mark_best_levels(summaries, methods):
    """Of a method that was run at every level, the level with the best mean."""
    for family in {name.partition(" at ")[0] for name in summaries if " at " in name}:
        summaries[best_level(methods, family)[0]]["best_level"] = len(levels_of(methods, family)) > 1


def summarise(runs):
    """By kind of table: the summary of every method."""
    found = {}
    for kind in GROUPS:
        methods = group_of(runs, kind)
        found[kind] = {name: summarise_method(of, methods, "classes" if kind == "binary" else "real") for name, of in methods.items()}
        mark_best_levels(found[kind], methods)
    return found


def same_answers(runs, kind):
    """RMSE of the default model divided by that of maximum likelihood with known noise, on the same answers."""
    judged = [run for run in runs if run["kind"] == kind and run.get("same_answers")]
    if not judged:
        return None
    logs = {}
    for run in judged:
        quotient = run["same_answers"]["default"]["rmse"] / run["same_answers"]["likelihood"]["rmse"]
        logs.setdefault(run["table"], []).append(math.log(quotient))
    ratio, interval = averaged({table: statistics.fmean(of) for table, of in logs.items()}, geometric=True)
    return {"ratio": ratio, "interval": interval, "campaigns": len(judged)}


def stuck_noise(runs):
    """Campaigns whose last nugget is far below the one learned afresh from the same answers."""
    learned = [run["nugget"] for run in runs if run.get("nugget")]
    stuck = [n for n in learned if n["fresh"] > NUGGET_MATTERS and n["campaign"] < STUCK_BELOW * n["fresh"]]
    return {"campaigns": len(learned), "stuck": len(stuck)}


# ---- Printing -------------------------------------------------------------------------------------------------------

def with_interval(summary, measure, digits):
    if summary.get(measure) is None:
        return "-"
    interval = summary.get(measure + "_interval")
    text = f"{summary[measure]:.{digits}f}"
    return text if interval is None else f"{text} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]"


def bought_text(summary):
    return " / ".join(f"{summary['bought'][level]:.0f}" for level in ("coarse", "medium", "fine"))


def method_label(name, summary):
    return name + (" (its best level)" if summary.get("best_level") else "")


def regression_rows(summaries):
    header = ["method", "RMSE ratio", "median NLPD", "mean NLPD", "coverage", "worst table", "bought c / m / f", "CPU s"]
    rows = [[method_label(name, s), with_interval(s, "ratio", 3), f"{s['nlpd']:.2f}", with_interval(s, "mean_nlpd", 2),
             with_interval(s, "coverage", 3), f"{s['worst_coverage']:.3f} {s['worst_coverage_table']}", bought_text(s),
             f"{s['cpu_seconds']:.2f}"] for name, s in summaries.items()]
    return header, rows


def class_rows(summaries):
    header = ["method", "error", "log loss", "bought c / m / f", "CPU s"]
    rows = [[method_label(name, s), with_interval(s, "error", 3), with_interval(s, "log_loss", 3), bought_text(s),
             f"{s['cpu_seconds']:.2f}"] for name, s in summaries.items()]
    return header, rows


def comparison_rows(found, kind):
    """The default beside every other method."""
    named = lambda label, c: label + (f" ({c['method'].partition(' at ')[2]})" if " at " in c["method"] else "")
    share = lambda part, whole: f"{part} of {whole}"
    if kind == "binary":
        return (["default minus", "error", "log loss", "better (log loss)", "worst table (error)"],
                [[named(label, c), with_interval(c, "error", 3), with_interval(c, "log_loss", 3), share(c["better"], c["runs"]),
                  f"{c['worst']:+.3f} {c['worst_table']}"] for label, c in found.items()])
    return (["default / or minus", "RMSE", "better in runs", "in tables", "NLPD"],
            [[named(label, c), with_interval(c, "ratio", 3), share(c["better"], c["runs"]), share(c["tables_better"], c["tables"]),
              with_interval(c, "nlpd", 3)] for label, c in found.items()])


def table_rows(methods, kind):
    """Every table by itself, seeds averaged: error and log loss, or RMSE ratio, NLPD and coverage."""
    tables = sorted({table for runs in methods.values() for table, _ in runs})
    rows = []
    for name, runs in methods.items():
        if kind == "binary":
            parts = [by_table(runs, "error"), by_table(runs, "log_loss")]
        else:
            ratio = {table: math.exp(log) for table, log in means_by_table(log_ratios(runs, methods.get(studies.BASE, {}))).items()}
            parts = [ratio, by_table(runs, "nlpd"), by_table(runs, "coverage")]
        rows.append([name, *(" / ".join(f"{part[table]:.2f}" if table in part else "-" for part in parts) for table in tables)])
    return ["error / log loss" if kind == "binary" else "RMSE ratio / NLPD / coverage", *tables], rows


def earlier_of(found):
    """The comparison with what the default was."""
    return found.get(studies.EARLIER) or found.get("model")


def demands(summaries, runs):
    """What issues and docs demand: what is shown, the value found, the bounds."""
    found = []

    def demand(what, source, measure, low=None, high=None):
        if source and source.get(measure) is not None:
            found.append((what, source[measure], low, high))

    against = {kind: comparisons(runs, kind) for kind in GROUPS}
    real, default = against["real"], summaries["real"].get("default")
    demand("tables: RMSE, default / random with the model of 0.2.0 at its best level", real.get(PLAIN_MODEL), "ratio", None, 0.90)
    same = dict(real.get(SAME_MODEL) or {})
    if same:
        same.update(share=same["better"] / same["runs"], end=(same["ratio_interval"] or [None, None])[1])
    demand("tables: RMSE, default / random with the same model at its best level", same, "ratio", None, 0.94)
    demand("the same: upper end of the interval", same, "end", None, 1.0)
    demand("the same: share of runs better", same, "share", 0.65, None)
    demand("tables: NLPD, default minus the earlier default", earlier_of(real), "nlpd", None, -0.08)
    demand("tables: mean coverage", default, "coverage", 0.92, 0.97)
    demand("tables: worst table's coverage", default, "worst_coverage", 0.87, None)
    demand("simulators: RMSE, default / the earlier default", earlier_of(against["simulator"]), "ratio", None, 0.90)
    demand("simulators: mean coverage", summaries["simulator"].get("default"), "coverage", 0.93, 0.99)
    demand("classes: error", summaries["binary"].get("default"), "error", None, 0.12)
    demand("classes: log loss", summaries["binary"].get("default"), "log_loss", None, 0.31)
    demand("classes: error of the worst table, default minus logistic regression at its best level",
           against["binary"].get("logistic at its best level"), "worst", None, 0.02)
    demand("CPU: default / the earlier default", {"quotient": cpu_quotient(runs)}, "quotient", None, 3.0)
    demand("simulators: RMSE of the default model against known noise, same answers", same_answers(runs, "simulator"), "ratio",
           None, SAME_ANSWERS_DEMAND)
    stuck = stuck_noise(runs)
    if stuck["campaigns"]:
        demand(f"campaigns of {stuck['campaigns']} with a stuck nugget", stuck, "stuck", None, 0)
    return found


def cpu_quotient(runs):
    """Total CPU seconds of the default divided by that of the earlier default, over the runs that both have."""
    seconds = [0.0, 0.0]
    for kind in GROUPS:
        methods = group_of(runs, kind)
        default, earlier = methods.get("default", {}), methods.get(studies.EARLIER) or methods.get("model") or {}
        for key in set(default) & set(earlier):
            seconds[0] += default[key]["cpu_seconds"]
            seconds[1] += earlier[key]["cpu_seconds"]
    return seconds[0] / seconds[1] if seconds[1] else None


def bounds_text(low, high):
    if low is None:
        return f"<= {high:g}"
    return f">= {low:g}" if high is None else f"{low:g} to {high:g}"


def verdict(value, low, high):
    return "met" if (low is None or value >= low) and (high is None or value <= high) else "not met"


def text_of(runs, table):
    """Markdown; `table` lays out a header and rows."""
    summaries, parts = summarise(runs), []
    for kind, title in GROUPS.items():
        methods, found = group_of(runs, kind), comparisons(runs, kind)
        if methods:
            rows_of = class_rows if kind == "binary" else regression_rows
            parts += [f"## {title}", "", table(*rows_of(summaries[kind])), ""]
            parts += [table(*comparison_rows(found, kind)), ""] if found else []
            parts += [table(*table_rows(methods, kind)), ""]
    real = same_answers(runs, "real")
    if real:
        parts += [f"Real tables, the same answers: RMSE of the default model divided by that of maximum likelihood with known noise "
                  f"{real['ratio']:.3f} ({real['campaigns']} campaigns).", ""]
    rows = [[what, f"{value:.3f}", bounds_text(low, high), verdict(value, low, high)] for what, value, low, high in demands(summaries, runs)]
    if rows:
        parts += ["## Demands", "", table(["measure", "found", "demanded", ""], rows), ""]
    failed = [f"- {run['table']}, seed {run['seed']}, {run['method']}: {run['failed']}" for run in runs if "failed" in run]
    return "\n".join(parts + (["## Failed", "", *failed, ""] if failed else []))
