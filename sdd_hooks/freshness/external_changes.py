"""The changes of a collection of decision records of another repository."""

# Governing: ADR-0035 (decisions of another repository are read, not run), ADR-0004 (change
# detection from git)

from __future__ import annotations

from sdd_hooks.engines.protocol import Bookmark, CollectionChanges
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.external_sources import DeclaredSources
from sdd_hooks.project.project import Project


def external_changes(
    project: Project, collection: Collection, bookmark: Bookmark | None
) -> CollectionChanges:
    """The documents of a collection of the kind `external`, none if the index has them.

    They are those of the commit that was fetched last. A source that was never fetched has none.
    """
    # Projects without such a collection do not wait for these imports.
    from sdd_hooks.external.records import read_external_records
    from sdd_hooks.external.snapshots import read_snapshot

    (source,) = (one for one in project.external.sources if (one.name,) == collection.directories)
    snapshot = read_snapshot(project.repository, source)
    commit = snapshot.commit if snapshot else ""
    current = Bookmark(commit, (), collection.definition())
    if bookmark == current:
        return CollectionChanges(collection, (), False, current, contents={})
    (records,) = read_external_records(project.repository, DeclaredSources((source,))).sources
    contents: dict[str, bytes] = {}
    for artifact in records.artifacts:
        text = records.tree.text(records.tree_path(artifact.path)) if records.tree else ""
        contents[artifact.path] = text.encode("utf-8", "replace")
    paths = tuple(sorted(contents))
    return CollectionChanges(collection, paths, True, current, contents=contents)
