"""Regular expressions that compile on first use.

Compiling the hundreds of patterns in this package takes about as long as importing it, and one
hook uses few of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def lazy_regex(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns for the same arguments, compiled on first use.

    A function may return the pattern then. Use it through its methods. An invalid pattern raises
    `re.error` on first use, not here.
    """
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        pattern = self._pattern if isinstance(self._pattern, str) else self._pattern()
        compiled = re.compile(pattern, self._flags)
        # Python calls __getattr__ only for missing attributes, so later calls skip it.
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)
