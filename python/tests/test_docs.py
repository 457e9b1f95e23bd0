"""The Python in docs/python.md and README.md runs as it stands, and prints what stands there behind `# ->`."""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

SOURCE = Path(os.environ["ACUITY_SOURCE_DIR"])
PROGRAM = Path(os.environ["ACUITY_PROGRAM"])


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", (SOURCE / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page, least", [("docs/python.md", 12), ("README.md", 1)])
def test_every_block_runs_and_prints_what_is_shown(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    found, session = blocks(page), {"__name__": "docs"}
    assert len(found) >= least
    for block in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, f"{page}: {block.splitlines()[0]}", "exec"), session)
        assert printed.getvalue().splitlines() == re.findall(r"^# -> (.*)$", block, re.MULTILINE), block


def test_pictures_and_links_of_the_page_are_there():
    text = (SOURCE / "docs/python.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)[)#]", text)
    assert len(targets) > 10
    for target in targets:
        assert (SOURCE / "docs" / target).exists(), target
        if target.startswith("images/"):
            assert (SOURCE / "docs" / target).stat().st_size < 60000
