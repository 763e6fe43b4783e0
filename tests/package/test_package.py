"""Installs the build into a temporary prefix and uses it from outside of the tree, as a user would.

Usage: test_package.py SOURCE BUILD. It checks what is installed, builds examples/consumer against it through CMake and
through pkg-config, with options of its own that differ from the library's, builds examples/plugin and loads it into the
installed program, and looks at what add_subdirectory and FetchContent would pass on.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
BUILD = pathlib.Path(sys.argv.pop(1))


def run(*command: object, **options: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.prefix = cls.root / "prefix"
        cls.examples = cls.root / "examples"
        shutil.copytree(SOURCE / "examples", cls.examples)
        done = run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        cls.program = cls.prefix / "bin/lilyan"
        cls.compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", (BUILD / "CMakeCache.txt").read_text()).group(1)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.root)

    def must(self, *command: object, **options: object) -> str:
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def configure(self, example: str, name: str, *options: str) -> pathlib.Path:
        build = self.root / name
        self.must("cmake", "-G", "Ninja", "-S", self.examples / example, "-B", build,
                  f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={self.compiler}",
                  "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        return build

    def test_only_public_headers_are_installed(self) -> None:
        include = self.prefix / "include/lilyan"
        headers = {str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()}
        for name in ("lilyan.hpp", "version.hpp", "plugin.hpp", "assemble/tets.hpp", "lagrangian/automatic.hpp"):
            self.assertIn(name, headers)
        for name in ("solve/pcg.hpp", "step/minimise.hpp", "all_methods.hpp", "step/momentum_solve.hpp"):
            self.assertNotIn(name, headers)
        for name in headers:
            for used in re.findall(r'#include "lilyan/(.*)"', (include / name).read_text()):
                self.assertIn(used, headers, f"{name} includes it")

    def test_no_path_of_the_sources_is_in_the_package(self) -> None:
        for pattern in ("lib/**/cmake/**/*.cmake", "lib/**/*.pc", "include/**/*.hpp"):
            for path in self.prefix.glob(pattern):
                self.assertNotIn(str(SOURCE), path.read_text(), path)

    def test_consumer_by_cmake(self) -> None:
        # Each with options unlike the library's: vectors that one side allocates are freed by the other.
        for name, flags in (("plain", "-Wall -Wextra -Wshadow -Werror"), ("native", "-march=native -Werror")):
            build = self.configure("consumer", "cmake-" + name, f"-DCMAKE_CXX_FLAGS={flags}")
            self.must("cmake", "--build", build)
            self.assertIn("energy error of avf", self.must(build / "consumer"))

    def test_consumer_by_pkg_config(self) -> None:
        folder = next(self.prefix.glob("lib/**/pkgconfig"))
        flags = self.must("pkg-config", "--cflags", "--libs", "lilyan", env={"PKG_CONFIG_PATH": str(folder),
                                                                            "PATH": "/usr/bin:/bin"})
        source = self.root / "pc.cpp"
        source.write_text('#include <lilyan/lilyan.hpp>\n'
                          'int main() { return lilyan::find_method("avf") && lilyan::version() == '
                          'LILYAN_VERSION_STRING ? 0 : 1; }\n')
        program = self.root / "pc"
        self.must(self.compiler, "-std=c++20", source, "-o", program, *shlex.split(flags))
        self.must(program)

    def test_another_alignment_does_not_compile(self) -> None:
        source = self.root / "align.cpp"
        source.write_text("#include <lilyan/lilyan.hpp>\n")
        done = run(self.compiler, "-std=c++20", "-fsyntax-only", "-DEIGEN_MAX_ALIGN_BYTES=32", "-I",
                   self.prefix / "include", "-I", "/usr/include/eigen3", source)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("another alignment of Eigen's vectors", done.stderr)

    def test_program_from_the_prefix(self) -> None:
        moved = self.root / "moved"
        shutil.copytree(self.prefix, moved)
        out = self.must(moved / "bin/lilyan", "run", "falling-blob", "--steps", 2, "-q", cwd=self.root)
        self.assertIn("2 of 2 steps", out)
        (moved / "share/lilyan/scenes/only-here.toml").write_text((moved / "share/lilyan/scenes/pendulum.toml").read_text())
        self.assertIn("only-here", self.must(moved / "bin/lilyan", "scenes", cwd=self.root))

    def test_plugin(self) -> None:
        build = self.configure("plugin", "plugin")
        self.must("cmake", "--build", build)
        plugin = build / "own_plugin.so"
        lilyan = self.program
        for command in (("methods", "ralston"), ("materials", "sponge"), ("verify", "ralston")):
            self.assertIn(command[1], self.must(lilyan, *command, "--plugin", plugin))
        sponge = ("--set", "body.0.material={model='sponge'}", "--set", "integrator.method=avf", "--steps", "5", "-q")
        out = self.must(lilyan, "run", "spinning-bar", "--plugin", plugin, *sponge, cwd=self.root)
        self.assertIn("energy conserved", out)
        out = self.must(lilyan, "compare", "pendulum", "--plugin", plugin, "--methods", "ralston,avf", "--steps", 50,
                        cwd=self.root)
        self.assertIn("ralston", out)
        self.use_in_python(plugin)
        # Without it, and as a file of another kind or for another version.
        done = run(lilyan, "run", "spinning-bar", *sponge, cwd=self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sponge", done.stderr)
        done = run(lilyan, "methods", "--plugin", self.examples / "own.hpp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("not a plugin", done.stderr)
        done = run(lilyan, "methods", "--plugin", plugin, "--plugin", plugin)
        self.assertIn("there is a material 'sponge' already", done.stderr)
        header = self.prefix / "include/lilyan/version.hpp"
        right = header.read_text()
        header.write_text(right.replace("VERSION_STRING \"", "VERSION_STRING \"9."))
        try:
            self.must("cmake", "--build", build)
            done = run(lilyan, "methods", "--plugin", plugin)
        finally:
            header.write_text(right)
        self.assertEqual(done.returncode, 2)
        self.assertIn("compile it again", done.stderr)

    def use_in_python(self, plugin: pathlib.Path) -> None:
        """The module of this build loads the plugin as the program does."""
        if not (BUILD / "python/lilyan").is_dir():
            return
        script = f"""
import lilyan
assert "ralston" not in [m.name for m in lilyan.methods()]
try:
    lilyan.run("spinning-bar", steps=5, method="ralston")
    raise SystemExit("it is there without the plugin")
except lilyan.InputError as error:
    assert "unknown method 'ralston'" in str(error), error
lilyan.load_plugin({str(plugin)!r})
assert "ralston" in [m.name for m in lilyan.methods()] and "sponge" in [m.name for m in lilyan.materials()]
run = lilyan.run("spinning-bar", steps=5, method="avf", set={{"body.0.material": {{"model": "sponge"}}}})
assert run.energy_error.max() < 1e-9, run
assert len(lilyan.compare("pendulum", ["ralston", "avf"], steps=50)["ralston"].t) == 51
assert all(check.passed for check in lilyan.verify("ralston").checks)
for file, words in (({str(plugin)!r}, "already"), ({str(self.examples / "own.hpp")!r}, "not a plugin"), ("none.so", "there is no such plugin")):
    try:
        lilyan.load_plugin(file)
        raise SystemExit(f"{{file}} was loaded")
    except lilyan.InputError as error:
        assert words in str(error), error
print("all of it")
"""
        self.assertIn("all of it", self.must("/usr/bin/python3", "-c", script, cwd=self.root,
                                             env={"PYTHONPATH": str(BUILD / "python"), "PATH": "/usr/bin:/bin"}))

    def test_nothing_leaks_from_a_subproject(self) -> None:
        # Compiled, not linked: the library itself takes minutes.
        fetch = ("-DLILYAN_REPOSITORY=unused", f"-DFETCHCONTENT_SOURCE_DIR_LILYAN={SOURCE}")
        for name, options in (("folder", (f"-DLILYAN_FOLDER={SOURCE}",)), ("fetch", fetch)):
            build = self.configure("consumer", name, *options, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
            commands = json.loads((build / "compile_commands.json").read_text())
            mine = next(entry for entry in commands if entry["file"].endswith("main.cpp"))
            words = {w for w in shlex.split(mine["command"]) if w.startswith(("-W", "-f", "-m", "-D"))}
            words -= {"-Wall", "-Wextra", "-Werror", "-DNDEBUG", "-DFMT_SHARED"}  # of the user, of CMake and of fmt
            self.assertEqual(words, {"-DEIGEN_MAX_ALIGN_BYTES=16"})
            for entry in commands:
                self.assertNotIn("-march=native", entry["command"])
            self.must("ninja", "-C", build, "CMakeFiles/consumer.dir/main.cpp.o")


if __name__ == "__main__":
    unittest.main(verbosity=2)
