"""The results of scanners, as rules see them."""

# Governing: ADR-0065 (scanners find hazards, and reports take their results),
# SPEC-0010 REQ "Results of scanners"

from __future__ import annotations

from typing import Literal

from sdd_hooks.findings import Severity
from sdd_hooks.named_tuple import NamedTuple

Family = Literal["security", "template"]
FAMILIES: tuple[Family, ...] = ("security", "template")
"""The rules whose findings are results of scanners."""


class ScanResult(NamedTuple):
    """A result. Its rule is `family/tool/id`.

    `paths` are the files of the repository that it may mean, the likeliest first. They are empty
    for a result about no file, and for one that `is_outside` of the repository. `line` and
    `last_line` are 1-based, 0 for the file as a whole. `redacted` is what the scanner shows in
    place of a secret. `suppressed` says whether a comment in the code, or a decision elsewhere,
    suppresses it.
    """

    family: Family
    rule: str
    severity: Severity
    message: str
    paths: tuple[str, ...] = ()
    is_outside: bool = False
    line: int = 0
    last_line: int = 0
    redacted: str = ""
    suppressed: Literal["", "in-source", "elsewhere"] = ""


class ScanFile(NamedTuple):
    """What a file has. `tools` are named in its rules, `problems` say what could not be read."""

    name: str
    results: tuple[ScanResult, ...] = ()
    tools: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
