"""The documentation: its code runs, its links lead somewhere, its commands exist, and the gallery has every scene.

Usage: test_docs.py SOURCE BUILD [unittest's arguments]. Sphinx is not needed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
HERE = SOURCE / "tests/docs"
PAGES = sorted((SOURCE / "docs").glob("*.md"))
OTHERS = [SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
sys.path[:0] = [str(HERE), str(SOURCE / "tools/site")]

import build  # noqa: E402
import gallery  # noqa: E402
import links  # noqa: E402
import run_page  # noqa: E402

# The launcher as the pages use it, over the program and the module that are built already.
LAUNCHER = f"""#!/bin/bash
if [[ ${{1-}} == python ]]; then shift; exec {sys.executable} "$@"; fi
exec {BUILD}/lilyan "$@"
"""


def code_of(page: pathlib.Path) -> str:
    return "\n".join(block for is_prose, block in links.prose(page.read_text()) if not is_prose)


class Code(unittest.TestCase):
    """Every page whose blocks are meant to be typed in runs from its first block to its last."""

    def run_page(self, name: str, *language: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            for shared in ("assets", "scenes", "examples", "src"):
                (home / shared).symlink_to(SOURCE / shared)
            (home / "lilyan").write_text(LAUNCHER)
            (home / "lilyan").chmod(0o755)
            environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                           "LILYAN_BUILD": str(BUILD), "MPLBACKEND": "Agg", "HOME": folder}
            done = subprocess.run([sys.executable, HERE / "run_page.py", SOURCE / "docs" / name, *language],
                                  cwd=home, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if keep := os.environ.get("LILYAN_KEEP"):
                shutil.copytree(home, pathlib.Path(keep) / pathlib.Path(name).stem, symlinks=True)

    def test_animator(self) -> None:
        self.run_page("tutorial-animator.md")

    def test_researcher(self) -> None:
        self.run_page("tutorial-researcher.md")

    def test_student(self) -> None:
        self.run_page("tutorial-student.md")

    def test_python(self) -> None:
        self.run_page("python.md")

    def test_cpp(self) -> None:
        self.run_page("cpp.md")

    def test_readme(self) -> None:
        self.run_page("../README.md", "python")

    def test_every_tutorial_is_run(self) -> None:
        run = {name for name in re.findall(r'run_page\("(.*?)"\)', pathlib.Path(__file__).read_text())}
        for page in PAGES:
            if page.name.startswith("tutorial-"):
                self.assertIn(page.name, run)

    def test_few_blocks_are_left_out(self) -> None:
        for page in PAGES:
            for block in run_page.blocks(page.read_text()):
                self.assertLess(len(block.not_run), 60)
                self.assertTrue(block.not_run == "" or "browser" in block.not_run, f"{page.name}: {block.not_run}")

    def test_toml_of_all_pages_can_be_read(self) -> None:
        for page in [*PAGES, *OTHERS]:
            for block in run_page.blocks(page.read_text()):
                if block.language == "toml":
                    try:
                        tomllib.loads(block.code)
                    except tomllib.TOMLDecodeError as error:
                        self.fail(f"{page.name}, line {block.line}: {error}")


class Pages(unittest.TestCase):
    def test_links_and_pictures(self) -> None:
        faults = [fault for page in [*PAGES, *OTHERS] for fault in links.broken(page)]
        self.assertEqual(faults, [])

    def test_commands_and_options_exist(self) -> None:
        """Every `lilyan COMMAND --option` in code is one that the program's help has."""
        helps: dict[str, str] = {}

        def help_of(*command: str) -> str:
            key = " ".join(command)
            if key not in helps:
                done = subprocess.run([BUILD / "lilyan", *command, "--help"], capture_output=True, text=True)
                helps[key] = done.stdout if done.returncode == 0 else ""
            return helps[key]

        own = {"test", "lint", "reproduce", "python", "docs"}  # of the launcher
        for page in [*PAGES, *OTHERS]:
            for line in code_of(page).replace("\\\n", " ").splitlines():
                command = re.match(r"\s*(?:\$ )?(?:\./)?lilyan ([a-z]+)\b(.*)", line)
                if not command or command.group(1) in own:
                    continue
                words = [command.group(1)]
                rest = command.group(2).split("#")[0].split("||")[0]
                if words[0] == "mesh":
                    words.append(rest.split()[0])
                text = help_of(*words)
                self.assertTrue(text, f"{page.name}: there is no command {' '.join(words)}")
                for option in re.findall(r"(?<=\s)(--[a-z][a-z-]*)", rest):
                    self.assertRegex(text, re.escape(option) + r"(?![\w-])", f"{page.name}: {line.strip()}")

    def test_landing_page_leads_to_every_tutorial(self) -> None:
        linked = links.targets((SOURCE / "docs/index.md").read_text())
        for page in PAGES:
            if page.name.startswith("tutorial-") or page.name == "gallery.md":
                self.assertIn(page.name, linked)


class Site(unittest.TestCase):
    def test_files_that_pages_ask_for_and_that_are_not_there_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "there.css").write_text('/* url(gone.png) */ a { background: url("there.css") url(data:image/png;base64,AA) }')
            (site / "index.html").write_text('<link rel="stylesheet" href="there.css?v=1"><a href="gone.html">x</a>'
                                             '<script src="gone.js"></script><img alt="" src="https://a.b/c.png">')
            (site / "root.css").write_text("@import url(/javascript/x.css);")
            self.assertEqual(build.missing_files(site), ["index.html: gone.js", "root.css: /javascript/x.css"])
            (site / "index.html").unlink()
            packaged = site / "share/javascript"
            packaged.mkdir(parents=True)
            (packaged / "x.css").write_text("html { margin: 0 }")
            build.mend_imports(site / "root.css", site / "share")
            self.assertEqual((site / "root.css").read_text(), "html { margin: 0 }")
            self.assertEqual(build.missing_files(site), [])


class Gallery(unittest.TestCase):
    def test_every_scene_says_what_it_is(self) -> None:
        self.assertEqual([fault for scene in gallery.scenes() for fault in gallery.faults(scene)], [])

    def test_page_is_what_the_scenes_give(self) -> None:
        self.assertEqual((SOURCE / "docs/gallery.md").read_text(), gallery.committed_page(),
                         "write it anew: python3 tools/site/gallery.py docs/gallery.md")

    def test_headings_differ(self) -> None:
        titles = [gallery.anchor(scene) for scene in gallery.scenes()]
        self.assertEqual(len(titles), len(set(titles)))


class Rooms(unittest.TestCase):
    def test_picture_is_that_of_the_include_lines(self) -> None:
        check = subprocess.run([sys.executable, SOURCE / "tools/rooms.py", "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)


class Version(unittest.TestCase):
    def test_one_version_everywhere(self) -> None:
        version = re.search(r"project\(\w+\s+VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"\nversion: {version}\n", (SOURCE / "CITATION.cff").read_text())
        self.assertIn(f"version = {{{version}}}", (SOURCE / "docs/cite.md").read_text())
        self.assertIn(f"\n## {version}", (SOURCE / "CHANGELOG.md").read_text())
        said = subprocess.run([BUILD / "lilyan", "--version"], capture_output=True, text=True).stdout
        self.assertTrue(said.startswith(f"lilyan {version} "), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
