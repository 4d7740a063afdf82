"""A reference to an artifact, or to a requirement of a spec, that does not exist."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Identifiers in every spelling",
# SPEC-0002 REQ "Governing comments"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.governing import GoverningReference, read_governing
from sdd_hooks.artifacts.identifiers import ArtifactId, id_from_name
from sdd_hooks.code.paths import is_changelog, is_document
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.mentions import PLACE_NAMES, Mention, resolve_mention
from sdd_hooks.review.old_mentions import is_certain, names_other_project
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import split_lines

PLACEHOLDERS = frozenset({0, 1234, 9999})
"""Numbers that stand for any number, unless a record has one of them."""
MAX_FILES = 2_000
"""Files with governing comments that are read."""
MIN_ELSEWHERE = 5
"""Unknown ids from which a repository may keep its records elsewhere."""
MAX_NAMED = 20
"""Ids that a finding names."""

_WORD = lazy_regex(r"\w+")
_EXAMPLE = lazy_regex(r"\b(?:e\.g\.?|examples?|for instance|such as|placeholder|like)\b", re.I)
_NUMBERED_DOCUMENT = lazy_regex(
    r"adr[-_ ]?[0-9][^\n]*\.(?:md|markdown|adoc|rst|txt)|[0-9]{3,5}[-_][\w-]+", re.IGNORECASE
)
_LABELS = ("govern", "implements")


def check(subject: Subject) -> Iterator[Finding]:
    """Find each id or requirement that the change adds and that does not exist, and each governing
    comment about an artifact or a requirement that the change removes.

    A governing comment is critical, any other mention a warning. When no artifact has the kind or
    the module of an id, the id belongs to another project.
    """
    unknown: list[Mention] = []
    # A line may have thousands of mentions, and a corpus thousands of records.
    is_example = lru_cache(1)(lambda text: _EXAMPLE.search(text) is not None)
    ids = subject.citable.by_id
    kinds = {(id.kind, id.origin, module) for id in ids for module in (id.module, "")}
    # A name that several repositories share is the name of none.
    shared = {origin for name, origin in subject.origins.items() if name == origin.lower()}
    known = {one.source.name for one in subject.external.sources}
    known.update(subject.external.organisation.values())
    kinds |= {("ADR", origin, "") for origin in shared - known}
    for mention in subject.mentions:
        key = (mention.id.kind, mention.id.origin, mention.id.module)
        claims = key in kinds and _claims_to_exist(mention)
        if claims and subject.whole_tree and mention.place in {"text", "comment"}:
            claims = _claims_today(subject, mention)
        if not claims or (mention.place != "comment" and is_example(mention.text)):
            continue
        artifacts = _artifacts(subject, mention)
        if not artifacts:
            if unknown and _line_key(unknown[0]) != _line_key(mention):
                yield _finding(unknown[0], _describe_unknown(subject, unknown))
                unknown = []
            unknown.append(mention)
        elif mention.requirement and not _has_requirement(artifacts, mention.requirement):
            problem = f'{artifacts[0].name} has no requirement "{mention.requirement}"'
            advice = _suggest(subject.citable, artifacts, mention.requirement)
            yield _finding(mention, f"{problem}: {advice}")
    if unknown:
        yield _finding(unknown[0], _describe_unknown(subject, unknown))
    for comment in _stale_comments(subject):
        if removed := _removed(subject, comment.entry):
            message = f"this change takes {removed} away, which this comment names: correct it, too"
            text = comment.text.strip()
            yield Finding(comment.path, comment.entry.line, RULE.id, "critical", message, text)


def _claims_today(subject: Subject, mention: Mention) -> bool:
    """Whether an old mention claims that there is an artifact of this repository."""
    if mention.place == "comment":
        return is_certain(subject, mention)
    return (
        is_certain(subject, mention)
        and not subject.once(
            f"kept-elsewhere:{mention.id.kind}", partial(_is_elsewhere, mention.id.kind)
        )
        and not _is_beyond(subject, mention)
        and not _is_document(subject, mention)
        and not names_other_project(subject, mention.path)
    )


def _is_elsewhere(kind: str, subject: Subject) -> bool:
    """Whether texts name more unknown records of a kind than there are: they are kept elsewhere."""
    named = {one.id for one in subject.mentions if one.id.kind == kind and not one.id.origin}
    unknown = sum(not resolve_mention(subject.citable, one) for one in named)
    existing = sum(one.kind == kind for one in subject.citable.by_id)
    return unknown > max(MIN_ELSEWHERE, existing)


def _is_beyond(subject: Subject, mention: Mention) -> bool:
    """Whether the number is greater than any of the kind: that of a plan, or of another project."""
    kind, origin = mention.id.kind, mention.id.origin

    def greatest(subject: Subject) -> int:
        ids = (id for id in subject.citable.by_id if (id.kind, id.origin) == (kind, origin))
        return max((id.number for id in ids), default=0)

    return mention.id.number > subject.once(f"greatest-number:{kind}:{origin}", greatest)


def _is_document(subject: Subject, mention: Mention) -> bool:
    """Whether a document with this number exists that is no record, such as a plan."""

    def numbered(subject: Subject) -> frozenset[ArtifactId]:
        names = (one.path.rpartition("/")[2] for one in subject.after.blobs())
        called = (name for name in names if _NUMBERED_DOCUMENT.fullmatch(name))
        return frozenset(
            filter(None, (id_from_name(one.partition(".")[0], "ADR") for one in called))
        )

    return mention.id in subject.once("numbered-documents", numbered)


def _line_key(mention: Mention) -> tuple[str, str, int, str]:
    """The line of a mention: the unknown ids of one line make one finding."""
    return mention.place, mention.path, mention.line, mention.text


def _claims_to_exist(mention: Mention) -> bool:
    """Whether this mention claims that there is an artifact of this repository."""
    wanted = mention.id
    if mention.place == "comment":
        return True
    if wanted.number in PLACEHOLDERS or not mention.alone or is_changelog(mention.path):
        return False
    name = mention.path.rpartition("/")[2]
    id_of_file = id_from_name(name.partition(".")[0], wanted.kind)
    return id_of_file is None or id_of_file.number != wanted.number


def _artifacts(subject: Subject, mention: Mention) -> tuple[Artifact, ...]:
    """The artifacts that the mention can mean, after the change or on the base branch today.

    Prose and messages can also refer to an artifact that the change removes.
    """
    corpora = [subject.citable]
    if not mention.path or is_document(mention.path):
        corpora.append(subject.corpus_before)
    for corpus in corpora:
        if artifacts := resolve_mention(corpus, mention.id):
            return artifacts
    if subject.tip is None:
        return ()
    removed = {file.before for file in subject.change.files if not file.mode}
    at_tip = resolve_mention(subject.corpus_tip, mention.id)
    return tuple(artifact for artifact in at_tip if artifact.path not in removed)


def _has_requirement(artifacts: Sequence[Artifact], requirement: str) -> bool:
    """Whether a spec has a requirement or a scenario whose name contains these words.

    True for a spec whose requirements cannot be read.
    """
    wanted = _normalized(requirement)
    return any(
        not artifact.requirements
        or any(wanted in _normalized(name) for name in _names(artifact, scenarios=True))
        for artifact in artifacts
    )


def _names(artifact: Artifact, *, scenarios: bool = False) -> Iterator[str]:
    for requirement in artifact.requirements:
        yield from (requirement.name, requirement.id)
        if scenarios:
            yield from (scenario.name for scenario in requirement.scenarios)


def _normalized(name: str) -> str:
    """The words of a name between blanks, so that a substring consists of whole words."""
    return f" {' '.join(_WORD.findall(name.casefold()))} "


def _describe_unknown(subject: Subject, mentions: Sequence[Mention]) -> str:
    ids = list(dict.fromkeys(mention.id for mention in mentions))
    if len(ids) > MAX_NAMED:
        more = f"{len(ids) - MAX_NAMED:,} more"
        named = f"{', '.join(map(str, ids[:MAX_NAMED]))} and {more}"
        return f"{named} do not exist: {_did_you_mean('')}"
    if len(ids) > 1:
        return f"{', '.join(map(str, ids[:-1]))} and {ids[-1]} do not exist: {_did_you_mean('')}"
    close = ", ".join(str(other) for other in subject.citable.close_matches(ids[0]))
    return f"{ids[0]} does not exist: {_did_you_mean(close)}"


def _suggest(corpus: Corpus, artifacts: Sequence[Artifact], requirement: str) -> str:
    from difflib import get_close_matches

    wanted = _normalized(requirement)
    for one in corpus.artifacts:
        if any(_normalized(name) == wanted for name in _names(one)):
            return f"did you mean {one.name}, which has it?"
    names = [name for artifact in artifacts for name in _names(artifact)][:500]
    close = get_close_matches(requirement[:300], names, 1, 0.6)
    return _did_you_mean(f'"{close[0]}"' if close else "")


def _did_you_mean(close: str) -> str:
    return f"did you mean {close}?" if close else "name what exists, or take it out"


def _finding(mention: Mention, problem: str) -> Finding:
    severity: Severity = "critical" if mention.place == "comment" else "warning"
    place = PLACE_NAMES.get(mention.place)
    message = f"{place} names what is not there: {problem}" if place else problem
    text = mention.text.strip()
    return Finding(mention.path, mention.line, RULE.id, severity, message, text)


class _Comment(NamedTuple):
    """One artifact that a governing comment names, with the path and the text of the line."""

    path: str
    entry: GoverningReference
    text: str


def _stale_comments(subject: Subject) -> Iterator[_Comment]:
    """The governing comments that the change does not add, when it removes an id or a requirement.

    Ordered by path and line. Raises GitError.
    """
    if not _removes_names(subject.corpus_before, subject.corpus):
        return
    added = {(file.path, line.number) for file in subject.change.files for line in file.added}
    labelled = subject.after.grep(_LABELS, (), "-I", "-i")
    for path, text in subject.after.texts(labelled[:MAX_FILES]).items():
        if subject.is_artifact(path):
            continue
        lines = split_lines(text)
        for entry in read_governing(text, subject.names):
            if (path, entry.line) not in added:
                yield _Comment(path, entry, lines[entry.line - 1])


def _removes_names(before: Corpus, after: Corpus) -> bool:
    return before is not after and bool(_all_names(before) - _all_names(after))


def _all_names(corpus: Corpus) -> set[tuple[str, str]]:
    """Every id, and every id with the name of each of its requirements."""
    return {
        (str(id), name)
        for id, artifacts in corpus.by_id.items()
        for artifact in artifacts
        for name in ("", *(requirement.name for requirement in artifact.requirements))
    }


def _removed(subject: Subject, entry: GoverningReference) -> str:
    """The id or requirement of a comment that the change removes; "" when it removes neither."""
    before = resolve_mention(subject.corpus_before, entry.id)
    after = resolve_mention(subject.corpus, entry.id)
    if not before or not after:
        return str(entry.id) if before else ""
    name = entry.requirement
    if name and _has_requirement(before, name) and not _has_requirement(after, name):
        return f'the requirement "{name}" of {entry.id}'
    return ""


RULE = Rule(
    "dangling-reference",
    "critical",
    "A reference to an artifact or a requirement that does not exist.",
    "A reader who follows it finds nothing, and tools that rely on governing comments are led"
    " astray. Correct the id or the name, or add the record that it announces.",
    check,
    whole_tree=True,
)
