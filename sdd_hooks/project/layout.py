"""Where a repository, or a module of it, keeps its artifacts.

What the memory file declares under `## Architecture Context` counts. Where it declares nothing, the
places that real repositories use are tried, and a directory must hold something that looks like a
record to be one of them.
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

from sdd_hooks.code.languages import VENDORED
from sdd_hooks.config.memory_file import CONTEXT, MemoryFile
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.system.files import PathRefused, resolve_inside
from sdd_hooks.system.git import Git, nul_split

DEFAULT_ADRS = "docs/adrs"
DEFAULT_SPECS = "docs/openspec/specs"

# Tried in the work tree itself, so that a directory counts before it is committed.
ADR_PLACES = (
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
SPEC_PLACES = ("openspec/specs", "docs/specs", "specs")

# Names of directories that git's list of files is searched for when none of those is there.
ADR_NAMES = ("adr", "adrs", "decisions", "architecture-decisions", "decision-records")

# More names than this are not looked at to find out whether a directory holds records.
LOOKED_AT = 500

# Kept as text, which `re` compiles when it is first asked for: few commands need any of them, and
# every command would wait for them.
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

_MARKDOWN = r"\.(?:md|markdown|mdx)"
# Not a year: `2024-roadmap.md`.
_CERTAIN = rf"(?i)(?:adr[-_ .]?\d.*|(?!(?:19|20)\d\d[-_ .])\d{{3,5}}[a-z]?[-_ .].*){_MARKDOWN}"
_LIKELY = rf"(?i)(?:\d{{1,5}}[a-z]?(?:[-_ .].*)?|\d{{4}}-\d\d-\d\d.*){_MARKDOWN}"

_ELSEWHERE = frozenset(
    {*VENDORED, "test", "tests", "testdata", "fixtures", "examples", "templates"}
)


@dataclass(frozen=True)
class Layout:
    """The directories of the artifacts, relative to the repository's root, resolved."""

    adrs: tuple[str, ...]
    specs: tuple[str, ...]


class Declaration(NamedTuple):
    """A place that the memory file names: for `adrs` or `specs`, as written, and where."""

    kind: str
    path: str
    line: int


def find_layout(
    git: Git, base: str, memory: MemoryFile | None, *, confined: bool = False
) -> Layout:
    """Where the artifacts of `base` are, a directory of the repository of `git` or "".

    `memory` is the memory file of `base`, whose paths are relative to it. Raises
    ConfigurationError for a declared place outside the repository or, with `confined`, which is for
    a repository of its own, outside `base`.
    """
    root = git.root
    declared = list(declarations(memory)) if memory else []
    adrs, specs = (
        _declared(root, base, memory, [d for d in declared if d.kind == kind], confined=confined)
        if memory
        else ()
        for kind in ("adrs", "specs")
    )
    adrs = adrs or _present(root, base, "adrs")
    specs = specs or _present(root, base, "specs")
    if not base and not declared and not adrs and not specs:
        adrs, specs = _listed(git)
    prefix = f"{base}/" if base else ""
    return Layout(adrs or (prefix + DEFAULT_ADRS,), specs or (prefix + DEFAULT_SPECS,))


def declarations(memory: MemoryFile) -> Iterator[Declaration]:
    """The places named under `## Architecture Context`, in order."""
    for inside in memory.find_sections(CONTEXT):
        for section in inside:
            for line in section.lines:
                match = re.match(_DECLARATION, line.text)
                if match:
                    kind = "adrs" if match["adrs"] else "specs"
                    for path in _paths(match["where"]):
                        yield Declaration(kind, path, line.number)


def looks_like_record(directory: str, name: str) -> bool:
    """Whether a file name in this directory is that of a decision record.

    Documents about architecture are numbered too (`01-overview.md`): two digits are enough only
    where the directory is named after decisions.
    """
    if re.fullmatch(_CERTAIN, name):
        return True
    return directory.rsplit("/", 1)[-1] in ADR_NAMES and re.fullmatch(_LIKELY, name) is not None


def _paths(text: str) -> Iterator[str]:
    """The paths that the rest of a declaration begins with: as code, as links, or as words."""
    path_at, position = re.compile(_PATH).match, 0
    while match := path_at(text, position):
        path = (match["code"] or match["link"] or "").strip() or _SENTENCE_END.sub(
            "", match["word"] or ""
        )
        # After the first one, a word that is no path is prose again.
        if path and (not position or not match["word"] or "/" in path):
            yield path
        if not match["more"]:
            return
        position = match.end()


def _declared(
    root: Path,
    base: str,
    memory: MemoryFile,
    declared: Sequence[Declaration],
    *,
    confined: bool,
) -> tuple[str, ...]:
    found: list[str] = []
    top = resolve_inside(root, base if confined else "")
    seen: set[str] = set()
    for one in declared:
        if one.path in seen:
            continue
        seen.add(one.path)
        try:
            real = resolve_inside(top, str(Path(root, base, one.path.replace("\\", "/"))))
        except PathRefused:
            text = f"{one.path!r} is outside the repository: name a directory inside it"
            raise ConfigurationError(text, memory.path, one.line) from None
        where = real.relative_to(resolve_inside(root, "")).as_posix()
        if where.split("/")[0] == ".git" or _is_file(real):
            text = f"{one.path!r} is not a directory for artifacts"
            raise ConfigurationError(text, memory.path, one.line)
        found.append("" if where == "." else where)
    return _outermost(found)


def _present(root: Path, base: str, kind: str) -> tuple[str, ...]:
    """The usual places that are there: the default one, and those that hold records."""
    default, places = (DEFAULT_ADRS, ADR_PLACES) if kind == "adrs" else (DEFAULT_SPECS, SPEC_PLACES)
    found = []
    for place in (default, *places):
        path = f"{base}/{place}" if base else place
        try:
            os.stat(f"{root}/{path}")  # noqa: PTH116 (asked 50 times a command)
            real = resolve_inside(root, path)
            where = real.relative_to(resolve_inside(root, "")).as_posix()
            if real.is_dir() and (place == default or _holds(real, where, kind)):
                found.append(where)
        except (PathRefused, OSError):
            continue
    return _outermost(found)


def _holds(path: Path, where: str, kind: str) -> bool:
    with os.scandir(path) as listing:
        entries = list(islice(listing, LOOKED_AT))
    if kind == "specs":
        return any(Path(entry, "spec.md").is_file() for entry in entries)
    return any(looks_like_record(where, entry.name) for entry in entries if entry.is_file())


def _listed(git: Git) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What git's list of files shows, wherever it is: for repositories that declare nothing."""
    patterns = [
        f":(glob,icase)**/{name}/*.{end}" for name in ADR_NAMES for end in ("md", "markdown", "mdx")
    ]
    adrs: list[str] = []
    specs: list[str] = []
    for path in nul_split(
        git.output("ls-files", "-z", "--", *patterns, ":(glob)**/specs/*/spec.md")
    ):
        directory, _, name = path.rpartition("/")
        if _ELSEWHERE.intersection(directory.lower().split("/")):
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
    """Without those inside another, since a collection takes a directory with all below it."""
    unique = dict.fromkeys(directories)
    return tuple(d for d in unique if unique.keys().isdisjoint(_around(d)))


def _around(directory: str) -> Iterator[str]:
    while directory:
        directory = directory.rpartition("/")[0]
        yield directory
