"""What the review knows of one change, so that it can be ranked again without its repository."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sdd_hooks.changes.diff import read_change
from sdd_hooks.project.project import load_project
from sdd_hooks.review.references.asking.question import (
    Eligibility,
    find_cited_ids,
    find_silencing_trailer,
)
from sdd_hooks.review.references.evidence.gather import gather_evidence
from sdd_hooks.review.references.words.change_words import Measures
from sdd_hooks.review.review import subject_of

CITING = frozenset({"comments", "neighbours", "governed", "history", "messages"})
"""The kinds of evidence of a repository that cites its records."""


class Facts(NamedTuple):
    """The change, and the evidence for each record of its repository.

    `files` are the path and git's letter of each changed file, `paths` those of the records.
    `evidence` has one number of each kind for every record, and so has each of `measures`; `links`
    has the indexes of the records that each one names. `offers` are the paths to ask about when a
    record is first: its own, that of its replacement, or "" when the change cites it. `silent` is
    whether the review asks nothing anyway.
    """

    title: str
    files: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]
    evidence: Mapping[str, Sequence[float]]
    measures: Measures
    links: tuple[tuple[int, ...], ...]
    offers: tuple[str, ...]
    silent: bool

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Facts:
        """The facts from the data of `_asdict`. Raises TypeError for those of another version."""
        facts = cls(**data)
        return facts._replace(
            files=tuple((path, status) for path, status in facts.files),
            paths=tuple(facts.paths),
            measures=Measures(*facts.measures),
            links=tuple(tuple(indexes) for indexes in facts.links),
            offers=tuple(facts.offers),
        )

    def without_citations(self) -> Facts:
        """The same facts of a repository in which no file and no commit names a record."""
        kept = {kind: one for kind, one in self.evidence.items() if kind not in CITING}
        return self._replace(evidence=kept)

    def restricted_to(self, kinds: Container[str]) -> Facts:
        """The same facts with no evidence of other kinds."""
        evidence = {
            kind: numbers if kind in kinds else [0.0] * len(numbers)
            for kind, numbers in self.evidence.items()
        }
        links = self.links if "links" in kinds else tuple(() for _ in self.links)
        return self._replace(evidence=evidence, links=links)


def gather_facts(root: Path, base: str, head: str) -> Facts:
    """Gather the facts of `base..head` as `sdd review` does in the work tree at `root`."""
    project = load_project(root, os.environ)
    change = read_change(project.repository.git, base, head)
    subject = subject_of(project, change, tip=change.base_tip)
    files = tuple((file.path, file.status) for file in change.files)
    if not any(artifact.kind == "ADR" for artifact in subject.corpus.artifacts):
        return Facts(change.title, files, (), {}, Measures((), (), ()), (), (), silent=True)
    found = gather_evidence(project.repository, subject)
    context = found.context
    records = [record.artifact for record in context.records]
    changed = {file.path for file in change.files}
    eligibility = Eligibility(subject.corpus, find_cited_ids(subject), changed)
    offers = (
        "" if eligibility.is_cited(one) else eligibility.find_eligible(one) for one in records
    )
    return Facts(
        change.title,
        files,
        tuple(record.path for record in records),
        {kind: tuple(numbers) for kind, numbers in found.weighed.scores.items()},
        found.weighed.measures,
        tuple(tuple(sorted(context.find_linked(index))) for index in range(len(records))),
        tuple(offer[0] if offer else "" for offer in offers),
        silent=bool(find_silencing_trailer(change)) or not found.query.files,
    )
