"""The matrix of docs/robustness.md: materials as stiff as real ones, in scenes in which nothing violent happens.

    experiments/robustness_matrix.py --program build/release/lilyan [--quick] [--page docs/robustness.md]

Every implicit method that claims to keep something is held to its claims, which are read from the program
(`lilyan methods`). A run is good, or stopped with a reason, or it has ended and lost what its method claims. A stop
is called false where another method has carried the same scene to its end. Standard library only.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MATERIALS = ["stvk", "stable-neo-hookean", "fixed-corotated", "neo-hookean", "mooney-rivlin"]
STIFFNESS = [1e3, 1e5, 1e7, 1e9, 1e11]
DENSITY, SIZE, POISSON = 1100, (0.3, 0.05, 0.05), 0.3
STEP, STEPS = 1 / 60, 60
SECONDS = 30  # after which a run is given up
KEPT = 1e-9  # of the energy or momentum; the program's own bound
# Rounding: an energy is made of terms as large as the modulus times the volume.
ROUNDING = 1e3 * sys.float_info.epsilon

BAR = """
[[body]]
name = "{name}"
shape = {{ kind = "bar", size = [0.3, 0.05, 0.05], cells = [6, 1, 1] }}
density = 1100
material = {{ model = "{material}", young = {young}, poisson = 0.3 }}
"""
GRAVITY = "[world]\ngravity = [0, -9.81, 0]\n"


def scenes(material, young):
    """Pairs of a name and a scene's bodies."""
    one = BAR.format(name="bar", material=material, young=young)
    two = BAR.format(name="other", material=material, young=young) + "translate = [0.3, 0, 0]\n"
    yield "rest", one
    yield "flight", one + "velocity = [3, 2, -1]\n"
    yield "spin", one + "angular_velocity = [0, 0, 8]\n"
    yield "cantilever", GRAVITY + one + '[[body.fix]]\nslab = { axis = "x", from = 0, to = 0 }\n'
    yield "pendulum", GRAVITY + one + '[[constraint]]\nkind = "point"\nvertices = [0]\n'
    yield "floor", (GRAVITY + one + "velocity = [0, -1, 0]\n"
                    + f'[[obstacle]]\nkind = "plane"\npoint = [0, -0.06, 0]\nstiffness = {1e-3 * young}\n')
    # Two bars, joined at an edge of their ends, which turn about each other.
    yield "joined", (one + "angular_velocity = [0, 0, 4]\n" + two + "angular_velocity = [0, 0, -4]\nvelocity = [0, 1.2, 0]\n"
                     + '[[constraint]]\nkind = "hinge"\nbody = "bar"\nother_body = "other"\nfrom = [0.3, 0, 0]\n'
                     + "to = [0.3, 0, 0.05]\n[world]\nproject_velocities = true\n")


def claims(program):
    """What each implicit method that claims to keep something says it keeps: the text of `lilyan methods`."""
    lines = subprocess.run([program, "methods"], capture_output=True, text=True, check=True).stdout.splitlines()
    head = lines[0]
    columns = [head.index(word) for word in ("method", "order", "step is", "energy", "momentum", "ang.mom.", "symplectic")]
    found = {}
    for line in lines[1:]:
        if not line.strip():
            break
        name, _, kind, energy, momentum, angular = (line[a:b].strip() for a, b in zip(columns, columns[1:]))
        # (Those that are stable up to some h·ω only are not for stiff bodies, and say so.)
        if name.count(" ") or "explicit" in kind or "stable for h·ω" in line:
            continue
        keeps = {"energy": energy == "exact", "linear_momentum": momentum == "yes", "angular_momentum": angular == "yes"}
        if keeps["energy"] or keeps["angular_momentum"]:
            found[name] = keeps
    return found


def run(program, text, method, folder):
    """(kind, numbers or reason) of a run."""
    folder.mkdir()
    scene = folder / "scene.toml"
    scene.write_text(f"[integrator]\nstep = {STEP}\nsteps = {STEPS}\nmethod = \"{method}\"\n[output]\nreport = false\n"
                     f"every = 0\npictures = []\n[solver]\nthreads = 1\n{text}", encoding="utf-8")
    try:
        done = subprocess.run([program, "run", scene, "-q", "-o", folder / "out"], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "stopped", f"more than {SECONDS} s"
    message = re.search(r"error: (.*)", done.stdout + done.stderr)
    reason = re.sub(r"the run stopped: |step \d+.*?\) |, also when halved.*|\S*\.toml\S* ", "", message.group(1)) if message else ""
    if done.returncode == 2:
        return "refused", reason
    record = folder / "out" / "run.json"
    if done.returncode != 0:
        reason = reason or f"exit code {done.returncode}"
        if record.exists():
            energy = json.loads(record.read_text(encoding="utf-8"))["drift"]["energy"]
            if energy["worst_deviation"] > energy["relative_to"]:
                return "blew up", reason
        return "stopped", reason
    return "ended", json.loads((folder / "out" / "run.json").read_text(encoding="utf-8"))["drift"]


def lost(drift, keeps, scene, young):
    """What a run has lost of what its method claims: pairs of a name and the loss, relative."""
    volume = math.prod(SIZE)
    mass, length = DENSITY * volume, SIZE[0]
    energy_floor = ROUNDING * young * volume
    momentum_floor = math.sqrt(2 * mass * energy_floor)
    floors = {"energy": energy_floor, "linear_momentum": momentum_floor, "angular_momentum": momentum_floor * length}
    out = []
    for name, claimed in keeps.items():
        if not claimed or not drift[name]["is_invariant_of_the_scene"]:
            continue
        # A body at rest has nothing to compare with.
        least = {"energy": 0.0, "linear_momentum": mass * 1e-3, "angular_momentum": mass * 1e-3 * length}[name]
        size = max(drift[name]["relative_to"], least, 1e-300)
        change = drift[name]["worst_deviation"]
        if not change <= max(KEPT * size, floors[name]):
            out.append((name, change / size))
    return out


def matrix(program, quick=False, only=None):
    keeps = claims(program)
    materials = MATERIALS[1:4:2] if quick else MATERIALS
    stiffness = STIFFNESS[1::2] if quick else STIFFNESS
    methods = [m for m in keeps if (m in only if only else not quick or keeps[m]["energy"])]
    jobs = [(material, young, name, text, method)
            for material in materials for young in stiffness for name, text in scenes(material, young)
            for method in methods if not quick or name in ("rest", "spin", "cantilever")]
    results = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda j: run(program, j[1][3], j[1][4], Path(scratch, str(j[0]))), enumerate(jobs))
        for job, (kind, what) in zip(jobs, outcomes):
            material, young, name, _, method = job
            entry = {"material": material, "young": young, "scene": name, "method": method, "kind": kind, "what": what}
            if kind == "ended":
                losses = lost(what, keeps[method], name, young)
                entry["kind"] = "lost" if losses else "good"
                entry["what"] = ", ".join(f"{n.replace('_', ' ')} {loss:.0e}" for n, loss in losses)
            results.append(entry)
            if entry["kind"] == "blew up" and keeps[method]["energy"]:
                entry["kind"] = "stopped"
            if len(results) % 50 == 0:
                print(f"{len(results)} of {len(jobs)}", file=sys.stderr, flush=True)
    carried = {(r["material"], r["young"], r["scene"]) for r in results if r["kind"] in ("good", "lost")}
    for r in results:
        if r["kind"] == "stopped" and (r["material"], r["young"], r["scene"]) in carried:
            r["kind"] = "false stop"
    return keeps, results


KINDS = ["good", "lost", "false stop", "blew up", "stopped", "refused"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def section(keeps, results):
    """The section of the page."""
    methods = [m for m in keeps if any(r["method"] == m for r in results)]
    names = {"energy": "E", "linear_momentum": "P", "angular_momentum": "L"}

    def count(kind, **where):
        return sum(r["kind"] == kind and all(r[k] == v for k, v in where.items()) for r in results)

    text = f"""{HEADING}

A bar of 30 cm × 5 cm × 5 cm with density {DENSITY}, of {len({r["material"] for r in results})} materials with Young's moduli from
{min(r["young"] for r in results):.0e} to {max(r["young"] for r in results):.0e} Pa, is stepped {STEPS} times by 1/60 s: at rest, in flight, spinning at 8 rad/s, as a
cantilever, as a pendulum that hangs from a vertex, falling onto a floor, and as one of two bars that a hinge joins. Every
implicit method that claims to keep the energy (E) or the angular momentum (L) is held to what `lilyan methods` says it keeps.

A run is *good* if it ends and keeps what its method claims and the scene conserves, to {KEPT:.0e} or to the rounding error of
the energy ({ROUNDING:.0e} times modulus times volume). It is *lost* if it ends and does not. A stop is *false* if another
method has carried the same scene to its end. But a run has *blown up* if it stopped after its energy had gone wrong by more than
its size, with a method that does not claim to keep it: what it could not step any more is no gentle scene.

"""
    text += table(["method", "claims"] + KINDS,
                  [[m, " ".join(names[k] for k in names if keeps[m][k])] + [count(k, method=m) for k in KINDS] for m in methods]
                  + [["all", ""] + [count(k) for k in KINDS]]) + "\n\n"
    text += "Runs that are not good, of those that were not refused, by Young's modulus:\n\n"
    young = sorted({r["young"] for r in results})
    bad = [k for k in KINDS if k not in ("good", "refused")]
    text += table(["method"] + [f"{e:.0e} Pa" for e in young],
                  [[m] + [sum(count(k, method=m, young=e) for k in bad) for e in young] for m in methods]) + "\n\n"
    rows = {}
    for r in results:
        if r["kind"] in bad:
            what = re.sub(r" \d\de[+-]\d+| \de[+-]\d+", "", r["what"]) if r["kind"] == "lost" else r["what"][:150]
            rows.setdefault((r["method"], r["kind"], what), []).append(r)
    if rows:
        text += "Where and why:\n\n"
        text += table(["method", "", "what", "runs", "scenes", "worst"],
                      [[m, kind, what, len(who), ", ".join(sorted({r["scene"] for r in who})),
                        max((r["what"] for r in who), key=lambda t: float(t.rsplit(" ", 1)[-1])) if kind == "lost" else ""]
                       for (m, kind, what), who in sorted(rows.items(), key=lambda r: -len(r[1]))]) + "\n\n"
    return text


HEADING = "## Materials as stiff as real ones"


def put_into(page, text):
    """Replaces the section of a page that is there, or adds it before the soak."""
    old = page.read_text(encoding="utf-8")
    begin = old.find(HEADING)
    if begin < 0:
        begin = end = old.index("## Soak")
    else:
        end = old.index("\n## ", begin) + 1
    page.write_text(old[:begin] + text + old[end:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/release/lilyan")
    parser.add_argument("--quick", action="store_true", help="some of the matrix; fails if avf stops or loses something")
    parser.add_argument("--page", help="a page whose section is written anew")
    parser.add_argument("--methods", help="only these, with commas between them")
    parser.add_argument("--json", help="writes all results to this file")
    options = parser.parse_args()
    keeps, results = matrix(str(Path(options.program).resolve()), options.quick,
                            options.methods.split(",") if options.methods else None)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=0), encoding="utf-8")
    text = section(keeps, results)
    if options.page:
        put_into(Path(options.page), text)
    else:
        print(text)
    bad = [r for r in results if r["method"] in HELD and r["kind"] in ("lost", "false stop")]
    for r in bad:
        print("wrong:", r["material"], f"{r['young']:.0e}", r["scene"], r["method"], r["kind"], r["what"], file=sys.stderr)
    return 1 if bad and options.quick else 0


# The methods that the quick part holds to their claims.
HELD = {"avf", "energy-momentum"}

if __name__ == "__main__":
    sys.exit(main())
