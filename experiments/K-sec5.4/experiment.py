"""Minimisation against root finding, by PETSc's solvers."""

import csv
import os
import re
import subprocess

import matplotlib.pyplot as plt
import numpy as np

from lab import Experiment, Job
from lab.experiment import FOLDER, LabError
from lab.figure import BLACK, BLUE, GREEN, RED

ROOT = FOLDER.parent
RODS = {"rod-333": 333, "rod-2000": 2000, "rod-3775": 3775}  # the rod of figure 2, vertices
PAPER = {"rod-333": 1.2, "rod-2000": 2.6, "rod-3775": 3.0}
BARS = ("bar-330", "bar-2000", "bar-3784")  # of bench/scenes: short ones, of more tets a vertex
WRUNG = "bench/peers/scenes/bar-wrung.toml"
STEPS, H = 5, 0.01
LONGEST = 2**9 / 30
# What both kinds of solver are given to solve their linear systems with: name, TAO's, SNES's.
PAIRS = (
    ("as PETSc comes", "TAO nls, default", "SNES newtonls, default"),
    ("PETSc's factors", "TAO nls, Cholesky PETSc", "SNES newtonls, LU PETSc"),
    ("MUMPS", "TAO nls, Cholesky MUMPS", "SNES newtonls, LU MUMPS"),
)
OWN = "lilyan minimiser"


def simulate(lab):
    tolerance = {"integrator.method": "implicit-midpoint", "solver.energy_tolerance": 1e-8,
                 "solver.velocity_tolerance": 1e-8, "solver.on_failure": "stop", "output.every": 0}
    small = lab.run(Job("rod-333", "rod-333.toml", tolerance, steps=STEPS))
    longest = [lab.run(Job(f"longest-{name}", scene, tolerance | {"integrator.step": LONGEST}, steps=1, may_fail=True))
               for name, scene in (("rod", "rod-333.toml"), ("wrung", WRUNG))]
    lab.table("own", {"iterations": small.series["newton_iterations"].sum() / STEPS,
                      "longest_rod": 0.0 if longest[0].failed else 1.0, "longest_wrung": 0.0 if longest[1].failed else 1.0})
    program, missing = comparison(lab)
    rows = [] if missing else run_peers(lab, program)
    if not missing and not any(row["solver"].startswith("TAO") for row in rows):
        missing = "the comparison was built without PETSc"
    lab.table("petsc", {"missing": [missing or "no"]})
    if missing:
        return
    timed = [row for row in rows if row["group"].startswith("step")]
    lab.table("solvers", {"mesh": [row["problem"].split()[0] for row in timed], "solver": [row["solver"] for row in timed]}
              | {key: [float(row[key] or "nan") for row in timed] for key in ("iterations", "linear", "evaluations", "ms",
                                                                              "ms_callback", "residual")})
    if not lab.quick:
        logs = [(mesh, kind, event, *found) for mesh in RODS for kind, events in petsc_log(lab, program, mesh).items()
                for event, found in events.items()]
        lab.table("log", dict(zip(("mesh", "kind", "event", "count", "flops"), map(list, zip(*logs)))))
    largest = [row for row in rows if row["group"] == "largest-step"]
    lab.table("largest", {"mesh": [row["problem"].split()[0] for row in largest],
                          "solver": [row["solver"] for row in largest],
                          "h": [largest_step(row["status"]) for row in largest],
                          "iterations": [float(row["iterations"] or "nan") for row in largest],
                          "status": [row["status"] for row in largest]})


def comparison(lab):
    """The program that compares with PETSc, or why there is none."""
    if lab.quick:  # builds nothing
        there = [folder / "peers" / "step_peers" for folder in (lab.program.parent, ROOT / "build" / "peers")]
        there = [program for program in there if program.exists()]
        return (there[0], "") if there else (None, "the quick variant does not build the comparison with PETSc")
    if subprocess.run(["pkg-config", "--exists", "petsc"]).returncode != 0:
        return None, "PETSc is not installed (Debian: petsc-dev)"
    return build(lab), ""


def build(lab):
    """From bench/peers, with the library that the program is made of where its build folder is there."""
    lab.say(f"{lab.experiment.id}: building the comparison with PETSc")
    folder = lab.program.parent
    own = (folder / "CMakeCache.txt").exists()
    if not own:
        folder = ROOT / "build" / "peers"
    first = [str(folder)] if own else ["-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    try:
        for command in (["cmake", "-DLILYAN_PEERS=ON", *first], ["cmake", "--build", str(folder), "--target", "step_peers"]):
            call(command)
    finally:
        if own:  # as it is by default; what was built stays
            call(["cmake", "-DLILYAN_PEERS=OFF", str(folder)])
    return folder / "peers" / "step_peers"


def call(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, **settings)
    if done.returncode != 0:
        raise LabError(f"{' '.join(command)}\nended with {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def one_thread():
    """For everybody. OMP_THREAD_LIMIT, since CHOLMOD asks for more whatever the others say."""
    return os.environ | {name: "1" for name in ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS",
                                                "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")}


def run_peers(lab, program):
    rods = [str(lab.here / f"{rod}.toml") for rod in RODS]
    # The factors that PETSc has itself need more memory than there may be for the largest of the short bars.
    calls = {"rods": ["scenes=" + ",".join(lab.pick(rods, rods[:1])), "solvers=TAO nls,newtonls"]}
    if not lab.quick:
        calls["rods"].append(f"largest={rods[0]},{WRUNG}")
        calls["bars"] = ["scenes=" + ",".join(f"bench/scenes/{bar}.toml" for bar in BARS),
                         "solvers=default,MUMPS"]
    rows = []
    for name, arguments in calls.items():
        table = lab.folder / "runs" / f"{name}.csv"
        call([str(program), "methods=implicit-midpoint", f"h={H}", f"steps={STEPS}", f"repetitions={lab.pick(3, 1)}", "patience=1",
              f"csv={table}", *arguments], cwd=ROOT, env=one_thread())
        with table.open(newline="") as stream:
            rows += csv.DictReader(stream)
    return rows


def petsc_log(lab, program, mesh):
    """What PETSc's own log says of both solvers as they come, by kind and event: how often, and operations in all, which
    do not depend on what else the machine does."""
    text = call([str(program), "methods=implicit-midpoint", f"h={H}", f"steps={STEPS}", "repetitions=3", "patience=1", "solvers=default",
                 f"scenes={lab.here / mesh}.toml", f"csv={lab.folder / 'runs' / 'log.csv'}"], cwd=ROOT,
                env=one_thread() | {"PETSC_OPTIONS": "-log_view"})
    return read_log(text)


def read_log(text):
    found, kind = {"TAO": {}, "SNES": {}}, None
    for line in text.splitlines():
        stage = re.match(r"--- Event Stage \d+: (.*)", line)
        if stage:
            kind = "TAO" if stage[1].endswith("@tao_type nls ") else "SNES" if "@snes_type newtonls" in stage[1] else None
        event = re.match(r"(\w+) +(\d+) [\d.]+ [\d.e+-]+ [\d.]+ ([\d.e+-]+) ", line)
        if kind and event:
            count, flops = found[kind].get(event[1], (0, 0.0))
            found[kind][event[1]] = (count + int(event[2]), flops + float(event[3]))
    return found


def largest_step(status):
    """nan where not even the first was solved."""
    found = re.search(r"h = ([0-9.]+)", status)
    return float(found[1]) if found else float("nan")


def value(data, table, mesh, solver, column):
    columns = data[table]
    return columns[column][(columns["mesh"] == mesh) & (columns["solver"] == solver)][0]


def speedup(data, mesh, pair):
    return value(data, "solvers", mesh, pair[2], "ms") / value(data, "solvers", mesh, pair[1], "ms")


def why(data, mesh):
    """From PETSc's log of both as they come."""
    def of(solver, column):
        return value(data, "solvers", mesh, solver, column)

    def logged(kind, *events):
        table = data["log"]
        rows = (table["mesh"] == mesh) & (table["kind"] == kind) & np.isin(table["event"], events)
        return table["count"][rows].sum(), table["flops"][rows].sum()

    tao, snes = PAIRS[0][1:]
    whole = {"TAO": logged("TAO", "TaoSolve")[1], "SNES": logged("SNES", "SNESSolve")[1]}
    factors = {"TAO": logged("TAO", "MatLUFactorNum"), "SNES": logged("SNES", "MatCholFctrNum")}
    each = {kind: flops / count for kind, (count, flops) in factors.items()}
    return (f"both take the same path: {of(tao, 'iterations'):.0f} and {of(snes, 'iterations'):.0f} Newton iterations and "
            f"{of(tao, 'linear'):.0f} and {of(snes, 'linear'):.0f} linear ones for the {STEPS} steps. PETSc's log says what TAO does more on it. "
            f"Its line search evaluates Φ and its gradient {of(tao, 'evaluations'):.0f} times, where SNES evaluates the gradient "
            f"{of(snes, 'evaluations'):.0f} times. And it preconditions with incomplete LU factors, where SNES, told that the matrix is "
            f"symmetric, takes incomplete Cholesky factors: an LU takes {each['TAO'] / each['SNES']:.2f} times as many operations, "
            f"{100 * factors['TAO'][1] / whole['TAO']:.0f} % of TAO's, against {100 * factors['SNES'][1] / whole['SNES']:.0f} % of SNES's. Which "
            "solvers and tolerances the paper had is not said")


def judge_speed(data, verdict):
    for mesh, vertices in RODS.items():
        # Half of what the paper gained, at least.
        verdict.above(f"Minimisation is faster than root finding with {vertices} vertices: SNES's time over TAO's, both as PETSc comes",
                      speedup(data, mesh, PAIRS[0]), 1 + 0.5 * (PAPER[mesh] - 1), paper=f"{PAPER[mesh]:g}", reason=why(data, mesh))
    for pair in PAIRS[1:]:
        mean = np.exp(np.mean([np.log(speedup(data, mesh, pair)) for mesh in RODS]))
        verdict.further.above(f"With factors of the whole matrix ({pair[0]}) minimisation is faster than root finding: SNES's time with LU over "
                              "TAO's with Cholesky, geometric mean of the three meshes", mean, 1)
        verdict.note(f"SNES's time over TAO's with {pair[0]}: " + ", ".join(f"{speedup(data, mesh, pair):.2f}" for mesh in RODS)
                     + f" with {', '.join(map(str, RODS.values()))} vertices.")


def judge_largest(data, verdict, mesh, words, pair):
    # Where not even the first is solved, half of that.
    tao, snes = (np.nan_to_num(value(data, "largest", mesh, solver, "h"), nan=1 / 60) for solver in pair[1:])
    verdict.further.that(f"With {words} a minimiser bears larger steps than a root finder ({pair[0]}): largest step that is solved, TAO's over "
                 "SNES's, known to a factor of 2", round(np.log2(tao / snes)) >= 1, f"{tao:.3g} s / {snes:.3g} s = {tao / snes:.3g}", bound="≥ 2",
                 reason="both solve the longest that was tried, TAO in {:.0f} Newton iterations and SNES in {:.0f}.".format(
                     *(value(data, "largest", mesh, solver, "iterations") for solver in pair[1:])) if min(tao, snes) > 0.99 * LONGEST else
                 f"TAO: {value(data, 'largest', mesh, pair[1], 'status')}; SNES: {value(data, 'largest', mesh, pair[2], 'status')}.")


def judge(data, verdict):
    own = data["own"]
    verdict.further.below("Lilyan's minimiser takes few iterations on the rod of 333 vertices: Newton iterations a step, h = 0.01", own["iterations"][0], 5)
    for kind, words in (("rod", "the rod"), ("wrung", "a bar wrung by half a turn")):
        solved = own[f"longest_{kind}"][0] == 1
        verdict.further.that(f"Lilyan's minimiser solves a step of {LONGEST:.0f} s of {words}: how it ends", solved, "solved" if solved else "not solved",
                     bound="solved")
    missing = str(data["petsc"]["missing"][0])
    if missing != "no":
        verdict.note(f"Minimisation against root finding, TAO's nls against SNES's newtonls: not measured, since {missing}.")
        return
    if data.quick:
        return
    judge_speed(data, verdict)
    for mesh, words in (("rod-333", "the rod"), ("bar-wrung", "a bar wrung by half a turn")):
        for pair in (PAIRS[0], PAIRS[2]):
            judge_largest(data, verdict, mesh, words, pair)
    verdict.further.below("Lilyan's minimiser is faster than TAO and SNES as PETSc comes: its time in that of the faster one, 3775 vertices",
                  value(data, "solvers", "rod-3775", OWN, "ms")
                  / min(value(data, "solvers", "rod-3775", solver, "ms") for solver in PAIRS[0][1:]), 1)
    verdict.note("The rod is slender, and its grids have fewer tets a vertex than the paper's meshes. Short bars (bench/scenes, "
                 "stretched by 10 % and twisted by 45°, 1200, 9234 and 17640 tets with 330, 2000 and 3784 vertices) give for "
                 "minimisation: " + "; ".join(f"{pair[0]}, " + ", ".join(f"{speedup(data, bar, pair):.2f}" for bar in BARS)
                                              for pair in (PAIRS[0], PAIRS[2])) + ".")
    for mesh, words in (("rod-333", "rod"), ("bar-wrung", "wrung bar")):
        columns = data["largest"]
        verdict.note(f"Largest steps of the {words} that are solved, doubling from 1/30 up to {LONGEST:.2f} s: " + "; ".join(
            f"{solver}: {status}" for name, solver, status in zip(columns["mesh"], columns["solver"], columns["status"])
            if name == mesh) + ".")


def draw(data):
    if str(data["petsc"]["missing"][0]) != "no":
        figure, panel = plt.subplots(figsize=(10, 2))
        panel.text(0.5, 0.5, "not measured: " + str(data["petsc"]["missing"][0]), ha="center")
        panel.set_axis_off()
        return figure
    figure, (time, gain, *largest) = plt.subplots(1, 2 if data.quick else 4, figsize=(11.5, 3.9))
    meshes = [mesh for mesh in RODS if mesh in data["solvers"]["mesh"]]
    vertices = [RODS[mesh] for mesh in meshes]
    for (name, tao, snes), line in zip(PAIRS, (":", "--", "-")):
        for solver, shade, word in ((tao, BLUE, "TAO nls"), (snes, RED, "SNES newtonls")):
            time.plot(vertices, [value(data, "solvers", mesh, solver, "ms") / STEPS for mesh in meshes], color=shade,
                      linestyle=line, marker="o", markersize=3, label=f"{word}, {name}")
        gain.plot(vertices, [speedup(data, mesh, (name, tao, snes)) for mesh in meshes], color=BLUE, linestyle=line,
                  marker="o", markersize=3, label=name)
    time.plot(vertices, [value(data, "solvers", mesh, OWN, "ms") / STEPS for mesh in meshes], color=GREEN, marker="o",
              markersize=3, label="Lilyan's minimiser")
    time.set(xscale="log", yscale="log", xlabel="vertices", ylabel="processor time of a step [ms]", title="rod: time")
    time.legend(fontsize=7, loc="upper left")
    time.set_ylim(top=60 * time.get_ylim()[1])
    gain.plot(vertices, [PAPER[mesh] for mesh in meshes], color=BLACK, marker="s", linestyle="", label="paper")
    gain.axhline(1, color="#999999", linewidth=0.8)
    gain.set(xscale="log", xlabel="vertices", title="rod: SNES's time over TAO's", ylim=(0, 4))
    gain.legend(fontsize=8, loc="upper left")
    for panel in (time, gain):
        panel.set_xticks(vertices, [str(n) for n in vertices])
        panel.minorticks_off()
    for panel, (mesh, title) in zip(largest, (("rod-333", "rod of 333 vertices"), ("bar-wrung", "wrung bar"))):
        draw_largest(panel, data, mesh, title)
    for panel in largest[1:]:
        panel.set_yticklabels([])
    return figure


def draw_largest(panel, data, mesh, title):
    rows = [(OWN, "Lilyan", GREEN), (PAIRS[0][1], "TAO,\nas it comes", BLUE), (PAIRS[2][1], "TAO,\nMUMPS", BLUE),
            (PAIRS[0][2], "SNES,\nas it comes", RED), (PAIRS[2][2], "SNES,\nMUMPS", RED)]
    for i, (solver, _, shade) in enumerate(rows):
        h = value(data, "largest", mesh, solver, "h")
        panel.barh(i, h, color=shade, height=0.6)
        panel.text(h * 1.1, i, f"{'≥ ' if h > 0.99 * LONGEST else ''}{h:.3g} s", va="center", fontsize=8)
    panel.set(xscale="log", yticks=range(len(rows)), yticklabels=[name for _, name, _ in rows], xlim=(0.02, 400),
              xlabel="largest h that is solved [s]", title=title)
    panel.invert_yaxis()
    panel.grid(False, axis="y")
    panel.set_axisbelow(True)


EXPERIMENT = Experiment(
    title="Minimisation against root finding",
    source="Kharevych et al. 2006, section 5.4",
    shows="The same implicit steps, found as minima by TAO's nls and as roots of the gradient by SNES's newtonls: time, "
          "how much faster minimisation is, and how large a step may be.",
    given={"test:": "that of figure 2, without damping, refined", "meshes:": "330 vertices and 2K tets, 2000 and 12.5K, 3784 and 24K",
           "h =": "0.01", "solvers:": "TAO nls and SNES with line search"},
    chosen={"method:": "α = ½",
            "rod, material and start": "as in K-fig2",
            "meshes:": "n × n cells of six tets in the section and m along the rod, n = 2, 3, 4, so that the cells are near to "
                       "cubes, and m such that the number of vertices is nearest to the paper's: 333 vertices and 864 tets, 2000 "
                       "and 6696, 3775 and 14400. A grid cannot have the paper's tets as well, and the vertices are the unknowns",
            "steps:": f"the first {STEPS}",
            "stop:": "for all when the error left in energy and velocity is below 1e-8",
            "linear solvers": "in pairs: those that PETSc takes by itself, its own Cholesky and LU, and MUMPS's",
            "asked": "is half of the paper's gain",
            "largest steps:": f"doubled from 1/30 s to {LONGEST:.2f} s, and so known to a factor of 2"},
    packages=("petsc-dev", "pkg-config", "cmake", "ninja-build", "g++"),
    simulate=simulate,
    judge=judge,
    draw=draw,
)
