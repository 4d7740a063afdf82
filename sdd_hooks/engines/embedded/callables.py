"""Definitions as `cgg` finds them, for the languages that have no row in `languages.py`.

Its parsers cost about 3 ms and read the file from disk, give functions only, and need minutes for
some megabytes of hostile text: so it is asked for small files, and only where nothing else is known.

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from types import ModuleType

_LONGEST = 64_000
_SUFFIXES = frozenset(
    [
        "clj",
        "cljc",
        "cljs",
        "cmake",
        "erl",
        "f90",
        "f95",
        "f03",
        "f08",
        "fs",
        "fsx",
        "hs",
        "jl",
        "lean",
        "ml",
        "mli",
        "nix",
        "ps1",
        "psm1",
        "r",
        "sv",
        "v",
        "vhd",
        "vhdl",
        "zig",
    ]
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
    suffix = path.rpartition(".")[2].lower()
    if suffix not in _SUFFIXES or len(text) > _LONGEST:
        return []
    module = _cgg()
    if module is None:
        return []
    import tempfile

    with tempfile.TemporaryDirectory(prefix="sdd-") as folder:
        copy = Path(folder, f"code.{suffix}")
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
