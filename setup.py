"""Builds the wheel: CMake compiles; this puts the module, the program and the kernels they open into the package.

ACUITY_BUILD_DIR=build/release takes what is built there already (configured with -DACUITY_PYTHON=ON), for those who have it;
CMAKE_ARGS are further arguments of cmake.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent
version = re.search(r"project\(acuity VERSION (\S+)", (root / "CMakeLists.txt").read_text()).group(1)
(root / "build").mkdir(exist_ok=True)  # setup.cfg keeps everything there


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        if shutil.which("cmake") is None:
            sys.exit(
                "cmake is missing: acuity is compiled from source here; on Debian the packages are listed in packaging/packages, "
                "under build and python"
            )
        package = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        package.mkdir(parents=True, exist_ok=True)
        tree = self.built_tree()
        with tempfile.TemporaryDirectory() as staging:
            for component in ("python", "wheel"):
                install = ["cmake", "--install", str(tree), "--component", component, "--prefix", staging]
                subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            for file in [*Path(staging).rglob("*.so"), *Path(staging).rglob("acuity-program")]:  # which `acuity` starts
                if shutil.which("strip"):
                    subprocess.run(["strip", "--strip-unneeded", str(file)], check=True)
                shutil.copy(file, package / file.name)
            for notice in ("LICENSE", "web/NOTICES"):
                shutil.copy(root / notice, package / Path(notice).name)

    def built_tree(self):
        if os.environ.get("ACUITY_BUILD_DIR"):
            return Path(os.environ["ACUITY_BUILD_DIR"])
        tree = Path(self.build_temp).resolve() / "cmake"
        configure = ["cmake", "-S", str(root), "-B", str(tree), "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON"]
        configure += ["-DCMAKE_UNITY_BUILD_BATCH_SIZE=20", "-DACUITY_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        configure += ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(configure + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
        subprocess.run(["cmake", "--build", str(tree), "--parallel", "--target", "acuity_python", "acuity_cli"], check=True)
        return tree


def numpy_needed():
    """NumPy 2 moved what pybind11 before 2.12 reads."""
    header = Path("/usr/include/pybind11/detail/common.h")
    if not header.exists():
        return "numpy>=1.24"
    text = header.read_text()
    numbers = [int(re.search(rf"#define PYBIND11_VERSION_{part} +(\d+)", text).group(1)) for part in ("MAJOR", "MINOR")]
    return "numpy>=1.24" if numbers >= [2, 12] else "numpy>=1.24,<2"


setup(
    version=version,
    install_requires=[numpy_needed()],
    ext_modules=[Extension("acuity._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
