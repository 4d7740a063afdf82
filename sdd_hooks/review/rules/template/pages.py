"""Which pages a program uses, and which of them can include a partial, as the repository shows."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator

from sdd_hooks.code.dependencies import is_manifest
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_external, is_test
from sdd_hooks.code.source_files import PAGES, is_hand_written
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_SEARCHED = 500_000_000
"""Characters that are searched for the names of pages, over all pages."""
MIN_STEM = 2
"""Characters of a name that is looked for without its extension."""

# Frameworks find a page by the name of a controller, and servers the index of a directory.
_BY_CONVENTION = lazy_regex(
    r"(?:^|/)(?:index|default)\.[\w.]+$|\.(?:erb|cshtml|razor)$", re.IGNORECASE
)
_ROOT = lazy_regex(r"(?:^|/)(?:templates?|views)/", re.IGNORECASE)
_SERVED = lazy_regex(
    r"(?:^|/)(?:static|public|www|wwwroot|htdocs|web|webapp|site|assets|frontend|client)/", re.I
)
# A server runs these where they are.
_RUN = lazy_regex(r"\.(?:php|jsp|cshtml|razor)$", re.IGNORECASE)
_BLADE = lazy_regex(r"\.blade\.php$", re.IGNORECASE)
_DEFINES = lazy_regex(r"\{\{-?\s*define\s")
_CONFIGURATION = (".xml", ".yml", ".yaml", ".toml", ".properties")
_STATIC = (".html", ".htm", ".xhtml")
_TEMPLATE_MARK = lazy_regex(
    r"\{%|\{\{|<%|<\?(?!xml)|<!--\s*#include|\bth:[a-z]|@(?:include|extends|section|yield)\b"
)


def find_packages(subject: Subject) -> frozenset[str]:
    """The directories that have a manifest of dependencies."""
    blobs = subject.after.blobs()
    return frozenset(posixpath.dirname(blob.path) for blob in blobs if is_manifest(blob.path))


def package_of(path: str, packages: Collection[str]) -> str:
    """The directory of the package that a file is part of; "" for the repository."""
    directory = posixpath.dirname(path)
    while directory and directory not in packages:
        directory = posixpath.dirname(directory)
    return directory


def find_used(subject: Subject, pages: Iterable[str], packages: Collection[str]) -> frozenset[str]:
    """Those of the pages that the framework finds by convention, or that another file names.

    Where a package has a directory of templates, these are in it, or are served as they are.
    """
    used: set[str] = set()
    searched: dict[str, re.Pattern[str]] = {}
    paths = frozenset(blob.path for blob in subject.after.blobs())
    rendering = {
        package_of(blob.path, packages)
        for blob in subject.after.blobs()
        if blob.path.lower().endswith(PAGES) and _ROOT.search(blob.path)
    }
    for path in pages:
        if package_of(path, packages) in rendering and not _is_reached(path, subject.text(path)):
            continue
        if _BY_CONVENTION.search(path) or _DEFINES.search(subject.text(path)):
            used.add(path)
        else:
            searched[path] = _names(path)
    room = MAX_SEARCHED
    for path in _naming_files(subject) if searched else ():
        text = subject.text(path)
        room -= len(text) * len(searched)
        if not searched or room < 0:
            break
        if is_hand_written(text):
            found = [
                page
                for page, pattern in searched.items()
                if page != path
                and _stem(page) in text
                and pattern.search(text)
                and (_nearest(page, path, paths) == page or _below(page).search(text))
            ]
            used.update(found)
            for page in found:
                del searched[page]
    return frozenset(used)


def _is_reached(path: str, text: str) -> bool:
    """Whether a page is where a program with a directory of templates finds it."""
    if _ROOT.search(path) or (_RUN.search(path) and not _BLADE.search(path)):
        return True
    return not can_include(path, text) and bool(_SERVED.search(path))


def can_include(path: str, text: str) -> bool:
    """Whether a page is a template: static HTML has no way to include a partial."""
    return not path.lower().endswith(_STATIC) or bool(_TEMPLATE_MARK.search(text))


def _naming_files(subject: Subject) -> Iterator[str]:
    """The files that may name a page: code, pages and configuration of the program."""
    for blob in subject.after.blobs():
        path = blob.path
        names = find_language(path) or path.lower().endswith((*PAGES, *_CONFIGURATION))
        if names and not (is_external(path) or is_test(path)):
            yield path


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _nearest(page: str, path: str, paths: Collection[str]) -> str:
    """The file that the bare name of a page is in another file: the one beside or above it."""
    base, directory = posixpath.basename(page), posixpath.dirname(path)
    while (found := posixpath.join(directory, base)) not in paths:
        if not directory:
            return page
        directory = posixpath.dirname(directory)
    return found


def _below(path: str) -> re.Pattern[str]:
    """The name of a page behind that of its directory."""
    folder = posixpath.basename(posixpath.dirname(path)) or "."
    return re.compile(rf"(?<![\w-]){re.escape(folder)}[/.]{re.escape(_stem(path))}(?![\w-])")


def _names(path: str) -> re.Pattern[str]:
    """How a page is named: with its extension, or as a text that ends with its name.

    A directory before the name is that of the page: `layouts.cart` is not `old/cart.html`.
    """
    stem, base = _stem(path), posixpath.basename(path)
    folder = posixpath.basename(posixpath.dirname(path)) or "."
    below = rf"(?<![\w-]){re.escape(folder)}[/.]"
    named = rf"(?:{below}|(?<![\w\-/.])(?:\.{{0,2}}/)*){re.escape(base)}(?![\w-])"
    if len(stem) < MIN_STEM:
        return re.compile(named)
    begins = rf"(?:{below}|[\"'`=:>}})](?:\.{{0,2}}/)*)"
    ends = r"(?:\.[a-z]{2,5})?(?:[\"'`?&#]|\s*::)"
    return re.compile(rf"{named}|{begins}{re.escape(stem)}{ends}")
