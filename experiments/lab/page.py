"""docs/reproduction.md, from the verdicts."""

import json
import shutil
from pathlib import Path

from .experiment import FOLDER
from .verdict import FAILS, HOLDS, NOT_REPRODUCED

MARKS = {HOLDS: "✓", NOT_REPRODUCED: "✗ (see below)", FAILS: "✗"}

HEAD = """# The papers, reproduced

Every figure and table of the four papers that Lilyan implements, run again, and four questions they leave
open. `./lilyan reproduce ID` runs one, `./lilyan reproduce all` all of them; each writes its figure (SVG, PNG),
its data (CSV) and its verdict into `results/reproduce/ID`. This page is made from the verdicts
(`./lilyan reproduce all --page docs/reproduction.md`): nothing on it is written by hand but the words of the
definitions in [experiments/](../experiments), where the verdicts are as well.

K: Kharevych et al., *Geometric, variational integrators for computer animation* (SCA 2006). SD: Stern and
Desbrun, *Discrete geometric mechanics for variational time integrators* (2006). SF: Sageman-Furnas, course
*Variational time integrators* (SGP 2015). A: Rojas, Liu and Kavan, *Average vector field integration for
St. Venant–Kirchhoff deformable models*. Where a paper does not give a parameter, the rule by which it was
chosen is stated. A claim that does not hold here stays with the number that was measured, and the reason.
"""


def keep(file: Path, experiment, results: Path) -> None:
    """The verdict beside the definition, and the figure beside the page."""
    images = file.parent / "images" / "reproduction"
    images.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(results / experiment.id / "verdict.json", kept_verdict(experiment))
    shutil.copyfile(results / experiment.id / "figure.png", images / f"{experiment.id}.png")


def kept_verdict(experiment) -> Path:
    return FOLDER / experiment.id / "verdict.json"


def write_page(file: Path, experiments) -> list[str]:
    """From the verdicts that were kept. The names of experiments that have none are returned."""
    text, missing = page_text(experiments)
    file.write_text(text, encoding="utf-8")
    return missing


def page_text(experiments) -> tuple[str, list[str]]:
    sections, overview, missing, machines = [], [], [], []
    held = total = 0
    seconds = 0.0
    for experiment in experiments:
        if not kept_verdict(experiment).exists():
            missing.append(experiment.id)
            continue
        verdict = json.loads(kept_verdict(experiment).read_text(encoding="utf-8"))
        sections.append(_section(experiment, verdict))
        good = sum(c["status"] == HOLDS for c in verdict["claims"])
        held += good
        total += len(verdict["claims"])
        seconds += verdict["seconds"]
        if verdict["machine"] not in machines:
            machines.append(verdict["machine"])
        name = ", ".join((experiment.id, *experiment.also))
        overview.append(f"| [{name}](#{anchor(experiment)}) | {experiment.title} | "
                        f"{good} of {len(verdict['claims'])} | {_time(verdict['seconds'])} |")
    summary = (f"\n{held} of {total} claims hold. All experiments together took {_time(seconds)} "
               f"({'; '.join(machines)}, busy with other work at times).\n\n"
               "| experiment | what | claims that hold | time |\n| --- | --- | --- | --- |\n")
    return HEAD + summary + "\n".join(overview) + "\n" + "".join(sections), missing


def anchor(experiment) -> str:
    """As GitHub makes it from the heading."""
    text = heading(experiment).lower()
    return "".join(c for c in text if c.isalnum() or c in " -_").replace(" ", "-")


def heading(experiment) -> str:
    return f"{', '.join((experiment.id, *experiment.also))}: {experiment.title}"


def _section(experiment, verdict) -> str:
    lines = ["", f"## {heading(experiment)}", "", f"{experiment.source}. {experiment.shows}", "",
             f"![{experiment.title}](images/reproduction/{experiment.id}.png)", ""]
    if experiment.given:
        lines += ["Given: " + "; ".join(f"{k} {v}" for k, v in experiment.given.items()) + ".", ""]
    if experiment.chosen:
        lines += ["Chosen: " + "; ".join(f"{k} {v}" for k, v in experiment.chosen.items()) + ".", ""]
    lines += ["| claim | measured | asked | paper | |", "| --- | --- | --- | --- | --- |"]
    for claim in verdict["claims"]:
        cells = (claim["text"], claim["measured"], claim["bound"], claim["paper"], MARKS[claim["status"]])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    reasons = [f"*{claim['text']}* does not hold: {claim['reason']}" for claim in verdict["claims"] if claim["reason"]]
    for text in (*reasons, *verdict["notes"]):
        lines += ["", text]
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"
