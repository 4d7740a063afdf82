"""The answer key: the decisions about technologies in the records of public repositories.

`key.json` was written from the records. A decision lists the technologies that it chooses, by the
names of the catalogue where it has them. Those of the set `held-out` were written before the
command saw their repositories.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

SETS = ("development", "held-out")

_KEY = Path(__file__).with_name("key.json")


class KnownDecision(NamedTuple):
    """A record that chooses technologies."""

    record: str
    technologies: frozenset[str]


class KnownRepository(NamedTuple):
    """A repository `owner/name` at a commit, and what its records choose."""

    name: str
    set: str
    commit: str
    decisions: tuple[KnownDecision, ...]

    @property
    def technologies(self) -> frozenset[str]:
        """All technologies that a record chooses."""
        return frozenset().union(*(one.technologies for one in self.decisions))


def load_key(set_: str) -> list[KnownRepository]:
    """Return the repositories of a set."""
    return [
        KnownRepository(
            one["repository"],
            one["set"],
            one["commit"],
            tuple(
                KnownDecision(record, frozenset(technologies))
                for record, technologies in one["decisions"].items()
            ),
        )
        for one in json.loads(_KEY.read_text("utf-8"))
        if one["set"] == set_
    ]
