"""Which files a text names: by their path, or by what a framework calls a page."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import posixpath
import re
import string
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from sdd_hooks.text.lazy_regex import lazy_regex

Least = Literal["name", "path", "file"]
"""The least that names a file: its name, its name behind a directory, or with its extension."""

MIN_STEM = 2
"""Characters of a name that is looked for without its extension."""
MAX_PLACES = 1_000
"""Places of a name in one text that are looked at."""
MAX_FOLDERS = 160
"""Characters of the directories before a name."""


def _table(kept: str) -> bytes:
    """Bytes of words, and some others, stay, and the rest becomes white space: a text is split at
    the speed of C.
    """
    return bytes(
        byte if byte >= 128 or chr(byte).isalnum() or chr(byte) in kept else ord(" ")
        for byte in range(256)
    )


_WORDS = _table("_-")
_PATHS = _table("_-./")
_ENDS = lazy_regex(r"(?:\.[a-z]{2,5})?(?:[\"'`?&#]|\s{0,9}::)")
_FOLDERS = f"{string.ascii_letters}{string.digits}_-./"
_OPENING = frozenset("\"'`=:>})")
_ATTRIBUTE = lazy_regex(
    r"\b(?:id|class|name|for|type|target|rel|role|method|lang|title|alt|placeholder)"
    r"\s?=\s?\\?[\"']?$"
)
# `href="/orders"` is an address, and a file only if it has an extension.
_ADDRESS = lazy_regex(r"\b(?:href|action|src|url|location|route)\W{1,6}$")
# A link loads no script but beforehand.
_LINKED_SCRIPT = lazy_regex(
    r"<link\b(?![^<>]{0,200}preload)[^<>]{0,200}\bhref\s*=\s*[\"'][^\"'<>]{0,200}$"
)
# A script in an attribute opens addresses: `onclick="open('orders/list')"`.
_HANDLER = lazy_regex(r"\bon[a-z]{3,20}\s?=\s?([\"'])(?:(?!\1)[^\n])*$", re.IGNORECASE)
# A word of the same line tells that a bare name is that of a page.
_SHOWS = lazy_regex(
    r"(?:view|render|template|page|layout|include|extend|partial|component|section|forward|load"
    r"|show|display|tpl|yield|insert|replace|each|return)[^\n]*$",
    re.IGNORECASE,
)
_COMMENT = lazy_regex(r"\s{0,80}(?:#|//|\*|/\*|<!--|\{#|\{\{--|<%--)")
# The browser is not where a part of a page is.
_PART = lazy_regex(
    r"(?:^|/)_?(?:includes?|inc|partials?|layouts?|components?|parts?|shared|common)$"
)
_ROOT = lazy_regex(
    r"(?:^|/)(?:templates?|views|pages|jsp|static|public|www|wwwroot|htdocs|webapp)$|^$", re.I
)


class _File(NamedTuple):
    path: str
    directory: str
    extension: str


class _Name(NamedTuple):
    """How a text names a file: behind directories, with an extension, or without one; in a link."""

    stem: str
    extension: str
    up: int
    folders: tuple[str, ...]
    is_path: bool
    is_link: bool

    def is_enough(self, least: Least) -> bool:
        """Whether this is as much as names a file."""
        return bool(self.extension) or least == "name" or (least == "path" and self.is_path)


class FileNames:
    """The files that may be named, by a word of their name.

    No link leads to those of `rendered`, which only an engine of templates reads.
    """

    def __init__(self, paths: Iterable[str], rendered: Collection[str] = ()) -> None:
        self._rendered = rendered
        self._stems: dict[bytes, set[str]] = defaultdict(set)
        self._files: dict[str, list[_File]] = defaultdict(list)
        for path in sorted(paths):
            directory, base = posixpath.split(path)
            name = base.partition(".")[0]
            # Rails names a partial without its underscore.
            stem = name[1:] if base[0] == "_" and base.endswith(".erb") and name[1:] else name
            self._stems[_key(stem)].add(stem)
            self._files[stem].append(_File(path, directory, base[len(name) :]))

    def find(self, path: str, text: str, least: Least = "name") -> set[str]:
        """The files that the text of a file names, as a server or an engine would find them."""
        found: set[str] = set()
        for stem in self._stems_of_words(text) if least == "name" else self._stems_of_paths(text):
            extensions = {file.extension for file in self._files[stem]}
            for name in set(_find_names(stem, extensions, text, least)):
                if name.is_enough(least):
                    found.update(self._resolve(name, path))
        return found - {path}

    def _stems_of_words(self, text: str) -> Iterator[str]:
        """The names without extension whose words are in a text."""
        for word in self._stems.keys() & _words(text):
            yield from self._stems[word]

    def _stems_of_paths(self, text: str) -> set[str]:
        """The names without extension that are in a text with one, or behind a directory."""
        found: set[str] = set()
        for path in set(_split(text, _PATHS)):
            folders, _, base = path.decode("utf-8", "surrogatepass").rpartition("/")
            stem, dot, _ = base.partition(".")
            if (folders or dot) and stem in self._files:
                found.add(stem)
        return found

    def _resolve(self, name: _Name, path: str) -> Iterable[str]:
        """The files of a name: beside the text or above it; else those of the most directories."""
        directory = posixpath.dirname(path)
        files = [
            file
            for file in self._files[name.stem]
            if (not name.extension or file.extension == name.extension)
            and not (name.is_link and file.path in self._rendered)
        ]
        if name.is_link and _PART.search(directory):
            directory = posixpath.dirname(directory)
        for _ in range(name.up):
            directory = posixpath.dirname(directory)
        while True:
            target = posixpath.join(directory, *name.folders)
            if near := [file.path for file in files if file.directory == target]:
                return near
            if not directory:
                return _nearest(path, _most_alike(name.folders, files))
            directory = posixpath.dirname(directory)


def _most_alike(folders: Sequence[str], files: Iterable[_File]) -> Iterator[str]:
    """The only file whose directories end like those of a name, or those below templates."""
    by_length: dict[int, list[tuple[_File, str]]] = defaultdict(list)
    for file in files:
        parts = file.directory.split("/")
        length = 0
        while length < min(len(parts), len(folders)) and parts[-1 - length] == folders[-1 - length]:
            length += 1
        if length or not folders:
            by_length[length].append((file, "/".join(parts[: len(parts) - length])))
    best = by_length[max(by_length)] if by_length else []
    return (file.path for file, above in best if len(best) == 1 or _ROOT.search(above))


def _nearest(path: str, files: Iterable[str]) -> Iterable[str]:
    """Those of the files that have the most directories in common with a path."""
    parts = path.split("/")
    by_depth: dict[int, list[str]] = defaultdict(list)
    for file in files:
        pairs = zip(parts, file.split("/"), strict=False)
        by_depth[sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))].append(file)
    return by_depth[max(by_depth)] if by_depth else ()


def _words(text: str) -> set[bytes]:
    return set(_split(text, _WORDS))


def _split(text: str, table: bytes) -> Sequence[bytes]:
    return text.encode("utf-8", "surrogatepass").translate(table).split()


def _key(stem: str) -> bytes:
    """The longest word of the name of a file, which each text that names it has."""
    return max(_words(stem), key=lambda word: (len(word), word), default=b"")


def _find_names(stem: str, extensions: Collection[str], text: str, least: Least) -> Iterator[_Name]:
    for start in _find_places(stem, extensions, text, least):
        end = start + len(stem)
        if not _is_word(text[max(0, start - 1) : start]) and not _is_word(text[end : end + 1]):
            extension = _extension(extensions, text, end)
            is_end = len(stem) >= MIN_STEM and _ENDS.match(text, end)
            if (extension or is_end) and not _is_in_comment(text, start):
                yield from _read_name(stem, extension, text, start)


def _find_places(stem: str, extensions: Collection[str], text: str, least: Least) -> Iterator[int]:
    """The offsets of a name. A short one is in each word, so what belongs to it is looked for."""
    if least == "name":
        yield from _find_all(stem, text)
        return
    for extension in extensions:
        yield from _find_all(stem + extension, text)
    if least == "path":
        yield from (start + 1 for start in _find_all(f"/{stem}", text))


def _find_all(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    for _ in range(MAX_PLACES):
        if start < 0:
            return
        yield start
        start = text.find(part, start + len(part))


def _extension(extensions: Iterable[str], text: str, end: int) -> str:
    """The extension of a file that follows a name in a text, or ""."""
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
    """The name at a place of a text with its directories, if it can be that of a file."""
    before = text[max(0, start - MAX_FOLDERS) : start]
    begin = start - len(before) + len(before.rstrip(_FOLDERS))
    folders = tuple(part for part in text[begin:start].replace(".", "/").split("/") if part)
    near = max(0, begin - MAX_FOLDERS)
    is_link = bool(_ADDRESS.search(text, max(0, begin - 16), begin))
    # Without an extension, that is an address.
    if not extension and (text[begin] == "/" or is_link or _HANDLER.search(text, near, begin)):
        return
    if extension.endswith("js") and _LINKED_SCRIPT.search(text, max(0, begin - 400), begin):
        return
    if not folders:
        is_open = extension or text[max(0, begin - 1) : begin] in _OPENING
        if not is_open or _ATTRIBUTE.search(text, max(0, begin - 16), begin):
            return
        if not extension and not _SHOWS.search(text, near, begin):
            return
    up = text.count("../", begin, start)
    yield _Name(stem, extension, up, folders, begin < start, is_link)
