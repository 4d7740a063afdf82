"""Comments on the lines that a pull request adds, and what becomes of those that are there.

Each begins with a marker that holds the fingerprint of its finding. That is how it is found again
after a push, a rebase or a moved line, and how those whose finding is gone are known.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "Comments on lines",
# SPEC-0010 REQ "Findings keep their identity"

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from sdd_hooks.findings import ReportedFinding
from sdd_hooks.reporting.escape import code, prose
from sdd_hooks.reporting.markdown import SIGNS
from sdd_hooks.reporting.outcome import ReviewOutcome

MOST = 50
"""Comments of ours that are open at the same time; what is past that is in the report."""

_MARKER = re.compile(r"<!-- sdd-review: ([0-9A-Za-z]{1,128}) -->\r?")


class InlineComment(NamedTuple):
    """A comment to post. `side` is RIGHT, the file as the change leaves it; `line` is from 1."""

    path: str
    line: int
    side: str
    body: str
    fingerprint: str


class Existing(NamedTuple):
    """A comment that is on the pull request, under the `id` that its forge gave it.

    `ours` is whether we wrote it, going by its author. `resolved` is whether its thread is;
    `by_us` whether we did that, and not a person.
    """

    id: str
    body: str
    ours: bool
    resolved: bool = False
    by_us: bool = False


class Reconciled(NamedTuple):
    """What to do: comments to post, ids of those that stay as they are, ids of those to resolve."""

    post: tuple[InlineComment, ...]
    keep: tuple[str, ...]
    resolve: tuple[str, ...]


def inline(review: ReviewOutcome) -> tuple[InlineComment, ...]:
    """A comment for each finding on a line that the change adds, the worst first."""
    return tuple(
        InlineComment(one.finding.path, one.finding.line, "RIGHT", _body(one), one.fingerprint)
        for one in review.findings
        if one.on_added_line and one.finding.path and one.finding.line
    )


def fingerprint_of(body: str) -> str:
    """The fingerprint in a comment's first line; "" where there is none."""
    marker = _MARKER.fullmatch(body.split("\n", 1)[0])
    return marker[1] if marker else ""


def reconcile(wanted: Iterable[InlineComment], existing: Iterable[Existing]) -> Reconciled:
    """Compare the comments that a review wants with those that are there.

    What is there already is kept and never posted again. One that a person resolved stays so; one
    that we resolved, because its finding was gone, is posted anew when the finding is back. An open
    one whose finding is gone, or that is there twice, is resolved. Comments of others are none of
    these. No more are posted than make `MOST` open ones.
    """
    missing: dict[str, InlineComment] = {}
    for comment in wanted:
        missing.setdefault(comment.fingerprint, comment)
    keep: list[str] = []
    resolve: list[str] = []
    settled = []
    shown: set[str] = set()
    for one in existing:
        fingerprint = fingerprint_of(one.body) if one.ours else ""
        if not fingerprint:
            continue
        if one.resolved:
            settled += [] if one.by_us else [fingerprint]
        elif fingerprint in missing and fingerprint not in shown:
            shown.add(fingerprint)
            keep.append(one.id)
        else:
            resolve.append(one.id)
    done = shown.union(settled)
    post = [one for one in missing.values() if one.fingerprint not in done]
    return Reconciled(tuple(post[: max(0, MOST - len(keep))]), tuple(keep), tuple(resolve))


def _body(reported: ReportedFinding) -> str:
    finding = reported.finding
    sign = SIGNS[finding.severity]
    message = f"{sign} **{finding.severity}**: {prose(finding.message)} ({code(finding.rule)})"
    return f"<!-- sdd-review: {reported.fingerprint} -->\n{message}\n"
