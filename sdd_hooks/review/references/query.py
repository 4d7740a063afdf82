"""A change as it is compared with records: its files, its words, what is made of them once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.words import identifiers, words
from sdd_hooks.text.lines import NumberedLine

MOST_TEXT = 2_000_000
"""Characters of added lines that are read, in equal parts of every file, at least LEAST_OF_FILE."""
LEAST_OF_FILE = 500
LONGEST_LINE = 400

_LOCK = re.compile(
    r"(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|go\.sum|Gemfile\.lock"
    r"|poetry\.lock|uv\.lock)$|\.min\.js$|\.snap$|\.svg$"
)
_TEST = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|[._]test\.|\.spec\.|Tests?\.cs$")
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt")
_COMMENT = re.compile(r"\s*(?://+|#+|/?\*+|--|<!--|;|\"\"\"|''')\s?(.*)")

# Of a path in a title only its name tells something that the paths do not.
_DIRECTORIES = re.compile(r"(?<![^\s/])[^\s/]+/(?=[^\s])")


class Query:
    """A change without generated files, and those that are only formatted.

    `code` are its files that are no tests (all, where there are only tests); `share` is what one
    file is of the whole.
    """

    def __init__(self, change: Change) -> None:
        self.files = [
            file for file in change.files if not (file.whitespace or _LOCK.search(file.path))
        ]
        self.code = [file for file in self.files if not _TEST.search(file.path)] or self.files
        self.share = 1 / max(1, len(self.files))
        self.title = Counter(words(_DIRECTORIES.sub("", change.title)))

    @cached_property
    def added(self) -> Mapping[str, Sequence[NumberedLine]]:
        """The lines that are added to each file, by its path, as far as they are read."""
        most = max(LEAST_OF_FILE, MOST_TEXT // max(1, len(self.files)))
        return {file.path: list(_first(file.added, most)) for file in self.files}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The same lines, joined."""
        return {path: "\n".join(line.text for line in lines) for path, lines in self.added.items()}

    @cached_property
    def touched(self) -> set[str]:
        """Every identifier in the added lines."""
        return identifiers(self.texts.values())

    def first_use(self, name: str) -> tuple[str, int] | None:
        """The path and the line of the first added line with that identifier."""
        for path, lines in self.added.items():
            for line in lines:
                if name in line.text.lower() and name in identifiers([line.text]):
                    return path, line.number
        return None

    @cached_property
    def inside(self) -> Counter[str]:
        """How many of the files are, or lie below, what one would name by a path: the whole path or
        its end, or a directory around it."""
        return Counter(name for file in self.files for name in _names_of(file.path))

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """How often each file's added lines have each word."""
        return {path: Counter(words(text)) for path, text in self.texts.items()}

    @cached_property
    def path_words(self) -> Sequence[str]:
        """The words of the paths of the files, each once."""
        return list(dict.fromkeys(word for file in self.files for word in words(file.path)))

    @cached_property
    def vocabulary(self) -> set[str]:
        """Every word that the change has anywhere."""
        return {*self.title, *self.path_words}.union(*self.counts.values())

    def prose(self) -> Counter[str]:
        """The words of what is added for people: documents and comments."""
        found: Counter[str] = Counter()
        for file in self.files:
            if file.path.lower().endswith(_PROSE):
                found.update(self.counts[file.path])
                continue
            comments = (_COMMENT.match(line) for line in self.texts[file.path].split("\n"))
            found.update(words("\n".join(match[1] for match in comments if match)))
        return found


def _first(lines: Iterable[NumberedLine], most: int) -> Iterator[NumberedLine]:
    for line in lines:
        if most <= 0:
            return
        most -= len(line.text) + 1
        yield line._replace(text=line.text[:LONGEST_LINE])


def _names_of(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:end]) for end in range(1, len(parts) + 1)} | {
        "/".join(parts[start:]) for start in range(len(parts))
    }
