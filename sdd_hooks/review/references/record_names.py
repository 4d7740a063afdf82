"""The records that a text names: by their ids in any spelling, and by their file names.

Many texts name a record by a path or a link alone (`docs/decisions/0012-use-queues.md`). A path in
a web address may also be that of a record with the same number in another repository.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence), SPEC-0002 REQ "Identifiers
# in every spelling"

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import PurePosixPath

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    ArtifactId,
    IdReference,
    Origins,
    find_id_references,
)
from sdd_hooks.review.references.words import split_words

IdFinder = Callable[[str], Sequence[ArtifactId]]
"""Returns the ids of the artifacts that a text names."""

FILE_NAME = r"[0-9]{2,5}[-_][a-z0-9_-]+[.]mdx?"
"""The extended expression of grep(1) for what may be the file name of a record."""

MAX_NAME = 300
"""Characters of a file name in a text."""

# A name has a number and a word. The lookbehind makes the search linear.
_NAME = re.compile(rf"(?<![\w.-])[\w.-]{{5,{MAX_NAME}}}(?![\w.-])")
_SUFFIX = re.compile(r"\.(?:mdx?|markdown|html?)$")
_URL = re.compile(r"https?://[^\s<>()\[\]\"'`]{1,2000}", re.IGNORECASE)


def find_spelled_ids(text: str) -> Sequence[ArtifactId]:
    """The ids that a text spells, in order: an `IdFinder` for a repository without records."""
    return [reference.id for reference in find_id_references(text)]


class RecordNames:
    """Finds the ids in texts, among them those of `artifacts`, by their file names.

    `origins` are as in `identifiers.find_id_references`.
    """

    def __init__(self, artifacts: Iterable[Artifact], origins: Origins = NO_ORIGINS) -> None:
        self._origins = origins
        self._by_stem: dict[str, ArtifactId] = {}
        self._words: dict[ArtifactId, set[str]] = defaultdict(set)
        for one in artifacts:
            if one.kind == "ADR" and one.id:
                stem = PurePosixPath(one.path).stem.lower()
                self._words[one.id].update(_slug_words(stem))
                if re.search(r"[0-9]", stem) and re.search(r"[a-z]", stem):
                    self._by_stem.setdefault(stem, one.id)

    def find(self, text: str) -> Sequence[ArtifactId]:
        """Find the ids that a text names, each once. Never raises.

        An id in a web address is left out when the file name there has no word in common with
        that of the record: it is a record of another repository.
        """
        references = list(find_id_references(text, self._origins))
        foreign: set[int] = set()
        if references and "://" in text:
            foreign = set(self._find_foreign(text, references))
        spelled = (one.id for one in references if one.start not in foreign)
        return list(dict.fromkeys((*spelled, *self._find_named(text))))

    def _find_named(self, text: str) -> Iterator[ArtifactId]:
        if not self._by_stem or ("." not in text and "/" not in text):
            return
        for name in _NAME.findall(text):
            if id := self._by_stem.get(_stem(name)):
                yield id

    def _find_foreign(self, text: str, references: Iterable[IdReference]) -> Iterator[int]:
        """The starts of the references that are in addresses of records of other repositories."""
        urls = [match.span() for match in _URL.finditer(text)]
        for one in references:
            # The last address that begins at or before the reference.
            before = bisect_right(urls, one.start, key=itemgetter(0)) - 1
            span = urls[before] if before >= 0 and one.start < urls[before][1] else None
            known = self._words.get(one.id)
            if span and known:
                path = re.split(r"[#?]", text[span[0] : span[1]])[0]
                if one.start >= span[0] + len(path):
                    continue
                last = text.rfind("/", span[0], one.end) + 1 - span[0]
                stem = _stem(path[last:].partition("/")[0])
                slug = _slug_words(stem)
                if stem not in self._by_stem and slug and known.isdisjoint(slug):
                    yield one.start


def _slug_words(stem: str) -> set[str]:
    """The words of a file name that tell what a record is about."""
    return {word for word in split_words(stem) if word.isalpha()} - _LABELS


_LABELS = frozenset({"adr", "adrs", "decision", "decisions", "record", "blob"})


def _stem(name: str) -> str:
    return _SUFFIX.sub("", name.lower().rstrip(".-"))
