"""The program: `python -m acuity`, and `acuity` of a wheel, which brings it along."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program() -> str:
    """Where it is: beside this file, or on the PATH."""
    inside = Path(__file__).resolve().parent / "acuity-program"
    if inside.exists():
        return str(inside)
    found = os.environ.get("ACUITY_PROGRAM") or shutil.which("acuity")
    if found is None:
        sys.exit("acuity: the program is not installed; it comes with the wheel, or as Debian's package acuity")
    return found


def main() -> None:
    os.execv(program(), ["acuity", *sys.argv[1:]])


if __name__ == "__main__":
    main()
