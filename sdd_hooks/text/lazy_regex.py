"""Regular expressions that are compiled when they are first used.

Compiling takes as long as importing does: a hook that looks at ten files has use for few of the
hundreds that the modules it imports are made of.
"""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives for the same arguments, to be used through its methods."""
    return cast("re.Pattern[str]", _Expression(pattern, flags))


class _Expression:
    def __init__(self, pattern: str, flags: int) -> None:
        self._written = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._written)
        # From here on they are found without this detour.
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)
