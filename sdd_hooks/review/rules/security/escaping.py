"""Templates and pages whose escaping is switched off, and HTML that is put into a document."""

from __future__ import annotations

from sdd_hooks.review.rules.security.site import Hazard, Site, begins_constant, is_constant
from sdd_hooks.review.source_files import COMPONENTS, GO, PAGES, PYTHON, SCRIPT
from sdd_hooks.text.lazy_regex import lazy_regex

_TYPED = lazy_regex(r"\?\s*:|:\s*(?:\{|string|unknown|any|never)\b|['\"]\s*[|>]")
_FILTERED = lazy_regex(r"\|\s*(?:tojson|json|escape|e|force_escape|urlencode|striptags|bleach)\b")
_TAG = lazy_regex(r"\{\{.*?\}\}|\{%.*?%\}")
_CONSTANT = lazy_regex(r"(?:\w+\.)?[A-Z][A-Z0-9_]+\s*(?:[;)}\"',]|$)")
_INCLUDED = lazy_regex(r"\s*(?:await\s+)?(?:include|yield|render|partial|content_for)\b")


def _call(site: Site) -> bool:
    value = site.arguments[0] if site.arguments else ""
    return bool(value) and not is_constant(value) and not site.is_safe(value)


def _react(site: Site) -> bool:
    if _TYPED.match(site.line[site.end :].lstrip()) or site.line[: site.start].endswith(("'", '"')):
        return False
    value = site.rest.partition("}")[0].partition("__html")[2].lstrip(": ")
    return not is_constant(value) and not site.is_safe(value or site.line)


def _filter(site: Site) -> bool:
    tags = [tag for tag in _TAG.findall(site.line) if site.matched in tag]
    return bool(tags) and not all(_FILTERED.search(tag) or site.is_safe(tag) for tag in tags)


def _raw(site: Site) -> bool:
    value = site.rest.partition("%>")[0].partition("!!}")[0].partition("}}")[0]
    return not _INCLUDED.match(value) and not is_constant(value) and not site.is_safe(value)


def _markup(site: Site) -> bool:
    value = site.line[site.end :].partition(">")[0].partition("}")[0]
    return not site.is_safe(value)


def _ruby(site: Site) -> bool:
    value = site.line[: site.start].rpartition("=")[2]
    return not is_constant(value) and not site.is_safe(site.line)


def _html(site: Site) -> bool:
    value = site.matched.rpartition("=")[2] + site.rest
    if begins_constant(value):
        return False
    first = value.lstrip().split("\n", 1)[0]
    if _CONSTANT.match(first):
        return False
    return not site.is_safe(first)


def _inserted(site: Site) -> bool:
    value = site.arguments[1] if len(site.arguments) > 1 else ""
    return bool(value) and not is_constant(value) and not site.is_safe(value)


def _always(_: Site) -> bool:
    return True


_ADVICE = "let the template escape it, or sanitise it with a library first"

HAZARDS = (
    Hazard(
        "unescaped-html",
        r"\btemplate\.(?:HTML|HTMLAttr|JS|JSStr)\(",
        GO,
        f"this text is not escaped any more: {_ADVICE}",
        _call,
    ),
    Hazard(
        "unescaped-html",
        r"\bdangerouslySetInnerHTML\b",
        (*SCRIPT, *COMPONENTS),
        "dangerouslySetInnerHTML puts HTML into the page as it is: render elements, or sanitise it"
        " with a library first",
        _react,
    ),
    Hazard(
        "unescaped-html",
        r"\|\s*(?:safe|raw)\b",
        PAGES,
        f"this filter switches escaping off: {_ADVICE}",
        _filter,
    ),
    Hazard(
        "unescaped-html",
        r"\{%-?\s*autoescape\s+(?:false|off)\b|\bautoescape\s*=\s*False\b",
        (*PAGES, *PYTHON),
        "escaping is switched off: leave it on, and mark what is safe already one by one",
        _always,
    ),
    Hazard(
        "unescaped-html",
        r"\b(?:mark_safe|Markup)\(",
        PYTHON,
        f"this text is not escaped any more: {_ADVICE}",
        _call,
    ),
    Hazard(
        "unescaped-html",
        r"\bv-html\s*=|\{@html\b|\bset:html\s*=",
        (*COMPONENTS, *PAGES),
        f"this puts HTML into the page as it is: {_ADVICE}",
        _markup,
    ),
    Hazard(
        "unescaped-html",
        r"<%==|<%=\s*raw\b|\{!!",
        PAGES,
        f"this is not escaped: {_ADVICE}",
        _raw,
    ),
    Hazard(
        "unescaped-html",
        r"\.html_safe\b",
        (".rb", ".erb"),
        f"this text is not escaped any more: {_ADVICE}",
        _ruby,
    ),
    Hazard(
        "unescaped-html",
        r"\bHtml\.Raw\(|\bbypassSecurityTrust(?:Html|Script)\(",
        (".cshtml", ".razor", ".cs", *SCRIPT),
        f"this text is not escaped any more: {_ADVICE}",
        _call,
    ),
    Hazard(
        "inner-html",
        r"\.(?:inner|outer)HTML\s*\+?=(?:[^=]|$)",
        (*SCRIPT, *COMPONENTS, *PAGES),
        "HTML is assigned to a document as it is: use textContent, or sanitise it with a library"
        " first",
        _html,
    ),
    Hazard(
        "inner-html",
        r"\.insertAdjacentHTML\(",
        (*SCRIPT, *COMPONENTS, *PAGES),
        "HTML is put into a document as it is: build elements, or sanitise it with a library first",
        _inserted,
    ),
)
