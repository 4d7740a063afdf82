"""The rows of a measurement: changes with what is known of their records, and their facts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.references.facts import Facts


class Row(NamedTuple):
    """The facts of one change, and the records that are right for it.

    `source` is the name of its set. `kind` is `commit` or `comment` (its author named a record),
    `negative` (trivial) or `ordinary`. `leaks` is whether the diff named the record. `expected` are
    the paths of the right records, none for a change that needs none. `judged` are the paths that a
    person labelled, which only ordinary commits have.
    """

    id: str
    source: str
    repo: str
    kind: str
    leaks: bool
    expected: frozenset[str]
    judged: frozenset[str]
    facts: Facts

    @property
    def family(self) -> str:
        """The owner of the repository: repositories of one owner are held out together."""
        return self.repo.partition("/")[0]

    @property
    def ordinary(self) -> bool:
        """Whether it is an ordinary commit."""
        return self.kind == "ordinary"

    @property
    def key(self) -> tuple[str, str, str]:
        """The set, the kind and the id, which identify a row."""
        return self.source, self.kind, self.id


def append(path: Path, row: Row) -> None:
    """Add a row to a file, one line of JSON each."""
    fields: dict[str, Any] = {**row._asdict(), "facts": row.facts._asdict()}
    fields |= {"expected": sorted(row.expected), "judged": sorted(row.judged)}
    with path.open("a") as file:
        file.write(json.dumps(fields, separators=(",", ":")) + "\n")


def load(path: Path) -> Sequence[Row]:
    """Load the rows of a file, none when it does not exist.

    A last line without its end, of an interrupted measurement, is removed from the file. Raises
    TypeError for rows of another version of this benchmark.
    """
    if not path.is_file():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        path.write_bytes(whole)
    return [_from_json(json.loads(line)) for line in whole.splitlines()]


def _from_json(fields: dict[str, Any]) -> Row:
    row = Row(**{**fields, "facts": Facts.from_json(fields["facts"])})
    return row._replace(expected=frozenset(row.expected), judged=frozenset(row.judged))
