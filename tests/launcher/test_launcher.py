"""The launcher ./lilyan, over a clone and programs that are stand-ins: what it installs, and several users at once.

Usage: test_launcher.py SOURCE [unittest's arguments].
"""

import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()

# Says what is installed, from a file of names.
DPKG_QUERY = """#!/bin/bash
grep -qxF -- "${@: -1}" "$FAKE/installed" && printf installed
"""
# Fails as often as the file `locked` says, as apt does while another one is at work.
APT_GET = """#!/bin/bash
echo "$*" >>"$FAKE/apt"
left=$(cat "$FAKE/locked" 2>/dev/null || echo 0)
if ((left > 0)); then
  echo $((left - 1)) >"$FAKE/locked"
  echo "E: $(cat "$FAKE/lock-text")" >&2
  exit 100
fi
[[ $1 == install ]] && printf '%s\\n' "$@" >>"$FAKE/installed"
exit 0
"""
CMAKE = """#!/bin/bash
mkdir -p "$FAKE/clone/build/release"
touch "$FAKE/clone/build/release/build.ninja"
"""
# A build takes a second, and makes the program.
NINJA = """#!/bin/bash
case " $* " in *" -t "*) exit 0 ;; esac
echo begin >>"$FAKE/builds"
sleep 1
printf '#!/bin/bash\\necho program "$@"\\n' >"$2/lilyan"
chmod +x "$2/lilyan"
cp "$2/lilyan" "$2/lilyan-run"
echo end >>"$FAKE/builds"
"""


class Launcher(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.clone = self.folder / "clone"
        for name in ("src", "app", "cmake", "web/dist", "python/src"):
            (self.clone / name).mkdir(parents=True)
        (self.clone / "CMakeLists.txt").touch()
        shutil.copy(SOURCE / "lilyan", self.clone / "lilyan")
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        for name, text in {"dpkg-query": DPKG_QUERY, "apt-get": APT_GET, "cmake": CMAKE, "ninja": NINJA,
                           "sudo": '#!/bin/bash\nexec "$@"\n'}.items():
            (bin_folder / name).write_text(text)
            (bin_folder / name).chmod(0o755)
        # Only these programs, and the ones that every system has.
        for name in ("bash", "env", "cat", "grep", "sed", "awk", "tee", "mktemp", "sleep", "dirname", "readlink", "mkdir",
                     "touch", "cp", "chmod", "rm", "nproc", "sort", "tr", "flock", "find", "setpriv", "id"):
            if path := shutil.which(name):
                (bin_folder / name).symlink_to(path)
        self.environment = {"PATH": str(bin_folder), "FAKE": str(self.folder), "LC_ALL": "C.UTF-8"}
        (self.folder / "installed").write_text("")
        (self.folder / "lock-text").write_text("")

    def start(self, *command: str, user: str = "") -> "subprocess.Popen[str]":
        # A user who may do anything is not stopped by the rights of files.
        change = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if user and os.geteuid() == 0 else []
        return subprocess.Popen([*change, str(self.clone / "lilyan"), *command], env=self.environment, cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def output(self, *command: str, user: str = "") -> "tuple[int, str]":
        process = self.start(*command, user=user)
        text, _ = process.communicate(timeout=60)
        return process.returncode, text

    def apt(self) -> "list[str]":
        path = self.folder / "apt"
        return path.read_text().splitlines() if path.exists() else []

    def test_it_installs_builds_and_runs(self) -> None:
        code, text = self.output("methods")
        self.assertEqual(code, 0, text)
        self.assertIn("program methods", text)
        self.assertEqual(len(self.apt()), 1, self.apt())

    def test_it_answers_without_a_build(self) -> None:
        shutil.copytree(SOURCE / "docs/help", self.clone / "docs/help")
        for command, begin in ((), "Lilyan:"), (("--help",), "Lilyan:"), (("scenes",), "argon-crystal"), (("methods",), "method"):
            code, text = self.output(*command)
            self.assertEqual(code, 0, text)
            self.assertTrue(text.startswith(begin), text)
        self.assertEqual(self.apt(), [])
        self.assertFalse((self.clone / "build").exists())
        # Everything else builds, and then the program answers.
        self.assertIn("program check", self.output("check")[1])
        self.assertIn("program methods", self.output("methods")[1])

    @unittest.skipIf(os.geteuid() != 0, "makes a clone of another user's")
    def test_it_uses_sudo_only_when_it_was_told_to(self) -> None:
        for path in (self.folder, *self.folder.rglob("*")):
            if not path.is_symlink():
                os.chown(path, 65534, 65534)
        code, text = self.output("check", user="nobody")
        self.assertEqual(code, 1, text)
        self.assertIn("apt-get install g++", text)
        self.assertEqual(self.apt(), [])
        self.environment["LILYAN_INSTALL"] = "yes"
        code, text = self.output("check", user="nobody")
        self.assertEqual(code, 0, text)
        self.assertEqual(len(self.apt()), 1)

    def test_it_waits_for_another_apt(self) -> None:
        for lock in ("Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 12 (apt-get)",
                     "Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
                     "Unable to lock directory /var/lib/apt/lists/"):
            with self.subTest(lock):
                (self.folder / "apt").unlink(missing_ok=True)
                (self.folder / "installed").write_text("")
                (self.folder / "lock-text").write_text(lock)
                (self.folder / "locked").write_text("1")
                shutil.rmtree(self.clone / "build", ignore_errors=True)
                code, text = self.output("methods")
                self.assertEqual(code, 0, text)
                self.assertEqual(text.count("another program is installing packages"), 1, text)
                # It tried again, and did not take the lock for missing lists.
                self.assertEqual([line.split()[0] for line in self.apt()], ["install", "install"])

    def test_what_apt_cannot_install_is_said(self) -> None:
        (self.folder / "lock-text").write_text("Unable to locate package g++")
        (self.folder / "locked").write_text("9")
        code, text = self.output("methods")
        self.assertEqual(code, 1)
        self.assertIn("Unable to locate package", text)
        self.assertEqual([line.split()[0] for line in self.apt()], ["install", "update", "install"])

    def test_two_builds_at_once_take_turns(self) -> None:
        (self.folder / "installed").write_text("")
        first = self.start("methods")
        time.sleep(0.3)
        second = self.start("materials")
        texts = [process.communicate(timeout=60)[0] for process in (first, second)]
        self.assertEqual([first.returncode, second.returncode], [0, 0], texts)
        self.assertEqual((self.folder / "builds").read_text().split(), ["begin", "end"] * 2)
        self.assertIn("another ./lilyan is building", texts[1])
        self.assertNotIn("another ./lilyan is building", texts[0])

    def test_a_program_that_runs_does_not_hold_the_build(self) -> None:
        self.output("methods")
        ninja = (self.folder / "bin/ninja").read_text()
        (self.folder / "bin/ninja").write_text(ninja.replace("echo program", "exec sleep 30; echo program"))
        running = self.start("view")
        time.sleep(2.5)
        self.assertIsNone(running.poll())
        free = subprocess.run(["flock", "-n", self.clone / "build/release/launcher.lock", "true"]).returncode
        running.kill()
        running.communicate()
        self.assertEqual(free, 0)

    def test_another_user_runs_what_is_built(self) -> None:
        self.output("methods")
        build = self.clone / "build"
        for path in [build, *build.rglob("*")]:
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
        code, text = self.output("run", "bunny", user="other")
        self.assertEqual((code, text), (0, "program run bunny\n"))
        # Newer sources are said to be newer.
        (self.clone / "src/new.cpp").write_text("")
        code, text = self.output("run", "bunny", user="other")
        self.assertEqual(code, 0, text)
        self.assertIn("older than the sources", text)
        self.assertIn("program run bunny", text)
        code, text = self.output("test", user="other")
        self.assertEqual(code, 1, text)
        self.assertIn("make a clone of your own", text)
        self.assertEqual((self.folder / "builds").read_text().split(), ["begin", "end"])
        for path in [build, *build.rglob("*")]:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)

    def test_another_user_of_a_clone_that_is_not_built_is_told(self) -> None:
        (self.clone / "build/release").mkdir(parents=True)
        for path in (self.clone, self.clone / "build", self.clone / "build/release"):
            path.chmod(0o555)
        code, text = self.output("methods", user="other")
        for path in (self.clone, self.clone / "build", self.clone / "build/release"):
            path.chmod(0o755)
        self.assertEqual(code, 1)
        self.assertIn("build/release/lilyan is not built", text)
        self.assertIn("ask its owner", text)

    def test_films_that_need_ffmpeg_get_it(self) -> None:
        self.output("methods")
        for command, wanted in ((("film", "a", "-o", "a.png"), 0), (("film", "a"), 0), (("film", "a", "--output=b.mp4"), 1),
                                (("film", "-o", "x.webm", "a"), 1), (("picture", "a.mp4"), 0)):
            with self.subTest(command):
                (self.folder / "apt").unlink(missing_ok=True)
                names = (self.folder / "installed").read_text().split()
                (self.folder / "installed").write_text("\n".join(n for n in names if n != "ffmpeg") + "\n")
                code, text = self.output(*command)
                self.assertEqual(code, 0, text)
                self.assertEqual(sum("ffmpeg" in line for line in self.apt()), wanted, self.apt())


if __name__ == "__main__":
    unittest.main(verbosity=2)
