"""What hooks say: one line, whatever is in it."""

# Governing: ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from pathlib import Path

from sdd_hooks.errors import SddError


def one_line(text: str) -> str:
    """`text` without line breaks, and with every control character shown as its escape."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def failure_line(error: Exception, where: Path) -> str:
    """The line about a refresh that failed in a work tree, or below it. Raises nothing."""
    from sdd_hooks.freshness.tiers import refresh_failed

    try:
        from sdd_hooks.freshness.fastpath import indexed_here
        from sdd_hooks.project.repository import discover

        names = indexed_here(discover(where))
    except Exception:
        # Whatever it was that failed may fail here, too.
        names = ["the current directory"]
    return f"sdd: {one_line(refresh_failed(names))} ({reason(error)})\n"


def reason(error: Exception) -> str:
    """What went wrong; an error that is none of ours is told by its class, too."""
    told = isinstance(error, SddError)
    return one_line(str(error) if told else f"{type(error).__name__}: {error}")
