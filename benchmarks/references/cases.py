"""The changes of evaluation sets.

A set is a folder with changes whose records are known in `cases.dev.jsonl`, ordinary commits with
labelled records in `ordinary.dev.jsonl`, and `evaluate.py`, which creates a repository for one of
the former. Each of the two files may be missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

CASES = "cases.dev.jsonl"
ORDINARY = "ordinary.dev.jsonl"
EVALUATOR = "evaluate.py"


class Case(NamedTuple):
    """One change of the set called `source`. `fields` are those of its line in the file."""

    id: str
    source: str
    repo: str
    kind: str
    fields: dict[str, Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """The set, the kind and the id, which identify a row."""
        return self.source, self.kind, self.id

    @property
    def expected(self) -> frozenset[str]:
        """The paths of the right records."""
        if self.kind != "ordinary":
            return frozenset(self.fields["expected"])
        labels = self.fields["labels"].items()
        governing = {path for path, label in labels if label == "governs"}
        return frozenset(governing.union(self.fields["others"]))

    @property
    def judged(self) -> frozenset[str]:
        """The paths of the labelled records of an ordinary commit."""
        return frozenset((*self.fields.get("labels", ()), *self.fields.get("others", ())))

    @property
    def folders(self) -> Sequence[str]:
        """The folders of the records."""
        name = "record_dirs" if self.kind == "ordinary" else "adr_dirs"
        folders: Sequence[str] = self.fields[name]
        return folders


def read_cases(folder: Path) -> list[Case]:
    """Read all changes of a set. Raises FileNotFoundError when it has none."""
    found = [*_known(folder), *_ordinary(folder)]
    if not found:
        raise FileNotFoundError(f"{folder} has neither {CASES} nor {ORDINARY}")
    return found


def _known(folder: Path) -> Iterator[Case]:
    for fields in _lines(folder / CASES):
        yield Case(fields["id"], folder.name, fields["repo"], fields["kind"], fields)


def _ordinary(folder: Path) -> Iterator[Case]:
    for line in _lines(folder / ORDINARY):
        # A line has one commit, or all `commits` of its repository.
        for fields in ({**line, **one} for one in line.pop("commits", ({},))):
            id = f"{fields['repo']}@{fields['commit'][:10]}"
            yield Case(id, folder.name, fields["repo"], "ordinary", fields)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        yield from (json.loads(line) for line in path.read_text().splitlines() if line)


def load_evaluator(folders: Sequence[Path]) -> ModuleType:
    """Load the evaluator of the first set that has one. Raises FileNotFoundError without one."""
    for folder in folders:
        path = folder / EVALUATOR
        spec = spec_from_file_location("evaluate", path) if path.is_file() else None
        if spec and spec.loader:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FileNotFoundError(f"no set has {EVALUATOR}")
