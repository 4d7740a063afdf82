"""A change as it is compared with records: its files, its words, what is made of them once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from sdd_hooks.review.change import Change, ChangedFile
from sdd_hooks.review.references.words import words

MOST_LINES = 3_000
"""Added lines of a file that are read."""
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
    """A change without its generated files. `code` are its files that are no tests (all, where
    there are only tests); `share` is what one file is of the whole."""

    def __init__(self, change: Change) -> None:
        self.files = [file for file in change.files if not _LOCK.search(file.path)]
        self.code = [file for file in self.files if not _TEST.search(file.path)] or self.files
        self.share = 1 / max(1, len(self.files))
        self.title = Counter(words(_DIRECTORIES.sub("", change.title)))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The lines that are added to each file, by its path."""
        return {file.path: _added(file) for file in self.files}

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """How often each file's added lines have each word."""
        return {path: Counter(words(text)) for path, text in self.texts.items()}

    @cached_property
    def path_words(self) -> set[str]:
        """The words of the paths of the files."""
        return {word for file in self.files for word in words(file.path)}

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


def _added(file: ChangedFile) -> str:
    return "\n".join(line.text[:LONGEST_LINE] for line in file.added[:MOST_LINES])
