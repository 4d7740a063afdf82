"""Find functions with `cgg`, for languages without patterns in `definition_patterns.py`.

`cgg` is not used for the other languages: it reads a file from disk, takes 2 ms and more where the
patterns take a tenth of that, knows functions but no types, and its grammars need minutes for
hostile text. And the ids and vectors of most files must not depend on what else is installed.
"""

# Governing: ADR-0008 (sections and definitions as units of retrieval with stable ids)

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from types import ModuleType

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

# The slowest of these grammars takes seconds for hostile text of this length, a minute for five
# times as much. Zig, Nix and PowerShell take minutes for less, and are left out.
_MAX_LENGTH = 12_000
_SUPPORTED = lazy_regex(
    r".*\.(?:cljc?|cljs|cmake|erl|f0[38]|f9[05]|fsx?|hs|jl|lean|mli?|r|s?v|vhdl?)"
)


class CallableLines(NamedTuple):
    """A function and its lines, 1-based and inclusive."""

    name: str
    first_line: int
    last_line: int


@lru_cache(maxsize=1)
def _cgg() -> ModuleType | None:
    """The module; None if it is missing, or another distribution that imports as `cgg`."""
    try:
        import cgg
    except ImportError:
        return None
    return cgg if hasattr(cgg, "analyze") else None


def has_cgg() -> bool:
    """Whether `cgg` is installed. Imports it."""
    return _cgg() is not None


def finds_callables(path: str) -> bool:
    """Whether `find_callables` knows the language of the file."""
    return _SUPPORTED.fullmatch(path.rpartition("/")[2].lower()) is not None


def find_callables(path: str, text: str) -> list[CallableLines]:
    """The outermost functions, in order.

    Empty without `cgg`, for an unsupported language, for long text, and when `cgg` fails.
    """
    if len(text) > _MAX_LENGTH or not finds_callables(path):
        return []
    name = path.rpartition("/")[2].lower()
    module = _cgg()
    if module is None:
        return []
    import tempfile

    with tempfile.TemporaryDirectory(prefix="sdd-") as folder:
        copy = Path(folder, f"code.{name.rpartition('.')[2]}")
        copy.write_bytes(text.encode("utf-8", "replace"))
        try:
            callables = module.analyze(str(copy), jobs=1, skip_minified=False).callables
        except (module.CggError, ValueError):
            return []
        spans = sorted(
            (one.start_line, -one.end_line, one.simple_name)
            for one in callables
            if not one.synthetic
        )
    outermost: list[CallableLines] = []
    for first, negative_last, name in spans:
        if first >= 1 and (not outermost or first > outermost[-1].last_line):
            outermost.append(CallableLines(name, first, max(first, -negative_last)))
    return outermost
