"""A new record whose number another record has, in the change or on the base branch."""

# Governing: SPEC-0010 REQ "Rules", SPEC-0002 REQ "Collisions are reported"

from __future__ import annotations

from collections.abc import Iterator

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, numbering_directory
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find each record that gets its number in this change and shares it with another record."""
    numbered = _newly_numbered(subject)
    if not numbered:
        return
    removed = {file.before for file in subject.change.files if file.before != file.path}
    removed |= {file.path for file in subject.change.files if not file.mode}
    proposed: dict[tuple[str, str], int] = {}
    for artifact, identifier in numbered:
        others = _others(subject, artifact, identifier, removed)
        if not others:
            continue
        series = (identifier.kind, identifier.module)
        proposed[series] = max(proposed.get(series, 0), _highest(subject, identifier)) + 1
        free = ArtifactId(identifier.kind, proposed[series], "", identifier.module)
        directory = numbering_directory(artifact.path)
        same = [other for other in others if numbering_directory(other) == directory]
        # Directories may count separately, so a number of another one is no error.
        severity: Severity = "critical" if same else "warning"
        taken = (same or others)[0]
        message = f"{identifier} is taken by {taken}: the next number that is free is {free}"
        line = next((one.first_line for one in artifact.sections if one.level), 1)
        yield Finding(artifact.path, line, RULE.id, severity, message, str(identifier))


def _newly_numbered(subject: Subject) -> list[tuple[Artifact, ArtifactId]]:
    """Find the records whose number differs from the one at the base, ordered by path."""
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
    subject: Subject, artifact: Artifact, identifier: ArtifactId, removed: set[str]
) -> list[str]:
    """The paths of other records with this id: after the change, then on the base branch."""
    after = [one.path for one in subject.corpus.resolve(identifier)]
    at_tip = [one.path for one in subject.corpus_tip.resolve(identifier)]
    paths = dict.fromkeys((*after, *(path for path in at_tip if path not in removed)))
    return [path for path in paths if path not in artifact.paths]


def _highest(subject: Subject, identifier: ArtifactId) -> int:
    """The highest number in use among the ids of the same kind and module."""

    def numbers(corpus: Corpus) -> Iterator[int]:
        for other in corpus.by_id:
            if (other.kind, other.module) == (identifier.kind, identifier.module):
                yield other.number

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
