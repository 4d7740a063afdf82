"""Definitions as `cgg` finds them, for the languages that have no row in `languages.py`.

All code could be cut this way, and is not: `cgg` reads a file from disk, takes 2 ms and more for
what the rows do in a tenth of that, knows functions but no types, and its grammars need minutes for
hostile text. And the ids and vectors of most files must not depend on what else is installed.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from types import ModuleType

# Hostile text of this length costs its slowest grammar some seconds, of five times the length a
# minute; Zig, Nix and PowerShell, which need minutes for less, are left out.
_LONGEST = 12_000
_ASKED_FOR = re.compile(
    r".*\.(?:cljc?|cljs|cmake|erl|f0[38]|f9[05]|fsx?|hs|jl|lean|mli?|r|s?v|vhdl?)"
)


@lru_cache(maxsize=1)
def _cgg() -> ModuleType | None:
    """The module, unless it is missing or is the other distribution that imports as `cgg`."""
    try:
        import cgg
    except ImportError:
        return None
    return cgg if hasattr(cgg, "analyze") else None


def version_of_cgg() -> str:
    """The version of the installed `cgg`, empty without one."""
    module = _cgg()
    return str(getattr(module, "__version__", "unknown")) if module else ""


def definitions_by_cgg(path: str, text: str) -> list[tuple[str, int, int]]:
    """(name, first line, last line) of the outermost functions, in order.

    Empty without `cgg`, for a language that it is not asked for, for long text, and when it fails.
    """
    name = path.rpartition("/")[2].lower()
    if len(text) > _LONGEST or not _ASKED_FOR.fullmatch(name):
        return []
    module = _cgg()
    if module is None:
        return []
    import tempfile

    with tempfile.TemporaryDirectory(prefix="sdd-") as folder:
        copy = Path(folder, f"code.{name.rpartition('.')[2]}")
        copy.write_bytes(text.encode("utf-8", "replace"))
        try:
            found = module.analyze(str(copy), jobs=1, skip_minified=False).callables
        except (module.CggError, ValueError):
            return []
        spans = sorted(
            (one.start_line, -one.end_line, one.simple_name) for one in found if not one.synthetic
        )
    outermost: list[tuple[str, int, int]] = []
    for first, negative_last, name in spans:
        if first >= 1 and (not outermost or first > outermost[-1][2]):
            outermost.append((name, first, max(first, -negative_last)))
    return outermost
