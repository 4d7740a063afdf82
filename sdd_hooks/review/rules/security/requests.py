"""Hazards of handling a request: bodies without a limit, and redirects to a parameter."""

from __future__ import annotations

import re

from sdd_hooks.code.source_files import COMPONENTS, GO, PAGES, PYTHON, SCRIPT
from sdd_hooks.review.rules.security.site import Hazard, MatchSite
from sdd_hooks.text.lazy_regex import lazy_regex

_GO_LIMITED = lazy_regex(r"MaxBytes(?:Reader|Handler)|BodyLimit|\bLimitReader\(\s*\w+\.Body")
_OF_CONTEXT = lazy_regex(r"(?:^|\.)Request(?:\(\))?$")
_LIMITED = lazy_regex(
    r"limit|max|content[-_.]?length|too.?large|\b413\b|size|\.length\s*>=?\s*[1-9]", re.IGNORECASE
)
# An argument that begins with a parameter of the request; "/users/" + id stays on this host.
_PARAMETER = lazy_regex(
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
# Limits that hold for a whole application, set where it starts.
_GO_LIMITS = ("MaxBytesHandler", "BodyLimit", "LimitBody", "MaxRequestBody", "RequestSize")
_SCRIPT_LIMITS = ("bodyLimit", "maxBodySize", "maxRequestBody", "maxRequestSize")
# Vercel and Netlify take no request of more than 4.5 and 6 MB.
_PLATFORMS = ("vercel.json", "netlify.toml")
_PYTHON_LIMITS = (
    *("MAX_CONTENT_LENGTH", "DATA_UPLOAD_MAX", "client_max_size", "max_buffer_size"),
    *("max_body", "max_request_body", "max_request_size", "limit_request_body", "body_limit"),
)
_MAX_LINES_ABOVE = 30
_MAX_LINES_TO_CHECK = 10
_MAX_TO_CHECK = 60
"""Characters before a parameter in which the call that checks it begins."""
# In these languages the first argument says where to; the others fill it in, or are options.
_TARGET_FIRST = (*PYTHON, ".rb", ".cs", ".java", ".kt")
# A program that stands for another one in tests.
_DOUBLE = lazy_regex(
    r"fake|mock|stub|dummy|e2e|cypress|test-?utils?|test-?server|(?:^|/)test\.[a-z]+$",
    re.IGNORECASE,
)


def _reads_body_in_go(site: MatchSite) -> bool:
    chain = site.matched.partition("(")[2].rpartition(".Body")[0].strip()
    if _GO_LIMITED.search(site.whole):
        return False
    if _OF_CONTEXT.search(chain):
        return True
    declared = lazy_regex(rf"\b{re.escape(chain)} \*http\.Request\b")
    return any(declared.search(line) for line in (*site.above, site.line))


def _lacks_limit(site: MatchSite) -> bool:
    return not any("limit" in argument for argument in site.arguments)


def _reads_unbounded(site: MatchSite) -> bool:
    near = (*site.above[-40:], *site.rest.split("\n")[:20])
    return not any(_LIMITED.search(line) for line in (site.line, *near))


def _redirects_to_parameter(site: MatchSite) -> bool:
    arguments = site.arguments[:4]
    if any("allow_other_host: false" in text or "only_path: true" in text for text in arguments):
        return False
    for argument in arguments[:1] if site.path.endswith(_TARGET_FIRST) else arguments:
        if _PARAMETER.match(argument) and not _CHECKED.search(argument):
            return not _is_checked_above(argument, site)
        if _NAME.match(argument) and _comes_from_request(argument, site):
            return True
    return False


def _is_checked_above(parameter: str, site: MatchSite) -> bool:
    """Whether the lines above hand the same parameter to a call that checks it."""
    text = "".join("".join(site.above[-_MAX_LINES_TO_CHECK:]).split())
    before = text.split("".join(parameter.split()))[:-1]
    return any(_CHECKED.search(one[-_MAX_TO_CHECK:]) for one in before)


def _comes_from_request(name: str, site: MatchSite) -> bool:
    """Whether a parameter is assigned to the variable some lines above, and no line checks it."""
    assigned = lazy_regex(
        rf"(?<![\w.]){re.escape(name)}(?:\s*:\s*\w+)?\s*(?:,\s*\w+\s*)?(?::=|=)\s*(?=\S)"
    )
    used = lazy_regex(rf"(?<![\w.]){re.escape(name)}\b")
    for line in reversed(site.above[-_MAX_LINES_ABOVE:]):
        if match := assigned.search(line[:500]):
            return bool(_PARAMETER.match(line, match.end())) and not _CHECKED.search(line)
        if used.search(line) and _CHECKED.search(line):
            return False
    return False


def _is_no_double(site: MatchSite) -> bool:
    """Whether the file is not one that stands for another program in tests, by its path."""
    return not _DOUBLE.search(site.path)


def _handles_in_go(site: MatchSite) -> bool:
    """Whether the function is a handler, and the file does not know a limit set elsewhere."""
    is_handler = any("http.ResponseWriter" in line for line in site.above)
    return is_handler and "MaxBytes" not in site.whole and _is_no_double(site)


def _never(_: MatchSite) -> bool:
    """The parsers have a limit of their own: 100 kB."""
    return False


def _has_literal_options(site: MatchSite) -> bool:
    """Whether options are written in the call: a variable may have a limit."""
    is_literal = all(not one or one.startswith("{") for one in site.arguments)
    return is_literal and _is_no_double(site) and not _is_unused(site)


def _is_unused(site: MatchSite) -> bool:
    """Whether the result is assigned to a variable that nothing else names."""
    assigned = _ASSIGNED_TO.match(site.line[: site.start])
    if not assigned:
        return False
    return len(re.findall(rf"\b{re.escape(assigned[1])}\b", site.whole)) < 2


def _allows_other_hosts(site: MatchSite) -> bool:
    """Whether another host is allowed: Rails refuses one otherwise."""
    return any("allow_other_host: true" in one for one in site.arguments) or (
        "allow_other_host: true" in site.line
    )


_ASSIGNED_TO = lazy_regex(r"\s*(?:const|let|var)\s+([\w$]+)\s*=\s*$")
_REDIRECT_MESSAGE = (
    "a parameter of the request says where to: redirect to a path of this host, or to one of a list"
)

HAZARDS = (
    Hazard(
        "request-body",
        r"\bio(?:util)?\.ReadAll\(\s*[\w.]+(?:\(\))?\.Body\s*\)",
        GO,
        "the body of a request is read without a limit: wrap it in http.MaxBytesReader first",
        _reads_body_in_go,
        is_certain=_handles_in_go,
        in_service=True,
        set_elsewhere=_GO_LIMITS,
    ),
    Hazard(
        "request-body",
        r"\b(?:express|bodyParser|body_parser)\.(?:json|urlencoded|text|raw)\(",
        SCRIPT,
        "a body parser has no `limit` option: say how large a body of these routes may be",
        _lacks_limit,
        is_certain=_never,
        in_service=True,
    ),
    Hazard(
        "request-body",
        r"\b(?:multer|getRawBody|fileUpload)\(",
        SCRIPT,
        "bodies are read without a limit: pass `limits` or `limit`",
        _lacks_limit,
        is_certain=_has_literal_options,
        in_service=True,
        platforms=_PLATFORMS,
    ),
    Hazard(
        "request-body",
        r"\b(?:req|request)\.on\(\s*['\"]data['\"]",
        SCRIPT,
        "the body of a request is gathered without a limit: count its bytes, and answer 413 past"
        " one",
        _reads_unbounded,
        is_certain=_is_no_double,
        in_service=True,
        set_elsewhere=_SCRIPT_LIMITS,
        platforms=_PLATFORMS,
    ),
    Hazard(
        "request-body",
        r"\brfile\.read\(\s*\)|\brequest\.stream\.read\(\s*\)|\bawait request\.body\(\)"
        r"|\brequest\.get_data\(|wsgi\.input['\"]\]\.read\(\s*\)",
        PYTHON,
        "the body of a request is read without a limit: look at its length first, or set a limit"
        " for the application",
        _reads_unbounded,
        in_service=True,
        set_elsewhere=_PYTHON_LIMITS,
    ),
    Hazard(
        "redirect",
        r"\bhttp\.Redirect\(|\bc(?:tx)?\.Redirect\(",
        GO,
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        in_service=True,
    ),
    Hazard(
        "redirect",
        r"\b(?:res|response|reply|ctx|NextResponse|Response)\.redirect\("
        r"|\blocation\.(?:assign|replace)\(|\bredirect\(",
        (*SCRIPT, *COMPONENTS),
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        in_service=True,
    ),
    Hazard(
        "redirect",
        r"\b(?:redirect|HttpResponseRedirect|HttpResponsePermanentRedirect|RedirectResponse)\(",
        PYTHON,
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        in_service=True,
    ),
    Hazard(
        "redirect",
        r"\bredirect_to[ (]",
        (".rb",),
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        is_certain=_allows_other_hosts,
        in_service=True,
    ),
    Hazard(
        "redirect",
        r"\b(?:Redirect|RedirectPermanent|sendRedirect)\(",
        (".cs", ".java", ".kt"),
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        in_service=True,
    ),
    Hazard(
        "redirect",
        r"\bheader\(\s*['\"]Location:\s*['\"]\s*\.",
        PAGES,
        _REDIRECT_MESSAGE,
        _redirects_to_parameter,
        in_service=True,
    ),
)
