"""One step of active learning (pool 6000, 100 levels, from 300 answers on) from Python beside the same step in C++ and
beside scikit-learn, which fits and predicts anew. All in one run, one after the other, several times; CPU time of one
thread, medians, and ratios of them.
"""
import argparse, json, os, statistics, subprocess, sys, time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is there

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "build", "release", "python"), os.path.join(ROOT, "benchmarks", "peers")]

import numpy as np

import acuity
from workload_data import box, noisy_values

POINTS, LEVELS, KNOWN = 6000, 100, 300


def python_steps(pool, values, steps):
    b = np.arange(LEVELS) / (LEVELS - 1)
    ladder = acuity.Ladder(0.09, acuity.costs.power(9.0, 1.0), alpha=[np.inf if one == 0 else 1.0 / one for one in b])
    model = acuity.GPRegressor(optimiser=None, threads=1)
    model.fit(pool[:KNOWN], values[:KNOWN], noise_variance=0.01)
    selector = acuity.Selector(
        pool, model, ladder, noise_variance=0.01, candidates=np.arange(KNOWN, POINTS), threads=1
    )
    selector.next()  # the first one looks at everything
    chosen = []
    begin = time.process_time()
    for _ in range(steps):
        suggestion = selector.next()
        row = suggestion.row
        selector.tell(suggestion, values[row])
        chosen.append(row)
    return (time.process_time() - begin) / steps, chosen


def sklearn_step(pool, values):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    b = np.arange(LEVELS) / (LEVELS - 1)
    added, cost = 0.09 * b, 1.0 / (1.0 + 9.0 * b)
    begin = time.process_time()
    model = GaussianProcessRegressor(RBF(1.0, "fixed"), alpha=0.01, optimizer=None, copy_X_train=False)
    model.fit(pool[:KNOWN], values[:KNOWN])
    _, deviation = model.predict(pool, return_std=True)
    score = 0.5 * np.log1p((deviation**2)[:, None] / (0.01 + added)) / cost
    score[:KNOWN] = -np.inf
    np.unravel_index(score.argmax(), score.shape)
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--out", help="where the table goes as well")
    arguments = parser.parse_args()
    program = os.path.join(ROOT, "build", "release", "benchmarks", "python", "acuity_python_step")
    lines = [
        "| inputs | C++ | Python | Python / C++ | scikit-learn | scikit-learn / Python |",
        "|---|---|---|---|---|---|",
    ]
    for inputs in (1, 8):
        pool = box(2, POINTS, inputs, 0.0, 2.0)
        values = noisy_values(100, pool, 0.1)
        native, ours, theirs = [], [], []
        for _ in range(arguments.repeats):
            line = subprocess.run(
                [program, str(inputs), str(arguments.steps), "3"], check=True, capture_output=True, text=True
            )
            found = json.loads(line.stdout)
            native.append(min(found["cpu"]))
            runs = [python_steps(pool, values, arguments.steps) for _ in range(3)]
            ours.append(min(cpu for cpu, _ in runs))
            if runs[0][1] != found["chosen"]:
                sys.exit("Python and C++ chose different points: there is nothing to compare")
            theirs.append(sklearn_step(pool, values))
        one, two, three = (statistics.median(times) for times in (native, ours, theirs))
        ratio = statistics.median(b / a for a, b in zip(native, ours))
        lines.append(
            f"| {inputs} | {one * 1e6:.1f} us | {two * 1e6:.1f} us | {ratio:.3f} | {three * 1e3:.1f} ms | {three / two:.0f} |"
        )
    print("\n".join(lines))
    if arguments.out:
        with open(arguments.out, "w") as file:
            file.write("\n".join(lines) + "\n")


main()
