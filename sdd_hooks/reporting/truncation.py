"""A report that is cut where it gets too long for who takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

FOLD = "<details>"
END = "</details>"


def fitting(lines: Iterable[str], size: Callable[[str], int], longest: int, said: str) -> str:
    """The lines as one text whose `size`, which is one of every line, is `longest` at most.

    What does not fit is left out from the first such line on, an open fold is closed, and `said`
    says so at the end. `size` is given lines with their line ends.
    """
    ending = ["", END, "", said]
    room = longest - sum(size(f"{line}\n") for line in ending)
    kept: list[str] = []
    used = 0
    fits = 0
    for line in lines:
        used += size(f"{line}\n")
        kept.append(line)
        if used <= room:
            fits = len(kept)
        elif used > longest:
            kept = kept[:fits]
            kept += ending if _open(kept) else ending[2:]
            break
    return "".join(f"{line}\n" for line in kept)


def _open(lines: list[str]) -> bool:
    """Whether a fold is open after these lines; none is inside another."""
    return sum(line.startswith(FOLD) for line in lines) > lines.count(END)
