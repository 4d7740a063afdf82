"""States of the work tree that git does not report as a change, or reports only once."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.schema import INDEX
from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.index_changes import ScanScope, has_sparse_rules, local_rules, start_scan
from sdd_hooks.freshness.refresh import RefreshOptions, RefreshResult, refresh
from tests.support.file_clock import wait_for_file_clock
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo

ONE = "docs/adrs/ADR-0001-one.md"
TWO = "docs/adrs/ADR-0002-two.md"


def record(number: int, word: str = "lakes") -> str:
    return f"# ADR-{number:04d}: Number {number}\n\n## Decision\n\nWe chose {word}.\n"


@pytest.fixture
def adrs(repo: Repo) -> Repo:
    repo.commit("Start", {".gitignore": ".sdd/\n", ONE: record(1), TWO: record(2)})
    project = repo.project()
    refresh(project, collections=project.collections)
    return repo


def follow(repo: Repo, scope: ScanScope = "all") -> RefreshResult:
    """Refresh as after an event, and compare with an index from scratch."""
    wait_for_file_clock()
    done = refresh(repo.project(), options=RefreshOptions(scan=scope))
    assert_index_matches_scratch(repo)
    return done


def test_a_file_that_another_branch_ignores_leaves_the_index(adrs: Repo) -> None:
    adrs.git("checkout", "-q", "-b", "strict")
    adrs.commit("Ignore", {".gitignore": ".sdd/\n*-draft.md\n"})
    adrs.git("checkout", "-q", "main")
    adrs.write("docs/adrs/ADR-0003-draft.md", record(3))
    follow(adrs)
    assert "docs/adrs/ADR-0003-draft.md" in documents(adrs)
    adrs.git("checkout", "-q", "strict")
    follow(adrs)
    assert "docs/adrs/ADR-0003-draft.md" not in documents(adrs)


@pytest.mark.parametrize("scope", ["committed", "tracked", "all"])
def test_a_file_that_is_no_longer_ignored_enters_the_index(adrs: Repo, scope: ScanScope) -> None:
    adrs.commit("Ignore", {".gitignore": ".sdd/\n*-draft.md\n"})
    adrs.write("docs/adrs/ADR-0003-draft.md", record(3))
    follow(adrs)
    adrs.write(".gitignore", ".sdd/\n")
    adrs.git("commit", "-qam", "Ignore less")
    follow(adrs, scope)
    assert "docs/adrs/ADR-0003-draft.md" in documents(adrs)


@pytest.mark.parametrize("scope", ["committed", "tracked", "all"])
def test_a_file_that_git_forgets_and_ignores_leaves_the_index(adrs: Repo, scope: ScanScope) -> None:
    adrs.git("rm", "-q", "--cached", TWO)
    adrs.write(".gitignore", f".sdd/\n{TWO}\n")
    adrs.git("commit", "-qam", "Forget")
    follow(adrs, scope)
    assert documents(adrs) == [ONE]


def test_a_file_that_git_forgets_uncommitted_leaves_the_index(adrs: Repo) -> None:
    adrs.git("rm", "-q", "--cached", TWO)
    adrs.write(".gitignore", f".sdd/\n{TWO}\n")
    follow(adrs)
    assert documents(adrs) == [ONE]


def test_a_sparse_checkout_is_followed_on_and_off(adrs: Repo) -> None:
    adrs.commit("More", {"docs/openspec/specs/a/spec.md": "# A\n\nText.\n"})
    project = adrs.project()
    refresh(project, collections=project.collections)
    adrs.git("sparse-checkout", "set", "docs/openspec")
    follow(adrs)
    assert documents(adrs) == ["docs/openspec/specs/a/spec.md"]
    adrs.git("sparse-checkout", "disable")
    follow(adrs, "tracked")
    assert ONE in documents(adrs)
    assert follow(adrs).total.changed == 0


@pytest.mark.parametrize("scope", ["tracked", "all"])
@pytest.mark.parametrize(
    "rules", [("docs/openspec",), ("--no-cone", "/docs/", "!/docs/adrs/")], ids=["cone", "patterns"]
)
def test_a_file_outside_the_rules_of_a_sparse_checkout_is_followed(
    adrs: Repo, rules: tuple[str, ...], scope: ScanScope
) -> None:
    adrs.git("sparse-checkout", "set", *rules)
    follow(adrs)
    adrs.git("update-index", "--no-skip-worktree", ONE)
    adrs.git("checkout", "-q", "--", ONE)
    follow(adrs, scope)
    assert documents(adrs) == [ONE]
    adrs.git("sparse-checkout", "reapply")
    follow(adrs, scope)
    assert documents(adrs) == []


@pytest.mark.parametrize("command", [("disable",), ("set", "docs/openspec")])
def test_a_sparse_checkout_is_on_between_set_and_disable(
    adrs: Repo, command: tuple[str, ...]
) -> None:
    git = adrs.project().repository.git
    assert not has_sparse_rules(git)
    adrs.git("sparse-checkout", "set", "docs")
    adrs.git("sparse-checkout", *command)
    assert has_sparse_rules(git) == (command[0] == "set")


def test_a_sparse_checkout_of_a_linked_work_tree_is_followed(adrs: Repo, tmp_path: Path) -> None:
    linked = adrs.worktree(tmp_path / "linked", "side")
    project = linked.project()
    refresh(project, collections=project.collections)
    linked.git("sparse-checkout", "set", "nothing")
    follow(linked)
    assert documents(linked) == []


@pytest.mark.parametrize("scope", ["tracked", "all"])
def test_patterns_of_info_exclude_are_followed(adrs: Repo, scope: ScanScope) -> None:
    three = adrs.write("docs/adrs/ADR-0003-three.md", record(3))
    path = three.relative_to(adrs.root).as_posix()
    follow(adrs)
    assert path in documents(adrs)
    exclude = adrs.root / ".git/info/exclude"
    exclude.write_text("# A comment\n\nADR-0003*\n")
    follow(adrs, scope)
    assert path not in documents(adrs)
    exclude.write_text("# Another comment\n")
    follow(adrs, scope)
    assert path in documents(adrs)


def test_a_linked_work_tree_follows_the_shared_patterns(adrs: Repo, tmp_path: Path) -> None:
    linked = adrs.worktree(tmp_path / "linked", "side")
    linked.write("docs/adrs/ADR-0003-three.md", record(3))
    project = linked.project()
    refresh(project, collections=project.collections)
    (adrs.root / ".git/info/exclude").write_text("ADR-0003*\n")
    follow(linked, "tracked")
    assert documents(linked) == [ONE, TWO]


def test_comments_in_info_exclude_are_no_rules(adrs: Repo) -> None:
    exclude = adrs.root / ".git/info/exclude"
    exclude.write_text("# A comment\n\n")
    assert local_rules(adrs.root) == ""
    exclude.write_text("*.log\n")
    assert local_rules(adrs.root)


def test_a_directory_that_is_replaced_by_a_link_is_followed(adrs: Repo) -> None:
    (adrs.root / "docs/adrs").rename(adrs.root / "docs/records")
    adrs.link("docs/adrs", "records")
    follow(adrs)
    adrs.commit("Link")
    follow(adrs)
    assert ONE not in documents(adrs)


def test_other_line_ends_are_the_same_document(adrs: Repo) -> None:
    adrs.commit("Ends", {".gitattributes": "*.md text eol=crlf\n"})
    follow(adrs)
    adrs.remove(ONE)
    adrs.git("checkout", "--", ONE)
    assert b"\r\n" in (adrs.root / ONE).read_bytes()
    assert follow(adrs).total.changed == 0


def test_changed_attributes_compare_every_document(adrs: Repo) -> None:
    adrs.write(".gitattributes", "*.md working-tree-encoding=UTF-16\n")
    for name in (ONE, TWO):
        adrs.remove(name)
    adrs.git("checkout", "--", "docs")
    assert follow(adrs).total.updated == 2
    adrs.remove(".gitattributes")
    for name in (ONE, TWO):
        adrs.remove(name)
    adrs.git("checkout", "--", "docs")
    assert follow(adrs).total.updated == 2


def test_an_edit_during_a_refresh_that_is_taken_back_is_followed(adrs: Repo) -> None:
    adrs.commit("Change", {ONE: record(1, "rivers"), TWO: record(2, "rivers")})
    project = adrs.project()
    scan = start_scan(project.repository.git, "", "tracked")
    adrs.write(ONE, record(1, "oceans"))
    adrs.remove(TWO)
    refresh(project, options=RefreshOptions(scan=scan))
    scan.close()
    adrs.git("checkout", "--", ".")
    follow(adrs, "tracked")


def test_a_file_that_exists_during_a_refresh_only_is_followed(adrs: Repo) -> None:
    adrs.remove(TWO)
    adrs.git("commit", "-qam", "Remove")
    project = adrs.project()
    scan = start_scan(project.repository.git, "", "tracked")
    scan.changes((), {}, lambda _: ())
    adrs.write(TWO, record(2))
    refresh(project, options=RefreshOptions(scan=scan))
    scan.close()
    adrs.remove(TWO)
    follow(adrs, "tracked")


def test_a_renamed_repository_keeps_its_collections(adrs: Repo) -> None:
    adrs.root.rename(adrs.root.with_name("other"))
    moved = Repo(adrs.root.with_name("other"))
    follow(moved)
    assert documents(moved) == [ONE, TWO]
    engine = open_engine(moved.project())
    assert all(name.startswith("other-") for name in engine.bookmarks())
    engine.close()


def test_a_sample_finds_a_document_that_git_does_not_report(adrs: Repo) -> None:
    adrs.git("rm", "-q", TWO)
    follow(adrs)
    adrs.git("update-index", "--assume-unchanged", ONE)
    adrs.write(ONE, record(1, "hidden"))
    os.utime(adrs.root / ONE)
    adrs.write("docs/adrs/ADR-0003-three.md", record(3))
    done = follow(adrs)
    assert done.notes == (f"{ONE} was not indexed as it is: every document was compared",)


def test_a_full_refresh_compares_every_document(adrs: Repo) -> None:
    many = {f"docs/adrs/ADR-{number:04d}-x.md": record(number) for number in range(10, 200)}
    adrs.commit("Many", many)
    follow(adrs)
    adrs.git("update-index", "--assume-unchanged", ONE)
    adrs.write(ONE, record(1, "hidden"))
    assert follow(adrs, "full").total.updated == 1


def test_state_is_in_no_commit_and_no_stash_without_an_entry(repo: Repo) -> None:
    repo.commit("Start", {ONE: record(1)})
    project = repo.project()
    refresh(project, collections=project.collections)
    repo.write("untracked.txt")
    assert repo.git("status", "--porcelain") == "?? untracked.txt"
    repo.git("stash", "--include-untracked")
    assert documents(repo) == [ONE]


def test_rules_of_the_user_below_sdd_stay(repo: Repo) -> None:
    repo.commit("Start", {ONE: record(1), ".sdd/.gitignore": "/search/\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    assert repo.git("status", "--porcelain") == ""


def test_a_file_name_that_is_no_utf_8_is_indexed_and_followed(adrs: Repo) -> None:
    name = os.fsdecode(b"docs/adrs/ADR-0003-caf\xe9.md")
    for text in (record(3), record(3, "coffee")):
        adrs.write(name, text)
        assert follow(adrs).total.changed == 1
    adrs.commit("Add")
    follow(adrs, "tracked")
    engine = open_engine(adrs.project())
    assert [hit.path for hit in engine.search(Query((SubQuery("lex", "coffee"),))).hits] == [name]
    engine.close()
    adrs.git("mv", name, os.fsdecode(b"docs/adrs/ADR-0003-th\xe9.md"))
    assert follow(adrs).total.updated == 1
    adrs.git("rm", "-qrf", "docs")
    follow(adrs)
    assert documents(adrs) == []


def test_a_repository_whose_path_is_no_utf_8_is_indexed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.commit("Start", {ONE: record(1)})
    project = repo.project()
    refresh(project, collections=project.collections)
    repo.write(TWO, record(2))
    follow(repo)
    assert documents(repo) == [ONE, TWO]


def test_a_full_refresh_rebuilds_an_index_with_other_chunks(adrs: Repo) -> None:
    with closing(open_database(adrs.root / ".sdd/search/index.db", INDEX)) as planted:
        planted.execute("UPDATE chunks SET anchor = 'planted' WHERE id = 1")
    done = follow(adrs, "full")
    assert "its chunks are not those of the file); set aside as" in done.notes[0]


def test_a_damaged_issue_file_is_followed(repo: Repo) -> None:
    repo.commit("Start", {ONE: record(1)})
    issue = ".sdd/issues/7.md"
    repo.write(issue, "# Issue 7\n\nA question about harbours.\n")
    project = repo.project()
    refresh(project, collections=project.collections)
    for content in (b"\xff\x00damaged", b"", b"# Issue 7\n\nA question about lakes.\n"):
        repo.write(issue, content)
        follow(repo)
    repo.remove(issue)
    follow(repo)
    assert documents(repo) == [ONE]
