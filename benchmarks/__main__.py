"""`python -m benchmarks`: run the measures, print the tables, write docs/benchmarks.md.

Exits with 0 when every target was reached, 1 when one was missed, 2 when a measure failed. Targets
do not apply with `--quick`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

from benchmarks.measures import MEASURES
from benchmarks.process import is_idle
from benchmarks.profiles import PROFILES
from benchmarks.quality.run import Outcome, take
from benchmarks.report import FIGURES, QUALITY, Figure, describe_machine, replace_section, table
from benchmarks.workbench import QUICK, Sizes, Skipped, Workbench

_ROOT = Path(__file__).parent.parent
_DOCUMENT = _ROOT / "docs/benchmarks.md"

_Taken = TypeVar("_Taken")


@dataclass(frozen=True)
class Attempts:
    """Calls that may end without a value, and the names of those that did."""

    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def value(
        self, name: str, take: Callable[[Workbench], _Taken], bench: Workbench
    ) -> _Taken | None:
        """What `take` returns; None, and a message on stderr, if it is skipped or fails."""
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        try:
            return take(bench)
        except Skipped as reason:
            print(f"skipped {name}: {reason}", file=sys.stderr)
            self.skipped.append(name)
        except Exception:
            # Whatever ends one measure, the figures of the others took minutes.
            traceback.print_exc()
            print(f"failed: {name}", file=sys.stderr)
            self.failed.append(name)
        return None

    def left_out(self) -> str:
        """A sentence with the names, for the end of a table."""
        parts = {"Not measured": self.skipped, "Failed": self.failed}
        return "".join(f" {title}: {', '.join(names)}." for title, names in parts.items() if names)


def main(
    arguments: Sequence[str],
    measures: Mapping[str, Callable[[Workbench], list[Figure]]] = MEASURES,
) -> int:
    """Run the selected measures. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", choices=[*measures, QUALITY], action="append", help="only this; repeatable"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the documents, few rounds")
    parser.add_argument("--profile", action="store_true", help="show where sdd's time goes instead")
    parser.add_argument(
        "--qmd", default=str(_ROOT / ".cache/qmd"),
        help="where qmd is, or is installed to; empty: without the measures that need it",
    )  # fmt: skip
    parser.add_argument(
        "--models",
        type=Path,
        default=_ROOT / ".cache/model",
        help="a folder with one model as ONNX and as GGUF",
    )
    options = parser.parse_args(arguments)
    wanted = options.only or [*measures, QUALITY]
    names = [name for name in wanted if name != QUALITY]
    load = os.getloadavg()[0]
    sizes = QUICK if options.quick else Sizes()
    qmd = Path(options.qmd).resolve() if options.qmd else None
    attempts = Attempts()
    with tempfile.TemporaryDirectory(prefix="sdd-benchmarks-") as directory:
        bench = Workbench(Path(directory), sizes, qmd, options.models.resolve())
        if options.profile:
            for name in names:
                print(attempts.value(name, PROFILES[name], bench) or "")
            return 2 if attempts.failed else 0
        figures: list[Figure] = []
        for name in names:
            found = attempts.value(name, measures[name], bench) or []
            figures += found
            if not options.quick:
                _say_misses(name, found)
        quality = attempts.value(QUALITY, take, bench) if QUALITY in wanted else None
        versions = [f"sdd at {_commit()}", *bench.versions()]
    machine = f"{describe_machine()}, load average {load:.1f} at the start"
    if names:
        section = f"{table(figures)}\n\n{date.today()}, {', '.join(versions)}; {machine}."
        section += attempts.left_out()
        print(section)
        if not is_idle(load):
            print(f"benchmarks: not written down: the load was {load:.1f}", file=sys.stderr)
        elif not (options.quick or options.only or attempts.failed):
            _write(FIGURES, section)
    reached = quality is None or _report(quality, versions)
    if attempts.failed:
        return 2
    reached &= options.quick or all(figure.reached for figure in figures)
    return 0 if reached else 1


def _say_misses(name: str, figures: Sequence[Figure]) -> None:
    for figure in figures:
        if not figure.reached:
            print(f"missed: {figure.measure}; --only {name} --profile shows why", file=sys.stderr)


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


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(
        command, cwd=_ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
