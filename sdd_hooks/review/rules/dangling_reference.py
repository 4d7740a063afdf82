"""A reference to an artifact, or to a requirement of a spec, that does not exist."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Identifiers in every spelling"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference
from sdd_hooks.artifacts.identifiers import ArtifactId, id_from_name
from sdd_hooks.code.paths import is_history, is_text
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.mentions import Mention
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.stale_comments import comments_left
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

PLACEHOLDERS = frozenset({0, 1234, 9999})
"""Numbers that stand for any number, where no record has them."""

_WORD = lazy_regex(r"\w+")
_EXAMPLE = lazy_regex(r"\b(?:e\.g\.?|examples?|for instance|such as|placeholder|like)\b", re.I)


def check(subject: Subject) -> Iterator[Finding]:
    """Every id or requirement that the change newly names and that is nowhere, and every governing
    comment about what it takes away.

    One in a governing comment is critical, any other a warning. Where no artifact of a kind has a
    number, or the module is none of this repository, ids are somebody else's.
    """
    unknown: list[Mention] = []
    for mention in subject.mentions:
        if not _counts(subject, mention):
            continue
        found = _artifacts(subject, mention)
        if not found:
            if unknown and _place(unknown[0]) != _place(mention):
                yield _finding(unknown[0], _unknown(subject, unknown))
                unknown = []
            unknown.append(mention)
        elif mention.requirement and not _has(found, mention.requirement):
            named = f'{found[0].name} has no requirement "{mention.requirement}"'
            yield _finding(mention, f"{named}: {_advice(found, mention.requirement)}")
    if unknown:
        yield _finding(unknown[0], _unknown(subject, unknown))
    for comment in comments_left(subject):
        if gone := _gone(subject, comment.entry):
            message = f"this change takes {gone} away, which this comment names: correct it, too"
            text = comment.text.strip()
            yield Finding(comment.path, comment.entry.line, RULE.id, "critical", message, text)


def _gone(subject: Subject, entry: GoverningReference) -> str:
    """What a comment names and the change takes away, "" when it is there, or never was."""
    before, after = (resolve(tree, entry.id) for tree in (subject.corpus_before, subject.corpus))
    if not before or not after:
        return str(entry.id) if before else ""
    wanted = entry.requirement
    lost = wanted and _has(before, wanted) and not _has(after, wanted)
    return f'the requirement "{wanted}" of {entry.id}' if lost else ""


def _place(mention: Mention) -> tuple[str, str, int, str]:
    """What ids have in common that are told in one finding: a line."""
    return mention.place, mention.path, mention.line, mention.text


def _counts(subject: Subject, mention: Mention) -> bool:
    """Whether this mention claims that there is an artifact of this repository."""
    corpus = subject.corpus
    kinds = {(one.kind, one.module) for one in corpus.by_id} | {
        (one.kind, "") for one in corpus.by_id
    }
    wanted = mention.id
    if (wanted.kind, wanted.module) not in kinds:
        return False
    if mention.place == "comment":
        return True
    if wanted.number in PLACEHOLDERS or not mention.alone or is_history(mention.path):
        return False
    if _EXAMPLE.search(mention.text):
        return False
    name = mention.path.rpartition("/")[2]
    own = id_from_name(name.partition(".")[0], wanted.kind)
    return own is None or own.number != wanted.number


def _artifacts(subject: Subject, mention: Mention) -> tuple[Artifact, ...]:
    """What the mention may mean: as the change leaves it, else as the base branch has it by now.

    Texts and messages may also speak of what the change takes away.
    """
    trees = [subject.corpus]
    if not mention.path or is_text(mention.path):
        trees.append(subject.corpus_before)
    found = next((found for tree in trees if (found := resolve(tree, mention.id))), ())
    if found or subject.tip is None:
        return found
    removed = {file.before for file in subject.change.files if not file.mode}
    there = resolve(subject.corpus_tip, mention.id)
    return tuple(one for one in there if one.path not in removed)


def resolve(corpus: Corpus, identifier: ArtifactId) -> tuple[Artifact, ...]:
    """The artifacts with this id; one that names no module may be any module's."""
    found = corpus.resolve(identifier)
    if not found and identifier.suffix == "s":
        # An s behind the number is a plural.
        identifier = replace(identifier, suffix="")
        found = corpus.resolve(identifier)
    if found or identifier.module:
        return found
    return tuple(
        artifact
        for other, artifacts in corpus.by_id.items()
        if replace(other, module="") == identifier
        for artifact in artifacts
    )


def _has(found: tuple[Artifact, ...], requirement: str) -> bool:
    """Whether one of the specs has it, under this name or a longer one that contains it.

    A scenario's name will do. A spec that has no requirement that can be read is believed.
    """
    wanted = _squeezed(requirement)
    return any(
        not artifact.requirements
        or any(wanted in _squeezed(name) for name in _names(artifact, scenarios=True))
        for artifact in found
    )


def _names(artifact: Artifact, *, scenarios: bool = False) -> Iterator[str]:
    for one in artifact.requirements:
        yield from (one.name, one.id)
        if scenarios:
            yield from (scenario.name for scenario in one.scenarios)


def _squeezed(name: str) -> str:
    """The words of a name, each between blanks, so that one name contains another by words."""
    return f" {' '.join(_WORD.findall(name.casefold()))} "


def _unknown(subject: Subject, mentions: Sequence[Mention]) -> str:
    ids = list(dict.fromkeys(mention.id for mention in mentions))
    if len(ids) > 1:
        return f"{', '.join(map(str, ids[:-1]))} and {ids[-1]} do not exist: {_meant('')}"
    close = ", ".join(str(other) for other in subject.corpus.close_matches(ids[0]))
    return f"{ids[0]} does not exist: {_meant(close)}"


def _advice(found: tuple[Artifact, ...], requirement: str) -> str:
    from difflib import get_close_matches

    names = [name for artifact in found for name in _names(artifact)][:500]
    close = get_close_matches(requirement[:300], names, 1, 0.6)
    return _meant(f'"{close[0]}"' if close else "")


def _meant(close: str) -> str:
    return f"did you mean {close}?" if close else "name what exists, or take it out"


_SAID = {"title": "the title", "body": "the description", "message": "a commit message"}


def _finding(mention: Mention, problem: str) -> Finding:
    severity: Severity = "critical" if mention.place == "comment" else "warning"
    said = _SAID.get(mention.place)
    message = f"{said} names what is not there: {problem}" if said else problem
    text = mention.text.strip()
    return Finding(mention.path, mention.line, RULE.id, severity, message, text)


RULE = Rule(
    "dangling-reference",
    "critical",
    "A reference to an artifact or a requirement that does not exist.",
    "Whoever follows it finds nothing, and tools that rely on governing comments are led astray."
    " Correct the id or the name, or add the record that it announces.",
    check,
)
