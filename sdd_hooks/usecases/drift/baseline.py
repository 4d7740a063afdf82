"""Compare the findings of a run with the baseline of the repository, or write it."""

# Governing: ADR-0041 (a baseline shrinks), ADR-0012 (untrusted input never leaves the repository),
# SPEC-0019 REQ "Baseline"

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from sdd_hooks.drift.baseline import (
    MAX_BYTES,
    Baseline,
    BaselineEntry,
    compare_with_baseline,
    format_baseline,
    parse_baseline,
    renewed_entries,
    stale_findings,
)
from sdd_hooks.errors import EXIT_USAGE, SddError
from sdd_hooks.findings import INCOMPLETE, SEVERITIES, ReportedFinding, identify_findings
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.project import Project
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside, write_atomically
from sdd_hooks.text.display import format_count, printable_line


class BaselineRefused(SddError):
    """The file that the user names as the baseline cannot be one."""

    exit_code = EXIT_USAGE
    code = "usage"


class BaselineUse(NamedTuple):
    """The file of a baseline, relative to the directory of the command, and whether to write it."""

    file: str
    write: bool = False


class Compared(NamedTuple):
    """A report without the known findings, and what was done.

    `path` is the file, relative to the root. `known` is how many findings it has. `written` is how
    many entries were written, None where the baseline was only read.
    """

    outcome: ReviewOutcome
    path: str
    known: int = 0
    written: int | None = None


def use_baseline(
    project: Project,
    directory: Path,
    use: BaselineUse,
    outcome: ReviewOutcome,
    covers: Callable[[BaselineEntry], bool],
) -> Compared:
    """Leave the known findings out of a report, or write them first.

    `covers` is as in `drift.baseline.compare_with_baseline`.

    Raises:
        BaselineRefused: the file is outside of the repository, cannot be read, or does not exist.
        ConfigurationError: it is no baseline.
        StorageError: it cannot be written.
    """
    root = project.repository.root
    path = _relative(root, directory, use.file)
    baseline = _read(root, path)
    written = None
    # Its messages name what other files lack.
    found = [one for one in outcome.findings if one.finding.path != path]
    covers = _without_unread(covers, found)
    if use.write:
        entries = renewed_entries(found, baseline, covers)
        text = format_baseline(entries)
        write_atomically(root / path, text.encode("utf-8", "surrogateescape"))
        baseline = parse_baseline(text.encode("utf-8", "surrogateescape"), path)
        written = len(baseline.entries)
    elif baseline is None:
        raise BaselineRefused(
            f"{printable_line(path)} does not exist: write it with --write-baseline"
        )
    compared = compare_with_baseline(found, baseline, covers)
    stale = identify_findings(stale_findings(baseline, compared.stale), {})
    notes = outcome.notes
    if compared.known:
        known = format_count(compared.known, "finding")
        notes += (f"left out: {known} that {printable_line(path)} has",)
    findings = tuple(sorted((*compared.new, *stale), key=_worst_first))
    return Compared(replace(outcome, findings=findings, notes=notes), path, compared.known, written)


def _without_unread(
    covers: Callable[[BaselineEntry], bool], found: Iterable[ReportedFinding]
) -> Callable[[BaselineEntry], bool]:
    """`covers` without what could not be checked: of a file, or of everything."""
    unread = {one.finding.path for one in found if one.finding.rule == INCOMPLETE}

    def covered(entry: BaselineEntry) -> bool:
        return "" not in unread and entry.path not in unread and covers(entry)

    return covered


def _worst_first(one: ReportedFinding) -> tuple[object, ...]:
    return (SEVERITIES.index(one.finding.severity), one.finding)


def _relative(root: Path, directory: Path, name: str) -> str:
    """The path of the file below the root. Raises BaselineRefused."""
    path = os.path.relpath(os.path.normpath(directory / name), root)
    if path.startswith(".."):
        # The current directory may lead through a link.
        path = os.path.relpath(os.path.realpath(directory / name), os.path.realpath(root))
    shown = printable_line(name)
    if path == ".." or path.startswith("../") or "\0" in name:
        raise BaselineRefused(f"{shown} is outside of the repository: name a file in {root}")
    if path == "." or (root / path).is_dir():
        raise BaselineRefused(f"{shown} is a directory: name a file in it")
    if not path.endswith(".json"):
        # The rules look for names in texts, and leave out such data.
        raise BaselineRefused(f"{shown} does not end in .json: name a file that does")
    return Path(path).as_posix()


def _read(root: Path, path: str) -> Baseline | None:
    """The baseline in a file; None where there is no file."""
    try:
        data = read_inside(root, path, MAX_BYTES)
    except FileNotFoundError:
        return None
    except (FileTooLarge, PathRefused) as error:
        raise BaselineRefused(f"the baseline cannot be read: {error}") from None
    return parse_baseline(data, path)
