"""Redirects to where a parameter of the request says."""

from __future__ import annotations

import re

from sdd_hooks.review.rules.security.site import Hazard, Site
from sdd_hooks.review.source_files import COMPONENTS, GO, PAGES, PYTHON, SCRIPT
from sdd_hooks.text.lazy_regex import lazy_regex

# An argument that begins with what the request says; "/users/" + id is on this host.
_SOURCE = lazy_regex(
    r"""\(?(?:await\s+)?(?:(?:str|string|unquote|String|decodeURIComponent|url\.QueryUnescape)\()?
    (?: \w+(?:\.Request(?:\(\))?)?\.URL\.Query\(\)\.Get\( | \w+(?:\.Request)?\.(?:Post)?FormValue\(
      | \w+(?:\.Request)?\.Form\.Get\( | c(?:tx)?\.(?:Query|QueryParam|DefaultQuery|PostForm)\(
      | (?:this\.|ctx\.)?req(?:uest)?\.(?:query|body|params)\b | (?:\w+\.)*searchParams\.get\(
      | (?:self\.|flask\.)?request\.(?:GET|POST|args|form|values|query_params)\b
      | params(?:\[|\.(?:fetch|require|dig)\b) | (?:HttpContext\.)?Request\.(?:Query|Form)\b
      | (?:\w+\.)?getParameter\( | \$_(?:GET|POST|REQUEST)\b )""",
    re.VERBOSE,
)
_NAME = lazy_regex(r"\$?[A-Za-z_]\w*$")
_CHECKED = lazy_regex(
    r"safe|valid|allow|starts_?with|has_?prefix|host|relative|local|match|trusted|permit|sanitiz"
    r"|same_?origin|parse|check|verif|url_from|only_path",
    re.IGNORECASE,
)
_NEAR = 30


def _confirmed(site: Site) -> bool:
    arguments = site.arguments[:4]
    if any("allow_other_host: false" in one or "only_path: true" in one for one in arguments):
        return False
    for argument in arguments:
        if _SOURCE.match(argument) and not _CHECKED.search(argument):
            return True
        if _NAME.match(argument) and _comes_from_request(argument, site):
            return True
    return False


def _comes_from_request(name: str, site: Site) -> bool:
    """Whether the variable was given a parameter some lines above, and nothing looked at it."""
    assigned = lazy_regex(
        rf"(?<![\w.]){re.escape(name)}(?:\s*:\s*\w+)?\s*(?:,\s*\w+\s*)?(?::=|=)\s*(?=\S)"
    )
    used = lazy_regex(rf"(?<![\w.]){re.escape(name)}\b")
    for line in reversed(site.above[-_NEAR:]):
        if found := assigned.search(line[:500]):
            return bool(_SOURCE.match(line, found.end())) and not _CHECKED.search(line)
        if used.search(line) and _CHECKED.search(line):
            return False
    return False


_MESSAGE = (
    "a parameter of the request says where to: redirect to a path of this host, or to one of a list"
)

HAZARDS = (
    Hazard("redirect", r"\bhttp\.Redirect\(|\bc(?:tx)?\.Redirect\(", GO, _MESSAGE, _confirmed),
    Hazard(
        "redirect",
        r"\b(?:res|response|reply|ctx|NextResponse|Response)\.redirect\("
        r"|\blocation\.(?:assign|replace)\(|\bredirect\(",
        (*SCRIPT, *COMPONENTS),
        _MESSAGE,
        _confirmed,
    ),
    Hazard(
        "redirect",
        r"\b(?:redirect|HttpResponseRedirect|HttpResponsePermanentRedirect|RedirectResponse)\(",
        PYTHON,
        _MESSAGE,
        _confirmed,
    ),
    Hazard("redirect", r"\bredirect_to[ (]", (".rb",), _MESSAGE, _confirmed),
    Hazard(
        "redirect",
        r"\b(?:Redirect|RedirectPermanent|sendRedirect)\(",
        (".cs", ".java", ".kt"),
        _MESSAGE,
        _confirmed,
    ),
    Hazard("redirect", r"\bheader\(\s*['\"]Location:\s*['\"]\s*\.", PAGES, _MESSAGE, _confirmed),
)
