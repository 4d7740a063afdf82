"""A new record whose number somebody else has, here or on the base branch by now."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Collisions are reported"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Every record that has its number from this change, and shares it with another record."""
    numbered = newly_numbered(subject)
    if not numbered:
        return
    gone = {file.before for file in subject.change.files if file.before != file.path}
    gone |= {file.path for file in subject.change.files if not file.mode}
    given: dict[tuple[str, str], int] = {}
    for artifact, identifier in numbered:
        others = _others(subject, artifact, identifier, gone)
        if not others:
            continue
        series = (identifier.kind, identifier.module)
        given[series] = max(given.get(series, 0), _last(subject, identifier)) + 1
        free = ArtifactId(identifier.kind, given[series], "", identifier.module)
        message = f"{identifier} is taken by {others[0]}: the next number that is free is {free}"
        line = next((one.first_line for one in artifact.sections if one.level), 1)
        yield Finding(artifact.path, line, RULE.id, "critical", message, str(identifier))


def newly_numbered(subject: Subject) -> list[tuple[Artifact, ArtifactId]]:
    """The records whose number is not the one that they had at the base, by path."""
    former = {file.path: file.before for file in subject.change.files}
    touched = (path for path in former if subject.is_artifact(path))
    found = {one.path: one for path in touched if (one := subject.corpus.by_path.get(path))}
    numbered = []
    for _, artifact in sorted(found.items()):
        before = former.get(artifact.path, artifact.path)
        known = subject.corpus_before.by_path.get(before)
        if artifact.id and (known is None or known.id != artifact.id):
            numbered.append((artifact, artifact.id))
    return numbered


def _others(
    subject: Subject, artifact: Artifact, identifier: ArtifactId, gone: set[str]
) -> list[str]:
    """The paths of other records with this id: of this change's, then of the base's."""
    here = [one.path for one in subject.corpus.resolve(identifier)]
    there = [one.path for one in subject.corpus_tip.resolve(identifier) if one.path not in gone]
    return [path for path in dict.fromkeys((*here, *there)) if path not in artifact.paths]


def _last(subject: Subject, identifier: ArtifactId) -> int:
    """The highest number that is given in the series of `identifier`."""

    def numbers(corpus: Corpus) -> Iterator[int]:
        for one in corpus.by_id:
            if (one.kind, one.module) == (identifier.kind, identifier.module):
                yield one.number

    return max((*numbers(subject.corpus), *numbers(subject.corpus_tip)))


RULE = Rule(
    "duplicate-number",
    "critical",
    "A new record whose number is taken.",
    "Two records with one number cannot be told apart by what refers to them. Rename the one that"
    " is not merged yet, in its file name and its title.",
    check,
    guards_records=True,
)
