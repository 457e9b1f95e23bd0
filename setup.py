"""Builds the wheel. CMake compiles; this puts the module, and the libraries it needs, into the package.

ACUITY_BUILD_DIR=build/release takes what is built there already (configured with -DACUITY_PYTHON=ON), for those who have it.
"""

import os
import re
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
        package = Path(self.get_ext_fullpath(extension.name)).resolve().parent
        package.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as staging:
            tree = self.built_tree()
            install = ["cmake", "--install", str(tree), "--component", "python", "--prefix", staging]
            subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            for library in Path(staging).rglob("*.so*"):
                shutil.copy(library, package / library.name)

    def built_tree(self):
        if os.environ.get("ACUITY_BUILD_DIR"):
            return Path(os.environ["ACUITY_BUILD_DIR"])
        tree = Path(self.build_temp).resolve() / "cmake"
        configure = ["cmake", "-S", str(root), "-B", str(tree), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        configure += ["-DACUITY_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(tree), "--target", "acuity_python"], check=True)
        return tree


setup(version=version, ext_modules=[Extension("acuity._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
