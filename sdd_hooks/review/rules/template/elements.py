"""What people copy between pages: inline scripts, forms, navigation; and what pages run on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from sdd_hooks.text.lazy_regex import lazy_regex

Kind = Literal["script", "form", "navigation"]

MOST = 200
"""Elements of one page that are looked at."""
SHORTEST_SCRIPT = 60
"""Characters without those of whitespace; shorter scripts are calls."""
FEWEST_FIELDS = 2
FEWEST_LINKS = 3

_OPENING = lazy_regex(r"<(script|form|nav|div|ul|aside)\b([^<>]{0,1000})>", re.IGNORECASE)
_NAVIGATION = lazy_regex(r"\brole\s*=\s*[\"']navigation[\"']", re.IGNORECASE)
# A trail and a list of pages are other ones on every page.
_OTHER = lazy_regex(r"breadcrumb|paginat|pager|table.?of.?contents|toc\b", re.IGNORECASE)
_SCRIPT_ELSEWHERE = lazy_regex(r"\bsrc\s*=|type\s*=\s*[\"'](?!text/javascript|module)", re.I)
_ATTRIBUTE = lazy_regex(
    r"\b(action|method|hx-(?:get|post|put|patch|delete))\s*=\s*[\"']([^\"'<>]*)"
)
_FIELD = lazy_regex(
    r"<(?:input|select|textarea)\b[^<>]{0,1000}?\bname\s*=\s*[\"']([^\"'<>]{1,200})", re.IGNORECASE
)
_LINK = lazy_regex(r"\bhref\s*=\s*[\"']([^\"'<>]{1,300})[\"']", re.IGNORECASE)
_COMMENT = lazy_regex(r"<!--.*?(?:-->|\Z)|\{#.*?(?:#\}|\Z)", re.DOTALL)

FRAMEWORKS: Mapping[str, re.Pattern[str]] = {
    name: lazy_regex(pattern)
    for name, pattern in (
        ("Alpine.js", r"\bx-data\s*=|\balpinejs\b"),
        ("Angular", r"\bng-(?:app|controller)\s*="),
        (
            "htmx",
            r"\bhx-(?:get|post|put|patch|delete|swap|boost)\s*=|\bhtmx(?:\.org|\.min\.js|\.js)\b",
        ),
        ("Hyperscript", r"\bhyperscript\.org\b|\s_=[\"']on "),
        ("jQuery", r"\bjquery(?:-[0-9.]+)?(?:\.slim)?(?:\.min)?\.js\b|\$\(document\)"),
        ("React", r"\breact-dom\b|\bReactDOM\b"),
        ("Stimulus", r"\bdata-controller\s*="),
        ("Vue", r"\bvue(?:\.global)?(?:\.prod)?(?:\.min)?\.js\b|\sv-(?:bind|model|if|for|on)[:=]"),
    )
}
"""What makes a page interactive, and what of it a page shows."""


class Element(NamedTuple):
    """A part of a page, from line `first` to `last`. Two with the same signature are copies."""

    kind: Kind
    first: int
    last: int
    signature: tuple[str, ...]


def elements(text: str) -> tuple[Element, ...]:
    """The inline scripts, forms and navigation of a page that are long enough to be copies."""
    plain = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return tuple(_elements(plain))


def _elements(text: str) -> Iterator[Element]:
    lower = text.lower()
    # "İ" is two characters in lower case, and the offsets would be others.
    lower = lower if len(lower) == len(text) else text
    line = 1
    position = count = 0
    while (opening := _OPENING.search(text, position)) and count < MOST:
        line += text.count("\n", position, opening.start())
        position = opening.end()
        tag, attributes = opening[1].lower(), opening[2]
        kind = _kind(tag, attributes)
        first = line
        line += text.count("\n", opening.start(), position)
        if kind is None:
            continue
        count += 1
        end = lower.find(f"</{tag}", position)
        if end < 0:
            continue
        inside = text[position:end]
        signature = _signature(kind, attributes, inside)
        if signature:
            yield Element(kind, first, line + inside.count("\n"), signature)


def _kind(tag: str, attributes: str) -> Kind | None:
    if tag == "script":
        return None if _SCRIPT_ELSEWHERE.search(attributes) else "script"
    if tag == "form":
        return "form"
    if tag == "nav" or _NAVIGATION.search(attributes):
        return None if _OTHER.search(attributes) else "navigation"
    return None


def _signature(kind: Kind, attributes: str, inside: str) -> tuple[str, ...]:
    if kind == "script":
        body = "".join(inside.split())
        return (body,) if len(body) >= SHORTEST_SCRIPT else ()
    if kind == "form":
        fields = _FIELD.findall(inside)
        about = sorted(f"{name}={value}" for name, value in _ATTRIBUTE.findall(attributes))
        return (*about, *sorted(fields)) if len(set(fields)) >= FEWEST_FIELDS else ()
    links = tuple(dict.fromkeys(_LINK.findall(inside)))
    return links if len(links) >= FEWEST_LINKS else ()


def is_copy(one: Element, other: Element) -> bool:
    """Whether two parts of pages are the same; of a navigation, four links of five."""
    if one.kind != other.kind:
        return False
    if one.kind != "navigation":
        return one.signature == other.signature
    links, others = set(one.signature), set(other.signature)
    return 5 * len(links & others) >= 4 * len(links | others)
