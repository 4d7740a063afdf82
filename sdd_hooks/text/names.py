"""Names: slugs of them, short ones for paths, and the acronyms in those of code.

A slug has only characters that are safe in collection names, paths and git refs. The anchors of
Markdown headings follow other rules: see `text.markdown.heading_anchor`.
"""

from __future__ import annotations

from collections.abc import Iterable

SLUG_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")

# `IDAsString` and `TTLIsSet` have a word of their own there, which these acronyms outweigh.
_BEFORE_CAPITAL = r"(?=[A-Z])(?:(?<![AI]s)|(?<=APIs)|(?<=CLIs)|(?<=URIs)|(?<=UIs))"

PLURAL_S = rf"s(?:(?![A-Za-z])|{_BEFORE_CAPITAL})"
"""The pattern of the `s` of a plural, behind an acronym of two or more capitals."""


def slugify(name: str) -> str:
    """Lower-case `name` and replace each character but ASCII letters, digits and `-` with `-`."""
    lower = (c.lower() if c.isascii() else "-" for c in name)
    return "".join(c if c in SLUG_CHARACTERS else "-" for c in lower)


def shorten_names(names: Iterable[str]) -> dict[str, str]:
    """Return the shortest end of each name, of whole parts between slashes, that is its alone.

    `git.example/acme/payments` is `payments`, and `acme/payments` beside `other/payments`.
    """
    from collections import Counter

    ends = {name: _ends(name) for name in names}
    counts = Counter(end for one in ends.values() for end in one)
    return {
        name: next((end for end in one if counts[end] == 1), name) for name, one in ends.items()
    }


def _ends(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]


def find_singular(word: str) -> str:
    """The acronym whose plural a word of a name is: `API` for `APIs` of `parseAPIs`; else ""."""
    acronym = word[:-1]
    return acronym if len(word) > 2 and word[-1] == "s" and acronym.isupper() else ""
