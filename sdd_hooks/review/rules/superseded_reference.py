"""A new reference to an artifact that no longer holds."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import find_id_references
from sdd_hooks.code.paths import is_history, is_list
from sdd_hooks.findings import Finding
from sdd_hooks.review.mentions import Mention
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.dangling_reference import resolve
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.successors import Successors, replacements, successors
from sdd_hooks.text.lazy_regex import lazy_regex

_KNOWS = lazy_regex(
    r"supers?[ce]+d|deprecat|reject|replac|obsolet|retire|withdraw|former|histor|previous|earlier"
    r"|original|no longer|instead of|amend|refine|overrid|evolv|revis|reverse|migrat|legacy"
    r"|used to|carried|remov|drop|\b(?:was|were|old|gone)\b",
    re.IGNORECASE,
)
_EDGES = frozenset({"extends", "enables", "governs", "implements", "requires"})


def check(subject: Subject) -> Iterator[Finding]:
    """Every mention that the change adds of a superseded, deprecated or rejected artifact.

    What tells of the past is left alone: decisions, the artifact's own file and those that replace
    it, indexes and changelogs, a line that says so or names the replacement, and what the author
    says about a change to the artifact itself. Of a decision its edges count.
    """
    # Records are read when something is named, and not for every change.
    outdated = [
        (mention, old) for mention in subject.mentions if (old := _outdated(subject, mention))
    ]
    outdated += _edges(subject)
    known = successors(subject.corpus) if outdated else {}
    for mention, old in outdated:
        ends = replacements(old, known)
        edge = mention.place == "edge"
        if edge or not _tells_of_the_past(subject, mention, old, ends, known):
            yield _finding(mention, old, ends)


def _outdated(subject: Subject, mention: Mention) -> Artifact | None:
    """The artifact that is named, where none of those with that id holds."""
    found = resolve(subject.corpus, mention.id)
    return found[0] if found and not any(one.status.authoritative for one in found) else None


def _tells_of_the_past(
    subject: Subject,
    mention: Mention,
    old: Artifact,
    ends: tuple[Artifact, ...],
    known: Successors,
) -> bool:
    own = subject.corpus.by_path.get(mention.path)
    if own is not None:
        # Decisions tell how it came to them; what they build on is in their edges.
        if own.kind == "ADR" or own.path == old.path or not own.status.authoritative:
            return True
        if own.path in {one.path for one in (*ends, *known.get(old.path, ()))}:
            return True
    listed = subject.is_artifact(mention.path) and own is None
    if listed or is_history(mention.path) or is_list(mention.path):
        return True
    named = {one.id for one in ends}
    if mention.path:
        if mention.place == "comment":
            return False
        text = mention.text
    else:
        changed = {path for file in subject.change.files for path in (file.path, file.before)}
        if changed.intersection(old.paths):
            return True
        text = "\n".join((subject.change.title, subject.change.body, *subject.change.messages))
    return bool(
        _KNOWS.search(mention.text)
        or any(reference.id in named for reference in find_id_references(text[:100_000]))
    )


def _edges(subject: Subject) -> Iterator[tuple[Mention, Artifact]]:
    """Edges in the frontmatter of records, on added lines, that build on what does not hold."""
    for file in subject.change.files:
        own = subject.corpus.by_path.get(file.path) if subject.is_artifact(file.path) else None
        if own is None or not own.status.authoritative:
            continue
        added = {line.number: line.text for line in file.added}
        for edge in own.edges:
            if edge.origin != "frontmatter" or edge.kind not in _EDGES or edge.line not in added:
                continue
            text = added[edge.line]
            mention = Mention("edge", edge.target, file.path, edge.line, text)
            if edge.path == file.path and (old := _outdated(subject, mention)):
                yield mention, old


_SAID = {"title": "the title", "body": "the description", "message": "a commit message"}


def _finding(mention: Mention, old: Artifact, ends: tuple[Artifact, ...]) -> Finding:
    said = _SAID.get(mention.place)
    what = f"{said} names {old.name}, which is" if said else f"{old.name} is"
    names = " and ".join(f"{one.name} ({one.title})" for one in ends[:3])
    advice = f"see {names} instead" if names else "nothing replaces it, so say why it still matters"
    message = f"{what} {old.status.value}: {advice}"
    return Finding(mention.path, mention.line, RULE.id, "warning", message, mention.text.strip())


RULE = Rule(
    "superseded-reference",
    "warning",
    "A reference to a superseded, deprecated or rejected artifact.",
    "Code that is written by a decision that no longer holds has to be written again. Follow the"
    " record that replaced it and name that, or say in the line why the old one matters.",
    check,
)
