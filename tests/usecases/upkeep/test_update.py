"""Collections are removed from the index and from the state files of the hooks."""

from contextlib import closing

import pytest

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import StorageError
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.system.locks import hold_lock
from sdd_hooks.usecases.upkeep.update import remove_collections


@pytest.fixture
def project(repo):
    repo.commit("Start", {"docs/adrs/ADR-0001-x.md": "# ADR-0001: X\n"})
    project = repo.project()
    refresh(project, collections=project.collections)
    return project


def names(project):
    with closing(open_engine(project)) as engine:
        return set(engine.bookmarks())


def test_removed_collections_leave_the_state_files(project):
    state = project.repository.search_dir / "hook"
    assert ":(literal)docs/adrs" in state.read_text()
    remove_collections(project, ["repo-adrs"])
    assert names(project) == {"repo-specs", "repo-code", "repo-issues"}
    assert ":(literal)docs/adrs" not in state.read_text()
    remove_collections(project, sorted(names(project)))
    assert not state.exists()


def test_a_running_refresh_is_waited_for(project):
    with hold_lock(project.repository.search_dir / "lock", 0.0) as is_locked:
        assert is_locked
        with pytest.raises(StorageError, match="a refresh has been running for over 0 s"):
            remove_collections(project, ["repo-adrs"], wait=0.0)
    assert "repo-adrs" in names(project)
