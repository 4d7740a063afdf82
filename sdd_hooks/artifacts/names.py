"""What artifacts are called by, and where a text names one that has no number.

`20201103-use-lunr`, `use-kafka` and `PAY-0001` are ids like `ADR-0012`. A name that has the digits
of a number or of a date counts in any place. Any other may be a usual word: it counts on a line
such as `Refs: use-kafka`, as a link, as a path, and in a code span.
"""

# Governing: SPEC-0002 REQ "Identifiers in every spelling", SPEC-0024 REQ "Naming an artifact"

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import (
    LABEL,
    NO_ORIGINS,
    RECORD_SUFFIX,
    ArtifactId,
    IdReference,
    NamedOrigins,
    Origins,
)
from sdd_hooks.project.record_names import FOLDER_PAGES
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_WORD = 1_000
"""Characters of a word, such as a web address, that may name an artifact."""

_MAX_USUAL = 100_000
_WORD = lazy_regex(r"[^\s<>()\[\]\"'`,;|]+")
_PAGES = FOLDER_PAGES | {"spec", "design", "requirements"}
_DATE = lazy_regex(r"(?:[0-9]{4}-?[0-9]{2}-?[0-9]{2}|[0-9]{1,5})[-_.]+(?=.*[^\W\d])")
_ZEROS = lazy_regex(r"(?<![0-9])0+(?=[0-9])")
_REFERS = lazy_regex(
    r"""^[^\w\n]{0,10}(?:refs?|references?|see(?:[ ]also)?|(?:related[ ])?(?:adrs?|decisions?
    |records?|specs?)|relate[sd](?:[ -]to)?|governing|governed[ ]by|implements|follows|supersedes
    |extends|rfcs?)[*_]{0,3}[ ]?[:：](?P<names>[^\n]{1,2000})""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_ITEM = lazy_regex(r"[^,;\n]+")


def name_key(name: str) -> str:
    """What all spellings of a name have in common: `PAY_1` and `pay-0001`."""
    return _ZEROS.sub("", re.sub(r"[\s_-]+", "-", name.strip(" `*[]").casefold()))


def name_keys(artifact: Artifact) -> tuple[list[str], list[str]]:
    """The keys by which an artifact is called, and those that count where no other has them.

    The second are of an artifact without a number: its name without the date, and its title.
    """
    identifier, stem = artifact.id, artifact.place.name
    labels = (LABEL.match(stem), LABEL.match(str(artifact.frontmatter.get("id", ""))))
    names = [stem, *(label[0] for label in labels if label)]
    title = LABEL.match(artifact.title)
    others = [title[0]] if title else []
    if identifier.name:
        names.append(identifier.name)
        others += [_DATE.sub("", stem, count=1), artifact.title]
    return [name_key(one) for one in names], [name_key(one) for one in others]


class NamesOfArtifacts(NamedOrigins):
    """Finds the artifacts of a repository by their names. `origins` are those of other ones."""

    def __init__(self, artifacts: Iterable[Artifact], origins: Origins = NO_ORIGINS) -> None:
        super().__init__(origins)
        self._by_key: dict[str, list[Artifact]] = {}
        keys = [(one, *name_keys(one)) for one in artifacts]
        self._has_names = any(one.id.name for one, *_ in keys)
        # Words that name nothing anywhere: most of a text, and the same ones in the next text.
        self._usual: set[str] = set()
        for one, strong, _ in keys:
            for key in filter(None, dict.fromkeys(strong)):
                self._by_key.setdefault(key, []).append(one)
        known = frozenset(self._by_key)
        for one, _, weak in keys:
            for key in {*weak} - known - {""}:
                self._by_key.setdefault(key, []).append(one)

    @property
    def spelled(self) -> Sequence[str]:
        """Each of the names with the path of its artifact."""
        return [f"{key}={one.path}={one.id}" for key, of in self._by_key.items() for one in of]

    def called(self, name: str) -> Sequence[Artifact]:
        """The artifacts that are called so, several for a name that is not unique."""
        return self._by_key.get(name_key(RECORD_SUFFIX.sub("", name)), ())

    def find_named(self, text: str, labelled: bool = False) -> Sequence[IdReference]:
        """The names of artifacts without a number in a text, in order."""
        return list(self._find(text, labelled)) if self._has_names else ()

    def _find(self, text: str, labelled: bool) -> Iterator[IdReference]:
        refers = [match.span("names") for match in _REFERS.finditer(text)]
        if not self._may_name(text) and not (labelled or refers):
            return
        end = 0
        for match in _WORD.finditer(text):
            start = match.start()
            if start < end or match.end() - start > MAX_WORD:
                continue
            at = bisect_right(refers, (start, len(text))) - 1
            is_labelled = labelled or (at >= 0 and start < refers[at][1])
            if not is_labelled and match[0] in self._usual:
                continue
            item = _ITEM.match(text, start) if is_labelled else None
            # A title has spaces.
            titled = self.called(item[0].strip("*_`. ")) if item and len(item[0]) < MAX_WORD else ()
            if item and (found := _unnumbered(titled)):
                end = item.end()
                yield from (IdReference(one, start, start + len(item[0].rstrip())) for one in found)
                continue
            before, after = text[max(0, start - 2) : start], text[match.end() : match.end() + 1]
            word = _bare(match[0])
            start = match.end() - len(match[0].lstrip("*_~"))
            is_marked = is_labelled or before == "](" or (before[-1:] == after == "`")
            for one in self._meant(word, is_marked):
                yield IdReference(one, start, start + len(word))

    def _may_name(self, text: str) -> bool:
        """Whether a word of a text names an artifact, at least as a link."""
        new = {*_WORD.findall(text)} - self._usual
        naming = {one for one in new if len(one) <= MAX_WORD and self._meant(_bare(one), True)}
        if len(self._usual) < _MAX_USUAL:
            self._usual |= new - naming
        return bool(naming)

    def _meant(self, word: str, is_marked: bool) -> list[ArtifactId]:
        """The ids of the artifacts that a word, a path or a web address means."""
        path = re.split("[#?]", word, maxsplit=1)[0].rstrip("/")
        has_suffix = bool(RECORD_SUFFIX.search(path))
        parts = [one for one in path.split("/") if one not in ("", ".", "..")] or [""]
        name = RECORD_SUFFIX.sub("", parts.pop())
        if has_suffix and parts and name.lower() in _PAGES:
            name = parts.pop()
        found = self._by_key.get(name_key(name), ())
        if not found or _is_distinct(name):
            return _unnumbered(found)
        if parts:
            # `src/logging.py` is not the record `logging`.
            return _unnumbered(
                one for one in found if one.place.parent.name.lower() == parts[-1].lower()
            )
        return _unnumbered(found) if is_marked or "/" in word else []


def _bare(word: str) -> str:
    return word.lstrip("*_~").rstrip("*_~.:!?")


def _unnumbered(found: Iterable[Artifact]) -> list[ArtifactId]:
    return list(dict.fromkeys(one.id for one in found if one.id.name))


def _is_distinct(name: str) -> bool:
    """Whether a name is no usual word: it has a number or a date, and more."""
    return bool(re.search(r"[0-9]{3}|[0-9]-[0-9]{2}-", name) and re.search(r"[^\W\d]", name))
