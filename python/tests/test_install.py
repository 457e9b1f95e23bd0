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


# The thirteen mistakes of a trial, and what looks like them and is right.
def test_mypy_finds_mistakes_and_nothing_else():
    mypy = pytest.importorskip("mypy.api")
    typed = Path(__file__).parent / "typed"
    out, errors, status = mypy.run(["--strict", "--cache-dir", os.devnull, str(typed / "right.py")])
    assert status == 0, out + errors
    out, _, _ = mypy.run(["--strict", "--cache-dir", os.devnull, str(typed / "mistakes.py")])
    found = {int(line.split(":")[1]) for line in out.splitlines() if "error:" in line}
    wanted = {k for k, line in enumerate((typed / "mistakes.py").read_text().splitlines(), 1) if line.endswith("# mistake")}
    assert found == wanted and len(wanted) == 13, out


def test_the_program_comes_with_python():
    said = run(sys.executable, "-m", "acuity", "--version", PYTHONPATH=str(Path(acuity.__file__).parent.parent))
    assert said.startswith(f"acuity {acuity.__version__}")


def test_manual_pages_and_completions_say_what_the_program_says(tmp_path):
    run(SOURCE / "packaging" / "manual", os.environ["ACUITY_PROGRAM"], tmp_path)
    pages = {page.stem.removeprefix("acuity-") for page in (tmp_path / "man1").iterdir()}
    commands = {page.stem for page in (SOURCE / "docs" / "commands").glob("*.md")}
    assert commands <= pages and "acuity" in pages and "pool-convert" in pages
    ask = (tmp_path / "man1" / "acuity-ask.1").read_text()
    assert "acuity\\-ask \\- Suggest which point to annotate next" in ask and "\\-\\-lease 2h" in ask and ".SH EXAMPLE" in ask
    for name in ("acuity.bash", "_acuity", "acuity.fish"):
        text = (tmp_path / name).read_text()
        assert all(command in text for command in commands) and "lease" in text
    run("bash", "-n", tmp_path / "acuity.bash")
    run("bash", "-c", f". {tmp_path / 'acuity.bash'}; COMP_WORDS=(acuity ask --lea); COMP_CWORD=2; _acuity; [ \"$COMPREPLY\" = --lease ]")
