"""Scripts and stylesheets of a CDN that the browser takes whatever they have become."""

from __future__ import annotations

import re

from sdd_hooks.review.rules.security.site import Hazard, Site
from sdd_hooks.review.source_files import COMPONENTS, PAGES, SCRIPT
from sdd_hooks.text.lazy_regex import lazy_regex

_CDN = lazy_regex(
    r"""^(?:[\w.-]*\.)?(?: [\w-]*cdn[\w-]*\.[\w.-]+ | unpkg\.com | (?:code\.)?jquery\.com | esm\.sh
    | jsdelivr\.net | ajax\.googleapis\.com | ajax\.aspnetcdn\.com | skypack\.dev | jspm\.io
    | polyfill\.io | bootcss\.com | staticfile\.org )$""",
    re.VERBOSE | re.IGNORECASE,
)
# What these serve is made for each browser, or on the fly: no digest would hold.
_MADE = lazy_regex(
    r"(?:^|\.)(?:cdn\.tailwindcss\.com|cdn\.segment\.com|cdn\.cookielaw\.org|cdn\.usefathom\.com"
    r"|cdn\.amplitude\.com|cdn\.auth0\.com)$",
    re.IGNORECASE,
)
_HOST = lazy_regex(r"//([\w.-]+)")
_TAG = lazy_regex(r"<(script|link)\b", re.IGNORECASE)
_STYLE = lazy_regex(r"\brel\s*=\s*[\"'{]*(?:stylesheet|modulepreload)|\.css\b", re.IGNORECASE)
_ABOVE = 8


def _confirmed(site: Site) -> bool:
    host = _HOST.search(site.matched)
    if not host or not _CDN.match(host[1]) or _MADE.search(host[1]):
        return False
    first = max(0, site.number - 1 - _ABOVE)
    before = "\n".join([*site.lines[first : site.number - 1], site.line[: site.start]])
    opened = before.rfind("<")
    tag = _TAG.match(before, opened) if opened >= 0 else None
    if not tag:
        return False
    text = before[opened:] + site.matched + site.rest.partition(">")[0]
    if tag[1].lower() == "link" and not _STYLE.search(text):
        return False
    return "integrity" not in text


HAZARDS = (
    Hazard(
        "cdn-integrity",
        r"\b(?:src|href)\s*=\s*[{\"'`\\]*(?:https?:)?//[\w.-]+\.[a-z]+/",
        (*PAGES, *COMPONENTS, *SCRIPT),
        "what a CDN serves runs here whatever it has become: name an exact version, and add"
        " integrity and crossorigin, or serve the file yourself",
        _confirmed,
        in_strings=True,
    ),
)
