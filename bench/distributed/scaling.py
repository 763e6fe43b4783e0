"""Strong and weak scaling of runs of several processes, beside threads on the same machine.

    ./lilyan test --distributed                       # builds lilyan-mpi
    python3 bench/distributed/scaling.py build/release --strong 786432 --weak 50000 --ranks 1,2,4,8,16

Bars of cubes of six tets each, StVK, AVF at h = 1/30, from a stretch of 1.1. Threads and ranks run in turns, several rounds of
them; a row is the round with the median time, by the clock (a process that waits for others uses its core all the same).
With --beyond there are also runs with more ranks than cores, of which only the iterations count. Writes
bench/results/distributed-MACHINE.csv and prints it.
"""

import argparse
import csv
import json
import os
import platform
import re
import subprocess
import tempfile
from pathlib import Path

SCENE = """
[integrator]
method = "avf"
step = 0.03333333333333333
steps = {steps}

[solver]
tolerance = 1e-9

[output]
every = 0
report = false
checkpoint_every = 0

[[body]]
shape = {{ kind = "bar", size = [{length}, 1, 1], cells = [{along}, {across}, {across}] }}
mass = {mass}
material = {{ model = "stvk", mu = 500, lambda = 10 }}

[[body.deform]]
kind = "stretch"
factors = [1.1, 1, 1]
"""


def bar(tets, steps, across=None):
    """A bar four times as long as wide, of about so many tets; with `across` cells it gets longer instead."""
    cells = tets / 6
    across = across or max(2, round((cells / 4) ** (1 / 3)))
    along = max(2, round(cells / across**2))
    # The density and the size of cells are the same for all bars.
    return SCENE.format(steps=steps, length=along / across, along=along, across=across, mass=10 * along / across / 4), \
        6 * along * across**2


def run(build, scene, ranks, threads, log):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.toml"
        path.write_text(scene)
        out = Path(folder) / "out"
        environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if ranks:
            command = ["mpirun", "--quiet", "--oversubscribe", "-n", str(ranks), str(build / "lilyan-mpi"), "run", path, "-q", "-o", out]
            if log:
                command += ["-log_view", f":{Path(folder) / 'log'}"]
        else:
            command = [str(build / "lilyan"), "run", path, "-q", "-o", out, "--threads", str(threads)]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, env=environment)
        summary = json.loads((out / "run.json").read_text())
        counts = (Path(folder) / "log").read_text() if log and ranks else ""
        return summary, counts


def events_of(log):
    """How often PETSc's events happened, and the longest time that a process spent on each in all, in seconds."""
    return {name: (int(count), float(time)) for name, count, time in re.findall(r"^(\w+)\s+(\d+) \S+ (\S+)", log, re.M)}


def communication(events, iterations, steps):
    """Exchanges and reductions of an iteration of conjugate gradients, and times of a step, from PETSc's log."""
    def count(*names):
        return sum(events.get(name, (0, 0.0))[0] for name in names)

    def milliseconds(*names):
        return 1e3 * sum(events.get(name, (0, 0.0))[1] for name in names) / steps

    # A product has one exchange, and conjugate gradients and the coarse part of the preconditioner have a sum each. Where
    # multigrid stands for that part, it has smaller exchanges of its own.
    return {"exchanges_a_cg": count("HaloWait") / iterations, "sums_a_cg": count("CGReduction") / iterations,
            "coarse_sums_a_cg": count("ClustersGather") / iterations,
            "coarse_exchanges_a_cg": (count("MatMult") - count("HaloWait")) / iterations,
            "ms_halo": milliseconds("HaloWait"), "ms_reductions": milliseconds("CGReduction", "ClustersGather"),
            "ms_clusters": milliseconds("ClustersSolve")}


def row(kind, build, tets, steps, ranks=0, threads=1, across=None):
    scene, made = bar(tets, steps, across)
    summary, counts = run(build, scene, ranks, threads, True)
    solver, done = summary["solver"], summary["steps_done"]
    newton, cg = solver["iterations"], max(1, solver["linear_iterations"])
    result = {"suite": kind, "tets": made, "ranks": ranks, "threads": threads, "steps": done,
              "ms_a_step": 1e3 * solver["seconds_stepping"] / done, "newton_a_step": newton / done,
              "cg_a_newton": cg / newton, "ms_assembly": 1e3 * solver["seconds_assembly"] / done,
              "ms_setup": 1e3 * solver["seconds_factorisation"] / done, "ms_solve": 1e3 * solver["seconds_solve"] / done,
              "ms_evaluation": 1e3 * solver["seconds_evaluation"] / done,
              "energy_error": summary["drift"]["energy"]["worst_relative_deviation"]}
    if counts:
        result |= communication(events_of(counts), cg, done)
    show(result)
    return result


def show(result):
    print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in result.items()), flush=True)


def rounds(count, *configurations):
    """Rows of several configurations, each called so many times, in turns: those with the median times."""
    rows = [[configuration() for configuration in configurations] for _ in range(count)]
    return [sorted(column, key=lambda r: r["ms_a_step"])[count // 2] for column in zip(*rows)]


def counted(result):
    """A row without its times."""
    return {k: v for k, v in result.items() if not k.startswith("ms_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--strong", default="24000,98304", help="tets of bars that all ranks share")
    parser.add_argument("--weak", type=int, default=25000, help="tets of a rank; 0: none")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--beyond", default="", help="numbers of ranks beyond the cores, for their iterations")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parents[1] / "results" /
                        f"distributed-{platform.node()}.csv")
    arguments = parser.parse_args()
    ranks = [int(word) for word in arguments.ranks.split(",")]
    beyond = [int(word) for word in arguments.beyond.split(",") if word]
    across = max(2, round((arguments.weak / 6 / 4) ** (1 / 3)))

    def strong(tets, **sharing):
        return lambda: row("strong" if "ranks" in sharing else "threads", arguments.build, tets, arguments.steps, **sharing)

    def weak(count):
        return lambda: row("weak", arguments.build, arguments.weak * count, arguments.steps, ranks=count, across=across)

    rows = []
    for tets in (int(word) for word in arguments.strong.split(",") if word):
        for count in ranks:
            rows += rounds(arguments.rounds, strong(tets, threads=count), strong(tets, ranks=count))
        rows += [counted(strong(tets, ranks=count)()) for count in beyond]
    if arguments.weak:
        rows += rounds(arguments.rounds, *(weak(count) for count in ranks))
        rows += [counted(weak(count)()) for count in beyond]
    print("\nMedians:")
    for result in rows:
        show(result)
    with open(arguments.output, "w", newline="") as file:
        writer = csv.DictWriter(file, max(rows, key=len).keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
