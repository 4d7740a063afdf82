"""Texts and errors as one line, whatever is in them."""

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
