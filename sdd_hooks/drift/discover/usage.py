"""What source files import, by the names of the catalogue."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Evidence"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import cast

from sdd_hooks.code.imports import find_imports
from sdd_hooks.code.languages import describe_language
from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.drift.discover.catalogue import Ecosystem, Package, Technology
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import split_lines

_SEPARATORS: Mapping[Ecosystem, str] = {
    "go": "/",
    "jvm": ".",
    "npm": "/",
    "nuget": ".",
    "php": "\\",
    "python": ".",
    "ruby": "::",
    "rust": "::",
}
_MAX_PARTS = 12
_PHP_USE = lazy_regex(r"^[ \t]*use[ \t]+(?:function[ \t]+)?\\?([\w\\]{1,300})", re.MULTILINE)
_SCRIPT_IMPORT = lazy_regex(
    r"^[ \t]*(?:import|export)\b[^\n]{0,300}?\bfrom[ \t]*[\"']([^\"'\n]{1,200})[\"']"
    r"|^[ \t]*import[ \t]+[\"']([^\"'\n]{1,200})[\"']",
    re.MULTILINE,
)
_CONSTANT = lazy_regex(r"(?<![\w:@$.])[A-Z]\w{0,80}(?:::[A-Z]\w{0,80}){0,4}|^[ \t]*devise\b", re.M)
_COMPONENTS = (".vue", ".svelte", ".astro")


class Use(NamedTuple):
    """A technology that a file uses, at a line counted from 1, with its text."""

    technology: Technology
    package: Package
    line: int
    text: str


class ImportNames:
    """The technologies by what they are imported as."""

    def __init__(self, technologies: Iterable[Technology]) -> None:
        self._technologies = tuple(technologies)

    @cached_property
    def _by_name(self) -> Mapping[tuple[Ecosystem, str], tuple[tuple[Technology, Package], ...]]:
        found: dict[tuple[Ecosystem, str], list[tuple[Technology, Package]]] = {}
        for technology in self._technologies:
            for package in technology.packages:
                for name in package.imports:
                    found.setdefault((package.ecosystem, name), []).append((technology, package))
        return {key: tuple(value) for key, value in found.items()}

    def find(self, path: str, data: bytes) -> Iterator[Use]:
        """The technologies that a source file imports, each package once."""
        ecosystem = find_ecosystem(path)
        if ecosystem is None or not data:
            return
        seen: set[tuple[str, str]] = set()
        lines: tuple[str, ...] | None = None
        for name, number in _imported(ecosystem, path, data):
            for technology, package in self._technologies_of(ecosystem, name):
                key = (technology.name, package.name)
                if key in seen:
                    continue
                seen.add(key)
                if lines is None:
                    lines = split_lines(decode(data))
                text = lines[number - 1] if number <= len(lines) else ""
                yield Use(technology, package, number, text)

    def _technologies_of(
        self, ecosystem: Ecosystem, name: str
    ) -> Iterator[tuple[Technology, Package]]:
        separator = _SEPARATORS[ecosystem]
        parts = name.split(separator, _MAX_PARTS)
        for count in range(1, min(len(parts), _MAX_PARTS) + 1):
            yield from self._by_name.get((ecosystem, separator.join(parts[:count])), ())


def find_ecosystem(path: str) -> Ecosystem | None:
    """The ecosystem of a source file, by its name; None for other files."""
    language = describe_language(path)
    return cast("Ecosystem", language.packages) if language and language.packages else None


def _imported(ecosystem: Ecosystem, path: str, data: bytes) -> Iterator[tuple[str, int]]:
    if ecosystem == "ruby":
        yield from _matches(_CONSTANT, decode(data))
    elif ecosystem == "php":
        yield from _matches(_PHP_USE, decode(data))
    elif path.endswith(_COMPONENTS):
        yield from _matches(_SCRIPT_IMPORT, decode(data))
    else:
        for one in find_imports(path, data, parse=False).found:
            yield one.name, one.line


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, int]]:
    """The matches of a pattern outside of comments that fill their line, each name once."""
    seen: set[str] = set()
    line, position = 1, 0
    for found in pattern.finditer(text):
        name = next(filter(None, found.groups()), found[0]).strip()
        line += text.count("\n", position, found.start())
        position = found.start()
        if name in seen:
            continue
        start = text.rfind("\n", max(0, position - MAX_LINE), position) + 1
        if text[start : position + 1].lstrip().startswith(("#", "//", "*")):
            continue
        seen.add(name)
        yield name, line
