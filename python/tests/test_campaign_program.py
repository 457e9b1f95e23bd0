"""The same store as the program's: either goes on where the other stopped, and they agree."""

import json
import subprocess
import sys

import numpy as np
import pytest
from campaigns import POOL, answer, make, program

import acuity


def test_the_program_goes_on_where_python_stopped(tmp_path):
    folder = tmp_path / "c.acuity"
    with make(folder) as campaign:
        for suggestion in campaign.ask(3):
            campaign.tell(suggestion, answer(suggestion))
    asked = json.loads(program("ask", folder, "-n", 2, "--format", "json"))["suggestions"]
    assert [s["id"] for s in asked] in ([4, 5], ["4", "5"])
    program("tell", folder, 4, "-0.3")
    program("fail", folder, 5, "--reason", "r")
    with acuity.open(str(folder)) as campaign:
        assert campaign.annotations(frame=False)["y"][3] == -0.3
        assert campaign.status()["failed"] == 1
        assert campaign.name == "c" and campaign.path == folder and campaign.inputs == ["x1", "x2"]
        assert campaign.run(answer) == "the budget is spent"
    program("ask", folder, code=3)


def test_python_goes_on_where_the_program_stopped(tmp_path):
    (tmp_path / "pool.csv").write_text("case,a,b\nleft,0,1\nmiddle,1,1\nright,2,0\n")
    (tmp_path / "study.toml").write_text(
        '[campaign]\nname = "three"\nbudget = 10\nunit = "h"\n[pool]\nfile = "pool.csv"\nid = "case"\n'
        '[[level]]\nname = "only"\nnoise_sd = 0.1\ncost = 2\n'
    )
    folder = tmp_path / "three.acuity"
    program("init", folder, "--study", tmp_path / "study.toml")
    first = json.loads(program("ask", folder, "--format", "json"))["suggestions"][0]
    with acuity.open(folder) as campaign:
        assert (campaign.name, campaign.unit, campaign.inputs) == ("three", "h", ["a", "b"])
        assert [s.point for s in campaign.pending()] == [first["point"]]
        campaign.tell(1, 0.5)
        assert campaign.ask().point in {"left", "middle", "right"} - {first["point"]}
    assert json.loads(program("status", folder, "--format", "json"))["annotations"] == 1
    with acuity.create(tmp_path / "again.acuity", study=tmp_path / "study.toml") as campaign:
        assert campaign.ask().point == first["point"]


def test_looking_gives_what_the_program_prints(tmp_path):
    folder = tmp_path / "c.acuity"
    with make(folder, fit=4, standardise=True, lengthscale=[1.0, 2.0], mean="annotations", budget=80) as campaign:
        for _ in range(9):
            suggestion = campaign.ask()
            campaign.tell(suggestion, answer(suggestion))
        campaign.tell(campaign.ask(), [0.1, 0.2], noise_sd=0.4)
        campaign.ask(2)
        assert campaign.status() == json.loads(program("status", folder, "--format", "json"))
        verdict = campaign.status()["verdict"]
        assert verdict["text"] in program("status", folder, "--details"), "one sentence everywhere"
        assert verdict["text"] in campaign.report(tmp_path / "r.html").read_text(encoding="utf-8")
        assert campaign.events() == [json.loads(line) for line in program("export", folder, "--events", "-").splitlines()]
        assert dict(campaign.explain(3)) == json.loads(program("explain", folder, 3, "--format", "json"))
        assert dict(campaign.explain()) == json.loads(program("explain", folder, "--next", "--format", "json"))

        rows = [line.split(",") for line in program("export", folder, "--annotations", "-").splitlines()]
        columns = campaign.annotations(frame=False)
        assert rows[0] == [*columns]
        for name, cells in zip(columns, zip(*rows[1:])):
            if name == "told_at":
                printed = np.array([cell.rstrip("Z") for cell in cells], dtype="datetime64[ms]")
                assert (abs(printed - columns[name]) <= np.timedelta64(1, "ms")).all(), "rounded elsewhere"
            elif name == "seconds":
                assert set(cells) == {""} and np.isnan(columns[name]).all(), "programs are not timed"
            elif name in ("point", "level", "worker", "note"):
                assert [cell or None for cell in cells] == [value or None for value in columns[name]]
            else:
                assert [float(cell) for cell in cells] == columns[name].tolist(), name

        (tmp_path / "at.csv").write_text("x1,x2\n" + "".join(f"{a!r},{b!r}\n" for a, b in POOL.tolist()))
        printed = program("predict", folder, "--at", tmp_path / "at.csv", "--format", "csv").splitlines()[1:]
        belief = np.array([[float(cell) for cell in line.split(",")[3:]] for line in printed])
        mean, variance = campaign.latent(POOL)
        assert np.abs(belief[:, 0] - mean).max() < 1e-12 and np.abs(belief[:, 1] - variance).max() < 1e-12


def test_infinity_is_a_number_in_python(tmp_path):
    folder = tmp_path / "c.acuity"
    ladder = acuity.Ladder(gamma=0.09, cost=acuity.costs.power(9, 0.1))
    with acuity.create(folder, pool=POOL, levels=ladder, noise_variance=0.01) as campaign:
        suggestion = campaign.ask()
        assert suggestion.alpha == suggestion.value == np.inf
        campaign.tell(suggestion, 0.1)
        assert campaign.status()["budget"] == campaign.status()["free"] == np.inf
        assert campaign.events()[1]["alpha"] == np.inf
        assert campaign.annotations(frame=False)["alpha"].tolist() == [np.inf]
        assert json.loads(program("status", folder, "--format", "json"))["budget"] == "inf"


def test_memory_a_folder_and_the_program_choose_the_same(tmp_path):
    settings = {"fit": 5, "standardise": True, "budget": 60, "seed": 4, "initial": 3}
    folder, theirs = tmp_path / "mine.acuity", tmp_path / "theirs.acuity"
    chosen = {}
    for path in (None, folder):
        with make(path, **settings) as campaign:
            campaign.run(answer)
            chosen[path] = [(e["point"], e["level"]) for e in campaign.events() if e["event"] == "asked"]
    assert chosen[None] == chosen[folder] and len(set(level for _, level in chosen[None])) == 2

    program("init", theirs, "--study", folder / "study.toml")
    by_program = []
    for _ in chosen[None]:
        row = json.loads(program("ask", theirs, "--format", "json"))["suggestions"][0]
        by_program.append((row["point"], row["level"]))
        with acuity.open(theirs) as campaign:
            campaign.tell(int(row["id"]), answer(campaign.pending()[0]))
    assert by_program == chosen[None]


def test_python_and_the_program_at_once(tmp_path):
    folder = tmp_path / "c.acuity"
    make(folder, budget=200).close()
    script = 'import acuity, sys\nc = acuity.open(sys.argv[1])\nfor i in range(8): print(c.ask().id, flush=True)'
    workers = [subprocess.Popen([sys.executable, "-c", script, folder], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    ids = [row["id"] for _ in range(8) for row in json.loads(program("ask", folder, "--format", "json"))["suggestions"]]
    for worker in workers:
        ids += worker.communicate(timeout=120)[0].split()
        assert worker.returncode == 0
    assert sorted(map(int, ids)) == list(range(1, 25))
    with acuity.open(folder, read_only=True) as campaign:
        assert len({s.row for s in campaign.pending()}) == 24
        assert campaign.status()["escrow"] == sum(s.cost for s in campaign.pending()) <= 200
