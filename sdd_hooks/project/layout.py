"""Determine the directories of the artifacts of a repository or module.

They are those that `## Architecture Context` of the memory file declares, and those that hold
records (`recognition.py`).
"""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository),
# ADR-0027 (records are found by what directories hold)

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from sdd_hooks.config.configuration import ConfigurationWarning
from sdd_hooks.config.memory_file import CONTEXT, MemoryFile
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.discovery import read_documents, walk_documents
from sdd_hooks.project.recognition import (
    Recognition,
    looks_like_record,
    outermost,
    parents,
    reads_like_record,
)
from sdd_hooks.system.files import PathRefused, resolve_inside
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.lazy_regex import lazy_regex

DEFAULT_ADRS = "docs/adrs"
DEFAULT_SPECS = "docs/openspec/specs"

MAX_CHECKED_DIRECTORIES = 100
"""Declared directories in which an artifact is looked for, to warn about those without one."""

MAX_READ_FILES = 50
"""Files of a declared directory that are read to find a record among them."""

# Kept as text, which `re` compiles on first use and caches: few commands need them.
_DECLARATION = (
    r"(?i)[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?"
    r"(?:(?P<adrs>architectur(?:e|al)[ \t]+decision[ \t]+records?|adrs)"
    r"|(?P<specs>specifications|specs))(?:[ \t]*\(\w+\))?(?:\*\*|__)?"
    r"[ \t]+(?:are|live)[ \t]+(?P<only>only[ \t]+)?(?:kept[ \t]+|stored[ \t]+)?in[ \t]*:?"
    r"(?P<where>[ \t].*)$"
)
_PATH = (
    r"[ \t]*(?:the[ \t]+)?"
    r"(?:`(?P<code>[^`]+)`|\[[^\]]*\]\(<?(?P<link>[^)>]+?)>?\)|(?P<word>[^\s,`]+))"
    r"[ \t]*(?P<more>,[ \t]*(?:and[ \t])?|&|and[ \t])?"
)

_SENTENCE_END = lazy_regex(r"(?<=[^.])[.;:]$")


class Layout(NamedTuple):
    """The real directories of the artifacts, relative to the repository's root.

    Of the directories in `flat`, which have other documents, only the files directly in them that
    are named like records are decisions.
    """

    adrs: tuple[str, ...]
    specs: tuple[str, ...]
    flat: tuple[str, ...] = ()


class DeclaredDirectory(NamedTuple):
    """A directory that the memory file declares: for `adrs` or `specs`, as written, its line.

    `only` says that no other directory has artifacts of the kind.
    """

    kind: str
    path: str
    line: int
    only: bool = False


class ResolvedDirectory(NamedTuple):
    """A declared directory, and its real path relative to the repository's root."""

    declared: DeclaredDirectory
    directory: str


def resolve_declarations(
    root: Path, base: str, memory: MemoryFile | None, *, confined: bool = False
) -> tuple[ResolvedDirectory, ...]:
    """Return the directories that `memory`, the memory file in `base`, declares.

    Its paths are relative to `base`, a directory of the repository at `root` ("": its top). Raises
    ConfigurationError for a directory outside the repository. With `confined`, for a submodule, it
    must be inside `base`.
    """
    if memory is None:
        return ()
    resolved: dict[tuple[str, str], ResolvedDirectory] = {}
    top = resolve_inside(root, base if confined else "")
    for declaration in find_declarations(memory):
        if (declaration.kind, declaration.path) in resolved:
            continue
        try:
            real = resolve_inside(top, str(Path(root, base, declaration.path.replace("\\", "/"))))
        except PathRefused:
            text = f"{declaration.path!r} is outside the repository: name a directory inside it"
            raise ConfigurationError(text, memory.path, declaration.line) from None
        directory = real.relative_to(resolve_inside(root, "")).as_posix()
        if directory.split("/")[0] == ".git" or _is_file(real):
            text = f"{declaration.path!r} is not a directory for artifacts"
            raise ConfigurationError(text, memory.path, declaration.line)
        directory = "" if directory == "." else directory
        key = (declaration.kind, declaration.path)
        resolved[key] = ResolvedDirectory(declaration, directory)
    return tuple(resolved.values())


def build_layout(
    base: str, declared: Sequence[ResolvedDirectory], recognised: Recognition
) -> Layout:
    """Combine the declared directories with the recognised ones, which are relative to `base`.

    A declaration with `only` excludes the recognised directories of its kind. Without any
    directory of a kind, it is the default one.
    """
    prefix = f"{base}/" if base else ""
    flat: list[str] = []
    found: dict[str, tuple[str, ...]] = {}
    for kind, default in (("adrs", DEFAULT_ADRS), ("specs", DEFAULT_SPECS)):
        own = outermost(one.directory for one in declared if one.declared.kind == kind)
        own_set = frozenset(own)
        around = {above for one in own for above in parents(one)}
        others = {one.directory for one in declared if one.declared.kind != kind}
        whole: list[str] = []
        candidates = () if _is_closed(kind, declared) else recognised.folders
        for folder in candidates:
            path = (prefix + folder.path).rstrip("/")
            is_declared = not own_set.isdisjoint((path, *parents(path)))
            if folder.kind != kind or path in others or is_declared:
                continue
            # Around a declared directory, the user chose not to declare the rest.
            surrounds = kind == "adrs" and path in around
            (flat if folder.flat or surrounds else whole).append(path)
        found[kind] = outermost((*own, *whole))
        if not found[kind] and not (kind == "adrs" and flat):
            found[kind] = (prefix + default,)
    return Layout(found["adrs"], found["specs"], tuple(flat))


def check_declarations(
    git: Git, path: Path, declared: Sequence[ResolvedDirectory]
) -> Iterator[ConfigurationWarning]:
    """Yield a warning for each declared directory that is missing or holds no artifact.

    `path` is the memory file, `git` that of the repository. A directory of which a sparse checkout
    leaves files out is not judged.
    """
    found = list(_empty_declarations(git.root, path, declared))
    if found:
        left_out = _left_out_files(git, [directory for directory, _ in found])
        for directory, warning in found:
            if not any(one.startswith(f"{directory}/") for one in left_out):
                yield warning


def _left_out_files(git: Git, directories: Sequence[str]) -> list[str]:
    """The files below the directories that git tracks, and that a sparse checkout leaves out."""
    patterns = (f":(top,literal){directory}" for directory in directories)
    listed = git.try_output("ls-files", "-z", "-t", "--cached", "--full-name", "--", *patterns)
    return [entry[2:] for entry in nul_split(listed or b"") if entry.startswith("S ")]


def _empty_declarations(
    root: Path, path: Path, declared: Sequence[ResolvedDirectory]
) -> Iterator[tuple[str, ConfigurationWarning]]:
    checked: dict[tuple[str, str], DeclaredDirectory] = {}
    for declaration, directory in declared:
        checked.setdefault((declaration.kind, directory), declaration)
    for (_, directory), declaration in islice(checked.items(), MAX_CHECKED_DIRECTORIES):
        what = "a decision record" if declaration.kind == "adrs" else "a specification"
        if not (root / directory).is_dir():
            text = f"{declaration.path!r} does not exist: correct this line, or remove it"
        elif not _holds_artifacts(root, declaration.kind, directory):
            text = f"{declaration.path!r} has no file that can be read as {what}"
            text += ": correct this line, or remove it"
        else:
            continue
        yield directory, ConfigurationWarning(path, declaration.line, text)


def find_declarations(memory: MemoryFile) -> Iterator[DeclaredDirectory]:
    """Yield the directories that `## Architecture Context` declares, in order."""
    for group in memory.find_sections(CONTEXT):
        for section in group:
            for line in section.lines:
                match = re.match(_DECLARATION, line.text)
                if match:
                    kind = "adrs" if match["adrs"] else "specs"
                    for path in _paths(match["where"]):
                        yield DeclaredDirectory(kind, path, line.number, match["only"] is not None)


def _paths(text: str) -> Iterator[str]:
    """Yield the paths at the beginning of a text: as code, as links, or as words."""
    path_at, position = re.compile(_PATH).match, 0
    while match := path_at(text, position):
        path = (match["code"] or match["link"] or "").strip() or _SENTENCE_END.sub(
            "", match["word"] or ""
        )
        # After the first path, a word without a slash is prose.
        if path and (not position or not match["word"] or "/" in path):
            yield path
        if not match["more"]:
            return
        position = match.end()


def _is_closed(kind: str, declared: Sequence[ResolvedDirectory]) -> bool:
    return any(one.declared.only for one in declared if one.declared.kind == kind)


def _holds_artifacts(root: Path, kind: str, directory: str) -> bool:
    """Whether a declared directory has a file that can be read as an artifact.

    A name is enough, or the content of one of the first files; of a large directory, nothing is
    known.
    """
    names = list(walk_documents(root / directory))
    if kind == "specs":
        return any(name.lower().rpartition("/")[2] in {"spec.md", "design.md"} for name in names)
    if any(_may_be_record(name) for name in names):
        return True
    if len(names) > MAX_READ_FILES:
        return True
    prefix = f"{directory}/" if directory else ""
    contents = read_documents(root, [prefix + name for name in names])
    return any(
        data is not None and reads_like_record(name, data, "decisions")
        for name, data in zip(names, contents, strict=True)
    )


def _may_be_record(path: str) -> bool:
    directory, _, name = path.rpartition("/")
    if name.lower().startswith(("readme.", "index.")):
        name = directory.rpartition("/")[2] + ".md"
    return looks_like_record("adr", name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
