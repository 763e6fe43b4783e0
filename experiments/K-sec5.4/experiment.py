"""Minimisation against root finding, by PETSc's solvers."""

import csv
import os
import re
import subprocess

import matplotlib.pyplot as plt

from lab import Experiment, Job
from lab.experiment import FOLDER, LabError
from lab.figure import BLACK, BLUE, GREEN, RED

ROOT = FOLDER.parent
MESHES = {"bar-330": 330, "bar-2000": 2000, "bar-3784": 3784}
PAPER = {"bar-330": 1.2, "bar-2000": 2.6, "bar-3784": 3.0}
WRUNG = "bench/peers/scenes/bar-wrung.toml"
STEPS, H = 5, 0.01
LONGEST = 2**9 / 30
# What both kinds of solver are given to solve their linear systems with: name, TAO's, SNES's.
PAIRS = (
    ("MUMPS", "TAO nls, Cholesky MUMPS", "SNES newtonls, LU MUMPS"),
    ("PETSc's factors", "TAO nls, Cholesky PETSc", "SNES newtonls, LU PETSc"),
    ("as PETSc comes", "TAO nls, default", "SNES newtonls, default"),
)
OWN = "lilyan minimiser"


def simulate(lab):
    tolerance = {"integrator.method": "implicit-midpoint", "solver.energy_tolerance": 1e-8,
                 "solver.velocity_tolerance": 1e-8, "solver.on_failure": "stop", "output.every": 0}
    small = lab.run(Job("bar-330", "bench/scenes/bar-330.toml", tolerance | {"integrator.step": H}, steps=STEPS))
    wrung = lab.run(Job("wrung", WRUNG, tolerance | {"integrator.step": LONGEST}, steps=1, may_fail=True))
    lab.table("own", {"iterations": small.series["newton_iterations"].sum() / STEPS,
                      "solves_longest": 0.0 if wrung.failed else 1.0})
    missing = "" if not lab.quick else "the quick variant does without PETSc"
    if not missing and subprocess.run(["pkg-config", "--exists", "petsc"]).returncode != 0:
        missing = "PETSc is not installed (Debian: petsc-dev)"
    lab.table("petsc", {"missing": [missing or "no"]})
    if missing:
        return
    rows = run_peers(lab, build(lab))
    timed = [row for row in rows if row["group"].startswith("step")]
    lab.table("solvers", {"mesh": [row["problem"].split()[0] for row in timed], "solver": [row["solver"] for row in timed]}
              | {key: [float(row[key] or "nan") for row in timed] for key in ("iterations", "linear", "evaluations", "ms",
                                                                              "ms_callback", "residual")})
    largest = [row for row in rows if row["group"] == "largest-step"]
    lab.table("largest", {"mesh": [row["problem"].split()[0] for row in largest],
                          "solver": [row["solver"] for row in largest],
                          "h": [largest_step(row["status"]) for row in largest],
                          "status": [row["status"] for row in largest]})


def build(lab):
    """The comparison with PETSc, from bench/peers, with the library that the program is made of."""
    folder = lab.program.parent
    lab.say(f"{lab.experiment.id}: building the comparison with PETSc")
    for command in (["cmake", "-DLILYAN_PEERS=ON", str(folder)],
                    ["cmake", "--build", str(folder), "--target", "step_peers"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise LabError(f"{' '.join(command)}\nended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    return folder / "peers" / "step_peers"


def run_peers(lab, program):
    # One thread for everybody. OMP_THREAD_LIMIT, since CHOLMOD asks for more whatever the others say.
    environment = os.environ | {name: "1" for name in (
        "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}
    table = lab.folder / "runs" / "peers.csv"
    command = [str(program), "scenes=" + ",".join(f"bench/scenes/{mesh}.toml" for mesh in MESHES),
               "methods=implicit-midpoint", f"h={H}", f"steps={STEPS}", "repetitions=3", "patience=1",
               "solvers=TAO nls,newtonls,root", f"largest=bench/scenes/bar-330.toml,{WRUNG}", f"csv={table}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise LabError(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr.strip()}")
    with table.open(newline="") as stream:
        return list(csv.DictReader(stream))


def largest_step(status):
    found = re.search(r"h = ([0-9.]+)", status)
    return float(found[1]) if found else float("nan")


def value(data, table, mesh, solver, column):
    columns = data[table]
    return columns[column][(columns["mesh"] == mesh) & (columns["solver"] == solver)][0]


def speedup(data, mesh, pair):
    return value(data, "solvers", mesh, pair[2], "ms") / value(data, "solvers", mesh, pair[1], "ms")


def judge(data, verdict):
    verdict.below("Lilyan's minimiser: Newton iterations a step, 330 vertices, h = 0.01", data["own"]["iterations"][0], 5)
    verdict.that("and it solves a step of 17 s of the wrung bar", data["own"]["solves_longest"][0] == 1,
                 "solved" if data["own"]["solves_longest"][0] == 1 else "not solved", bound="solved")
    missing = str(data["petsc"]["missing"][0])
    if missing != "no":
        verdict.note(f"Minimisation against root finding, TAO's nls against SNES's newtonls: not measured, since {missing}.")
        return
    all_iterations = [(value(data, "solvers", mesh, PAIRS[0][1], "iterations"),
                       value(data, "solvers", mesh, PAIRS[0][2], "iterations")) for mesh in MESHES]
    defaults = [speedup(data, mesh, PAIRS[2]) for mesh in MESHES]

    def default(solver, column):
        return value(data, "solvers", "bar-3784", PAIRS[2][solver], column)

    reason = ("On these bars both find the step in the same number of Newton iterations ("
              + ", ".join(f"{a:.0f} and {b:.0f}" for a, b in all_iterations) + f" for {STEPS} steps on the three meshes), with "
              "the same matrices: what is left to gain is that a symmetric matrix is factorised with half the work. With "
              "the iterative solvers that PETSc takes by itself, root finding is even the faster one (minimisation is "
              + ", ".join(f"{ratio:.2f}" for ratio in defaults) + " times as fast). With 3784 vertices these need "
              f"{default(1, 'linear'):.0f} and {default(2, 'linear'):.0f} linear iterations; TAO's nls evaluates Φ "
              f"{default(1, 'evaluations'):.0f} times, SNES {default(2, 'evaluations'):.0f}, which, with the assembly, is "
              f"{default(1, 'ms_callback') - default(2, 'ms_callback'):.0f} of the "
              f"{default(1, 'ms') - default(2, 'ms'):.0f} ms between them. The paper does not say which linear "
              "solvers its factors were measured with.")
    for mesh, vertices in MESHES.items():
        # Half of what the paper gained, at least.
        verdict.above(f"Minimisation is faster than root finding, {vertices} vertices, both with MUMPS: speed-up",
                      speedup(data, mesh, PAIRS[0]), 1 + 0.5 * (PAPER[mesh] - 1), paper=f"{PAPER[mesh]:g}",
                      reason=reason if vertices == 2000 else "As with 2000 vertices.")
    growth = speedup(data, "bar-3784", PAIRS[0]) / speedup(data, "bar-330", PAIRS[0])
    verdict.above("and the more so the larger the mesh: speed-up with 3784 vertices over that with 330", growth, 1.2,
                  paper="2.5", reason="As with 2000 vertices.")
    for pair in (PAIRS[2], PAIRS[0]):
        tao, snes = (value(data, "largest", "bar-wrung", solver, "h") for solver in pair[1:])
        verdict.above("Minimisers are less sensitive to the size of the step than root finders: largest step that is solved, "
                      f"of a bar wrung by half a turn, TAO over SNES, {pair[0]}", tao / snes, 1.5)
    verdict.below("Lilyan's minimiser needs, of the time of TAO's nls with MUMPS, 3784 vertices",
                  value(data, "solvers", "bar-3784", OWN, "ms") / value(data, "solvers", "bar-3784", PAIRS[0][1], "ms"), 0.5)
    verdict.note("Largest steps of the wrung bar that are solved, doubling from 1/30: "
                 + ", ".join(f"{solver}: {h:g} s" for mesh, solver, h in zip(*(data["largest"][c] for c in ("mesh", "solver", "h")))
                             if mesh == "bar-wrung")
                 + ". (17.07 s is the longest that was tried. From some step on TAO ends at other minima than Lilyan, where Φ "
                 "is higher; SNES fails in its line search or its linear solver.) All solve the less twisted bar of 330 vertices "
                 "up to there.")


def draw(data):
    if str(data["petsc"]["missing"][0]) != "no":
        figure, panel = plt.subplots(figsize=(10, 2))
        panel.text(0.5, 0.5, "not measured: " + str(data["petsc"]["missing"][0]), ha="center")
        panel.set_axis_off()
        return figure
    figure, (time, gain, steps) = plt.subplots(1, 3, figsize=(10, 3.9), width_ratios=(1, 1, 1.05))
    vertices = list(MESHES.values())
    for (name, tao, snes), line in zip(PAIRS, ("-", "--", ":")):
        for solver, shade, word in ((tao, BLUE, "TAO nls"), (snes, RED, "SNES newtonls")):
            time.plot(vertices, [value(data, "solvers", mesh, solver, "ms") / STEPS for mesh in MESHES], color=shade,
                      linestyle=line, marker="o", markersize=3, label=f"{word}, {name}")
        gain.plot(vertices, [speedup(data, mesh, (name, tao, snes)) for mesh in MESHES], color=BLUE, linestyle=line,
                  marker="o", markersize=3, label=name)
    time.plot(vertices, [value(data, "solvers", mesh, OWN, "ms") / STEPS for mesh in MESHES], color=GREEN, marker="o",
              markersize=3, label="Lilyan's minimiser")
    time.set(xscale="log", yscale="log", xlabel="vertices", ylabel="processor time of a step [ms]", title="time")
    time.legend(fontsize=7, loc="upper left")
    time.set_ylim(top=40 * time.get_ylim()[1])
    gain.plot(vertices, list(PAPER.values()), color=BLACK, marker="s", linestyle="", label="paper")
    gain.axhline(1, color="#999999", linewidth=0.8)
    gain.set(xlabel="vertices", title="speed-up: SNES's time over TAO's", ylim=(0, 3.6))
    gain.legend(fontsize=8, loc="upper left")
    rows = [(OWN, "Lilyan's minimiser", GREEN), (PAIRS[2][1], "TAO nls, as it comes", BLUE), (PAIRS[0][1], "TAO nls, MUMPS", BLUE),
            (PAIRS[2][2], "SNES, as it comes", RED), (PAIRS[0][2], "SNES, MUMPS", RED)]
    for i, (solver, name, shade) in enumerate(rows):
        h = value(data, "largest", "bar-wrung", solver, "h")
        steps.barh(i, h, color=shade, height=0.6)
        steps.text(h * 1.1, i, f"{'≥ ' if h > 17 else ''}{h:.3g} s", va="center", fontsize=8)
    steps.set(xscale="log", yticks=range(len(rows)), yticklabels=[name for _, name, _ in rows], xlim=(0.02, 150),
              xlabel="largest h that is solved [s]", title="wrung bar")
    steps.invert_yaxis()
    steps.grid(False, axis="y")
    steps.set_axisbelow(True)
    for panel in (time, gain):
        panel.set_xticks(vertices, [str(n) for n in vertices])
        panel.minorticks_off()
    return figure


EXPERIMENT = Experiment(
    title="Minimisation against root finding",
    source="Kharevych et al. 2006, section 5.4",
    shows="The same implicit steps, found as minima by TAO's nls and as roots of the gradient by SNES's newtonls: time, "
          "how much faster minimisation is, and how large a step of a wrung bar may be.",
    given={"meshes:": "330, 2000 and 3784 vertices", "h =": "0.01", "solvers:": "TAO nls and SNES with line search"},
    chosen={"method:": "α = ½", "bars": "of bench/scenes, stretched by 10 % and twisted by 45°", "steps:": f"the first {STEPS}",
            "stop:": "for all when the error left in energy and velocity is below 1e-8",
            "linear solvers": "in pairs: those that PETSc takes by itself, its own Cholesky and LU, and MUMPS's"},
    packages=("petsc-dev", "pkg-config", "cmake", "ninja-build", "g++"),
    simulate=simulate,
    judge=judge,
    draw=draw,
)
