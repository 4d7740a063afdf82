"""The capabilities of the stream that text is printed to."""

# Governing: SPEC-0005 REQ "Output"

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from sdd_hooks.named_tuple import NamedTuple

# In force green, undecided yellow, no longer in force dim.
_COLOURS = {
    **dict.fromkeys(("accepted", "approved", "implemented"), 32),
    **dict.fromkeys(("proposed", "draft", "review", "deferred", "on-hold"), 33),
    **dict.fromkeys(("rejected", "deprecated", "superseded"), 2),
}


class Terminal(NamedTuple):
    """The width of a terminal in columns (0: unlimited), and whether text may be styled."""

    width: int
    styled: bool

    def strong(self, text: str) -> str:
        """Return the text in bold if styles are enabled."""
        return f"\x1b[1m{text}\x1b[0m" if self.styled else text

    def status(self, text: str) -> str:
        """Return a text that begins with the status of a record in the colour of that status."""
        colour = _COLOURS.get(text.partition(" ")[0]) if self.styled else None
        return f"\x1b[{colour}m{text}\x1b[0m" if colour else text

    def faint(self, text: str) -> str:
        """Return the text dimmed if styles are enabled."""
        return f"\x1b[2m{text}\x1b[0m" if self.styled else text


def detect_terminal(stream: TextIO, environ: Mapping[str, str]) -> Terminal:
    """Detect what `stream` can show. Styles need a terminal, and no NO_COLOR in `environ`."""
    if not stream.isatty():
        return Terminal(0, False)
    styled = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    try:
        return Terminal(os.get_terminal_size(stream.fileno()).columns, styled)
    except OSError:
        return Terminal(0, styled)
