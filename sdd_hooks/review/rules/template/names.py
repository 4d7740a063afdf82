"""Which pages a text names: their files, or what a framework calls them."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import posixpath
import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sdd_hooks.text.lazy_regex import lazy_regex

MIN_STEM = 2
"""Characters of a name that is looked for without its extension."""
MAX_PLACES = 1_000
"""Places of a name in one text that are looked at."""
MAX_FOLDERS = 160
"""Characters of the directories before a name."""

# Bytes of a word stay, and others become white space: a text is split at the speed of C.
_WORDS = bytes(
    byte if byte >= 128 or chr(byte).isalnum() or chr(byte) in "_-" else ord(" ")
    for byte in range(256)
)
_ENDS = re.compile(r"(?:\.[a-z]{2,5})?(?:[\"'`?&#]|\s{0,9}::)")
_FOLDERS = f"{string.ascii_letters}{string.digits}_-./"
_OPENING = frozenset("\"'`=:>})")
_ATTRIBUTE = re.compile(
    r"\b(?:id|class|name|for|type|target|rel|role|method|lang|title|alt|placeholder)"
    r"\s?=\s?\\?[\"']?$"
)
_COMMENT = re.compile(r"\s{0,80}(?:#|//|\*|/\*|<!--|\{#|\{\{--|<%--)")
_ROOT = lazy_regex(
    r"(?:^|/)(?:templates?|views|pages|jsp|static|public|www|wwwroot|htdocs|webapp)$|^$", re.I
)


class _Page(NamedTuple):
    path: str
    directory: str
    extension: str


class _Name(NamedTuple):
    """How a text names a page: behind directories, with an extension, or without one."""

    stem: str
    extension: str
    up: int
    folders: tuple[str, ...]


class Names:
    """The pages that may be named, by a word of their name."""

    def __init__(self, pages: Iterable[str]) -> None:
        self._stems: dict[bytes, set[str]] = defaultdict(set)
        self._pages: dict[str, list[_Page]] = defaultdict(list)
        for path in sorted(pages):
            directory, base = posixpath.split(path)
            stem = base.partition(".")[0]
            self._stems[_key(stem)].add(stem)
            self._pages[stem].append(_Page(path, directory, base[len(stem) :]))

    def find(self, path: str, text: str) -> set[str]:
        """The pages that the text of a file names, as a server or an engine would find them."""
        directory = posixpath.dirname(path)
        found: set[str] = set()
        for word in self._stems.keys() & _words(text):
            for stem in self._stems[word]:
                extensions = {page.extension for page in self._pages[stem]}
                for name in set(_find_names(stem, extensions, text)):
                    found.update(self._resolve(name, directory))
        return found - {path}

    def _resolve(self, name: _Name, directory: str) -> Iterator[str]:
        """The pages of a name: beside the file or above it; else those of the most directories."""
        pages = [
            page
            for page in self._pages[name.stem]
            if not name.extension or page.extension == name.extension
        ]
        for _ in range(name.up):
            directory = posixpath.dirname(directory)
        while True:
            target = posixpath.join(directory, *name.folders)
            if near := [page.path for page in pages if page.directory == target]:
                return iter(near)
            if not directory:
                return _most_alike(name.folders, pages)
            directory = posixpath.dirname(directory)


def _most_alike(folders: Sequence[str], pages: Iterable[_Page]) -> Iterator[str]:
    """The only page whose directories end like those of a name, or those below templates."""
    by_length: dict[int, list[tuple[_Page, str]]] = defaultdict(list)
    for page in pages:
        parts = page.directory.split("/")
        length = 0
        while length < min(len(parts), len(folders)) and parts[-1 - length] == folders[-1 - length]:
            length += 1
        if length or not folders:
            by_length[length].append((page, "/".join(parts[: len(parts) - length])))
    best = by_length[max(by_length)] if by_length else []
    return (page.path for page, above in best if len(best) == 1 or _ROOT.search(above))


def _words(text: str) -> set[bytes]:
    return set(text.encode("utf-8", "surrogatepass").translate(_WORDS).split())


def _key(stem: str) -> bytes:
    """The longest word of the name of a page, which each text that names it has."""
    return max(_words(stem), key=lambda word: (len(word), word), default=b"")


def _find_names(stem: str, extensions: Iterable[str], text: str) -> Iterator[_Name]:
    start = text.find(stem)
    for _ in range(MAX_PLACES):
        if start < 0:
            return
        end = start + len(stem)
        if not _is_word(text[max(0, start - 1) : start]) and not _is_word(text[end : end + 1]):
            extension = _extension(extensions, text, end)
            is_end = len(stem) >= MIN_STEM and _ENDS.match(text, end)
            if (extension or is_end) and not _is_in_comment(text, start):
                yield from _read_name(stem, extension, text, start)
        start = text.find(stem, end)


def _extension(extensions: Iterable[str], text: str, end: int) -> str:
    """The extension of a page that follows a name in a text, or ""."""
    for extension in extensions:
        after = end + len(extension)
        if text.startswith(extension, end) and not _is_word(text[after : after + 1]):
            return extension
    return ""


def _is_in_comment(text: str, start: int) -> bool:
    """Whether a line begins as a comment; a long one is looked at from near the place."""
    near = max(0, start - MAX_FOLDERS)
    return _COMMENT.match(text, max(near, text.rfind("\n", near, start) + 1)) is not None


def _is_word(character: str) -> bool:
    return character.isalnum() or character in {"_", "-"}


def _read_name(stem: str, extension: str, text: str, start: int) -> Iterator[_Name]:
    """The name at a place of a text with its directories, if it is not that of an element."""
    before = text[max(0, start - MAX_FOLDERS) : start]
    begin = start - len(before) + len(before.rstrip(_FOLDERS))
    folders = tuple(part for part in text[begin:start].replace(".", "/").split("/") if part)
    if not folders:
        is_open = extension or text[max(0, begin - 1) : begin] in _OPENING
        if not is_open or _ATTRIBUTE.search(text, max(0, begin - 16), begin):
            return
    yield _Name(stem, extension, text.count("../", begin, start), folders)
