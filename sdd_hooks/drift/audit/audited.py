"""What the rules of an audit look at: a work tree, its records, and what names them."""

# Governing: ADR-0021 (rules are functions), SPEC-0019 REQ "Right or silent"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from sdd_hooks.artifacts.applies_to import AppliesTo, read_applies_to
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_production_code, is_sample
from sdd_hooks.drift.citations import Citation, Citations
from sdd_hooks.drift.whole_tree import Scope
from sdd_hooks.review.rules.decision.blocks import DecisionRule, read_rules
from sdd_hooks.review.subject import Subject

PENDING = frozenset({"proposed", "draft", "review"})
"""The statuses of a record that is not decided yet."""
MIN_NAMED = 3
"""Records that code names before a record that it does not name means something."""
MIN_SHARE = 0.8
"""The share of the records in force that code names, for the same."""

# Languages of data and markup, which no decision governs file by file.
_NO_CODE = frozenset({"yaml", "html", "css", "scss", "sass", "less"})


def _find_nothing(_: Sequence[str]) -> frozenset[str]:
    return frozenset()


def _find_no_commit(_: Sequence[ArtifactId]) -> frozenset[ArtifactId]:
    return frozenset()


@dataclass(frozen=True)
class Audited:
    """A whole tree, and the evidence about its records.

    `paths` are all files of the work tree, whatever the scope. `naming_files` has the files that
    name a record in any spelling, by the path of the record. `words_in_code` returns those of some
    words that code has, and `ids_in_commits` those of some ids that a commit with code names; both
    are asked for few records only.
    """

    subject: Subject
    scope: Scope
    citations: Citations
    today: date
    paths: Sequence[str] = ()
    naming_files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words_in_code: Callable[[Sequence[str]], frozenset[str]] = _find_nothing
    ids_in_commits: Callable[[Sequence[ArtifactId]], frozenset[ArtifactId]] = _find_no_commit

    @property
    def corpus(self) -> Corpus:
        """All records of the work tree."""
        return self.subject.corpus

    @cached_property
    def records(self) -> tuple[Artifact, ...]:
        """The records in scope."""
        return tuple(
            one
            for one in self.corpus.artifacts
            if any(self.scope.contains(path) for path in one.paths)
        )

    @cached_property
    def cited(self) -> Mapping[str, tuple[Citation, ...]]:
        """The governing comments that name each record, by the path of the record."""
        return Citations(self.citations.comments).by_artifact(self.corpus)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The files of production code in the work tree."""
        return tuple(path for path in self.paths if is_source(path) and path not in self._documents)

    @cached_property
    def source_set(self) -> frozenset[str]:
        """The same as a set."""
        return frozenset(self.sources)

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset(path for path in self.paths if self.subject.is_artifact(path))

    def named_in_code(self, artifact: Artifact) -> tuple[str, ...]:
        """The files of production code that name a record, in a governing comment or elsewhere."""
        commented = (one.path for one in self.cited.get(artifact.path, ()))
        named = self.naming_files.get(artifact.path, ())
        return tuple(dict.fromkeys(path for path in (*commented, *named) if is_source(path)))

    @cached_property
    def names_records(self) -> bool:
        """Whether code names nearly all accepted decisions, so that it matters if it does not."""
        accepted = [
            one
            for one in self.corpus.artifacts
            if one.kind == "ADR" and one.status.value == "accepted"
        ]
        named = sum(bool(self.named_in_code(one)) for one in accepted)
        return named >= MIN_NAMED and named >= MIN_SHARE * len(accepted)

    def applies_to(self, artifact: Artifact) -> AppliesTo:
        """The files and symbols that a record states."""
        return self._statements[artifact.path][0]

    def rules_of(self, artifact: Artifact) -> Sequence[DecisionRule]:
        """The decision rules that a record states."""
        return self._statements[artifact.path][1]

    @cached_property
    def _statements(self) -> Mapping[str, tuple[AppliesTo, Sequence[DecisionRule]]]:
        return dict(self._read_statements())

    def _read_statements(self) -> Iterator[tuple[str, tuple[AppliesTo, Sequence[DecisionRule]]]]:
        for artifact in self.corpus.artifacts:
            text = self.subject.text(artifact.path)
            rules = read_rules(text)[0] if artifact.kind == "ADR" else ()
            yield artifact.path, (read_applies_to(artifact, text), rules)


def is_source(path: str) -> bool:
    """Whether a path is that of production code, which a decision can govern."""
    language = find_language(path)
    return (
        language is not None
        and language not in _NO_CODE
        and is_production_code(path)
        and not is_sample(path)
    )
