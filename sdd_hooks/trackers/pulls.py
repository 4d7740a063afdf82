"""The pull requests of an issue, as the last section of its file, and back."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Canonical issue"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast, get_args

from sdd_hooks.trackers.issue import IssueStatus, LinkedPull
from sdd_hooks.trackers.issue_references import natural

_FACT = re.compile(r"- \*\*(PR|Branch|Status|Files modified|Last updated)\*\*: (.*)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)")
_STATES = frozenset(get_args(IssueStatus))


def section(pulls: Iterable[LinkedPull]) -> str:
    """One list for each pull request, by number, without the lines that have nothing to say."""
    ordered = sorted(pulls, key=lambda pull: natural(pull.number))
    return "\n".join(
        "".join(f"- **{name}**: {value}\n" for name, value in _facts(pull)) for pull in ordered
    )


def pulls_of(text: str) -> tuple[LinkedPull, ...]:
    """The pull requests of such a section. Never raises: what is not understood is left out."""
    found = []
    for block in text.split("\n\n"):
        lines = (_FACT.match(line) for line in block.split("\n"))
        facts = {line[1]: line[2] for line in lines if line}
        number = facts.get("PR", "").removeprefix("#")
        if not number:
            continue
        state = facts.get("Status", "")
        found.append(
            LinkedPull(
                number,
                next(_codes(facts.get("Branch", "")), ""),
                cast("IssueStatus", state if state in _STATES else "open"),
                tuple(_codes(facts.get("Files modified", ""))),
                facts.get("Last updated", ""),
            )
        )
    return tuple(found)


def _facts(pull: LinkedPull) -> Iterator[tuple[str, str]]:
    number = _line(pull.number).removeprefix("#")
    yield "PR", f"#{number}" if number.isdecimal() else number
    if pull.branch:
        yield "Branch", _code(pull.branch)
    yield "Status", pull.status
    if files := ", ".join(map(_code, filter(None, pull.files))):
        yield "Files modified", files
    if pull.updated:
        yield "Last updated", _line(pull.updated)


def _line(text: str) -> str:
    """`text` on one line, with blanks as they are: they belong to the names of files."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _code(text: str) -> str:
    """`text` as code: between more backticks than it has in a row, with a blank beside them."""
    line = _line(text)
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (max(map(len, re.findall("`+", line))) + 1)
    return f"{fence} {line} {fence}"


def _codes(text: str) -> Iterator[str]:
    for match in _CODE.finditer(text):
        fence, inner = match.groups()
        yield inner[1:-1] if len(fence) > 1 else inner
