"""Request bodies that are read without a limit."""

from __future__ import annotations

import re

from sdd_hooks.review.rules.security.site import Hazard, Site
from sdd_hooks.review.source_files import GO, PYTHON, SCRIPT
from sdd_hooks.text.lazy_regex import lazy_regex

_GO_LIMITED = lazy_regex(r"MaxBytes(?:Reader|Handler)|BodyLimit|\bLimitReader\(\s*\w+\.Body")
_OF_CONTEXT = lazy_regex(r"(?:^|\.)Request(?:\(\))?$")
_LIMITED = lazy_regex(r"limit|max|content[-_.]?length|too.?large|\b413\b|size", re.IGNORECASE)


def _go(site: Site) -> bool:
    chain = site.matched.partition("(")[2].rpartition(".Body")[0].strip()
    if _GO_LIMITED.search(site.whole):
        return False
    if _OF_CONTEXT.search(chain):
        return True
    declared = lazy_regex(rf"\b{re.escape(chain)} \*http\.Request\b")
    return any(declared.search(line) for line in (*site.above, site.line))


def _parser(site: Site) -> bool:
    return not any("limit" in argument for argument in site.arguments)


def _unbounded(site: Site) -> bool:
    near = (*site.above[-40:], *site.rest.split("\n")[:20])
    return not any(_LIMITED.search(line) for line in (site.line, *near))


HAZARDS = (
    Hazard(
        "request-body",
        r"\bio(?:util)?\.ReadAll\(\s*[\w.]+(?:\(\))?\.Body\s*\)",
        GO,
        "the body of a request is read without a limit: wrap it in http.MaxBytesReader first",
        _go,
    ),
    Hazard(
        "request-body",
        r"\b(?:express|bodyParser|body_parser)\.(?:json|urlencoded|text|raw)\(",
        SCRIPT,
        "a body parser has no `limit` of its own: say how large a body of these routes may be",
        _parser,
    ),
    Hazard(
        "request-body",
        r"\b(?:multer|getRawBody|fileUpload)\(",
        SCRIPT,
        "bodies are read without a limit: pass `limits` or `limit`",
        _parser,
    ),
    Hazard(
        "request-body",
        r"\b(?:req|request)\.on\(\s*['\"]data['\"]",
        SCRIPT,
        "the body of a request is gathered without a limit: count its bytes, and answer 413 past"
        " one",
        _unbounded,
    ),
    Hazard(
        "request-body",
        r"\brfile\.read\(\s*\)|\brequest\.stream\.read\(\s*\)|\bawait request\.body\(\)"
        r"|\brequest\.get_data\(|wsgi\.input['\"]\]\.read\(\s*\)",
        PYTHON,
        "the body of a request is read without a limit: look at its length first, or set a limit"
        " for the application",
        _unbounded,
    ),
)
