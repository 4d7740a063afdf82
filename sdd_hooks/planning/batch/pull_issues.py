"""The issues that a pull request closes or belongs to."""

# Governing: SPEC-0027 REQ "Arguments of a review", SPEC-0027 REQ "Merge"

from __future__ import annotations

import re
from collections.abc import Sequence

from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.config.settings import PullRequestSettings
from sdd_hooks.forges.protocol import PullRequest
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import KEYS_CLOSE, is_epic
from sdd_hooks.trackers.issue_file import StoredIssue

MAX_TEXT = 100_000
"""Characters of a description that are read."""

_WORDS = r"close[sd]?|fix(?:e[sd])?|resolve[sd]?|bd\ close"
_NAME = r"\#?([\w][\w.-]{0,99})"
_KEY = re.compile(r"(?<![\w/.-])[A-Za-z]\w{0,30}-[0-9]{1,12}(?![\w-])", re.ASCII)


class PullIssues(NamedTuple):
    """The issues of a pull request: all that it belongs to, and those that it closes."""

    issues: tuple[StoredIssue, ...]
    closed: tuple[StoredIssue, ...]


def find_pull_issues(
    pull: PullRequest,
    issues: Sequence[StoredIssue],
    tracker: str,
    settings: PullRequestSettings,
) -> PullIssues:
    """Find the issues of a pull request by its description, its branch and the tracker's links.

    It closes those that follow a closing word and, for a tracker that closes by keys, those whose
    key it has. A key after the `Ref Keyword`, and an epic, is only referred to.
    """
    by_id = {issue.id.casefold(): issue for issue in issues}
    text = f"{pull.title}\n{pull.body}"[:MAX_TEXT]
    names = _closing_names(text, settings)
    if tracker in KEYS_CLOSE:
        referred = re.compile(rf"{re.escape(settings.ref_keyword)}\s+\S+", re.IGNORECASE)
        names += _KEY.findall(referred.sub(" ", text.replace("`", " ")))
    named = (by_id.get(name.rstrip(".-").casefold()) for name in names)
    closed = {issue.id: issue for issue in named if issue and not is_epic("", issue.labels)}
    of_branch = branch_issue(pull.head_ref, issues)
    linked = [one for one in issues if any(link.number == str(pull.number) for link in one.pulls)]
    all_issues = {**closed, **{one.id: one for one in (*of_branch, *linked)}}
    return PullIssues(tuple(all_issues.values()), tuple(closed.values()))


def branch_issue(branch: str, issues: Sequence[StoredIssue]) -> tuple[StoredIssue, ...]:
    """The issue whose number or key a branch begins with after its prefix; () for none."""
    name = branch.rpartition("/")[2].casefold()
    if "/" not in branch:
        return ()
    found = [
        issue
        for issue in issues
        if name == issue.id.casefold() or name.startswith(f"{issue.id.casefold()}-")
    ]
    # `shop-12-3` begins with shop-12, too.
    return (max(found, key=lambda issue: len(issue.id)),) if found else ()


def belongs_to(pull: PullRequest, spec: str, issues: Sequence[StoredIssue]) -> bool:
    """Whether a pull request belongs to a specification: it, or one of its `issues`, names it."""
    text = f"{pull.title}\n{pull.body[:MAX_TEXT]}\n{pull.head_ref.replace('/', ' ')}"
    named = {str(reference.id) for reference in find_id_references(text)}
    return spec in named or any(spec in issue.specs for issue in issues)


def _closing_names(text: str, settings: PullRequestSettings) -> list[str]:
    """What follows a closing word, without `#`."""
    words = _WORDS
    if settings.close_keyword:
        words += f"|{re.escape(settings.close_keyword)}"
    pattern = re.compile(rf"(?<![\w-])(?:{words}):?\s+{_NAME}", re.IGNORECASE)
    return pattern.findall(text)
