"""Pages that repeat shared elements, or load files that are for development only."""

# Governing: ADR-0021 (rules are functions), SPEC-0010 REQ "Rules"

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.code.dependencies import find_packages, package_of
from sdd_hooks.code.paths import is_beside_product, is_production_code
from sdd_hooks.code.source_files import COMPONENTS, PAGES, SCRIPT, is_hand_written
from sdd_hooks.findings import Finding, Severity
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rule import Rule
from sdd_hooks.review.rules.template.elements import (
    FRAMEWORKS,
    ElementKind,
    PageElement,
    blank_comments,
    find_elements,
    group,
    is_copy,
)
from sdd_hooks.review.subject import Subject
from sdd_hooks.review.used_files import is_template, is_used
from sdd_hooks.text.display import one_line
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine, TextLines, join_lines, split_lines

MAX_PAGES = 500
"""Pages of the repository that the changed ones are compared with."""
MAX_BY_HAND = 8
"""Pages of static HTML in one directory that have the same element: a tool writes more of them."""
MAX_EVIDENCE = 200
"""Characters of the evidence of a finding."""
MAX_LINE = 2_000
"""Characters of a line that are searched."""

ID = "template"

_COPIES: Mapping[ElementKind, tuple[str, Severity, str]] = {
    "script": (
        "duplicate-script",
        "warning",
        "the same inline script stands in {}: put it into one file or partial, and load that",
    ),
    "form": (
        "duplicate-form",
        "info",
        "a form with the same fields stands in {}: one partial could serve both",
    ),
    "navigation": (
        "duplicate-navigation",
        "warning",
        "the same navigation stands in {}: put it into one partial, and include that",
    ),
}
_GOVERNING = lazy_regex(r"\b(?:governing|implements)\b[^:]{0,20}:.{0,40}\b(?:ADR|SPEC)\b", re.I)
# Themes and plug-ins are installed without each other. A theme may have its own `templates/`.
_THEME = lazy_regex(
    r"(?:.{0,300}/)?(?:(?:themes?|skins?|[\w-]{0,20}plugins?|extensions?)/[^/]+/"
    r"|templates/[^/]+/(?=templates/|jscript/|css/))",
    re.IGNORECASE,
)
# Signing up and signing in have the same fields, and are two forms.
_SIGN_UP = lazy_regex(r"(?:register|registration|sign[-_]?up)[^/]*$", re.IGNORECASE)
_BEGINS = lazy_regex(r"<(?:script|form|nav)\b|navigation", re.IGNORECASE)
_DEVELOPMENT = lazy_regex(
    r"""\b(?:src|href)\s*=\s*["'{`]*(?:https?:)?//[^"'`\s<>]{0,300}?
    (cdn\.tailwindcss\.com | @tailwindcss/browser | @babel/standalone | babel-standalone
     | [\w.-]+\.development\.js | /vue(?:\.global|\.esm-browser)?\.js | /less(?:\.min)?\.js
     | /(?:dev|debug)/(?=[^"'`\s<>]{1,200}\.(?:js|css)\b))""",
    re.VERBOSE,
)

# One of these is in each match, and is found ten times as fast.
_DEVELOPMENT_WORDS = (
    "tailwindcss",
    "babel",
    ".development.js",
    "/vue",
    "/less",
    "/dev/",
    "/debug/",
)
# A browser resolves the host and connects, and loads nothing.
_HINT = lazy_regex(r"\brel\s*=\s*[\"'{]*(?:dns-prefetch|preconnect)\b", re.IGNORECASE)


class _Located(NamedTuple):
    path: str
    element: PageElement


def check(subject: Subject) -> Iterator[Finding]:
    """Find copies of scripts, forms and navigation, CDNs for development, and second frameworks."""
    files = [
        file
        for file in subject.change.files
        if file.is_file
        and file.path.lower().endswith((*PAGES, *COMPONENTS, *SCRIPT))
        and is_production_code(file.path)
        and not subject.is_artifact(file.path)
        and not (subject.whole_tree and is_beside_product(file.path))
        # In a whole tree, this reads the file.
        and file.added
    ]
    for file in files:
        for finding in _development_cdns(file, subject.text):
            if is_used(subject, file.path, finding.line):
                yield finding
    pages = [file for file in files if file.path.lower().endswith(PAGES)]
    with_elements = [file for file in pages if _BEGINS.search(join_lines(file.added))]
    introduced = {
        file.path: found
        for file in pages
        if (found := _find_frameworks(file.added, subject.text(file.path)))
    }
    if with_elements or introduced:
        texts = _read_pages(subject, pages)
        yield from _copies(subject, with_elements, texts)
        yield from _second_frameworks(subject, introduced, pages, texts)


def _development_cdns(file: ChangedFile, read: Callable[[str], str]) -> Iterator[Finding]:
    text = join_lines(file.added)
    if not any(word in text for word in _DEVELOPMENT_WORDS) or not _DEVELOPMENT.search(text):
        return
    is_markup = file.path.lower().endswith((*PAGES, *COMPONENTS))
    plain = split_lines(blank_comments(read(file.path))) if is_markup else ()
    before = ""
    for line in file.added:
        # A comment that names a record gives the reason.
        is_governed = bool(_GOVERNING.search(before) or _GOVERNING.search(line.text[:MAX_LINE]))
        before = line.text[:MAX_LINE]
        if "//" not in line.text or is_governed:
            continue
        shown = plain[line.number - 1] if line.number <= len(plain) else line.text
        match = _DEVELOPMENT.search(shown[:MAX_LINE])
        if match and not _HINT.search(line.text[:MAX_LINE]):
            message = (
                f"{match[1].strip('/')} is for development: build what the pages need, and serve"
                " that"
            )
            yield _finding(file.path, line, "development-cdn", "warning", message)


def _read_pages(subject: Subject, changed: Iterable[ChangedFile]) -> Mapping[str, str]:
    """The texts of the pages of the repository by their paths, the changed ones first."""
    changed_texts = {file.path: subject.text(file.path) for file in changed}
    others = [
        blob
        for blob in subject.after.blobs()
        if blob.path.lower().endswith(PAGES)
        and blob.path not in changed_texts
        and is_production_code(blob.path)
        and not (subject.whole_tree and is_beside_product(blob.path))
    ]
    texts = {**changed_texts, **subject.after.texts(others[:MAX_PAGES])}
    return {path: text for path, text in texts.items() if is_hand_written(text)}


def _copies(
    subject: Subject, files: Iterable[ChangedFile], texts: Mapping[str, str]
) -> Iterator[Finding]:
    """The elements on added lines that another element of the repository equals."""
    added = {file.path: {number for number, _ in file.added} for file in files}

    def is_new(one: _Located) -> bool:
        return one.element.first in added.get(one.path, ())

    for located in _group_elements(subject, texts):
        for index, one in enumerate(located):
            # Of two new elements, the second one is the copy.
            originals = (
                other
                for other_index, other in enumerate(located)
                if other_index != index
                and (other_index < index or not is_new(other))
                and _may_share(one.element.kind, one.path, other.path)
                and is_copy(one.element, other.element)
            )
            original = next(originals, None) if is_new(one) else None
            if original:
                rule, severity, message = _COPIES[one.element.kind]
                first = one.element.first
                line = NumberedLine(first, split_lines(texts[one.path])[first - 1])
                message = message.format(f"{original.path}:{original.element.first}")
                yield _finding(one.path, line, rule, severity, message)


def _group_elements(subject: Subject, texts: Mapping[str, str]) -> Iterator[list[_Located]]:
    """The elements of pages that may be copies of each other.

    In a whole tree these are in one package and theme, which may be released without the others, on
    pages that the program uses, and on templates: static HTML has no partials, and many pages of
    it with the same script are written by a tool.
    """
    packages = _packages(subject) if subject.whole_tree else frozenset()
    groups: dict[tuple[object, ...], list[_Located]] = {}
    for path in sorted(texts):
        unit = _unit(path, packages) if subject.whole_tree else ("", "")
        includes = not subject.whole_tree or is_template(path, texts[path])
        for element in find_elements(texts[path]):
            if includes or element.kind == "script":
                groups.setdefault((unit, group(element)), []).append(_Located(path, element))
    for located in groups.values():
        if len(located) > 1:
            used = [one for one in located if is_used(subject, one.path, one.element.first)]
            static = Counter(
                posixpath.dirname(one.path)
                for one in used
                if subject.whole_tree and not is_template(one.path, texts[one.path])
            )
            yield [one for one in used if static[posixpath.dirname(one.path)] <= MAX_BY_HAND]


def _packages(subject: Subject) -> frozenset[str]:
    return find_packages(blob.path for blob in subject.after.blobs())


def _may_share(kind: ElementKind, path: str, other_path: str) -> bool:
    """Whether elements of these pages may be one, if they are alike."""
    if kind == "navigation":
        return path != other_path
    return kind != "form" or bool(_SIGN_UP.search(path)) == bool(_SIGN_UP.search(other_path))


def _find_frameworks(lines: Iterable[NumberedLine], text: str) -> Mapping[str, NumberedLine]:
    """The frameworks that lines of a page use, each with the first of these lines.

    `text` is that of the whole page: where a comment begins and ends is on other lines.
    """
    used = {name: one for name, one in FRAMEWORKS.items() if one.is_used(text)}
    plain = split_lines(blank_comments(text)) if used else ()
    found: dict[str, NumberedLine] = {}
    for line in lines if used else ():
        shown = plain[line.number - 1][:MAX_LINE] if line.number <= len(plain) else ""
        for name, framework in used.items():
            if name not in found and framework.is_used(shown):
                found[name] = line
        if len(found) == len(used):
            break
    return found


def _is_decided(subject: Subject, framework: str) -> bool:
    """Whether a record in force names a framework."""
    naming = subject.after.grep([framework], (), "-w")
    records = (subject.corpus.by_path.get(blob.path) for blob in naming)
    return any(one.status.authoritative for one in records if one)


def _second_frameworks(
    subject: Subject,
    introduced: Mapping[str, Mapping[str, NumberedLine]],
    files: Iterable[ChangedFile],
    texts: Mapping[str, str],
) -> Iterator[Finding]:
    """Each framework that is new in a package, when the package uses another one."""
    if subject.whole_tree:
        if len({name for found in introduced.values() for name in found}) < 2:
            return
        introduced = {
            path: {name: one for name, one in found.items() if is_used(subject, path, one.number)}
            for path, found in introduced.items()
        }
    packages = _packages(subject)
    by_package: dict[str, dict[str, tuple[str, NumberedLine]]] = {}
    for path, found in introduced.items():
        of_package = by_package.setdefault(package_of(path, packages), {})
        for name, line in found.items():
            of_package.setdefault(name, (path, line))
    for package, frameworks in by_package.items():
        inside = {
            path: text for path, text in texts.items() if package_of(path, packages) == package
        }
        used = _used_frameworks(files, inside)
        for name, (path, line) in frameworks.items():
            if name in used:
                continue
            if used and not _is_decided(subject, name):
                others = ", ".join(f"{other} ({place})" for other, place in sorted(used.items()))
                # Which one was first is unknown in a whole tree.
                says = "is used beside" if subject.whole_tree else "comes to"
                message = f"{name} {says} {others}: one framework is easier to keep; decide on it"
                yield _finding(path, line, "frameworks", "info", message)
            used[name] = f"{path}:{line.number}"


def _unit(path: str, packages: Collection[str]) -> tuple[str, str]:
    """The package and the theme that a page is part of."""
    theme = _THEME.match(path)
    return package_of(path, packages), theme[0] if theme else ""


def _used_frameworks(files: Iterable[ChangedFile], texts: Mapping[str, str]) -> dict[str, str]:
    """The frameworks that lines use which the change does not add, each with its first place."""
    # Of a whole file, each line is new.
    whole = {file.path for file in files if isinstance(file.added, TextLines)}
    added = {
        file.path: {number for number, _ in file.added} for file in files if file.path not in whole
    }
    used: dict[str, str] = {}
    for path, text in texts.items():
        if path in whole:
            continue
        new = added.get(path, set())
        lines = [
            NumberedLine(number, line)
            for number, line in enumerate(split_lines(text), 1)
            if number not in new
        ]
        for name, line in _find_frameworks(lines, text).items():
            used.setdefault(name, f"{path}:{line.number}")
    return used


def _finding(path: str, line: NumberedLine, rule: str, severity: Severity, message: str) -> Finding:
    evidence = line.text.strip()[:MAX_EVIDENCE]
    return Finding(path, line.number, f"{ID}/{rule}", severity, one_line(message), evidence)


RULE = Rule(
    ID,
    "warning",
    "A page that repeats what it could share, or loads what is for development only.",
    "Copies of scripts, forms and navigation drift apart. Keep each in one place, build for"
    " production, and decide on one framework.",
    check,
    whole_tree=True,
)
