"""Rows, decisions and outcomes for the tests."""

from __future__ import annotations

from typing import Any

from benchmarks.references.facts import Facts
from benchmarks.references.held_out import Outcome
from benchmarks.references.method import Decision
from benchmarks.references.rows import Row
from sdd_hooks.review.references.words.change_words import Measures

PATHS = ("a.md", "b.md", "c.md")


def facts(**fields: Any) -> Facts:
    """The facts of a change with three records, of which `b.md` has the most similar sections."""
    known = {
        "title": "T", "files": (("src/a.py", "M"),), "paths": PATHS,
        "evidence": {
            "sections": (1.0, 2.0, 0.0), "title": (0.0, 0.0, 1.0), "identifiers": (0.0, 0.0, 0.0),
        },
        "measures": Measures((1.0, 2.0, 0.0), (0.1, 0.9, 0.0), (0.0, 0.5, 0.0)),
        "links": ((), (), ()), "offers": PATHS, "silent": False,
    }  # fmt: skip
    silent = {"phrases": (0.0, 0.0, 0.0), "history": (0.0, 0.0, 0.0)}
    merged = Facts(**{**known, **fields})
    return merged._replace(evidence={**silent, **merged.evidence})


def row(id: str, *expected: str, **fields: Any) -> Row:
    """The row of a change that needs the records `expected`. Fields of facts are taken, too."""
    own = {name: fields.pop(name) for name in list(fields) if name in Facts._fields}
    known = {
        "id": id, "source": "dev", "repo": "one/a", "kind": "commit", "leaks": False,
        "judged": frozenset(), "facts": facts(**own),
    }  # fmt: skip
    return Row(**{**known, "expected": frozenset(expected), **fields})


def outcome(
    row: Row, *order: str, probability: float = 0.9, asks: bool = True, offered: str | None = None
) -> Outcome:
    """The outcome of a row whose records are ranked in this order; the first one is asked about."""
    named = order[0] if offered is None else offered
    return Outcome(row, Decision(order, named, probability, asks))
