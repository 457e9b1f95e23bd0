"""The part of `run` that runs and compares; see benchmarks/README.md."""
import argparse, dataclasses, os, statistics, subprocess, sys

from bench_support import (BINARIES, ROOT, WORKLOADS, Failed, command_line, cpu_flags, default_path, load_average, machine,
                           run_program, table, write)

PEERS = os.path.join(ROOT, "benchmarks", "peers")
NAMES = ("W1", "W2", "W3", "W4", "W5", "W6")
PACKAGES = {"numpy": "python3-numpy", "scipy": "python3-scipy", "sklearn": "python3-sklearn",
            "openturns": "python3-openturns"}


@dataclasses.dataclass
class System:
    name: str
    script: str = ""  # empty: acuity
    needs: tuple = ()
    arguments: tuple = ()


@dataclasses.dataclass
class Case:
    workload: str
    title: str
    sizes: list
    systems: list
    results: dict = dataclasses.field(default_factory=dict)  # by the system's name, one per repeat
    failures: dict = dataclasses.field(default_factory=dict)


OURS = System("acuity")
FLOAT = System("acuity, single precision", arguments=("--precision", "float"))
INCREMENTAL = System("numpy incremental", "numpy_regression.py", ("numpy",))
INVERSE = System("numpy inverse (published method)", "numpy_regression.py", ("numpy",), ("--method", "inverse"))
SKLEARN = System("scikit-learn", "sklearn_regression.py", ("numpy", "sklearn"))
OPENTURNS = System("OpenTURNS", "openturns_regression.py", ("numpy", "openturns"))
SKLEARN_LEARNING = System("scikit-learn", "sklearn_learning.py", ("numpy", "sklearn"))
SKLEARN_CAMPAIGN = System("scikit-learn, on from the last fit", "sklearn_campaign_learning.py", ("numpy", "sklearn"))
NUMPY_CAMPAIGN = System("numpy/scipy done well", "numpy_campaign_learning.py", ("numpy", "scipy"))
NUMPY_EP = System("numpy EP (published method)", "numpy_classification.py", ("numpy", "scipy"))
SKLEARN_LAPLACE = System("scikit-learn Laplace (subset)", "sklearn_classification.py", ("numpy", "sklearn"))
SCIPY = System("numpy/scipy done well", "scipy_prediction.py", ("numpy", "scipy"))
SKLEARN_PREDICTION = System("scikit-learn", "sklearn_prediction.py", ("numpy", "sklearn"))


def in_blocks(system, size):
    """The peer's user minds memory, and asks it about `size` points of the pool at a time."""
    return dataclasses.replace(system, name=f"{system.name}, pool in blocks",
                               arguments=(*system.arguments, "--block", size))


def some_steps(system):
    return dataclasses.replace(system, arguments=(*system.arguments, "--some-steps"))


def whole_and_in_blocks(system):
    return [system, in_blocks(system, 2000)]


def cases(arguments):
    quick, full = arguments.quick, arguments.full
    w1 = ["--pool", 1000, "--annotations", 60] if quick else []
    w4 = ["--pool", 500, "--annotations", 60] if quick else []
    everyone = [OURS, INCREMENTAL, INVERSE, SKLEARN, OPENTURNS]
    found = [Case("W1", "W1", w1, everyone), Case("W1", "W1 l=0.1", w1 + ["--lengthscale", 0.1], everyone)]
    if quick:
        found += [Case("W2", "W2 N=5e3", ["--pool", 5000, "--annotations", 60],
                       [OURS, INCREMENTAL, *whole_and_in_blocks(SKLEARN)])]
    else:
        found += [Case("W2", "W2 N=1e5", ["--pool", 100_000],
                       [OURS, FLOAT, INCREMENTAL, *whole_and_in_blocks(SKLEARN if full else some_steps(SKLEARN))])]
    if full and not quick:
        found += [Case("W2", "W2 N=1e6", ["--pool", 1_000_000],
                       [OURS, FLOAT, INCREMENTAL, *whole_and_in_blocks(some_steps(SKLEARN))]),
                  Case("W2", "W2 N=1e7 float", ["--pool", 10_000_000, "--precision", "float"], [OURS])]
    found += [Case("W3", "W3", ["--annotations", 90] if quick else [], [OURS, SKLEARN_LEARNING]),
              Case("W4", "W4", w4, [OURS, NUMPY_EP, SKLEARN_LAPLACE])]
    prediction = [OURS, FLOAT, SCIPY]
    if quick:
        found += [Case("W5", "W5 n=800 N=3e3", ["--annotations", 800, "--pool", 3000],
                       prediction + whole_and_in_blocks(SKLEARN_PREDICTION))]
    else:
        found += [Case("W5", "W5 N=1e4", ["--pool", 10_000], prediction + whole_and_in_blocks(SKLEARN_PREDICTION))]
    if full and not quick:  # in one call scikit-learn would need three matrices of 4 GB
        found += [Case("W5", "W5 N=1e5", ["--pool", 100_000], prediction + [in_blocks(SKLEARN_PREDICTION, 10_000)])]
    learners = [OURS, NUMPY_CAMPAIGN, SKLEARN_CAMPAIGN]
    w6 = ["--annotations", 60] if quick else []
    found += [Case("W6", "W6 every answer", [*w6, "--schedule", "every"], learners),
              Case("W6", "W6 auto", [*w6, "--schedule", "auto"], learners)]
    wanted = [case for case in found if case.workload in (arguments.workloads or NAMES)]
    if arguments.only:
        words = arguments.only.lower().split(",")
        for case in wanted:
            case.systems = [s for s in case.systems if s is OURS or any(w in s.name.lower() for w in words)]
    return wanted


def peer_environment():
    """One thread, and the BLAS kernels that suit this processor: OpenBLAS may be too old to know it."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENTURNS_NUM_THREADS="1")
    flags = cpu_flags()
    core = "SkylakeX" if "avx512dq" in flags else "Haswell" if "avx2" in flags else None
    if core:
        environment["OPENBLAS_CORETYPE"] = core
    return environment


def missing_modules(wanted):
    needed = sorted({module for case in wanted for system in case.systems for module in system.needs})
    return {m for m in needed if subprocess.run([sys.executable, "-c", f"import {m}"], capture_output=True).returncode}


def tell_missing(missing):
    if missing:
        packages = " ".join(PACKAGES[module] for module in sorted(missing))
        print(f"Not compared with, because Python has no {', '.join(sorted(missing))}: benchmarks/peers/run --install, or\n"
              f"  apt-get install -y --no-install-recommends {packages}", file=sys.stderr)


def run_system(system, case, environment):
    options = [case.workload, *case.sizes]
    if not system.script:
        return run_program([WORKLOADS, *options, *system.arguments, "--threads", 1])
    return run_program([sys.executable, os.path.join(PEERS, system.script), *options, *system.arguments], environment)


def run_case(case, repeats, environment):
    """Everybody in turn, several times, so that a busy spell of the machine hits all."""
    for repeat in range(repeats):
        for system in case.systems:
            if system.name in case.failures:
                continue
            print(f"{case.title}: {system.name}, run {repeat + 1} of {repeats}", file=sys.stderr)
            try:
                case.results.setdefault(system.name, []).append(run_system(system, case, environment))
            except Failed as failure:
                case.failures[system.name] = str(failure)
                print(f"  failed: {failure}", file=sys.stderr)


def seconds(result):
    return result["cpu"] * result.get("times", 1)


def median_seconds(results):
    return statistics.median(map(seconds, results))


def in_common(ours, theirs):
    """How the sequences compare."""
    pairs = [list(zip(r["points"], r["levels"])) for r in (ours, theirs)]
    if ours["sig"] == theirs["sig"]:
        return "same sequence"
    same = next((i for i, (a, b) in enumerate(zip(*pairs)) if a != b), min(map(len, pairs)))
    return f"first {same} of {len(pairs[0])} the same"


def largest_gap(ours, theirs):
    return max((abs(a - b) for a, b in zip(ours, theirs)), default=0.0)


def agreement(case, ours, theirs):
    """How a result agrees with ours; for ours, what the others are compared with."""
    if ours is None:
        return "-"
    if ours["data"] != theirs["data"]:
        return "OTHER DATA"
    found = []
    if "sig" in theirs:
        found.append(f"sig {ours['sig']}" if theirs is ours else in_common(ours, theirs))
    if "likelihoods" in theirs and theirs is not ours:
        found.append(f"likelihoods within {largest_gap(ours['likelihoods'], theirs['likelihoods']):.1g}")
    if "likelihood" in theirs:
        found.append(f"{theirs['fits']} fits, log likelihood {theirs['likelihood']:.3f} at the end")
    if "best_likelihood" in theirs:
        found.append(f"{theirs['best_likelihood']:.3f} as the best of five starts")
    if "evaluations" in theirs:
        found.append(f"{theirs['evaluations']} evaluations")
    if "right" in theirs:
        found.append(f"{100 * theirs['right']:.1f} % right")
    if case.workload == "W5" and theirs is not ours:
        sums = [[r["mean_sum"], r["variance_sum"]] for r in (ours, theirs)]
        found.append(f"sums within {largest_gap([1.0, 1.0], [b / a for a, b in zip(*sums)]):.1g}")
    return "; ".join(found) or "-"


def spread(results):
    all_seconds = sorted(map(seconds, results))
    text = f"{statistics.median(all_seconds):.3g}"
    if len(all_seconds) > 1:
        text += f" ({all_seconds[0]:.3g}-{all_seconds[-1]:.3g})"
    return text + (" (est)" if "times" in results[0] else "")


def rows_of(case):
    ours = case.results.get(OURS.name)
    for system in case.systems:
        results = case.results.get(system.name)
        if system.name in case.failures or not results:
            yield [case.title, system.name, "failed", "-", "-", "-", "-", case.failures.get(system.name, "-")]
            continue
        ratio = f"{median_seconds(results) / median_seconds(ours):.3g}" if ours else "-"
        peak = statistics.median(r["peak_mb"] for r in results)
        beyond = statistics.median(r["peak_mb"] - r["base_mb"] for r in results)
        yield [case.title, system.name, spread(results), ratio, f"{peak:.0f}", f"{beyond:.1f}",
               results[0].get("blas", "-"), agreement(case, ours[0] if ours else None, results[0])]


def instruction_sets():
    flags = cpu_flags()
    levels = {"x86-64": "sse2", "x86-64-v3": "avx2", "x86-64-v4": "avx512dq"}
    there = [level for level, flag in levels.items() if flag in flags]
    return [level for level in there if os.path.exists(os.path.join(BINARIES, f"acuity_limits_{level}"))]


def better(one, other):
    return {key: max(value, one.get(key, 0.0)) for key, value in other.items()}


def limits(environment, missing):
    """What one core can do: Eigen for each instruction set, numpy."""
    found, products = {}, {}
    for level in instruction_sets():
        one = run_program([os.path.join(BINARIES, f"acuity_limits_{level}")])
        products[f"Eigen for {level}"] = one.pop("dgemm_gflops")
        found = better(found, one)
    if "numpy" not in missing:
        untouched = {k: v for k, v in environment.items() if k != "OPENBLAS_CORETYPE"}
        for label, settings in (("as installed", untouched), ("as used here", environment)):
            one = run_program([sys.executable, os.path.join(PEERS, "numpy_limits.py")], settings)
            products[f"numpy {label} ({one['blas']})"] = one["dgemm_gflops"]
    return found | products


def work_of(case, ours):
    """The work of the plain method, (what, flops, exponentials, bytes read); see benchmarks/README.md."""
    M, n, n0 = ours["pool"], ours["annotations"], ours["initial"]
    if case.workload in ("W1", "W2"):
        return [("dense update, as products", M * n**2, M * n, 0), ("dense update, read from memory", 0, 0, 4 * M * n**2)]
    if case.workload == "W3":
        return [("n^3 per evaluation", ours["flops"], 0, 0)]
    if case.workload == "W6":
        return []
    if case.workload == "W4":
        return [("prediction in every step", M * sum(m * m for m in range(n0, n + 1)), M * n, 0)]
    return [("factor and solves", n**3 / 3 + n**2 * M, n * M + n * n / 2, 0)]


def products_of(limit):
    return {name: value for name, value in limit.items() if name.startswith(("Eigen", "numpy"))}


def fractions(case, limit):
    results = case.results.get(OURS.name)
    if not results:
        return
    ours = median_seconds(results)
    product = max(products_of(limit).values())
    for what, flops, exponentials, read in work_of(case, results[0]):
        least = flops / (1e9 * product) + exponentials / (1e6 * limit["exp_millions"]) + read / (1e9 * limit["read_gbytes"])
        yield [case.title, what, f"{flops:.3g}", f"{exponentials:.3g}", f"{read:.3g}", f"{least:.3g}", f"{ours:.3g}",
               f"{100 * least / ours:.3g} %"]


def versions(missing):
    script = "import sys, importlib\nfor m in sys.argv[1:]: print(m, importlib.import_module(m).__version__)"
    present = [m for m in PACKAGES if m not in missing]
    done = subprocess.run([sys.executable, "-c", script, *present], capture_output=True, text=True)
    return ", ".join(done.stdout.strip().splitlines()) or "none"


def tell_slow_blas(limit):
    if any("reference BLAS" in name for name in limit):
        print("The peers have only the reference BLAS, which is slow: benchmarks/peers/run --install, or\n"
              "  apt-get install -y --no-install-recommends libopenblas0-pthread", file=sys.stderr)


def describe_limits(limit):
    products = ", ".join(f"{name} {value:.3g}" for name, value in products_of(limit).items())
    return (f"- limits of one core, the better of before and after: reading memory {limit['read_gbytes']:.3g} GB/s; "
            f"exp {limit['exp_millions']:.4g} M/s; matrix products in GF/s: {products}")


def how_often(repeats):
    return "one run" if repeats == 1 else f"median of {repeats} (lowest-highest)"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="benchmarks/peers/run")
    parser.add_argument("workloads", nargs="*", metavar="W1 W2 ...")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--out")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # the arguments only, run nothing
    arguments = parser.parse_args()
    for workload in arguments.workloads:
        if workload not in NAMES:
            parser.error(f"the workload is {workload}, must be one of {', '.join(NAMES)}")
    if arguments.repeats < 1:
        parser.error(f"--repeats is {arguments.repeats}, must be 1 or more")
    return arguments


def main():
    arguments = parse_arguments()
    if arguments.check:
        return 0
    wanted, environment, load = cases(arguments), peer_environment(), load_average()
    missing = missing_modules(wanted)
    tell_missing(missing)
    for case in wanted:
        case.systems = [s for s in case.systems if not missing.intersection(s.needs)]
    limit = limits(environment, missing)
    tell_slow_blas(limit)
    for case in wanted:
        run_case(case, arguments.repeats, environment)
    limit = better(limit, limits(environment, missing))

    rows = [row for case in wanted for row in rows_of(case)]
    core = environment.get("OPENBLAS_CORETYPE", "not set")
    text = "\n".join([
        f"# {', '.join(dict.fromkeys(case.title for case in wanted))}", "",
        f"- command: `{command_line('benchmarks/peers/run', sys.argv[1:])}`", *machine(load),
        f"- peers: {versions(missing)}; OPENBLAS_CORETYPE={core}; one thread everywhere",
        describe_limits(limit), "",
        table(["workload", "system", "CPU s", "ratio", "peak MB", "beyond base MB", "BLAS", "agreement with acuity"], rows),
        "", f"CPU seconds: {how_often(arguments.repeats)}. Ratio: CPU time to acuity's. (est): scaled up from "
        "five of the steps, evenly spread.", "",
        table(["workload", "work of the plain method", "flops", "exp", "bytes", "s at the limit", "acuity s", "fraction"],
              [row for case in wanted for row in fractions(case, limit)]),
        "", "Above 100 %: acuity does less than the plain method does."])
    print(text)
    if arguments.out or not arguments.quick:
        write(text, arguments.out or default_path("-".join(dict.fromkeys(case.workload for case in wanted))))
    other_data = any(row[-1].startswith("OTHER DATA") for row in rows)
    return 1 if other_data or any(case.failures for case in wanted) else 0


if __name__ == "__main__":
    sys.exit(main())
