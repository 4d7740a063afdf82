"""Decisions of other repositories in a job: the base of the change says which are fetched."""

from __future__ import annotations

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.review import review_pull
from sdd_hooks.action.tokens import client_factory
from tests.support.external import Handbook, declaring, memory_file
from tests.support.repos import Repo


def review(repo: Repo) -> CommandResult:
    """Review the branch that is checked out since `main`."""
    return review_pull(repo.project(), None, Inputs("review", base="main"), client_factory(""), {})


def test_a_job_fetches_what_the_base_declares(handbook: Handbook, repo: Repo) -> None:
    declaring(repo, handbook.line)
    repo.git("switch", "-q", "-c", "pull")
    repo.commit("Cite", {"a.py": "# Governing: acme/ADR-0009\n"})
    result = review(repo)
    assert result.notes == ()
    assert "acme/ADR-0009 does not exist: did you mean acme/ADR-0003" in result.summary


def test_a_job_fetches_nothing_that_only_the_change_declares(
    handbook: Handbook, repo: Repo
) -> None:
    declaring(repo)
    repo.git("switch", "-q", "-c", "pull")
    repo.commit("Declare", {"CLAUDE.md": memory_file(handbook.line)})
    review(repo)
    assert not list((repo.root / ".git/sdd").glob("records/*/*"))


def test_a_failed_fetch_is_a_note(handbook: Handbook, repo: Repo) -> None:
    line = f"- Architecture Decision Records are also in {handbook.address}/acme/gone"
    declaring(repo, line)
    repo.git("switch", "-q", "-c", "pull")
    repo.commit("Change", {"a.py": "a = 1\n"})
    result = review(repo)
    (note,) = result.notes
    assert note.startswith(f"the decisions of acme were not fetched: {handbook.address}/acme/gone")
    assert "not read: the decisions of acme" in result.summary
