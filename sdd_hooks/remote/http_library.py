"""httpx, imported without the libraries of its command line and of trio where they are installed.

They are most of its import: the command line of httpx imports rich and Pygments, and httpcore
imports trio for clients that run in it. Both libraries do without what is not installed.
"""

# Governing: SPEC-0005 REQ "Lazy commands"

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["httpx"]

_NOT_USED = ("httpx._main", "trio")


@contextmanager
def _as_missing(names: tuple[str, ...]) -> Iterator[None]:
    """Let modules that are not imported yet seem not to be installed in the block."""
    hidden = [name for name in names if name not in sys.modules]
    # Python raises ModuleNotFoundError for a module that is None there.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)


with _as_missing(_NOT_USED):
    # httpx imports httpcore with its first client.
    import httpcore  # noqa: F401
    import httpx
