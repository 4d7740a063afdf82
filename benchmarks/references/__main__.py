"""`python -m benchmarks.references SET CLONES`: rank, fit, hold out, and print the tables.

SET is a folder with an evaluation set, CLONES a folder with a clone of each of its repositories
(`owner+name`). With `--rows FILE` the measurements are saved, or read from an existing file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.references.cases import (
    Row,
    known_cases,
    load_evaluator,
    ordinary_cases,
    row_of,
    save,
    saved,
)
from benchmarks.references.report import report
from benchmarks.report import replace_section

_DOCUMENT = Path(__file__).parents[2] / "docs/benchmarks.md"
_SECTION = "references"


def main(arguments: Sequence[str]) -> int:
    """Measure, and print or write the tables. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.references", description=__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write the tables into the document")
    options = parser.parse_args(arguments)
    if options.rows and options.rows.is_file():
        rows = saved(options.rows)
    else:
        rows = _measured(options.set.resolve(), options.clones.resolve(), options.jobs)
        if options.rows:
            save(rows, options.rows)
    section = f"{report(rows)}\n\n{date.today()}."
    print(section)
    if options.write:
        _DOCUMENT.write_text(replace_section(_DOCUMENT.read_text(), section, _SECTION))
    return 0


def _measured(folder: Path, clones: Path, jobs: int) -> list[Row]:
    known = known_cases(folder)
    cases = [*known, *ordinary_cases(load_evaluator(folder), known, clones)]
    with ProcessPoolExecutor(jobs) as pool:
        return [row for row in pool.map(partial(row_of, folder, clones), cases) if row]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
