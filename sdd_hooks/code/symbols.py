"""The symbols of a source file: each definition with its owner, its signature and its body."""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.code.definition_patterns import find_patterns
from sdd_hooks.code.definitions import Definition, Definitions, find_definitions
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import clipped
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SIGNATURE = 240
"""Characters of a signature. A longer one is cut."""

_MAX_DEPTH = 4
_MAX_HEAD_LINES = 12
_BODY = lazy_regex(r"\s*(?:=>|:=|[{:=])\s*$")


class Symbol(NamedTuple):
    """A definition of a file.

    `name` is qualified by its owners: `Store.load`. `signature` is its head on one line, without
    the body. `text` begins with the head: comments and decorators above it are left out. Lines are
    1-based and inclusive, and do include them. `is_type` is whether it is a class, a module or
    another definition with members.
    """

    path: str
    name: str
    signature: str
    first_line: int
    last_line: int
    text: str
    is_type: bool = False

    @property
    def simple_name(self) -> str:
        """The name without its owners."""
        return self.name.rpartition(".")[2]

    @property
    def place(self) -> str:
        """Path and lines: `src/store.py:10-24`."""
        return f"{self.path}:{self.first_line}-{self.last_line}"


def find_symbols(path: str, text: str) -> Iterator[Symbol]:
    """Yield the symbols of a source file, an owner before its members. Raises nothing."""
    file = _SourceFile(path, text, find_definitions(path, text))
    yield from file.walk(file.definitions.outermost(), "", 0)


def without_comments(path: str, text: str) -> str:
    """The code without its comments, in the language that `path` and a first line `#!` tell."""
    patterns = find_patterns(path, text)
    if patterns is None:
        return text
    comments = patterns.comments

    def keep(token: re.Match[str]) -> str:
        return "" if token[0].startswith(comments) else token[0]

    return patterns.tokens.sub(keep, text)


class _SourceFile(NamedTuple):
    """A file and its definitions."""

    path: str
    text: str
    definitions: Definitions

    def walk(self, found: Iterator[Definition], owner: str, depth: int) -> Iterator[Symbol]:
        """The symbols of definitions, and of their members."""
        for one in found:
            name = f"{owner}.{one.name}" if owner else one.name
            body = self.text[one.head : one.end].strip("\n").rstrip()
            head, lines = _signature(body), (one.first_line, one.last_line)
            yield Symbol(self.path, name, head, *lines, body, one.is_container)
            if one.is_container and depth < _MAX_DEPTH:
                yield from self.walk(self.definitions.members(one), name, depth + 1)


def _signature(body: str) -> str:
    """The head of a definition on one line: up to its body."""
    head = " ".join(line.strip() for line in body.split("\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES])
    depth = 0
    for at, sign in enumerate(head[: 2 * MAX_SIGNATURE]):
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
        elif depth <= 0 and _ends_head(head, at):
            head = head[:at]
            break
    else:
        head = body.split("\n", 1)[0].strip() if depth <= 0 else head
    head = _BODY.sub("", head).strip().replace("( ", "(").replace(" )", ")").replace(",)", ")")
    return clipped(head, MAX_SIGNATURE)


def _ends_head(head: str, at: int) -> bool:
    """Whether the body begins at a character that is inside no bracket."""
    before = head[:at].rstrip()[-1:]
    if head[at] == "{":
        # A type may have braces: `Promise<{id: number}>`.
        return before not in ("", ":", "<", "|", "&", ",") and head[at - 1] in " )>"
    is_python = head.startswith(("def ", "async def ", "class "))
    return head[at] == ":" and is_python and head[at + 1 : at + 2] in ("", " ")
