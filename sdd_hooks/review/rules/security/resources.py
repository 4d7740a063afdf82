"""What the addresses of a program are about, and which of these things people write through it."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_external, is_test
from sdd_hooks.code.source_files import MAX_FILE, PAGES
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.query_match import stem

MAX_SEARCHED = 50_000_000
"""Characters that are searched for what people write: two seconds."""
MAX_ADDRESS = 300
"""Characters of an address that are read."""

_URL_OPTION = lazy_regex(r"\burl[\"']?\s*:\s*(?P<value>[^,\n}]+)")
_TABLE = lazy_regex(r"\b(?:from|collection|ref|doc)\(\s*(?:[\w.]+\s*,\s*)?[\"'`](?P<value>[\w/-]+)")
_HOLE = lazy_regex(r"\$\{[^{}]*\}|\{\{.*?\}\}|<%.*?%>|<\?.*?\?>")
_LITERAL = lazy_regex(r"([\"'`])(?P<text>(?:(?!\1)[^\n])*)(?:\1|\Z)")
_EXPRESSION = lazy_regex(r"(?:[^,()\n\"'`;]|\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`)+")
_QUERY = lazy_regex(r"[?#]")
_WORD = lazy_regex(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|[^\W\d_a-zA-Z]+")
# These say how something is requested, and not what.
_GENERIC = frozenset(
    """ajax all api app axios backend by client current data detail details do fetch filter find get
    html http https index info json latest list load local localhost me mine my page php public read
    recent request rest search server service services show simple this url v view www""".split()  # noqa: SIM905 (one word beside the other)
)

# People choose what is in these, and write none of it.
_CHOSEN = frozenset(map(stem, ("bag", "basket", "bookmark", "cart", "favorite", "wishlist")))
_TO = r"(?P<address>[^\"'`\n]{0,300})"
_POST = r"(?:post|put|patch|Post|Put|Patch|POST|PUT|PATCH)"
# Each begins with a text that is rare: as one pattern they take eight times as long.
_CALLS = tuple(
    map(
        lazy_regex,
        (
            # Clients, and routes.
            rf"(?:\.|::)(?:{_POST}|resource|apiResource)(?:<[^<>]{{0,80}}>)?\(\s*[\"'`]{_TO}",
            rf"@{_POST}(?:Mapping)?\b(?:\(\s*(?:\w+\s*=\s*)?\{{?\s*[\"']{_TO})?",
            rf"\[Http{_POST}\b(?:\(\s*\"{_TO})?",
            rf"route\(\s*[\"']{_TO}[\"'][^\n]{{0,120}}?\b(?:POST|PUT|PATCH)\b",
            rf"Func\(\s*\"{_TO}\"[^\n]{{0,200}}?\.Methods\([^()\n]{{0,100}}{_POST}",
            rf"\"(?:POST|PUT|PATCH) {_TO}",
            r"resources?\s+:(?P<address>\w+)",
            rf"register\(\s*r?[\"']{_TO}[\"'],\s*[\w.]*ViewSet",
            r"(?:[aA]pi|API|[cC]lient|[sS]ervice|[rR]epository|[sS]tore|[dD]b|http|axios)"
            r"\.(?:create|add|save|update|edit|send|submit|upload|insert|store)"
            r"(?P<address>[A-Z]\w{2,40})\(",
            # Databases that a browser asks, and the fields of a form.
            rf"\.from\(\s*[\"'`]{_TO}[\"'`]\s*\)\s*\.(?:insert|update|upsert)\(",
            r"(?:addDoc|setDoc|updateDoc|push|set)"
            rf"\((?:collection|doc|ref)\(\s*[\w.]+\s*,\s*[\"'`]{_TO}",
            r"\$_POST\b(?P<address>)",
        ),
    )
)
_FORM = lazy_regex(r"<form\b[^<>]{0,600}\bmethod\s*=\s*[\"']?(?:post|POST)\b[^<>]{0,600}>")
_METHOD = lazy_regex(rf"(?:method|type)[\"'`]?\s*[:=]\s*[\"'`]{_POST}\b")
_ACTION = lazy_regex(r"\b(?:action|hx-post)\s*=\s*([\"'])(?P<address>(?:(?!\1)[^<>])*)", re.I)
_CALLED_BEFORE = lazy_regex(r"\(\s*(?=[\"'`])|\burl[\"']?\s*:\s*", re.IGNORECASE)
_STATEMENT = lazy_regex(r"[^;)]*")
_MAX_BEFORE = 400
_MAX_AFTER = 200


def find_resource(address: str) -> str:
    """What an address is about, as the stem of its last word that says so; "" for none.

    `address` is an expression as it is written: `'/api/rooms/' + id` and `API.getRooms` are about
    `room`.
    """
    words = _find_words(address)
    return words[-1] if words else ""


def find_written(subject: Subject) -> frozenset[str]:
    """What people write through the program: the words of the addresses that forms, scripts and
    routes send to, as stems. What they only choose, such as a cart, is not written.
    """
    found: set[str] = set()
    room = MAX_SEARCHED
    for blob in subject.after.blobs():
        path = blob.path
        is_code = path.lower().endswith(PAGES) or find_language(path)
        if not is_code or is_external(path) or is_test(path):
            continue
        text = subject.text(path)
        room -= len(text)
        if room < 0:
            break
        if len(text) <= MAX_FILE:
            found.update(_written_words(path, text))
    return frozenset(found - _CHOSEN)


def _written_words(path: str, text: str) -> Iterator[str]:
    """The words of the addresses that a file writes to; for one without, of the end of its path."""
    here = _find_words("/".join(posixpath.splitext(path)[0].split("/")[-2:]))
    addresses = [one["address"] or "" for call in _CALLS for one in call.finditer(text)]
    for form in _FORM.finditer(text):
        action = _ACTION.search(form[0])
        addresses.append(action["address"] if action else "")
    addresses += (_requested(text, *one.span()) for one in _METHOD.finditer(text))
    for address in addresses:
        yield from _find_words(address) or here


def _requested(text: str, start: int, end: int) -> str:
    """The address of the request that has its method at a place of a text."""
    after = _STATEMENT.match(text, end, end + _MAX_AFTER)
    option = _URL_OPTION.search(after[0]) if after else None
    if option:
        return option["value"]
    before = list(_CALLED_BEFORE.finditer(text, max(0, start - _MAX_BEFORE), start))
    begin = before[-1].end() if before else start
    called = _EXPRESSION.match(text, begin, begin + MAX_ADDRESS)
    return called[0] if called and before else ""


def _find_words(address: str) -> list[str]:
    """The stems of the words of an address that say what it is about."""
    address = address[:MAX_ADDRESS]
    chosen = _TABLE.search(address) or _URL_OPTION.search(address)
    text = _HOLE.sub("/", chosen["value"] if chosen else address)
    literals = [one["text"] for one in _LITERAL.finditer(text)]
    text = _QUERY.split("/".join(literals or [text]), maxsplit=1)[0]
    words = (one.lower() for one in _WORD.findall(text))
    return [stem(one) for one in words if one not in _GENERIC]
