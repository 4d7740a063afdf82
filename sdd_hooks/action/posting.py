"""Say on a pull request what a review found, and lose nothing where the forge takes less."""

# Governing: ADR-0022 (one review, many reports), SPEC-0012 REQ "Posting", REQ "Forks"

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from sdd_hooks.errors import RemoteError
from sdd_hooks.findings import SEVERITIES
from sdd_hooks.forges.protocol import CommitStatus, Forge, LineComment, PullRequest, WriteDenied
from sdd_hooks.reporting.comment import has_marker, render_comment
from sdd_hooks.reporting.line_comments import ExistingComment, inline_comments, reconcile
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.registry import Links
from sdd_hooks.text.display import format_count

CONTEXT = "sdd review"
"""What the status of a commit is called."""


class Posting(NamedTuple):
    """What is posted: the one comment, comments on lines, a status of the commit."""

    comment: bool = True
    inline: bool = False
    status: bool = False


def post(
    forge: Forge,
    pull: PullRequest,
    review: ReviewOutcome,
    links: Links,
    wanted: Posting,
    *,
    fails: bool,
) -> tuple[str, ...]:
    """Post what is wanted. Returns what was not, and why, in a line each.

    A refusal is no failure, since the summary of the job has the whole report; and what one of them
    meets does not keep the others from being tried.
    """
    notes: list[str] = []

    def trying(what: str, write: Callable[[], str]) -> str:
        try:
            return write()
        except WriteDenied as error:
            notes.append(f"{what} not posted, since the token may not write: {error}")
        except RemoteError as error:
            notes.append(f"{what} not posted: {error}")
        return ""

    url = ""
    if wanted.comment:
        url = trying("the comment was", lambda: _comment(forge, pull, review, links))
    if wanted.inline:
        left_out = trying("comments on lines were", lambda: _on_lines(forge, pull, review))
        notes += [left_out] if left_out else []
    if wanted.status:
        trying("the status was", lambda: _mark(forge, review, url, fails=fails))
    return tuple(notes)


def _comment(forge: Forge, pull: PullRequest, review: ReviewOutcome, links: Links) -> str:
    """Post the one comment. Returns its address.

    Who has nothing to say begins no conversation, and ends one that was begun.
    """
    quiet = not review.findings and not review.references.suggested
    body = render_comment(review, links=links)
    return forge.upsert_comment(pull.number, body, has_marker, create=not quiet).url


def _on_lines(forge: Forge, pull: PullRequest, review: ReviewOutcome) -> str:
    """Post, keep and settle comments on lines. Returns what the forge did not take, in a line."""
    threads = forge.threads(pull.number)
    by_id = {one.id: one for one in threads}
    existing = (ExistingComment(*one) for one in threads)
    done = reconcile(inline_comments(review), existing)
    comments = [LineComment(one.path, one.line, one.body) for one in done.post]
    settled = [by_id[one] for one in done.resolve]
    if not comments and not settled:
        return ""
    refused = forge.publish_review(pull.number, pull.head, comments, settled)
    if not refused:
        return ""
    return f"{format_count(len(refused), 'comment')} on lines that the pull request does not show"


def _mark(forge: Forge, review: ReviewOutcome, url: str, *, fails: bool) -> str:
    """Give the head a status."""
    counts = [(review.count(severity), severity) for severity in SEVERITIES]
    said = ", ".join(f"{number} {severity}" for number, severity in counts if number)
    state: Literal["failure", "success"] = "failure" if fails else "success"
    forge.set_status(review.head, CommitStatus(state, CONTEXT, said or "All clear", url))
    return ""
