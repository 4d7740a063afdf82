"""Match paths with the patterns of `.gitignore`, in polynomial time for any pattern and any path.

A pattern that matches a directory matches everything in it. A `/` at the end makes it match
directories only. With another `/`, a pattern is relative to the root; without one, it matches at
any depth. The rules are those of https://git-scm.com/docs/gitignore, without `!` and `\\`, and with
`{a,b}` for alternatives.
"""

# Governing: ADR-0036 (a record says what it applies to)

from __future__ import annotations

from collections.abc import Callable

from sdd_hooks.text.globs import compile_glob

MAX_PATTERN = 300
"""Characters of a pattern. A longer one is invalid."""


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
