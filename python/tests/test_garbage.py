"""Nothing that is passed to the package crashes the interpreter, hangs, or raises what a user cannot understand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# Calls of every function; ACUITY_GARBAGE=5000 asks for more of them than any run of the tests does.
CALLS = os.environ.get("ACUITY_GARBAGE", "300" if os.environ.get("ACUITY_THOROUGH") else "40")
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_garbage_gives_errors_that_are_errors(tmp_path, part):
    (tmp_path / "work").mkdir()
    log = tmp_path / "call"
    seed = os.environ.get("ACUITY_GARBAGE_SEED", "1")
    done = subprocess.run(
        [sys.executable, HERE / "garbage.py", tmp_path / "work", log, seed, CALLS, str(part), str(PARTS)],
        capture_output=True, text=True, errors="replace", timeout=550,
    )
    last = log.read_text(errors="replace") if log.exists() else "the start"
    assert done.returncode == 0, f"it ended with {done.returncode} at {last}\n{done.stderr[-3000:]}"
    assert last == "the end"
    assert done.stdout == ""
    assert done.stderr == ""
