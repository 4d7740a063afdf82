"""Regular expressions that compile on first use.

Compiling the hundreds of patterns in this package takes about as long as importing it, and one
hook uses few of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

from sdd_hooks.text.compiled_patterns import compile_pattern

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def lazy_regex(pattern: AnyStr | Callable[[], AnyStr], flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns for the same arguments, compiled on first use.

    A function may return the pattern then. Use it through its methods. An invalid pattern raises
    `re.error` on first use, not here.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        pattern = self._pattern() if callable(self._pattern) else self._pattern
        compiled = compile_pattern(pattern, self._flags)
        # Python calls __getattr__ only for missing attributes, so later calls skip it.
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)
