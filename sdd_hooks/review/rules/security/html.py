"""Hazards of HTML: escaping that is switched off, and files of a CDN without integrity."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sdd_hooks.code.source_files import COMPONENTS, GO, MAX_LINE, PAGES, PYTHON, SCRIPT
from sdd_hooks.review.rules.security.expressions import is_harmless
from sdd_hooks.review.rules.security.site import (
    Hazard,
    MatchSite,
    OtherFiles,
    begins_constant,
    is_constant,
)
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.review.rules.security.origins import Origins

_TYPED = lazy_regex(r"\?\s*:|:\s*(?:\{|string|unknown|any|never)\b|['\"]\s*[|>]")
_FILTERED = lazy_regex(
    r"\|\s*(?:tojson|json|escape|e|force_escape|urlencode|striptags|bleach)\b|\bhelp_text\s*\|"
)
# In `value="<b>none</b>"|safe` the filter applies to the literal.
_LITERAL_BEFORE = lazy_regex(r"(?<![|:])(?:=|\{\{)\s*(?:\"[^\"]*\"|'[^']*')\s*$")
_TEMPLATE_TAG = lazy_regex(r"\{\{.*?\}\}|\{%.*?%\}")
_CONSTANT = lazy_regex(r"(?:\w+\.)?[A-Z][A-Z0-9_]+\s*(?:[;)}\"',]|$)")
_INCLUDED = lazy_regex(r"\s*(?:await\s+)?(?:include|yield|render|partial|content_for)\b")
_PAGE = lazy_regex(r"\.html?\b|text/html|_html\b|\bhtml_", re.IGNORECASE)
_CDN = lazy_regex(
    r"""^(?:[\w.-]*\.)?(?: [\w-]*cdn[\w-]*\.[\w.-]+ | unpkg\.com | (?:code\.)?jquery\.com | esm\.sh
    | jsdelivr\.net | ajax\.googleapis\.com | ajax\.aspnetcdn\.com | skypack\.dev | jspm\.io
    | polyfill\.io | bootcss\.com | staticfile\.org )$""",
    re.VERBOSE | re.IGNORECASE,
)
# These hosts generate each response, so that no digest can match.
_GENERATED = lazy_regex(
    r"(?:^|\.)(?:cdn\.tailwindcss\.com|cdn\.segment\.com|cdn\.cookielaw\.org|cdn\.usefathom\.com"
    r"|cdn\.amplitude\.com|cdn\.auth0\.com)$",
    re.IGNORECASE,
)
_HOST = lazy_regex(r"//([\w.-]+)")
_PACKAGES = lazy_regex(
    r"(?:^|\.)(?:unpkg\.com|jsdelivr\.net|cdnjs\.cloudflare\.com|code\.jquery\.com|esm\.sh|jspm\.io"
    r"|skypack\.dev|ajax\.googleapis\.com|ajax\.aspnetcdn\.com|bootstrapcdn\.com|bootcss\.com"
    r"|staticfile\.org)$",
    re.IGNORECASE,
)
# `@1.2.3/`, `-1.2.3.min.js`, `/1.2/`: each file below stays as it is.
_EXACT_VERSION = lazy_regex(
    r"[@/-]v?[0-9]+\.[0-9]+\.[0-9]+|/ajax/libs/[^/]+/[0-9]|/[0-9]+\.[0-9]+(?:\.[0-9]+)*/"
)
_ADDRESS_END = lazy_regex(r"[\"'`\s>]")
_FILLED_IN = lazy_regex(r"\$\{|\{\{|\{%|<[%?]|#\{|%[A-Z_]{2,40}%")
_PARAMETER = (
    r"(?:FormValue\(|\.URL\.Query\(|\b(?:req|request)\.(?:query|body|params|GET|POST|args|form)\b"
    r"|\bparams\[|\bgetParameter\(|\$_(?:GET|POST|REQUEST)\b|\bsearchParams\.get\()"
)
_MARKDOWN = (
    r"(?:\b(?:markdown|marked|md|make_?html)\(|\|\s*(?:markdown|md|markdownify)\s*\|"
    r"|\|\s*default(?:_if_none)?:\s*[\"'][^\"']*<)"
)
_UNTRUSTED = lazy_regex(f"{_PARAMETER}|{_MARKDOWN}", re.IGNORECASE)
# A parameter that is handed to a call may be escaped by it.
_UNTRUSTED_VALUE = lazy_regex(
    rf"\s*(?:(?:str|String|decodeURIComponent|unquote)\()?[\w.$]*?{_PARAMETER}|.*?{_MARKDOWN}",
    re.IGNORECASE,
)
_FORMATTED = lazy_regex(r"\s*(?:rf|fr|f)[\"']", re.IGNORECASE)
_FORMATTED_VALUE = lazy_regex(r"(?<!\{)\{([^{}!:]{1,200})(?:[!:][^{}]{0,40})?\}(?!\})")
_TEXT_MEMBER = lazy_regex(
    r"""(?!(?:.{0,80}\.)?(?:\w*(?:scheme|config|theme|styles?|options|settings|labels|messages)
    |strings|i18n|icons?|loc|locale|lang|language|country|currency)\b\.)
    (?!(?:error|err|e|ex|exception|data|json|payload|res|resp|response|result)\.(?:message|text)$)
    (?!.*(?:field|class|tag|node|type|event)_?name$)
    \w+(?:\.\w+|\[[^\[\]]{1,40}\])*\.(?:\w*(?:name|title|message|text|description|summary|reason
    |comment|email(?:_address)?)|value|query|content)""",
    re.VERBOSE | re.IGNORECASE,
)
_ASSIGNED = lazy_regex(r"(?<![\w.$])([A-Za-z_$][\w$]*)\s*(?::=|=(?![=>]))")
_NAME = lazy_regex(r"[A-Za-z_$][\w$]*")
_MAX_LINES_TO_VALUE = 40
_ELEMENT = lazy_regex(r"<[a-zA-Z]")
# A name or a member. The result of a call may be escaped, or a translation.
_PRINTED = lazy_regex(r"\{\{-?\s*[\w.]+\s*(?:\||-?\}\})")
_CDN_TAG = lazy_regex(r"<(script|link)\b", re.IGNORECASE)
_STYLE = lazy_regex(r"\brel\s*=\s*[\"'{]*(?:stylesheet|modulepreload)|\.css\b", re.IGNORECASE)
_MAX_LINES_ABOVE = 8


def _is_unsafe_argument(site: MatchSite) -> bool:
    value = site.arguments[0] if site.arguments else ""
    return (
        bool(value)
        and not is_constant(value)
        and not site.is_safe(value)
        and not site.is_rendered(value)
    )


def _is_unsafe_react(site: MatchSite) -> bool:
    quoted = site.line[: site.start].endswith(("'", '"', "/"))
    if quoted or _TYPED.match(site.line[site.end :].lstrip()):
        return False
    value = site.rest.partition("}")[0].partition("__html")[2].lstrip(": ")
    return (
        not is_constant(value)
        and not site.is_safe(value or site.line)
        and not site.is_rendered(value)
    )


def _is_unsafe_filter(site: MatchSite) -> bool:
    if _LITERAL_BEFORE.search(site.line[: site.start]):
        return False
    tags = [tag for tag in _TEMPLATE_TAG.findall(site.line) if site.matched in tag]
    return bool(tags) and not all(_FILTERED.search(tag) or site.is_safe(tag) for tag in tags)


def _is_unsafe_output(site: MatchSite) -> bool:
    value = site.rest.partition("%>")[0].partition("!!}")[0].partition("}}")[0]
    return not _INCLUDED.match(value) and not is_constant(value) and not site.is_safe(value)


def _is_unsafe_attribute(site: MatchSite) -> bool:
    value = site.line[site.end :].partition(">")[0].partition("}")[0]
    return not site.is_safe(value)


def _is_unsafe_ruby(site: MatchSite) -> bool:
    value = site.line[: site.start].rpartition("=")[2]
    return not is_constant(value) and not site.is_safe(site.line)


def _is_unsafe_assignment(site: MatchSite) -> bool:
    value = site.matched.rpartition("=")[2] + site.rest
    if begins_constant(value):
        return False
    first = value.lstrip().split("\n", 1)[0]
    if _CONSTANT.match(first):
        return False
    return not is_harmless(site, value)


def _is_unsafe_insertion(site: MatchSite) -> bool:
    value = site.arguments[1] if len(site.arguments) > 1 else ""
    return bool(value) and not is_constant(value) and not is_harmless(site, value)


def _shows_untrusted(site: MatchSite) -> bool:
    """Whether what is not escaped has a parameter of a request or Markdown in it, or in its values.

    Markdown may contain HTML, and so may what has a default with markup. In Python a formatted text
    counts that has a member in it that is a text for people.
    """
    text = _unescaped(site)
    if _UNTRUSTED.search(text) or _formats_text(site):
        return True
    names = set(_NAME.findall(text))
    return any(
        match[1] in names and _UNTRUSTED_VALUE.match(one[:MAX_LINE], match.end())
        for one in site.above[-_MAX_LINES_TO_VALUE:]
        for match in _ASSIGNED.finditer(one[:MAX_LINE])
    )


def _unescaped(site: MatchSite) -> str:
    """The expression that is not escaped."""
    before, after = site.line[: site.start][-MAX_LINE:], site.rest[:MAX_LINE]
    if site.matched.endswith("("):
        return ", ".join(site.arguments)
    if site.matched.startswith("|"):
        return before[max(before.rfind("{{"), before.rfind("{%"), 0) :] + after.partition("}}")[0]
    if site.matched.startswith("."):
        return _receiver(before)
    if site.matched.startswith(("<%", "{!!")):
        return re.split(r"%>|!!\}", after, maxsplit=1)[0]
    quote = after.lstrip()[:1]
    closing = quote if quote in ("'", '"') else "}"
    return after.lstrip()[1:].partition(closing)[0]


def _receiver(text: str) -> str:
    """The expression at the end of a text that a method is called on."""
    end = len(text)
    depth = 0
    quote = ""
    for index in range(end - 1, -1, -1):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in ")]}":
            depth += 1
        elif character in "([{":
            depth -= 1
        if depth < 0 or (not depth and not quote and character in " ,;="):
            return text[index + 1 :]
    return text


def _formats_text(site: MatchSite) -> bool:
    """Whether the argument is a formatted text of Python with a text for people in it."""
    value = site.arguments[0] if site.path.endswith(PYTHON) and site.arguments else ""
    return bool(_FORMATTED.match(value)) and any(
        _TEXT_MEMBER.fullmatch(one.strip()) for one in _FORMATTED_VALUE.findall(value)
    )


def _puts_outside_text_into_markup(site: MatchSite) -> bool:
    """Whether the file shows that markup with a text from outside the program is assigned."""
    before = sum(len(line) + 1 for line in site.lines[: site.number - 1])
    origins = _origins(site.path, site.whole, site.others)
    if origins is None:
        return False
    if site.matched.endswith("("):
        return origins.inserts_text(before + site.end - 1)
    return origins.joins_text(before + site.start + site.matched.rindex("=") + 1)


@lru_cache(maxsize=1)
def _origins(path: str, text: str, others: OtherFiles) -> Origins | None:
    """The origins of a file whose matches follow each other; None for a long file."""
    # Only a whole tree needs it, and a commit waits for each import.
    from sdd_hooks.review.rules.security.origins import Origins
    from sdd_hooks.review.rules.security.script import MAX_SCRIPT

    return Origins(path, text, others) if len(text) <= MAX_SCRIPT else None


def _is_package_cdn(site: MatchSite) -> bool:
    """Whether the host serves releases of packages, and the address has an exact version: a digest
    stays the same.
    """
    host = _HOST.search(site.matched)
    address = _ADDRESS_END.split(site.rest[:MAX_LINE], maxsplit=1)[0]
    return (
        bool(host and _PACKAGES.search(host[1]))
        and bool(_EXACT_VERSION.search(site.matched[-1:] + address))
        and not _FILLED_IN.search(address)
    )


def _disables_escaping(site: MatchSite) -> bool:
    """Whether escaping is switched off in a page, or by code that renders pages."""
    return not site.path.endswith(PYTHON) or bool(_PAGE.search(site.whole))


def _encloses_markup(site: MatchSite) -> bool:
    """Whether a block of a page prints values into markup. The text of an e-mail is not escaped.

    Code that switches escaping off may render other things than pages.
    """
    block = site.rest.partition("endautoescape")[0]
    if site.path.endswith(PYTHON):
        return False
    printed = (one for one in _TEMPLATE_TAG.findall(block) if _PRINTED.match(one))
    return bool(_ELEMENT.search(block)) and not all(map(_FILTERED.search, printed))


def _lacks_integrity(site: MatchSite) -> bool:
    host = _HOST.search(site.matched)
    if not host or not _CDN.match(host[1]) or _GENERATED.search(host[1]):
        return False
    first = max(0, site.number - 1 - _MAX_LINES_ABOVE)
    before = "\n".join([*site.lines[first : site.number - 1], site.line[: site.start]])
    opened = before.rfind("<")
    tag = _CDN_TAG.match(before, opened) if opened >= 0 else None
    if not tag:
        return False
    text = before[opened:] + site.matched + site.rest.partition(">")[0]
    if tag[1].lower() == "link" and not _STYLE.search(text):
        return False
    return "integrity" not in text


# Texts are stored escaped, as tutorials of PHP have it: to escape them again would show `&lt;`.
_STORES_ESCAPED = ("htmlspecialchars(strip_tags(",)
_ADVICE = "let the template escape it, or sanitise it with a library first"

HAZARDS = (
    Hazard(
        "unescaped-html",
        r"\btemplate\.(?:HTML|HTMLAttr|JS|JSStr)\(",
        GO,
        f"this text is not escaped any more: {_ADVICE}",
        _is_unsafe_argument,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\bdangerouslySetInnerHTML\b",
        (*SCRIPT, *COMPONENTS),
        "dangerouslySetInnerHTML puts HTML into the page as it is: render elements, or sanitise it"
        " with a library first",
        _is_unsafe_react,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\|\s*(?:safe|raw)\b",
        PAGES,
        f"this filter switches escaping off: {_ADVICE}",
        _is_unsafe_filter,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\{%-?\s*autoescape\s+(?:false|off)\b|\bautoescape\s*=\s*False\b",
        (*PAGES, *PYTHON),
        "escaping is switched off: leave it on, and mark what is safe already one by one",
        _disables_escaping,
        is_certain=_encloses_markup,
    ),
    Hazard(
        "unescaped-html",
        r"\b(?:mark_safe|Markup)\(",
        PYTHON,
        f"this text is not escaped any more: {_ADVICE}",
        _is_unsafe_argument,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\bv-html\s*=|\{@html\b|\bset:html\s*=",
        (*COMPONENTS, *PAGES),
        f"this puts HTML into the page as it is: {_ADVICE}",
        _is_unsafe_attribute,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"<%==|<%=\s*raw\b|\{!!",
        PAGES,
        f"this is not escaped: {_ADVICE}",
        _is_unsafe_output,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\.html_safe\b",
        (".rb", ".erb"),
        f"this text is not escaped any more: {_ADVICE}",
        _is_unsafe_ruby,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "unescaped-html",
        r"\bHtml\.Raw\(|\bbypassSecurityTrust(?:Html|Script)\(",
        (".cshtml", ".razor", ".cs", *SCRIPT),
        f"this text is not escaped any more: {_ADVICE}",
        _is_unsafe_argument,
        is_certain=_shows_untrusted,
    ),
    Hazard(
        "inner-html",
        r"\.(?:inner|outer)HTML\s*\+?=(?:[^=]|$)",
        (*SCRIPT, *COMPONENTS, *PAGES),
        "HTML is assigned to a document as it is: use textContent, or sanitise it with a library"
        " first",
        _is_unsafe_assignment,
        is_certain=_puts_outside_text_into_markup,
        set_elsewhere=_STORES_ESCAPED,
    ),
    Hazard(
        "inner-html",
        r"\.insertAdjacentHTML\(",
        (*SCRIPT, *COMPONENTS, *PAGES),
        "HTML is put into a document as it is: build elements, or sanitise it with a library first",
        _is_unsafe_insertion,
        is_certain=_puts_outside_text_into_markup,
        set_elsewhere=_STORES_ESCAPED,
    ),
    Hazard(
        "cdn-integrity",
        r"\b(?:src|href)\s*=\s*[{\"'`\\]*(?:https?:)?//[\w.-]+\.[a-z]+/",
        (*PAGES, *COMPONENTS, *SCRIPT),
        "nothing verifies this file of a CDN: add integrity and crossorigin, which need an exact"
        " version in the address, or serve the file yourself",
        _lacks_integrity,
        in_strings=True,
        is_certain=_is_package_cdn,
    ),
)
