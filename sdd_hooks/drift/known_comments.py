"""The governing comments of a tree that were read before, kept in the git directory.

A change can commit a file below `.sdd`, and rules that can fail a pull request read the comments.
"""

# Governing: ADR-0043 (read from the work tree), ADR-0012 (untrusted input), SPEC-0021 REQ "Size"

from __future__ import annotations

import json
import os
from binascii import crc32
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from sdd_hooks.artifacts.governing import GoverningReference, GoverningVerb
from sdd_hooks.artifacts.identifiers import ArtifactId, ArtifactKind, Origins
from sdd_hooks.artifacts.parsed_adrs import parser_version
from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_inside, write_atomically

CACHE_FILE = "comments"
"""The cache, in the state directory of the work tree's git directory."""
MAX_BYTES = 32 << 20
"""A larger cache is neither written nor read."""


class KnownComments(NamedTuple):
    """The comments of files by path, as they are in the git tree with the id `tree`.

    `unread` are the files of the tree whose content in the tree was not read.
    """

    tree: str
    files: Mapping[str, Sequence[GoverningReference]]
    unread: frozenset[str]


def load_known(repository: Repository, origins: Origins) -> KnownComments | None:
    """Load what was stored with the same parser and origins. None: nothing, or it is damaged."""
    try:
        data = read_inside(repository.private_dir, CACHE_FILE, MAX_BYTES)
        checksum, _, content = data.partition(b"\0")
        if int(checksum) != crc32(content):
            return None
        match json.loads(content):
            case [str(version), str(tree), dict(files), list(unread)]:
                if version == _version(origins):
                    read = {path: [_from_row(row) for row in rows] for path, rows in files.items()}
                    return KnownComments(tree, read, frozenset(map(str, unread)))
    except (FileNotFoundError, SddError, ValueError, TypeError, RecursionError):
        pass
    return None


def store_known(repository: Repository, origins: Origins, known: KnownComments) -> None:
    """Store the comments if `.sdd` exists. A failure to write is ignored."""
    if not repository.state.is_dir():
        return
    files = {path: [_to_row(one) for one in found] for path, found in known.files.items()}
    rows = [_version(origins), known.tree, files, sorted(known.unread)]
    content = json.dumps(rows, separators=(",", ":")).encode()
    if len(content) > MAX_BYTES - 16:
        return
    with suppress(OSError, SddError):
        directory = repository.private_dir
        directory.mkdir(exist_ok=True)
        write_atomically(directory / CACHE_FILE, b"%d\0%b" % (crc32(content), content))


def _version(origins: Origins) -> str:
    """What the comments depend on besides the files."""
    newest = 0
    with suppress(OSError), os.scandir(os.path.dirname(__file__)) as entries:  # noqa: PTH120
        newest = max(entry.stat().st_mtime_ns for entry in entries if entry.is_file())
    return "\0".join((parser_version(), str(newest), *map("=".join, sorted(origins.items()))))


def _to_row(one: GoverningReference) -> Sequence[Any]:
    id = one.id
    return (
        one.verb,
        id.kind,
        id.number,
        id.suffix,
        id.module,
        id.origin,
        one.requirement,
        one.reason,
        one.line,
    )


def _from_row(row: Any) -> GoverningReference:
    """The comment of a row. Raises ValueError for a row that `_to_row` does not write."""
    match row:
        case [
            str(verb),
            str(kind),
            int(number),
            str(suffix),
            str(module),
            str(origin),
            str(requirement),
            str(reason),
            int(line),
        ]:
            id = ArtifactId(cast("ArtifactKind", kind), number, suffix, module, origin)
            return GoverningReference(cast("GoverningVerb", verb), id, requirement, reason, line)
    raise ValueError(row)
