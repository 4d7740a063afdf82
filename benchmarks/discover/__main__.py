"""`python -m benchmarks.discover CLONES`: discover with the records hidden, and with them shown.

CLONES is a folder with a clone of each repository (`owner+name`). `--set held-out` measures the
repositories of the final figure. `--model FOLDER` embeds the records. `--details` lists what was
not found, what was proposed although recorded, all proposals, and what was skipped.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.discover.copies import copy_tree, hide_records, index_records
from benchmarks.discover.key import SETS, KnownRepository, load_key
from benchmarks.discover.scores import Score, render, score
from benchmarks.sdd import environment
from sdd_hooks.drift.discover.report import MAX_SHOWN, DiscoverReport, reason_phrase
from sdd_hooks.project.project import load_project
from sdd_hooks.usecases.drift.discover import DiscoverRequest, discover


def main(arguments: Sequence[str]) -> int:
    """Measure the repositories of a set, and print the table."""
    options = _parse(arguments)
    scores = []
    for known in load_key(options.set):
        if options.only and options.only not in known.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            clone = options.clones / known.name.replace("/", "+")
            one = _measure(known, clone, Path(folder), options)
        scores.append(one)
    print("\n".join(render(scores)))
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.discover", description=__doc__)
    parser.add_argument("clones", type=Path, metavar="CLONES")
    parser.add_argument("--set", choices=SETS, default=SETS[0])
    parser.add_argument("--only", metavar="NAME", help="only repositories with this in their name")
    parser.add_argument("--model", type=Path, metavar="FOLDER")
    parser.add_argument("--details", action="store_true")
    return parser.parse_args(arguments)


def _measure(
    known: KnownRepository, clone: Path, folder: Path, options: argparse.Namespace
) -> Score:
    home = folder / "home"
    home.mkdir()
    environ = environment(home)
    root = folder / known.name.rpartition("/")[2]
    root.mkdir()
    copy_tree(clone.resolve(), known.commit, root, environ)
    index_records(root, environ, options.model)
    shown, _ = _discover(root, environ)
    hide_records(root, environ)
    hidden, seconds = _discover(root, environ)
    found = score(known, hidden, shown, seconds)
    if options.details:
        print("\n".join(_details(found, hidden, shown)))
    return found


def _discover(root: Path, environ: Mapping[str, str]) -> tuple[DiscoverReport, float]:
    project = load_project(root, environ)
    started = time.monotonic()
    # An index that was scanned long ago is refreshed, which removes the hidden records.
    found = discover(project, DiscoverRequest(root), time.time() + 10**6)
    return found.report, time.monotonic() - started


def _details(found: Score, hidden: DiscoverReport, shown: DiscoverReport) -> list[str]:
    lines = [f"\n## {found.repository}\n"]
    for title, entries in (
        ("not found", found.lost),
        ("recorded, but proposed", found.missed),
        ("skipped, but not in the key", found.unknown),
    ):
        lines += [f"{title}:", *(f"- {entry}" for entry in entries)]
    lines.append("candidates with the records hidden:")
    for number, one in enumerate(hidden.candidates, 1):
        mark = "*" if number <= MAX_SHOWN else "-"
        place = f"{one.evidence[0].path}:{one.evidence[0].line}"
        lines.append(f"{mark} {one.title} ({one.files} of {one.all_files}; {place})")
    lines.append("skipped with the records shown:")
    for decided in shown.skipped:
        reason = reason_phrase(decided)
        lines.append(f"- {decided.candidate.title}: {decided.record} {decided.title} ({reason})")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
