"""Which pages and scripts of the browser a program uses, as the repository shows."""

# Governing: ADR-0051 (in old code a hazard has to be shown)

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from sdd_hooks.code.dependencies import find_packages, package_of
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.paths import is_external, is_test
from sdd_hooks.code.source_files import PAGES, is_hand_written
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.code.file_names import FileNames

MAX_SEARCHED = 100_000_000
"""Characters that are searched for the names of files: two seconds."""

MIN_TWINS = 10
"""Files with the same paths in two directories, one of which is a copy."""
MAX_ALIKE = 20
"""Files with the same name that are compared."""

# Frameworks find a page by the name of a controller, and servers the index of a directory.
_BY_CONTROLLER = lazy_regex(r"\.(?:erb|cshtml|razor)$", re.IGNORECASE)
_PARTIAL = lazy_regex(r"(?:^|/)_[^/]+\.erb$", re.IGNORECASE)
_INDEX = lazy_regex(r"(?:^|/)(?:index|default)\.[\w.]+$", re.IGNORECASE)
# What is copied into the directory that is served has demonstrations of its own.
_IN_COPIED = lazy_regex(
    r"(?:.*/)?(?:static|public|www|wwwroot|htdocs|assets)/.+/[^/]+\.x?html?$", re.IGNORECASE
)
_ROOT = lazy_regex(r"(?:^|/)(?:templates?|views)/", re.IGNORECASE)
_SERVED = lazy_regex(
    r"(?:^|/)(?:static|public|www|wwwroot|htdocs|web|webapp|site|assets|frontend|client)/", re.I
)
# What is in `src` is resolved by a build step, but for what Maven takes from `src/main`.
_HANDED_OUT = lazy_regex(
    r"(?!(?:.*/)?src/(?!main/))(?:.*/)?"
    r"(?:static|public|www|wwwroot|htdocs|webapp|templates?|views)/.*\.m?js$",
    re.IGNORECASE,
)
# An editor lists each file that was open.
_OF_EDITOR = lazy_regex(r"(?:^|/)\.(?:idea|vscode|vs|settings)/")
# A server runs these where they are.
_RUN = lazy_regex(r"\.(?:php|jsp|cshtml|razor)$", re.IGNORECASE)
_BLADE = lazy_regex(r"\.blade\.php$", re.IGNORECASE)
_MARKUP = lazy_regex(r"<(?:html|body|head|div|form|script|table|nav|ul)\b", re.IGNORECASE)
_DEFINES = lazy_regex(r"\{\{-?\s*define\s")
_CONFIGURATION = (".xml", ".yml", ".yaml", ".toml", ".properties")
# Their engines of templates are given the name of the file.
_NAMING_FILES = (".go", ".py", ".rs")
# Styles load no pages, and what a shell starts is beside the program.
_NAMING_NOTHING = frozenset(("css", "scss", "sass", "less", "shell", "batch", "powershell"))
_STATIC = (".html", ".htm", ".xhtml")
_TEMPLATE_MARK = lazy_regex(
    r"\{%|\{\{|<%|<\?(?!xml)|<!--\s*#include|\bth:[a-z]|@(?:include|extends|section|yield)\b"
)


def is_used(subject: Subject, path: str, line: int) -> bool:
    """Whether the program uses a line of a file, if a whole tree is checked, as that shows.

    That is shown of pages, and of scripts that a server hands out as they are; of other files,
    nothing is known, and they count as used. So does each file of a change.
    """
    if not subject.whole_tree or not _is_shown(path):
        return True
    return path in subject.once("used-files", _find_used) and _is_rendered(subject, path, line)


def _is_rendered(subject: Subject, path: str, line: int) -> bool:
    """Whether a page renders a line of its own, or may: of a parent that is not found, nothing is
    known.
    """
    # Only a whole tree needs it, and a commit waits for each import.
    from sdd_hooks.code.template_blocks import find_block_names, find_extension, is_rendered

    blocks: set[str] = set()
    seen, waiting = {path}, [path]
    while waiting:
        page = waiting.pop()
        text = subject.text(page)
        blocks |= find_block_names(text) if page != path else set()
        extension = find_extension(text)
        if extension is None:
            continue
        names = subject.once("page-names", _find_page_names)
        parents = [names.find(page, f'"{name}"', "file") for name in extension.parents]
        if not extension.is_complete or not all(parents):
            return True
        more = set().union(*parents) - seen
        seen |= more
        waiting += more
    return seen == {path} or is_rendered(subject.text(path), line, blocks)


def _find_page_names(subject: Subject) -> FileNames:
    """The names of all pages."""
    from sdd_hooks.code.file_names import FileNames

    return FileNames(blob.path for blob in subject.after.blobs() if _is_page(blob.path))


def _find_used(subject: Subject) -> frozenset[str]:
    """The pages and the scripts that the framework finds by convention, or that the program names.

    Code names a page, or a page that is used: old pages name each other. Where a package has a
    directory of templates, its pages are in it, or are served as they are.
    """
    # Only a whole tree needs it, and a commit waits for each import.
    from sdd_hooks.code.file_names import FileNames

    packages = find_packages(blob.path for blob in subject.after.blobs())
    naming = _naming_files(subject)
    rendering = {
        package_of(path, packages) for path in naming if _is_page(path) and _ROOT.search(path)
    }
    handed_out = FileNames(filter(_is_handed_out, naming))
    rendered = FileNames(
        (path for path in naming if _is_page(path) and not _is_handed_out(path)),
        {path for path in naming if _is_rendered_only(path, subject.text)},
    )
    used: set[str] = set()
    named: dict[str, set[str]] = {}
    room = MAX_SEARCHED
    for path in naming:
        text = subject.text(path)
        room -= len(text)
        if room < 0:
            break
        # A program may be one file of any length.
        if _is_page(path) and not is_hand_written(text):
            continue
        if _is_browser_script(path):
            named[path] = rendered.find(path, text, "path") | handed_out.find(path, text, "path")
            continue
        found = handed_out.find(path, text, "file")
        found |= rendered.find(path, text, "file" if path.endswith(_NAMING_FILES) else "name")
        if not _is_page(path):
            used |= found
        elif _is_code(path, text):
            named[path] = found
            used.add(path)
        elif package_of(path, packages) not in rendering or _is_reached(path, text):
            named[path] = found
            if _is_found(path) or _DEFINES.search(text):
                used.add(path)
    return frozenset(_follow(used, named) & named.keys()) - _twins(naming)


def _twins(paths: Iterable[str]) -> set[str]:
    """The files of a directory that is a copy of another one: nothing shows which one is old."""
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in filter(_is_shown, paths):
        alike[tuple(path.rsplit("/", 2)[-2:])].append(path)
    copies: dict[tuple[tuple[str, ...], tuple[str, ...]], set[str]] = defaultdict(set)
    for several in alike.values():
        for one, other in combinations(several[:MAX_ALIKE], 2):
            copies[_tops(one, other)] |= {one, other}
    return {path for twins in copies.values() if len(twins) >= 2 * MIN_TWINS for path in twins}


def _tops(path: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The directories of both paths without those at the end that they have in common."""
    one, two = path.split("/"), other.split("/")
    while one and two and one[-1] == two[-1]:
        one.pop()
        two.pop()
    return tuple(one), tuple(two)


def _is_found(path: str) -> bool:
    """Whether a framework or a server finds a page that nothing names."""
    if _BY_CONTROLLER.search(path):
        return not _PARTIAL.search(path)
    is_index = bool(_INDEX.search(path)) and not (_ROOT.search(path) or _BLADE.search(path))
    return is_index and not _IN_COPIED.match(path)


def _is_page(path: str) -> bool:
    return path.lower().endswith(PAGES)


def _is_browser_script(path: str) -> bool:
    return bool(_HANDED_OUT.match(path))


def _is_shown(path: str) -> bool:
    """Whether the repository shows if a file is used."""
    return _is_page(path) or _is_browser_script(path)


def _is_handed_out(path: str) -> bool:
    """Whether a server hands out a file as it is, so that it is named by its file."""
    is_static = path.lower().endswith(_STATIC) and bool(_SERVED.search(path))
    return _is_browser_script(path) or (is_static and not _ROOT.search(path))


def _is_rendered_only(path: str, read: Callable[[str], str]) -> bool:
    """Whether a page is a template of an engine, which no server hands out or runs."""
    is_among = _is_page(path) and bool(_ROOT.search(path)) and not _RUN.search(path)
    return is_among and is_template(path, read(path))


def _is_code(path: str, text: str) -> bool:
    """Whether a file of PHP has no page in it."""
    return path.lower().endswith(".php") and not _MARKUP.search(text)


def _follow(used: Iterable[str], named: Mapping[str, Collection[str]]) -> set[str]:
    """The files that are used, with those that they name."""
    found, waiting = set(used), list(used)
    while waiting:
        more = set(named.get(waiting.pop(), ())) - found
        found |= more
        waiting += more
    return found


def _is_reached(path: str, text: str) -> bool:
    """Whether a page is where a program with a directory of templates finds it."""
    if _ROOT.search(path) or (_RUN.search(path) and not _BLADE.search(path)):
        return True
    return not is_template(path, text) and bool(_SERVED.search(path))


def is_template(path: str, text: str) -> bool:
    """Whether a page is a template: static HTML has no way to include a partial."""
    return not path.lower().endswith(_STATIC) or bool(_TEMPLATE_MARK.search(text))


def _naming_files(subject: Subject) -> list[str]:
    """The files that may name others: configuration, pages and code of the program, in this order.

    What is served comes last: most of it are libraries, which name no page, and are long.
    """
    found = []
    for blob in subject.after.blobs():
        path = blob.path
        if is_external(path) or is_test(path) or _OF_EDITOR.search(path):
            continue
        if path.lower().endswith((*PAGES, *_CONFIGURATION)):
            found.append((0, path))
        elif (language := find_language(path)) and language not in _NAMING_NOTHING:
            found.append((2 if _SERVED.search(path) else 1, path))
    return [path for _, path in sorted(found)]
