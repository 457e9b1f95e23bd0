"""The package as people get it: installed by CMake beside the library, and as a wheel in an environment of its own."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sizes import thorough_only

import acuity

SOURCE, BINARY = Path(os.environ["ACUITY_SOURCE_DIR"]), Path(os.environ["ACUITY_BINARY_DIR"])

# Says where it came from, that the fast kernels came along, and that it works.
TRIAL = """
import acuity, os
print(os.path.dirname(acuity.__file__))
print(acuity.instruction_set())
print(acuity.GPRegressor(optimiser=None, noise_variance=0.01).fit([[0.0]], [1.0]).predict([[0.0]]).round(3).tolist())
print(acuity.create(pool=[[0.0], [1.0]], levels=[acuity.Level("a", noise_sd=1, cost=1)], budget=2).ask().level)
"""


def run(*command, cwd=None, **environment):
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "ACUITY_INSTRUCTION_SET")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env={**clean, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_trial(output, folder):
    where, instructions, mean, level = output.split("\n")[:4]
    assert Path(where) == folder
    assert instructions == acuity.instruction_set()
    assert mean == "[0.99]" and level == "a"


def test_installed_by_cmake(tmp_path):
    run("cmake", "--install", BINARY, "--prefix", tmp_path)
    packages = tmp_path / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "dist-packages"
    check_trial(run(sys.executable, "-c", TRIAL, cwd=tmp_path, PYTHONPATH=str(packages)), packages / "acuity")
    assert (packages / "acuity" / "py.typed").exists() and (packages / "acuity" / "_core.pyi").exists()


# For others than this Python's own site folder, the dist-packages of /usr/local are where Debian's python3 looks.
def test_the_folder_is_one_where_debians_python_looks():
    if sys.executable != "/usr/bin/python3":
        pytest.skip("this is not Debian's python3")
    paths = run(sys.executable, "-c", "import sys; print('\\n'.join(sys.path))").split("\n")
    assert f"/usr/local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/dist-packages" in paths


@thorough_only
def test_wheel(tmp_path):
    for module in ("pip", "wheel", "venv"):
        pytest.importorskip(module)
    run(
        sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q", "-w", tmp_path, SOURCE,
        ACUITY_BUILD_DIR=str(BINARY),
    )
    (wheel,) = tmp_path.glob("acuity-*.whl")
    assert "py3-none-any" not in wheel.name, "a wheel with machine code must say for which machine"
    names = zipfile.ZipFile(wheel).namelist()
    wanted = ["__init__.py", "py.typed", "_core.pyi", "libacuity_kernels-x86-64-v3.so", "libacuity_kernels-x86-64-v4.so"]
    for name in wanted:
        assert f"acuity/{name}" in names
    libraries = sorted(name for name in names if ".so" in name)
    assert len(libraries) == 3, f"the module and two libraries of kernels, each once: {libraries}"
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    run(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", site, wheel)
    check_trial(run(python, "-c", TRIAL, cwd=tmp_path), site / "acuity")


def test_the_stubs_name_what_is_there():
    stubs = (SOURCE / "python" / "acuity" / "_core.pyi").read_text()
    from acuity import _core

    for name in dir(_core):
        if not name.startswith("__"):
            assert f" {name}(" in stubs or f"class {name}:" in stubs or f"class {name}(" in stubs or f"\n{name}: " in stubs, name


def test_the_types_hold():
    mypy = pytest.importorskip("mypy.api")
    out, errors, status = mypy.run(["--strict", "--cache-dir", os.devnull, str(SOURCE / "python" / "acuity")])
    assert status == 0, out + errors
