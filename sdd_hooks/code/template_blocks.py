"""Which lines of a template that extends another one are rendered, as Jinja, Django and Twig do."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sdd_hooks.code.source_files import TEMPLATE_COMMENT
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import blank

_COMMENT = lazy_regex(TEMPLATE_COMMENT, re.DOTALL)
_TAG = lazy_regex(
    r"\{%[-+~]?\s{0,20}(?P<tag>extends|(?:end)?(?:block|macro|set))\b(?P<rest>[^%]{0,300})%\}"
)
_QUOTED = lazy_regex(r"\s*([\"'])(?P<name>[^\"'\n]+)\1\s*[-+~]?")
_NAME = lazy_regex(r"\s*(?P<name>[\w.-]+)")
# `{% block title 'Cart' %}` of Twig has no end.
_MORE = lazy_regex(r"(?:\s|[-+~]$|scoped\b|required\b)*")


class Extension(NamedTuple):
    """What a template extends: the names of the templates, and whether these are all of them."""

    parents: tuple[str, ...]
    is_complete: bool


class _Part(NamedTuple):
    """A part at the top of a template from line `first` to line `last`: a block, or a definition
    of a macro or a variable.
    """

    tag: str
    name: str
    first: int
    last: int


def find_extension(text: str) -> Extension | None:
    """The templates that a template extends; None for one that is rendered as a whole."""
    found = [_QUOTED.fullmatch(one["rest"]) for one in _tags(text) if one["tag"] == "extends"]
    if not found:
        return None
    return Extension(tuple(one["name"] for one in found if one), all(found))


def find_block_names(text: str) -> frozenset[str]:
    """The names of the blocks of a template, which those that extend it may fill."""
    return frozenset(_name(one) for one in _tags(text) if one["tag"] == "block")


def is_rendered(text: str, line: int, inherited: Collection[str]) -> bool:
    """Whether a line of a template that extends others is rendered, or may be.

    That is what stands in a block whose name is in `inherited`, the blocks of these others, and
    what the template calls by a name: a macro, a variable, or a block of its own.
    """
    part = next((one for one in _outer_parts(text) if one.first <= line <= one.last), None)
    if part is None:
        return False
    called = rf"\bself\.{re.escape(part.name)}\b|\bblock\(\s*[\"']{re.escape(part.name)}\b"
    return part.tag != "block" or part.name in inherited or bool(re.search(called, text))


def _tags(text: str) -> Iterator[re.Match[str]]:
    if "{%" not in text:
        return iter(())
    return _TAG.finditer(blank(_COMMENT, text))


def _name(tag: re.Match[str]) -> str:
    name = _NAME.match(tag["rest"])
    return name["name"] if name else ""


def _outer_parts(text: str) -> Iterator[_Part]:
    """The parts that stand in no other one. One without an end lasts until that of the text."""
    depth = line = position = 0
    part: _Part | None = None
    for one in _tags(text):
        line += text.count("\n", position, one.start())
        position = one.start()
        if one["tag"].startswith("end"):
            depth = max(depth - 1, 0)
            if not depth and part:
                yield part._replace(last=line + 1)
                part = None
        elif one["tag"] != "extends" and _has_end(one):
            part = part or _Part(one["tag"], _name(one), line + 1, text.count("\n") + 1)
            depth += 1
    if part:
        yield part


def _has_end(tag: re.Match[str]) -> bool:
    """Whether a tag opens a part that a later tag ends."""
    if tag["tag"] == "macro":
        return True
    name = _NAME.match(tag["rest"])
    return bool(name) and bool(_MORE.fullmatch(tag["rest"], name.end() if name else 0))
