"""Acronyms in the names of code, and their plurals: `URLs` is one word of `parseURLs`."""

from __future__ import annotations

# `IDAsString` and `TTLIsSet` have a word of their own there, which these acronyms outweigh.
_BEFORE_CAPITAL = r"(?=[A-Z])(?:(?<![AI]s)|(?<=APIs)|(?<=CLIs)|(?<=URIs)|(?<=UIs))"

PLURAL_S = rf"s(?:(?![A-Za-z])|{_BEFORE_CAPITAL})"
"""The pattern of the `s` of a plural, behind an acronym of two or more capitals."""


def find_singular(word: str) -> str:
    """The acronym whose plural a word of a name is: `API` for `APIs`; "" for another word."""
    acronym = word[:-1]
    return acronym if len(word) > 2 and word[-1] == "s" and acronym.isupper() else ""
