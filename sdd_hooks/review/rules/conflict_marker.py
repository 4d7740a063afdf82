"""Markers of a merge conflict that was committed unresolved."""

# Governing: SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Iterator

from sdd_hooks.code.paths import is_external, is_markdown, is_test
from sdd_hooks.findings import Finding
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.markdown import find_frontmatter_end, mask_non_prose

_START, _BASE, _MIDDLE, _END = "<", "|", "=", ">"

_HERE_DOCUMENT = lazy_regex(r"(?<!<)<<-?\s?[\"']?[A-Z]\w+[\"']?[ \t]*\n(?:[^\n]*\n){0,2}$")
# `=======` alone underlines a heading in Markdown and reStructuredText: it counts between others.
_MARKER = lazy_regex(r"^(?:<{7}|>{7}|\|{7}|={7})(?=[ \r]|$)[^\n]*", re.MULTILINE)


class _Marker(NamedTuple):
    line: int
    text: str


def check(subject: Subject) -> Iterator[Finding]:
    """Find each conflict in a changed file, on added lines or not, at its first marker."""
    for file in subject.change.files:
        if file.is_file and not file.binary:
            # A test has markers as data.
            if subject.whole_tree and (is_external(file.path) or is_test(file.path)):
                continue
            text = subject.after.text(file.path)
            for conflict in find_conflicts(text, markdown=is_markdown(file.path)):
                lines = ", ".join(str(marker.line) for marker in conflict)
                message = (
                    "a merge conflict was left here: resolve it, and take out the markers on"
                    f" {'lines' if len(conflict) > 1 else 'line'} {lines}"
                )
                first = conflict[0]
                yield Finding(file.path, first.line, RULE.id, "critical", message, first.text)


def find_conflicts(text: str, *, markdown: bool = False) -> Iterator[tuple[_Marker, ...]]:
    """Find the markers of each conflict in a text, in order, incomplete conflicts included.

    With `markdown`, a fenced block is an example, and `>>>>>>> ` alone is a quotation.
    """
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return
    if markdown:
        # A lone carriage return ends no line for git.
        text = text.replace("\r", " ")
        # The frontmatter is searched as well: records conflict there most often.
        matter = find_frontmatter_end(text)
        text = text[:matter] + mask_non_prose(text)[matter:]
    opened: list[_Marker] = []
    line = 1
    position = 0
    for match in _MARKER.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        marker = _Marker(line, match[0].rstrip()[:200])
        kind = match[0][0]
        if kind == _START and _HERE_DOCUMENT.search(text[max(0, position - 200) : position]):
            # A script that writes markers.
            return
        if kind == _START:
            if opened:
                yield (opened[0],)
            opened = [marker]
        elif kind == _END:
            if opened or not markdown:
                yield *opened, marker
            opened = []
        elif opened and _expected(kind, opened):
            opened.append(marker)
    if opened:
        yield (opened[0],)


def _expected(kind: str, opened: list[_Marker]) -> bool:
    """Whether this marker can follow: `|||||||` once, then `=======` once."""
    last = opened[-1].text[0]
    return last == _START or (kind == _MIDDLE and last == _BASE)


RULE = Rule(
    "conflict-marker",
    "critical",
    "Markers of an unresolved merge conflict.",
    "Both sides of the conflict are in the file, and nothing can read it. Choose what holds, and"
    " take the lines with `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>` out.",
    check,
    whole_tree=True,
)
