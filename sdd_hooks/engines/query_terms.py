"""What a text and a query become before SQLite's tokenizer sees them.

`unicode61` folds case and diacritics and already splits at underscores, dots and slashes. What it
leaves whole is done here: camelCase identifiers, and scripts written without spaces.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

import re
from dataclasses import dataclass

# Starts with a plain set, which `re` scans for six times faster than for the pattern it stands for.
_HUMP = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?=[A-Z][a-z]))")
_HUMPED = re.compile(r"\b[A-Za-z0-9]*?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*")
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Compiled by the few texts that need it: it takes longer than all the others together.
_UNSPACED = (
    "["
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # CJK ideographs
    "\uac00-\ud7af"  # Hangul
    "\U00020000-\U0003134f"
    "]"
)
_ASKED = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"|(?P<word>\S+)')
_TOKEN = re.compile(r"[^\W_]+")
_STOP_WORDS = """
a an and are as at be by can could do does for from had has have how i if in into is it its
may me my not of on or our shall should so than that the their them then there these they this
those to us use used using was we were what when where which who why will with would you your
"""
_STOP = frozenset(_STOP_WORDS.split())
_SHORTEST_PREFIX = 3


@dataclass(frozen=True)
class Term:
    """One thing a query asks for, as FTS5 phrases any of which will do."""

    phrases: tuple[str, ...]
    excluded: bool = False

    @property
    def expression(self) -> str:
        """The FTS5 expression that matches this term."""
        return "(" + " OR ".join(self.phrases) + ")"


def spaced(text: str) -> str:
    """The text with every character of an unspaced script as a word of its own."""
    return text if text.isascii() else re.sub(_UNSPACED, r" \g<0> ", text)


def identifier_parts(text: str) -> str:
    """The words inside the camelCase identifiers of a text: `parseUserID` gives `parse User ID`."""
    if not _HUMP.search(text):
        return ""
    return " ".join(_BOUNDARY.sub(" ", found) for found in dict.fromkeys(_HUMPED.findall(text)))


def terms(query: str) -> list[Term]:
    """The terms of a query. `"a phrase"` stays together, `-word` excludes, function words are
    dropped unless nothing else is asked. An identifier is found whole and by its parts."""
    found: list[Term] = []
    weak: list[Term] = []
    for asked in _ASKED.finditer(query):
        word = asked["word"]
        if word is None:
            term = _phrase(asked["phrase"], excluded=bool(asked["minus"]))
        else:
            excluded = word.startswith("-") and len(word) > 1
            term = _word(word[1:] if excluded else word, excluded)
        if term is None:
            continue
        target = weak if word is not None and word.lower() in _STOP else found
        if term not in target:
            target.append(term)
    wanted = [term for term in found if not term.excluded]
    return found if wanted else weak + found


def _phrase(text: str, *, excluded: bool) -> Term | None:
    tokens = _TOKEN.findall(spaced(text))
    return Term((_quoted(tokens),), excluded) if tokens else None


def _word(word: str, excluded: bool) -> Term | None:
    tokens = _TOKEN.findall(spaced(word))
    if not tokens:
        return None
    phrases = [_quoted(tokens)]
    parts = _TOKEN.findall(_BOUNDARY.sub(" ", " ".join(tokens)))
    if parts != tokens:
        phrases.append(_quoted(parts))
    elif len(tokens) == 1 and len(word) >= _SHORTEST_PREFIX and not excluded:
        phrases.append(_quoted(tokens) + "*")
    return Term(tuple(phrases), excluded)


def _quoted(tokens: list[str]) -> str:
    return '"' + " ".join(tokens) + '"'
