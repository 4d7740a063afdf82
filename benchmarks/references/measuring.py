"""Measure the changes of sets: a row for each, saved as soon as it is known."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from benchmarks.references.cases import Case, load_evaluator, read_cases
from benchmarks.references.facts import gather_facts
from benchmarks.references.preparation import prepare
from benchmarks.references.rows import Row, append, load
from sdd_hooks.cli.shared.progress import ProgressLine
from sdd_hooks.system.locks import hold_lock

LOCK_SECONDS = 600
"""How long to wait for another measurement of a repository."""


class Places(NamedTuple):
    """The folders of a measurement: the sets, the clones, and the repositories of the changes."""

    sets: Sequence[Path]
    clones: Path
    repositories: Path


class Measured(NamedTuple):
    """The rows, and a line about each change that could not be measured."""

    rows: Sequence[Row]
    failures: Sequence[str]


def measure(places: Places, saved: Path | None, jobs: int) -> Measured:
    """Measure every change that has no row in `saved` yet, `jobs` repositories at a time."""
    cases = [case for folder in places.sets for case in read_cases(folder)]
    known = {row.key: row for row in load(saved)} if saved else {}
    missing = [case for case in cases if case.key not in known]
    progress = ProgressLine(sys.stderr, time.monotonic) if sys.stderr.isatty() else None
    failures: list[str] = []
    finished = len(cases) - len(missing)

    def keep(case: Case, result: Row | BaseException) -> None:
        nonlocal finished
        finished += 1
        if isinstance(result, Row):
            known[case.key] = result
            if saved:
                append(saved, result)
        else:
            failures.append(f"{case.id}: {' '.join(str(result).split()) or repr(result)}")
        if progress:
            progress.report("Measured", finished, len(cases), estimate=True)

    if missing:
        _run(partial(row_of, places), missing, jobs, keep)
    if progress:
        progress.clear()
    return Measured([known[case.key] for case in cases if case.key in known], failures)


def _run(
    work: Callable[[Case], Row],
    cases: Iterable[Case],
    jobs: int,
    keep: Callable[[Case, Row | BaseException], None],
) -> None:
    """Call `work` in processes. The cases of one repository share a work tree: they run in turn."""
    by_repo: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_repo[case.repo].append(case)
    # The repository with the most changes first: the last ones to finish should be short.
    groups = sorted(by_repo.values(), key=len, reverse=True)
    one_at_a_time = Lock()
    # A fork of a process with threads can deadlock.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context) as processes, ThreadPoolExecutor(jobs) as threads:

        def run_group(group: Sequence[Case]) -> None:
            for case in group:
                waiting = processes.submit(work, case)
                result = waiting.exception() or waiting.result()
                with one_at_a_time:
                    keep(case, result)

        list(threads.map(run_group, groups))


def row_of(places: Places, case: Case) -> Row:
    """Review one change. Raises RuntimeError when git fails."""
    evaluator = load_evaluator(places.sets)
    places.repositories.mkdir(parents=True, exist_ok=True)
    lock = places.repositories / f"{case.repo.replace('/', '+')}.lock"
    # Another measurement may use the same repositories.
    with hold_lock(lock, LOCK_SECONDS) as held:
        if not held:
            raise RuntimeError(f"another process holds {lock}")
        prepared = prepare(evaluator, case, places.clones, places.repositories)
        facts = gather_facts(prepared.root, prepared.base, prepared.head)
    leaks = case.kind == "commit" and bool(case.fields["leaks"])
    return Row(case.id, case.source, case.repo, case.kind, leaks, case.expected, case.judged, facts)
