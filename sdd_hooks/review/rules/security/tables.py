"""Whether a member, as it is written, is one of a table of literals in the same file.

`row.label` is harmless where `row` is an entry of `const ROWS = [{ label: "…" }]`.
"""

# Governing: ADR-0021 (patterns confirm their match in the text around it)

from __future__ import annotations

import re

from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.review.rules.security.site import MatchSite
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_STEPS = 4
"""Variables that are followed from a member to its table."""
MAX_TABLE = 20_000
"""Characters of a table that are read."""

_ROOT = lazy_regex(r"([A-Za-z_$][\w$]*)\s*(?:\??\.|\[)")
_BY_CONVENTION = lazy_regex(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{3,}[A-Z0-9]*")
_QUOTE_OR_BRACKET = lazy_regex(r"\\.|[\"'`]|[()\[\]{}]", re.DOTALL)
# A template of a server fills these in.
_FILLED_IN = lazy_regex(r"\{\{|\{%|<[?%]|\$\{|\.\.\.")
_CLOSING = {"[": "]", "{": "}"}


def is_of_table(site: MatchSite, member: str) -> bool:
    """Whether the value that a member is taken from is an entry of a table of literals."""
    root = _ROOT.match(member)
    name = root[1] if root else ""
    for _ in range(MAX_STEPS):
        if not name:
            return False
        if _BY_CONVENTION.fullmatch(name) or _is_table(site, name):
            return True
        name = _source(site, name)
    return False


def _source(site: MatchSite, name: str) -> str:
    """The variable that another one is an entry of, by the nearest line; "" if none is found."""
    one = re.escape(name)
    pattern = lazy_regex(
        rf"(?:(?<![\w.$])(?P<called>[A-Za-z_$][\w$]*)(?:\[[^\]]{{1,60}}\])?"
        rf"(?:\.(?:filter|slice|sort|reverse)\([^()]{{0,80}}\))?\??"
        rf"\.(?:map|forEach|flatMap)\((?:async\s+)?(?:function\s*)?\(?\s*{one}\b"
        rf"|\b(?:const|let|var)\s+{one}\s+of\s+(?P<looped>[A-Za-z_$][\w$]*)\s*\)"
        rf"|\b(?:const|let|var)\s+{one}\s*=\s*(?P<indexed>[A-Za-z_$][\w$]*)"
        rf"(?:\[|\.find\(|\s*;|\s*$))"
    )
    for line in reversed([*site.above, site.line]):
        if match := pattern.search(line[:MAX_LINE]):
            return match["called"] or match["looped"] or match["indexed"] or ""
    return ""


def _is_table(site: MatchSite, name: str) -> bool:
    """Whether the file declares a variable as a table with entries, and never changes it."""
    one = re.escape(name)
    declared = re.search(rf"\b(?:const|let|var)\s+{one}\s*=\s*([\[{{])\s*(?![\]}}\s])", site.whole)
    if not declared:
        return False
    begin = declared.start(1)
    table = site.whole[begin : _end(site.whole[begin : begin + MAX_TABLE]) + begin]
    if not table or _FILLED_IN.search(table):
        return False
    changed = (
        rf"(?<![\w.$]){one}(?:\.(?:push|unshift|splice|concat)\("
        rf"|(?:\[[^\]\n]{{1,60}}\])?\s*=(?![=>]))"
    )
    return len(re.findall(changed, site.whole)) == 1


def _end(text: str) -> int:
    """The end of the table at the start of a text; 0 if it has none."""
    opened: list[str] = []
    quote = ""
    for match in _QUOTE_OR_BRACKET.finditer(text):
        mark = match[0]
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'`":
            quote = mark
        elif mark in _CLOSING:
            opened.append(_CLOSING[mark])
        elif opened and mark == opened[-1]:
            opened.pop()
            if not opened:
                return match.end()
        else:
            # A call is no literal.
            return 0
    return 0
