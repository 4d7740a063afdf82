"""The evidence that a record governs a change: twelve kinds, each a number for every record.

Each kind is a pure function of the change, the records, and what the repository said before. A kind
is only compared with itself: `ranking` brings them together.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.review.change import Change, ChangedFile
from sdd_hooks.review.references.bm25 import Bm25
from sdd_hooks.review.references.history import Commit
from sdd_hooks.review.references.mentions import Mentions
from sdd_hooks.review.references.records import Record
from sdd_hooks.review.references.words import identifiers, words

BEST = 3
"""Sections of a record that count: the sum of the best three tells more than the best, or all."""
MOST_LINES = 3_000
"""Added lines of a file that are read."""
MOST_FILES = 40
MOST_WORDS = 40
"""Words of the added lines that a query has, those of highest tf-idf."""
MOST_WORDS_OF_FILE = 25

_LOCK = re.compile(
    r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|go\.sum|Gemfile\.lock"
    r"|poetry\.lock|uv\.lock)$|\.min\.js$|\.snap$|\.svg$"
)
_TEST = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|[._]test\.|\.spec\.|Tests?\.cs$")
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt")
_COMMENT = re.compile(r"\s*(?://+|#+|/?\*+|--|<!--|;|\"\"\"|''')\s?(.*)")

# Of a path in a title only its name tells something that the paths do not.
_DIRECTORIES = re.compile(r"[^\s/]+/(?=[^\s])")

Kind = str
Numbers = Sequence[float]


@dataclass(frozen=True)
class Known:
    """What the repository says without the change: the paths of its files, its records, where its
    files mention them (all at the base), the commits that named one, and those that touched a
    changed file, newest first."""

    paths: Sequence[str]
    records: Sequence[Record]
    mentions: Mentions
    naming: Sequence[Commit]
    touching: Sequence[Commit]

    @cached_property
    def by_id(self) -> Mapping[ArtifactId, Sequence[int]]:
        """The places of the records of each id."""
        found: dict[ArtifactId, list[int]] = defaultdict(list)
        for place, record in enumerate(self.records):
            if record.artifact.id:
                found[record.artifact.id].append(place)
        return found

    def places(self, ids: Iterable[ArtifactId]) -> set[int]:
        """The places of the records with these ids."""
        return {place for id in ids for place in self.by_id.get(id, ())}


def gather(change: Change, known: Known) -> dict[Kind, Numbers]:
    """Every kind of evidence, for every record in order; 0 is none."""
    return _Query(change, known).kinds()


class _Query:
    """A change against what is known; what several kinds need is made once."""

    def __init__(self, change: Change, known: Known) -> None:
        self.known = known
        self.files = [file for file in change.files if not _LOCK.search(file.path)]
        self.code = [file for file in self.files if not _TEST.search(file.path)] or self.files
        self.title = words(_DIRECTORIES.sub("", change.title))
        self.texts = {file.path: _added(file) for file in self.files}
        self.counts = {path: Counter(words(text)) for path, text in self.texts.items()}
        self.owner = [place for place, record in enumerate(known.records) for _ in record.sections]
        self.sections = Bm25([often for record in known.records for _, often in record.sections])
        self.share = 1 / max(1, len(self.files))

    def kinds(self) -> dict[Kind, Numbers]:
        path_words = set().union(*(words(file.path) for file in self.files), ())
        everything: Counter[str] = sum(self.counts.values(), Counter())
        title = Counter(self.title)
        asked = self.sections.most_telling(everything, MOST_WORDS)
        asked.update(path_words)
        asked.update({word: 2 * often for word, often in title.items()})
        subject = title + Counter(path_words)
        return {
            "sections": self._best(asked),
            "terms": self._best(self._all_words()),
            "files": self._votes(),
            "title": self._best(title),
            "prose": self._best(self.sections.most_telling(self._prose(), MOST_WORDS)),
            "identifiers": self._identifiers(),
            "paths": self._paths(),
            "comments": self._comments(),
            "neighbours": self._neighbours(),
            "governed": self._governed(asked),
            "history": self._history(),
            "messages": self._messages(subject),
        }

    def _best(self, query: Mapping[str, float]) -> Numbers:
        """The sum of the best sections of every record."""
        by_record: list[list[float]] = [[] for _ in self.known.records]
        for place, score in zip(self.owner, self.sections.scores(query), strict=True):
            by_record[place].append(score)
        return [sum(sorted(scores)[-BEST:]) for scores in by_record]

    def _all_words(self) -> dict[str, float]:
        """All words that the code of the change adds, those in many paths weighing less."""
        counts: Counter[str] = sum((self.counts[file.path] for file in self.code), Counter())
        paths = Counter(word for path in self.known.paths for word in set(words(path)))
        most = math.log(len(self.known.paths) + 2)
        return {
            word: (1 + math.log(often)) * (1 - math.log(paths[word] + 0.5) / most)
            for word, often in counts.items()
            if word in self.sections
        }

    def _votes(self) -> Numbers:
        """Each file of code asks for itself; a file's vote is at most one, and falls steeply."""
        votes = [0.0] * len(self.known.records)
        voters = 0
        for file in self.code[:MOST_FILES]:
            query = self.sections.most_telling(self.counts[file.path], MOST_WORDS_OF_FILE)
            query.update(words(file.path))
            scores = self._best(query)
            highest = max(scores, default=0.0)
            if highest > 0:
                voters += 1
                votes = [
                    vote + (score / highest) ** 2 for vote, score in zip(votes, scores, strict=True)
                ]
        return [vote / max(1, voters) for vote in votes]

    def _prose(self) -> Counter[str]:
        """The words of what the change adds for people: documents and comments."""
        found: Counter[str] = Counter()
        for file in self.files:
            if file.path.lower().endswith(_PROSE):
                found.update(self.counts[file.path])
                continue
            comments = (_COMMENT.match(line) for line in self.texts[file.path].split("\n"))
            found.update(words("\n".join(match[1] for match in comments if match)))
        return found

    def _identifiers(self) -> Numbers:
        records = self.known.records
        having = Counter(name for record in records for name in record.identifiers)
        named = identifiers([*self.texts.values(), *self.title])
        for file in self.files:
            for part in file.path.lower().split("/"):
                named |= {part, PurePosixPath(part).stem}
        return [
            sum(math.log(1 + len(records) / having[name]) for name in record.identifiers & named)
            / (1 + math.log1p(len(record.identifiers)))
            for record in records
        ]

    def _paths(self) -> Numbers:
        """How much of the change lies at paths that a record names, deeper ones telling more."""
        found = []
        for record in self.known.records:
            total = 0.0
            for path in record.paths:
                inside = sum(_is_at(file.path, path) for file in self.files)
                total += inside * self.share * (1 + path.count("/"))
            found.append(total)
        return found

    def _comments(self) -> Numbers:
        """What the changed files themselves mention."""
        found = [0.0] * len(self.known.records)
        for file in self.files:
            lines = self.known.mentions.get(file.before or file.path, ())
            often = Counter(id for line in lines for id in line.names)
            for id, times in often.items():
                for place in self.known.by_id.get(id, ()):
                    found[place] += self.share * (1 + math.log(times))
        return found

    def _neighbours(self) -> Numbers:
        """What files in the same directory mention, then in those around it, each half as much."""
        below: dict[str, list[tuple[str, set[int]]]] = defaultdict(list)
        for path, lines in self.known.mentions.items():
            places = self.known.places(id for line in lines for id in line.names)
            for directory in _directories(path):
                below[directory].append((path, places))
        found = [0.0] * len(self.known.records)
        for file in self.files:
            weight = 0.5
            for directory in _directories(file.path):
                others = [places for path, places in below.get(directory, ()) if path != file.path]
                for place, times in Counter(p for places in others for p in places).items():
                    found[place] += self.share * weight * times / (len(others) + 2)
                weight /= 2
                if weight < 0.1:
                    break
        return found

    def _governed(self, query: Mapping[str, float]) -> Numbers:
        """Likeness to the places that mention a record: their paths, and the lines that do."""
        about: list[Counter[str]] = [Counter() for _ in self.known.records]
        sizes = [0] * len(about)
        for path, lines in self.known.mentions.items():
            of_path = words(path)
            for line in lines:
                said = [*words(line.text), *of_path]
                for place in self.known.places(line.names):
                    if sizes[place] < MOST_LINES:
                        sizes[place] += len(said)
                        about[place].update(said)
        return Bm25(about).scores(query)

    def _history(self) -> Numbers:
        """The records named by commits that touched the same files, the latest telling most."""
        found = [0.0] * len(self.known.records)
        seen: Counter[str] = Counter()
        for commit in self.known.touching:
            places = self.known.places(commit.names)
            for path in commit.files:
                for place in places:
                    found[place] += self.share / math.sqrt(1 + seen[path])
                seen[path] += 1
        return found

    def _messages(self, query: Mapping[str, float]) -> Numbers:
        """Likeness to the messages of the commits that named a record."""
        about: list[Counter[str]] = [Counter() for _ in self.known.records]
        for commit in self.known.naming:
            said = words(commit.message)[:200]
            for place in self.known.places(commit.names):
                about[place].update(said)
        return Bm25(about).scores(query)


def _added(file: ChangedFile) -> str:
    return "\n".join(line.text[:400] for line in file.added[:MOST_LINES])


def _is_at(path: str, named: str) -> bool:
    return path == named or path.startswith(f"{named}/") or path.endswith(f"/{named}")


def _directories(path: str) -> list[str]:
    """The directories around a path, innermost first, without the top."""
    return [str(parent) for parent in PurePosixPath(path).parents][:-1]
