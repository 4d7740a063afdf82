"""The records that hits belong to: read from their files, only those of the hits.

What replaced a record is written in either of the two. Where the record itself does not name its
successor, the index finds the records that mention it.
"""

# Governing: ADR-0037 (search by kind), SPEC-0005 REQ "Search", SPEC-0002 REQ "Status",
# ADR-0012 (untrusted input)

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.edges import Edge
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.artifacts.spec import SPEC_FILES, read_spec, spec_paths
from sdd_hooks.artifacts.work_tree import ARTIFACT_KINDS, MAX_ARTIFACT_BYTES
from sdd_hooks.code.paths import has_sections, is_markdown
from sdd_hooks.engines.protocol import Engine, Hit, Query, SubQuery
from sdd_hooks.project.collections import EXTERNAL, Collection
from sdd_hooks.retrieval.report import RecordLabel, label_of
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.documents import document_text

if TYPE_CHECKING:
    from sdd_hooks.external.records import ExternalRecords
    from sdd_hooks.trackers.files import FileMark

_MENTIONS = 20
"""Sections that are looked at for the successor of a record."""


def _no_external_records() -> ExternalRecords:
    # Few searches have a hit among them, and the import takes a tenth of a search.
    from sdd_hooks.external.records import NO_RECORDS

    return NO_RECORDS


class Records:
    """Reads the records of hits, each file once. `collections` are those of the project.

    `external` reads the records of other repositories, on the first hit among them.
    """

    def __init__(
        self,
        root: Path,
        engine: Engine,
        collections: Iterable[Collection],
        external: Callable[[], ExternalRecords] = _no_external_records,
    ) -> None:
        self._root = root
        self._read_external = external
        self._engine = engine
        self._collections: Mapping[str, Collection] = {c.name: c for c in collections}
        self._texts: dict[str, str | None] = {}
        self._artifacts: dict[tuple[str, str], Artifact | None] = {}

    @cached_property
    def external(self) -> ExternalRecords:
        """The records of other repositories."""
        return self._read_external()

    @cached_property
    def _external_artifacts(self) -> Mapping[str, Artifact]:
        return self.external.corpus.by_path

    def _is_external(self, path: str) -> bool:
        return self._has(EXTERNAL, path)

    def _has(self, kind: str, path: str) -> bool:
        return any(one.kind == kind and one.contains(path) for one in self._collections.values())

    @cached_property
    def _issue_marks(self) -> Mapping[str, tuple[str, FileMark]]:
        """The folder and the mark of each file of an issue, by path."""
        from sdd_hooks.trackers.sync_state import load_sync_state

        issues = [one for one in self._collections.values() if one.kind == "issues"]
        folders = [folder for one in issues for folder in one.directories]
        states = ((folder, load_sync_state(self._root, folder)) for folder in folders)
        return {
            f"{folder}/{name}": (folder, mark)
            for folder, state in states
            for name, mark in state.files.items()
        }

    def _is_damaged(self, path: str, data: bytes) -> bool:
        """Whether no sync left the file of an issue so; the file is renamed then."""
        if not self._has("issues", path) or path not in self._issue_marks:
            return False
        folder, mark = self._issue_marks[path]
        if mark.is_of(data):
            return False
        from sdd_hooks.trackers.store import IssueFolder
        from sdd_hooks.trackers.stored_issues import set_damage_aside

        return path in set_damage_aside(IssueFolder(self._root, folder))

    def collection(self, name: str) -> Collection:
        """Return the collection with this name."""
        return self._collections[name]

    def search(self, query: Query) -> tuple[Hit, ...]:
        """Search the index from which the hits are. The found hits need no snippets."""
        return self._engine.search(query._replace(snippets=0)).hits

    def text(self, path: str) -> str | None:
        """Return the content of a file, of a document as Markdown; None if it cannot be read."""
        if path not in self._texts and self._is_external(path):
            self._texts[path] = self.external.text(path) or None
        if path not in self._texts:
            try:
                data = read_inside(self._root, path, MAX_ARTIFACT_BYTES)
                damaged = self._is_damaged(path, data)
                self._texts[path] = None if damaged else document_text(path, data)
            except (OSError, PathRefused, FileTooLarge):
                self._texts[path] = None
        return self._texts[path]

    def source(self, path: str) -> str:
        """Return the content of a file as it is written; "" if it cannot be read."""
        if is_markdown(path) or not has_sections(path) or self._is_external(path):
            return self.text(path) or ""
        try:
            return decode(read_inside(self._root, path, MAX_ARTIFACT_BYTES))
        except (OSError, PathRefused, FileTooLarge):
            return ""

    def artifact(self, collection: str, path: str) -> Artifact | None:
        """Return the record that the file belongs to; None if it belongs to none."""
        key = (collection, path)
        if key not in self._artifacts:
            self._artifacts[key] = self._read(self._collections.get(collection), path)
        return self._artifacts[key]

    def _read(self, collection: Collection | None, path: str) -> Artifact | None:
        if collection is not None and collection.kind == EXTERNAL:
            return self._external_artifacts.get(path)
        kind = ARTIFACT_KINDS.get(collection.kind) if collection else None
        if collection is None or kind is None:
            return None
        if kind == "ADR":
            text = self.text(path)
            return None if text is None else read_adr(path, text, collection.module)
        if path.rpartition("/")[2] not in SPEC_FILES:
            return None
        *pages, design = spec_paths(path)
        page = next((one for one in pages if self.text(one) is not None), pages[0])
        return read_spec(page, self.text(page), self.text(design), collection.module)

    def label(self, collection: str, path: str) -> RecordLabel | None:
        """Return what the record of a file is.

        A file of a collection of ADRs or specs that is no record is called by its name.
        """
        artifact = self.artifact(collection, path)
        if artifact is None:
            return None
        return label_of(artifact, self.successors(collection, artifact))

    def successors(self, collection: str, artifact: Artifact) -> tuple[ArtifactId, ...]:
        """Return the ids of the records that replaced a record which is not in force."""
        if artifact.status.authoritative:
            return ()
        return artifact.successors or tuple(self._superseding(collection, artifact.id))

    def _superseding(self, collection: str, replaced: ArtifactId) -> Iterable[ArtifactId]:
        """Find the records that write `supersedes` about a record, among those that mention it."""
        query = Query(
            (SubQuery("lex", f'supersedes "{replaced.bare}"'),), (collection,), limit=_MENTIONS
        )
        found: dict[ArtifactId, None] = {}
        for path in dict.fromkeys(hit.path for hit in self.search(query)):
            artifact = self.artifact(collection, path)
            edges = artifact.edges if artifact else ()
            if artifact and any(_supersedes(edge, replaced) for edge in edges):
                found[artifact.id] = None
        return found


def _supersedes(edge: Edge, replaced: ArtifactId) -> bool:
    return edge.kind == "supersedes" and edge.target == replaced and edge.source != replaced


def file_label(path: str, title: str) -> RecordLabel:
    """Return the label of a page among records that is no record itself, such as a README."""
    stem = PurePosixPath(path).stem
    return RecordLabel(stem, title or stem, is_artifact=False)
