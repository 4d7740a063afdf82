"""`python -m benchmarks.handover SET CLONES`: how often a hook hands over the right record.

Changes of an evaluation set are looked at as an agent's hook sees them before the first edit: the
title is the prompt, and no line is written. `--repositories` is a folder of repositories as that of
`python -m benchmarks.references`. With `--write`, the table goes into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from benchmarks.references.cases import Case, load_evaluator, read_cases
from benchmarks.references.measuring import LOCK_SECONDS
from benchmarks.references.preparation import MEMORY_FILE, check_out, memory_text, prepare
from benchmarks.report import replace_section
from sdd_hooks.agents.handover import CHARACTERS_PER_TOKEN, write_handover
from sdd_hooks.changes.change import Change
from sdd_hooks.changes.diff import read_change
from sdd_hooks.errors import SddError
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.find import find_references
from sdd_hooks.review.review import subject_of
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.usecases.agents.deciding_records import find_deciding
from sdd_hooks.usecases.agents.deciding_sentences import quote_deciding
from sdd_hooks.usecases.agents.prepare import prepare_table
from sdd_hooks.usecases.agents.table import open_table

COUNT = 40
"""Changes of each kind."""
RUNS = 5
"""Processes of a hook whose median is the time."""
_DOCUMENT = Path(__file__).parents[1] / "docs/benchmarks.md"
_SECTION = "handover"


class Look(NamedTuple):
    """What is handed over for a change: the paths of the records, and the tokens of the text."""

    records: tuple[str, ...]
    tokens: int


class Measured(NamedTuple):
    """A change: before the first file, with all files, and what the review asks about."""

    needs: bool
    expected: frozenset[str]
    first: Look
    every: Look
    review: tuple[str, ...]
    milliseconds: float


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """`count` of the cases, evenly."""
    return [cases[number * len(cases) // count] for number in range(min(count, len(cases)))]


def choose(cases: Sequence[Case]) -> list[Case]:
    """The changes that need a record, and the ordinary ones that need none.

    Those whose text names the record are left out, and so are those without a title.
    """
    named = [one for one in cases if one.kind == "commit" and not one.fields["leaks"]]
    ordinary = [one for one in cases if one.kind == "ordinary" and not one.expected]
    return [*spread(named, COUNT), *spread(ordinary, COUNT)]


def measure(case: Case, clones: Path, repositories: Path, evaluator: ModuleType) -> Measured:
    """Look at one change. Raises RuntimeError when git fails."""
    with hold_lock(repositories / f"{case.repo.replace('/', '+')}.lock", LOCK_SECONDS) as held:
        if not held:
            raise RuntimeError(f"another process holds the lock of {case.repo}")
        prepared = prepare(evaluator, case, clones, repositories)
        project = load_project(prepared.root, os.environ)
        git = project.repository.git
        change = read_change(git, prepared.base, prepared.head)
        asked = find_references(
            project.repository, subject_of(project, change, tip=change.base_tip), 1
        ).suggested
        check_out(evaluator, prepared.root, change.base)
        (prepared.root / MEMORY_FILE).write_text(memory_text(case.folders))
        project = load_project(prepared.root, os.environ)
        prepare_table(project)
        paths = [file.before or file.path for file in change.files]
        first, every = (look(prepared.root, change, some) for some in (paths[:1], paths))
        took = run_hook(prepared.root, paths[0])
    review = tuple(one.path for one in asked)
    return Measured(bool(case.expected), case.expected, first, every, review, took)


def look(root: Path, change: Change, paths: Sequence[str]) -> Look:
    """What is handed over before an edit of these files."""
    table = open_table(load_project(root, os.environ).repository)
    assert table
    found = find_deciding(table, root, change.title, paths)
    quoted = list(quote_deciding(table, root, found)) if found else []
    handover = write_handover(paths, quoted)
    table.close()
    if handover is None:
        return Look((), 0)
    records = tuple(dict.fromkeys(one.path for one in quoted))
    return Look(records, len(handover.text) // CHARACTERS_PER_TOKEN)


def run_hook(root: Path, path: str) -> float:
    """The median milliseconds of the whole process of a hook, without a prompt."""
    sdd = Path(sys.executable).with_name("sdd")
    given = f'{{"cwd": "{root}", "tool_name": "Edit", "tool_input": {{"file_path": "{path}"}}}}'
    times = []
    for number in range(RUNS):
        started = time.perf_counter()
        subprocess.run(
            [sdd, "agent", "hook", "claude", "before"],
            input=given.replace("{", f'{{"session_id": "{number}", ', 1).encode(),
            cwd=root,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        times.append(1_000 * (time.perf_counter() - started))
    return statistics.median(times)


def report(measured: Sequence[Measured]) -> Iterator[str]:
    """The table in Markdown."""
    needing = [one for one in measured if one.needs]
    ordinary = [one for one in measured if not one.needs]
    yield "| | known | handed over | of these right | ordinary changes without a text |"
    yield "|---|---|---|---|---|"
    rows = (
        (
            "hook, before the first edit",
            "title, first file",
            [one.first.records for one in measured],
        ),
        ("hook, all files at once", "title, files", [one.every.records for one in measured]),
        ("review", "title, files, lines", [one.review for one in measured]),
    )
    for name, known, records in rows:
        said = list(zip(measured, records, strict=True))
        spoke = [(one, found) for one, found in said if one.needs and found]
        right = sum(bool(one.expected & {*found}) for one, found in spoke)
        silent = sum(not found for one, found in said if not one.needs)
        yield (
            f"| {name} | {known} | {len(spoke)} of {len(needing)} | {right} of {len(spoke)} |"
            f" {silent} of {len(ordinary)} |"
        )
    tokens = [one.first.tokens for one in measured if one.first.tokens]
    times = sorted(one.milliseconds for one in measured)
    if tokens and times:
        yield ""
        yield (
            f"A text has {statistics.median(tokens):.0f} tokens (median; at most {max(tokens)})."
            f" The process takes {statistics.median(times):.0f} ms (median; at most"
            f" {times[-1]:.0f} ms)."
        )


def main(arguments: Sequence[str]) -> int:
    """Measure, and print or write the table. Returns 1 when a change could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.handover", description=__doc__)
    parser.add_argument("set", type=Path, metavar="SET")
    parser.add_argument("clones", type=Path, metavar="CLONES")
    parser.add_argument("--repositories", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    evaluator = load_evaluator([options.set])
    measured, failures = [], 0
    with tempfile.TemporaryDirectory(prefix="handover-") as temporary:
        repositories = (options.repositories or Path(temporary)).resolve()
        for case in choose(read_cases(options.set)):
            try:
                measured.append(measure(case, options.clones.resolve(), repositories, evaluator))
            except (RuntimeError, SddError) as error:
                failures += 1
                print(f"not measured: {case.id}: {error}", file=sys.stderr)
    section = "\n".join((*report(measured), "", f"{date.today()}."))
    print(section)
    if options.write:
        _DOCUMENT.write_text(replace_section(_DOCUMENT.read_text(), section, _SECTION))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
