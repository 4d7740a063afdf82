"""Decisions of other repositories: who may name them, when they are fetched, and the index."""

from __future__ import annotations

import io
import os
from contextlib import closing, nullcontext

from sdd_hooks.engines.protocol import Query, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.external.snapshots import read_snapshot
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import run_hook
from sdd_hooks.retrieval.search_by_kind import search_by_kind
from sdd_hooks.usecases.reading.show import ShowRequest, show
from sdd_hooks.usecases.upkeep.external_records import (
    CHECK_INTERVAL,
    fetch_external_records,
    fetch_in_background,
    start_external_fetch,
)
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks
from sdd_hooks.usecases.upkeep.update import UpdateScope, update_index
from tests.support.external import NOW, Handbook, declaring, memory_file, record
from tests.support.git_server import publish
from tests.support.repos import Repo
from tests.support.waiting import until


def clock() -> float:
    return NOW


def is_fetched(repo: Repo) -> bool:
    project = repo.project()
    (source,) = project.external.sources
    return read_snapshot(project.repository, source) is not None


def test_what_the_default_branch_declares_is_fetched(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    assert fetch_external_records(repo.project(), clock) == ()
    assert is_fetched(repo)


def test_what_a_branch_declares_is_not_fetched(handbook: Handbook, repo: Repo) -> None:
    declaring(repo)
    repo.git("switch", "-q", "-c", "pull")
    repo.commit("Declare", {"CLAUDE.md": memory_file(handbook.line)})
    expected = (f"{handbook.url} is not fetched: the default branch does not declare it yet",)
    assert fetch_external_records(repo.project(), clock) == expected
    assert not fetch_in_background(repo.repository, clock)
    # The action uses the base of the pull request.
    assert fetch_external_records(repo.project(), clock, base="main") == ()
    assert not is_fetched(repo)
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "pull")
    assert fetch_external_records(repo.project(), clock) == ()
    assert is_fetched(repo)


def test_a_failure_is_a_line_and_names_no_login(handbook: Handbook, repo: Repo) -> None:
    line = f"- Architecture Decision Records are also in {handbook.address}/acme/gone"
    declaring(repo, line, handbook.line)
    (problem,) = fetch_external_records(repo.project(), clock)
    assert problem.startswith("the decisions of acme/gone were not fetched: git://")


def test_what_was_fetched_for_a_line_that_is_gone_is_deleted(
    handbook: Handbook, repo: Repo
) -> None:
    publish(handbook.repo, handbook.base, "acme/other")
    kept = f"- Architecture Decision Records are also in {handbook.address}/acme/other"
    declaring(repo, handbook.line, kept)
    assert fetch_external_records(repo.project(), clock) == ()
    records = repo.root / ".git/sdd/records"
    assert len(list(records.glob("?" * 20))) == 2
    (repo.root / "elsewhere").mkdir()
    (records / ("a" * 20)).symlink_to(repo.root / "elsewhere")

    repo.commit("Remove a line", {"CLAUDE.md": memory_file(kept)})
    assert fetch_external_records(repo.project(), lambda: NOW + 80_000) == ()
    assert len(list(records.glob("?" * 20))) == 3, "another work tree may declare it"
    # A branch has removed the line, the default branch has not.
    repo.git("switch", "-q", "-c", "other")
    repo.commit("Remove the other", {"CLAUDE.md": memory_file()})
    assert fetch_external_records(repo.project(), lambda: NOW + 90_000) == ()
    assert len(list(records.glob("?" * 20))) == 2
    repo.git("branch", "-f", "main", "other")
    (records / ("a" * 20)).unlink()
    assert fetch_external_records(repo.project(), lambda: NOW + 200_000) == ()
    assert not records.exists(), "the hook after a merge starts nothing"
    assert (repo.root / "elsewhere").is_dir()


def test_an_update_of_the_index_fetches_and_a_search_finds(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    project = repo.project()
    (name,) = (one.name for one in project.collections if one.kind == "external")
    assert name == "repo-external-acme"
    scope = UpdateScope(project.select(("adrs",)))

    def update() -> dict[str, int]:
        done = update_index(project, scope, clock, lambda: nullcontext(SyncCallbacks(print)))
        assert not done.warnings
        return {key: count.changed for key, count in done.refresh.counts.items()}

    assert update() == {"repo-adrs": 1, name: 3}
    assert update() == {"repo-adrs": 0, name: 0}
    handbook.publish(
        {
            "docs/adr/0001-use-kafka.md": record("ADR-0001: Use NATS", "We publish to NATS."),
            "docs/adr/0004-new.md": record("ADR-0004: Zstandard", "We compress with zstandard."),
        }
    )
    handbook.repo.remove("docs/adr/0002-use-rabbit.md")
    handbook.publish({})
    assert update() == {"repo-adrs": 0, name: 3}
    with closing(open_engine(project)) as engine:
        (hit,) = engine.search(Query((SubQuery("lex", "zstandard"),))).hits[:1]
        paths = [document.path for document in engine.documents(name)]
    assert (hit.collection, hit.path) == (name, "acme:docs/adr/0004-new.md")
    assert handbook.url in hit.context
    assert paths == [
        "acme:docs/adr/0001-use-kafka.md",
        "acme:docs/adr/0003-encrypt-backups.md",
        "acme:docs/adr/0004-new.md",
    ]
    # Every kind of refresh keeps them, and one after the line is gone removes them.
    assert refresh(project).counts[name].changed == 0
    repo.commit("Remove", {"CLAUDE.md": memory_file()})
    refresh(repo.project())
    with closing(open_engine(repo.project())) as engine:
        assert set(engine.bookmarks()) == {"repo-adrs"}


def test_a_search_and_a_view_say_where_a_decision_is_from(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    project = repo.project()
    assert fetch_external_records(project, clock) == ()
    refresh(project, project.select(("adrs",)))
    with closing(open_engine(project)) as engine:
        report = search_by_kind(project, engine, "kafka events", project.select(("adrs",)))
    labels = [hit.record.id for group in report.groups for hit in group.hits if hit.record]
    assert labels[0] == "acme/ADR-0001"
    for name in ("acme/ADR-0002", "acme/handbook/ADR-0002", "acme:docs/adr/0002-use-rabbit.md"):
        shown = show(project, ShowRequest(name, None, repo.root), NOW)
        assert shown.record is not None
        assert str(shown.record.id) == "acme/ADR-0002"
        assert "RabbitMQ" in shown.part.text
        assert shown.label is not None
        assert shown.label.replaced_by == ("acme/ADR-0001",)
    own = show(project, ShowRequest("ADR-0001", None, repo.root), NOW)
    assert own.record is not None
    assert str(own.record.id) == "ADR-0001"


def test_a_fetch_in_the_background_is_due_after_an_interval(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    assert fetch_in_background(repo.repository, clock)
    assert not fetch_in_background(repo.repository, clock)
    project = repo.project()
    assert not start_external_fetch(project, lambda: NOW + CHECK_INTERVAL - 1)


def test_the_hook_after_a_merge_fetches_in_the_background(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    context = HookContext(repo.root, os.environ, io.StringIO())
    # Without anything fetched before, the hook leaves the repository alone.
    assert run_hook("post-merge", ["0"], context, clock) == 0
    assert not is_fetched(repo)
    (repo.root / ".git/sdd/records").mkdir(parents=True)
    assert run_hook("post-merge", ["0"], context, clock) == 0
    until(lambda: is_fetched(repo))


def test_a_repository_without_such_a_line_is_left_alone(repo: Repo) -> None:
    declaring(repo)
    assert fetch_external_records(repo.project(), clock) == ()
    assert not start_external_fetch(repo.project(), clock)
    assert not (repo.root / ".git/sdd/records").exists()
