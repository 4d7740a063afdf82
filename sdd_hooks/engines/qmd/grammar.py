"""A typed query in qmd's grammar: one line a sub-query, whatever the text of the query is.

Text comes from people, commits and issues. It never ends its line, becomes another sub-query, or
makes qmd refuse the whole.
"""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "Queries"

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from sdd_hooks.engines.protocol import Query, SubQueryType
from sdd_hooks.engines.query_terms import Term, parse_terms

LONGEST = 2000
"""Characters of a sub-query that are asked: more than an embedding model reads."""

MOST_WORDS = 8
"""Words that are also looked for one by one; each costs qmd a list for every collection."""

_BREAKS = frozenset({"Cc", "Cs", "Zl", "Zp"})
_EXCLUDED = re.compile(r'(?:^|(?<=\s))-+(?:"[^"]*"?\S*|\S+)')


@dataclass(frozen=True)
class Line:
    """One line for qmd: the sub-query it belongs to (from 0), its type and text.

    qmd finds by words only what holds all of them, so a sub-query of several words is asked as a
    `whole` and again for each word.
    """

    number: int
    type: SubQueryType
    text: str
    whole: bool = True


def lines(query: Query, *, by_words: bool) -> list[Line]:
    """The lines of a query, in order; `by_words` leaves out those that need a model.

    A sub-query that asks for nothing has none.
    """
    found: list[Line] = []
    for number, one in enumerate(query.searches):
        text = one_line(one.query)
        if one.type == "lex":
            found += _lexical(number, text)
        elif not by_words and (meant := " ".join(_EXCLUDED.sub(" ", text).split())):
            found.append(Line(number, one.type, meant))
    return found


def document(asked: Sequence[Line], intent: str = "") -> str:
    """The lines as `qmd query` takes them."""
    said = [f"{one.type}: {one.text}" for one in asked]
    told = one_line(intent)
    return "\n".join([*said, f"intent: {told}"] if told else said)


def one_line(text: str) -> str:
    """The text as one line of at most LONGEST characters, "" when there is nothing to see in it."""
    shown = "".join(
        " " if char == "\ufeff" or unicodedata.category(char) in _BREAKS else char
        for char in text[:LONGEST]
    )
    return " ".join(shown.split())


def _lexical(number: int, text: str) -> list[Line]:
    asked = parse_terms(text)
    wanted = [_spelled(term) for term in asked if not term.excluded]
    unwanted = [f"-{_spelled(term)}" for term in asked if term.excluded]
    if not wanted:
        return []
    found = [Line(number, "lex", " ".join([*wanted, *unwanted]))]
    if 1 < len(wanted) <= MOST_WORDS:
        found += [Line(number, "lex", " ".join([one, *unwanted]), whole=False) for one in wanted]
    return found


def _spelled(term: Term) -> str:
    """The term as qmd takes it: what is quoted is a phrase, a bare word the beginning of one."""
    phrase = term.phrases[0]
    begins = len(term.phrases) > 1 and term.phrases[1] == f"{phrase}*"
    return phrase.strip('"') if begins else phrase
