"""`python -m benchmarks.references SET... CLONES`: review, fit, hold out, and print the tables.

SET is a folder with an evaluation set, CLONES a folder with a clone of each of its repositories
(`owner+name`). With `--rows FILE` the measurements are saved, and those in the file are not taken
again: delete it when the evidence has changed. `--repositories` keeps the repositories of the
changes, so that later measurements need seconds for each and not minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benchmarks.references.held_out import NoTrainingData
from benchmarks.references.measuring import Places, measure
from benchmarks.references.report import list_unlabelled, report
from benchmarks.report import replace_section

_DOCUMENT = Path(__file__).parents[2] / "docs/benchmarks.md"
_SECTION = "references"


def main(arguments: Sequence[str]) -> int:
    """Measure, and print or write the tables. Returns 1 when a change could not be measured."""
    options = _parse(arguments)
    sets = [folder.resolve() for folder in options.sets]
    tested = [folder.resolve().name for folder in options.hold_out]
    with tempfile.TemporaryDirectory(prefix="references-") as temporary:
        repositories = options.repositories or Path(temporary)
        places = Places(sets, options.clones.resolve(), repositories.resolve())
        measured = measure(places, options.rows, options.jobs)
    for line in measured.failures:
        print(f"not measured: {line}", file=sys.stderr)
    try:
        section = f"{report(measured.rows, tested)}\n\n{date.today()}."
    except NoTrainingData as error:
        print(error, file=sys.stderr)
        return 1
    print(section)
    for line in list_unlabelled(measured.rows, tested):
        print(line)
    if options.write:
        _DOCUMENT.write_text(replace_section(_DOCUMENT.read_text(), section, _SECTION))
    return 1 if measured.failures else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.references",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument("clones", type=Path, metavar="CLONES")
    parser.add_argument(
        "--hold-out",
        type=Path,
        action="append",
        default=[],
        metavar="SET",
        help="score this set alone, with weights fitted to the others; can be repeated",
    )
    parser.add_argument("--rows", type=Path, metavar="FILE", help="the saved measurements")
    parser.add_argument(
        "--repositories", type=Path, metavar="FOLDER", help="keep the repositories of the changes"
    )
    parser.add_argument("--jobs", type=int, default=2, help="repositories at a time [2]")
    parser.add_argument("--write", action="store_true", help="write the tables into the document")
    options = parser.parse_args(arguments)
    names = [folder.resolve().name for folder in options.sets]
    if len(set(names)) < len(names):
        parser.error("two sets have folders of one name, by which their changes are identified")
    for folder in options.hold_out:
        if folder.resolve() not in [one.resolve() for one in options.sets]:
            parser.error(f"--hold-out {folder} is none of the sets")
    if len(options.hold_out) == len(names) and options.hold_out:
        parser.error("no set is left to fit the weights to")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
