"""Averages over tables and seeds, and the tables that are printed."""
import statistics

import metrics, studies

STUCK_BELOW = 0.1     # of the nugget learned afresh: less than this is stuck
NUGGET_MATTERS = 1e-3  # of the variance of y: a smaller nugget may be anything

# What docs and issues demand: what is shown, the group and method, the measure, the bounds.
DEMANDS = [("guide: RMSE ratio", "real", "guide", "ratio", None, 0.75),
           ("no [model]: RMSE ratio", "real", "default", "ratio", None, 0.78),
           ("guide: median NLPD", "real", "guide", "nlpd", None, 0.75),
           ("no [model]: median NLPD", "real", "default", "nlpd", None, 0.75),
           ("guide: mean coverage", "real", "guide", "coverage", 0.91, 0.97),
           ("no [model]: mean coverage", "real", "default", "coverage", 0.91, 0.97),
           ("guide: worst table's coverage", "real", "guide", "worst_coverage", 0.80, None),
           ("no [model]: worst table's coverage", "real", "default", "worst_coverage", 0.80, None),
           ("no [model], classes: error", "binary", "default", "error", None, 0.12),
           ("no [model], classes: log loss", "binary", "default", "log_loss", None, 0.31)]
SAME_ANSWERS_DEMAND = 1.03
GROUPS = {"real": "Real tables", "simulator": "Simulators", "binary": "Classes"}


def group_of(runs, kind):
    """By method, then by (table, seed)."""
    found = {}
    for run in runs:
        if run["kind"] == kind and "failed" not in run:
            found.setdefault(run["method"], {})[run["table"], run["seed"]] = run
    return found


def by_table(runs, measure):
    """The mean of a measure over the seeds, by table."""
    tables = {}
    for (table, _), run in runs.items():
        tables.setdefault(table, []).append(run[measure])
    return {table: statistics.fmean(values) for table, values in tables.items()}


def ratios(runs, others, measure="rmse"):
    """Quotients of the runs that both have."""
    return {key: run[measure] / others[key][measure] for key, run in runs.items() if key in others}


def summarise_method(runs, methods, measures):
    """Averages of one method's runs; `measures` are those of its kind of target."""
    summary = {"runs": len(runs), "cpu_seconds": statistics.fmean(run["cpu_seconds"] for run in runs.values()),
               "bought": {level: statistics.fmean(run["bought"].get(level, 0) for run in runs.values())
                          for level in ("coarse", "medium", "fine")}}
    if measures == "classes":
        for measure in ("error", "log_loss"):
            values = [run[measure] for run in runs.values()]
            summary[measure], summary[measure + "_interval"] = statistics.fmean(values), metrics.bootstrap(values)
        return summary
    to_base = list(ratios(runs, methods.get(studies.BASE, {})).values())
    if to_base:
        summary["ratio"], summary["ratio_interval"] = metrics.geometric_mean(to_base), metrics.bootstrap(to_base, metrics.geometric_mean)
    nlpd, coverage = ([run[measure] for run in runs.values()] for measure in ("nlpd", "coverage"))
    summary["nlpd"], summary["nlpd_interval"] = statistics.median(nlpd), metrics.bootstrap(nlpd, statistics.median)
    summary["coverage"], summary["coverage_interval"] = statistics.fmean(coverage), metrics.bootstrap(coverage)
    worst = min(by_table(runs, "coverage").items(), key=lambda pair: pair[1])
    summary["worst_coverage_table"], summary["worst_coverage"] = worst
    return summary


def mark_best_levels(summaries, measure):
    """Of a peer that was run at every level, the level with the best mean; chosen afterwards, in the peer's favour."""
    families = {}
    for name, summary in summaries.items():
        peer, separator, _ = name.partition(" at ")
        if separator and measure in summary:
            families.setdefault(peer, []).append((summary[measure], name))
    for family in families.values():
        summaries[min(family)[1]]["best_level"] = True


def summarise(runs):
    """By kind of table: the summary of every method."""
    found = {}
    for kind in GROUPS:
        methods = group_of(runs, kind)
        found[kind] = {name: summarise_method(of, methods, "classes" if kind == "binary" else "real") for name, of in methods.items()}
        mark_best_levels(found[kind], "error" if kind == "binary" else "ratio")
    return found


def same_answers(runs, kind):
    """RMSE of the default model divided by that of maximum likelihood with known noise, on the same answers."""
    quotients = [run["same_answers"]["default"]["rmse"] / run["same_answers"]["likelihood"]["rmse"]
                 for run in runs if run["kind"] == kind and run.get("same_answers")]
    if not quotients:
        return None
    return {"ratio": metrics.geometric_mean(quotients), "interval": metrics.bootstrap(quotients, metrics.geometric_mean),
            "campaigns": len(quotients)}


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


def better_text(methods, name, measure):
    """In how many runs the default study's result is better than this method's."""
    quotients = ratios(methods.get("default", {}), methods[name], measure) if name != "default" else {}
    return f"{sum(q < 1 for q in quotients.values())} of {len(quotients)}" if quotients else "-"


def method_label(name, summary):
    return name + (" (its best level)" if summary.get("best_level") else "")


def regression_rows(summaries, methods):
    header = ["method", "RMSE ratio", "median NLPD", "coverage", "worst table", "default better", "bought c / m / f", "CPU s"]
    rows = [[method_label(name, s), with_interval(s, "ratio", 3), with_interval(s, "nlpd", 2), with_interval(s, "coverage", 3),
             f"{s['worst_coverage']:.3f} {s['worst_coverage_table']}", better_text(methods, name, "rmse"), bought_text(s),
             f"{s['cpu_seconds']:.2f}"] for name, s in summaries.items()]
    return header, rows


def class_rows(summaries, methods):
    header = ["method", "error", "log loss", "default better (log loss)", "bought c / m / f", "CPU s"]
    rows = [[method_label(name, s), with_interval(s, "error", 3), with_interval(s, "log_loss", 3),
             better_text(methods, name, "log_loss"), bought_text(s), f"{s['cpu_seconds']:.2f}"] for name, s in summaries.items()]
    return header, rows


def table_rows(methods, kind):
    """Every table by itself: the geometric mean over the seeds of the RMSE ratio, or the mean error."""
    tables = sorted({table for runs in methods.values() for table, _ in runs})
    rows = []
    for name, runs in methods.items():
        if kind == "binary":
            values = by_table(runs, "error")
        else:
            quotients = ratios(runs, methods.get(studies.BASE, {}))
            values = {table: metrics.geometric_mean(of) for table in tables
                      if (of := [q for (where, _), q in quotients.items() if where == table])}
        rows.append([name, *(f"{values[table]:.3f}" if table in values else "-" for table in tables)])
    return ["RMSE ratio" if kind != "binary" else "error", *tables], rows


def demand_rows(summaries, runs):
    rows = []
    for what, kind, method, measure, low, high in DEMANDS:
        value = summaries[kind].get(method, {}).get(measure)
        if value is not None:
            rows.append([what, f"{value:.3f}", bounds_text(low, high), verdict(value, low, high)])
    on_simulators, stuck = same_answers(runs, "simulator"), stuck_noise(runs)
    if on_simulators:
        rows.append(["simulators: RMSE of the default model against known noise, same answers", f"{on_simulators['ratio']:.3f}",
                     bounds_text(None, SAME_ANSWERS_DEMAND), verdict(on_simulators["ratio"], None, SAME_ANSWERS_DEMAND)])
    if stuck["campaigns"]:
        rows.append([f"campaigns of {stuck['campaigns']} with a stuck nugget", str(stuck["stuck"]), "0", verdict(stuck["stuck"], None, 0)])
    return ["measure", "found", "demanded", ""], rows


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
        methods = group_of(runs, kind)
        if methods:
            rows_of = class_rows if kind == "binary" else regression_rows
            parts += [f"## {title}", "", table(*rows_of(summaries[kind], methods)), "", table(*table_rows(methods, kind)), ""]
    real = same_answers(runs, "real")
    if real:
        parts += [f"Real tables, the same answers: RMSE of the default model divided by that of maximum likelihood with known noise "
                  f"{real['ratio']:.3f} ({real['campaigns']} campaigns).", ""]
    header, rows = demand_rows(summaries, runs)
    if rows:
        parts += ["## Demands", "", table(header, rows), ""]
    failed = [f"- {run['table']}, seed {run['seed']}, {run['method']}: {run['failed']}" for run in runs if "failed" in run]
    return "\n".join(parts + (["## Failed", "", *failed, ""] if failed else []))
