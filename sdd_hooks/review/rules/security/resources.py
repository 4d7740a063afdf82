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
"""Characters that are searched for what people write: a second."""
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

_METHOD = r"[\"'`]?\s*[:=]\s*[\"'`](?:post|put|patch)\b"
_WRITES = lazy_regex(
    rf"""\.(?:post|put|patch|resource|apiResource)(?:<[^<>]{{0,80}}>)?\(\s*[\"'`](?P<called>[^\"'`\n]*)
    |::(?:post|put|patch|resource|apiResource)\(\s*[\"'](?P<routed>[^\"'\n]*)
    |@(?:Post|Put|Patch)(?:Mapping)?\b(?:\(\s*(?:\w+\s*=\s*)?\{{?\s*[\"'](?P<mapped>[^\"'\n]*))?
    |\[Http(?:Post|Put|Patch)\b(?:\(\s*[\"'](?P<attribute>[^\"'\n]*))?
    |\broute\(\s*[\"'](?P<route>[^\"'\n]*)[\"'][^\n]{{0,120}}?\b(?:POST|PUT|PATCH)\b
    |[\"'](?P<handled>/[^\"'\n]*)[\"'][^\n]{{0,200}}?\.Methods\([^()\n]*(?:Post|Put|Patch|POST|PUT|PATCH)
    |[\"'](?:POST|PUT|PATCH)[ ](?P<pattern>/[^\"'\n]*)
    |\bresources?\s+:(?P<resources>\w+)
    |\bregister\(\s*r?[\"'](?P<registered>[^\"'\n]*)[\"'],\s*[\w.]*ViewSet
    |\.(?:create|add|save|update|edit|send|submit|upload|insert|store)(?P<named>(?-i:[A-Z])\w{{2,40}})\(
    |\.from\(\s*[\"'`](?P<table>\w+)[\"'`]\s*\)\s*\.(?:insert|update|upsert)\(
    |\b(?:addDoc|setDoc|updateDoc|push|set)\(\s*(?:collection|doc|ref)\(\s*[\w.]+\s*,\s*[\"'`](?P<document>[\w/]+)
    |<form\b(?P<form>[^<>]{{0,600}}\bmethod\s*=\s*[\"']?post\b[^<>]{{0,600}})>
    |\b(?:method|type){_METHOD}(?P<option>)
    |\$_POST\b(?P<here>)""",
    re.VERBOSE | re.IGNORECASE,
)
# One of these is in each match, and is found ten times as fast.
_WRITE_WORDS = lazy_regex(
    r"post|put|patch|resource|viewset|(?:create|add|save|update|edit|send|submit|upload|insert|store)",
    re.IGNORECASE,
)
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
    routes send to, as stems.
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
        if len(text) <= MAX_FILE and _WRITE_WORDS.search(text):
            for address in _written_addresses(path, text):
                found.update(_find_words(address))
    return frozenset(found)


def _written_addresses(path: str, text: str) -> Iterator[str]:
    """The addresses that a file writes to; of an address without a word, the name of the file."""
    for match in _WRITES.finditer(text):
        kind = match.lastgroup
        if kind == "form":
            action = _ACTION.search(match["form"])
            address = action["address"] if action else ""
        elif kind == "option":
            address = _requested(text, match.start(), match.end())
        else:
            address = match[kind] if kind else ""
        yield address if _find_words(address) else posixpath.splitext(path)[0]


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
