"""An engine from outside: a distribution of its own, one entry point, no other file changed."""

from __future__ import annotations

from pathlib import Path

from tests.cli.commands import run
from tests.support.repos import Repo

ENGINE = '''
import json
from sdd_hooks.engines.protocol import CollectionStatus, Counts, Hit, SearchResult, Status


def open_engine(project, *, repair=False):
    return Abacus(project)


class Abacus:
    """Finds documents that hold every word of the query."""

    name = "abacus"
    rebuilt = False

    def __init__(self, project):
        self.notes = []
        self.root = project.repository.root
        self.file = project.repository.search_dir / "abacus.json"
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

    def close(self):
        pass
'''


def test_an_engine_from_outside_is_used_when_it_is_chosen(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "lib/abacus-1.0.dist-info").mkdir(parents=True)
    (tmp_path / "lib/abacus.py").write_text(ENGINE)
    (tmp_path / "lib/abacus-1.0.dist-info/METADATA").write_text("Name: abacus\nVersion: 1.0\n")
    (tmp_path / "lib/abacus-1.0.dist-info/entry_points.txt").write_text(
        "[sdd_hooks.engines]\nabacus = abacus:open_engine\n"
    )
    choice = "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n"
    record = "# ADR-0001: Count on beads\n\n## Decision\n\nBeads, not digits.\n"
    repo.commit("Start", {"CLAUDE.md": choice, "docs/adrs/ADR-0001-beads.md": record})

    def sdd(*args: str) -> str:
        done = run(repo.root, *args, env={"PYTHONPATH": str(tmp_path / "lib")})
        assert (done.code, done.err) == (0, "")
        return done.out

    assert "repo-adrs" in sdd("index", "update", "--kind", "adrs")
    assert "docs/adrs/ADR-0001-beads.md:1-1" in sdd("search", "beads")
    assert "No relevant" in sdd("search", "rods")
    assert not (repo.root / ".sdd/search/index.db").exists()
