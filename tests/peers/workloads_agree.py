#!/usr/bin/python3
"""The workloads of benchmarks/peers/ in C++ and in Python: the same data bit for bit, and on W1 and W2, reduced, the same
acquired sequence and belief by numpy's plain incremental update.

usage: workloads_agree.py ACUITY_WORKLOADS PEERS_DIR     exit code 77 where there is no numpy
"""
import importlib.util, json, subprocess, sys
from importlib import import_module

SKIPPED = 77


def line_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def both(script, workload, *options):
    return (line_of([ACUITY_WORKLOADS, workload, *options, "--sums"]),
            line_of([sys.executable, f"{PEERS_DIR}/{script}", workload, *options]))


def check_splitmix64():
    # The first three of seed 1234567, as published with the generator.
    data = import_module("workload_data")
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(z) for z in data.mix(data.positions(0, 3, 1234567))] == known


def check_sequences():
    for workload, options in [("W1", ["--pool", "600", "--annotations", "60"]),
                              ("W1", ["--pool", "600", "--annotations", "60", "--lengthscale", "0.1"]),
                              ("W2", ["--pool", "900", "--annotations", "50"]),
                              ("W2", ["--pool", "900", "--annotations", "50", "--inputs", "3", "--side", "4"])]:
        ours, theirs = both("numpy_regression.py", workload, *options)
        where = f"{workload} {options}"
        assert ours["data"] == theirs["data"], f"{where}: other data"
        assert list(zip(ours["points"], ours["levels"])) == list(zip(theirs["points"], theirs["levels"])), where
        assert ours["sig"] == theirs["sig"], f"{where}: other hash of the same sequence"
        for key in ("mean_sum", "variance_sum"):
            assert abs(ours[key] - theirs[key]) < 1e-6 * max(1.0, abs(ours[key])), f"{where}: {key}"


def check_data_of_the_others():
    data = import_module("workload_data")
    for problem, *call in [(data.Learning, "W3", "--annotations", "45"),
                           (data.Classification, "W4", "--pool", "100", "--annotations", "10"),
                           (data.Prediction, "W5", "--pool", "70", "--annotations", "40"),
                           (data.CampaignLearning, "W6", "--annotations", "30", "--schedule", "auto")]:
        sys.argv = ["", *call]
        ours = line_of([ACUITY_WORKLOADS, *call])["data"]
        assert ours == f"{problem(data.parse_arguments()).data:016x}", f"{call}: other data"


def check_prediction():
    ours, theirs = both("scipy_prediction.py", "W5", "--pool", "300", "--annotations", "200")
    for key in ("mean_sum", "variance_sum"):
        assert abs(ours[key] - theirs[key]) < 1e-8 * abs(ours[key]), key


# Both schedules learn at the same sizes. Ours searches from more starts, and under a prior.
def check_campaign_learning():
    for schedule in ("every", "auto"):
        ours, theirs = both("numpy_campaign_learning.py", "W6", "--annotations", "40", "--schedule", schedule)
        assert ours["fits"] == theirs["fits"], f"{schedule}: other sizes"
        assert ours["likelihood"] > theirs["likelihood"] - 3.0, f"{schedule}: a likelihood too low"


if importlib.util.find_spec("numpy") is None:
    print("there is no numpy")
    sys.exit(SKIPPED)
sys.dont_write_bytecode = True
ACUITY_WORKLOADS, PEERS_DIR = sys.argv[1:]
sys.path.insert(0, PEERS_DIR)
check_splitmix64()
check_sequences()
check_data_of_the_others()
if importlib.util.find_spec("scipy"):
    check_prediction()
    check_campaign_learning()
