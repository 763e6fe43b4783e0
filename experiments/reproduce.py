#!/usr/bin/env python3
"""Runs the papers' experiments: the program, then tables, verdict and figure of each.

Started by `./lilyan reproduce`, which installs what is needed first.
"""

import argparse
import json
import os
import platform
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lab.experiment import LabError, all_experiments, choose  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    arguments = parse()
    if arguments.packages:
        print(" ".join(sorted({p for e in choose(arguments.ids) for p in e.packages})))
        return 0
    if arguments.list:
        return show_list(arguments.output)
    if arguments.page and arguments.quick:
        raise LabError("the page is made from full experiments: leave out --quick")
    if not arguments.ids:
        raise LabError("which experiment? Give names, or all (--list shows them)")
    chosen = choose(arguments.ids)
    failed = [e.id for e in chosen if not reproduce(e, arguments)]
    if arguments.page:
        from lab.page import keep, write_page

        for experiment in chosen:
            keep(arguments.page, experiment, arguments.output)
        missing = write_page(arguments.page, all_experiments())
        if missing:
            print(f"not on the page, as they have no verdict yet: {', '.join(missing)}", file=sys.stderr)
    if failed:
        print(f"claims fail in {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def parse():
    # The launcher asks for packages first, with all arguments: help is for the second time.
    parser = argparse.ArgumentParser(prog="lilyan reproduce", description="Runs the papers' experiments again.",
                                     add_help="--packages" not in sys.argv)
    parser.add_argument("ids", nargs="*", metavar="ID", help="experiments, e.g. K-fig2 A-fig5; or all")
    parser.add_argument("--list", action="store_true", help="show all experiments and the verdicts so far")
    parser.add_argument("--quick", action="store_true", help="a short variant of each")
    parser.add_argument("--redraw", action="store_true", help="judge and draw again from the tables, without running")
    parser.add_argument("--keep-runs", action="store_true", help="keep the result folders of the runs")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "reproduce",
                        help="folder for the results (default: results/reproduce)")
    parser.add_argument("--page", type=Path, 
                        help="keep these verdicts, and write all that were kept to this Markdown file")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "lilyan", help=argparse.SUPPRESS)
    parser.add_argument("--packages", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_known_args()[0] if "--packages" in sys.argv else parser.parse_args()


def reproduce(experiment, arguments) -> bool:
    """Whether no claim fails."""
    from lab.figure import save
    from lab.run import Lab, say
    from lab.table import Data
    from lab.verdict import Verdict

    folder = arguments.output / (experiment.id + ("-quick" if arguments.quick else ""))
    if arguments.redraw:
        if not (folder / "verdict.json").exists():
            raise LabError(f"{experiment.id} has not been run yet: there is nothing to redraw in {folder}")
        before = json.loads((folder / "verdict.json").read_text())
        seconds, machine = before["seconds"], before["machine"]
    else:
        say(f"{experiment.id}: {experiment.title}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        begin = time.monotonic()
        lab = Lab(experiment, folder, arguments.program.resolve(), arguments.quick, say)
        experiment.simulate(lab)
        seconds, machine = time.monotonic() - begin, machine_name()
        if not arguments.keep_runs:
            shutil.rmtree(folder / "runs", ignore_errors=True)
    data = Data(folder, arguments.quick)
    verdict = Verdict()
    experiment.judge(data, verdict)
    verdict.write(folder / "verdict.json", id=experiment.id, title=experiment.title, seconds=seconds, machine=machine)
    save(experiment.draw(data), folder)
    show(experiment, verdict, folder)
    return not verdict.failed


def machine_name() -> str:
    """The processor and how many cores of it there are."""
    name = ""
    if Path("/proc/cpuinfo").exists():
        lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        name = lines[0].split(":", 1)[1].strip() if lines else ""
    return f"{name or platform.machine()}, {os.cpu_count()} cores"


def show(experiment, verdict, folder: Path) -> None:
    print(f"{experiment.id}: {experiment.source}")
    for claim in verdict.claims:
        paper = f"; paper: {claim.paper}" if claim.paper else ""
        bound = f" (asked: {claim.bound})" if claim.bound else ""
        print(f"  {claim.status:>5}: {claim.text}: {claim.measured}{bound}{paper}")
        if claim.reason:
            print(f"         {claim.reason}")
    print(f"  {folder}: figure.svg, figure.png, data/, verdict.json", flush=True)


def show_list(results: Path) -> int:
    from lab.page import kept_verdict

    for experiment in all_experiments():
        name = ", ".join((experiment.id, *experiment.also))
        file = results / experiment.id / "verdict.json"
        if not file.exists():
            file = kept_verdict(experiment)
        state = "not run yet"
        if file.exists():
            claims = json.loads(file.read_text())["claims"]
            state = f"{sum(c['status'] == 'holds' for c in claims)} of {len(claims)} claims hold"
        print(f"{name:22} {experiment.title}\n{'':22} {experiment.source}; {state}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
