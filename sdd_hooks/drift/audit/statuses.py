"""Records whose status does not fit what the repository shows."""

# Governing: SPEC-0019 REQ "Statuses", SPEC-0019 REQ "Right or silent"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.changes.record_history import PENDING
from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.citations import Citation
from sdd_hooks.findings import Finding
from sdd_hooks.text.display import join_names
from sdd_hooks.text.lazy_regex import lazy_regex

UNIMPLEMENTED = "stale-artifact/unimplemented"
NOT_ACCEPTED = "stale-artifact/not-accepted"
UNDECIDED = "stale-artifact/undecided"

GRACE = timedelta(days=30)
"""How long a record may be ahead of the code, or the code ahead of its status."""
MAX_WORDS = 12
"""Words of one record that are looked for in code."""
MIN_FILES = 3
"""Files of code that name a record outside of governing comments, and so follow it."""
MAX_SHOWN = 2
"""Places that a message names."""

# A status that says so is no contradiction.
_BUILT = lazy_regex(
    r"\b(?:implement|built|build|shipp|landed|merged|done|partial|phase|exist|lives?\b)",
    re.IGNORECASE,
)
# A record that says so has been looked at.
_STILL = lazy_regex(r"\b(?:still|remains?|stays?)\W{1,3}(?:\w+\W{1,3})?(?:proposed|draft)\b", re.I)
_CODE_SPAN = lazy_regex(r"`([^`\n]{3,120})`")
_PATH = lazy_regex(r"[\w@.+-]+(?:/[\w@.+-]+)+|[\w-]+\.[a-z]{1,4}")
_SYMBOL = lazy_regex(r"[A-Za-z_$][\w$]{3,60}")
_JOINED = lazy_regex(r"[a-z0-9][A-Z]|\w_\w|[0-9]|^[A-Z][a-z]+$")


def find_unimplemented(audited: Audited) -> Iterator[Finding]:
    """Find accepted decisions and implemented specs that nothing in the repository takes up.

    Only where code names nearly all accepted decisions. No file and no commit names the record, it
    states no files or rules itself, no other record builds on it, and code has neither a file nor a
    word that its text names.
    """
    if not audited.names_records:
        return
    built_on = {
        target.path
        for one in audited.corpus.artifacts
        for edge in one.edges
        for target in audited.corpus.resolve(edge.target)
    }
    candidates = [
        one
        for one in audited.records
        if _claims_code(one)
        and _is_older(one.date, audited.today)
        and one.path not in built_on
        and not audited.named_in_code(one)
        and not audited.naming_files.get(one.path)
        and not audited.rules_of(one)
        and not audited.applies_to(one).entries
    ]
    in_commits = audited.ids_in_commits([one.id for one in candidates])
    for one in candidates:
        if one.id not in in_commits and not _text_is_in_code(audited, one):
            message = (
                f"{one.name} is {one.status.value} since {one.date}, and no code, commit, rule or"
                " other record takes it up: implement it, name it in a governing comment, or"
                " change its status"
            )
            yield Finding(
                one.path, one.status.line, UNIMPLEMENTED, "warning", message, one.status.text
            )


def _claims_code(artifact: Artifact) -> bool:
    """Whether the status says that code follows the record. Few name one without a number."""
    wanted = "accepted" if artifact.kind == "ADR" else "implemented"
    return not artifact.id.name and artifact.status.value == wanted


def _is_older(written: str, today: date) -> bool:
    """Whether an ISO date is longer ago than the grace; False for ""."""
    return bool(written) and written <= (today - GRACE).isoformat()


def _text_is_in_code(audited: Audited, artifact: Artifact) -> bool:
    """Whether code has a file or a word that the record writes as code."""
    text = "\n".join(audited.subject.text(path) for path in artifact.paths)
    words: list[str] = []
    for span in _CODE_SPAN.findall(text):
        for path in _PATH.findall(span):
            if _has_path(audited, path):
                return True
        words += [word for word in _SYMBOL.findall(span) if _JOINED.search(word)]
    return bool(words) and bool(audited.words_in_code(list(dict.fromkeys(words))[:MAX_WORDS]))


def _has_path(audited: Audited, path: str) -> bool:
    """Whether a path of code ends with this one, or has it as a directory."""
    shown = f"/{path.strip('./')}"
    return any(
        f"/{known}".endswith(shown) or f"{shown}/" in f"/{known}" for known in audited.sources
    )


def find_not_accepted(audited: Audited) -> Iterator[Finding]:
    """Find proposed decisions and draft specs that code follows, for a while.

    A governing comment shows it, or MIN_FILES files of code that name the record. A status that
    says how much is built is left alone, and a record that says why it is still proposed.
    """
    for one in audited.records:
        status = one.status
        if status.value not in PENDING or not status.line or _BUILT.search(status.text):
            continue
        if len(audited.corpus.resolve(one.id)) > 1:
            # Code that names a shared number may mean another record.
            continue
        if one.date and not _is_older(one.date, audited.today):
            continue
        if _STILL.search(audited.subject.text(one.path)):
            continue
        comments = _comments_in_code(audited, one)
        named = audited.named_in_code(one)
        if comments or len(named) >= MIN_FILES:
            wanted = "accepted" if one.kind == "ADR" else "implemented"
            since = f" since {one.date}" if one.date else ""
            message = (
                f"{one.name} is {status.value}{since}, and {_places(comments, named)}: set the"
                f" status to {wanted}, or take the code back"
            )
            yield Finding(one.path, status.line, NOT_ACCEPTED, "warning", message, status.text)


def find_undecided(audited: Audited) -> Iterator[Finding]:
    """Find records that wait for a decision for longer than the configuration allows."""
    for one in audited.records:
        if message := audited.overdue.get(one.path):
            yield Finding(one.path, one.status.line, UNDECIDED, "info", message, one.status.text)


def _comments_in_code(audited: Audited, artifact: Artifact) -> list[Citation]:
    comments = audited.cited.get(artifact.path, ())
    return [one for one in comments if one.path in audited.source_set]


def _places(comments: Sequence[Citation], named: Sequence[str]) -> str:
    """`a.py:3 and 2 more files of code name it`."""
    lines = {one.path: one.line for one in reversed(comments)}
    paths = list(dict.fromkeys((*(one.path for one in comments), *named)))
    shown = [f"{path}:{lines[path]}" if path in lines else path for path in paths[:MAX_SHOWN]]
    if more := len(paths) - len(shown):
        shown.append(f"{more} more file{'s' if more > 1 else ''} of code")
    return f"{join_names(shown)} name{'s' if len(paths) == 1 else ''} it"
