"""Searches of a project: the collections, the hits, the notes and the errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import NotIndexed
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, search
from tests.support.repos import Repo

ADR = "# ADR-0001: Use JWT\n\n## Decision Outcome\n\nTokens are signed with RS256.\n"


@pytest.fixture
def project(repo: Repo) -> Project:
    repo.commit("Start", {".gitignore": ".sdd/\n", "docs/adrs/ADR-0001-jwt.md": ADR})
    repo.commit("Code", {"src/token.py": "def sign_token():\n    ...\n"})
    return repo.project()


@pytest.fixture
def engine(project: Project) -> Iterator[Engine]:
    refresh(project, collections=project.select(("adrs", "specs")))
    opened = open_engine(project)
    yield opened
    opened.close()


def test_collections_that_are_not_indexed_are_left_out(project: Project, engine: Engine) -> None:
    result = search(project, engine, "sign token", project.collections)
    assert [hit.id for hit in result.hits] == ["docs/adrs/ADR-0001-jwt.md#decision-outcome"]


def test_missing_vectors_are_reported_in_one_note(project: Project, engine: Engine) -> None:
    result = search(project, engine, "sign token", project.collections)
    assert result.notes == (
        "2 chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs",
    )


def test_collections_without_an_index_are_an_error(project: Project, engine: Engine) -> None:
    with pytest.raises(NotIndexed, match=r"^No collections found for repo\."):
        search(project, engine, "token", project.select(("code",)))


def test_a_document_has_one_hit_with_its_best_section(project: Project, engine: Engine) -> None:
    result = search(project, engine, "jwt token", project.collections, HitLimits(min_score=0))
    assert [hit.id for hit in result.hits] == ["docs/adrs/ADR-0001-jwt.md#decision-outcome"]


def test_weak_hits_are_left_out(project: Project, engine: Engine) -> None:
    question = "tokens on kubernetes clusters behind load balancers"
    assert search(project, engine, question, project.collections).hits == ()
    assert search(project, engine, question, project.collections, HitLimits(min_score=0)).hits
