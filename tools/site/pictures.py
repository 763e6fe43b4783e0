"""A picture of every scene, made by short runs of the program and kept until the scene or the program's version changes."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from gallery import ROOT, Scene

# Long scenes are cut: what is shown is the state after so many steps, or after so many seconds of computing.
BODY_STEPS = 60
SYSTEM_STEPS = 200000
SECTION_POINTS = 300
SECONDS = 25.0


def fingerprint(scene: Scene, version: str) -> str:
    """Changes with the scene file, with the meshes beside which it stands, and with the program's version."""
    numbers = hashlib.sha256((ROOT / "scenes" / f"{scene.name}.toml").read_bytes())
    for body in scene.table.get("body", []):
        if isinstance(body.get("mesh"), str):
            mesh = (ROOT / "scenes" / body["mesh"]).stat()
            numbers.update(f"{body['mesh']} {mesh.st_size}".encode())
    if (ROOT / "docs" / scene.picture).exists():
        numbers.update((ROOT / "docs" / scene.picture).read_bytes())
    numbers.update(f"{version} {BODY_STEPS} {SYSTEM_STEPS}".encode())
    return numbers.hexdigest()[:16]


def cut(scene: Scene) -> list[str]:
    """The arguments that make a long run short."""
    integrator = scene.table["integrator"]
    steps = integrator.get("steps") or integrator.get("duration", 0) / integrator["step"]
    arguments = ["--set", "output.report=false", "--set", "output.checkpoint_every=0"]
    if "system" in scene.table:
        if scene.table.get("step_control", {}).get("kind", "fixed") == "fixed":
            arguments += ["--steps", str(min(max(round(steps), 500), SYSTEM_STEPS))]
        return arguments
    count = min(int(steps), BODY_STEPS)
    return [*arguments, "--steps", str(count), "--set", f"output.every={max(1, count // 4)}"]


def simulate(program: str, scene: Scene, folder: pathlib.Path) -> None:
    command = [program, "run", str(ROOT / "scenes" / f"{scene.name}.toml"), "-o", str(folder), "--overwrite", "-q",
               "--threads", "1", *cut(scene)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, said = run.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)  # it keeps what it has done
        _, said = run.communicate(timeout=120)
        return
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {run.returncode}\n{said}")


def rows(table: pathlib.Path) -> int:
    return len(table.read_text().splitlines()) - 1 if table.exists() else 0


def plot_of(scene: Scene, folder: pathlib.Path) -> pathlib.Path | None:
    """The plot that says most of a small system, or none where a drawing of it says more."""
    system = scene.table.get("system")
    if system is None:
        return None
    sections = sorted(folder.glob("section-*.svg"))
    if sections and ("ensemble" in system or rows(folder / "events.csv") >= SECTION_POINTS):
        return sections[0]
    plots = sorted(system.get("plot", []), key=lambda plot: not plot.get("equal", False))
    if plots:
        return folder / f"{plots[0]['name']}.svg"
    coordinates = (len((folder / "trajectory.csv").read_text().splitlines()[0].split(",")) - 1) // 2
    if "ensemble" in system or (coordinates == 1 and "draw" not in system):
        return folder / "phase.svg"
    return None


def draw(program: str, folder: pathlib.Path, target: pathlib.Path, *options: str) -> None:
    pictures = target.parent / f"{target.stem}.frames"
    subprocess.run([program, "picture", str(folder), "-o", str(pictures), "--size", "640,480", *options], check=True,
                   capture_output=True, text=True)
    shutil.move(next(pictures.glob("*.png")), target)
    shutil.rmtree(pictures)


def make(program: str, scene: Scene, target: pathlib.Path) -> list[str]:
    """Makes the pictures of a scene and returns their file names: one, or one for light and one for dark pages.

    A picture that is kept in docs/ is taken as it is."""
    if (ROOT / "docs" / scene.picture).exists():
        shutil.copy(ROOT / "docs" / scene.picture, target / f"{scene.name}.png")
        return [f"{scene.name}.png"]
    folder = target / f"{scene.name}.run"
    shutil.rmtree(folder, ignore_errors=True)
    simulate(program, scene, folder)
    plot = plot_of(scene, folder)
    if plot is not None:
        names = [f"{scene.name}.svg"]
        shutil.copy(plot, target / names[0])
    else:
        names = [f"{scene.name}.png", f"{scene.name}.dark.png"]
        draw(program, folder, target / names[0])
        draw(program, folder, target / names[1], "--dark")
    shutil.rmtree(folder)
    return names


def pictures(program: str, scenes: list[Scene], cache: pathlib.Path) -> dict[str, list[str]]:
    """File names in `cache` of the pictures of all scenes; those that are there already are not made again."""
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    index = cache / "index.json"
    kept = json.loads(index.read_text()) if index.exists() else {}
    found: dict[str, dict] = {}
    missing = []
    for scene in scenes:
        mark = fingerprint(scene, version)
        entry = kept.get(scene.name, {})
        if entry.get("mark") == mark and all((cache / name).exists() for name in entry["files"]):
            found[scene.name] = entry
        else:
            missing.append((scene, mark))
    if missing:
        print(f"lilyan: pictures of {len(missing)} scenes are made (the first time, some minutes)", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {pool.submit(make, program, scene, cache): (scene, mark) for scene, mark in missing}
        for job in concurrent.futures.as_completed(jobs):
            scene, mark = jobs[job]
            found[scene.name] = {"mark": mark, "files": job.result()}
            index.write_text(json.dumps(found, indent=1))
    return {name: entry["files"] for name, entry in found.items()}
