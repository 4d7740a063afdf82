"""A change as a query for records: its files, and the words and names that it adds."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from sdd_hooks.changes.change import Change
from sdd_hooks.code.languages import DOCUMENT_SUFFIXES
from sdd_hooks.code.paths import is_generated, is_sample, is_test
from sdd_hooks.review.references.words.change_words import ChangeWords
from sdd_hooks.review.references.words.splitting import find_identifiers, find_phrases, split_words
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine

MAX_TEXT = 2_000_000
"""Characters of added lines that are read, divided equally among the files."""
MIN_TEXT_PER_FILE = 500
"""Characters that are read of each file even when the change has many."""
MAX_LINE = 400
"""Characters of a line that are read."""

_PROSE = (*DOCUMENT_SUFFIXES, ".txt")
_COMMENT = lazy_regex(r"\s*(?://+|#+|/?\*+|--|<!--|;|\"\"\"|''')\s?(.*)")

# Of a path in a title only the file name is used: the paths of the files give the directories.
_DIRECTORIES = lazy_regex(r"(?<![^\s/])[^\s/]+/(?=[^\s])")
_TAKES_AWAY = lazy_regex(
    r"(?:\w+(?:\([^)]*\))?!?: )?(?:remove|replace|drop|delete|retire|deprecate|migrate|switch)\b",
    re.IGNORECASE,
)
MAX_HEADER = 80
"""Lines at the top of a file among which a header is looked for."""

_LICENCE = lazy_regex(
    r"licen[cs]ed under|SPDX-|©|\(c\) ?(?:19|20)[0-9]{2}|all rights reserved"
    r"|copyright\b.{0,40}(?:19|20)[0-9]{2}|permission is \w+ granted|(?-i:LICENSE) file"
    r"|\b(?:MIT|Apache|BSD|[AL]?GPL|MPL|Mozilla Public|General Public)\b.{0,20}licen[cs]e"
    r"|#region licen[cs]e",
    re.IGNORECASE,
)
_LINE = lazy_regex(r"\s*(?://|#|--|;|%|\*|'|$)")
_OPENING = lazy_regex(r"\s*(/\*|<!--|\{-|\(\*)")
_CLOSING = {"/*": "*/", "<!--": "-->", "{-": "-}", "(*": "*)"}


class ChangeQuery:
    """The files of a change that a person wrote: no generated and no reformatted ones.

    `code` are the files that are neither tests nor samples, or all files when there are no others.
    `share` is the part that one file has of the whole change. `title` are the words of the title,
    `title_phrases` its pairs of adjacent words, `taken_away` the words of what it says to remove.
    """

    def __init__(self, change: Change) -> None:
        self.files = [
            file for file in change.files if not (file.whitespace or is_generated(file.path))
        ]
        self.code = [
            file for file in self.files if not (is_test(file.path) or is_sample(file.path))
        ] or self.files
        self.share = 1 / max(1, len(self.files))
        self._limit = max(MIN_TEXT_PER_FILE, MAX_TEXT // max(1, len(self.files)))
        title = _DIRECTORIES.sub("", change.headline)
        self.title = Counter(split_words(title))
        self.title_phrases = find_phrases(title)
        takes_away = _TAKES_AWAY.match(title)
        self.taken_away = {*split_words(title[takes_away.end() :])} if takes_away else set[str]()

    @cached_property
    def added(self) -> Mapping[str, Sequence[NumberedLine]]:
        """The added lines of each file within the limits, by its path, without licences."""
        return {
            file.path: without_licence(list(_first_lines(file.added, self._limit)))
            for file in self.files
        }

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The same lines as one text for each file."""
        return {path: "\n".join(line.text for line in lines) for path, lines in self.added.items()}

    @cached_property
    def identifiers(self) -> set[str]:
        """Every identifier in the added lines."""
        return find_identifiers(self.texts.values())

    def find_first_use(self, identifier: str) -> tuple[str, int] | None:
        """Find the path and the line number of the first added line with an identifier."""
        for path, lines in self.added.items():
            for line in lines:
                if identifier in line.text.lower() and identifier in find_identifiers([line.text]):
                    return path, line.number
        return None

    @cached_property
    def path_names(self) -> Counter[str]:
        """How many files each path can mean: the whole path, its end, or a directory around it."""
        return Counter(name for file in self.files for name in _partial_paths(file.path))

    @cached_property
    def removed(self) -> Mapping[str, str]:
        """The removed lines of each file within the same limits, as one text."""
        return {
            file.path: "\n".join(line.text for line in _first_lines(file.removed, self._limit))
            for file in self.files
        }

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """The word counts of the added lines of each file; of the removed ones where none is."""
        return {
            path: Counter(split_words(text or self.removed[path]))
            for path, text in self.texts.items()
        }

    @cached_property
    def all_words(self) -> set[str]:
        """The words of the change, with those of the removed lines and the paths before it."""
        before = "\n".join((*self.removed.values(), *(file.before for file in self.files)))
        return self.words.distinct().union(split_words(before))

    @cached_property
    def words(self) -> ChangeWords:
        """The words of the title, the paths and the added lines."""
        paths = dict.fromkeys(word for file in self.files for word in split_words(file.path))
        return ChangeWords(self.title, list(paths), total_counts(self.counts.values()))

    def count_prose(self) -> Counter[str]:
        """Count the words of the added documents and comments."""
        counts: Counter[str] = Counter()
        for file in self.files:
            if file.path.lower().endswith(_PROSE):
                counts.update(self.counts[file.path])
                continue
            comments = (_COMMENT.match(line) for line in self.texts[file.path].split("\n"))
            counts.update(split_words("\n".join(match[1] for match in comments if match)))
        return counts


def total_counts(counts: Iterable[Counter[str]]) -> Counter[str]:
    """The sum of counts."""
    total: Counter[str] = Counter()
    for words in counts:
        total.update(words)
    return total


def _first_lines(lines: Iterable[NumberedLine], limit: int) -> Iterator[NumberedLine]:
    for line in lines:
        if limit <= 0:
            return
        limit -= len(line.text) + 1
        yield line._replace(text=line.text[:MAX_LINE])


def _partial_paths(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:end]) for end in range(1, len(parts) + 1)} | {
        "/".join(parts[start:]) for start in range(len(parts))
    }


def without_licence(lines: Sequence[NumberedLine]) -> Sequence[NumberedLine]:
    """The added lines of a file without the comments about its licence at the top.

    A block of comment lines, or a comment with a beginning and an end, is left out as a whole when
    it names a licence or a copyright. Only lines from the first one of the file on are compared.
    """
    if not lines or lines[0].number != 1:
        return lines
    kept: list[NumberedLine] = []
    start = 0
    while start < min(len(lines), MAX_HEADER):
        end = _end_of_comment(lines, start)
        if end == start:
            break
        comment = lines[start:end]
        if not any(_LICENCE.search(line.text) for line in comment):
            kept += comment
        start = end
    return [*kept, *lines[start:]]


def _end_of_comment(lines: Sequence[NumberedLine], start: int) -> int:
    """The index behind the comment that begins at `start`; `start` for none.

    A comment of single lines ends at an empty line, which belongs to it.
    """
    last = min(len(lines), start + MAX_HEADER)
    if opening := _OPENING.match(lines[start].text):
        closing = _CLOSING[opening[1]]
        for end in range(start, last):
            text = lines[end].text[opening.end() if end == start else 0 :]
            if closing in text:
                return end + 1
        return start
    for end in range(start, last):
        text = lines[end].text
        if not _LINE.match(text) or (end > start and _OPENING.match(text)):
            return end
        if not text.strip():
            return end + 1
    return last
