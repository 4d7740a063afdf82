"""Where values enter a program, by the names in its code, and which parts of them are texts."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from typing import Literal

from sdd_hooks.review.rules.security.variables import ITEM, Path
from sdd_hooks.text.lazy_regex import lazy_regex

Source = Literal["data", "event", "text", "parameters"]
"""What enters: data with members, an event with `data`, a text as a whole, or the parameters of an
address. What a user types or chooses is shown to that user: others get it from a server."""

_REQUEST = lazy_regex(
    r"fetch|(?:axios|ky|superagent)(?:\.\w+)?|(?:\$|jQuery)\.(?:ajax|get|post|getJSON)"
    r"|d3\.(?:json|csv|tsv)|getDocs?|\$?http\.\w+"
)
# What these return is awaited, as only something from outside has to be.
_CLIENT = lazy_regex(
    r"(?:[\w$]+\.)*\w*(?:[fF]etch|[aA]pi|API|[aA]jax|[rR]equest|axios|http|[cC]lient|supabase"
    r"|[fF]irestore)\w*(?:\.\w+)*"
)
STORED = ("localStorage.getItem", "sessionStorage.getItem")
"""What reads from the storage of the browser, which this program filled itself."""
_ADDRESS = lazy_regex(
    r"(?:(?:window|document|self)\.)?location(?:\.(?:search|hash|href|pathname))?"
    r"|document\.(?:URL|referrer|cookie)"
)
_SOCKET = lazy_regex(
    r"(?:.*\.)?\w*(?:socket|ws|io|channel|pusher|hub|connection)\w*", re.IGNORECASE
)
_LISTENS = ("onSnapshot", "onValue", "once")
CALLED_BACK = ("success", "complete", "done")
"""Options of a request that are called with its response."""

_TEXT = lazy_regex(
    r"""(?!\w*?(?:class|tag|node|type|event|field|icon|month|day|key|host|file)_?name$)
    (?:\w*(?:name|title|text|message|description|summary|comment|caption|subject|content|reason
    |author|question|answer|biography|headline|email(?:_?address)?|query|nickname|note|feedback))""",
    re.VERBOSE | re.IGNORECASE,
)
# Of an answer as a whole, these say how the request went.
_OUTCOME = lazy_regex(r"(?:\w*_?)(?:message|text|reason|description)", re.IGNORECASE)
_WRAPPERS = ("data", "body", "result", "payload", "response", "json", "error", "err", "detail")

_STATIC = lazy_regex(
    r"(?![a-z]+:|//)[^?#]*\.(?:json|geojson|csv|tsv|txt|md|html?|xml|svg|ya?ml)(?:[?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
# Lists that a program brings along, also where a server has them.
_REFERENCE = lazy_regex(
    r"(?:^|[^a-z])(?:countr(?:y|ies)|provinces?|cit(?:y|ies)|districts?|barangays?|wards?|kabupaten"
    r"|municipalit(?:y|ies)|languages?|locales?|currenc(?:y|ies)|time_?zones?)(?:[^a-z]|$)",
    re.IGNORECASE,
)
_FILLED_IN = lazy_regex(
    r"(?:\{\{|\{%|<%|<\?|\{!!|@json)(?:.{0,400}?)(?:tojson|json|safe|escapejs|raw|stringify|e?cho)"
    r"|\{!!|<%-|@json",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE_VALUE = r"(?:\{\{|<%=|<\?=|<\?php\s+echo|@\w)"


def called(name: str, is_awaited: bool) -> Source | None:
    """What a call of a function returns, by its name as `a.b`."""
    if _REQUEST.fullmatch(name):
        return "data"
    if name == "URLSearchParams":
        return "parameters"
    return "data" if is_awaited and _CLIENT.fullmatch(name) else None


def is_request(name: str) -> bool:
    """Whether a function requests an address, which is its first argument."""
    return bool(_REQUEST.fullmatch(name))


def is_static(address: str) -> bool:
    """Whether an address is that of a part of the program: a file of the same site, or countries,
    languages and the like.
    """
    return bool(_STATIC.fullmatch(address) or _REFERENCE.search(address))


def read_member(name: str) -> Source | None:
    """What a member is, by its name as `a.b`."""
    if _ADDRESS.fullmatch(name):
        return "text"
    last = name.rpartition(".")[2]
    if last == "searchParams":
        return "parameters"
    if last in ("responseText", "response") and "." in name:
        return "data"
    return None


def handed(callee: str, first: str, number: int) -> Source | None:
    """What a function that is an argument of a call gets as a parameter with this number.

    `first` is the first argument of the call, as written.
    """
    owner, _, method = callee.rpartition(".")
    if number:
        return None
    if method == "addEventListener" and first.strip("\"'`") == "message":
        return "event"
    if method in ("on", "bind", "listen") and _SOCKET.fullmatch(owner):
        return "data"
    return "data" if is_request(callee) or method in _LISTENS else None


def is_shown(source: Source, path: Path) -> bool:
    """Whether the part of what enters that a path leads to is a text for people."""
    if source == "event":
        return path[:1] == ("data",) and is_shown("data", path[1:])
    if source in ("text", "parameters"):
        return path in ((), (ITEM,)) if source == "text" else len(path) == 1
    members = [one for one in path if one != ITEM]
    if not members or not _TEXT.fullmatch(members[-1]) or any(map(_REFERENCE.search, members[:-1])):
        return False
    about = [one for one in members[:-1] if one not in _WRAPPERS]
    return bool(about) or ITEM in path or not _OUTCOME.fullmatch(members[-1])


def is_filled_in(text: str) -> bool:
    """Whether a template writes data into a script here, as they are."""
    return bool(_FILLED_IN.match(text))


def is_filled_attribute(page: str, name: str) -> bool:
    """Whether a template writes a value into an attribute `data-…` of a page."""
    kebab = re.sub(r"([A-Z])", lambda one: f"-{one[1].lower()}", name)
    pattern = rf"\bdata-{re.escape(kebab)}\s*=\s*[\"']?\s*{_TEMPLATE_VALUE}"
    return bool(_TEXT.fullmatch(name)) and bool(re.search(pattern, page))
