"""Runs of several processes give what one process gives, and fail as they should.

Called with the build folder: test_distributed.py BUILD [-k NAME] [-v]. Needs lilyan and lilyan-mpi there, and mpirun.
"""

import csv
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_mpi_yield_when_idle": "1"}

# A bar that stretches and turns gently: its steps have one minimum.
BAR = """
[integrator]
method = "{method}"
step = {step}
steps = {steps}

[output]
every = 5
report = false
checkpoint_every = 5

[[body]]
shape = {{ kind = "bar", size = [2, 0.5, 0.5], cells = [8, 2, 2] }}
mass = 1
material = {{ model = "{material}", mu = 500, lambda = 200 }}
angular_velocity = [0.5, 0, 2]

[[body.deform]]
kind = "stretch"
factors = [1.05, 1, 1]
"""

# Everything that runs on several ranks at once.
ALL = """
[integrator]
method = "{method}"
step = {step}
steps = 20

[output]
every = 0
report = false

[world]
gravity = [0, -9.81, 0]

[[body]]
name = "held"
shape = {{ kind = "bar", size = [2, 0.5, 0.5], cells = [8, 2, 2] }}
density = 1
material = {{ model = "stvk", mu = 500, lambda = 200 }}
translate = [0, 1, 0]
fix = [{{ slab = {{ axis = "x", to = 0 }} }}]
damping = {{ model = "{damping}", {damping_value} }}

[[body.script]]
region = {{ slab = {{ axis = "x", from = 1 }} }}
keys = [{{ t = 0 }}, {{ t = 0.1, shift = [0.1, 0.1, 0] }}, {{ t = 0.2, angle = 10 }}]

[[body]]
name = "falling"
mesh = "{root}/assets/blob/blob.msh"
scale = 0.3
mass = 1
material = {{ model = "stable-neo-hookean", mu = 300, lambda = 300 }}
translate = [0, -0.6, 0]
velocity = [0.5, -2, 0]
angular_velocity = [0, 0, 3]
attach = [{{ region = {{ slab = {{ axis = "y", from = 0.95 }} }}, stiffness = 5 }}]
force = [{{ kind = "drag", rate = 0.2 }}, {{ kind = "drive", acceleration = [1, 0, 0], frequency = 2, region = {{ slab = {{ axis = "x", from = 0.5 }} }} }}]

[[body.deform]]
kind = "pull"
region = {{ slab = {{ axis = "y", from = 0.95 }} }}
by = [0, 0.05, 0]
falloff = 0.3

[[obstacle]]
kind = "plane"
point = [0, -1, 0]
depth = 0.01
friction = 0.3

[[obstacle]]
kind = "sphere"
center = [0.6, -1, 0]
radius = 0.3
stiffness_per_area = 3000
bodies = ["falling"]
motion = {{ keys = [{{ t = 0 }}, {{ t = 1, shift = [-1, 0, 0] }}] }}
"""


def run(arguments, ranks=None, wait=300, expect=0):
    """Runs lilyan, or lilyan-mpi with so many ranks. Returns what it printed."""
    program = [str(BUILD / "lilyan")]
    if ranks:
        program = ["mpirun", "--quiet", "--oversubscribe", "-n", str(ranks), str(BUILD / "lilyan-mpi")]
    done = subprocess.run(program + [str(a) for a in arguments], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=wait)
    assert done.returncode == expect, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def series(folder):
    with open(folder / "series.csv") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def summary(folder):
    return json.loads((folder / "run.json").read_text())


def vtu(file):
    """The arrays of a .vtu file that Lilyan has written."""
    content = file.read_bytes()
    head, data = content.split(b"<AppendedData encoding=\"raw\">\n_", 1)
    arrays = {"points": int(re.search(rb'NumberOfPoints="(\d+)"', head)[1])}
    letters = {b"Float64": "d", b"Float32": "f", b"Int64": "q", b"Int32": "i", b"UInt8": "B"}
    for kind, name, offset in re.findall(rb'<DataArray type="(\w+)" Name="(\w+)".*?offset="(\d+)"', head):
        at = int(offset)
        size = struct.unpack_from("<Q", data, at)[0]
        count = size // struct.calcsize(letters[kind])
        arrays[name.decode()] = struct.unpack_from(f"<{count}{letters[kind]}", data, at + 8)
    return arrays


def final_state(folder, step):
    """Positions and velocities of all vertices in the order of their meshes, from a checkpoint."""
    content = (folder / f"checkpoint-{step:06}.state").read_bytes()
    numbers = struct.unpack(f"<{len(content) // 8}d", content)
    quarter = len(numbers) // 4
    return numbers[:quarter], numbers[quarter:2 * quarter]


def distance(a, b):
    """The largest difference, in units of the largest number."""
    assert len(a) == len(b)
    return max(abs(x - y) for x, y in zip(a, b)) / max(abs(x) for x in a)


class Distributed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def scene(self, text, name="scene.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def bar(self, method="avf", steps=50, material="stvk", step=0.01):
        return self.scene(BAR.format(method=method, steps=steps, material=material, step=step))

    def compare_series(self, one, other, bound, columns=None):
        a, b = series(one), series(other)
        self.assertEqual(len(a), len(b))
        energy = max(abs(row["energy_total"]) + row["energy_kinetic"] for row in a)
        for key in columns or [k for k in a[0] if k.startswith(("energy_", "ledger_"))]:
            worst = max(abs(x[key] - y[key]) for x, y in zip(a, b))
            self.assertLess(worst, bound * energy, key)

    def test_same_answers_for_any_number_of_ranks(self):
        scene = self.bar()
        run(["run", scene, "-q", "-o", self.folder / "one"])
        alone = vtu(self.folder / "one" / "frames" / "000050.vtu")
        start = series(self.folder / "one")[0]
        for ranks in (1, 2, 3, 4):
            out = self.folder / f"ranks{ranks}"
            run(["run", scene, "-q", "-o", out], ranks)
            x, v = final_state(out, 50)
            self.assertLess(distance(alone["position"], x), 1e-9)
            self.assertLess(distance(alone["velocity"], v), 1e-9)
            scale = start["energy_kinetic"] + start["energy_elastic"]
            for row in series(out):
                self.assertLess(abs(row["energy_total"] - start["energy_total"]), 1e-13 * scale)
                for axis in "xyz":
                    self.assertLess(abs(row[f"momentum_{axis}"] - start[f"momentum_{axis}"]), 1e-13)
            kept = summary(out)
            self.assertEqual(kept["solver"]["ranks"], ranks)
            self.assertEqual(kept["size"]["vertices"], 81)
            self.assertEqual(kept["size"]["tets"], 192)
            self.assertLess(kept["ledger"]["worst_imbalance_of_a_step"], 1e-13 * scale)

    def test_angular_momentum_as_on_one(self):
        scene = self.bar("implicit-midpoint", 30)
        run(["run", scene, "-q", "-o", self.folder / "three"], 3)
        self.assertLess(summary(self.folder / "three")["drift"]["angular_momentum"]["worst_relative_deviation"], 1e-12)

    def test_energy_momentum_keeps_everything(self):
        bar = BAR.format(method="energy-momentum", steps=50, material="stvk", step=0.02)
        second = bar[bar.index("[[body]]"):].replace("[[body]]", '[[body]]\nname = "second"\ntranslate = [0, 3, 0]', 1)
        cases = {"free": bar, "two bodies": bar + second.replace("[0.5, 0, 2]", "[1, 2, 0]"),
                 "at a point": bar + "\n[[body.fix]]\nvertices = [40]\n",
                 "on a hinge": bar + "\n[[body.fix]]\nvertices = [27, 28, 29]\n",
                 "on a hinge that ranks share": bar + "\n[[body.fix]]\nvertices = [0, 36, 72]\n",
                 # Its angular momentum is not kept, and must not be.
                 "at a face": bar + "\n[[body.fix]]\nslab = { axis = \"x\", to = 0 }\n",
                 "at a moving point": bar + "\n[[body.script]]\nvertices = [40]\n"
                                      "keys = [{ t = 0 }, { t = 0.5, shift = [0.1, 0.1, 0] }, { t = 1 }]\n"}
        for number, (name, text) in enumerate(cases.items()):
            with self.subTest(name):
                scene = self.scene(text, f"{number}.toml")
                one = self.folder / f"one{number}"
                run(["run", scene, "-q", "-o", one])
                alone = vtu(one / "frames" / "000050.vtu")
                for ranks in (2, 3) if number else (1, 2, 3, 4):
                    out = self.folder / f"several{number}-{ranks}"
                    run(["run", scene, "-q", "-o", out], ranks)
                    self.assertLess(distance(alone["position"], final_state(out, 50)[0]), 1e-9)
                    drift = summary(out)["drift"]
                    kept = name not in ("at a face", "at a moving point")
                    self.assertEqual(drift["angular_momentum"]["is_invariant_of_the_scene"], kept)
                    if kept:
                        self.assertLess(drift["energy"]["worst_relative_deviation"], 1e-13)
                        # 50 steps, each solved to 1e-13
                        self.assertLess(drift["angular_momentum"]["worst_relative_deviation"], 5e-12)

    def test_loose_solves_keep_momenta(self):
        # What an iterative solution leaves of the total force and torque is taken out; without that linear momentum
        # is off by 9e-9, and with a weak preconditioner angular momentum by 1.5e-6.
        scene = self.scene(BAR.format(method="implicit-midpoint", steps=30, material="stvk", step=0.03)
                           .replace("cells = [8, 2, 2]", "cells = [16, 4, 4]"))
        run(["run", scene, "-q", "-o", self.folder / "two", "--set", "solver.tolerance=1e-6"], 2)
        self.assertLess(summary(self.folder / "two")["drift"]["linear_momentum"]["worst_relative_deviation"], 5e-10)
        run(["run", scene, "-q", "-o", self.folder / "weak", "--set", "solver.tolerance=1e-6", "-pc_type", "pbjacobi"], 2)
        self.assertLess(summary(self.folder / "weak")["drift"]["angular_momentum"]["worst_relative_deviation"], 5e-7)

    def test_what_only_one_rank_has(self):
        bar = BAR.format(method="avf", steps=5, material="stvk", step=0.01)
        held = "attach = [{ region = { vertices = [0] }, stiffness = 5 }]\n"
        cases = {"attached": bar.replace("[[body.deform]]", held + "[[body.deform]]"),
                 "attached and fixed": "[world]\ngravity = [0, -1, 0]\n" + bar.replace(
                     "[[body.deform]]", held + "fix = [{ vertices = [80] }]\n[[body.deform]]"),
                 "momentum": bar.replace('"avf"', '"energy-momentum"').replace("[[body.deform]]", held + "[[body.deform]]"),
                 "all but one fixed": bar + '\n[[body.fix]]\nslab = { axis = "x", to = 0.99 }\n',
                 "all fixed": bar + "\n[[body.fix]]\nall = true\n"}
        for number, (name, text) in enumerate(cases.items()):
            with self.subTest(name):
                scene = self.scene(text, f"{number}.toml")
                run(["run", scene, "-q", "-o", self.folder / f"one{number}"])
                for ranks in (2, 3):
                    out = self.folder / f"several{number}-{ranks}"
                    run(["run", scene, "-q", "-o", out], ranks, wait=60)
                    alone = vtu(self.folder / f"one{number}" / "frames" / "000005.vtu")
                    self.assertLess(distance(alone["position"], final_state(out, 5)[0]), 1e-9)
                    a, b = summary(self.folder / f"one{number}"), summary(out)
                    for momentum in ("linear_momentum", "angular_momentum"):
                        self.assertEqual(*(s["drift"][momentum]["is_invariant_of_the_scene"] for s in (a, b)))

    def test_every_kind_of_method(self):
        for method in ("avf", "newmark", "backward-euler", "bdf2", "bathe", "tr-bdf2", "hp-quadrature",
                       "stoermer-verlet", "yoshida", "rk4"):
            with self.subTest(method):
                explicit = method in ("stoermer-verlet", "yoshida", "rk4")
                scene = self.bar(method, 10, "neo-hookean", 0.001 if explicit else 0.01)
                run(["run", scene, "-q", "-o", self.folder / f"{method}-1"])
                run(["run", scene, "-q", "-o", self.folder / f"{method}-2"], 2)
                self.compare_series(self.folder / f"{method}-1", self.folder / f"{method}-2", 1e-11)

    def test_forces_damping_obstacles_scripts(self):
        dampings = (("rayleigh", "stiffness = 0.01, mass = 0.1"), ("kelvin-voigt", "time = 0.01"),
                    ("strain", "time = 0.01"), ("strain-explicit", "time = 0.002"),
                    ("rayleigh-end", "stiffness = 0.01"))
        for number, (damping, value) in enumerate(dampings):
            with self.subTest(damping):
                method = "stoermer-verlet" if damping == "strain-explicit" else "avf"
                text = ALL.format(method=method, step=0.001 if method == "stoermer-verlet" else 0.01, damping=damping,
                                  damping_value=value, root=ROOT)
                scene = self.scene(text, f"all{number}.toml")
                one, several = self.folder / f"one{number}", self.folder / f"several{number}"
                run(["run", scene, "-q", "-o", one])
                run(["run", scene, "-q", "-o", several], 2 + number % 3)
                self.compare_series(one, several, 1e-9)
                a, b = summary(one), summary(several)
                if method == "avf":
                    self.assertGreater(a["contact_depth"]["deepest"], 1e-3)
                self.assertAlmostEqual(a["contact_depth"]["deepest"], b["contact_depth"]["deepest"], places=9)
                self.assertEqual(a["size"], b["size"])
                for momentum in ("linear_momentum", "angular_momentum"):
                    self.assertEqual(a["drift"][momentum]["is_invariant_of_the_scene"],
                                     b["drift"][momentum]["is_invariant_of_the_scene"])
                    self.assertAlmostEqual(a["drift"][momentum]["relative_to"], b["drift"][momentum]["relative_to"],
                                           places=9)
                self.assertAlmostEqual(a["drift"]["energy"]["relative_to"], b["drift"]["energy"]["relative_to"], places=9)

    def test_angular_momentum_about_an_axis_of_several_ranks(self):
        text = BAR.format(method="implicit-midpoint", steps=5, material="stvk", step=0.01) + (
            '\n[[body.fix]]\nvertices = [0, 1, 2]\n')
        scene = self.scene(text)
        run(["run", scene, "-q", "-o", self.folder / "one"])
        run(["run", scene, "-q", "-o", self.folder / "three"], 3)
        for name in ("one", "three"):
            kept = summary(self.folder / name)["drift"]["angular_momentum"]
            self.assertTrue(kept["is_invariant_of_the_scene"])
            self.assertLess(kept["worst_relative_deviation"], 1e-9)
        self.assertEqual(summary(self.folder / "three")["size"]["fixed_vertices"], 3)

    def test_the_same_number_gives_the_same_bits(self):
        scene = self.bar(steps=20)
        digests = set()
        for name in "ab":
            run(["run", scene, "-q", "-o", self.folder / name], 4)
            digests.add(summary(self.folder / name)["digest"])
        self.assertEqual(len(digests), 1)
        run(["run", scene, "-q", "--threads", "2", "-o", self.folder / "threads"], 4)
        self.assertEqual({summary(self.folder / "threads")["digest"]}, digests)

    def test_one_rank_iterates_like_one_process(self):
        # Violent steps: Hessians without positive curvature, where conjugate gradients end early.
        quiet = ["--steps", "2", "-q", "--set", "output.every=0", "--set", "output.report=false"]
        run(["run", "bunny", *quiet, "-o", self.folder / "process"])
        run(["run", "bunny", *quiet, "-o", self.folder / "rank", "-log_view", f":{self.folder / 'log'}"], 1)
        process, rank = (summary(self.folder / name)["solver"] for name in ("process", "rank"))
        for number in ("iterations", "evaluations", "definiteness_fixes"):
            self.assertEqual(process[number], rank[number], number)
        # PETSc adds numbers up in another order: now and then a solve ends an iteration earlier or later.
        self.assertAlmostEqual(process["linear_iterations"], rank["linear_iterations"], delta=0.005 * rank["linear_iterations"])
        # PETSc counts an exchange, a sum and a gathering an iteration, and some at the start and end of each solve.
        log = (self.folder / "log").read_text()
        for event, most in (("HaloWait", 2), ("CGReduction", 0), ("ClustersGather", 1)):
            count = int(re.search(rf"^{event}\s+(\d+) ", log, re.M).group(1))
            self.assertLessEqual(count, rank["linear_iterations"] + most * (rank["iterations"] + 10), event)
            self.assertGreaterEqual(count, rank["linear_iterations"], event)

    def test_multigrid_for_many_clusters(self):
        # Multigrid in the place of the clusters' factor costs few iterations, and gives the same bits every time.
        scene = self.scene(BAR.format(method="avf", steps=2, material="stvk", step=0.03)
                           .replace("cells = [8, 2, 2]", "cells = [64, 16, 16]").replace("every = 5\n", "every = 0\n", 1))
        effort, digests = {}, {1: set(), 2: set(), 3: set()}
        for ranks in (1, 2, 3, 2, 3):
            for name, options in (("factor", []), ("multigrid", ["-clusters_pc_type", "gamg"])):
                out = self.folder / f"{name}{ranks}"
                run(["run", scene, "-q", "-o", out, "--overwrite", *options], ranks)
                solver = summary(out)["solver"]
                effort[name, ranks] = solver["linear_iterations"] / solver["iterations"]
            digests[ranks].add(summary(out)["digest"])
            self.assertEqual(solver["linear"], "petsc cg, two levels and gamg")
            self.compare_series(self.folder / f"factor{ranks}", self.folder / f"multigrid{ranks}", 1e-10)
        self.assertLess(max(effort.values()), 1.1 * min(effort.values()), effort)
        for ranks in (2, 3):
            self.assertEqual(len(digests[ranks]), 1)
        # A stiff body, whose clusters hardly move by themselves, shows whether multigrid knows its rigid motions.
        for name, options in (("factor", []), ("multigrid", ["-clusters_pc_type", "gamg"])):
            run(["run", scene, "-q", "-o", self.folder / "stiff", "--overwrite", "--steps", "1", *options,
                 "--set", "body.0.material.mu=5e5", "--set", "body.0.material.lambda=2e5"], 2)
            solver = summary(self.folder / "stiff")["solver"]
            effort[name] = solver["linear_iterations"] / solver["iterations"]
        self.assertLess(effort["multigrid"], 1.5 * effort["factor"], effort)

    def test_multigrid_of_changing_matrices(self):
        # The second step of BDF2 has another matrix than the first; multigrid made for that one would not be definite.
        scene = self.scene(BAR.format(method="bdf2", steps=5, material="fixed-corotated", step=0.005)
                           .replace('kind = "bar", size = [2, 0.5, 0.5], cells = [8, 2, 2]',
                                    'kind = "ball", radius = 0.4, cells = 4'))
        run(["run", scene, "-q", "-o", self.folder / "one"])
        digests = set()
        for _ in range(4):
            out = self.folder / "gamg"
            said = run(["run", scene, "-o", out, "--overwrite", "-pc_type", "gamg"], 3)
            self.assertNotIn("halving", said)
            self.assertNotIn("\x1b[", said)
            self.compare_series(self.folder / "one", out, 1e-11)
            digests.add(summary(out)["digest"])
        self.assertEqual(len(digests), 1)

    def test_petsc_options_and_direct_solver(self):
        scene = self.bar(steps=5)
        run(["run", scene, "-q", "-o", self.folder / "one"])
        cases = {"gamg": ["-pc_type", "gamg"], "hypre": ["-pc_type", "hypre"], "jacobi": ["-pc_type", "pbjacobi"],
                 "cg": ["-ksp_type", "cg"], "minres": ["-ksp_type", "minres", "-ksp_norm_type", "preconditioned"],
                 "two levels and gamg": ["-clusters_pc_type", "gamg"],
                 "two levels and hypre": ["-clusters_pc_type", "hypre", "-clusters_pc_hypre_boomeramg_max_iter", "1"],
                 "mumps": ["--set", "solver.linear=cholesky"]}
        for name, options in cases.items():
            with self.subTest(name):
                run(["run", scene, "-q", "-o", self.folder / name, *options], 2)
                self.compare_series(self.folder / "one", self.folder / name, 1e-11)
                self.assertIn({"jacobi": "pbjacobi"}.get(name, name), summary(self.folder / name)["solver"]["linear"])
        # With the exact Hessian Newton's method takes the same steps.
        run(["run", scene, "-q", "-o", self.folder / "cholesky", *cases["mumps"]])
        iterations = {summary(self.folder / name)["solver"]["iterations"] for name in ("cholesky", "mumps")}
        self.assertEqual(len(iterations), 1, iterations)
        said = run(["run", scene, "-q", "-o", self.folder / "misspelt", "-kps_rtol", "1e-3"], 2)
        self.assertIn("PETSc has no use for the option -kps_rtol", said)

    def test_frames_are_written_in_pieces(self):
        scene = self.bar(steps=5)
        run(["run", scene, "-q", "-o", self.folder / "three"], 3)
        frames = self.folder / "three" / "frames"
        self.assertEqual(sorted(p.name for p in frames.glob("*.pvtu")), ["000000.pvtu", "000005.pvtu"])
        listed = re.findall(r'Source="(.*?)"', (frames / "000005.pvtu").read_text())
        self.assertEqual(listed, [f"000005_{rank}.vtu" for rank in range(3)])
        self.assertIn('file="frames/000005.pvtu"', (self.folder / "three" / "run.pvd").read_text())
        tets, points = set(), set()
        for name in listed:
            piece = vtu(frames / name)
            self.assertLess(piece["points"], 81)
            places = [piece["position"][3 * i:3 * i + 3] for i in range(piece["points"])]
            for k in range(0, len(piece["connectivity"]), 4):
                tet = frozenset(places[i] for i in piece["connectivity"][k:k + 4])
                self.assertNotIn(tet, tets)
                tets.add(tet)
            points |= set(places)
        self.assertEqual((len(tets), len(points)), (192, 81))
        # Other commands see one frame: its surface has no faces between the pieces.
        run(["run", scene, "-q", "-o", self.folder / "one"])
        for name in ("one", "three"):
            run(["export", self.folder / name, "--format", "ply"])
        surfaces = [(self.folder / name / "frames" / "000005.ply").stat().st_size for name in ("one", "three")]
        self.assertEqual(surfaces[0], surfaces[1])

    def test_surface_formats_and_report(self):
        text = BAR.format(method="avf", steps=5, material="stvk", step=0.01).replace("report = false", 'formats = ["ply", "glb"]')
        scene = self.scene(text)
        run(["run", scene, "-q", "-o", self.folder / "one"])
        run(["run", scene, "-q", "-o", self.folder / "three"], 3)
        self.assertTrue((self.folder / "three" / "report.html").stat().st_size > 10000)
        for name in ("run.glb", "frames/000005.ply"):
            sizes = [(self.folder / run_ / name).stat().st_size for run_ in ("one", "three")]
            self.assertEqual(sizes[0], sizes[1], name)

    def test_going_on_with_another_number_of_ranks(self):
        whole = self.bar(steps=20)
        run(["run", whole, "-q", "-o", self.folder / "whole"], 3)
        for ranks in (1, 2, 3):
            out = self.folder / f"cut{ranks}"
            run(["run", whole, "-q", "-o", out, "--steps", "10"], 3)
            run(["run", "--resume", out, "-q", "--steps", "20"], ranks)
            self.compare_series(self.folder / "whole", out, 1e-12)
            self.assertLess(distance(final_state(self.folder / "whole", 20)[0], final_state(out, 20)[0]), 1e-9)
            self.assertEqual(len(list((out / "frames").glob("*.pvtu"))), 5)
            if ranks == 3:
                self.assertEqual(summary(out)["digest"], summary(self.folder / "whole")["digest"])

    def test_one_process_and_several_do_not_take_over_from_each_other(self):
        scene = self.bar(steps=5)
        run(["run", scene, "-q", "-o", self.folder / "one"])
        self.assertIn("without --ranks", run(["run", "--resume", self.folder / "one", "--steps", "7"], 2, expect=2))
        run(["run", scene, "-q", "-o", self.folder / "two"], 2)
        self.assertIn("--ranks N", run(["run", "--resume", self.folder / "two", "--steps", "7"], expect=2))

    def test_a_full_disk_ends_the_run(self):
        # Writing frames is fine; the state of a checkpoint does not fit, or not all of it.
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", disk], capture_output=True).returncode != 0:
            self.skipTest("needs a file system of its own")
        try:
            scene = self.scene(BAR.format(method="newmark", steps=400, material="stvk", step=0.01)
                               .replace("every = 5\n", "every = 0\n", 1))
            for ranks, left in ((2, 24), (3, 30), (3, 16)):
                (disk / "fill").write_bytes(bytes(1024 * (120 - left)))
                said = run(["run", scene, "-q", "-o", disk / "run", "--overwrite"], ranks, wait=60, expect=3)
                self.assertRegex(said, "cannot be written|No space left|cannot write")
                (disk / "fill").unlink()
                shutil.rmtree(disk / "run")
        finally:
            subprocess.run(["umount", "--lazy", disk], check=True)

    def test_damaged_states_are_refused(self):
        scene = self.bar(steps=10)
        out = self.folder / "run"
        run(["run", scene, "-q", "-o", out], 2)
        state = out / "checkpoint-000010.state"
        content = state.read_bytes()
        state.write_bytes(content[:100] + b"\x01" + content[101:])
        self.assertIn("damaged", run(["run", "--resume", out, "--steps", "12"], 2, expect=2))
        state.write_bytes(content[:-8])
        self.assertIn("cut short", run(["run", "--resume", out, "--steps", "12"], 2, expect=2))
        # A refused run leaves everything as it was, and a new one nothing of the old.
        rows = len(series(out))
        state.write_bytes(content)
        run(["run", "--resume", out, "-q", "--steps", "12"], 2)
        self.assertGreater(len(series(out)), rows)
        self.assertIn("steps = 12", (out / "scene.resolved.toml").read_text())
        small = self.scene(BAR.format(method="avf", steps=12, material="stvk", step=0.01).replace("[8, 2, 2]", "[4, 2, 2]"),
                           "small.toml")
        run(["run", small, "-q", "-o", out, "--overwrite"], 2)
        run(["run", "--resume", out, "-q", "--steps", "14"], 3)
        self.assertEqual(sorted(p.name for p in out.glob("*.state")),
                         ["checkpoint-000012.state", "checkpoint-000014.state"])
        run(["run", small, "-q", "-o", out, "--overwrite"])
        self.assertEqual(list(out.glob("*.state")), [])
        run(["run", scene, "-q", "-o", out, "--overwrite"], 2)
        state.unlink()
        self.assertIn("cannot be read", run(["run", "--resume", out, "--steps", "12"], 2, expect=2))

    def test_a_process_that_dies_ends_the_run(self):
        scene = self.scene(BAR.format(method="avf", steps=100000, material="stvk", step=0.01).replace("every = 5\n", "every = 0\n", 1))
        out = self.folder / "run"
        started = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "3", BUILD / "lilyan-mpi", "run", scene, "-q", "-o",
                                    out], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for _ in range(600):
                time.sleep(0.05)
                if (out / "checkpoint.previous.bin").exists():
                    break
            children = subprocess.run(["pgrep", "-P", str(started.pid)], capture_output=True, text=True).stdout.split()
            os.kill(int(children[-1]), signal.SIGKILL)
            said = started.communicate(timeout=60)[0]
        finally:
            started.kill()
        self.assertNotEqual(started.returncode, 0)
        self.assertIn("signal 9", said)
        step = len(series(out))
        self.assertGreater(step, 5)
        run(["run", "--resume", out, "-q", "--steps", str(step + 5)], 2)
        self.assertEqual(summary(out)["status"], "finished")

    def test_interrupted_runs_are_saved(self):
        scene = self.scene(BAR.format(method="avf", steps=100000, material="stvk", step=0.01).replace("every = 5\n", "every = 0\n", 1))
        out = self.folder / "run"
        started = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "2", BUILD / "lilyan-mpi", "run", scene, "-q", "-o",
                                    out], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for _ in range(600):
                time.sleep(0.05)
                if (out / "checkpoint.previous.bin").exists():
                    break
            started.send_signal(signal.SIGTERM)
            started.communicate(timeout=60)
        finally:
            started.kill()
        self.assertEqual(summary(out)["status"], "interrupted")
        steps = summary(out)["steps_done"]
        run(["run", "--resume", out, "-q", "--steps", str(steps + 3)], 3)

    def test_what_does_not_run_on_several_is_refused_at_the_start(self):
        bar = BAR.format(method="avf", steps=5, material="stvk", step=0.01)
        contact = bar + bar[bar.index("[[body]]"):].replace("[[body]]", '[[body]]\nname = "two"\ntranslate = [0, 2, 0]', 1) + (
            '\n[[contact]]\nstiffness = 100\nthickness = 0.01\n')
        cases = {
            "[[contact]]": contact,
            "[[constraint]]": bar + '\n[[constraint]]\nkind = "points"\nvertices = [0]\n',
            "discrete-gradient": bar.replace('"avf"', '"discrete-gradient"'),
            "fixed steps": bar + '\n[step_control]\nkind = "error"\ntolerance = 1e-4\n',
            "the largest body has 8": bar.replace("cells = [8, 2, 2]", "cells = [1, 1, 1]"),
            "for solids": bar.replace('kind = "bar", size = [2, 0.5, 0.5], cells = [8, 2, 2]',
                                      'kind = "grid", size = [1, 1], cells = [4, 4]'),
            "unknown key 'integrator.stpe'": bar.replace("step = 0.01", "stpe = 0.01"),
        }
        for words, text in cases.items():
            with self.subTest(words):
                scene = self.scene(text)
                said = run(["run", scene, "-q", "-o", self.folder / "refused"], 9 if "largest" in words else 2, expect=2)
                self.assertIn(words, said)
                self.assertEqual(said.count("error:"), 1, said)
        twice = bar + "\n[[body.fix]]\nvertices = [80]\n[[body.script]]\nvertices = [80]\nkeys = [{ t = 0 }, { t = 1 }]\n"
        self.assertIn("vertex 80 is fixed already", run(["run", self.scene(twice), "-q"], 3, expect=2))
        said = run(["run", "pendulum", "-q", "-o", self.folder / "refused"], 2, expect=2)
        self.assertIn("a small system runs on one", said)
        said = run(["run", self.folder / "nowhere.toml"], 2, expect=2)
        self.assertEqual(said.count("error:"), 1, said)
        broken = bar.replace('shape = { kind = "bar", size = [2, 0.5, 0.5], cells = [8, 2, 2] }', 'mesh = "gone.msh"')
        said = run(["run", self.scene(broken), "-q"], 3, expect=2)
        self.assertIn("gone.msh", said)
        self.assertEqual(said.count("error:"), 1, said)


if __name__ == "__main__":
    result = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False, verbosity=1).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
