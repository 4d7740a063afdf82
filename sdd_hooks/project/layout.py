"""Find the directories of the artifacts of a repository or module.

The declarations under `## Architecture Context` of the memory file take precedence. Without one,
the directories that real repositories use are tried: a directory counts if it has a file that looks
like a record.
"""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository)

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sdd_hooks.code.languages import MARKDOWN_SUFFIXES, VENDORED
from sdd_hooks.config.memory_file import CONTEXT, MemoryFile
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.system.files import PathRefused, resolve_inside
from sdd_hooks.system.git import Git, nul_split

DEFAULT_ADRS = "docs/adrs"
DEFAULT_SPECS = "docs/openspec/specs"

# Looked up in the work tree, so that a directory counts before it is committed.
ADR_DIRECTORIES = (
    "docs/adr",
    "doc/adr",
    "doc/adrs",
    "docs/decisions",
    "doc/decisions",
    "docs/architecture/decisions",
    "doc/architecture/decisions",
    "docs/architecture/adr",
    "docs/architecture/adrs",
    "docs/architecture-decisions",
    "docs/architecture",
    "doc/architecture",
    "docs/arch",
    "doc/arch",
    "docs/internal/adr",
    ".decisions",
    ".mindspec/adr",
    "adr",
    "adrs",
    "decisions",
)
SPEC_DIRECTORIES = ("openspec/specs", "docs/specs", "specs")

# Directory names to search git's list of files for when none of the directories above exists.
ADR_DIRECTORY_NAMES = ("adr", "adrs", "decisions", "architecture-decisions", "decision-records")

MAX_LISTED_ENTRIES = 500
"""Entries of a directory that are read to find out whether it has records."""

# Kept as text, which `re` compiles on first use and caches: few commands need them.
_DECLARATION = (
    r"(?i)[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?"
    r"(?:(?P<adrs>architectur(?:e|al)[ \t]+decision[ \t]+records?|adrs)"
    r"|(?P<specs>specifications|specs))(?:[ \t]*\(\w+\))?(?:\*\*|__)?"
    r"[ \t]+(?:are|live)[ \t]+(?:kept[ \t]+|stored[ \t]+)?in[ \t]*:?"
    r"(?P<where>[ \t].*)$"
)
_PATH = (
    r"[ \t]*(?:the[ \t]+)?"
    r"(?:`(?P<code>[^`]+)`|\[[^\]]*\]\(<?(?P<link>[^)>]+?)>?\)|(?P<word>[^\s,`]+))"
    r"[ \t]*(?P<more>,[ \t]*(?:and[ \t])?|&|and[ \t])?"
)

_SENTENCE_END = re.compile(r"(?<=[^.])[.;:]$")

_SUFFIX = "(?:" + "|".join(map(re.escape, MARKDOWN_SUFFIXES)) + ")"
# A year is not a number: `2024-roadmap.md`.
_CERTAIN_RECORD = rf"(?i)(?:adr[-_ .]?\d.*|(?!(?:19|20)\d\d[-_ .])\d{{3,5}}[a-z]?[-_ .].*){_SUFFIX}"
_LIKELY_RECORD = rf"(?i)(?:\d{{1,5}}[a-z]?(?:[-_ .].*)?|\d{{4}}-\d\d-\d\d.*){_SUFFIX}"

_OTHER_DIRECTORIES = frozenset(
    {*VENDORED, "test", "tests", "testdata", "fixtures", "examples", "templates"}
)


@dataclass(frozen=True)
class Layout:
    """The real directories of the artifacts, relative to the repository's root."""

    adrs: tuple[str, ...]
    specs: tuple[str, ...]


class DeclaredDirectory(NamedTuple):
    """A directory that the memory file declares: for `adrs` or `specs`, as written, its line."""

    kind: str
    path: str
    line: int


def find_layout(
    git: Git, base: str, memory: MemoryFile | None, *, confined: bool = False
) -> Layout:
    """Find the artifacts of `base`, a directory of the repository of `git` ("": its root).

    `memory` is the memory file in `base`; its paths are relative to `base`. Raises
    ConfigurationError for a declared directory outside the repository. With `confined`, for a
    submodule, the directory must be inside `base`.
    """
    root = git.root
    declared = list(find_declarations(memory)) if memory else []
    adrs, specs = (
        _resolve_declared(
            root, base, memory, [d for d in declared if d.kind == kind], confined=confined
        )
        if memory
        else ()
        for kind in ("adrs", "specs")
    )
    adrs = adrs or _find_usual(root, base, "adrs")
    specs = specs or _find_usual(root, base, "specs")
    if not base and not declared and not adrs and not specs:
        adrs, specs = _find_tracked(git)
    prefix = f"{base}/" if base else ""
    return Layout(adrs or (prefix + DEFAULT_ADRS,), specs or (prefix + DEFAULT_SPECS,))


def find_declarations(memory: MemoryFile) -> Iterator[DeclaredDirectory]:
    """Yield the directories that `## Architecture Context` declares, in order."""
    for group in memory.find_sections(CONTEXT):
        for section in group:
            for line in section.lines:
                match = re.match(_DECLARATION, line.text)
                if match:
                    kind = "adrs" if match["adrs"] else "specs"
                    for path in _paths(match["where"]):
                        yield DeclaredDirectory(kind, path, line.number)


def looks_like_record(directory: str, name: str) -> bool:
    """Whether a file name in this directory looks like a decision record.

    Documents about architecture may be numbered too (`01-overview.md`), so fewer than three digits
    count only in a directory that is named after decisions.
    """
    if re.fullmatch(_CERTAIN_RECORD, name):
        return True
    return (
        directory.rsplit("/", 1)[-1] in ADR_DIRECTORY_NAMES
        and re.fullmatch(_LIKELY_RECORD, name) is not None
    )


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


def _resolve_declared(
    root: Path,
    base: str,
    memory: MemoryFile,
    declared: Sequence[DeclaredDirectory],
    *,
    confined: bool,
) -> tuple[str, ...]:
    """Return the real directories. Raises ConfigurationError for one that cannot be used."""
    directories: list[str] = []
    top = resolve_inside(root, base if confined else "")
    seen: set[str] = set()
    for declaration in declared:
        if declaration.path in seen:
            continue
        seen.add(declaration.path)
        try:
            real = resolve_inside(top, str(Path(root, base, declaration.path.replace("\\", "/"))))
        except PathRefused:
            text = f"{declaration.path!r} is outside the repository: name a directory inside it"
            raise ConfigurationError(text, memory.path, declaration.line) from None
        directory = real.relative_to(resolve_inside(root, "")).as_posix()
        if directory.split("/")[0] == ".git" or _is_file(real):
            text = f"{declaration.path!r} is not a directory for artifacts"
            raise ConfigurationError(text, memory.path, declaration.line)
        directories.append("" if directory == "." else directory)
    return _outermost(directories)


def _find_usual(root: Path, base: str, kind: str) -> tuple[str, ...]:
    """Return the usual directories that exist: the default one, and those with records."""
    default, others = (
        (DEFAULT_ADRS, ADR_DIRECTORIES) if kind == "adrs" else (DEFAULT_SPECS, SPEC_DIRECTORIES)
    )
    directories = []
    for name in (default, *others):
        path = f"{base}/{name}" if base else name
        try:
            os.stat(f"{root}/{path}")  # noqa: PTH116 (50 calls in each command)
            real = resolve_inside(root, path)
            directory = real.relative_to(resolve_inside(root, "")).as_posix()
            if real.is_dir() and (name == default or _has_records(real, directory, kind)):
                directories.append(directory)
        except (PathRefused, OSError):
            continue
    return _outermost(directories)


def _has_records(path: Path, directory: str, kind: str) -> bool:
    with os.scandir(path) as listing:
        entries = list(islice(listing, MAX_LISTED_ENTRIES))
    if kind == "specs":
        return any(Path(entry, "spec.md").is_file() for entry in entries)
    return any(looks_like_record(directory, entry.name) for entry in entries if entry.is_file())


def _find_tracked(git: Git) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find the directories of ADRs and of specs anywhere in git's list of files."""
    patterns = [
        f":(glob,icase)**/{name}/*{suffix}"
        for name in ADR_DIRECTORY_NAMES
        for suffix in MARKDOWN_SUFFIXES
    ]
    adrs: list[str] = []
    specs: list[str] = []
    paths = nul_split(git.output("ls-files", "-z", "--", *patterns, ":(glob)**/specs/*/spec.md"))
    for path in paths:
        directory, _, name = path.rpartition("/")
        if _OTHER_DIRECTORIES.intersection(directory.lower().split("/")):
            continue
        if name == "spec.md" and directory.rsplit("/", 2)[-2:-1] == ["specs"]:
            specs.append(directory.rpartition("/")[0])
        elif looks_like_record(directory.lower(), name):
            adrs.append(directory)
    return _outermost(adrs), _outermost(specs)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _outermost(directories: Sequence[str]) -> tuple[str, ...]:
    """Drop directories inside another one: a collection takes a directory with all below it."""
    unique = dict.fromkeys(directories)
    return tuple(d for d in unique if unique.keys().isdisjoint(_parents(d)))


def _parents(directory: str) -> Iterator[str]:
    while directory:
        directory = directory.rpartition("/")[0]
        yield directory
