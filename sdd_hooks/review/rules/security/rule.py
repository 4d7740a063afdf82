"""Patterns in added lines that are known to end in a vulnerability, for people to look at."""

# Governing: ADR-0021 (patterns confirm their match in the text around it), SPEC-0010 REQ "Rules"

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from sdd_hooks.findings import Finding
from sdd_hooks.review.patterns import AddedText, Pattern, added_text, compile_pattern
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.security import bodies, cdn, escaping, redirects, routes
from sdd_hooks.review.rules.security.site import Hazard, Site
from sdd_hooks.review.source_files import Source, Sources, is_code
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

MOST = 500
"""Matches of one pattern that are looked at."""
MOST_OF_FILE = 50
LONGEST_EVIDENCE = 200

ID = "security"
HAZARDS: tuple[Hazard, ...] = (
    *bodies.HAZARDS,
    *cdn.HAZARDS,
    *escaping.HAZARDS,
    *redirects.HAZARDS,
    *routes.HAZARDS,
)

# Somebody has looked at the line, and told another tool.
_REVIEWED = lazy_regex(r"nolint|\bnosec\b|nosemgrep|noqa: ?S|eslint-disable|rubocop:disable")


def check(subject: Subject) -> Iterator[Finding]:
    """Every pattern that an added line of code matches, and that the text around it confirms."""
    files = [
        file
        for file in subject.change.files
        if file.added and file.is_file and is_code(file.path) and not subject.is_artifact(file.path)
    ]
    sources = Sources(subject)
    numbers: dict[str, frozenset[int]] = {}
    texts: dict[tuple[str, ...], AddedText] = {}
    for hazard in HAZARDS if files else ():
        if hazard.suffixes not in texts:
            chosen = [file for file in files if file.path.lower().endswith(hazard.suffixes)]
            texts[hazard.suffixes] = added_text(chosen)
        text = texts[hazard.suffixes]
        for hit in text.search(_compiled(hazard.pattern), most=MOST, most_of_file=MOST_OF_FILE):
            source = sources.of(hit.file.path)
            if source is None or not source.has(hit.line.number, hit.line.text):
                continue
            path = hit.file.path
            if path not in numbers:
                numbers[path] = frozenset(number for number, _ in hit.file.added)
            number = hit.line.number
            site = Site(path, source.lines, number, hit.start, hit.end, numbers[path])
            if _is_live(source, site, hazard) and hazard.confirmed(site):
                yield Finding(
                    hit.file.path,
                    hit.line.number,
                    f"{ID}/{hazard.name}",
                    "warning",
                    hazard.message,
                    hit.line.text.strip()[:LONGEST_EVIDENCE],
                )


def _is_live(source: Source, site: Site, hazard: Hazard) -> bool:
    """Whether the match is code, or what code makes a page of, and nobody has looked at it."""
    above = site.lines[site.number - 2] if site.number > 1 else ""
    if _REVIEWED.search(site.line) or "eslint-disable-next" in above:
        return False
    part = source.part(site.number, site.start)
    return part == "code" or (part == "string" and hazard.in_strings)


@cache
def _compiled(source: str) -> Pattern:
    return compile_pattern(source)


RULE = Rule(
    ID,
    "warning",
    "Code that often ends in a vulnerability.",
    "Request bodies without a limit, escaping switched off, redirects to a parameter, routes"
    " without authentication, HTML assigned to a document, files of a CDN without integrity. Change"
    " it, or say why it is safe: `sdd-ignore: security (reason)`.",
    check,
)
