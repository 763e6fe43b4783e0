"""`pip install .`: CMake builds the module and puts the package where pip wants it. Nothing is downloaded."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).parent.resolve()
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def run(self) -> None:
        # In the clone, so that a second build is quick. LILYAN_CMAKE_ARGS changes options: "-DLILYAN_NATIVE=ON".
        build = pathlib.Path(os.environ.get("LILYAN_BUILD", ROOT / "build" / "pip"))
        target = pathlib.Path(self.build_lib).resolve()
        options = os.environ.get("LILYAN_CMAKE_ARGS", "").split()
        subprocess.check_call(
            ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DLILYAN_NATIVE=OFF",
             "-DLILYAN_TESTS=OFF", "-DLILYAN_PROGRAM=OFF", "-DLILYAN_PYTHON_MODULE=ON", "-DLILYAN_PYTHON_DESTINATION=.",
             f"-DPython3_EXECUTABLE={sys.executable}", *options]
        )
        subprocess.check_call(["cmake", "--build", build, "--target", "lilyan_python"])
        subprocess.check_call(["cmake", "--install", build, "--component", "python", "--prefix", target])


setup(version=VERSION, packages=[], ext_modules=[Extension("lilyan._core", [])], cmdclass={"build_ext": CMakeBuild})
