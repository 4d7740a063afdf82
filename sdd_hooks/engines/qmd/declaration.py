"""The file that tells qmd what to index: one directory, masks and exceptions for each collection.

It is written anew each time. qmd runs commands that it finds there, and loads the models it names,
so nothing is taken over from what is there but the texts that describe a collection.
"""

# Governing: ADR-0014 (the qmd engine), ADR-0012 (untrusted input never leaves the repository),
# SPEC-0006 REQ "Declaration"

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sdd_hooks.code.languages import GENERATED, VENDORED
from sdd_hooks.project.collections import Collection
from sdd_hooks.system.files import PathRefused, resolve_inside
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.globs import expand_braces

LARGEST = 1_000_000
"""Bytes read of the file: with the most exceptions of every collection it is far smaller."""

MOST_IGNORED = 1000
"""Exceptions of one collection that come from git: fast-glob tries each on every path."""

# qmd leaves hidden files out.
NOTHING = ".none"

_SPECIAL = re.compile(r"[^\w./-]")
_CLASS = re.compile(r"\[[^]]+\]")
_UNQUOTED = re.compile(r"[^ !#-\[\]-~]")
_ODD = re.compile(r"[^\w. -]+|^ | $")


@dataclass(frozen=True)
class Declared:
    """One collection for qmd: `base` is a directory below the top, masks and exceptions are globs
    below that."""

    base: str
    masks: tuple[str, ...]
    ignored: tuple[str, ...]
    context: str


def base_of(root: Path, collection: Collection) -> tuple[str, tuple[str, ...]]:
    """The directory that qmd is given, and which of those below it the collection is in.

    A directory that is a link, or that one leads to, is none of the collection's: qmd would follow
    it out of the repository. Without any directory left, the second is empty.
    """
    top = os.path.realpath(root)
    real = [one for one in collection.directories if _is_itself(root, top, one)]
    if not real or "" in real:
        return "", ("",) if real else ()
    base = os.path.commonpath(real)
    below = [f"{one[len(base) :].strip('/')}/".lstrip("/") for one in real]
    return base, ("",) if "" in below else tuple(below)


def endings(collection: Collection, paths: Iterable[str]) -> frozenset[str]:
    """How the names of those files of the collection end, as spelled: `.md`, `.MD`, `/Makefile`."""
    if collection.pattern or not collection.suffixes:
        return frozenset()
    found = set()
    for path in paths:
        named = f"/{path}"
        lower = named.lower()
        suffix = next((one for one in collection.suffixes if lower.endswith(one)), None)
        if suffix is not None:
            found.add(named[-len(suffix) :])
    return frozenset(found)


def masks(collection: Collection, below: Sequence[str], spelled: Iterable[str]) -> tuple[str, ...]:
    """The globs of a collection that lies in the directories `below`, for files so spelled.

    What is special to globs, or to qmd, becomes `*`: what that takes too many, `contains` leaves
    out of an answer. A `?` would not do: fast-glob takes it for a letter of a directory's name.
    """
    if collection.pattern:
        try:
            wanted = expand_braces(collection.pattern)
        except ValueError:
            wanted = ["**/*"]
    elif collection.suffixes:
        wanted = [f"**{one}" if one.startswith("/") else f"**/*{one}" for one in sorted(spelled)]
    else:
        wanted = ["**/*"]
    return tuple(_coarse(f"{where}{one}") for where in below for one in wanted) or (NOTHING,)


def exceptions(base: str, collection: Collection, unwanted: Iterable[str]) -> tuple[str, ...]:
    """The globs, below `base`, of what is not the collection's.

    `unwanted` are repo-relative paths that git does not track there, directories with a `/` behind;
    the first MOST_IGNORED that matter count.
    """
    mine = (one for one in unwanted if one.endswith("/") or collection.contains(one))
    found = [f"{directory}/" for directory in collection.excluded]
    inside = f"{base}/" if base else ""
    if collection.kind != "issues":
        found += islice((one for one in mine if one.startswith(inside)), MOST_IGNORED)
    below = [one[len(inside) :] for one in found if one.startswith(inside) and one != inside]
    globs = [literal(one) + ("**" if one.endswith("/") else "") for one in below]
    if collection.kind == "code":
        globs += [f"**/{name}/**" for name in VENDORED]
        globs += [f"**/{one[1:]}" if one.startswith("/") else f"**/*{one}" for one in GENERATED]
    return tuple(dict.fromkeys(globs))


def untracked(git: Git, repository: str) -> list[str]:
    """What qmd would find on disk but git does not count to this repository: what it ignores, and
    other repositories inside. The shortest paths first; directories end in `/`."""
    git = git.at(git.root / repository)
    ignored = _listed(git, "--others", "--ignored", "--exclude-standard", "--directory")
    # git shows a repository that is no submodule as a directory, whatever is in it.
    others = [one for one in _listed(git, "--others", "--exclude-standard") if one.endswith("/")]
    linked = [
        f"{one.partition(chr(9))[2]}/"
        for one in _listed(git, "--stage")
        if one.startswith("160000 ")
    ]
    prefix = f"{repository}/" if repository else ""
    found = {one for one in (*ignored, *others, *linked) if _visible(one)}
    return [f"{prefix}{one}" for one in sorted(found, key=lambda one: (one.count("/"), one))]


def literal(path: str) -> str:
    """A glob for that path and, where it has special characters, for others of the same length."""
    return _SPECIAL.sub(_any, path)


def render(root: Path, declared: Mapping[str, Declared], model: str) -> bytes:
    """The file's content, every text of it quoted. `model` "" is qmd's default."""
    lines = ["collections:" if declared else "collections: {}"]
    for name, one in declared.items():
        lines += [
            f"  {_quoted(name)}:",
            f"    path: {_quoted(str(root / one.base))}",
            f"    pattern: {_quoted(','.join(one.masks))}",
            f"    ignore: [{', '.join(map(_quoted, one.ignored))}]",
            "    context:",
            f'      "": {_quoted(one.context)}',
        ]
    if model:
        lines += ["models:", f"  embed: {_quoted(model)}"]
    return "\n".join([*lines, ""]).encode("ascii")


def read_contexts(path: Path) -> dict[str, str]:
    """The text that describes each collection in the file at `path`; {} when it cannot be read."""
    import yaml

    try:
        with path.open("rb") as file:
            tree = yaml.compose(file.read(LARGEST), Loader=yaml.SafeLoader)
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    found = {}
    for name, collection in _children(_child(tree, "collections")):
        text = _child(_child(collection, "context"), "")
        if isinstance(text, yaml.ScalarNode) and text.value.strip():
            found[name] = text.value
    return found


def _any(special: re.Match[str]) -> str:
    # qmd counts in UTF-16.
    return "?" * (len(special[0].encode("utf-16-le", "surrogatepass")) // 2)


def _is_itself(root: Path, top: str, directory: str) -> bool:
    try:
        return str(resolve_inside(root, directory)) == str(Path(top, directory))
    except PathRefused:
        return False


def _coarse(glob: str) -> str:
    """A glob whose only special parts are `*` and `**`, for at least the same paths."""
    parts = _CLASS.sub("*", glob).split("/")
    return "/".join(part if part == "**" else _ODD.sub("*", part) for part in parts)


def _listed(git: Git, *args: str) -> list[str]:
    return nul_split(git.try_output("ls-files", "-z", *args) or b"")


def _visible(path: str) -> bool:
    """Whether qmd would see it: it leaves out what is hidden."""
    return not any(part.startswith(".") for part in path.split("/"))


def _quoted(text: str) -> str:
    """The text as YAML quotes it. JSON has no way that every reader takes beyond U+FFFF."""
    return f'"{_UNQUOTED.sub(_escaped, text)}"'


def _escaped(char: re.Match[str]) -> str:
    return f"\\U{ord(char[0]):08x}"


def _children(node: Any) -> list[tuple[str, Any]]:
    """The entries of a YAML mapping; none for another node."""
    pairs = getattr(node, "value", None)
    if getattr(node, "id", "") != "mapping" or not isinstance(pairs, list):
        return []
    return [(str(key.value), value) for key, value in pairs if getattr(key, "id", "") == "scalar"]


def _child(node: Any, name: str) -> Any:
    return next((value for key, value in _children(node) if key == name), None)
