"""The records of a tree, read once: what each says is kept for the content it had."""

# Governing: ADR-0020 (a decision is found by equal votes of evidence)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.identifiers import parse_id
from sdd_hooks.changes.tree import Tree
from sdd_hooks.project.repository import Repository
from sdd_hooks.review.references.cache import keep, recall
from sdd_hooks.review.references.records import Content, Record, read_content

_NAME = "records"


def records_of(
    repository: Repository, tree: Tree, artifacts: Iterable[Artifact], specs: Sequence[str]
) -> list[Record]:
    """The records that `artifacts` are, with their texts as `tree` has them, by path.

    `specs` are pathspecs of where they are: a large tree need not be listed for them.
    """
    by_path = {one.path: one for one in artifacts}
    blobs = {blob.path: blob for blob in tree.blobs(specs) if blob.path in by_path}
    cached = recall(repository, _NAME).get("blobs")
    known = cached if isinstance(cached, dict) else {}
    found: list[Record] = []
    rows: dict[str, Any] = {}
    for path, text in sorted(tree.texts(blobs.values()).items()):
        artifact, id = by_path[path], blobs[path].id
        content = _content(known.get(id), artifact) or read_content(artifact, text)
        found.append(Record(artifact, text, content))
        rows[id] = _row(content)
    if rows.keys() - known.keys():
        keep(repository, _NAME, {"blobs": rows})
    return found


def _row(content: Content) -> Sequence[Any]:
    names = sorted(str(name) for name in content.names)
    return [content.counts, sorted(content.identifiers), sorted(content.paths), names]


def _content(row: Any, artifact: Artifact) -> Content | None:
    """What was kept of a record, None when it is not as it was written."""
    match row:
        case [[*counts], [*identifiers], [*paths], [*names]]:
            pass
        case _:
            return None
    if len(counts) != len(artifact.sections) or not _are(dict, counts):
        return None
    numbers = chain.from_iterable(one.values() for one in counts)
    texts = chain(identifiers, paths, names)
    ids = [parse_id(name) for name in names if isinstance(name, str)]
    if None in ids or not _are(int, numbers) or not _are(str, texts):
        return None
    return Content(
        tuple(counts), frozenset(identifiers), frozenset(paths), frozenset(id for id in ids if id)
    )


def _are(kind: type, values: Iterable[object]) -> bool:
    return set(map(type, values)) <= {kind}
