"""Elements that pages share: inline scripts, forms and navigation; and the frameworks they use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from sdd_hooks.text.lazy_regex import lazy_regex

ElementKind = Literal["script", "form", "navigation"]

MAX_ELEMENTS = 200
"""Elements of one page that are read."""
MIN_SCRIPT = 60
"""Characters without white space. A shorter script is a call of shared code."""
MIN_FIELDS = 2
"""Fields of a form that is compared."""
MIN_LINKS = 3
"""Links of a navigation that is compared."""

_OPENING = lazy_regex(r"<(script|form|nav|div|ul|aside)\b([^<>]{0,1000})>", re.IGNORECASE)
_NAVIGATION = lazy_regex(r"\brole\s*=\s*[\"']navigation[\"']", re.IGNORECASE)
# Breadcrumbs and page numbers differ from page to page.
_PAGE_SPECIFIC = lazy_regex(r"breadcrumb|paginat|pager|table.?of.?contents|toc\b", re.IGNORECASE)
_EXTERNAL_SCRIPT = lazy_regex(r"\bsrc\s*=|type\s*=\s*[\"'](?!text/javascript|module)", re.I)
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
"""Front-end frameworks, each with the pattern of its use in a page."""


class PageElement(NamedTuple):
    """An element of a page from line `first` to line `last`.

    Two scripts or forms with equal signatures are copies.
    """

    kind: ElementKind
    first: int
    last: int
    signature: tuple[str, ...]


def find_elements(text: str) -> tuple[PageElement, ...]:
    """Find the inline scripts, forms and navigation of a page that are long enough to compare."""
    plain = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return tuple(_elements(plain))


def _elements(text: str) -> Iterator[PageElement]:
    lower = text.lower()
    # "İ" is two characters in lower case, which would shift the offsets.
    lower = lower if len(lower) == len(text) else text
    line = 1
    position = count = 0
    while (opening := _OPENING.search(text, position)) and count < MAX_ELEMENTS:
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
            yield PageElement(kind, first, line + inside.count("\n"), signature)


def _kind(tag: str, attributes: str) -> ElementKind | None:
    if tag == "script":
        return None if _EXTERNAL_SCRIPT.search(attributes) else "script"
    if tag == "form":
        return "form"
    if tag == "nav" or _NAVIGATION.search(attributes):
        return None if _PAGE_SPECIFIC.search(attributes) else "navigation"
    return None


def _signature(kind: ElementKind, attributes: str, inside: str) -> tuple[str, ...]:
    if kind == "script":
        body = "".join(inside.split())
        return (body,) if len(body) >= MIN_SCRIPT else ()
    if kind == "form":
        fields = _FIELD.findall(inside)
        about = sorted(f"{name}={value}" for name, value in _ATTRIBUTE.findall(attributes))
        return (*about, *sorted(fields)) if len(set(fields)) >= MIN_FIELDS else ()
    links = tuple(dict.fromkeys(_LINK.findall(inside)))
    return links if len(links) >= MIN_LINKS else ()


def is_copy(element: PageElement, other: PageElement) -> bool:
    """Whether two elements are copies. A navigation is one when four of five links are equal."""
    if element.kind != other.kind:
        return False
    if element.kind != "navigation":
        return element.signature == other.signature
    links, other_links = set(element.signature), set(other.signature)
    return 5 * len(links & other_links) >= 4 * len(links | other_links)
