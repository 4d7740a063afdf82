"""An engine of another distribution, found through its entry point.

Its index is a file in the folder that `ABACUS_SERVER` names, as if on a server, else below
`.sdd/search`.
"""

from __future__ import annotations

from pathlib import Path

CHOICE = "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n"

ENGINE = '''
import json
from pathlib import Path

from sdd_hooks.engines.protocol import (
    CollectionStatus,
    Counts,
    Coverage,
    EngineBackend,
    Hit,
    IndexStatus,
    SearchResult,
)


def folder(project):
    server = project.environ.get("ABACUS_SERVER")
    return Path(server) if server else project.repository.search_dir


class Backend(EngineBackend):
    def open(self, project, *, repair=False):
        folder(project).mkdir(parents=True, exist_ok=True)
        with (folder(project) / "opened").open("a") as log:
            log.write("refresh\\n" if repair else "read\\n")
        return Abacus(project)

    def is_indexed(self, project):
        return folder(project).is_dir()


class Abacus:
    """Finds documents that contain every word of the query, and records when it is opened."""

    name = "abacus"
    rebuilt = False

    def __init__(self, project):
        self.notes = []
        self.root = project.repository.root
        self.file = folder(project) / "abacus.json"
        self.held = json.loads(self.file.read_text()) if self.file.exists() else {}

    def ensure(self, collections):
        for one in collections:
            self.held.setdefault(one.name, {})

    def bookmarks(self):
        return dict.fromkeys(self.held)

    def update(self, changes, progress=None):
        counts = {}
        for change in changes:
            texts = {path: (self.root / path).read_text() for path in change.paths}
            self.held[change.collection.name] = texts
            counts[change.collection.name] = Counts(added=len(texts))
        self.file.write_text(json.dumps(self.held))
        return counts

    def touched(self):
        return self.file.stat().st_mtime

    def coverage(self):
        return Coverage(True, 0)

    def status(self):
        collections = tuple(
            CollectionStatus(name, name.rpartition("-")[2], "", len(texts), None, None, None)
            for name, texts in self.held.items()
        )
        place = str(self.file.parent)
        return IndexStatus("abacus", collections, self.touched(), "beads", place, 0, 0)

    def search(self, query):
        words = query.searches[0].query.lower().split()
        found = [
            Hit(f"{path}#file", name, path, 1, 1, path, "", 1.0, None, text.split(chr(10))[0], "")
            for name in query.collections
            for path, text in self.held[name].items()
            if all(word in text.lower() for word in words)
        ]
        return SearchResult(tuple(found), 0)

    def remove(self, collections):
        pass

    def check(self):
        return []

    def close(self):
        pass


ENGINE = Backend()
'''


def install_abacus(folder: Path) -> dict[str, str]:
    """Put the distribution into `folder`. Returns the variables with which Python finds it."""
    (folder / "abacus-1.0.dist-info").mkdir(parents=True)
    (folder / "abacus.py").write_text(ENGINE)
    (folder / "abacus-1.0.dist-info/METADATA").write_text("Name: abacus\nVersion: 1.0\n")
    (folder / "abacus-1.0.dist-info/entry_points.txt").write_text(
        "[sdd_hooks.engines]\nabacus = abacus:ENGINE\n"
    )
    return {"PYTHONPATH": str(folder)}
