"""The definition of an experiment, and finding them all."""

import difflib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]

# The order of the papers, then what they leave open.
ORDER = ("K-", "SD-", "SF-", "A-", "open-")


class LabError(Exception):
    """Something a user can understand and mend."""


@dataclass
class Experiment:
    title: str
    source: str  # paper and figure
    shows: str  # what there is to see, in a sentence or two
    given: dict[str, str]  # parameters the paper gives
    chosen: dict[str, str]  # those it does not give, each with the rule it was chosen by
    simulate: Callable  # (lab): runs the program, writes tables and pictures of bodies
    judge: Callable  # (data, verdict): states the claims, measured on the tables
    draw: Callable  # (data): the figure
    also: tuple[str, ...] = ()  # other names: further figures it reproduces
    packages: tuple[str, ...] = ()  # Debian packages beyond those every experiment needs
    id: str = field(default="", init=False)  # the name of its folder


def all_experiments() -> list[Experiment]:
    found = [_load(file) for file in FOLDER.glob("*/experiment.py") if file.parent.name != "lab"]

    def place(experiment):
        group = next((i for i, prefix in enumerate(ORDER) if experiment.id.startswith(prefix)), len(ORDER))
        return group, [int(part) if part.isdigit() else part for part in _split(experiment.id)]

    return sorted(found, key=place)


def choose(names: list[str]) -> list[Experiment]:
    """Those of the given names, in any case; "all" for every one."""
    experiments = all_experiments()
    if any(name.lower() == "all" for name in names):
        return experiments
    by_name = {name.lower(): e for e in experiments for name in (e.id, *e.also)}
    chosen = []
    for name in names:
        if name.lower() not in by_name:
            near = difflib.get_close_matches(name.lower(), by_name, n=1, cutoff=0.5)
            hint = f"; did you mean {by_name[near[0]].id}?" if near else ""
            raise LabError(f"there is no experiment '{name}'{hint} (--list shows them all)")
        if by_name[name.lower()] not in chosen:
            chosen.append(by_name[name.lower()])
    return chosen


def _load(file: Path) -> Experiment:
    spec = importlib.util.spec_from_file_location("experiment_" + file.parent.name.replace("-", "_"), file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.EXPERIMENT.id = file.parent.name
    return module.EXPERIMENT


def _split(name: str) -> list[str]:
    """Words and numbers apart, so that fig10 comes after fig9. Always words first."""
    parts, current = [], ""
    for c in name:
        if current and c.isdigit() != current[-1].isdigit():
            parts.append(current)
            current = ""
        current += c
    return [*parts, current]
