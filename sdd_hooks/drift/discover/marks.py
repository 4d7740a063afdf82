"""The files that mark a technology: by their names, a line in them, or a container image."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Evidence"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.drift.discover.catalogue import Technology
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.globs import compile_glob, expand_braces
from sdd_hooks.text.lines import NumberedLine

MAX_IMAGES = 200
"""Images that are read of a file."""

_IMAGE = re.compile(
    r"^[ \t]*(?:-[ \t]+)?(?:image|repository|container)[ \t]*:[ \t]*[\"']?"
    r"(?:[\w-]{1,100}(?:\.[\w-]{1,100}){1,8}(?::\d{1,5})?/)?(?:library/|bitnami/|cimg/)?"
    r"([\w./-]{1,200})",
    re.MULTILINE,
)
_WITH_IMAGES = (".yml", ".yaml")
_WILDCARDS = frozenset("*?[")
_START_LINES = 20


class _Mark(NamedTuple):
    technology: Technology
    matches: Callable[[str], bool]
    line: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None


class MarkedFiles:
    """The technologies by the files that mark them."""

    def __init__(self, technologies: Iterable[Technology]) -> None:
        self._by_name: dict[str, list[_Mark]] = {}
        self._by_suffix: dict[str, list[_Mark]] = {}
        self._others: list[_Mark] = []
        self._images: dict[str, Technology] = {}
        for technology in technologies:
            self._images.update((image, technology) for image in technology.images)
            for marker in technology.markers:
                line = marker.line
                # One search of the whole text tells whether its lines have to be searched.
                anywhere = re.compile(line.pattern, re.MULTILINE) if line else None
                mark = _Mark(technology, compile_glob(marker.glob), line, anywhere)
                for name in {glob.rpartition("/")[2] for glob in expand_braces(marker.glob)}:
                    self._group(name).append(mark)

    def find(
        self, path: str, read: Callable[[str], str]
    ) -> Iterator[tuple[Technology, NumberedLine]]:
        """The technologies that a file marks, each with a line. `read` returns a text."""
        name = path.rpartition("/")[2]
        suffix = name[name.rfind(".") :] if "." in name else ""
        candidates = (
            *self._by_name.get(name, ()),
            *self._by_suffix.get(suffix, ()),
            *self._others,
        )
        # A glob with alternatives may be in several of them.
        for mark in {id(one): one for one in candidates}.values():
            if mark.matches(path):
                for line in _marking_line(mark, read(path)):
                    yield mark.technology, line
        if path.endswith(_WITH_IMAGES):
            yield from _image_lines(self._images, read(path))

    def _group(self, name: str) -> list[_Mark]:
        if not _WILDCARDS.intersection(name):
            return self._by_name.setdefault(name, [])
        suffix = name[1:]
        is_suffix = name.startswith("*.") and "." not in suffix[1:]
        if is_suffix and not _WILDCARDS.intersection(suffix):
            return self._by_suffix.setdefault(suffix, [])
        return self._others


def _marking_line(mark: _Mark, text: str) -> Iterator[NumberedLine]:
    """The first line that matches; of a file that its name marks, the first that is not empty."""
    if mark.line is None or mark.anywhere is None:
        yield first_line(text)
    elif mark.anywhere.search(text):
        for number, line in enumerate(text.split("\n"), 1):
            if mark.line.search(line[:MAX_LINE]):
                yield NumberedLine(number, line)
                return


def first_line(text: str) -> NumberedLine:
    """The first line that is not empty, among the first lines of a text."""
    lines = text.split("\n", _START_LINES)[:_START_LINES]
    number = next((at for at, line in enumerate(lines, 1) if line.strip()), 1)
    return NumberedLine(number, lines[number - 1])


def _image_lines(
    images: Mapping[str, Technology], text: str
) -> Iterator[tuple[Technology, NumberedLine]]:
    line, position = 1, 0
    for found in islice(_IMAGE.finditer(text), MAX_IMAGES):
        line += text.count("\n", position, found.start())
        position = found.start()
        name = found[1]
        technology = images.get(name) or images.get(name.rpartition("/")[2])
        if technology:
            yield technology, NumberedLine(line, found[0])
