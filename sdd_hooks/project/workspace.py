"""Find the modules of a workspace: in `.gitmodules`, else in the `### Workspace Modules` table."""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from sdd_hooks.config.configuration import ConfigurationWarning
from sdd_hooks.config.memory_file import (
    MAX_MEMORY_FILE_BYTES,
    MemoryFile,
    MemoryLine,
    normalize_title,
    unquote_value,
)
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside, resolve_inside
from sdd_hooks.system.git import Git, GitError, nul_split
from sdd_hooks.text.decoding import decode_unicode
from sdd_hooks.text.lazy_regex import lazy_regex

GITMODULES_FILE = ".gitmodules"

# Names of the column of roots.
ROOT_COLUMNS = ("root", "path")

# Headings of the table with the accepted names of that column. Many memory files have the second,
# older heading over another table, so that only `Root` identifies the table of modules.
TABLE_TITLES = {"workspace modules": ROOT_COLUMNS, "modules": ("root",)}

MAX_MODULES = 500
"""Modules of a repository that are used. Each has collections and costs time in every command."""

_DASHES = lazy_regex(r":?-+:?")
_CELL = lazy_regex(r"((?:[^|\\]|\\.?)*)(?:\||$)")


class Module(NamedTuple):
    """A part of a workspace with its artifacts. `root` is relative to the repository's root."""

    name: str
    root: str
    description: str
    submodule: bool


def module_names(modules: Iterable[Module]) -> Callable[[str], str]:
    """A function that returns the name of the innermost module around a file, "" for the root."""
    roots = {one.root: one.name for one in modules}

    def name_of(path: str) -> str:
        end = len(path)
        while roots and (end := path.rfind("/", 0, end)) > 0:
            if path[:end] in roots:
                return roots[path[:end]]
        return ""

    return name_of


class DeclaredModule(NamedTuple):
    """A module as declared in `.gitmodules` or the table. `line` is 0 when it is unknown."""

    name: str
    root: str
    description: str
    line: int


def find_modules(
    git: Git, memory: MemoryFile | None
) -> tuple[tuple[Module, ...], list[ConfigurationWarning]]:
    """Find the modules of the repository of `git`, with warnings about their lists.

    Warns about lists that disagree, and about more than MAX_MODULES modules. Raises
    ConfigurationError for a module outside the repository or at its root, for two modules of one
    name or root, and for a `.gitmodules` that git cannot read.
    """
    table = _table(memory) if memory else []
    root = git.root
    declared = _gitmodules(git)
    if declared is None:
        if memory is None or not table:
            return (), []
        used, warnings = _limited(memory.path, table)
        return _checked(root, memory.path, used, submodules=False), warnings
    used, warnings = _limited(root / GITMODULES_FILE, declared)
    modules = _checked(root, root / GITMODULES_FILE, used, submodules=True)
    if memory and table and {_bare(d.root) for d in table} != {_bare(d.root) for d in declared}:
        text = (
            f"this table and {GITMODULES_FILE} differ: {GITMODULES_FILE} applies: correct the table"
        )
        warnings.append(ConfigurationWarning(memory.path, table[0].line, text))
    descriptions = {_bare(d.root): d.description for d in table}
    described = (
        Module(m.name, m.root, descriptions.get(m.root, ""), submodule=True) for m in modules
    )
    return tuple(described), warnings


def read_declared_modules(
    git: Git, memory: MemoryFile | None, gitmodules: bytes | None
) -> list[tuple[str, str]]:
    """The names and roots of the modules that are no submodules, in a memory file of any commit.

    `gitmodules` is the `.gitmodules` of the same commit; with one, all modules are submodules.
    """
    try:
        if gitmodules is not None and parse_gitmodules(gitmodules, git):
            return []
    except GitError:
        # git does not take this file for a list of submodules.
        pass
    table = _table(memory) if memory else []
    return [(module.name, _bare(module.root)) for module in table[:MAX_MODULES]]


def parse_module_table(
    lines: Sequence[MemoryLine], roots: Sequence[str] = ROOT_COLUMNS
) -> Iterator[DeclaredModule]:
    """Yield the rows of the first table with a column Module and a column of `roots`."""
    columns: list[int] = []
    for above, line in pairwise(lines):
        if columns:
            if "|" not in line.text:
                return
            cells = _cells(line.text)
            name, root, description = (
                unquote_value(cells[n]) if 0 <= n < len(cells) else "" for n in columns
            )
            if name and root:
                yield DeclaredModule(name, _linked(root), description, line.number)
        elif "|" in above.text and _is_separator(line.text):
            titles = [normalize_title(cell) for cell in _cells(above.text)]
            name_at, root_at = _index(titles, ("module",)), _index(titles, roots)
            if name_at >= 0 and root_at >= 0:
                columns = [name_at, root_at, _index(titles, ("description",))]


def parse_gitmodules(text: bytes, git: Git) -> list[DeclaredModule]:
    """Return the submodules in a `.gitmodules`, as parsed by git. Raises GitError."""
    output = nul_split(git.output("config", "--file", "-", "--null", "--list", stdin=text))
    lines = _lines(decode_unicode(text))
    found: dict[str, DeclaredModule] = {}
    for variable in output:
        key, _, value = variable.partition("\n")
        if value and key.startswith("submodule.") and key.endswith(".path"):
            name = key[len("submodule.") : -len(".path")]
            found[name] = DeclaredModule(name, value, "", lines.get(value, 0))
    return list(found.values())


def _lines(text: str) -> dict[str, int]:
    """Return the line of each path, where a simple scan of the file finds it."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key, _, value = line.partition("=")
        if key.strip().lower() == "path":
            found.setdefault(unquote_value(value), number)
    return found


def _gitmodules(git: Git) -> list[DeclaredModule] | None:
    """Return the submodules of `.gitmodules`. None: no file, or a link, which git ignores."""
    root = git.root
    path = root / GITMODULES_FILE
    try:
        text = read_inside(root, GITMODULES_FILE, MAX_MEMORY_FILE_BYTES)
        return parse_gitmodules(text, git) or None
    except (FileNotFoundError, PathRefused):
        return None
    except FileTooLarge as error:
        raise ConfigurationError(str(error), path) from None
    except GitError as error:
        number = re.search(r"line (\d+)", str(error))
        line = int(number[1]) if number else 0
        raise ConfigurationError("git cannot read this line", path, line) from None


def _table(memory: MemoryFile) -> list[DeclaredModule]:
    for title, roots in TABLE_TITLES.items():
        for section, *_ in memory.find_sections(title):
            rows = list(parse_module_table(section.lines, roots))
            if rows:
                return rows
    return []


def _limited(
    path: Path, declared: Sequence[DeclaredModule]
) -> tuple[Sequence[DeclaredModule], list[ConfigurationWarning]]:
    """The modules that are used, with a warning if there are others."""
    if len(declared) <= MAX_MODULES:
        return declared, []
    text = (
        f"{len(declared):,} modules are declared, and only the first {MAX_MODULES} are used:"
        " keep those that have decisions or specifications of their own"
    )
    return declared[:MAX_MODULES], [ConfigurationWarning(path, declared[MAX_MODULES].line, text)]


def _checked(
    root: Path, path: Path, declared: Sequence[DeclaredModule], *, submodules: bool
) -> tuple[Module, ...]:
    """Return the modules. Raises ConfigurationError for an invalid or duplicate root or name."""
    top = resolve_inside(root, "")
    modules: dict[str, Module] = {}
    roots: set[str] = set()
    for module in declared:
        path_of_root = _bare(module.root)
        try:
            real = resolve_inside(top, path_of_root).relative_to(top).as_posix()
        except PathRefused:
            text = f"module {module.name!r} is outside the repository: {module.root!r}"
            raise ConfigurationError(text, path, module.line) from None
        if real == "." or real.split("/")[0] == ".git":
            text = f"module {module.name!r} cannot have the root {module.root!r}"
            raise ConfigurationError(text, path, module.line)
        if module.name in modules or real in roots:
            text = f"module {module.name!r} is declared twice, by name or by root"
            raise ConfigurationError(text, path, module.line)
        roots.add(real)
        modules[module.name] = Module(module.name, real, module.description, submodules)
    return tuple(modules.values())


def _bare(path: str) -> str:
    return path.strip().removeprefix("./").rstrip("/")


def _is_separator(row: str) -> bool:
    """Whether a row of a table separates its titles from its cells."""
    cells = row.strip().removeprefix("|").removesuffix("|").split("|")
    return all(_DASHES.fullmatch(cell.strip(" \t")) for cell in cells)


def _cells(row: str) -> list[str]:
    text = row.strip().removeprefix("|")
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    cells = [m[1] for m in _CELL.finditer(text)]
    return [cell.replace("\\|", "|").strip() for cell in cells[: text.count("|") + 1]]


def _index(titles: Sequence[str], names: Sequence[str]) -> int:
    return next((titles.index(name) for name in names if name in titles), -1)


def _linked(cell: str) -> str:
    link = re.fullmatch(r"\[[^\]]*\]\(([^)]*)\)", cell)
    return unquote_value(link[1]) if link else cell
