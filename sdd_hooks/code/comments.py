"""Which parts of a source file are comments, and which are strings, told by their marks alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Literal

from sdd_hooks.code.languages import language
from sdd_hooks.text.lazy_regex import lazy_regex

Part = Literal["code", "comment", "string"]

# What nothing closes goes on to the end of its line, or of the file: nothing is tried twice.
_DOUBLE = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
_SINGLE = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
_BACKTICKS = r"`[^`\\]*(?:\\.[^`\\]*)*`?"
_BLOCK = r"/\*.*?(?:\*/|\Z)"


def _compiled(comments: tuple[str, ...], strings: tuple[str, ...]) -> re.Pattern[str]:
    groups = [f"(?P<comment>{'|'.join(comments)})", f"(?P<string>{'|'.join(strings)})"]
    return lazy_regex("|".join(groups[: 2 if strings else 1]), re.DOTALL)


_SCRIPT = _compiled((r"(?<!:)//[^\n]*", _BLOCK), (_DOUBLE, _SINGLE, _BACKTICKS))
_C = _compiled((r"//[^\n]*", _BLOCK), (_DOUBLE, _CHARACTER))
_GO = _compiled((r"//[^\n]*", _BLOCK), (_DOUBLE, _CHARACTER, r"`[^`]*`?"))
_PYTHON = _compiled((r"\#[^\n]*",), (r'""".*?(?:"""|\Z)', r"'''.*?(?:'''|\Z)", _DOUBLE, _SINGLE))
_HASH = _compiled((r"\#[^\n]*",), (_DOUBLE, _SINGLE))
_PHP = _compiled((r"(?<!:)//[^\n]*", r"\#[^\n]*", _BLOCK), (_DOUBLE, _SINGLE))
_MARKUP = _compiled(
    (
        r"<!--.*?(?:-->|\Z)",
        r"\{\#.*?(?:\#\}|\Z)",
        r"<%\#.*?(?:%>|\Z)",
        r"\{\{!--.*?(?:--\}\}|\Z)",
        r"\{\{-?[ ]?/\*.*?(?:\*/|\Z)",
        r"@\*.*?(?:\*@|\Z)",
        r"(?:(?<=\n)|\A)[ \t]*(?://|\*|/\*)[^\n]*",
    ),
    (),
)

_PATTERNS = {
    **dict.fromkeys(("javascript", "typescript"), _SCRIPT),
    **dict.fromkeys(("c", "cpp", "csharp", "dart", "java", "kotlin", "rust", "scala", "swift"), _C),
    **dict.fromkeys(("elixir", "ruby", "shell"), _HASH),
    "go": _GO,
    "php": _PHP,
    "python": _PYTHON,
}


def parts(path: str, text: str) -> Callable[[int], Part]:
    """A function that tells what the character at an offset of the file's text belongs to.

    Pages, and languages that are not known, have comments and no strings.
    """
    pattern = _PATTERNS.get(language(path) or "", _MARKUP)
    starts: list[int] = []
    found: list[tuple[int, Part]] = []
    for match in pattern.finditer(text):
        starts.append(match.start())
        found.append((match.end(), "string" if match.lastgroup == "string" else "comment"))

    def part(offset: int) -> Part:
        index = bisect_right(starts, offset) - 1
        if index < 0:
            return "code"
        end, kind = found[index]
        return kind if offset < end else "code"

    return part
