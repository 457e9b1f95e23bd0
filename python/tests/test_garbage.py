"""Nothing that is passed to the package crashes the interpreter, hangs, or raises what a user cannot understand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# More of them where somebody has the time: ACUITY_GARBAGE=5000 for so many calls of everything.
CALLS = os.environ.get("ACUITY_GARBAGE", "300")


@pytest.mark.parametrize("seed", [int(os.environ.get("ACUITY_GARBAGE_SEED", "1"))])
def test_garbage_gives_errors_that_are_errors(tmp_path, seed):
    (tmp_path / "work").mkdir()
    log = tmp_path / "call"
    done = subprocess.run(
        [sys.executable, HERE / "garbage.py", tmp_path / "work", log, str(seed), CALLS],
        capture_output=True, text=True, errors="replace", timeout=550,
    )
    last = log.read_text(errors="replace") if log.exists() else "the start"
    assert done.returncode == 0, f"it ended with {done.returncode} at {last}\n{done.stderr[-3000:]}"
    assert last == "the end"
    assert done.stdout == ""
    assert done.stderr == ""
