"""What people found by reading public repositories: where their records are, and what some say.

`repositories.jsonl` has a line for each, written without the program's answer in sight: also the
language of its people (`human`) and of its `code`, the kind of its `owner`, `others`: documents
that look like records and are none, and `either`: those that may be listed or not, such as
translations. `half` is that of all repositories of an owner: `dev` is for making rules, `held`,
which stay unread while the rules are made, for judging them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HALVES = ("dev", "held")
FACTS = Path(__file__).with_name("repositories.jsonl")


class Record(NamedTuple):
    """The kind of a record (`adr` or `spec`) and the layout of its collection."""

    kind: str
    layout: str


class Reading(NamedTuple):
    """What a person read in a record: its title without the id, its status now (`none` without
    one), and its ISO date ("" without one). None where people may differ."""

    title: str | None
    status: str | None
    date: str | None


class KnownRepository(NamedTuple):
    """A repository `owner/name` at a commit, its half, its records by path, what was read of some,
    and the paths of documents that may be listed or not."""

    name: str
    commit: str
    half: str
    records: dict[str, Record]
    readings: dict[str, Reading]
    either: frozenset[str]


def read_facts(path: Path = FACTS) -> Iterator[KnownRepository]:
    """Yield the repositories of a file. Raises ValueError or KeyError for a line that is none."""
    for line in path.read_text("utf-8").splitlines():
        fields = json.loads(line)
        yield KnownRepository(
            fields["repository"],
            fields["commit"],
            fields["half"],
            dict(_records(fields["collections"])),
            {path: Reading(*read) for path, read in fields.get("readings", {}).items()},
            frozenset(fields.get("either", ())),
        )


def _records(collections: list[dict[str, Any]]) -> Iterator[tuple[str, Record]]:
    for one in collections:
        for file in one["files"]:
            path = f"{one['folder']}/{file}" if one["folder"] else file
            yield path, Record(one["kind"], one["layout"])
