"""The tutorials of examples/python run as they stand, draw their pictures, and what they claim is so."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sizes import thorough_only

import acuity

SOURCE = Path(os.environ["ACUITY_SOURCE_DIR"])
PROGRAM = Path(os.environ["ACUITY_PROGRAM"])


def run(tutorial, folder):
    """What it printed. Run from elsewhere, so that it writes where it is told."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        [sys.executable, SOURCE / "examples/python" / tutorial, folder],
        env={**os.environ, "PATH": path}, cwd="/", capture_output=True, text=True, timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""
    return result.stdout


def number(pattern, text):
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in\n{text}"
    return float(found[1])


def marks(picture):
    """How many things an SVG draws; it is well-formed and small enough for a page."""
    assert 1000 < picture.stat().st_size < 60000
    root = ElementTree.parse(picture).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    paths = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("class") != "grid"]
    assert not any("n" in path.get("d") for path in paths), "no nan, no inf"
    return len(paths)


@thorough_only
def test_choosing_the_precision_beats_the_finest_on_the_sine_curve(tmp_path):
    said = run("sine_curve.py", tmp_path)
    assert number(r"([\d.]+) chosen", said) < 0.9 * number(r"([\d.]+) finest; ", said)
    assert number(r"better in (\d+) of 6", said) >= 5
    assert marks(tmp_path / "python-sine-error.svg") >= 6
    assert marks(tmp_path / "python-sine-belief.svg") >= 6


@thorough_only
def test_all_three_levels_beat_the_expert_alone(tmp_path):
    said = run("three_prices.py", tmp_path)
    share = r"([\d.]+)% "
    assert number(share + "all three", said) > number(share + "expert only", said) + 5
    assert number(r"crowd: (\d+) labels", said) > number(r"trained: (\d+) labels", said) > 0
    assert 3.8 < number(r'"expert" would be chosen if it cost under ([\d.]+) cents', said) < 25
    assert marks(tmp_path / "python-three-prices.svg") >= 10


def test_a_simulator_is_interrupted_looked_at_and_resumed(tmp_path):
    said = run("own_simulator.py", tmp_path)
    assert "Stopped: 20 answers" in said and "1 pending" in said
    assert re.search(r"^ *21 .* python ", said, re.MULTILINE), said  # the program shows who left what
    assert number(r"Root mean squared error: ([\d.]+)", said) < 1.0
    with acuity.open(tmp_path / "shop.acuity", read_only=True) as campaign:
        status = campaign.status()
        assert status["pending"] == 0 and status["failed"] == 0
        assert 118 < status["spent"] <= 120 * (1 + 1e-9)
        assert len(status["levels"]) >= 2
        asked = [event["id"] for event in campaign.events() if event["event"] == "asked"]
        assert asked == sorted(set(asked)), "the interrupted one was not asked for again"
    assert "<html" in (tmp_path / "shop.html").read_text(encoding="utf-8")
    assert marks(tmp_path / "python-own-simulator.svg") >= 10


@pytest.mark.parametrize("tutorial", ["sine_curve.py", "three_prices.py", "own_simulator.py"])
def test_a_tutorial_has_cells_and_needs_nothing_but_numpy(tutorial):
    text = (SOURCE / "examples/python" / tutorial).read_text(encoding="utf-8")
    assert text.startswith("# %% [markdown]\n# # ") and text.count("\n# %%") >= 4
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE))
    assert imported <= {"acuity", "numpy", "pathlib", "picture", "shutil", "subprocess", "sys"}


def test_twenty_lines_are_enough():
    text = (SOURCE / "examples/python/sine_curve.py").read_text(encoding="utf-8")
    cell = text.split("# %% The 20 lines\n")[1].split("# %%")[0]
    assert 0 < sum(1 for line in cell.splitlines() if line.strip()) <= 20
