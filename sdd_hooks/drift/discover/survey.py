"""What the files of a work tree show about technologies: declarations, uses and marks."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Evidence"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from sdd_hooks.code.dependencies import is_manifest, read_manifest
from sdd_hooks.code.package_declarations import PackageDeclaration
from sdd_hooks.code.source_files import MAX_LINE
from sdd_hooks.drift.discover.catalogue import (
    ECOSYSTEMS,
    Ecosystem,
    Package,
    Technology,
    normalize_package,
)
from sdd_hooks.drift.discover.tree import SourceTree, TreeFile, is_written
from sdd_hooks.drift.discover.usage import ImportNames, find_ecosystem
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import clipped
from sdd_hooks.text.globs import compile_glob, expand_braces
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine, split_lines

Role = Literal["declared", "marked", "used", "tested"]
"""What a line shows: a manifest declares the package, a file of the technology exists, code or a
test uses it."""

MAX_TEXT = 160
"""Characters of a quoted line."""
MAX_MARKS = 50
"""Lines that are kept of the files of one technology."""

_MANIFESTS: Mapping[str, Ecosystem] = {
    "cargo.toml": "rust",
    "composer.json": "php",
    "gemfile": "ruby",
    **dict.fromkeys(("go.mod", "go.work"), "go"),
    **dict.fromkeys(("package.json", "pnpm-workspace.yaml"), "npm"),
    **dict.fromkeys(("deno.json", "deno.jsonc", "import_map.json"), "npm"),
    "pom.xml": "jvm",
}
_SETTINGS = (
    *(".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".env", ".properties", ".json", ".xml"),
    *(".tf", ".example", ".sample", ".sh", ".erb"),
)
_DOCUMENTATION = "documentation"


class EvidenceLine(NamedTuple):
    """A line that shows a technology: `path:line`, its text, and what the line shows.

    `ecosystem` is None for the file of a technology.
    """

    path: str
    line: int
    text: str
    role: Role
    ecosystem: Ecosystem | None = None
    is_development: bool = False


class Findings(NamedTuple):
    """The evidence of each technology, in the order of the paths.

    `sources` counts the source files of each ecosystem outside of tests, `tests` those of tests.
    """

    evidence: Sequence[tuple[Technology, Sequence[EvidenceLine]]]
    sources: Mapping[Ecosystem, int]
    tests: Mapping[Ecosystem, int]
    notes: tuple[str, ...]


class _Declared(NamedTuple):
    path: str
    ecosystem: Ecosystem
    declaration: PackageDeclaration
    text: str


def survey(tree: SourceTree, technologies: Sequence[Technology]) -> Findings:
    """Read the manifests, sources and other files of a tree for evidence of technologies."""
    survey_ = _Survey(tree, technologies)
    survey_.read()
    return survey_.findings()


class _Survey:
    def __init__(self, tree: SourceTree, technologies: Sequence[Technology]) -> None:
        self._tree = tree
        self._technologies = technologies
        self._evidence: dict[str, list[EvidenceLine]] = {one.name: [] for one in technologies}
        self._sources: dict[Ecosystem, int] = {}
        self._tests: dict[Ecosystem, int] = {}
        self._notes: list[str] = []
        self._unconfirmed: dict[str, tuple[Technology, Ecosystem]] = {}

    def read(self) -> None:
        declared = list(self._declarations())
        by_package = _index(self._technologies)
        found = [
            (one, technology, package)
            for one in declared
            for technology, package in by_package(one.ecosystem, one.declaration.name)
        ]
        sites = _documentation_sites(found)
        packages = {(one.name, package.ecosystem, package.name) for _, one, package in found}
        for one, technology, _ in found:
            is_chosen = one.declaration.scope in ("runtime", "development")
            if is_chosen and not _is_below(one.path, sites, technology):
                self._add(technology, _quoted(one))
        self._unconfirmed = {
            one.name: (one, declaration.ecosystem) for declaration, one, _ in found if one.confirm
        }
        names = ImportNames(self._technologies)
        marks = MarkedFiles(self._technologies)
        for file in self._tree.files:
            if any(file.path.startswith(site) for site in sites):
                continue
            self._read_source(names, packages, file)
            for technology, line in marks.find(file.path, self._tree.text):
                self._add_mark(technology, file, line)
            self._confirm(file)

    def findings(self) -> Findings:
        evidence = [
            (one, self._evidence[one.name])
            for one in self._technologies
            if self._evidence[one.name]
        ]
        notes = (*self._notes, *self._tree.notes)
        return Findings(evidence, self._sources, self._tests, notes)

    def _add(self, technology: Technology, evidence: EvidenceLine) -> None:
        known = self._evidence[technology.name]
        # Several packages of a technology may be imported, or declared, by one line.
        if not known or known[-1] != evidence:
            known.append(evidence)

    def _declarations(self) -> Iterator[_Declared]:
        inside = {file.path for file in self._tree.files}
        folders = {file.folder for file in self._tree.files}
        around = {above for folder in folders for above in _parents(folder)}
        for path in self._tree.all_paths:
            is_around = path not in inside and path.rpartition("/")[0] in around
            if not is_manifest(path) or not is_written(path) or not (path in inside or is_around):
                continue
            text = self._tree.text(path)
            ecosystem = _ecosystem_of(path)
            lines = split_lines(text)
            manifest = read_manifest(path, text)
            if manifest.unread:
                self._notes.append(f"{path}: {manifest.unread}")
            for declaration in manifest.declared:
                yield _Declared(path, ecosystem, declaration, lines[declaration.number - 1])

    def _read_source(
        self, names: ImportNames, declared: set[tuple[str, Ecosystem, str]], file: TreeFile
    ) -> None:
        ecosystem = find_ecosystem(file.path)
        if ecosystem is None:
            return
        counts = self._tests if file.is_test else self._sources
        counts[ecosystem] = counts.get(ecosystem, 0) + 1
        for use in names.find(file.path, self._tree.data(file.path)):
            package = use.package
            key = (use.technology.name, package.ecosystem, package.name)
            # Where a name alone could be that of a module of the repository, a manifest has to
            # declare the package.
            is_known = not package.name or package.ecosystem in ("go", "jvm", "php")
            if is_known or key in declared:
                role: Role = "tested" if file.is_test else "used"
                found = EvidenceLine(file.path, use.line, clip(use.text), role, ecosystem)
                self._add(use.technology, found)

    def _confirm(self, file: TreeFile) -> None:
        """Keep the first line that confirms a technology which a manifest declares."""
        is_read = find_ecosystem(file.path) or file.path.endswith(_SETTINGS)
        if not self._unconfirmed or file.is_test or not is_read or is_manifest(file.path):
            return
        text = self._tree.text(file.path)
        for technology, ecosystem in list(self._unconfirmed.values()):
            expression = technology.confirm
            found = expression.search(text) if expression else None
            if found:
                del self._unconfirmed[technology.name]
                number = text.count("\n", 0, found.start()) + 1
                line = split_lines(text)[number - 1]
                confirming = EvidenceLine(file.path, number, clip(line), "marked", ecosystem)
                self._add(technology, confirming)

    def _add_mark(self, technology: Technology, file: TreeFile, line: NumberedLine) -> None:
        marks = sum(one.role == "marked" for one in self._evidence[technology.name])
        if marks < MAX_MARKS and not file.is_test:
            found = EvidenceLine(file.path, line.number, clip(line.text), "marked")
            self._add(technology, found)


def _index(
    technologies: Iterable[Technology],
) -> Callable[[Ecosystem, str], Iterator[tuple[Technology, Package]]]:
    exact: dict[tuple[Ecosystem, str], list[tuple[Technology, Package]]] = {}
    prefixes: dict[Ecosystem, list[tuple[Technology, Package]]] = {one: [] for one in ECOSYSTEMS}
    for technology in technologies:
        for package in technology.packages:
            if package.name.endswith("*"):
                prefixes[package.ecosystem].append((technology, package))
            elif package.name:
                key = (package.ecosystem, package.name)
                exact.setdefault(key, []).append((technology, package))

    def find(ecosystem: Ecosystem, name: str) -> Iterator[tuple[Technology, Package]]:
        declared = normalize_package(ecosystem, name)
        yield from exact.get((ecosystem, declared), ())
        if ecosystem == "go":
            # A module may be a part of the one in the catalogue: `…/service/s3`.
            parts = declared.split("/")
            for count in range(2, len(parts)):
                yield from exact.get((ecosystem, "/".join(parts[:count])), ())
        for technology, package in prefixes[ecosystem]:
            if package.matches(declared):
                yield technology, package

    return find


def _documentation_sites(
    found: Sequence[tuple[_Declared, Technology, Package]],
) -> tuple[str, ...]:
    """The directories of documentation sites, with `/` at their end: separate programs."""
    sites = {
        one.path.rpartition("/")[0] + "/"
        for one, technology, _ in found
        if technology.category.id == _DOCUMENTATION and one.ecosystem == "npm" and "/" in one.path
    }
    return tuple(sorted(sites))


def _is_below(path: str, sites: Sequence[str], technology: Technology) -> bool:
    is_inside = any(path.startswith(site) for site in sites)
    return is_inside and technology.category.id != _DOCUMENTATION


def _parents(folder: str) -> Iterator[str]:
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _ecosystem_of(path: str) -> Ecosystem:
    name = path.rpartition("/")[2].lower()
    if name.endswith(".gemspec"):
        return "ruby"
    if "gradle" in name or name.endswith(".versions.toml"):
        return "jvm"
    if name.endswith((".csproj", ".fsproj", ".vbproj", ".props", ".targets", ".config")):
        return "nuget"
    return _MANIFESTS.get(name, "python")


def _quoted(one: _Declared) -> EvidenceLine:
    is_development = one.declaration.scope == "development"
    return EvidenceLine(
        one.path,
        one.declaration.number,
        clip(one.text),
        "declared",
        one.ecosystem,
        is_development,
    )


def clip(line: str) -> str:
    """A line as it is quoted: its words, at most MAX_TEXT characters."""
    return clipped(" ".join(line[: 4 * MAX_TEXT].split()), MAX_TEXT)


MAX_IMAGES = 200
"""Images that are read of a file."""

_IMAGE = lazy_regex(
    r"^[ \t]*(?:-[ \t]+)?(?:image|repository|container)[ \t]*:[ \t]*[\"']?"
    r"(?:[\w-]{1,100}(?:\.[\w-]{1,100}){1,8}(?::\d{1,5})?/)?(?:library/|bitnami/|cimg/)?"
    r"([\w./-]{1,200})",
    re.MULTILINE,
)
_WITH_IMAGES = (".yml", ".yaml")
_WILDCARDS = frozenset("*?[")
_START_LINES = 20


class _Mark(NamedTuple):
    technology: Technology
    matches: Callable[[str], bool]
    line: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None


class MarkedFiles:
    """The technologies by the files that mark them."""

    def __init__(self, technologies: Iterable[Technology]) -> None:
        self._by_name: dict[str, list[_Mark]] = {}
        self._by_suffix: dict[str, list[_Mark]] = {}
        self._others: list[_Mark] = []
        self._images: dict[str, Technology] = {}
        for technology in technologies:
            self._images.update((image, technology) for image in technology.images)
            for marker in technology.markers:
                line = marker.line
                # One search of the whole text tells whether its lines have to be searched.
                anywhere = re.compile(line.pattern, re.MULTILINE) if line else None
                mark = _Mark(technology, compile_glob(marker.glob), line, anywhere)
                for name in {glob.rpartition("/")[2] for glob in expand_braces(marker.glob)}:
                    self._group(name).append(mark)

    def find(
        self, path: str, read: Callable[[str], str]
    ) -> Iterator[tuple[Technology, NumberedLine]]:
        """The technologies that a file marks, each with a line. `read` returns a text."""
        name = path.rpartition("/")[2]
        suffix = name[name.rfind(".") :] if "." in name else ""
        candidates = (
            *self._by_name.get(name, ()),
            *self._by_suffix.get(suffix, ()),
            *self._others,
        )
        # A glob with alternatives may be in several of them.
        for mark in {id(one): one for one in candidates}.values():
            if mark.matches(path):
                for line in _marking_line(mark, read(path)):
                    yield mark.technology, line
        if path.endswith(_WITH_IMAGES):
            yield from _image_lines(self._images, read(path))

    def _group(self, name: str) -> list[_Mark]:
        if not _WILDCARDS.intersection(name):
            return self._by_name.setdefault(name, [])
        suffix = name[1:]
        is_suffix = name.startswith("*.") and "." not in suffix[1:]
        if is_suffix and not _WILDCARDS.intersection(suffix):
            return self._by_suffix.setdefault(suffix, [])
        return self._others


def _marking_line(mark: _Mark, text: str) -> Iterator[NumberedLine]:
    """The first line that matches; of a file that its name marks, the first that is not empty."""
    if mark.line is None or mark.anywhere is None:
        yield first_line(text)
    elif mark.anywhere.search(text):
        for number, line in enumerate(text.split("\n"), 1):
            if mark.line.search(line[:MAX_LINE]):
                yield NumberedLine(number, line)
                return


def first_line(text: str) -> NumberedLine:
    """The first line that is not empty, among the first lines of a text."""
    lines = text.split("\n", _START_LINES)[:_START_LINES]
    number = next((at for at, line in enumerate(lines, 1) if line.strip()), 1)
    return NumberedLine(number, lines[number - 1])


def _image_lines(
    images: Mapping[str, Technology], text: str
) -> Iterator[tuple[Technology, NumberedLine]]:
    line, position = 1, 0
    for found in islice(_IMAGE.finditer(text), MAX_IMAGES):
        line += text.count("\n", position, found.start())
        position = found.start()
        name = found[1]
        technology = images.get(name) or images.get(name.rpartition("/")[2])
        if technology:
            yield technology, NumberedLine(line, found[0])
