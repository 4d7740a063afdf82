"""Elements that pages share: inline scripts, forms and navigation; and the frameworks they use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from sdd_hooks.code.source_files import TEMPLATE_COMMENT
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import blank

ElementKind = Literal["script", "form", "navigation"]

MAX_ELEMENTS = 200
"""Elements of one page that are read."""
MIN_SCRIPT = 60
"""Characters without white space and comments of a script. A shorter one calls shared code."""
MIN_CALLS = 300
"""Such characters of a script without a function or block. A shorter one calls shared code."""
MIN_FIELDS = 2
"""Fields to fill in of a form that is compared. A form with hidden fields only is a button."""
MIN_LINKS = 3
"""Links of a navigation that is compared."""

_OPENING = lazy_regex(r"<(script|form|nav|div|ul|aside)\b([^<>]{0,1000})>", re.IGNORECASE)
_NAVIGATION = lazy_regex(r"\brole\s*=\s*[\"']navigation[\"']", re.IGNORECASE)
# Breadcrumbs and page numbers differ from page to page.
_PAGE_SPECIFIC = lazy_regex(r"breadcrumb|paginat|pager|table.?of.?contents|toc\b", re.IGNORECASE)
_PAGE_NUMBERS = lazy_regex(r"\bclass\s*=\s*[\"'][^\"'<>]{0,200}\b(?:pagination|breadcrumb)", re.I)
_EXTERNAL_SCRIPT = lazy_regex(r"\bsrc\s*=|type\s*=\s*[\"'](?!text/javascript|module)", re.I)
# In a template, a value may have quotes of its expressions in it: `action="{{ url('a') }}"`.
_EXPRESSION = r"\{\{(?:(?!\}\}).){0,300}\}\}|\{%(?:(?!%\}).){0,300}%\}|(?!\{\{|\{%)"
_ATTRIBUTE = lazy_regex(
    rf"""(?<![\w.-])(?P<name>[\w:@.-]*(?:action|method|controller|handler|page|route[\w-]*)
    |hx-(?:get|post|put|patch|delete))\s*=\s*
    (?: "(?P<double>(?:{_EXPRESSION}[^"<>])*)" | '(?P<single>(?:{_EXPRESSION}[^'<>])*)' )""",
    re.VERBOSE | re.IGNORECASE,
)
# The form of one list has the same few fields as that of another, and no text in common.
_FILTERS = lazy_regex(
    r"\b(?:id|class|name|role)\s*=\s*[\"'][^\"'<>]{0,200}(?:filter|search)", re.IGNORECASE
)
_FIELD = lazy_regex(r"<(input|select|textarea)\b([^<>]{0,1000})", re.IGNORECASE)
_VALUE = (
    rf"(?:\"(?P<double>(?:{_EXPRESSION}[^\"<>]){{1,300}})\""
    rf"|'(?P<single>(?:{_EXPRESSION}[^'<>]){{1,300}})')"
)
# Helpers write fields, too: `{!! checkbox('discover') !!}`, `<%= form.check_box :discover %>`.
_HELPER = lazy_regex(r"\{!!(.{1,200}?)!!\}|<%=\s*(\w{1,20}\.[^%]{1,200})%>", re.DOTALL)
_NAME = lazy_regex(rf"\bname\s*=\s*{_VALUE}", re.IGNORECASE)
_TYPE = lazy_regex(r"\btype\s*=\s*[\"']?(\w+)", re.IGNORECASE)
_NOT_FILLED_IN = ("hidden", "submit", "button", "reset", "image")
_WORD = lazy_regex(r"\w+")
# `f({ a: 1 })` is a call with options.
_BLOCK = lazy_regex(r"[)>]\{|\b(?:else|try|do|finally)\{")
# What begins when the page is there, without white space.
_WHEN_READY = lazy_regex(
    r"""(?:\$|jQuery)\((?:document\)\.ready\()?(?:function\(\$?\)|\(?\$?\)?=>)\{(?P<jquery>.*)\}\);?
    |(?:document|window)\.addEventListener\(["'](?:DOMContentLoaded|load)["'],
     (?:function\(\w*\)|\(?\w*\)?=>)\{(?P<listener>.*)\}(?:,\w+)?\);?
    |(?:window\.)?onload=(?:function\(\w*\)|\(?\w*\)?=>)\{(?P<onload>.*)\};?""",
    re.VERBOSE | re.DOTALL,
)
_SCRIPT_COMMENT = lazy_regex(r"/\*.*?(?:\*/|\Z)|(?<!:)//[^\n]*", re.DOTALL)
_LINK = lazy_regex(rf"\bhref\s*=\s*{_VALUE}", re.IGNORECASE)
_COMMENT = lazy_regex(
    rf"<!--.*?(?:-->|\Z)|{TEMPLATE_COMMENT}|<%--.*?(?:--%>|\Z)|<%#.*?(?:%>|\Z)", re.DOTALL
)


class Framework(NamedTuple):
    """How pages use a front-end framework: `pattern` matches only texts with one of `words`."""

    words: tuple[str, ...]
    pattern: re.Pattern[str]

    def is_used(self, text: str) -> bool:
        """Whether a text uses the framework. The words are found ten times as fast."""
        return any(word in text for word in self.words) and bool(self.pattern.search(text))


FRAMEWORKS: Mapping[str, Framework] = {
    name: Framework(words, lazy_regex(pattern))
    for name, words, pattern in (
        ("Alpine.js", ("x-data", "alpinejs"), r"\bx-data\s*=|\balpinejs\b"),
        ("Angular", ("ng-app", "ng-controller"), r"\bng-(?:app|controller)\s*="),
        (
            "htmx",
            ("hx-", "htmx"),
            r"\bhx-(?:get|post|put|patch|delete|swap|boost)\s*=|\bhtmx(?:\.org|\.min\.js|\.js)\b",
        ),
        (
            "Hyperscript",
            ("hyperscript.org", "_='on ", '_="on '),
            r"\bhyperscript\.org\b|\s_=[\"']on ",
        ),
        (
            "jQuery",
            ("jquery", "$(document)"),
            r"\bjquery(?:-[0-9.]+)?(?:\.slim)?(?:\.min)?\.js\b|\$\(document\)",
        ),
        ("React", ("react-dom", "ReactDOM"), r"\breact-dom\b|\bReactDOM\b"),
        ("Stimulus", ("data-controller",), r"\bdata-controller\s*="),
        (
            "Vue",
            ("vue", "v-"),
            r"\bvue(?:\.global)?(?:\.prod)?(?:\.min)?\.js\b|\sv-(?:bind|model|if|for|on)[:=]",
        ),
    )
}
"""Front-end frameworks by name."""


class PageElement(NamedTuple):
    """An element of a page from line `first` to line `last`, with the words in it."""

    kind: ElementKind
    first: int
    last: int
    signature: tuple[str, ...]
    words: frozenset[str]


def find_elements(text: str) -> tuple[PageElement, ...]:
    """Find the inline scripts, forms and navigation of a page that are long enough to compare."""
    return tuple(_elements(blank_comments(text)))


def blank_comments(text: str) -> str:
    """The text of a page with blanks for its comments. Lines keep their numbers."""
    return blank(_COMMENT, text)


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
        # Of elements in each other, the inner one is compared.
        is_outer = lower.find(f"<{tag}", position, end) >= 0
        signature = () if is_outer else _signature(kind, attributes, inside)
        if signature:
            words = frozenset(_WORD.findall(inside)) if kind == "form" else frozenset()
            yield PageElement(kind, first, line + inside.count("\n"), signature, words)


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
        body = "".join(_SCRIPT_COMMENT.sub("", inside).split())
        ready = _WHEN_READY.fullmatch(body)
        work = ready[ready.lastgroup or 0] if ready else body
        only_calls = len(work) < (MIN_SCRIPT if _BLOCK.search(work) else MIN_CALLS)
        return () if only_calls else ("".join(inside.split()),)
    if kind == "form":
        return () if _FILTERS.search(attributes) else _form_signature(attributes, inside)
    if _PAGE_NUMBERS.search(inside):
        return ()
    # A link to a place of this page is a tab of it.
    links = tuple(
        one for one in dict.fromkeys(map(_value, _LINK.finditer(inside))) if one[0] != "#"
    )
    return links if len(links) >= MIN_LINKS else ()


def _form_signature(attributes: str, inside: str) -> tuple[str, ...]:
    """Where a form is sent, and the kinds and names of its fields; empty for one with few."""
    fields: list[str] = []
    filled_in: set[str] = set()
    for tag, field in _FIELD.findall(inside):
        name, kind = _NAME.search(field), _TYPE.search(field)
        if name:
            says = kind[1].lower() if kind else tag.lower()
            fields.append(f"{says} {_value(name)}")
            if says not in _NOT_FILLED_IN:
                filled_in.add(_value(name))
    fields += ("".join(one).strip() for one in _HELPER.findall(inside))
    about = sorted(f"{one['name']}={_value(one)}" for one in _ATTRIBUTE.finditer(attributes))
    return (*about, *sorted(fields)) if len(filled_in) >= MIN_FIELDS else ()


def _value(attribute: re.Match[str]) -> str:
    """The value of an attribute in quotes."""
    return attribute["double"] or attribute["single"] or ""


def is_copy(element: PageElement, other: PageElement) -> bool:
    """Whether two elements are copies.

    The signatures of scripts and forms are equal, four of five links of a navigation, and of the
    words in a form.
    """
    if element.kind != other.kind:
        return False
    if element.kind == "navigation":
        return _are_similar(frozenset(element.signature), frozenset(other.signature))
    return element.signature == other.signature and _are_similar(element.words, other.words)


def group(element: PageElement) -> tuple[str, ...]:
    """What elements have in common that may be copies."""
    return (element.kind, *(() if element.kind == "navigation" else element.signature))


def _are_similar(some: frozenset[str], others: frozenset[str]) -> bool:
    return 5 * len(some & others) >= 4 * len(some | others)
