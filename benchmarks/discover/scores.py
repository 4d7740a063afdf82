"""What was found of the decisions of a repository, and what was proposed although recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.discover.key import KnownRepository
from sdd_hooks.drift.discover.report import MAX_SHOWN, DiscoverReport


class Score(NamedTuple):
    """The counts of a repository.

    Of `decisions` about technologies, `found` are found with the records hidden, `found_shown`
    among the first ten. With the records shown, `skipped` candidates are suppressed, and `missed`
    are proposed although a record chooses one of their technologies. `unknown` are suppressed
    although no record of the key chooses one. `seconds` is the time with the records hidden.
    """

    repository: str
    decisions: int
    found: int
    found_shown: int
    candidates: int
    skipped: int
    missed: tuple[str, ...]
    unknown: tuple[str, ...]
    lost: tuple[str, ...]
    seconds: float


def score(
    known: KnownRepository, hidden: DiscoverReport, shown: DiscoverReport, seconds: float
) -> Score:
    """Compare a discovery without the records, and one with them, with the answer key."""
    all_found = _technologies(hidden, None)
    first = _technologies(hidden, MAX_SHOWN)
    lost = [one for one in known.decisions if not one.technologies & all_found]
    return Score(
        known.name,
        len(known.decisions),
        len(known.decisions) - len(lost),
        sum(bool(one.technologies & first) for one in known.decisions),
        len(hidden.candidates),
        len(shown.skipped),
        tuple(one.title for one in shown.candidates if known.technologies & {*one.technologies}),
        tuple(
            f"{one.candidate.title} ({one.record})"
            for one in shown.skipped
            if not known.technologies & {*one.candidate.technologies}
        ),
        tuple(f"{one.record} ({', '.join(sorted(one.technologies))})" for one in lost),
        seconds,
    )


def _technologies(report: DiscoverReport, limit: int | None) -> set[str]:
    return {name for one in report.candidates[:limit] for name in one.technologies}


def render(scores: Sequence[Score]) -> list[str]:
    """Return a table in Markdown, with a row for each repository and one for all."""
    lines = [
        "| repository | decisions | found | among the first 10 | candidates | skipped"
        " | recorded, but proposed | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in scores:
        lines.append(
            f"| {one.repository} | {one.decisions} | {one.found} | {one.found_shown}"
            f" | {one.candidates} | {one.skipped} | {len(one.missed)} | {one.seconds:.1f} |"
        )
    totals = [
        sum(values)
        for values in zip(
            *((s.decisions, s.found, s.found_shown, s.candidates, s.skipped) for s in scores),
            strict=True,
        )
    ]
    missed = sum(len(one.missed) for one in scores)
    lines.append("| all | " + " | ".join(map(str, totals)) + f" | {missed} | |")
    return lines
