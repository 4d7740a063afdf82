"""Code that a record names, and that names no record: the candidate is strong, and not cited."""

# Governing: SPEC-0018 REQ "Code without a governing comment"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sdd_hooks.artifacts.applies_to import read_applies_to
from sdd_hooks.code.paths import is_production_code
from sdd_hooks.drift.candidates import CandidateRecord
from sdd_hooks.drift.query import FileSummary
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.decision.blocks import read_rules
from sdd_hooks.text.lazy_regex import lazy_regex

MIN_NAMES = 2
"""Exported names that a record has to mention, unless it names the path."""
MAX_RANK = 3
"""Candidates that can be strong, counted from the best."""

# `outbox_sweeper` and `OutboxSweeper`: a single word is in many records.
_JOINED = lazy_regex(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
_MIN_LENGTH = 6
# A manifest or a configuration is named for what it lists, and by many records.
_MANIFEST = lazy_regex(
    r"(?:^|/)(?:mix\.exs|setup\.py|rakefile|package\.swift|build\.(?:gradle(?:\.kts)?|rs|sbt)"
    r"|settings\.gradle(?:\.kts)?|[\w.-]+\.config\.[cm]?[jt]s)$",
    re.IGNORECASE,
)


class NamedIn(NamedTuple):
    """What of a file a record names, and the place: a file of the record, and its line."""

    name: str
    path: str
    line: int


def check_file(summary: FileSummary, candidates: Sequence[CandidateRecord]) -> Iterator[Finding]:
    """Find the record that names a file without a governing comment, if there is a strong one.

    `candidates` are the best of a search for the file. A file that a record applies to by its own
    statement is governed.
    """
    if summary.labelled or not is_production_code(summary.path) or _MANIFEST.search(summary.path):
        return
    if any(_applies(one, summary.path) for one in candidates):
        return
    ranked = [one for one in candidates if one.artifact.status.authoritative]
    for one in ranked[:MAX_RANK]:
        if place := find_named(summary, one, is_best=one is ranked[0]):
            yield _finding(summary, one, place)
            return


def find_named(
    summary: FileSummary, candidate: CandidateRecord, *, is_best: bool
) -> NamedIn | None:
    """Find the path of the file in a record, or several exported names in the best record."""
    if "/" in summary.path:
        for path, text in candidate.files:
            if match := _whole(summary.path).search(text):
                return NamedIn(summary.path, path, text.count("\n", 0, match.start()) + 1)
    if not is_best:
        return None
    names = [name for name in summary.names if len(name) >= _MIN_LENGTH and _JOINED.search(name)]
    for path, text in candidate.files:
        found = {name: match for name in names if (match := _whole(name).search(text))}
        if len(found) >= MIN_NAMES:
            first = min(match.start() for match in found.values())
            shown = " and ".join(list(found)[:MIN_NAMES])
            return NamedIn(shown, path, text.count("\n", 0, first) + 1)
    return None


def _whole(name: str) -> re.Pattern[str]:
    """A pattern of the name that is no part of a longer name or path."""
    return re.compile(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])")


def _applies(candidate: CandidateRecord, path: str) -> bool:
    """Whether the record says itself that it applies to the file."""
    _, text = candidate.files[0]
    if read_applies_to(candidate.artifact, text).match(path):
        return True
    return any(rule.within and rule.path_filter()(path) for rule in read_rules(text)[0])


def _finding(summary: FileSummary, one: CandidateRecord, place: NamedIn) -> Finding:
    record = one.artifact
    what = "this file" if place.name == summary.path else place.name
    message = (
        f"{record.name} ({record.title}) names {what} ({place.path}:{place.line}), and no comment"
        f" says which record governs the file: if it does, add `Governing: {record.name}`"
    )
    return Finding(summary.path, 0, RULE.id, "info", message, place.name)


RULE = Rule(
    "ungoverned-code",
    "info",
    "A file that a record names, and that has no governing comment.",
    "Who changes the file does not learn of the record. Name it at the top of the file, with the"
    " reason, or in `applies-to` of the record.",
    lambda _: (),
    whole_tree=True,
)
"""The description; `ungoverned_rule` is the rule that finds something."""


def ungoverned_rule(
    files: Sequence[FileSummary], candidates: Callable[[FileSummary], Sequence[CandidateRecord]]
) -> Rule:
    """The rule for these files, whose best candidates `candidates` returns."""
    return RULE._replace(
        check=lambda _: (finding for one in files for finding in check_file(one, candidates(one)))
    )
