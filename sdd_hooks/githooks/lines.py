"""Text of a repository as one line on a terminal."""

# Governing: ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations


def one_line(text: str) -> str:
    """`text` without line breaks, and with every control character shown as its escape."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
