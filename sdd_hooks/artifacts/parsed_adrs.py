"""The ADRs of a repository that were parsed before, by the id of their blob.

Parsing 300 records takes as long as reading a change of 200 files, and most reviews find the same
ones. Rules that can fail a pull request read them, so that they are kept in the git directory: a
change can commit a file below `.sdd`.
"""

# Governing: ADR-0006 (derived state under .sdd), ADR-0012 (untrusted input)

from __future__ import annotations

import json
import os
from binascii import crc32
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from sdd_hooks import __version__
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import ArtifactFile, read_adr_file
from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.artifacts.frontmatter import FrontmatterValue
from sdd_hooks.artifacts.identifiers import NO_ORIGINS, ArtifactId, Origins
from sdd_hooks.artifacts.status import NO_STATUS, ArtifactStatus
from sdd_hooks.errors import SddError
from sdd_hooks.findings import Finding
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_inside, write_atomically
from sdd_hooks.text.markdown import Section

CACHE_FILE = "records"
"""The cache, in the state directory of the work tree's git directory."""
MAX_BYTES = 32 << 20
"""A larger cache is neither written nor read."""

_ID = [str, int, str, str, str, str]
_STATUS = [str, str, str, int, str]
_FINDING = [str, int, str, str, str, str]
_SECTION = [int, str, int, int, int, int, list, str]


class ParsedAdrs:
    """Reads ADRs, those that have a row in the cache from it. A damaged cache has no rows."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._used: dict[str, Any] = {}
        self._is_complete = True

    def read(self, file: ArtifactFile, origins: Origins = NO_ORIGINS) -> Artifact | None:
        """Read an ADR like `read_adr_file`."""
        # The ids in a record depend on the names of other repositories.
        names = (text for pair in sorted(origins.items()) for text in pair)
        key = "\0".join((file.blob, file.module, file.path, *names))
        row = self._rows.get(key) if file.blob else None
        artifact = adr_from_row(row, file)
        if artifact is None:
            artifact = read_adr_file(file, origins)
            if artifact is None or not file.blob:
                return artifact
            row = adr_to_row(artifact)
            self._is_complete = False
        self._used[key] = row
        return artifact

    def save(self) -> None:
        """Store the rows that were used, when one is new and `.sdd` exists.

        A failure to write is ignored.
        """
        if self._is_complete or not self._repository.state.is_dir():
            return
        self._is_complete = True
        rows = json.dumps([parser_version(), self._used], separators=(",", ":")).encode()
        data = b"%d\0%b" % (crc32(rows), rows)
        with suppress(OSError, SddError):
            directory = self._repository.private_dir
            directory.mkdir(exist_ok=True)
            if len(data) <= MAX_BYTES:
                write_atomically(directory / CACHE_FILE, data)

    @cached_property
    def _rows(self) -> Mapping[str, Any]:
        try:
            data = read_inside(self._repository.private_dir, CACHE_FILE, MAX_BYTES)
            checksum, _, content = data.partition(b"\0")
            if int(checksum) != crc32(content):
                return {}
            match json.loads(content):
                case [str(parser), dict(rows)] if parser == parser_version():
                    return rows
        except (FileNotFoundError, SddError, ValueError, RecursionError):
            pass
        return {}


def parser_version() -> str:
    """The version of the parser: that of the package, and of its files in a checkout."""
    here = os.path.dirname(__file__)  # noqa: PTH120
    newest = 0
    for directory in (here, os.path.join(here, "..", "text")):  # noqa: PTH118
        with suppress(OSError), os.scandir(directory) as entries:
            newest = max(newest, *(one.stat().st_mtime_ns for one in entries if one.is_file()))
    return f"{__version__} {newest}"


def adr_to_row(artifact: Artifact) -> Sequence[Any]:
    """The row of an ADR, which JSON can hold."""
    return [
        artifact.id,
        artifact.title,
        artifact.statuses,
        artifact.date,
        artifact.sections,
        [[edge.kind, edge.target, edge.path, edge.line, edge.origin] for edge in artifact.edges],
        artifact.decision,
        artifact.successors,
        artifact.frontmatter,
        [
            [one.path, one.line, one.rule, one.severity, one.message, one.evidence]
            for one in artifact.findings
        ],
    ]


def adr_from_row(row: Any, file: ArtifactFile) -> Artifact | None:
    """The ADR of a row, None for a row that `adr_to_row` does not write."""
    try:
        own_id, title, statuses, date, sections, edges, decision, successors, *rest = row
        matter, findings = rest
        id = _to_id(own_id)
        written = tuple(ArtifactStatus(*_typed(one, _STATUS)) for one in statuses)
        _typed([title, date, matter], [str, str, dict])
        return Artifact(
            kind="ADR",
            id=id,
            path=file.path,
            title=title,
            module=file.module,
            status=written[0] if written else NO_STATUS,
            statuses=written,
            date=date,
            sections=tuple(_to_section(one) for one in sections),
            edges=tuple(_to_edge(one, id) for one in edges),
            decision=None if decision is None else _to_lines(decision),
            successors=tuple(_to_id(one) for one in successors),
            frontmatter={key: _to_value(value) for key, value in matter.items()},
            findings=tuple(Finding(*_typed(one, _FINDING)) for one in findings),
        )
    except (TypeError, ValueError, RecursionError):
        return None


def _typed(row: Any, types: Sequence[type]) -> Any:
    """The row, whose values have exactly these types. Raises ValueError."""
    if list(map(type, row)) != types:
        raise ValueError("a value has another type")
    return row


def _to_id(row: Any) -> ArtifactId:
    if _typed(row, _ID)[0] not in ("ADR", "SPEC"):
        raise ValueError("no kind of artifact")
    return ArtifactId(*row)


def _to_section(row: Any) -> Section:
    level, title, first_line, last_line, start, end, path, anchor = _typed(row, _SECTION)
    _typed(path, [str] * len(path))
    return Section(level, title, first_line, last_line, start, end, tuple(path), anchor)


def _to_edge(row: Any, source: ArtifactId) -> Edge:
    kind, target, path, line, origin = row
    _typed([kind, path, line, origin], [str, str, int, str])
    return Edge(kind, source, _to_id(target), path, line, origin)


def _to_lines(row: Any) -> tuple[int, int]:
    first, last = _typed(row, [int, int])
    return first, last


def _to_value(value: Any) -> FrontmatterValue:
    match value:
        case str():
            return value
        case list():
            return [_to_value(one) for one in value]
        case dict():
            return {key: _to_value(one) for key, one in value.items()}
    raise ValueError("no value of frontmatter")
