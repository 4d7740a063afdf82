"""Conventions that directories repeat: the files that each of them has, and where tests are."""

# Governing: ADR-0044 (implicit decisions from evidence), SPEC-0022 REQ "Conventions"

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import sqrt

from sdd_hooks.drift.discover.candidates import ImplicitDecision
from sdd_hooks.drift.discover.marks import first_line
from sdd_hooks.drift.discover.survey import EvidenceLine, clip
from sdd_hooks.drift.discover.tree import SourceTree, TreeFile
from sdd_hooks.drift.discover.usage import find_ecosystem
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.display import join_names
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.names import slugify

MIN_FOLDERS = 5
"""Directories beside each other that show a convention."""
MIN_SHARE = 0.8
"""The share of them that follow it."""
MIN_TESTS = 20
"""Tests that show where tests are."""
MIN_PLACED = 0.9
"""The share of them that are in the same place."""

_WEIGHT = 36.0
_USE_WEIGHT = 40.0
_SHOWN = 6
_SCRIPTS: tuple[str, ...] = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
# The names that a language or a tool gives, so that they are no convention of the team.
_USUAL = frozenset(
    {
        *("__init__", "__main__", "apps", "build", "conftest", "doc", "index", "lib", "license"),
        *("main", "mod", "package", "readme", "setup", "test", "tests", "tsconfig", "types"),
        *("admin", "models", "urls", "views", "page", "layout", "loading", "error", "route"),
        *("outputs", "variables", "versions", "provider", "providers", "backend", "terraform"),
    }
)
_ROLES = frozenset(
    {
        *("adapter", "aggregate", "command", "consumer", "controller", "crud", "dto", "entity"),
        *("event", "gateway", "guard", "handler", "interactor", "job", "listener", "mapper"),
        *("middleware", "policy", "port", "presenter", "producer", "publisher", "query", "reducer"),
        *("repo", "repository", "resolver", "router", "routes", "schema", "selector", "serializer"),
        *("service", "store", "subscriber", "usecase", "validator", "viewmodel", "worker"),
    }
)


_BESIDE = ("co-located", "colocated", "co-locate", "colocate", "beside")
_APART = ("__tests__", "tests directory", "test directory")
_PLACED: Sequence[tuple[str, tuple[str, ...]]] = (("Python", (".py",)), ("JavaScript", _SCRIPTS))


class _Notation(NamedTuple):
    """How a language writes the role of a file: `before` it, and where `role` finds it."""

    name: str
    suffixes: tuple[str, ...]
    before: str
    role: re.Pattern[str]


_CAMEL = lazy_regex(r"[a-z0-9]([A-Z][a-z]+)$")
_NOTATIONS = (
    _Notation("TypeScript", _SCRIPTS, ".", lazy_regex(r"\.([a-z]+)$")),
    _Notation("JavaScript", _SCRIPTS, "-", lazy_regex(r"-([a-z]+)$")),
    _Notation("Python", (".py",), "_", lazy_regex(r"_([a-z]+)$")),
    _Notation("Go", (".go",), "_", lazy_regex(r"_([a-z]+)$")),
    _Notation("CSharp", (".cs",), "", _CAMEL),
    _Notation("Java", (".java",), "", _CAMEL),
    _Notation("Kotlin", (".kt",), "", _CAMEL),
    _Notation("PHP", (".php",), "", _CAMEL),
)


class _Convention(NamedTuple):
    id: str
    title: str
    names: tuple[tuple[str, ...], ...]
    followers: Sequence[TreeFile]
    folders: Sequence[str]


def find_conventions(tree: SourceTree) -> tuple[ImplicitDecision, ...]:
    """Return the conventions that the directories of a tree repeat, the weightiest first."""
    sources = [file for file in tree.files if find_ecosystem(file.path)]
    found = [*_siblings(sources), *_role_names(sources), *_test_places(sources)]
    candidates = [_candidate(tree, one, len(sources)) for one in found]
    return tuple(sorted(candidates, key=lambda one: (-one.score, one.id)))


def _siblings(sources: Sequence[TreeFile]) -> Iterator[_Convention]:
    """Directories beside each other that have the same files."""
    stems: dict[str, dict[str, TreeFile]] = {}
    for file in sources:
        if not file.is_test:
            stems.setdefault(file.folder, {}).setdefault(_stem(file.path), file)
    beside: dict[str, list[str]] = {}
    for folder in stems:
        if folder:
            beside.setdefault(folder.rpartition("/")[0], []).append(folder)
    for parent, folders in sorted(beside.items()):
        if len(folders) < MIN_FOLDERS:
            continue
        counts: dict[str, int] = {}
        for folder in folders:
            for stem in stems[folder]:
                counts[stem] = counts.get(stem, 0) + 1
        least = MIN_SHARE * len(folders)
        shared = sorted(
            stem for stem, count in counts.items() if count >= least and stem not in _USUAL
        )
        if len(shared) < 2:
            continue
        followers = [
            stems[folder][stem] for folder in folders for stem in shared if stem in stems[folder]
        ]
        where = f"each directory of {parent}" if parent else "each top-level directory"
        yield _Convention(
            f"files-of-{slugify(parent or 'root')}",
            f"Give {where} the files {join_names(shared[:4])}",
            tuple((stem,) for stem in shared),
            followers,
            folders,
        )


def _role_names(sources: Sequence[TreeFile]) -> Iterator[_Convention]:
    """Roles at the end of names, such as `user.controller.ts` and `OrderHandler.cs`, in several
    directories, for each notation."""
    for notation in _NOTATIONS:
        by_role: dict[str, list[TreeFile]] = {}
        for file in sources:
            stem = _stem(file.path)
            found = notation.role.search(stem) if file.path.endswith(notation.suffixes) else None
            if found and not file.is_test and found[1].lower() in _ROLES:
                by_role.setdefault(found[1], []).append(file)
        kept = {
            role: files
            for role, files in by_role.items()
            if len({one.folder for one in files}) >= MIN_FOLDERS
        }
        if len(kept) < 2:
            continue
        roles = sorted(kept, key=lambda role: (-len(kept[role]), role))[:_SHOWN]
        followers = [file for role in roles for file in kept[role]]
        written = [f"*{notation.before}{role}" for role in roles]
        yield _Convention(
            f"file-roles-{slugify(notation.name)}",
            f"Name {notation.name} files by their role: {join_names(written)}",
            tuple(
                (word.removeprefix("*"), role) for word, role in zip(written, roles, strict=True)
            ),
            followers,
            sorted({file.folder for file in followers}),
        )


def _test_places(sources: Sequence[TreeFile]) -> Iterator[_Convention]:
    """Where the tests of Python and of scripts are, which their tools leave open."""
    for name, suffixes in _PLACED:
        files = [file for file in sources if file.path.endswith(suffixes)]
        tests = [file for file in files if file.is_test and _tested_stem(file.path)]
        if len(tests) < MIN_TESTS:
            continue
        folders = {file.folder for file in files if not file.is_test}
        stems = {(file.folder, _stem(file.path)) for file in files if not file.is_test}
        beside = [one for one in tests if (one.folder, _tested_stem(one.path)) in stems]
        apart = [one for one in tests if one.folder not in folders]
        slug = slugify(name)
        if len(beside) >= MIN_PLACED * len(tests):
            title = f"Keep {name} tests beside the code that they test"
            yield _Convention(f"tests-beside-{slug}", title, (_BESIDE,), beside, ())
        elif len(apart) >= MIN_PLACED * len(tests) and name != "Python":
            title = f"Keep {name} tests in directories apart from the code"
            yield _Convention(f"tests-apart-{slug}", title, (_APART,), apart, ())


def _tested_stem(path: str) -> str:
    """The stem of the source file that a test is named after; "" for none."""
    stem = _stem(path)
    for suffix in (".test", ".spec", "_test"):
        if stem.endswith(suffix):
            return stem.removesuffix(suffix)
    return stem.removeprefix("test_") if stem.startswith("test_") else ""


def _candidate(tree: SourceTree, one: _Convention, all_files: int) -> ImplicitDecision:
    share = min(1.0, len(one.followers) / all_files) if all_files else 0.0
    return ImplicitDecision(
        one.id,
        one.title,
        "convention",
        (),
        one.names,
        frozenset(name for names in one.names for name in names),
        tuple(_evidence(tree, one.followers)),
        len(one.followers),
        all_files,
        round(_WEIGHT + _USE_WEIGHT * sqrt(share), 3),
        tuple(one.folders[:3]),
    )


def _evidence(tree: SourceTree, files: Sequence[TreeFile]) -> Iterator[EvidenceLine]:
    """The first line of a file of each directory."""
    folders = {file.folder: file for file in files}
    for file in list(folders.values())[:_SHOWN]:
        line = first_line(tree.text(file.path))
        yield EvidenceLine(file.path, line.number, clip(line.text), "marked")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[: name.rfind(".")] if "." in name else name
