"""Pages that repeat what they could share, or load what is for development only."""

# Governing: ADR-0021 (rules are functions), SPEC-0010 REQ "Rules"

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.template.elements import FRAMEWORKS, Element, Kind, elements, is_copy
from sdd_hooks.review.source_files import COMPONENTS, PAGES, SCRIPT, is_code, is_written
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine, split_lines

MOST_PAGES = 500
"""Pages that those of the change are compared with."""
LONGEST_EVIDENCE = 200
LONGEST_LINE = 2_000

ID = "template"

_COPIES: Mapping[Kind, tuple[str, Severity, str]] = {
    "script": (
        "duplicate-script",
        "warning",
        "the same inline script stands in {}: put it into one file, and load that",
    ),
    "form": (
        "duplicate-form",
        "info",
        "the same form stands in {}: one partial could serve both",
    ),
    "navigation": (
        "duplicate-navigation",
        "warning",
        "the same navigation stands in {}: put it into one partial, and include that",
    ),
}
_BEGINS = lazy_regex(r"<(?:script|form|nav)\b|navigation", re.IGNORECASE)
_DEVELOPMENT = lazy_regex(
    r"""\b(?:src|href)\s*=\s*["'{`]*(?:https?:)?//[^"'`\s<>]{0,300}?
    (cdn\.tailwindcss\.com | @tailwindcss/browser | @babel/standalone | babel-standalone
     | [\w.-]+\.development\.js | /vue(?:\.global|\.esm-browser)?\.js | /less(?:\.min)?\.js
     | /(?:dev|debug)/)""",
    re.VERBOSE,
)


class _Place(NamedTuple):
    path: str
    element: Element


def check(subject: Subject) -> Iterator[Finding]:
    """Copies of scripts, forms and navigation, CDNs for development, and second frameworks."""
    files = [
        file
        for file in subject.change.files
        if file.added
        and file.is_file
        and file.path.lower().endswith((*PAGES, *COMPONENTS, *SCRIPT))
        and is_code(file.path)
        and not subject.is_artifact(file.path)
    ]
    for file in files:
        yield from _development(file)
    pages = [file for file in files if file.path.lower().endswith(PAGES)]
    copied = [file for file in pages if any(_BEGINS.search(text) for _, text in file.added)]
    introduced = _introduced(pages)
    if copied or introduced:
        texts = _pages(subject, pages)
        yield from _copies(copied, texts)
        yield from _second(pages, introduced, texts)


def _development(file: ChangedFile) -> Iterator[Finding]:
    for number, text in file.added:
        if "//" in text and (found := _DEVELOPMENT.search(text[:LONGEST_LINE])):
            message = (
                f"{found[1].strip('/')} is for development: build what the pages need, and serve"
                " that"
            )
            yield _finding(file.path, number, "development-cdn", "warning", message, text)


def _pages(subject: Subject, changed: Iterable[ChangedFile]) -> Mapping[str, str]:
    """The texts of the pages of the repository, those of the change first."""
    own = {file.path: subject.text(file.path) for file in changed}
    others = [
        blob
        for blob in subject.after.blobs()
        if blob.path.lower().endswith(PAGES) and blob.path not in own and is_code(blob.path)
    ]
    texts = {**own, **subject.after.texts(others[:MOST_PAGES])}
    return {path: text for path, text in texts.items() if is_written(text)}


def _copies(files: Iterable[ChangedFile], texts: Mapping[str, str]) -> Iterator[Finding]:
    places = [_Place(path, element) for path in sorted(texts) for element in elements(texts[path])]
    added = {file.path: {number for number, _ in file.added} for file in files}
    for at, place in enumerate(places):
        if place.element.first not in added.get(place.path, ()):
            continue
        for index, other in enumerate(places):
            # Of two that are new, the second one is the copy.
            is_new = other.element.first in added.get(other.path, ())
            if index == at or (is_new and index > at) or not is_copy(place.element, other.element):
                continue
            if place.element.kind == "navigation" and other.path == place.path:
                continue
            rule, severity, message = _COPIES[place.element.kind]
            line = split_lines(texts[place.path])[place.element.first - 1]
            told = message.format(f"{other.path}:{other.element.first}")
            yield _finding(place.path, place.element.first, rule, severity, told, line)
            break


def _introduced(files: Iterable[ChangedFile]) -> Mapping[str, tuple[ChangedFile, NumberedLine]]:
    """The frameworks that added lines use, each with the first of these lines."""
    found: dict[str, tuple[ChangedFile, NumberedLine]] = {}
    for file in files:
        text = "\n".join(row for _, row in file.added)
        used = [name for name, pattern in FRAMEWORKS.items() if pattern.search(text)]
        for line in file.added if used else ():
            for name in used:
                if name not in found and FRAMEWORKS[name].search(line.text[:LONGEST_LINE]):
                    found[name] = (file, line)
    return found


def _second(
    files: Iterable[ChangedFile],
    introduced: Mapping[str, tuple[ChangedFile, NumberedLine]],
    texts: Mapping[str, str],
) -> Iterator[Finding]:
    """Each framework that no page used before, where there is another one."""
    added = {file.path: {number for number, _ in file.added} for file in files}
    used: dict[str, str] = {}
    for path, text in texts.items() if introduced else ():
        new = added.get(path, set())
        if not any(pattern.search(text) for pattern in FRAMEWORKS.values()):
            continue
        for number, row in enumerate(split_lines(text), 1):
            for name, pattern in FRAMEWORKS.items():
                if name not in used and number not in new and pattern.search(row[:LONGEST_LINE]):
                    used[name] = f"{path}:{number}"
    for name, (file, line) in introduced.items():
        if name in used:
            continue
        if used:
            told = ", ".join(f"{other} ({where})" for other, where in sorted(used.items()))
            message = f"{name} comes to {told}: one framework is easier to keep; decide on it"
            yield _finding(file.path, line.number, "frameworks", "info", message, line.text)
        used[name] = f"{file.path}:{line.number}"


def _finding(
    path: str, line: int, rule: str, severity: Severity, message: str, text: str
) -> Finding:
    evidence = text.strip()[:LONGEST_EVIDENCE]
    return Finding(path, line, f"{ID}/{rule}", severity, one_line(message), evidence)


RULE = Rule(
    ID,
    "warning",
    "A page that repeats what it could share, or loads what is for development only.",
    "Copies of scripts, forms and navigation drift apart. Keep each in one place, build for"
    " production, and decide on one framework.",
    check,
)
