"""The decisions and specifications that a project has, by directory."""

# Governing: ADR-0027 (records are found by what directories hold), SPEC-0005 REQ "Initialisation"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import RECORD_KINDS, Collection
from sdd_hooks.project.project import Project
from sdd_hooks.project.recognition import parents
from sdd_hooks.text.display import format_count

MAX_NAMED = 8
"""Directories that a message names."""

NOTHING_FOUND = "no decisions or specifications found"
FIRST_RECORD = 'write the first with `sdd adr "Title"`'
"""What one does in a repository without a record."""

_NOUNS = {"adrs": "decision", "specs": "specification"}


class FoundRecords(NamedTuple):
    """A directory, the artifacts that were read in it, their kind, and the module ("": the root).

    Of a `flat` directory only the files directly in it belong to the collection.
    """

    kind: str
    directory: str
    total: int
    module: str
    flat: bool


def find_records(project: Project) -> tuple[tuple[FoundRecords, ...], list[str]]:
    """Read the artifacts of the work tree and count them by directory. The second value notes what
    is left out. Raises GitError."""
    collections = project.select(RECORD_KINDS)
    corpus, left_out = read_work_tree(project.repository.git, collections)
    return count_records(collections, corpus.artifacts), left_out


def count_records(
    collections: Sequence[Collection], artifacts: Iterable[Artifact]
) -> tuple[FoundRecords, ...]:
    """Count the artifacts in each directory of the collections. Directories without one are left
    out."""
    counts: Counter[tuple[str, str]] = Counter()
    owners = {
        (collection.kind, directory): collection
        for collection in collections
        for directory in collection.directories
    }
    for artifact in artifacts:
        kind = "adrs" if artifact.kind == "ADR" else "specs"
        # A specification in the top directory of its collection has no folder of its own.
        above = (directory for directory in parents(artifact.path) if (kind, directory) in owners)
        counts[kind, next(above, "")] += 1
    return tuple(
        FoundRecords(
            kind, directory, counts[kind, directory], owner.module, directory in owner.flat
        )
        for (kind, directory), owner in owners.items()
        if counts[kind, directory]
    )


def describe_records(found: Sequence[FoundRecords]) -> str:
    """Return what was found and where, on one line."""
    last = MAX_NAMED if len(found) > MAX_NAMED + 1 else len(found)
    named = [
        f"{format_count(one.total, _NOUNS[one.kind])} in {one.directory or '.'}/"
        for one in found[:last]
    ]
    if len(found) > last:
        rest = sum(one.total for one in found[last:])
        named.append(f"{rest} in {len(found) - last} more directories")
    return ", ".join(named) or NOTHING_FOUND
