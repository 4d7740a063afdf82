"""The code cells of a Jupyter notebook, with the lines of the file at which they are."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

SUFFIX = ".ipynb"

_TOKEN = lazy_regex(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}\[\]]', re.DOTALL)
_SOURCES = frozenset({"source", "input"})
_TEXT_CELLS = frozenset({"markdown", "raw", "heading"})
_LANGUAGE_KEYS = frozenset({"kernelspec", "language_info"})
_LANGUAGES = {"c#": "csharp", "f#": "fsharp", "golang": "go", "node": "javascript"}
# `%time import x` and `!cmd`: what is behind the sign may be Python.
_MAGIC = lazy_regex(r"^([ \t]*)(?:%{1,2}\w*|!{1,2}|\?{1,2})[ \t]*", re.MULTILINE)


class Cell(NamedTuple):
    """The text of a code cell, and for each of its lines the 1-based line of the file."""

    text: str
    lines: tuple[int, ...]


class Notebook(NamedTuple):
    """The code cells, and the languages that the notebook names, as in `code/languages.py`."""

    cells: tuple[Cell, ...]
    languages: frozenset[str]


class _Object:
    """An open object or list of JSON: its last key, and what it says about a cell."""

    def __init__(self, *, is_list: bool, key: str) -> None:
        self.is_list = is_list
        # A list has the key of the value that it is.
        self.key = key
        self.types: set[str] = set()
        self.sources: list[tuple[str, int]] = []


def is_notebook(path: str) -> bool:
    """Whether a file is a notebook, by its name."""
    return path.lower().endswith(SUFFIX)


def read_notebook(text: str) -> Notebook:
    """Read a notebook of any version of the format. The time is linear.

    Raises ValueError for a text that is no JSON, or is nested too deeply.
    """
    text = text.removeprefix("\ufeff")
    try:
        json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    languages: set[str] = set()
    cells = tuple(_cell(sources) for sources in _code_cells(text, languages))
    return Notebook(cells, frozenset(languages))


def without_magics(text: str) -> str:
    """The Python of a cell without the signs of IPython's commands, on the same lines."""
    return _MAGIC.sub(r"\1", text)


def _code_cells(text: str, languages: set[str]) -> Iterator[list[tuple[str, int]]]:
    """The strings of each code cell with their lines; adds to `languages` those that are named.

    Of keys that are there twice, every value counts.
    """
    feeds = [found.start() for found in re.finditer("\n", text)]
    stack: list[_Object] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            stack.append(_Object(is_list=sign == "[", key=stack[-1].key if stack else ""))
        elif sign in ("}", "]"):
            closed = stack.pop()
            if closed.is_list and stack:
                stack[-1].sources += closed.sources
            elif closed.sources and ("code" in closed.types or not closed.types & _TEXT_CELLS):
                yield closed.sources
        elif stack:
            value: str = json.loads(token[1], strict=False)
            if token[2]:
                stack[-1].key = value
            else:
                _take(stack, value, bisect_right(feeds, token.start()) + 1, languages)


def _take(stack: list[_Object], value: str, line: int, languages: set[str]) -> None:
    """Store a string that is a value."""
    here = stack[-1]
    if here.key in _SOURCES:
        here.sources.append((value, line))
    elif here.key == "cell_type":
        here.types.add(value)
    elif here.key in ("language", "name") and len(stack) > 1 and stack[-2].key in _LANGUAGE_KEYS:
        name = value.lower()
        languages.add(_LANGUAGES.get(name, name))


def _cell(sources: list[tuple[str, int]]) -> Cell:
    lines: list[int] = []
    at_start = True
    for value, line in sources:
        started = value.count("\n") + at_start - value.endswith("\n") if value else 0
        lines += [line] * started
        at_start = value.endswith("\n") if value else at_start
    return Cell("".join(value for value, _ in sources), tuple(lines))
