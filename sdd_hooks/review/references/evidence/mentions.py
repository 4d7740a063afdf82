"""The records that a text names, and the lines of the files of a commit that name some.

A text names a record by its id in any spelling, or by a path or a link alone
(`docs/decisions/0012-use-queues.md`). A path in a web address may also be that of a record with the
same number in another repository. The lines are cached for the base of the last review: for another
base, only the files that differ are searched again.
"""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from operator import itemgetter
from typing import Any

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import (
    NO_ORIGINS,
    RECORD_SUFFIX,
    ArtifactId,
    IdReference,
    Origins,
    find_id_references,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.remote.urls import RemoteUrl, parse_remote
from sdd_hooks.review.references.cache import load_cached, store_cached
from sdd_hooks.review.references.words.splitting import split_words
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.lazy_regex import lazy_regex

IdFinder = Callable[[str], Sequence[ArtifactId]]
"""Returns the ids of the artifacts that a text names."""

FILE_NAME = r"[0-9]{2,5}[-_][a-z0-9_-]+[.]mdx?"
"""The extended expression of grep(1) for what may be the file name of a record."""

MAX_NAME = 300
"""Characters of a file name in a text."""

# A name has a number and a word. The lookbehind makes the search linear.
_NAME = lazy_regex(rf"(?<![\w.-])[\w.-]{{5,{MAX_NAME}}}(?![\w.-])")
_URL = lazy_regex(r"https?://[^\s<>()\[\]\"'`]{1,2000}", re.IGNORECASE)
_LABELS = frozenset({"adr", "adrs", "decision", "decisions", "record", "blob"})
MAX_LINE = 600
"""Bytes of a line that are kept."""
MAX_LINES = 200
"""Lines of a file that are kept."""
MAX_CHANGED = 500
"""Files that are searched one by one. When more differ, all files are searched."""

_CACHE = "mentions"
_MENTION = rf"adrs?[-_ #/(]*[0-9]{{1,4}}|decision[-_ #]*[0-9]+|spec-[0-9]{{3}}|{FILE_NAME}"
_COMMAND = ("grep", "-I", "--line-number", "--ignore-case", "--null", "--full-name")


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
            if one.kind == "ADR":
                stem = one.place.name.lower()
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

    def find_cited(self, text: str, remotes: Callable[[], Iterable[RemoteUrl]]) -> Set[ArtifactId]:
        """Find the ids of this repository that a text cites. Never raises.

        A web address cites a record if it is in one of the repository's `remotes`, or ends in the
        name of its file on a host that has none of them.
        """

        def own(url: re.Match[str]) -> str:
            address = parse_remote(re.split(r"[#?]", url[0])[0])
            if address is None:
                return ""
            path = f"{address.path}/".lower()
            there = [one.path.lower() for one in remotes() if one.host == address.host]
            names = (one.id.name for one in find_id_references(url[0], self._origins))
            named = not there and (_stem(address.name) in self._by_stem or any(names))
            return url[0] if named or any(path.startswith(f"{one}/") for one in there) else ""

        return set(self.find(_URL.sub(own, text) if "://" in text else text))

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
            # An address as a whole was found by its name and its folder.
            if span and known and one.start > span[0]:
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


def _stem(name: str) -> str:
    return RECORD_SUFFIX.sub("", name.lower().rstrip(".-"))


class FileMention(NamedTuple):
    """A line of a file that mentions records, with the ids of the records."""

    line: int
    text: str
    ids: tuple[ArtifactId, ...]


FileMentions = Mapping[str, Sequence[FileMention]]
"""The mentions of each file, by its path."""


def read_file_mentions(
    repository: Repository,
    commit: str,
    wanted: Callable[[str], bool],
    find_ids: IdFinder = find_spelled_ids,
) -> FileMentions:
    """Read the mentions of the `wanted` files of `commit`. Binary files have none."""
    cached = load_cached(repository, _CACHE)
    lines = _from_rows(cached.get("files"))
    before = cached.get("commit")
    if lines is None or not isinstance(before, str) or not before.isalnum():
        lines = _grep(repository, commit, ())
    elif before != commit:
        lines = _update(repository, lines, before, commit)
    if before != commit:
        store_cached(repository, _CACHE, {"commit": commit, "files": lines})
    mentions = {}
    for path, rows in lines.items():
        if wanted(path):
            in_file = [FileMention(number, text, tuple(find_ids(text))) for number, text in rows]
            if with_ids := [mention for mention in in_file if mention.ids]:
                mentions[path] = with_ids
    return mentions


_Lines = dict[str, list[tuple[int, str]]]


def _update(repository: Repository, lines: _Lines, before: str, commit: str) -> _Lines:
    """The lines at `commit`, from those at `before` and a search of the files that differ."""
    command = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, commit)
    listed = repository.git.try_output(*command)
    changed = nul_split(listed or b"")
    if listed is None or len(changed) > MAX_CHANGED:
        return _grep(repository, commit, ())
    kept = {path: rows for path, rows in lines.items() if path not in set(changed)}
    if changed:
        kept.update(_grep(repository, commit, [f":(literal){path}" for path in changed]))
    return kept


def _grep(repository: Repository, commit: str, pathspecs: Sequence[str]) -> _Lines:
    # git fails without a match, and when a partial clone lacks a blob: the output counts.
    options = ("--extended-regexp", "-e", _MENTION, commit, "--", *pathspecs)
    output = repository.git.run(*_COMMAND, *options).stdout
    lines: _Lines = {}
    prefix = len(commit) + 1
    for row in output.split(b"\n"):
        name, _, rest = row.partition(b"\0")
        number, _, line = rest.partition(b"\0")
        if number.isdigit():
            rows = lines.setdefault(os.fsdecode(name[prefix:]), [])
            if len(rows) < MAX_LINES:
                rows.append((int(number), line[:MAX_LINE].decode("utf-8", "replace")))
    return lines


def _from_rows(cached: Any) -> _Lines | None:
    """The cached lines, None when they do not have the stored form."""
    if not isinstance(cached, dict):
        return None
    lines: _Lines = {}
    for path, rows in cached.items():
        lines[path] = []
        for row in rows if isinstance(rows, list) else [None]:
            match row:
                case [int(number), str(text)]:
                    lines[path].append((number, text))
                case _:
                    return None
    return lines
