"""A refresh updates the index to the work tree, and counts what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, NotIndexed, StorageError
from sdd_hooks.freshness.hook_state import declared_later
from sdd_hooks.freshness.index_changes import ScanScope, commit_scope
from sdd_hooks.freshness.refresh import RefreshOptions, RefreshResult, refresh
from sdd_hooks.system.locks import hold_lock
from tests.support.file_clock import wait_for_file_clock
from tests.support.repos import Repo

ONE = "# ADR-0001: Use SQLite\n\n## Decision Outcome\n\nWe keep sessions in SQLite.\n"
TWO = "# ADR-0002: Use Redis\n\n## Decision Outcome\n\nWe cache in Redis.\n"


def create_index(repo: Repo, *kinds: str) -> RefreshResult:
    project = repo.project()
    return refresh(project, collections=project.select(kinds))


def update(repo: Repo, scan: ScanScope = "all") -> Counts:
    wait_for_file_clock()
    return refresh(repo.project(), options=RefreshOptions(scan=scan)).total


def indexed(repo: Repo) -> dict[str, list[str]]:
    """The title of every indexed document, by path."""
    engine = open_engine(repo.project())
    try:
        return {
            document.path: [document.title]
            for name in engine.bookmarks()
            for document in engine.documents(name)
        }
    finally:
        engine.close()


@pytest.fixture
def adrs(repo: Repo) -> Repo:
    start = {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-sqlite.md": ONE, "src/app.py": "x = 1\n"}
    repo.commit("Start", start)
    return repo


def test_a_refresh_creates_no_index(adrs: Repo) -> None:
    with pytest.raises(NotIndexed, match=r"^No collections found for repo\. Run `sdd index` first"):
        refresh(adrs.project())
    assert not (adrs.root / ".sdd").exists()


def test_added_changed_and_removed_files_of_commits_are_counted(adrs: Repo) -> None:
    create_index(adrs)
    adrs.commit("More", {"docs/adrs/ADR-0002-redis.md": TWO})
    assert update(adrs, "tracked") == Counts(added=1)
    adrs.commit("Edit", {"docs/adrs/ADR-0002-redis.md": TWO + "\nMore.\n"})
    assert update(adrs, "tracked") == Counts(updated=1)
    adrs.remove("docs/adrs/ADR-0002-redis.md")
    adrs.commit("Remove")
    assert update(adrs, "tracked") == Counts(removed=1)
    assert update(adrs, "tracked") == Counts()


def test_unchanged_documents_are_not_read_again(adrs: Repo) -> None:
    create_index(adrs)
    adrs.commit("More", {f"docs/adrs/ADR-{n:04d}-x.md": TWO for n in range(2, 30)})
    update(adrs)
    adrs.commit("Edit", {"docs/adrs/ADR-0009-x.md": TWO + "\nMore.\n"})
    assert update(adrs) == Counts(updated=1)


def test_an_uncommitted_edit_and_its_undoing_are_counted(adrs: Repo) -> None:
    create_index(adrs)
    adrs.write("docs/adrs/ADR-0001-sqlite.md", ONE.replace("SQLite", "Postgres"))
    assert update(adrs, "tracked") == Counts(updated=1)
    adrs.git("checkout", "--", ".")
    assert update(adrs, "tracked") == Counts(updated=1)
    assert update(adrs, "tracked") == Counts()


def test_the_scope_all_adds_untracked_files_and_the_scope_tracked_keeps_them(adrs: Repo) -> None:
    create_index(adrs)
    adrs.write("docs/adrs/ADR-0002-redis.md", TWO)
    assert update(adrs, "tracked") == Counts()
    assert update(adrs, "all") == Counts(added=1)
    assert update(adrs, "tracked") == Counts(unchanged=1)
    adrs.remove("docs/adrs/ADR-0002-redis.md")
    assert update(adrs, "tracked") == Counts(removed=1)


def test_a_rename_keeps_its_document(adrs: Repo) -> None:
    create_index(adrs)
    adrs.git("mv", "docs/adrs/ADR-0001-sqlite.md", "docs/adrs/ADR-0001-storage.md")
    adrs.commit("Rename")
    assert update(adrs, "tracked") == Counts(updated=1)
    assert "docs/adrs/ADR-0001-storage.md" in indexed(adrs)
    assert "docs/adrs/ADR-0001-sqlite.md" not in indexed(adrs)


def test_a_bookmark_that_git_lost_compares_every_file(adrs: Repo) -> None:
    create_index(adrs)
    adrs.commit("Gone", {"docs/adrs/ADR-0002-redis.md": TWO})
    update(adrs)
    adrs.git("reset", "--hard", "--quiet", "HEAD~1")
    adrs.git("reflog", "expire", "--expire=now", "--all")
    adrs.git("gc", "--prune=now", "--quiet")
    assert update(adrs, "tracked") == Counts(removed=1, unchanged=2)


def test_a_repository_without_a_commit_is_indexed(repo: Repo) -> None:
    repo.write("docs/adrs/ADR-0001-sqlite.md", ONE)
    assert create_index(repo, "adrs").total == Counts(added=1)
    repo.commit("Start")
    assert update(repo, "tracked") == Counts(unchanged=1)


def test_only_the_selected_kinds_are_created_and_updated(adrs: Repo) -> None:
    assert set(create_index(adrs, "adrs").counts) == {"repo-adrs"}
    adrs.commit("Code", {"src/app.py": "x = 2\n"})
    assert update(adrs) == Counts()


def test_a_collection_that_is_declared_later_is_indexed_by_the_next_refresh(adrs: Repo) -> None:
    create_index(adrs, "adrs")
    adrs.write("semantic-search.yml", "collections:\n  notes:\n    path: kb\n")
    adrs.write("kb/n.md", "# N\n")
    adrs.write("api/docs/adr/0001-a.md", "# 1. A\n")
    adrs.write(
        "AGENTS.md",
        "## Architecture Context\n\n### Workspace Modules\n\n|Module|Root|\n|-|-|\n|api|api|\n",
    )
    # A refresh of others does not take them for known.
    refresh(adrs.project(), adrs.project().select(["adrs"], ""))
    later = [one.name for one in declared_later(adrs.project(), {"repo-adrs"})]
    assert later == ["repo-api-adrs", "notes"]
    counts = refresh(adrs.project()).counts
    assert [counts[name].added for name in later] == [1, 1]
    assert declared_later(adrs.project(), {"repo-adrs", *later}) == []


def test_a_changed_definition_compares_every_file(adrs: Repo) -> None:
    create_index(adrs)
    adrs.git("mv", "docs/adrs", "docs/decisions")
    declared = "- Architecture Decision Records are in `docs/decisions/`\n"
    adrs.commit("Move", {"CLAUDE.md": f"## Architecture Context\n\n{declared}"})
    update(adrs)
    assert "docs/decisions/ADR-0001-sqlite.md" in indexed(adrs)
    assert "docs/adrs/ADR-0001-sqlite.md" not in indexed(adrs)


def test_a_submodule_is_compared_with_its_own_head(adrs: Repo, tmp_path: Path) -> None:
    library = Repo.init(tmp_path / "api")
    library.commit("Start", {"docs/adrs/ADR-0001-api.md": ONE})
    inside = adrs.submodule(library, "libs/api", "--name", "api")
    adrs.commit("Add")
    assert create_index(adrs).counts["repo-api-adrs"] == Counts(added=1)
    inside.commit("More", {"docs/adrs/ADR-0002-api.md": TWO})
    assert update(adrs, "tracked").added == 1


def test_a_damaged_index_is_set_aside_and_rebuilt(adrs: Repo) -> None:
    create_index(adrs)
    index = adrs.root / ".sdd/search/index.db"
    index.write_bytes(b"not a database " * 1000)
    for ending in ("-wal", "-shm"):
        Path(f"{index}{ending}").unlink(missing_ok=True)
    done = refresh(adrs.project(), options=RefreshOptions(scan="tracked"))
    assert done.total == Counts(added=2)
    assert "set aside as index.db.aside-1 and rebuilt" in done.notes[0]


def test_damage_found_during_the_update_rebuilds_the_index(adrs: Repo) -> None:
    adrs.commit("Many", {f"docs/adrs/ADR-{n:04d}-x.md": TWO * 20 for n in range(2, 60)})
    create_index(adrs)
    index = adrs.root / ".sdd/search/index.db"
    data = bytearray(index.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    index.write_bytes(data)
    done = refresh(adrs.project(), options=RefreshOptions(scan="full"))
    assert done.total.added == 60
    assert "set aside" in done.notes[0]


def test_a_refresh_that_meets_another_one_requests_a_second_run(adrs: Repo) -> None:
    create_index(adrs)
    adrs.commit("More", {"docs/adrs/ADR-0002-redis.md": TWO})
    search = adrs.root / ".sdd/search"
    with hold_lock(search / "lock", 0):
        assert not refresh(adrs.project(), options=RefreshOptions(wait=0)).ran
        assert (search / "again").exists()
        with pytest.raises(StorageError, match="another refresh"):
            refresh(adrs.project(), options=RefreshOptions(wait=0.05))
    assert update(adrs) == Counts(added=1)
    assert not (search / "again").exists()


def test_state_that_is_a_symlink_is_refused(adrs: Repo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (adrs.root / ".sdd").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="symbolic link"):
        create_index(adrs)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_behind_a_symlink_is_left_out_with_a_note(adrs: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    adrs.link("docs/adrs/ADR-0003-secret.md", tmp_path / "secret.md")
    adrs.commit("Link")
    done = create_index(adrs)
    assert any("ADR-0003-secret.md" in note for note in done.notes)
    assert "docs/adrs/ADR-0003-secret.md" not in indexed(adrs)


def test_binary_and_generated_files_are_left_out(adrs: Repo) -> None:
    adrs.commit(
        "Add",
        {
            "src/data.py": b"\x00\x01" * 100,
            "src/app.min.js": "var a=1\n",
            "node_modules/x/index.js": "var a=1\n",
            "src/big.py": b"x = 1\n" * 300_000,
        },
    )
    create_index(adrs)
    assert [path for path in indexed(adrs) if not path.startswith("docs/")] == ["src/app.py"]


def test_a_file_whose_name_is_not_text_is_left_out_with_a_note(adrs: Repo) -> None:
    adrs.commit("Odd", {"docs/adrs/ADR-0003-\x1b[31m.md": TWO})
    done = create_index(adrs, "adrs")
    assert done.total == Counts(added=1)
    assert [note.partition(":")[0] for note in done.notes] == [
        "'docs/adrs/ADR-0003-\\x1b[31m.md'",
    ]


def test_an_engine_that_cannot_run_creates_no_files(adrs: Repo) -> None:
    engine = "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n"
    adrs.commit("Choose", {"CLAUDE.md": engine})
    with pytest.raises(EngineUnavailable, match="no engine is called 'abacus'"):
        create_index(adrs)
    assert not (adrs.root / ".sdd").exists()


def test_the_scope_committed_compares_what_commits_changed(adrs: Repo) -> None:
    create_index(adrs)
    adrs.commit("More", {"docs/adrs/ADR-0002-redis.md": TWO, "docs/adrs/ADR-0003-x.md": TWO})
    adrs.write("docs/adrs/ADR-0001-sqlite.md", ONE + "\nNot committed.\n")
    adrs.write("docs/adrs/ADR-0003-x.md", TWO + "\nChanged since.\n")
    assert update(adrs, "committed") == Counts(added=2)
    adrs.git("checkout", "--", "docs/adrs/ADR-0003-x.md")
    assert update(adrs, "committed") == Counts(updated=1)
    assert update(adrs, "committed") == Counts()
    assert update(adrs, "tracked") == Counts(updated=1)


def test_the_scope_committed_compares_what_was_dirty(adrs: Repo) -> None:
    create_index(adrs)
    adrs.write("docs/adrs/ADR-0001-sqlite.md", ONE + "\nMore.\n")
    adrs.write("docs/adrs/ADR-0002-redis.md", TWO)
    assert update(adrs) == Counts(added=1, updated=1)
    assert update(adrs, "committed") == Counts(unchanged=2)
    adrs.git("checkout", "--", ".")
    adrs.remove("docs/adrs/ADR-0002-redis.md")
    assert update(adrs, "committed") == Counts(updated=1, removed=1)


def test_the_scope_after_a_commit_follows_the_size_of_gits_index(tmp_path: Path) -> None:
    assert commit_scope(tmp_path) == "tracked"
    with (tmp_path / "index").open("wb") as index:
        index.truncate(3_000_000)
        assert commit_scope(tmp_path) == "tracked"
        index.truncate(3_000_001)
        assert commit_scope(tmp_path) == "committed"


def test_the_scope_committed_compares_unusual_names(adrs: Repo) -> None:
    create_index(adrs)
    names = ["docs/adrs/ADR-0002 two.md", "docs/adrs/ADR-0003-é.md", "docs/adrs/ADR-0004-\r.md"]
    adrs.commit("More", dict.fromkeys(names, TWO))
    assert update(adrs, "committed") == Counts(added=2)
    adrs.remove(names[2])
    adrs.commit("Fewer", {names[0]: TWO + "\nMore.\n"})
    assert update(adrs, "committed") == Counts(updated=1)
    adrs.remove(names[0])
    adrs.commit("Line break", {"docs/adrs/ADR-0005-\n.md": TWO})
    assert update(adrs, "committed") == Counts(removed=1)
    assert update(adrs, "tracked") == Counts()
