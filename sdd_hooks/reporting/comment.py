"""Report a review as comments of a pull request: one on the whole, and those on added lines.

A comment on a line begins with a marker that holds the fingerprint of its finding. The marker
identifies it after a push, a rebase or a moved line, and shows which have no finding left.
"""

# Governing: ADR-0022 (one review, many reports), SPEC-0010 REQ "One comment",
# SPEC-0010 REQ "Comments on lines", SPEC-0010 REQ "Findings keep their identity"

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sdd_hooks.findings import ReportedFinding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.reporting.escape import code_span, escape_text
from sdd_hooks.reporting.markdown import markdown_lines, truncate_lines
from sdd_hooks.reporting.markdown_parts import SIGNS
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links, Reporter
from sdd_hooks.text.lazy_regex import lazy_regex

MARKER = "<!-- sdd-review -->"
"""The first line of a comment without a key, and the only HTML comment in it."""
MAX_UNITS = 65_536
"""UTF-16 code units that GitHub accepts."""

_MARGIN = 536
_NOTICE = (
    "**Cut here:** the whole report is longer than a comment may be. `sdd review` prints all of it."
)

MAX_OPEN = 50
"""Line comments of sdd that are open at the same time. The report has every finding."""

_LINE_MARKER = lazy_regex(
    r"<!-- sdd-review: ([0-9A-Za-z]{1,128})(?: \(([\w.-]{1,64})\))? -->\r?", re.A
)


def render_comment(review: ReviewOutcome, *, links: Links | None = None, key: str = "") -> str:
    """The marker and the report, cut between lines to at most `MAX_UNITS` code units.

    `key` distinguishes the comments of several jobs on one pull request: letters, digits, `.`, `_`
    and `-`.
    """
    marker = _marker(key, review.tree.command if review.tree else "review")
    review = replace(review, references=review.references._replace(silence=""))
    lines = (marker, *markdown_lines(review, links))
    return truncate_lines(lines, _units, MAX_UNITS - _MARGIN, _NOTICE)


def has_marker(body: str, key: str = "") -> bool:
    """Whether a comment begins with the marker of this key. The caller checks its author."""
    return body.split("\n", 1)[0].rstrip("\r") == _marker(key)


def _marker(key: str, command: str = "review") -> str:
    return f"<!-- sdd-{command} ({key}) -->" if key else MARKER.replace("review", command)


def _units(line: str) -> int:
    """What GitHub may count, at most: UTF-16 code units, and two for the end of a line."""
    return len(line.encode("utf-16-le")) // 2 + 1


class InlineComment(NamedTuple):
    """A comment to post. `side` is RIGHT, the file after the change; `line` is 1-based."""

    path: str
    line: int
    side: str
    body: str
    fingerprint: str


class ExistingComment(NamedTuple):
    """A comment on the pull request. `id` is the forge's.

    `by_sdd` is whether sdd wrote it, judged by its author. `resolved` is whether its thread is
    resolved, `resolved_by_sdd` whether sdd and not a person resolved it.
    """

    id: str
    body: str
    by_sdd: bool
    resolved: bool = False
    resolved_by_sdd: bool = False


class Reconciliation(NamedTuple):
    """Comments to post, ids of comments to keep unchanged, and ids of comments to resolve."""

    post: tuple[InlineComment, ...]
    keep: tuple[str, ...]
    resolve: tuple[str, ...]


def inline_comments(review: ReviewOutcome, key: str = "") -> tuple[InlineComment, ...]:
    """A comment for each finding on a line that the change adds, the most severe first.

    `key` is as in `render_comment`.
    """
    return tuple(
        InlineComment(one.finding.path, one.finding.line, "RIGHT", _body(one, key), one.fingerprint)
        for one in review.findings
        if one.on_added_line and one.finding.path and one.finding.line
    )


def read_fingerprint(body: str, key: str = "") -> str:
    """The fingerprint in the first line of a comment with this key; "" if it has none."""
    marker = _LINE_MARKER.fullmatch(body.split("\n", 1)[0])
    return marker[1] if marker and (marker[2] or "") == key else ""


def reconcile(
    wanted: Iterable[InlineComment], existing: Iterable[ExistingComment], key: str = ""
) -> Reconciliation:
    """Compare the comments that a review wants with those on the pull request that have its key.

    An existing comment is kept and never posted again. A comment that a person resolved stays
    resolved. A comment that sdd resolved, because its finding was gone, is posted again when the
    finding returns. An open comment whose finding is gone, and a duplicate, are resolved. Comments
    of other authors are ignored. At most `MAX_OPEN` comments are open afterwards.
    """
    to_post: dict[str, InlineComment] = {}
    for one in wanted:
        to_post.setdefault(one.fingerprint, one)
    keep: list[str] = []
    resolve: list[str] = []
    dismissed: set[str] = set()
    kept: set[str] = set()
    for comment in existing:
        fingerprint = read_fingerprint(comment.body, key) if comment.by_sdd else ""
        if not fingerprint:
            continue
        if comment.resolved:
            dismissed |= set() if comment.resolved_by_sdd else {fingerprint}
        elif fingerprint in to_post and fingerprint not in kept:
            kept.add(fingerprint)
            keep.append(comment.id)
        else:
            resolve.append(comment.id)
    done = kept | dismissed
    post = [one for one in to_post.values() if one.fingerprint not in done]
    return Reconciliation(tuple(post[: max(0, MAX_OPEN - len(keep))]), tuple(keep), tuple(resolve))


def _body(reported: ReportedFinding, key: str) -> str:
    finding = reported.finding
    sign = SIGNS[finding.severity]
    rule = code_span(finding.rule)
    message = f"{sign} **{finding.severity}**: {escape_text(finding.message)} ({rule})"
    name = f"{reported.fingerprint} ({key})" if key else reported.fingerprint
    return f"<!-- sdd-review: {name} -->\n{message}\n"


REPORTER = Reporter(
    "comment", lambda outcome, context: render_comment(outcome, links=context.links)
)
