"""What the readers of manifests share: a declared package, its line, and its name in an address."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, Literal

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

Scope = Literal["runtime", "development", "indirect", "listed"]
"""What a package is for: the program, its development and tests, another package, or any manifest
that chooses it from a list of versions."""


class PackageDeclaration(NamedTuple):
    """A package that a manifest declares at a line, counted from 1."""

    number: int
    name: str
    scope: Scope = "runtime"


Reader = Callable[[str], Iterator[PackageDeclaration]]
"""Yields the packages of a text. Raises what its parser raises for an invalid one."""

_WORD = lazy_regex(r"[^\s\"'\[\]{}(),=<>!~;#|^`]+")
_PART = lazy_regex(r"[.:/@]")
_ARCHIVE = lazy_regex(r"\.(?:git|whl|zip|tgz|tar\.\w+)$")

FindLine = Callable[[str], int]
"""Returns the line of a name."""


def line_finder(text: str) -> FindLine:
    """A function that returns the first line with a name; 1 if it is written in another way."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for word in _WORD.findall(line.lower()):
            for part in (word, *_PART.split(word)):
                lines.setdefault(part, number)
    return lambda name: lines.get(name.lower()) or lines.get(_PART.split(name.lower())[-1], 1)


def line_counter(text: str) -> Callable[[int], int]:
    """A function that returns the line of a position."""
    ends = [found.start() for found in re.finditer("\n", text)]
    return lambda position: bisect_left(ends, position) + 1


def name_in_address(address: str) -> str:
    """The name of a package in the address of its repository, or of its wheel or archive."""
    last = re.split(r"[#?]", address)[0].rstrip("/").rpartition("/")[2]
    last = _ARCHIVE.sub("", last.partition("@")[0])
    version = re.search(r"-v?[0-9]", last)
    return last[: version.start()] if version else last


def parse_toml(text: str) -> dict[str, Any]:
    """The document. Raises ValueError for an invalid one."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text.removeprefix("\ufeff"))
