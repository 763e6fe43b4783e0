#!/usr/bin/env python3
"""The torture table and the soak of docs/robustness.md; the matrix between them is that of robustness_matrix.py.

    experiments/robustness.py --program build/release/lilyan [--page docs/robustness.md] [--quick]

Fifty starts that are meant to break a step, each with AVF of two points, with AVF as it is by default, whose average
is integrated to the tolerance, and with four other methods. A run is either good, or it stops and says why. What must not
happen is a run that ends with exit code 0 and is wrong. Standard library only.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import robustness_matrix

METHODS = {
    "avf 2 points": {"integrator.method": "avf", "integrator.points": 2},
    "avf auto": {"integrator.method": "avf", "integrator.quadrature": "auto"},
    "implicit-midpoint": {"integrator.method": "implicit-midpoint"},
    "energy-momentum": {"integrator.method": "energy-momentum"},
    "newmark": {"integrator.method": "newmark"},
    "backward-euler": {"integrator.method": "backward-euler"},
}
KEEPS_ENERGY = {"avf auto", "energy-momentum"}
EXACT = {"stvk", "membrane-stvk"}  # two points are exact for these
MATERIALS = ["stvk", "stvk-compression", "fixed-corotated", "neo-hookean", "neo-hookean-log",
             "stable-neo-hookean", "mooney-rivlin"]
KEPT = 1e-9  # of the energy; the programs' own bound
BALANCED = 1e-9  # what the ledger may leave unexplained, of the energy
STEPS = 30
SECONDS = 40  # after which a run is given up


def bar(model, factors, step, more="", mass=1, stiffness=1.0):
    return f"""
[integrator]
step = {step}
steps = {STEPS}
[[body]]
mass = {mass}
material = {{ model = "{model}", mu = {50 * stiffness}, lambda = {30 * stiffness} }}
shape = {{ kind = "bar", size = [2, 0.5, 0.5], cells = [3, 2, 2] }}
deform = [{{ kind = "stretch", factors = {factors} }}]
{more}"""


SQUEEZED = [0.02, 1, 1]
FLAT = [1, 0.05, 1]
CRUSHED = [0.1, 0.1, 0.1]


def cases():
    """Pairs of a name and a scene."""
    for model in MATERIALS:
        yield f"{model} squeezed to 0.02, h = 1/30", bar(model, SQUEEZED, 1 / 30)
        yield f"{model} squeezed to 0.02, h = 1/10", bar(model, SQUEEZED, 1 / 10)
        yield f"{model} squeezed to 0.02, h = 1/300", bar(model, SQUEEZED, 1 / 300)
        yield f"{model} flattened to 0.05, h = 1/30", bar(model, FLAT, 1 / 30)
        yield f"{model} crushed to 0.1 on all sides, h = 1/30", bar(model, CRUSHED, 1 / 30)
    yield "stretched five times, h = 1/10", bar("stvk", [5, 1, 1], 0.1)
    yield "turned inside out", bar("stvk", [-1, 1, 1], 1 / 30)
    yield "mass 1e-15", bar("stvk", [1.2, 1, 1], 1 / 30, mass=1e-15)
    yield "mass 1e9", bar("stvk", [1.2, 1, 1], 1 / 30, mass=1e9)
    yield "stiffness times 1e12", bar("stvk", [1.0001, 1, 1], 1 / 30, stiffness=1e12)
    yield "a million lengths from the origin", bar("stvk", [1.3, 1, 1], 1 / 30,
                                                   more="translate = [1e6, 2e6, -1e6]")
    yield "spinning at 1000 rad/s", bar("stvk", [1.1, 1, 1], 1 / 300,
                                        more="angular_velocity = [0, 0, 1000]", stiffness=1e6)
    yield "all but one end fixed, pulled", bar("neo-hookean", [1, 1, 1], 1 / 30, more="""
[[body.fix]]
slab = { axis = "x", from = -3, to = 0.5 }
[[body.force]]
kind = "drive"
acceleration = [300, 0, 0]
""")
    yield "falls on a stiff floor at 50 m/s", bar("stable-neo-hookean", [1, 1, 1], 1 / 30, more="""
velocity = [0, -50, 3]
[[obstacle]]
kind = "plane"
point = [0, -1, 0]
stiffness = 1e5
friction = 0.5
""")
    yield "one tet, thrown and squeezed", f"""
[integrator]
step = 0.1
steps = {STEPS}
[[body]]
mass = 1
material = {{ model = "neo-hookean", mu = 50, lambda = 30 }}
shape = {{ kind = "box", size = [1, 1, 1], cells = [1, 1, 1] }}
deform = [{{ kind = "stretch", factors = [0.05, 1, 1.5] }}]
angular_velocity = [3, 2, 1]
"""
    yield "two bodies at 30 m/s", f"""
[integrator]
step = {1 / 60}
steps = {STEPS}
[[body]]
name = "a"
mass = 1
material = {{ model = "stable-neo-hookean", mu = 500, lambda = 300 }}
shape = {{ kind = "box", size = [1, 1, 1], cells = [3, 3, 3] }}
velocity = [15, 0, 0]
[[body]]
name = "b"
mass = 1
translate = [1.6, 0.3, 0.2]
material = {{ model = "stable-neo-hookean", mu = 500, lambda = 300 }}
shape = {{ kind = "box", size = [1, 1, 1], cells = [3, 3, 3] }}
velocity = [-15, 0, 0]
[[contact]]
bodies = ["a", "b"]
stiffness = 2000
thickness = 0.1
"""
    yield "a membrane with bending, pulled by a corner", f"""
[integrator]
step = {1 / 30}
steps = {STEPS}
[[body]]
kind = "cloth"
mass = 0.1
material = {{ model = "membrane-stvk", young = 1e4, poisson = 0.3, thickness = 1e-3 }}
bending = 1e-3
shape = {{ kind = "grid", size = [1, 1], cells = [8, 8] }}
deform = [{{ kind = "pull", region = {{ ball = {{ center = [0.5, 0.5, 0], radius = 0.1 }} }}, by = [1, 1, 1] }}]
"""
    yield "a pendulum from the top, h = 0.5", f"""
[integrator]
step = 0.5
steps = {STEPS}
[system]
kind = "lagrangian"
coordinates = ["q"]
kinetic = "q'^2/2"
potential = "1 - cos(q)"
[system.position]
q = 3.14159265358979
"""
    yield "a comet, eccentricity 0.99, h = 0.01", f"""
[integrator]
step = 0.01
steps = {STEPS}
[system]
kind = "lagrangian"
coordinates = ["x", "y"]
kinetic = "(x'^2 + y'^2)/2"
potential = "-1/sqrt(x^2 + y^2)"
[system.position]
x = 0.01
[system.velocity]
y = 14.1067
"""
    yield "Lennard-Jones at 0.7 of rest, h = 0.05", f"""
[integrator]
step = 0.05
steps = {STEPS}
[system]
kind = "lagrangian"
coordinates = ["r"]
kinetic = "r'^2/2"
potential = "(1/r^12 - 2/r^6)"
[system.position]
r = 0.7
"""


def run(program, scene, settings, folder):
    """What became of a run: a class, and a short text."""
    arguments = [program, "run", scene, "-q", "-o", folder, "--overwrite", "--set", "output.report=false",
                 "--set", "output.every=0", "--set", "output.pictures=[]"]
    for key, value in settings.items():
        arguments += ["--set", f"{key}={value}"]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "slow", f"over {SECONDS} s"
    message = re.search(r"error: (.*)", done.stdout + done.stderr)
    message = message.group(1) if message else ""
    if done.returncode == 2:
        return "refused", message
    if done.returncode == 3:
        return "stopped", message
    if done.returncode != 0:
        return "wrong", f"exit code {done.returncode}: {message}"
    summary = json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))
    series = Path(folder, "series.csv").read_text(encoding="utf-8")
    if re.search(r"\b(nan|inf)\b", series):
        return "wrong", "a number is not finite"
    energy = summary["drift"]["energy"]
    size = max(energy["relative_to"], 1e-300)
    imbalance = summary["ledger"]["worst_imbalance_of_a_step"] / size
    # Energies that grow have larger rounding errors.
    grown = max(1.0, energy["worst_relative_deviation"])
    if imbalance > BALANCED * grown:
        return "wrong", f"the ledger misses {imbalance:.1e}"
    if energy["verdict"] == "conserved" and energy["worst_relative_deviation"] > KEPT:
        return "rounded", energy["worst_relative_deviation"]
    return "ended", energy["worst_relative_deviation"]


def judge(name, method, scene, outcome):
    """The text of a cell, and whether it is wrong."""
    kind, what = outcome
    if kind == "wrong":
        return f"**wrong**: {what}", True
    if kind in ("stopped", "refused"):
        return kind, False
    if kind == "slow":
        return f"**{what}**", False
    if kind == "rounded":
        return f"{what:.0e} (rounding)", False
    far = re.search(r"translate = \[([^,]*),", scene)
    # Positions that are rounded in every step, at a distance of so many lengths.
    floor = 10 * sys.float_info.epsilon * abs(float(far.group(1))) * STEPS**0.5 if far else 0
    exact = any(f'model = "{m}"' in scene for m in EXACT) and "bending" not in scene
    claims = method in KEEPS_ENERGY or (method == "avf 2 points" and exact)
    if claims and what > max(KEPT, floor):
        return f"**wrong**: energy off by {what:.0e}", True
    return f"{what:.0e}", False


def torture(program, quick):
    all_cases = list(cases())
    if quick:
        all_cases = all_cases[::7]
    rows = []
    wrong = []
    reasons = {}
    with tempfile.TemporaryDirectory() as scratch:
        jobs = []
        for number, (name, scene) in enumerate(all_cases):
            file = Path(scratch, f"case{number}.toml")
            file.write_text(scene, encoding="utf-8")
            for method, settings in METHODS.items():
                jobs.append((name, scene, method, settings, file, Path(scratch, f"{number}-{method}")))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            outcomes = []
            for job, outcome in zip(jobs, pool.map(lambda j: run(program, j[4], j[3], j[5]), jobs)):
                outcomes.append(outcome)
                print(f"{len(outcomes)} of {len(jobs)}: {job[0]}, {job[2]}: {outcome[0]} {outcome[1]}",
                      file=sys.stderr, flush=True)
        cells = {}
        for job, outcome in zip(jobs, outcomes):
            name, scene, method = job[:3]
            text, bad = judge(name, method, scene, outcome)
            cells[name, method] = text
            if bad:
                wrong.append(f"{name}, {method}: {text}")
            if outcome[0] in ("stopped", "refused"):
                reason = re.sub(r"the run stopped: |step \d+.*?\) |\S*\.toml:[\d:]* ", "", outcome[1])
                reasons.setdefault((outcome[0], reason[:200]), []).append(
                    f"{name}, {method}")
    for name, _ in all_cases:
        rows.append([name] + [cells[name, m] for m in METHODS])
    return rows, wrong, reasons


def soak(program, steps):
    """A small body for many implicit steps: drift of its energy, and memory."""
    scene = bar("stvk", [1.3, 1, 1], 1 / 30)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "soak.toml")
        file.write_text(scene, encoding="utf-8")
        results = []
        for count in (steps // 10, steps):
            begun = time.time()
            process = subprocess.Popen(
                [program, "run", file, "-q", "-o", Path(scratch, "soak"), "--overwrite", "--steps", str(count), "--set",
                 "output.every=0", "--set", "output.report=false", "--set", "solver.threads=1"],
                stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            summary = json.loads(Path(scratch, "soak", "run.json").read_text(encoding="utf-8"))
            results.append((count, os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024,
                            summary["drift"]["energy"]["worst_relative_deviation"], time.time() - begun))
        return results


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def page(rows, wrong, reasons, matrix, soaked, notes):
    cells = [c for row in rows for c in row[1:]]
    stopped = sum(c == "stopped" for c in cells)
    refused = sum(c == "refused" for c in cells)
    slow = sum(c.startswith("**over") for c in cells)
    text = f"""# Robustness

This page is generated by `experiments/robustness.py --page docs/robustness.md`, which takes some twenty minutes.

## Torture

{len(rows)} starts are meant to break a step. Each is run for {STEPS} steps with six methods. A number is the largest relative
deviation of the energy. **stopped** means that the program ended the run and said why (exit code 3). **refused** means that
it did not begin (exit code 2).

A run is *wrong* if it ends with exit code 0 and one of these holds: a value is not finite; the ledger does not explain the
change of the energy to {BALANCED:.0e}; or the method claims to keep the energy and is off by more than {KEPT:.0e} (or than the
rounding of positions far from the origin explains), and the run does not say that rounding errors of forces took it. These
methods claim to keep it: `avf auto`, which is the default, `energy-momentum`, and for `stvk` also `avf` with two points. The
other numbers say how far off a method is that does not claim to keep the energy.

The table has {len(cells)} runs. Wrong: {len(wrong)}. Stopped: {stopped}. Refused: {refused}. Slower than {SECONDS} s: {slow}.

"""
    text += table(["start"] + list(METHODS), rows) + "\n\n"
    if wrong:
        text += "Wrong:\n\n" + "\n".join(f"- {w}" for w in wrong) + "\n\n"
    if reasons:
        text += "Why runs ended early:\n\n"
        text += table(["", "reason", "runs"],
                      [[kind, reason, len(who)] for (kind, reason), who in
                       sorted(reasons.items(), key=lambda r: -len(r[1]))]) + "\n\n"
    text += matrix
    if soaked:
        text += """## Soak

A bar of 72 tets, stretched by a factor of 1.3, is stepped by AVF with its default tolerance on one thread.

"""
        text += table(["steps", "largest deviation of the energy", "memory", "time"],
                      [[f"{n:,}".replace(",", " "), f"{drift:.1e}", f"{memory:.0f} MB", f"{seconds:.0f} s"]
                       for n, _, memory, drift, seconds in soaked]) + "\n\n"
    return text + notes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/lilyan")
    parser.add_argument("--page")
    parser.add_argument("--quick", action="store_true", help="every seventh start, a short soak; fails if one is wrong")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    rows, wrong, reasons = torture(program, options.quick)
    matrix = "" if options.quick else robustness_matrix.section(*robustness_matrix.matrix(program))
    soaked = soak(program, 10_000 if options.quick else 1_000_000)
    notes = Path(__file__).with_name("robustness_notes.md")
    text = page(rows, wrong, reasons, matrix, soaked, notes.read_text(encoding="utf-8") if notes.exists() else "")
    if options.page:
        Path(options.page).write_text(text, encoding="utf-8")
    else:
        print(text)
    for line in wrong:
        print("wrong:", line, file=sys.stderr)
    (_, _, memory0, _, _), (_, code, memory1, drift, _) = soaked
    bad_soak = code != 0 or drift > 1e-10 or memory1 > memory0 * 1.2 + 8
    if bad_soak:
        print("the soak failed:", soaked, file=sys.stderr)
    return 1 if wrong or bad_soak else 0


if __name__ == "__main__":
    sys.exit(main())
