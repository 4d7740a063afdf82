"""Read `semantic-search.yml`, which adds collections of any kind.

    collections:
      notes:
        path: kb/notes
        pattern: "**/*.md"

A path may be absolute, as in files written for one machine, but must lie inside the repository.
"""

# Governing: ADR-0007 (Markdown-native configuration), ADR-0012 (no path leaves the repository)

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.config.configuration import ConfigurationWarning
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside, resolve_inside
from sdd_hooks.text.decoding import decode_unicode
from sdd_hooks.text.globs import compile_glob
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from yaml import Node

SEMANTIC_SEARCH_FILE = "semantic-search.yml"

MAX_BYTES = 1 << 16
"""A larger file, in bytes, is an error."""

DEFAULT_PATTERN = "**/*.md"

_NAME = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ExtraCollection(NamedTuple):
    """A declared collection: the files below `directory` that match `pattern`; its `line`.

    `kind` "" is the name.
    """

    name: str
    directory: str
    pattern: str
    line: int
    kind: str = ""


def read_semantic_search(
    root: Path,
) -> tuple[tuple[ExtraCollection, ...], list[ConfigurationWarning]]:
    """Read the collections that the file in `root` declares. Without the file there are none.

    Unknown keys are warnings. Raises ConfigurationError, with the line, for any other shape than
    the one above.
    """
    path = root / SEMANTIC_SEARCH_FILE
    try:
        data = read_inside(root, SEMANTIC_SEARCH_FILE, MAX_BYTES)
    except FileNotFoundError:
        return (), []
    except (PathRefused, FileTooLarge) as error:
        reason = str(error).removeprefix(f"{SEMANTIC_SEARCH_FILE}: ")
        raise ConfigurationError(f"{reason}: write it anew, or remove it", path) from None
    file = _File(root, path, [])
    return tuple(_collections(file, decode_unicode(data))), file.warnings


class _File(NamedTuple):
    root: Path
    path: Path
    warnings: list[ConfigurationWarning]


def _collections(file: _File, text: str) -> Iterator[ExtraCollection]:
    path = file.path
    seen: set[str] = set()
    for key, line, value in _mapping(path, _compose(path, text), "the file"):
        if key != "collections":
            file.warnings.append(ConfigurationWarning(path, line, f"unknown key {key!r}"))
            continue
        for name, name_line, shape in _mapping(path, value, "'collections'"):
            if not _NAME.fullmatch(name):
                text = f"{name!r} cannot name a collection: letters, digits, '-', '_' and '.'"
                raise ConfigurationError(text, path, name_line)
            if name in seen:
                raise ConfigurationError(f"{name!r} is declared twice", path, name_line)
            seen.add(name)
            yield _collection(file, name, name_line, shape)


def _collection(file: _File, name: str, line: int, shape: Node) -> ExtraCollection:
    path = file.path
    directory: str | None = None
    pattern = DEFAULT_PATTERN
    for key, key_line, value in _mapping(path, shape, f"{name!r}"):
        if key == "path":
            directory = _directory(file, key_line, _string(path, value, key))
        elif key == "pattern":
            pattern = _string(path, value, key).removeprefix("./")
            if pattern.startswith("/") or ".." in pattern.split("/"):
                text = "'pattern' must stay below 'path'"
                raise ConfigurationError(text, path, key_line)
            try:
                compile_glob(pattern)
            except ValueError as error:
                raise ConfigurationError(f"'pattern': {error}", path, key_line) from None
        else:
            text = f"unknown key {key!r} in {name!r}"
            file.warnings.append(ConfigurationWarning(path, key_line, text))
    if directory is None:
        raise ConfigurationError(f"{name!r} has no 'path': add `path: DIRECTORY`", path, line)
    return ExtraCollection(name, directory, pattern, line)


def _directory(file: _File, line: int, value: str) -> str:
    try:
        real = resolve_inside(file.root, value)
    except PathRefused:
        text = f"{value!r} is outside the repository"
        raise ConfigurationError(text, file.path, line) from None
    directory = real.relative_to(resolve_inside(file.root, "")).as_posix()
    if directory.split("/")[0] == ".git":
        raise ConfigurationError(f"{value!r} belongs to git", file.path, line)
    return "" if directory == "." else directory


def _compose(path: Path, text: str) -> Node | None:
    """Parse the YAML into nodes, which have lines and construct no Python objects."""
    import yaml

    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "not YAML"
        raise ConfigurationError(problem, path, mark.line + 1 if mark else 0) from None
    except (yaml.YAMLError, ValueError, OverflowError):
        raise ConfigurationError("not YAML", path) from None
    except RecursionError:
        raise ConfigurationError("nested too deeply", path) from None


def _mapping(path: Path, node: Node | None, what: str) -> Iterator[tuple[str, int, Node]]:
    """Yield the keys of a mapping with their lines and values. Empty or null: no keys."""
    from yaml import MappingNode, ScalarNode

    if node is None or (isinstance(node, ScalarNode) and node.tag.endswith(":null")):
        return
    if not isinstance(node, MappingNode):
        raise ConfigurationError(f"{what} must be a mapping", path, node.start_mark.line + 1)
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode):
            raise ConfigurationError(f"{what} must have text as keys", path, line)
        yield key.value, line, value


def _string(path: Path, node: Node, key: str) -> str:
    from yaml import ScalarNode

    if isinstance(node, ScalarNode) and node.value and not node.tag.endswith(":null"):
        return str(node.value)
    raise ConfigurationError(f"{key!r} must be text", path, node.start_mark.line + 1)
