"""A new reference to an artifact that is no longer in force."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Status"

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache, partial

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId, Origins, find_id_references
from sdd_hooks.code.paths import is_changelog, is_document, is_index
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.mentions import MAX_TEXT, PLACE_NAMES, Mention, resolve_mention
from sdd_hooks.review.old_mentions import ACKNOWLEDGED, block_around, is_certain
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.successors import find_replacements, find_successors
from sdd_hooks.text.lazy_regex import lazy_regex

# What is kept beside records describes how they were reached.
_BESIDE_RECORDS = lazy_regex(r"(?:^|/)(?:decisions?|adrs?|rfcs?)/", re.IGNORECASE)
# What a record that was replaced says of itself in its first lines.
_VALID_IN_PART = lazy_regex(
    r"\b(?:remains?|stays?|still) (?:valid|in force|in effect|in use)\b"
    r"|\bstill (?:stands?|holds?|applies)\b|\b(?:partly|partially|in part)\b"
    r"|\b(?:retained|carr(?:y|ies|ied) over|(?:is|are) kept|unchanged)\b",
    re.IGNORECASE,
)
_MAX_HEAD = 2_000
# `ADR-0013 (Queues for e-mail)` and `ADR-0013 "Queues for e-mail"`.
_TITLE = lazy_regex(r"[\s*`\])]{0,4}(?:\(([A-Z][^()\n§]{8,80})\)|[\"“]([A-Z][^\"”\n]{8,80})[\"”])")
_TITLE_WORD = lazy_regex(r"[A-Za-z]{4,}")
_EDGES = frozenset({"extends", "enables", "governs", "implements", "requires"})
# What a decision once enabled stays true, and a new edge is worth a question.
_OLD_EDGES = _EDGES - {"enables"}


def check(subject: Subject) -> Iterator[Finding]:
    """Find each mention that the change adds of a superseded, deprecated or rejected artifact.

    A mention in an edge always counts. Others are left out where they describe history: in
    decisions, in the artifact's file and those of its replacements, in indexes and changelogs, on a
    line that says so or names a replacement, and in the texts of a change to the artifact itself.
    """
    outdated = [
        _Outdated(mention, artifact)
        for mention in subject.mentions
        if (artifact := _find_outdated(subject, mention))
        if not subject.whole_tree
        or mention.place not in {"text", "comment"}
        or _is_meant(subject, mention, artifact)
    ]
    outdated += _outdated_edges(subject)
    # Most changes name nothing outdated, and then the corpus is not searched.
    known = find_successors(subject.citable) if outdated else {}
    # A line may have thousands of mentions.
    find_ids = lru_cache(2)(partial(_ids_in, subject.names))
    read = _TextReader(lru_cache(2)(_says_outdated), find_ids)
    for reference in outdated:
        replacements = find_replacements(reference.artifact, known)
        related = {one.path for one in (*replacements, *known.get(reference.artifact.path, ()))}
        if reference.mention.place == "edge" or not (
            _is_in_history(subject, reference, related)
            or _acknowledges(subject, reference, replacements, read)
            or _follows(subject, reference, replacements, read)
        ):
            yield _finding(reference, replacements)


class _Outdated(NamedTuple):
    """A mention of an artifact that is no longer in force."""

    mention: Mention
    artifact: Artifact


def _is_meant(subject: Subject, mention: Mention, artifact: Artifact) -> bool:
    """Whether an old mention surely means this record, of which nothing holds any more.

    A governing comment means all of it. A sentence may mean what its successor left as it was, and
    no text shows which.
    """
    return (
        (mention.place == "comment" or artifact.status.value != "superseded")
        and is_certain(subject, mention)
        and not _VALID_IN_PART.search(subject.text(artifact.path)[:_MAX_HEAD])
        and not _has_other_title(subject, mention, artifact)
    )


def _has_other_title(subject: Subject, mention: Mention, artifact: Artifact) -> bool:
    """Whether the file gives this number a title that has no word of the record's.

    A record that was planned got another number, or the number is one of another project.
    """
    path = mention.path
    titles = subject.once(f"titles-beside-ids:{path}", lambda _: _titles(subject, path))
    known = _stems(f"{artifact.title} {artifact.path}")
    return any(words.isdisjoint(known) for words in titles.get(mention.id, ()))


def _titles(subject: Subject, path: str) -> dict[ArtifactId, list[frozenset[str]]]:
    """The words of the titles that stand behind the ids in a file, of titles with several."""
    text = subject.text(path)[:MAX_TEXT]
    titles: dict[ArtifactId, list[frozenset[str]]] = {}
    for found in find_id_references(text, subject.names):
        if title := _TITLE.match(text, found.end):
            words = _stems(title[1] or title[2])
            if len(words) > 1:
                titles.setdefault(found.id, []).append(words)
    return titles


def _stems(text: str) -> frozenset[str]:
    """The beginnings of the longer words of a title."""
    return frozenset(word[:5].lower() for word in _TITLE_WORD.findall(text))


def _find_outdated(subject: Subject, mention: Mention) -> Artifact | None:
    """The first artifact with the mentioned id, None when one with that id is in force."""
    artifacts = resolve_mention(subject.citable, mention.id)
    if not artifacts or any(artifact.status.authoritative for artifact in artifacts):
        return None
    return artifacts[0]


def _is_in_history(subject: Subject, reference: _Outdated, related: Container[str]) -> bool:
    """Whether the mention is in a file that describes history.

    `related` are the paths of the direct successors and of the replacements of the artifact.
    """
    path = reference.mention.path
    artifact = subject.corpus.by_path.get(path)
    if artifact is None:
        is_beside = subject.whole_tree and is_document(path) and _BESIDE_RECORDS.search(path)
        return subject.is_artifact(path) or is_changelog(path) or is_index(path) or bool(is_beside)
    # The text of a decision describes how it was reached; its edges name what it builds on.
    return (
        artifact.kind == "ADR"
        or artifact.path == reference.artifact.path
        or not artifact.status.authoritative
        or artifact.path in related
        or is_changelog(path)
        or is_index(path)
    )


class _TextReader(NamedTuple):
    """What the text around a mention says, cached for the mentions in one text."""

    says_outdated: Callable[[str], bool]
    ids: Callable[[str], frozenset[ArtifactId]]


def _says_outdated(text: str) -> bool:
    return ACKNOWLEDGED.search(text) is not None


def _ids_in(origins: Origins, text: str) -> frozenset[ArtifactId]:
    return frozenset(found.id for found in find_id_references(text[:MAX_TEXT], origins))


def _acknowledges(
    subject: Subject, reference: _Outdated, replacements: Sequence[Artifact], read: _TextReader
) -> bool:
    """Whether the text around the mention says that the artifact is outdated."""
    mention = reference.mention
    if mention.path:
        if mention.place == "comment":
            return False
        text = mention.text
    else:
        if not subject.changed_paths.isdisjoint(reference.artifact.paths):
            return True
        text = subject.described
    if read.says_outdated(mention.text):
        return True
    if subject.whole_tree and mention.path:
        text = block_around(subject, mention)
    return not read.ids(text).isdisjoint(artifact.id for artifact in replacements)


def _follows(
    subject: Subject, reference: _Outdated, replacements: Sequence[Artifact], read: _TextReader
) -> bool:
    """Whether an old specification names a replacement elsewhere: it knows what holds today."""
    record = subject.corpus.by_path.get(reference.mention.path) if subject.whole_tree else None
    if record is None:
        return False
    ids = {one.id for one in replacements}
    if not ids.isdisjoint(edge.target for edge in record.edges):
        return True
    return any(not read.ids(subject.text(path)).isdisjoint(ids) for path in record.paths)


def _outdated_edges(subject: Subject) -> Iterator[_Outdated]:
    """The edges on added lines of frontmatter that lead to an outdated artifact."""
    kinds = _OLD_EDGES if subject.whole_tree else _EDGES
    for file in subject.change.files:
        artifact = subject.corpus.by_path.get(file.path) if subject.is_artifact(file.path) else None
        if artifact is None or not artifact.status.authoritative:
            continue
        added = {line.number: line.text for line in file.added}
        for edge in artifact.edges:
            if edge.origin != "frontmatter" or edge.kind not in kinds or edge.line not in added:
                continue
            text = added[edge.line]
            mention = Mention("edge", edge.target, file.path, edge.line, text)
            if edge.path == file.path and (target := _find_outdated(subject, mention)):
                yield _Outdated(mention, target)


def _finding(reference: _Outdated, replacements: Sequence[Artifact]) -> Finding:
    mention, old = reference
    place = PLACE_NAMES.get(mention.place)
    what = f"{place} names {old.name}, which is" if place else f"{old.name} is"
    names = " and ".join(f"{one.name} ({one.title})" for one in replacements[:3])
    advice = (
        f"see {names} instead" if names else "no record replaces it, so say why it still matters"
    )
    message = f"{what} {old.status.value}: {advice}"
    return Finding(mention.path, mention.line, RULE.id, "warning", message, mention.text.strip())


RULE = Rule(
    "superseded-reference",
    "warning",
    "A reference to a superseded, deprecated or rejected artifact.",
    "Code that is written by a decision that no longer holds has to be written again. Follow the"
    " record that replaced it and name that, or say in the line why the old one matters.",
    check,
    whole_tree=True,
)
