"""The prior issues that a change touches, among those that are synced to `.sdd/issues/`.

An issue is listed only for a specific reason: the change names it, a pull request of the issue
changed the same file, the issue names a changed file, or it shares a decision or a title with the
change. Where there is no such folder, there are no issues.
"""

# Governing: SPEC-0010 REQ "Prior issues", ADR-0018 (tracker issues as files)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import islice

from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import ISSUES_DIRECTORY
from sdd_hooks.project.repository import Repository
from sdd_hooks.reporting.outcome import References, TouchedIssue
from sdd_hooks.review.references.words.code_words import CodeWords, read_code_words
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.store import IssueFolder
from sdd_hooks.trackers.stored_issues import read_issues

MAX_ISSUES = 10_000
"""Issues that are read."""
MAX_SHOWN = 5
"""Issues that are listed."""
MAX_TEXT = 200_000
"""Characters of the texts of a change, and of the body of an issue, that are read."""
MAX_SHARING = 3
"""Issues that can share a file or a decision with a change: one that more share tells nothing."""
MIN_TITLE_WORDS = 3
"""Words of the title of an issue that the change shares."""
TITLE_SHARE = 0.6
"""The share of the telling words of an issue's title that the change has."""

_NUMBER = lazy_regex(r"(?<![\w/&#.-])(?:#|[Gg][Hh]-)([0-9]{1,18})(?![\w-])", re.ASCII)
_KEY = lazy_regex(r"(?<![\w/.-])[A-Za-z][\w]*-[\w.-]*\w", re.ASCII)
_PATH = lazy_regex(r"(?<![\w.@/-])[\w.@-]+(?:/[\w.@-]+)+|(?<![\w.@/-])[\w-]+\.[A-Za-z]{1,5}\b")
_ORDER = ("named", "files", "paths", "records", "title")


class _Change(NamedTuple):
    """What a change shares with issues."""

    text: str
    names: Set[str]
    paths: Set[str]
    records: Set[str]
    words: Set[str]


class _Match(NamedTuple):
    issue: StoredIssue
    kind: str
    what: str


def find_touched_issues(
    repository: Repository, subject: Subject, references: References
) -> tuple[TouchedIssue, ...]:
    """Find the issues that a change touches, those that it names first; at most MAX_SHOWN.

    `references` are the decisions of the change. A file that is no issue is skipped, and so is a
    folder that is a link. Raises GitError.
    """
    try:
        stored = read_issues(IssueFolder(repository.root, ISSUES_DIRECTORY))
        issues = list(islice(stored, MAX_ISSUES))
    except SddError:
        return ()
    if not issues:
        return ()
    words = read_code_words(repository, subject.before)
    described = _describe(subject, references, words)
    matches = [match for issue in issues for match in _matches(issue, described, words)]
    shared = Counter((match.kind, match.what) for match in matches)
    best: dict[str, _Match] = {}
    for match in sorted(matches, key=lambda one: _ORDER.index(one.kind)):
        limited = match.kind in ("files", "paths", "records")
        if not limited or shared[match.kind, match.what] <= MAX_SHARING:
            best.setdefault(match.issue.path, match)
    chosen = sorted(best.values(), key=lambda one: _ORDER.index(one.kind))[:MAX_SHOWN]
    return tuple(
        TouchedIssue(one.issue.id, one.issue.title, one.issue.status, _reason(one), one.issue.path)
        for one in chosen
    )


def _describe(subject: Subject, references: References, code: CodeWords) -> _Change:
    change = subject.change
    text = subject.described[:MAX_TEXT]
    names = {*_NUMBER.findall(text), *(key.lower() for key in _KEY.findall(text))}
    paths = {path for file in change.files for path in (file.path, file.before) if path}
    records = {one.id for one in (*references.suggested, *references.governing) if one.id}
    title = {*split_words(change.title), *(word for path in paths for word in split_words(path))}
    telling = {word for word in title if not code.is_common(word)}
    return _Change(text, names, paths, records, telling)


def _matches(issue: StoredIssue, change: _Change, code: CodeWords) -> Sequence[_Match]:
    """The reasons to list an issue, each with what it shares with the change."""
    found = []
    by_url = len(issue.url) > len("https://x/") and _has_url(change.text, issue.url)
    if issue.id.lower() in change.names or by_url:
        found.append(("named", issue.id))
    pulled = {path for pull in issue.pulls for path in pull.files}
    found += [("files", path) for path in sorted(change.paths & pulled)]
    found += [("paths", path) for path in sorted(_named_paths(issue, change.paths))]
    words = {word for word in split_words(issue.title) if not code.is_common(word)}
    common = words & change.words
    shared = sorted(change.records & {*issue.adrs, *issue.specs})
    if common:
        found += [("records", id) for id in shared]
    enough = max(MIN_TITLE_WORDS, TITLE_SHARE * len(words))
    if len(common) >= enough:
        found.append(("title", ", ".join(sorted(common))))
    return [_Match(issue, kind, what) for kind, what in found]


def _has_url(text: str, url: str) -> bool:
    """Whether a text has a URL that is not the beginning of a longer one."""
    at = text.find(url)
    while at >= 0:
        if not text[at + len(url) : at + len(url) + 1].isalnum():
            return True
        at = text.find(url, at + 1)
    return False


def _named_paths(issue: StoredIssue, paths: Set[str]) -> Set[str]:
    """The changed files that an issue names, by the whole path or the end of it."""
    text = f"{issue.title}\n{issue.body[:MAX_TEXT]}"
    written = {path.rstrip(".") for path in _PATH.findall(text)}
    ends = {path: _ends(path) for path in paths}
    return {path for path, names in ends.items() if names & written}


def _ends(path: str) -> Set[str]:
    """The names of a file: its whole path, and the ends of it with at least two parts."""
    parts = path.split("/")
    return {"/".join(parts[start:]) for start in range(max(1, len(parts) - 1))}


def _reason(match: _Match) -> str:
    if match.kind == "named":
        return "the change names it"
    if match.kind == "files":
        return f"a pull request of it changed {match.what}, too"
    if match.kind == "paths":
        return f"it names {match.what}, which is changed"
    if match.kind == "records":
        return f"it names {match.what}, as the change does or should"
    return f"its title shares {match.what}"
