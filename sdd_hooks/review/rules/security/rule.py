"""Patterns in added lines that often end in a vulnerability."""

# Governing: ADR-0021 (patterns confirm their match in the text around it), SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from sdd_hooks.changes.added_text import PatternMatch, join_added_lines
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.paths import is_beside_product, is_production_code, is_tool
from sdd_hooks.code.source_files import SCRIPT, SourceFile, SourceFiles
from sdd_hooks.findings import Finding
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.security import html, requests, routes
from sdd_hooks.review.rules.security.site import MAX_STATEMENT, Hazard, MatchSite, OtherFiles
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.used_files import is_used
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.linear_regex import Pattern, compile_pattern

MAX_MATCHES = 500
"""Matches of one pattern that are examined."""
MAX_MATCHES_PER_FILE = 50
"""Matches of one pattern in one file that are examined."""
MAX_EVIDENCE = 200
"""Characters of the evidence of a finding."""

ID = "security"
HAZARDS: tuple[Hazard, ...] = (*html.HAZARDS, *requests.HAZARDS, *routes.HAZARDS)
SUFFIXES = tuple({suffix for hazard in HAZARDS for suffix in hazard.suffixes})
"""The files that hazards are searched in."""

# Minifiers keep these comments.
_KEPT_COMMENT = lazy_regex(r"[\ufeff\s]{0,9}/\*{1,2}(?:!|\s{0,9}@(?:preserve|licen[cs]e))")
_FUNCTION = lazy_regex(r"(?P<root>(?:.*?/)??)(?:api|(?:netlify/)?functions)/")
# A comment for another tool says that a person has reviewed the line.
_REVIEWED = lazy_regex(r"nolint|\bnosec\b|nosemgrep|noqa: ?S|eslint-disable|rubocop:disable")


def check(subject: Subject) -> Iterator[Finding]:
    """Find each match of a hazardous pattern on an added line that the text around it confirms."""
    files = [
        file
        for file in subject.change.files
        if file.is_file
        and file.path.lower().endswith(SUFFIXES)
        and is_production_code(file.path)
        and not subject.is_artifact(file.path)
        and not (subject.whole_tree and is_beside_product(file.path))
        # In a whole tree, this reads the file.
        and file.added
    ]
    sources = SourceFiles(subject.text)
    added: dict[str, frozenset[int]] = {}
    guarded: dict[tuple[str, ...], bool] = {}
    others = _other_files(subject)
    for hazard, matches in _searched(files):
        for file, line, start, end in matches:
            source = sources.get(file.path)
            if source is None or not source.has_line(line.number, line.text):
                continue
            if file.path not in added:
                added[file.path] = frozenset(number for number, _ in file.added)
            site = MatchSite(
                file.path, source.lines, line.number, start, end, added[file.path], others
            )
            if subject.whole_tree and (_is_release(site) or not hazard.is_certain(site)):
                continue
            is_found = _is_live(source, site, hazard) and hazard.is_hazard(site)
            is_guarded = (
                is_found and subject.whole_tree and _is_guarded(subject, hazard, file.path, guarded)
            )
            if is_found and not is_guarded and is_used(subject, file.path, line.number):
                evidence = line.text.strip()[:MAX_EVIDENCE]
                rule = f"{ID}/{hazard.name}"
                yield Finding(file.path, line.number, rule, "warning", hazard.message, evidence)


def _searched(files: Sequence[ChangedFile]) -> Iterator[tuple[Hazard, Iterator[PatternMatch]]]:
    """Each hazard with the matches of its pattern on added lines of its files."""
    groups: dict[tuple[tuple[str, ...], bool], list[Hazard]] = {}
    for hazard in HAZARDS if files else ():
        groups.setdefault((hazard.suffixes, hazard.in_service), []).append(hazard)
    for (suffixes, in_service), hazards in groups.items():
        selected = [file for file in files if file.path.lower().endswith(suffixes)]
        if in_service:
            selected = [file for file in selected if not is_tool(file.path)]
        yield from _in_group(selected, hazards)


def _in_group(
    files: Sequence[ChangedFile], hazards: Iterable[Hazard]
) -> Iterator[tuple[Hazard, Iterator[PatternMatch]]]:
    """The matches of hazards in the same files. The joined text is released with the group."""
    text = join_added_lines(files)
    for hazard in hazards:
        pattern = _compiled(hazard.pattern)
        yield hazard, text.search(pattern, limit=MAX_MATCHES, limit_per_file=MAX_MATCHES_PER_FILE)


def _other_files(subject: Subject) -> OtherFiles:
    def is_written(resource: str) -> bool:
        return resource in subject.once("written", _find_written)

    def is_named(name: str, path: str) -> bool:
        naming = subject.once(f"naming {name}", lambda one: one.after.grep([name], (), "-w", "-I"))
        return any(
            is_production_code(blob.path)
            and blob.path != path
            # A page has a function of its own with this name.
            and not re.search(rf"\bfunction\s+{re.escape(name)}\b", subject.text(blob.path))
            for blob in naming
        )

    return OtherFiles(is_written, is_named)


def _find_written(subject: Subject) -> frozenset[str]:
    # Only a whole tree needs it, and a commit waits for each import.
    from sdd_hooks.review.rules.security.resources import find_written

    return find_written(subject)


def _is_release(site: MatchSite) -> bool:
    """Whether a script is a release of another project, which begins with a licence to keep."""
    return site.path.endswith(SCRIPT) and bool(_KEPT_COMMENT.match(site.lines[0]))


def _is_guarded(
    subject: Subject, hazard: Hazard, path: str, guarded: dict[tuple[str, ...], bool]
) -> bool:
    """Whether something outside of a file guards it against a hazard."""
    is_set = _is_set_elsewhere(subject, hazard, guarded)
    return is_set or _is_run_by_platform(subject, hazard, path)


def _is_set_elsewhere(
    subject: Subject, hazard: Hazard, guarded: dict[tuple[str, ...], bool]
) -> bool:
    """Whether another file guards the application against a hazard; `guarded` keeps the answers."""
    texts = hazard.set_elsewhere
    if texts and texts not in guarded:
        pathspecs = [f":(glob)**/*{suffix}" for suffix in hazard.suffixes]
        found = subject.after.grep(texts, pathspecs, "-i", "-I")
        guarded[texts] = any(is_production_code(blob.path) for blob in found)
    return bool(texts) and guarded[texts]


def _is_run_by_platform(subject: Subject, hazard: Hazard, path: str) -> bool:
    """Whether a file is a function of a platform that guards against a hazard."""
    function = _FUNCTION.match(path) if hazard.platforms else None
    wanted = {function["root"] + name for name in hazard.platforms} if function else set()
    return bool(wanted) and any(blob.path in wanted for blob in subject.after.blobs())


def _is_live(source: SourceFile, site: MatchSite, hazard: Hazard) -> bool:
    """Whether the match is code, or a string that the hazard includes, and is not reviewed."""
    above = site.lines[site.number - 2] if site.number > 1 else ""
    if _REVIEWED.search(f"{site.line}\n{_closing_line(site)}") or "eslint-disable-next" in above:
        return False
    part = source.part(site.number, site.start)
    return part == "code" or (part == "string" and hazard.in_strings)


def _closing_line(site: MatchSite) -> str:
    """The line that closes the bracket at the end of the line of the match; "" without one."""
    if not site.line.rstrip().endswith(("(", "[", "{")):
        return ""
    indent = _indent(site.line)
    below = site.lines[site.number : site.number + MAX_STATEMENT]
    return next((line for line in below if line.strip() and _indent(line) <= indent), "")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


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
    whole_tree=True,
)
