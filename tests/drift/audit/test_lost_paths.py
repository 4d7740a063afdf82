"""Files that a record names and that are gone."""

from __future__ import annotations

from sdd_hooks.drift.audit.rules import find_lost_paths
from tests.drift.audit.repositories import adr, audited
from tests.support.repos import Repo

NAMES = "Orders are in `src/old.py`, `src/gone.py`, `src/new.py` and `src/never.py`."


def test_a_file_that_a_commit_removed_or_renamed(repo: Repo) -> None:
    repo.commit("Start", {"src/old.py": "one\ntwo\nthree\n", "src/gone.py": "x = 1\n"})
    repo.git("mv", "src/old.py", "src/new.py")
    repo.git("rm", "-q", "src/gone.py")
    repo.commit("Move", {})
    commit = repo.git("rev-parse", "HEAD").strip()[:10]
    records = {
        "docs/adrs/ADR-0001-orders.md": adr(1, text=NAMES),
        "docs/adrs/ADR-0002-end.md": adr(2, text="We remove `src/gone.py`."),
        "docs/adrs/ADR-0003-old.md": adr(3, "deprecated", text=NAMES),
    }
    assert [
        (one.path, one.line, one.message) for one in find_lost_paths(audited(repo, records))
    ] == [
        (
            "docs/adrs/ADR-0001-orders.md",
            10,
            f"{path} no longer exists: {commit} {became}; say in the record what holds now",
        )
        for path, became in (
            ("src/old.py", "renamed it to src/new.py"),
            ("src/gone.py", "removed it"),
        )
    ]
