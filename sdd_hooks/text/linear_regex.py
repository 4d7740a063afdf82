"""Regular expressions that run in linear time, for untrusted patterns and untrusted text.

The engine is RE2, which has no lookaround and no backreferences, and whose time is proportional to
the text for every pattern. A pattern matches within one line; `^` and `$` match its ends. The
syntax: https://github.com/google/re2/wiki/Syntax.
"""

# Governing: ADR-0021 (a decision's own rules run in linear time)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError

if TYPE_CHECKING:
    import re2

MAX_PATTERN = 1_000
"""Characters of a pattern."""
MAX_INSTRUCTIONS = 500
"""Instructions of a compiled pattern: the upper bound of its cost for each byte of text."""
MAX_STATES_BYTES = 1 << 20
"""Bytes for the cached states of a pattern. Beyond them matching is slower, and still linear."""


class PatternError(ValueError):
    """An invalid pattern. The message gives the reason, without the pattern itself."""


@dataclass(frozen=True)
class Pattern:
    """A compiled pattern. `size` is its number of instructions."""

    source: str
    size: int
    _compiled: re2._Regexp

    def find(self, data: bytes, start: int = 0) -> int | None:
        """The first byte of the first match at or after `start`, None for no match."""
        match = self._compiled.search(data, start)
        return match.start() if match else None


def compile_pattern(source: str, *, ignore_case: bool = False) -> Pattern:
    """Compile a pattern.

    Raises:
        PatternError: it is invalid, too large, or matches any line.
        SddError: google-re2 is not installed.
    """
    try:
        import re2
    except ModuleNotFoundError:
        raise SddError("google-re2 is not installed: `sdd doctor` has the command") from None

    if not source:
        raise PatternError("it is empty")
    if len(source) > MAX_PATTERN:
        raise PatternError(f"it is longer than {MAX_PATTERN:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_STATES_BYTES
    options.never_nl = True
    options.case_sensitive = not ignore_case
    try:
        # Without the flag first: `(?m)` in front could complete an invalid pattern.
        re2.compile(encode(source), options)
        compiled = re2.compile(b"(?m)" + encode(source), options)
    except re2.error as error:
        raise PatternError(_explain(error)) from None
    if compiled.programsize > MAX_INSTRUCTIONS:
        raise PatternError("it repeats too much: use smaller numbers in {}")
    if compiled.search(b""):
        raise PatternError("it matches an empty line, and so every line")
    return Pattern(source, compiled.programsize, compiled)


def encode(text: str) -> bytes:
    """Encode text for RE2. A surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


def _explain(error: Exception) -> str:
    """The message of RE2, or a plainer one for its most frequent errors."""
    argument = error.args[0] if error.args else ""
    text = argument.decode("utf-8", "replace") if isinstance(argument, bytes) else str(argument)
    text = text.replace("(?m)", "", 1)
    if text.startswith("invalid perl operator: (?"):
        return f"RE2 has no lookahead and no lookbehind ({text})"
    if text.startswith("invalid escape sequence: \\") and text[-1:].isdigit():
        return f"RE2 has no backreference ({text})"
    if text.startswith("pattern too large"):
        return "it repeats too much: use smaller numbers in {}"
    return text
