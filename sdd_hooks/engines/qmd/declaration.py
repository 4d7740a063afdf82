"""Write qmd's configuration: a directory, masks and exceptions for each collection.

The file is rewritten each time. qmd runs the commands in it and loads the models that it names, so
sdd keeps only the descriptions of collections from an existing file.
"""

# Governing: ADR-0014 (the qmd engine), ADR-0012 (untrusted input never leaves the repository),
# SPEC-0006 REQ "Declaration"

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from sdd_hooks.code.languages import GENERATED, VENDORED
from sdd_hooks.engines.protocol import CollectionChanges
from sdd_hooks.engines.qmd.index_folder import IndexFolder, create_folder
from sdd_hooks.engines.qmd.state import CollectionState
from sdd_hooks.errors import StorageError
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import PathRefused, read_state, resolve_inside, write_atomically
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.globs import expand_braces
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_IGNORED = 1000
"""Exceptions of one collection that come from git: fast-glob tries each of them on every path."""

MAX_CONFIG_BYTES = 1_000_000
"""Bytes read of the configuration. The largest one that sdd writes is far smaller."""

# A mask that matches nothing: qmd ignores hidden files.
NOTHING = ".none"

_SPECIAL = lazy_regex(r"[^\w./-]")
_CHARACTER_CLASS = lazy_regex(r"\[[^]]+\]")
_UNQUOTED = lazy_regex(r"[^ !#-\[\]-~]")
_NOT_COARSE = lazy_regex(r"[^\w. -]+|^ | $")


@dataclass(frozen=True)
class DeclaredCollection:
    """One collection in qmd's configuration: `base` is a directory below the top of the work tree.
    Masks and ignored paths are globs relative to it."""

    base: str
    masks: tuple[str, ...]
    ignored: tuple[str, ...]
    context: str


def declare_collections(
    git: Git,
    folder: IndexFolder,
    collections: Mapping[str, Collection],
    states: Mapping[str, CollectionState],
    changes: Sequence[CollectionChanges],
) -> tuple[dict[str, DeclaredCollection], dict[str, CollectionState]]:
    """Return the declaration of each indexed collection, and the states with it.

    `collections` are those of the project, `changes` those that the next update indexes: they may
    add files with other endings. A description that a user edited is kept.
    """
    changes_by_name = {change.collection.name: change for change in changes}
    contexts = read_contexts(folder.config)
    untracked: dict[str, list[str]] = {}
    declared: dict[str, DeclaredCollection] = {}
    new_states = dict(states)
    for name, state in states.items():
        collection = collections.get(name)
        if collection is None:
            declared[name] = DeclaredCollection(state.base, (NOTHING,), (), "")
            continue
        repository = collection.repository
        if repository not in untracked:
            untracked[repository] = find_untracked(git, repository)
        base, below = find_base(folder.root, collection)
        endings = _endings_after(collection, state, changes_by_name.get(name))
        context = contexts.get(name, state.context)
        declared[name] = DeclaredCollection(
            base,
            find_masks(collection, below, endings),
            find_exceptions(base, collection, untracked[repository]),
            collection.context if context == state.context else context,
        )
        new_states[name] = replace(
            state, base=base, endings=tuple(sorted(endings)), context=collection.context
        )
    return declared, new_states


def read_contexts(path: Path) -> dict[str, str]:
    """Read the description of each collection from a configuration; {} if it cannot be read."""
    import yaml

    try:
        tree = yaml.compose(read_state(path, MAX_CONFIG_BYTES), Loader=yaml.SafeLoader)
    except (OSError, StorageError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    contexts = {}
    for name, collection in _entries(_child(tree, "collections")):
        text = _child(_child(collection, "context"), "")
        if isinstance(text, yaml.ScalarNode) and text.value.strip():
            contexts[name] = text.value
    return contexts


def write_declaration(
    folder: IndexFolder, declared: Mapping[str, DeclaredCollection], model: str
) -> None:
    """Write qmd's configuration. Raises StorageError."""
    create_folder(folder)
    write_atomically(folder.config, render_declaration(folder.root, declared, model))


def find_base(root: Path, collection: Collection) -> tuple[str, tuple[str, ...]]:
    """Return the directory to declare, and the directories of the collection relative to it.

    Directories that are links, or below links, are left out: qmd would follow them out of the
    repository. If none is left, the second value is empty.
    """
    top = os.path.realpath(root)
    directories = [path for path in collection.directories if _is_no_link(root, top, path)]
    if not directories or "" in directories:
        return "", ("",) if directories else ()
    base = os.path.commonpath(directories)
    below = [f"{path[len(base) :].strip('/')}/".lstrip("/") for path in directories]
    return base, ("",) if "" in below else tuple(below)


def find_endings(collection: Collection, paths: Iterable[str]) -> frozenset[str]:
    """Return the endings of the collection's file names, as spelled: `.md`, `.MD`, `/Makefile`."""
    if collection.pattern or not collection.suffixes:
        return frozenset()
    endings = set()
    for path in paths:
        absolute = f"/{path}"
        lower = absolute.lower()
        suffix = next((suffix for suffix in collection.suffixes if lower.endswith(suffix)), None)
        if suffix is not None:
            endings.add(absolute[-len(suffix) :])
    return frozenset(endings)


def find_masks(
    collection: Collection, below: Sequence[str], endings: Iterable[str]
) -> tuple[str, ...]:
    """Return the globs for the files of a collection in the directories `below` its base.

    Characters that are special to globs or to qmd become `*`. What that matches in addition,
    `Collection.contains` removes from results. `?` is no alternative: fast-glob takes it literally
    in the name of a directory.
    """
    if collection.pattern:
        try:
            globs = expand_braces(collection.pattern)
        except ValueError:
            globs = ["**/*"]
    elif collection.suffixes:
        globs = [
            f"**{ending}" if ending.startswith("/") else f"**/*{ending}"
            for ending in sorted(endings)
        ]
    else:
        globs = ["**/*"]
    masks = tuple(_coarse_glob(f"{directory}{glob}") for directory in below for glob in globs)
    return masks or (NOTHING,)


def find_exceptions(base: str, collection: Collection, untracked: Iterable[str]) -> tuple[str, ...]:
    """Return the globs, relative to `base`, of files that are not the collection's.

    `untracked` are repo-relative paths; those of directories end in `/`. Only the first MAX_IGNORED
    that concern the collection are used.
    """
    prefix = f"{base}/" if base else ""
    paths = [f"{directory}/" for directory in collection.excluded]
    if collection.kind != "issues":
        concerned = (
            path
            for path in untracked
            if path.startswith(prefix) and (path.endswith("/") or collection.contains(path))
        )
        paths += islice(concerned, MAX_IGNORED)
    below = [path[len(prefix) :] for path in paths if path.startswith(prefix) and path != prefix]
    globs = [literal_glob(path) + ("**" if path.endswith("/") else "") for path in below]
    if collection.kind == "code":
        globs += [f"**/{name}/**" for name in VENDORED]
        globs += [
            f"**/{ending[1:]}" if ending.startswith("/") else f"**/*{ending}"
            for ending in GENERATED
        ]
    return tuple(dict.fromkeys(globs))


def find_untracked(git: Git, repository: str) -> list[str]:
    """Return paths that exist on disk but do not belong to a repository of the work tree.

    These are ignored files and other repositories. Paths with few directories come first; those of
    directories end in `/`.
    """
    git = git.at(git.root / repository)
    ignored = _list_files(git, "--others", "--ignored", "--exclude-standard", "--directory")
    # git lists a repository that is not a submodule as a directory.
    others = [
        path for path in _list_files(git, "--others", "--exclude-standard") if path.endswith("/")
    ]
    submodules = [
        f"{entry.partition(chr(9))[2]}/"
        for entry in _list_files(git, "--stage")
        if entry.startswith("160000 ")
    ]
    prefix = f"{repository}/" if repository else ""
    visible = {path for path in (*ignored, *others, *submodules) if _is_visible(path)}
    return [f"{prefix}{path}" for path in sorted(visible, key=lambda path: (path.count("/"), path))]


def literal_glob(path: str) -> str:
    """Return a glob for a path. Each special character matches any character."""
    return _SPECIAL.sub(_question_marks, path)


def render_declaration(root: Path, declared: Mapping[str, DeclaredCollection], model: str) -> bytes:
    """Render the configuration as YAML with every text quoted. `model` "" is qmd's default."""
    lines = ["collections:" if declared else "collections: {}"]
    for name, collection in declared.items():
        lines += [
            f"  {_quote(name)}:",
            f"    path: {_quote(str(root / collection.base))}",
            f"    pattern: {_quote(','.join(collection.masks))}",
            f"    ignore: [{', '.join(map(_quote, collection.ignored))}]",
            "    context:",
            f'      "": {_quote(collection.context)}',
        ]
    if model:
        lines += ["models:", f"  embed: {_quote(model)}"]
    return "\n".join([*lines, ""]).encode("ascii")


def _entries(node: Any) -> list[tuple[str, Any]]:
    """Return the entries of a YAML mapping; none for another node."""
    pairs = getattr(node, "value", None)
    if getattr(node, "id", "") != "mapping" or not isinstance(pairs, list):
        return []
    return [(str(key.value), value) for key, value in pairs if getattr(key, "id", "") == "scalar"]


def _child(node: Any, name: str) -> Any:
    return next((value for key, value in _entries(node) if key == name), None)


def _endings_after(
    collection: Collection, state: CollectionState, change: CollectionChanges | None
) -> frozenset[str]:
    """Return the endings of a collection's file names after a change."""
    if change is None:
        return frozenset(state.endings)
    old = frozenset() if change.complete else frozenset(state.endings)
    return old | find_endings(collection, change.paths)


def _question_marks(special: re.Match[str]) -> str:
    # qmd counts in UTF-16.
    return "?" * (len(special[0].encode("utf-16-le", "surrogatepass")) // 2)


def _is_no_link(root: Path, top: str, directory: str) -> bool:
    try:
        return str(resolve_inside(root, directory)) == str(Path(top, directory))
    except PathRefused:
        return False


def _coarse_glob(glob: str) -> str:
    """Return a glob that matches at least the same paths and has no special parts but `*`, `**`."""
    parts = _CHARACTER_CLASS.sub("*", glob).split("/")
    return "/".join(part if part == "**" else _NOT_COARSE.sub("*", part) for part in parts)


def _list_files(git: Git, *args: str) -> list[str]:
    return nul_split(git.try_output("ls-files", "-z", *args) or b"")


def _is_visible(path: str) -> bool:
    """Whether no part of the path is hidden: qmd ignores hidden files."""
    return not any(part.startswith(".") for part in path.split("/"))


def _quote(text: str) -> str:
    """Quote a text for YAML. JSON's escapes beyond U+FFFF are not valid in every YAML parser."""
    return f'"{_UNQUOTED.sub(_escape, text)}"'


def _escape(char: re.Match[str]) -> str:
    return f"\\U{ord(char[0]):08x}"
