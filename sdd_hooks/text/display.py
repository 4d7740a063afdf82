"""Format text, errors, numbers and data for output. Untrusted input is safe to pass."""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0005 REQ "Output"

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdd_hooks.errors import SddError
from sdd_hooks.text.lazy_regex import lazy_regex

SCHEMA_VERSION = 1
"""The version of the objects that commands print."""

# No file system has longer names.
_LONG_WORD = lazy_regex(r"([^\s/\\]{100})[^\s/\\]{155,}[^\s/\\]")


def one_line(text: str) -> str:
    """Return `text` on one line, every character that Python calls unprintable as its escape.

    Stricter than `printable_line`: it also escapes private-use and unassigned characters.
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def describe_error(error: BaseException) -> str:
    """Return an error's message on one line, after its class name if it is no SddError."""
    expected = isinstance(error, SddError)
    return one_line(str(error) if expected else f"{type(error).__name__}: {error}")


def shorten_words(text: str) -> str:
    """Return `text` with each word longer than the name of a file cut after 100 characters.

    The parts of a path are words of their own.
    """
    return _LONG_WORD.sub(r"\1…", text) if len(text) > 255 else text


def printable_line(text: str) -> str:
    """Return `text` on one line that a terminal prints and does not interpret.

    Control characters, line and paragraph separators, lone surrogates and characters that reorder
    text become `\\uXXXX`.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, " ".join(text.split())))


def printable_lines(text: str) -> list[str]:
    """Return the lines of `text`, each printable and with its indentation, tabs as four columns.

    Blank lines at the beginning and the end are dropped.
    """
    lines = ("".join(map(_visible, line.expandtabs(4).rstrip())) for line in text.splitlines())
    return "\n".join(lines).strip("\n").splitlines()


def display_width(text: str) -> int:
    """Return how many terminal columns `text` takes: ideographs two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def shortened(text: str, width: int) -> str:
    """Return `text` in at most `width` terminal columns (1 or more); a longer one ends in `…`."""
    if display_width(text) <= width:
        return text
    end = min(len(text), width)
    while end and display_width(text[:end]) >= width:
        end -= 1
    return text[:end].rstrip() + "…"


def clipped(text: str, length: int) -> str:
    """Return `text` in at most `length` characters (1 or more); a longer one ends in `…`."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 document`, `2,000 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join_names(names: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`. There is at least one name."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _visible(character: str) -> str:
    from unicodedata import category

    # Cc and Cf contain escapes and the marks that reorder text; a surrogate is a byte of a file
    # name that is not UTF-8. Some scripts use the two joiners inside words.
    hidden = category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    hidden = hidden and character not in "\u200c\u200d"
    return f"\\u{ord(character):04x}" if hidden else character


def is_unicode(text: str) -> bool:
    """Whether UTF-8 can encode the text: a file name of other bytes has lone surrogates."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def json_document(data: Mapping[str, object]) -> str:
    """Format `data` as one JSON object in ASCII, `schema_version` first, with a final newline."""
    import json

    return json.dumps({"schema_version": SCHEMA_VERSION, **data}, indent=2) + "\n"
