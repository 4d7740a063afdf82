"""Match paths with globs, in polynomial time for any pattern and any path.

`*`, `?` and `[…]` match within one part of a path. A part `**` matches any number of parts, and
`{a,b}` matches either alternative. An unclosed bracket or brace matches itself.
"""

# Governing: ADR-0012 (no path leaves the repository), ADR-0036 (a record says what it applies to)

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache

from sdd_hooks.text.lazy_regex import lazy_regex

MAX_ALTERNATIVES = 100
"""A pattern whose braces expand to more patterns than this is refused."""

_BRACES = lazy_regex(r"\{([^{}]*,[^{}]*)\}")

_Part = Callable[[str], object] | None
"""A test of one part of a path; None represents `**`."""

MAX_PATTERN = 300
"""Characters of a pattern. A longer one is invalid."""


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Return a predicate that tells whether a whole `/`-separated path matches.

    Raises ValueError for a pattern with too many alternatives.
    """
    choices = [[_part(part) for part in each.split("/")] for each in expand_braces(pattern)]

    def matches(path: str) -> bool:
        parts = path.split("/")
        return any(_match(wanted, parts) for wanted in choices)

    return matches


def expand_braces(pattern: str) -> list[str]:
    """Expand the braces of a pattern: one pattern for each combination of alternatives.

    Raises ValueError for more than MAX_ALTERNATIVES.
    """
    expanded = [""]
    position = 0
    for braces in _BRACES.finditer(pattern):
        before = pattern[position : braces.start()]
        choices = braces[1].split(",")
        expanded = [f"{start}{before}{choice}" for start in expanded for choice in choices]
        if len(expanded) > MAX_ALTERNATIVES:
            raise ValueError(f"{{…}} expands to more than {MAX_ALTERNATIVES} patterns")
        position = braces.end()
    return [start + pattern[position:] for start in expanded]


def _part(pattern: str) -> _Part:
    if pattern == "**":
        return None
    try:
        return re.compile(translate(pattern)).match
    except re.error:
        # A reversed range such as [z-a] is invalid as a regular expression: match it literally.
        return re.compile(re.escape(pattern) + r"\Z").match


def _match(wanted: Sequence[_Part], parts: Sequence[str]) -> bool:
    """Match part by part. On a mismatch only the last `**` has to take one more part.

    Backtracking to an earlier `**` cannot help: the parts it could take are free to the last one.
    """
    at, part = 0, 0
    retry: tuple[int, int] | None = None
    while part < len(parts):
        matcher = wanted[at] if at < len(wanted) else _nothing
        if matcher is None:
            retry = (at, part)
            at += 1
        elif matcher(parts[part]):
            at, part = at + 1, part + 1
        elif retry:
            retry = (retry[0], retry[1] + 1)
            at, part = retry[0] + 1, retry[1]
        else:
            return False
    return at == len(wanted)


def _nothing(_: str) -> bool:
    return False


@lru_cache(maxsize=512)
def compile_path_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a predicate that tells whether a pattern matches a `/`-separated path of a file.

    Raises ValueError for a pattern that is empty, too long, leads out of the repository, or has too
    many alternatives.
    """
    directory_only = pattern.endswith("/")
    anchored = "/" in pattern.rstrip("/")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if not parts or len(pattern) > MAX_PATTERN or ".." in parts:
        raise ValueError("not a pattern of a path in the repository")
    # `**/**` matches what `**` matches.
    parts = [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]
    body = "/".join(parts if anchored or parts[0] == "**" else ["**", *parts])
    # `**` at the end takes at least one part: a directory in it takes two.
    below = compile_glob(f"{body[:-2]}*/**" if parts[-1] == "**" else f"{body}/**")
    itself = (lambda _: False) if directory_only else compile_glob(body)

    def matches(path: str) -> bool:
        return itself(path) or below(path)

    return matches


def is_named(path: str, named: str) -> bool:
    """Whether a file is the one at `named`, or one of the folder (with `/` at its end) or pattern.

    Raises ValueError for an invalid pattern.
    """
    if "*" in named or "{" in named:
        return compile_path_pattern(named)(path)
    return path == named or (named.endswith("/") and path.startswith(named))
