"""Running the program, and reading what it wrote."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from .experiment import FOLDER, LabError
from .table import read_table, write_table

STEP_FAILED = 3  # exit code of a run that could not go on; what it wrote is complete up to there


@dataclass
class Job:
    """One `lilyan run`."""

    name: str  # of its folder, and of its curves
    scene: str  # a scene of the program, or a file in the experiment's folder
    settings: dict = field(default_factory=dict)  # as --set
    steps: int | None = None
    frames: bool = False  # whether the positions of bodies are wanted
    may_fail: bool = False  # whether a step that cannot be solved is a result


class Run:
    def __init__(self, job: Job, folder: Path):
        self.job = job
        self.folder = folder

    @property
    def name(self) -> str:
        return self.job.name

    @cached_property
    def series(self) -> dict[str, np.ndarray]:
        return read_table(self.folder / "series.csv")

    @cached_property
    def trajectory(self) -> dict[str, np.ndarray]:
        return read_table(self.folder / "trajectory.csv")

    @cached_property
    def events(self) -> dict[str, np.ndarray]:
        return read_table(self.folder / "events.csv")

    @cached_property
    def summary(self) -> dict:
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    def frame(self, number: int) -> dict[str, np.ndarray]:
        """Positions, velocities and cells of the bodies in a frame that was written."""
        return read_vtu(self.folder / "frames" / f"{number:06}.vtu")

    @property
    def failed(self) -> bool:
        return self.summary["status"] == "failed"

    def relative_energy(self) -> np.ndarray:
        """The energy in units of the one at the start."""
        energy = self.series["energy_total"]
        return energy / energy[0]


class Lab:
    """What an experiment's `simulate` works with."""

    def __init__(self, experiment, folder: Path, program: Path, quick: bool, say):
        self.experiment = experiment
        self.folder = folder
        self.program = program
        self.quick = quick
        self.say = say
        self.here = FOLDER / experiment.id

    def pick(self, full, quick):
        """The value for the full experiment, or for its quick variant."""
        return quick if self.quick else full

    def run(self, job: Job, threads: int = 0) -> Run:
        """threads: as for the program, 0 one per core."""
        folder = self.folder / "runs" / job.name
        command = [str(self.program), "run", self._scene(job.scene), "-o", str(folder), "--overwrite", "-q"]
        if threads:
            command += ["--threads", str(threads)]
        if job.steps is not None:
            command += ["--steps", str(job.steps)]
        settings = {"output.report": "false", "output.pictures": "[]"} | job.settings
        if not job.frames and "output.formats" not in settings:
            settings["output.formats"] = "[]"
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parent)
        if done.returncode != 0 and not (job.may_fail and done.returncode == STEP_FAILED):
            raise LabError(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr.strip()}")
        self.say(f"{self.experiment.id}: {job.name} ({time.monotonic() - begin:.1f} s)")
        return Run(job, folder)

    def run_all(self, jobs: list[Job]) -> dict[str, Run]:
        """By name; as many at a time as there are cores, each on one of them."""
        workers = min(len(jobs), os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            return {run.name: run for run in pool.map(lambda job: self.run(job, threads=1), jobs)}

    def table(self, name: str, columns: dict) -> None:
        """Keeps data/NAME.csv. Columns of numbers (shorter ones are filled with nan) or words."""
        write_table(self.folder / "data" / f"{name}.csv", columns)

    def shape(self, name: str, positions: np.ndarray) -> None:
        """Keeps positions of vertices, which `Data.shape` gives back."""
        self.table(f"shape-{name}", {axis: np.round(positions[:, k].astype(float), 6) for k, axis in enumerate("xyz")})

    def pictures(self, runs: list[Run], frames: list[int], *options: str) -> None:
        """Pictures of bodies at these frames, all seen by one camera: images/RUN-FRAME.png."""
        command = [str(self.program), "picture", *[str(run.folder) for run in runs], "--frames",
                   ",".join(str(frame) for frame in frames), "-o", str(self.folder / "images"), *options]
        done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parent)
        if done.returncode != 0:
            raise LabError(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr.strip()}")

    def _scene(self, name: str) -> str:
        own = self.here / name
        return str(own) if own.suffix == ".toml" and own.exists() else name


def read_vtu(file: Path) -> dict[str, np.ndarray]:
    """The arrays of a VTK file as the program writes it: binary, appended."""
    content = file.read_bytes()
    begin = content.index(b"_", content.index(b"<AppendedData")) + 1
    arrays = {}
    for tag in re.findall(r"<DataArray[^>]*>", content[:begin].decode("ascii")):
        entry = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        at = begin + int(entry["offset"])
        size = int(np.frombuffer(content, "<u8", 1, at)[0])
        kind = np.dtype(entry["type"].lower()).newbyteorder("<")
        values = np.frombuffer(content, kind, size // kind.itemsize, at + 8)
        width = int(entry["NumberOfComponents"])
        arrays[entry["Name"]] = values.reshape(-1, width) if width > 1 else values
    return arrays


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
