"""Routes that are registered without authentication.

A route is reported in two cases: most other routes of the same block are authenticated one by one;
or a change adds a file that creates the application, registers this route first, and names no
authentication. A block that receives its router from a caller can be behind a middleware already.
In a whole tree no route is reported: a route that has long been public is meant to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sdd_hooks.code.source_files import GO, MAX_LINE, PYTHON, SCRIPT
from sdd_hooks.review.rules.security.site import Hazard, MatchSite
from sdd_hooks.text.lazy_regex import lazy_regex

_WORDS = (
    r"auth(?!or(?!i)|enticity)|log[_-]?in|signed_?in|session|jwt|bearer|permission|protected"
    r"|guard|rbac|\bacl\b|oidc|oauth|api[_-]?key|current_?user|require_?(?:user|admin|role|login)"
    r"|is_?admin|must_?(?:be|have)|ensure_?(?:user|logged)|identity|\bsecured?\b|verify"
)
_AUTHENTICATED = lazy_regex(_WORDS, re.IGNORECASE)
# Middleware in front of a handler. `handleLogin` is a handler, and no match.
_MIDDLEWARE_CALL = lazy_regex(
    r"""(?:require|ensure|must|with|check|only|enforce|needs?|is)_?\w{0,20}?
      (?:auth|log_?(?:ged)?_?in|user|session|admin|role|permission|token|signed)
    | \bauth(?:enticat\w*|oriz\w*|ed|n|z)?(?:_?(?:middleware|guard|required|wrap|only|func))?
      \s*[(,).]
    | (?<!csrf)(?<!csrf_)protect\w*\s*[(,)] | admin\w{0,10}(?:handler|only|middleware)\s*\(
    | login_required|permission_required|\bDepends\(|\bjwt\w*\s*[(,.]|middleware\.\w*auth""",
    re.VERBOSE | re.IGNORECASE,
)
_STRING = lazy_regex(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_ROUTE = lazy_regex(
    r"""\.(?:HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete|get|post|put
    |patch|delete|all)\(\s*["'`] | @\w+\.(?:route|get|post|put|patch|delete)\(""",
    re.VERBOSE,
)
_PATH = lazy_regex(r"[\"'`](?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?([^\"'`\n]*)[\"'`]")
MAX_PATH = 100
"""Characters of the path of a route that are read."""
MAX_BLOCK = 200
"""Lines of a block above and below a route that are read."""
MAX_STATEMENT = 40
"""Lines of a registration that are read."""
_PUBLIC_PATH = lazy_regex(
    r"""^/?$ | /(?:\$|\{\$\})$ | health|ready|readiness|live(?:ness|z)|livez|metrics|ping|version
    |status|log-?(?:in|out)|sign-?(?:in|up|out)|regist|auth|oidc|oauth|sso|saml|callback|webhook
    |hooks?/|static|assets|public|favicon|robots|sitemap|manifest|\.well-known|openapi|swagger|docs
    |csrf|password|forgot|reset|verify|token|session|sw\.js|/\*""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKED_PUBLIC = lazy_regex(r"(?://|\#|/\*)\s*public\s*:", re.IGNORECASE)
_APPLICATION = lazy_regex(
    r"""\bhttp\.HandleFunc\( | \bhttp\.NewServeMux\(\) | \bmux\.NewRouter\(\) | \bchi\.NewRouter\(\)
    | \bchi\.NewMux\(\) | \bgin\.(?:Default|New)\(\) | \becho\.New\(\) | \bfiber\.New\(
    | (?<![\w.])express\(\) | \bfastify\( | \bFastify\( | \bnew\s+(?:Hono|Koa|Elysia)\(
    | =\s*(?:flask\.)?Flask\( | =\s*(?:fastapi\.)?FastAPI\(""",
    re.VERBOSE,
)
_GLOBAL_MIDDLEWARE = lazy_regex(
    r"\.(?:use|Use|With|Group|before_request|middleware)\b|dependencies\s*="
)


def _lacks_authentication(site: MatchSite) -> bool:
    if _is_public(site.line[site.start :]):
        return False
    above = site.lines[site.number - 2] if site.number > 1 else ""
    if _MARKED_PUBLIC.search(site.line) or _MARKED_PUBLIC.search(above):
        return False
    if not _has_handler(site) or _names_authentication(_statement(site.lines, site.number - 1)):
        return False
    block = _block(site)
    registrations = [
        line for line in block if _GLOBAL_MIDDLEWARE.search(line) and not _ROUTE.search(line)
    ]
    if any(_names_authentication(line) for line in registrations):
        return False
    others = list(_other_routes(site))
    authenticated = sum(bool(_MIDDLEWARE_CALL.search(other)) for other in others)
    if authenticated:
        return 2 * authenticated >= len(others)
    return (
        not any(_registers(line) for line in site.lines[: site.number - 1])
        and bool(_APPLICATION.search(site.whole))
        and not _names_authentication(site.whole)
        and all(
            number in site.added
            for number, line in enumerate(site.lines[site.number :], site.number + 1)
            if _registers(line)
        )
    )


def _registers(line: str) -> bool:
    """Whether a line registers a route that is not public by its path."""
    return bool(_ROUTE.search(line[:MAX_LINE])) and not _is_public(line)


def _is_public(line: str) -> bool:
    path = _PATH.search(line)
    if path is None or not path[1].startswith("/"):
        return True
    return bool(_PUBLIC_PATH.search(path[1][:MAX_PATH]))


def _has_handler(site: MatchSite) -> bool:
    """Whether the call registers a handler. The request `client.get("/x")` has none."""
    if site.line[: site.end].lstrip().startswith("@"):
        return True
    return len(site.arguments) > 1 and site.arguments[1] not in ("", "nil", "null", "undefined")


def _names_authentication(text: str) -> bool:
    return bool(_AUTHENTICATED.search(_STRING.sub('""', text)))


def _block(site: MatchSite) -> list[str]:
    """The lines around the route that are indented at least as far, and the line above them."""
    indent = _indent(site.line)
    index = site.number - 1
    first = last = index
    while first > 0 and index - first < MAX_BLOCK and _indent(site.lines[first - 1]) >= indent:
        first -= 1
    end = len(site.lines)
    while last + 1 < end and last - index < MAX_BLOCK and _indent(site.lines[last + 1]) >= indent:
        last += 1
    return list(site.lines[max(0, first - 1) : last + 1])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 1_000


def _other_routes(site: MatchSite) -> Iterator[str]:
    """The other routes of the block that are not public, each with its handlers."""
    block = _block(site)
    for index, line in enumerate(block):
        if line != site.line and _registers(line):
            yield _statement(block, index)


def _statement(lines: Sequence[str], index: int) -> str:
    """The registration that begins on a line, up to its closing bracket; a decorator, up to `:`."""
    text = ""
    for line in lines[index : index + MAX_STATEMENT]:
        code = _STRING.sub('""', line)
        text += f"{code}\n"
        decorated = text.lstrip().startswith("@")
        closed = text.count("(") <= text.count(")")
        if (closed and not decorated) or (decorated and code.rstrip().endswith(":")):
            break
        # The body of an inline handler is not part of the registration.
        if not decorated and re.search(r"\{\s*$|=>\s*\(?$", code):
            break
    return text


def _never(_: MatchSite) -> bool:
    return False


_MESSAGE = (
    "this route is registered without authentication: put its middleware in front, or say why not"
    " in a comment, `Public: …`"
)
_RECEIVERS = (
    r"(?:\b\w*(?:[mM]ux|[rR]outer|[sS]erver|[aA]pp|[aA]pi|[eE]ngine|[gG]roup|admin|v[0-9])"
    r"|\b[regm]|\bhttp)"
)

HAZARDS = (
    Hazard(
        "route",
        rf"{_RECEIVERS}\.(?:HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)\(",
        GO,
        _MESSAGE,
        _lacks_authentication,
        in_service=True,
        is_certain=_never,
    ),
    Hazard(
        "route",
        r"\b(?:app|router|server|fastify|api|\w+Router)\.(?:get|post|put|patch|delete|all)\(",
        SCRIPT,
        _MESSAGE,
        _lacks_authentication,
        in_service=True,
        is_certain=_never,
    ),
    Hazard(
        "route",
        r"^\s*@\w+\.(?:route|get|post|put|patch|delete)\(",
        PYTHON,
        _MESSAGE,
        _lacks_authentication,
        in_service=True,
        is_certain=_never,
    ),
)
