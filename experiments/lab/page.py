"""docs/reproduction.md, from the verdicts."""

import json
import shutil
from pathlib import Path

from .experiment import FOLDER
from .verdict import FURTHER, HOLDS, PAPER

PARTS = {PAPER: "What the paper claims", FURTHER: "Further checks"}

HEAD = """# The papers, reproduced

Every figure and table of the four papers behind Lilyan was run again, and so were five questions that the papers leave
open. `./lilyan reproduce ID` runs one experiment, and `./lilyan reproduce all` runs all of them. Each writes its figure (SVG,
PNG), its data (CSV) and its verdict into `results/reproduce/ID`. This page is made from the verdicts by
`./lilyan reproduce all --page docs/reproduction.md`. Titles, parameters and claims are written by hand, in
[experiments/](../experiments), where the verdicts are kept, too.

The letters name the papers.

- K: Kharevych et al., *Geometric, variational integrators for computer animation* (SCA 2006).
- SD: Stern and Desbrun, *Discrete geometric mechanics for variational time integrators* (2006).
- SF: Sageman-Furnas, course *Variational time integrators* (SGP 2015).
- A: Rojas, Liu and Kavan, *Average vector field integration for St. Venant–Kirchhoff deformable models*.

Each experiment has two lists. The first list has the claims of the paper. The second list has further checks: our own
questions about the experiment, and answers to the open questions. Where a paper does not give a parameter, the page states the
rule by which we chose it. Claims that hold are folded. Claims that do not hold are open, with the measured number and the
reason. Some rules were made in the knowledge of first results: those of A-fig10, A-fig12 and K-fig4. The rows of A-fig14 that
begin where the energy has doubled were added after its results.
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
    there = [experiment for experiment in experiments if kept_verdict(experiment).exists()]
    missing = [experiment.id for experiment in experiments if experiment not in there]
    verdicts = [json.loads(kept_verdict(experiment).read_text(encoding="utf-8")) for experiment in there]
    rows, sections = [], []
    for experiment, verdict in zip(there, verdicts):
        name = ", ".join((experiment.id, *experiment.also))
        counts = " | ".join(_count(_of(verdict["claims"], part)) for part in PARTS)
        rows.append(f"| [{name}](#{anchor(experiment)}) | {experiment.title} | {counts} | {_time(verdict['seconds'])} |")
        sections.append(_section(experiment, verdict))
    return HEAD + _summary(verdicts) + "\n".join(rows) + "\n" + "".join(sections), missing


def _summary(verdicts) -> str:
    claims = [claim for verdict in verdicts for claim in verdict["claims"]]
    machines = list(dict.fromkeys(verdict["machine"] for verdict in verdicts))
    return (f"\nOf the papers' claims, {_count(_of(claims, PAPER))} hold. Of the further checks, "
            f"{_count(_of(claims, FURTHER))} hold. All experiments together took "
            f"{_time(sum(verdict['seconds'] for verdict in verdicts))} ({'; '.join(machines)}, busy with other work at "
            "times).\n\n| experiment | what | paper's claims that hold | further checks that hold | time |\n"
            "| --- | --- | --- | --- | --- |\n")


def _of(claims, part: str) -> list:
    return [claim for claim in claims if claim["origin"] == part]


def _count(claims) -> str:
    return f"{sum(claim['status'] == HOLDS for claim in claims)} of {len(claims)}" if claims else "–"


def anchor(experiment) -> str:
    """As GitHub makes it from the heading."""
    text = heading(experiment).lower()
    return "".join(c for c in text if c.isalnum() or c in " -_").replace(" ", "-")


def heading(experiment) -> str:
    return f"{', '.join((experiment.id, *experiment.also))}: {experiment.title}"


def _section(experiment, verdict) -> str:
    lines = ["", f"## {heading(experiment)}", "", f"{experiment.source}. {experiment.shows}", "",
             f"![{experiment.title}](images/reproduction/{experiment.id}.png)"]
    lines += _parameters(experiment)
    for part, title in PARTS.items():
        claims = _of(verdict["claims"], part)
        if claims:
            lines += ["", f"**{title}** ({_count(claims)} hold)"]
            lines += _open([claim for claim in claims if claim["status"] != HOLDS])
            lines += _folded([claim for claim in claims if claim["status"] == HOLDS])
    for text in verdict["notes"]:
        lines += ["", text]
    return "\n".join(lines) + "\n"


def _parameters(experiment) -> list[str]:
    """Folded: a list of what the paper gives, and one of what was chosen by which rule."""
    lists = [(title, values) for title, values in (("Given by the paper", experiment.given), ("Chosen by us", experiment.chosen))
             if values]
    if not lists:
        return []
    lines = ["", "<details><summary>Parameters</summary>"]
    for title, values in lists:
        lines += ["", f"{title}:", "", *(f"- {key} {value}" for key, value in values.items())]
    return [*lines, "", "</details>"]


def _open(claims) -> list[str]:
    """What does not hold, each with its numbers and its reason."""
    lines = []
    for claim in claims:
        of = f"{_upper(claim['of'])}: " if claim["of"] else "Measured: "
        asked = [f"asked: {claim['bound']}"] if claim["bound"] else []
        asked += [f"the paper: {claim['paper']}"] if claim["paper"] else []
        numbers = f"{of}{claim['measured']}" + (f" ({'; '.join(asked)})" if asked else "") + "."
        reason = f" {_upper(claim['reason'].rstrip('.'))}." if claim["reason"] else ""
        lines.append(f"- ✗ **{_cell(claim['text'])}.** {_cell(numbers)}{reason}")
    return ["", *lines] if lines else []


def _folded(claims) -> list[str]:
    if not claims:
        return []
    lines = ["", f"<details><summary>✓ {len(claims)} {'holds' if len(claims) == 1 else 'hold'}</summary>", "",
             "| claim | what was measured | measured | asked | paper |", "| --- | --- | --- | --- | --- |"]
    for claim in claims:
        cells = (claim["text"], claim["of"], claim["measured"], claim["bound"], claim["paper"])
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return [*lines, "", "</details>"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"
