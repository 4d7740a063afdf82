"""`python -m benchmarks.duplicates CLONES`: how well duplicates are told from new definitions.

CLONES is a folder with a clone of each repository (`owner+name`), bare or not. The cases are mined
from their history (`cases.py`). The repositories are divided into two halves: the weights were
fitted to `tuning`, and the published figure is that of `held-out`, the default of `--set`.
`--cases FILE` keeps the mined cases in a file, or reads them from it. `--details` lists what was
missed, and what was reported by mistake.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.duplicates.cases import Case, Place, mine
from benchmarks.duplicates.scores import Judged, judge, render, select

SETS = ("held-out", "tuning")


def main(arguments: Sequence[str]) -> int:
    """Measure a half of the repositories, and print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.duplicates", description=__doc__)
    parser.add_argument("clones", type=Path, metavar="CLONES")
    parser.add_argument("--set", choices=SETS, default=SETS[0])
    parser.add_argument("--cases", type=Path, metavar="FILE")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args(arguments)
    cases = _load(options.cases) or list(_mine(options.clones, options.set))
    if options.cases and not options.cases.exists():
        options.cases.write_text("".join(f"{json.dumps(one._asdict())}\n" for one in cases))
    judged = [judge(options.clones, one) for one in select(cases)]
    print("\n".join(render(judged)))
    if options.details:
        sys.stdout.writelines(f"{line}\n" for line in _details(judged))
    return 0


def half(clones: Path, name: str) -> list[Path]:
    """The clones of a half: every other one by name."""
    found = sorted(one for one in clones.iterdir() if one.is_dir())
    return found[SETS.index(name) :: 2]


def _mine(clones: Path, name: str) -> Iterator[Case]:
    for clone in half(clones, name):
        print(f"mining {clone.name}", file=sys.stderr)
        yield from mine(clone)


def _load(path: Path | None) -> list[Case]:
    if path is None or not path.exists():
        return []
    rows = map(json.loads, path.read_text().splitlines())
    return [
        Case(**row)._replace(
            place=Place(*row["place"]), expected=tuple(Place(*one) for one in row["expected"])
        )
        for row in rows
    ]


def _details(judged: Sequence[Judged]) -> Iterator[str]:
    for one in judged:
        if one.is_reported != one.case.is_positive or (one.is_reported and not one.is_right):
            best = one.best.existing.place if one.best else "nothing"
            score = f"{one.best.score:.2f}" if one.best else "-"
            place = one.case.place
            yield f"{one.case.kind} {one.case.repository} {place.path} {place.name}: {score} {best}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
