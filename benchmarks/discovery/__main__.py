"""`python -m benchmarks.discovery [MIRRORS]`: what is found of the records of public repositories.

MIRRORS is a folder with a bare repository of each (`owner+name`), by default what the variable
SDD_MIRRORS names. One that is not there is counted as absent. `--misses` names what is missed,
falsely listed and misread in the half `dev`; `--misses held` in the other.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.discovery.facts import FACTS, HALVES, read_facts
from benchmarks.discovery.listed import list_records
from benchmarks.discovery.scores import Score, render_found, render_read, score
from benchmarks.sdd import environment


def main(arguments: Sequence[str]) -> int:
    """Measure the repositories that are there, and print the tables. Returns 1 without any."""
    options = _parse(arguments)
    scores: list[Score] = []
    absent = 0
    for known in read_facts(options.facts):
        if options.half not in ("both", known.half) or options.only not in known.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / known.name.rpartition("/")[2]
            root.mkdir()
            bare = options.mirrors / known.name.replace("/", "+")
            try:
                listed = list_records(bare, known.commit, root, environment(Path(folder)))
            except FileNotFoundError:
                absent += 1
                continue
        scores.append(score(known, listed))
        if options.misses == known.half:
            print("".join(f"{line}\n" for line in scores[-1].errors), end="")
    print(f"\n{len(scores)} repositories ({options.half}), {absent} absent.\n")
    if not scores:
        return 1
    print("\n".join([*render_found(scores), "", *render_read(scores)]))
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.discovery", description=__doc__)
    named = os.environ.get("SDD_MIRRORS")
    parser.add_argument("mirrors", type=Path, nargs="?" if named else None, default=named)
    parser.add_argument("--half", choices=[*HALVES, "both"], default="dev")
    parser.add_argument("--only", default="", metavar="NAME", help="with this in their name")
    parser.add_argument("--misses", choices=HALVES, nargs="?", const="dev")
    parser.add_argument("--facts", type=Path, default=FACTS, metavar="FILE")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
