"""Split queries and documents into the words that SQLite's tokenizer indexes.

The tokenizer `unicode61` folds case and diacritics, and splits at underscores, dots and slashes.
This module does the rest: it splits camelCase identifiers, and scripts written without spaces.
"""

# Governing: ADR-0002 (embedded engine on apsw, FTS5 and sqlite-vec)

from __future__ import annotations

import re
from functools import lru_cache

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.forms import fold_forms
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.names import PLURAL_S

# Begins with a plain set, which `re` scans for six times faster than for an equivalent lookbehind.
_HUMP = lazy_regex(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?=[A-Z][a-z]))")
_CAMEL_CASE = lazy_regex(r"\b[A-Za-z0-9]*?(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*")
_BOUNDARY = lazy_regex(rf"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!{PLURAL_S})[a-z])")
# Compiled on first use: few texts need it, and it takes longer than all other patterns together.
_UNSPACED = (
    "["
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # CJK ideographs
    "\uac00-\ud7af"  # Hangul
    "\U00020000-\U0003134f"
    "]"
)
_PART = lazy_regex(r'(?P<minus>-?)"(?P<phrase>[^"]*)"|(?P<word>\S+)')
_TOKEN = lazy_regex(r"[^\W_]+")
_IDENTIFIER = lazy_regex(r"[^\W_]+(?:_[^\W_]+)*")
_STOP_WORD_LIST = """
a an and are as at be by can could do does for from had has have how i if in into is it its
may me my not of on or our shall should so than that the their them then there these they this
those to us use used using was we were what when where which who why will with would you your
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
_MIN_PREFIX = 3
"""Characters of the shortest word that also matches words that begin with it."""

_SHORT_FORMS = """
address addr; administrator admin; allocate alloc; allocation alloc; allocator alloc;
application app; argument arg; array arr; attribute attr; authentication auth; authorization auth;
average avg; buffer buf; calculate calc; column col; command cmd; configuration config cfg conf;
connection conn; context ctx; control ctrl; controller ctrl; coordinate coord; current cur curr;
database db; declaration decl; dependency dep; description desc; descriptor desc;
destination dest dst; development dev; dictionary dict; difference diff; directory dir;
element elem el; environment env; error err; evaluate eval; event evt; exception exc; execute exec;
execution exec; expression expr; extension ext; generate gen; generator gen; identifier id ident;
increment inc; index idx; information info; initial init; initialization init; initialize init;
internationalization i18n; iteration iter; iterator iter; kubernetes k8s; language lang; length len;
localization l10n; management mgmt; manager mgr; maximum max; memory mem; message msg;
metadata meta; middleware mw; minimum min; miscellaneous misc; navigation nav; number num;
operation op; operator op; option opt; package pkg; parameter param; password pwd passwd;
permission perm; pointer ptr; position pos; previous prev; process proc; production prod;
property prop; query qry; random rand; receive recv; reference ref; repository repo; request req;
resource res rsrc; response resp res; result res; selection sel; separator sep; sequence seq;
serialize ser; server srv; service svc; session sess; specification spec; standard std;
statement stmt; statistics stats; subscription sub; synchronization sync; synchronize sync;
synchronous sync; system sys; table tbl; template tmpl tpl; temporary temp tmp; terminal term;
timestamp ts; transaction tx txn; translate trans; utility util; vector vec; version ver;
volume vol; window win
"""


class Term(NamedTuple):
    """One term of a query: FTS5 phrases, of which a document has to contain at least one.

    `phrases` are words of the query, `short_forms` those that code writes instead. `times` is how
    often the query has it. A part is a word of an identifier in the query, which is a term, too.
    """

    phrases: tuple[str, ...]
    excluded: bool = False
    times: int = 1
    is_part: bool = False
    short_forms: tuple[str, ...] = ()

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The phrases, and the short forms as phrases."""
        return self.phrases + self.short_forms

    @property
    def expression(self) -> str:
        """The FTS5 expression that matches this term."""
        return "(" + " OR ".join(self.alternatives) + ")"


def separate_unspaced(text: str) -> str:
    """Put spaces around every character of a script that is written without spaces.

    The characters are those that people type (`text.forms`).
    """
    return text if text.isascii() else re.sub(_UNSPACED, r" \g<0> ", fold_forms(text))


def identifier_parts(text: str) -> str:
    """Return the words of the camelCase identifiers of a text: `parse User ID` of `parseUserID`.

    The plural of an acronym is one word and no identifier.
    """
    text = fold_forms(text)
    if not _HUMP.search(text):
        return ""
    identifiers = dict.fromkeys(_CAMEL_CASE.findall(text))
    parts = ((identifier, _BOUNDARY.sub(" ", identifier)) for identifier in identifiers)
    return " ".join(words for identifier, words in parts if words != identifier)


def parse_terms(query: str) -> list[Term]:
    """Return the terms of a query, each once, with the parts of identifiers at the end.

    `"a phrase"` is one term, and `-word` excludes a word. Stop words are dropped unless the query
    has no other term. An identifier matches as a whole, and each of its parts is a term. A word
    also matches its short forms: `ctx` for `context`.
    """
    terms: dict[Term, int] = {}
    stop_words: dict[Term, int] = {}
    parts: dict[str, int] = {}
    for part in _PART.finditer(fold_forms(query)):
        word = part["word"]
        if word is None:
            term = _parse_phrase(part["phrase"], excluded=bool(part["minus"]))
        else:
            excluded = word.startswith("-") and len(word) > 1
            term = _parse_word(word[1:] if excluded else word, excluded)
            for name in () if excluded else name_words(word):
                parts[name] = parts.get(name, 0) + 1
        if term is None:
            continue
        target = stop_words if word is not None and word.lower() in _STOP_WORDS else terms
        target[term] = target.get(term, 0) + 1
    if not any(not term.excluded for term in terms):
        terms = {**stop_words, **terms}
    counted = []
    for term, count in terms.items():
        alone = term.phrases[0].strip('"').lower()
        counted.append(term._replace(times=max(count, parts.pop(alone, 0))))
    return counted + [_part_term(name, count) for name, count in parts.items()]


def name_words(text: str) -> list[str]:
    """Return the words of a text that can be words of names, in lower case, with repetitions.

    Identifiers are taken apart; stop words and single characters are left out.
    """
    words = _TOKEN.findall(_BOUNDARY.sub(" ", separate_unspaced(text)))
    return [word for word in map(str.lower, words) if len(word) > 1 and word not in _STOP_WORDS]


def identifiers(text: str) -> list[str]:
    """Return the camelCase and snake_case identifiers of a text."""
    return [word for word in _IDENTIFIER.findall(text) if "_" in word or _BOUNDARY.search(word)]


def _part_term(name: str, count: int) -> Term:
    phrase = f'"{name}"'
    phrases = (phrase, f"{phrase}*") if len(name) >= _MIN_PREFIX else (phrase,)
    return Term(phrases, times=count, is_part=True)


def _parse_phrase(text: str, *, excluded: bool) -> Term | None:
    tokens = _TOKEN.findall(separate_unspaced(text))
    return Term((_quote(tokens),), excluded) if tokens else None


def _parse_word(word: str, excluded: bool) -> Term | None:
    tokens = _TOKEN.findall(separate_unspaced(word))
    if not tokens:
        return None
    phrases, short = [_quote(tokens)], tuple[str, ...]()
    parts = _TOKEN.findall(_BOUNDARY.sub(" ", " ".join(tokens)))
    if parts != tokens:
        phrases.append(_quote(parts))
    elif len(tokens) == 1 and len(word) >= _MIN_PREFIX and not excluded:
        phrases.append(_quote(tokens) + "*")
        short = tuple(f'"{form}"' for form in short_forms(tokens[0].lower()))
    return Term(tuple(phrases), excluded, short_forms=short)


def _quote(tokens: list[str]) -> str:
    return '"' + " ".join(tokens) + '"'


def short_forms(word: str) -> tuple[str, ...]:
    """Return the short forms of a word in lower case; of a plural, with their plurals."""
    table = _table()
    if word in table:
        return table[word]
    if not word.endswith("s"):
        return ()
    singular = f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    short = table.get(singular, ())
    return (*short, *(f"{one}s" for one in short))


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, ...]]:
    entries = (entry.split() for entry in _SHORT_FORMS.split(";"))
    return {word: tuple(short) for word, *short in entries}
