"""An engine: its index is a JSON file, as if on a server where `ABACUS_SERVER` names a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks.api import (
    Bookmark,
    Collection,
    CollectionChanges,
    CollectionStatus,
    Counts,
    Coverage,
    EmbedReport,
    Engine,
    EngineBackend,
    Hit,
    IndexedDocument,
    IndexStatus,
    Progress,
    Project,
    Query,
    SearchResult,
)


def index_folder(project: Project) -> Path:
    """The folder of the index."""
    server = project.environ.get("ABACUS_SERVER")
    return Path(server) if server else project.repository.search_dir


class Abacus:
    """Finds documents that contain every word of a query, and records when it is opened."""

    name = "abacus"
    rebuilt = False

    def __init__(self, project: Project) -> None:
        self.notes: list[str] = []
        self._root = project.repository.root
        self._file = index_folder(project) / "abacus.json"
        text = self._file.read_text() if self._file.exists() else "{}"
        self._texts: dict[str, dict[str, str]] = json.loads(text)

    def ensure(self, collections: Sequence[Collection]) -> None:
        """Create the collections that are missing."""
        for collection in collections:
            self._texts.setdefault(collection.name, {})

    def bookmarks(self) -> Mapping[str, Bookmark | None]:
        """Remember no state: every refresh passes all documents."""
        return dict.fromkeys(self._texts)

    def update(
        self,
        changes: Sequence[CollectionChanges],
        progress: Progress | None = None,
    ) -> Mapping[str, Counts]:
        """Store the text of every document."""
        counts = {}
        for change in changes:
            texts = {path: (self._root / path).read_text() for path in change.paths}
            self._texts[change.collection.name] = texts
            counts[change.collection.name] = Counts(added=len(texts))
        self._write()
        return counts

    def embed(
        self,
        collections: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> EmbedReport:
        """Do nothing: this engine searches by words."""
        return EmbedReport(0, 0, 0.0, "beads", "cpu")

    def search(self, query: Query) -> SearchResult:
        """Return every document with all words of the first sub-query."""
        words = query.searches[0].query.lower().split()
        hits = tuple(
            Hit(f"{path}#file", name, path, 1, 1, path, "", 1.0, None, text.split("\n")[0], "")
            for name in query.collections
            for path, text in self._texts[name].items()
            if all(word in text.lower() for word in words)
        )
        return SearchResult(hits, 0)

    def documents(self, collection: str) -> Sequence[IndexedDocument]:
        """Return every document, by path."""
        return [
            IndexedDocument(f"{path}#file", collection, path, path, "", 1)
            for path in sorted(self._texts[collection])
        ]

    def touched(self) -> float | None:
        """Return when the file was written."""
        return self._file.stat().st_mtime

    def coverage(self) -> Coverage:
        """Report that no vector is missing."""
        return Coverage(True, 0)

    def device(self) -> str:
        """Return where the engine runs."""
        return "cpu"

    def status(self) -> IndexStatus:
        """Return the counts of each collection."""
        collections = tuple(
            CollectionStatus(name, name.rpartition("-")[2], "", len(texts), None, None, None)
            for name, texts in self._texts.items()
        )
        location = str(self._file.parent)
        return IndexStatus("abacus", collections, self.touched(), "beads", location, 0, 0)

    def remove(self, collections: Sequence[str]) -> None:
        """Remove these collections."""
        for name in collections:
            self._texts.pop(name, None)
        self._write()

    def reset(self, reason: str) -> None:
        """Start an empty index."""
        self.notes.append(reason)
        self._texts = {}

    def check(self) -> list[str]:
        """Find no fault."""
        return []

    def close(self) -> None:
        """Hold nothing open."""

    def _write(self) -> None:
        self._file.write_text(json.dumps(self._texts))


class AbacusBackend(EngineBackend):
    """The engine before its index is open."""

    def open(self, project: Project, *, repair: bool = False) -> Engine:
        """Open the index, and record whether for a refresh or to read."""
        folder = index_folder(project)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "opened").open("a") as log:
            log.write("refresh\n" if repair else "read\n")
        return Abacus(project)

    def is_indexed(self, project: Project) -> bool:
        """Whether the folder exists."""
        return index_folder(project).is_dir()


ENGINE = AbacusBackend()
