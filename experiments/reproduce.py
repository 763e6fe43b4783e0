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
        # Only full runs need more than every experiment does.
        wanted = [] if arguments.quick or arguments.redraw or arguments.list else choose(arguments.ids)
        print(" ".join(sorted({p for e in wanted for p in e.packages})))
        return 0
    arguments.output = arguments.output.resolve()
    if arguments.list:
        return show_list(arguments.output)
    if arguments.page and arguments.quick:
        raise LabError("the page is made from full experiments: leave out --quick")
    if not arguments.ids:
        raise LabError("which experiment? Give names, or all (--list shows them)")
    chosen = choose(arguments.ids)
    failed, broken = [], []
    for experiment in chosen:
        try:
            if not reproduce(experiment, arguments):
                failed.append(experiment.id)
        except LabError as error:  # the others can still be run
            broken.append(experiment.id)
            print(f"error: {experiment.id}: {error}", file=sys.stderr, flush=True)
    if arguments.page:
        write_page([e for e in chosen if e.id not in broken], arguments)
    if failed:
        print(f"claims fail in {', '.join(failed)}", file=sys.stderr)
    if broken and len(chosen) > 1:
        print(f"could not be run: {', '.join(broken)}", file=sys.stderr)
    return 2 if broken else 1 if failed else 0


def write_page(done, arguments) -> None:
    from lab import page

    for experiment in done:
        page.keep(arguments.page.resolve(), experiment, arguments.output)
    missing = page.write_page(arguments.page.resolve(), all_experiments())
    if missing:
        print(f"not on the page, as they have no verdict yet: {', '.join(missing)}", file=sys.stderr)


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
    # Written beside it, so that what an earlier run left stays until all of the new is there.
    work = folder if arguments.redraw else folder.with_name(folder.name + ".partial")
    if arguments.redraw:
        if not (folder / "verdict.json").exists():
            raise LabError(f"it has not been run yet: there is nothing to redraw in {folder}")
        before = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
        seconds, machine = before["seconds"], before["machine"]
    else:
        check_replaceable(folder)
        say(f"{experiment.id}: {experiment.title}")
        shutil.rmtree(work, ignore_errors=True)
        make_folder(work)
        begin = time.monotonic()
        experiment.simulate(Lab(experiment, work, arguments.program.resolve(), arguments.quick, say))
        seconds, machine = time.monotonic() - begin, machine_name()
    data = Data(work, arguments.quick)
    verdict = Verdict()
    experiment.judge(data, verdict)
    verdict.write(work / "verdict.json", id=experiment.id, title=experiment.title, seconds=seconds, machine=machine)
    save(experiment.draw(data), work)
    if work != folder:
        if not arguments.keep_runs:
            shutil.rmtree(work / "runs", ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        work.rename(folder)
    show(experiment, verdict, folder)
    return not verdict.failed


def check_replaceable(folder: Path) -> None:
    """Only what this program wrote is replaced."""
    if not folder.exists():
        return
    ours = (folder / "verdict.json").exists() and (folder / "figure.svg").exists()
    if not folder.is_dir() or (any(folder.iterdir()) and not ours):
        raise LabError(f"{folder} holds something else than results of this experiment; choose another folder with -o")


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise LabError(f"cannot make the folder {folder}: {error.strerror}") from error


def machine_name() -> str:
    """The processor and how many cores of it there are."""
    name = ""
    if Path("/proc/cpuinfo").exists():
        lines = [line for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
        name = lines[0].split(":", 1)[1].strip() if lines else ""
    return f"{name or platform.machine()}, {os.cpu_count()} cores"


def show(experiment, verdict, folder: Path) -> None:
    print(f"{experiment.id}: {experiment.source}")
    for claim in verdict.claims:
        paper = f"; paper: {claim.paper}" if claim.paper else ""
        bound = f" (asked: {claim.bound})" if claim.bound else ""
        of = f": {claim.of}" if claim.of else ""
        print(f"  {claim.status:>5}: {claim.text}{of}: {claim.measured}{bound}{paper}")
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
            claims = json.loads(file.read_text(encoding="utf-8"))["claims"]
            state = f"{sum(c['status'] == 'holds' for c in claims)} of {len(claims)} claims hold"
        print(f"{name:22} {experiment.title}\n{'':22} {experiment.source}; {state}")
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):  # whatever the locale
        stream.reconfigure(encoding="utf-8")
    try:
        sys.exit(main())
    except LabError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
