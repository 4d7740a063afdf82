"""`python -m benchmarks`: run the measures, print the tables, write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar

from benchmarks.measures import MEASURES, WrongAnswer
from benchmarks.process import ProcessFailed, is_idle
from benchmarks.profiles import PROFILES
from benchmarks.quality.run import Outcome, take
from benchmarks.report import FIGURES, QUALITY, Figure, describe_machine, replace_section, table
from benchmarks.workbench import QUICK, Sizes, Skipped, Workbench

_ROOT = Path(__file__).parent.parent
_DOCUMENT = _ROOT / "docs/benchmarks.md"

_Taken = TypeVar("_Taken")


def main(arguments: Sequence[str]) -> int:
    """Run the selected measures. Returns 0 when every target was reached, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", choices=[*MEASURES, QUALITY], action="append", help="only this; repeatable"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the documents, few rounds")
    parser.add_argument("--profile", action="store_true", help="show where sdd's time goes instead")
    parser.add_argument(
        "--qmd", type=Path, default=_ROOT / ".cache/qmd", help="where qmd is, or is installed to"
    )
    parser.add_argument(
        "--models",
        type=Path,
        default=_ROOT / ".cache/model",
        help="a folder with one model as ONNX and as GGUF",
    )
    options = parser.parse_args(arguments)
    wanted = options.only or [*MEASURES, QUALITY]
    names = [name for name in wanted if name != QUALITY]
    load = os.getloadavg()[0]
    sizes = QUICK if options.quick else Sizes()
    with tempfile.TemporaryDirectory(prefix="sdd-benchmarks-") as directory:
        bench = Workbench(Path(directory), sizes, options.qmd.resolve(), options.models.resolve())
        try:
            if options.profile:
                for name in names:
                    print(_unless_skipped(name, PROFILES[name], bench) or "")
                return 0
            figures, skipped = _measure(bench, names)
            quality = take(bench) if QUALITY in wanted else None
        except (ProcessFailed, WrongAnswer, subprocess.CalledProcessError) as error:
            print(f"benchmarks: {error}", file=sys.stderr)
            return 2
        versions = [f"sdd at {_commit()}", *bench.versions()]
    machine = f"{describe_machine()}, load average {load:.1f} at the start"
    if names:
        section = f"{table(figures)}\n\n{date.today()}, {', '.join(versions)}; {machine}."
        if skipped:
            section += f" Not measured: {', '.join(skipped)}."
        print(section)
        if not is_idle(load):
            print(f"benchmarks: not written down: the load was {load:.1f}", file=sys.stderr)
        elif not options.quick and not options.only:
            _write(FIGURES, section)
    reached = all(figure.reached for figure in figures)
    return 0 if reached and (quality is None or _report(quality, versions)) else 1


def _report(quality: Outcome, versions: Sequence[str]) -> bool:
    """Print the quality, and write it if complete. Returns whether it reaches the threshold."""
    taken = ", ".join([str(date.today()), *dict.fromkeys([*versions, quality.qmd])])
    section = f"{quality.text}\n\n{taken}. {quality.left_out}"
    print(section)
    if quality.whole:
        # Its figures are no times, and do not depend on the load.
        _write(QUALITY, section)
    return quality.reached


def _write(name: str, section: str) -> None:
    _DOCUMENT.write_text(replace_section(_DOCUMENT.read_text(), section, name))


def _measure(bench: Workbench, names: Sequence[str]) -> tuple[list[Figure], list[str]]:
    """The figures of these measures, and the names of those that this machine cannot take."""
    figures: list[Figure] = []
    skipped = []
    for name in names:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        found = _unless_skipped(name, MEASURES[name], bench)
        if found is None:
            skipped.append(name)
            continue
        for figure in found:
            if not figure.reached:
                print(
                    f"missed: {figure.measure}; --only {name} --profile shows why", file=sys.stderr
                )
        figures += found
    return figures, skipped


def _unless_skipped(
    name: str, take: Callable[[Workbench], _Taken], bench: Workbench
) -> _Taken | None:
    try:
        return take(bench)
    except Skipped as reason:
        print(f"skipped {name}: {reason}", file=sys.stderr)
        return None


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(
        command, cwd=_ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
