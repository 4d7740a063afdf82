"""Evidence from what people wrote down: in records, in code around the change, in earlier commits.

A place is that of a record among the records; each function gives a number for every place.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.file_mentions import Mentions
from sdd_hooks.review.references.history import Commit
from sdd_hooks.review.references.query import Query
from sdd_hooks.review.references.records import Record
from sdd_hooks.review.references.words import words

MOST_WORDS_ABOUT = 3_000
"""Words of the places that mention a record."""
MOST_WORDS_OF_MESSAGE = 200
NEAREST = 0.5
"""What a mention in the same directory weighs; in each directory around it half of that."""
FARTHEST = 0.1


@dataclass(frozen=True)
class Known:
    """What the repository says without the change: the paths of its files, its records and
    specifications, where its files mention them (at the base), the commits that name one, and
    those that touched a changed file, both newest first."""

    paths: Sequence[str]
    records: Sequence[Record]
    specs: Sequence[Artifact]
    mentions: Mentions
    naming: Sequence[Commit]
    touching: Sequence[Commit]

    @cached_property
    def by_id(self) -> Mapping[ArtifactId, Sequence[int]]:
        """The places of the records of each id; for a specification's, of those it leads to.

        An id without a module means the root's, and any module's where the root has none.
        """
        found: dict[ArtifactId, list[int]] = defaultdict(list)
        for place, record in enumerate(self.records):
            if record.artifact.id:
                found[record.artifact.id].append(place)
        for id, places in list(found.items()):
            bare = replace(id, module="")
            if id.module and bare not in found:
                found[bare] += places
        for spec in self.specs:
            if spec.id:
                led = {edge.target for edge in spec.edges if edge.target.kind == "ADR"}
                found[spec.id] += [place for id in sorted(led) for place in found.get(id, ())]
        return found

    @cached_property
    def said(self) -> Sequence[Sequence[str]]:
        """The words of the message of each commit that names a record."""
        return [words(commit.message) for commit in self.naming]

    def places(self, ids: Iterable[ArtifactId]) -> set[int]:
        """The places of the records that these ids name."""
        return {place for id in ids for place in self.by_id.get(id, ())}

    def named_by(self, place: int) -> set[int]:
        """The places of the other records that one names; a bare id is one of its own module."""
        record = self.records[place]
        module = record.artifact.module
        ids = (id if id.module else replace(id, module=module) for id in record.content.names)
        return self.places(ids) - {place}


def named_identifiers(query: Query, known: Known) -> list[float]:
    """The identifiers that a record names and the change touches, rare ones telling more."""
    records = known.records
    having = Counter(name for record in records for name in record.content.identifiers)
    touched = {*query.touched, *query.title}
    for file in query.files:
        for part in file.path.lower().split("/"):
            touched |= {part, PurePosixPath(part).stem}
    return [
        sum(
            math.log(1 + len(records) / having[name])
            for name in sorted(record.content.identifiers & touched)
        )
        / (1 + math.log1p(len(record.content.identifiers)))
        for record in records
    ]


def named_paths(query: Query, known: Known) -> list[float]:
    """How much of the change lies at paths that a record names, deeper ones telling more."""
    return [
        sum(
            query.share * query.inside[path] * (1 + path.count("/"))
            for path in sorted(record.content.paths)
        )
        for record in known.records
    ]


def mentioned_inside(query: Query, known: Known) -> list[float]:
    """What the changed files themselves mention."""
    found = [0.0] * len(known.records)
    for file in query.files:
        lines = known.mentions.get(file.before or file.path, ())
        often = Counter(place for line in lines for place in known.places(line.names))
        for place, times in often.items():
            found[place] += query.share * (1 + math.log(times))
    return found


def mentioned_nearby(query: Query, known: Known) -> list[float]:
    """What files in the same directory mention, then in those around it."""
    own: dict[str, set[int]] = {}
    below: dict[str, Counter[int]] = defaultdict(Counter)
    files: Counter[str] = Counter()
    for path, lines in known.mentions.items():
        own[path] = known.places(id for line in lines for id in line.names)
        for directory in _directories(path):
            below[directory].update(own[path])
            files[directory] += 1
    found = [0.0] * len(known.records)
    for file in query.files:
        weight = NEAREST
        for directory in _directories(file.path):
            others = files[directory] - (file.path in own)
            for place, times in below.get(directory, Counter()).items():
                beside = times - (place in own.get(file.path, ()))
                found[place] += query.share * weight * beside / (others + 2)
            weight /= 2
            if weight < FARTHEST:
                break
    return found


def like_mentioning(asked: Mapping[str, float], known: Known) -> list[float]:
    """Likeness to the places that mention a record: their paths, and the lines that do."""
    about: list[Counter[str]] = [Counter() for _ in known.records]
    sizes = [0] * len(about)
    for path, lines in known.mentions.items():
        of_path = words(path)
        for line in lines:
            hungry = [p for p in known.places(line.names) if sizes[p] < MOST_WORDS_ABOUT]
            said = [*words(line.text), *of_path] if hungry else []
            for place in hungry:
                sizes[place] += len(said)
                about[place].update(said)
    return Bm25(about, asked.keys()).scores(asked)


def named_by_commits(query: Query, known: Known) -> list[float]:
    """The records that commits to the same files named, the latest telling most."""
    found = [0.0] * len(known.records)
    seen: Counter[str] = Counter()
    for commit in known.touching:
        places = known.places(commit.names)
        for path in commit.files:
            for place in places:
                found[place] += query.share / math.sqrt(1 + seen[path])
            seen[path] += 1
    return found


def like_messages(query: Query, known: Known) -> list[float]:
    """Likeness of title and paths to the messages of the commits that named a record."""
    about: list[Counter[str]] = [Counter() for _ in known.records]
    for commit, said in zip(known.naming, known.said, strict=True):
        for place in known.places(commit.names):
            about[place].update(said[:MOST_WORDS_OF_MESSAGE])
    asked = query.title + Counter(query.path_words)
    return Bm25(about, asked.keys()).scores(asked)


def _directories(path: str) -> list[str]:
    """The directories around a path, innermost first, without the top."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]
