"""Texts and errors as lines that can be shown, whatever is in them."""

# Governing: ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from sdd_hooks.errors import SddError


def one_line(text: str) -> str:
    """`text` without line breaks, and with every control character shown as its escape."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def reason(error: BaseException) -> str:
    """What went wrong; an error that is none of ours is told by its class, too."""
    told = isinstance(error, SddError)
    return one_line(str(error) if told else f"{type(error).__name__}: {error}")


def plain(text: str) -> str:
    """The text as one line that a terminal only prints: no control characters, no reordering."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, " ".join(text.split())))


def plain_lines(text: str) -> list[str]:
    """The lines of a text as `plain` ones that keep their blanks, without blank lines around."""
    lines = ("".join(map(_visible, line.expandtabs(4).rstrip())) for line in text.splitlines())
    return "\n".join(lines).strip("\n").splitlines()


def columns_of(text: str) -> int:
    """Columns on a terminal: ideographs take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(combining, text)))


def counted(number: int, noun: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _visible(character: str) -> str:
    from unicodedata import category

    # Cc and Cf hold escapes and the marks that reorder text; a surrogate stands for a lone byte.
    # The two joiners are part of words in some scripts.
    hidden = category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    hidden = hidden and character not in "\u200c\u200d"
    return f"\\u{ord(character):04x}" if hidden else character
