"""What the decisions promise in their Confirmation, where it takes more than one module to show."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sdd_hooks.engines.protocol import EmbedReport, SearchResult
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.retrieval.search import HitLimits, search
from tests.support.models import make_model
from tests.support.repos import Repo
from tests.support.syntax import package_nodes

TOKENS = "# ADR-0001: Tokens\n\n## Decision Outcome\n\nEach user has a token.\n"
CACHES = "# ADR-0002: Caches\n\n## Decision Outcome\n\nA page is in the cache.\n"


@pytest.fixture
def repo(repo: Repo, tmp_path: Path) -> Repo:
    """Two decisions and a source file, indexed, with a model but without a vector."""
    folder = tmp_path / "model"
    folder.mkdir()
    make_model(folder)
    repo.commit(
        "Start",
        {
            ".gitignore": ".sdd/\n",
            "CLAUDE.md": f"## SDD Configuration\n\n- **Embed Model**: {folder}\n",
            "docs/adrs/ADR-0001-tokens.md": TOKENS,
            "docs/adrs/ADR-0002-caches.md": CACHES,
            "src/session.py": "def session(user):\n    return user\n",
        },
    )
    index(repo)
    return repo


def index(repo: Repo) -> None:
    project = repo.project()
    refresh(project, collections=project.select(("adrs", "code")))


def embed(repo: Repo) -> EmbedReport:
    engine = open_engine(repo.project())
    try:
        return engine.embed()
    finally:
        engine.close()


def find(repo: Repo, text: str, *kinds: str) -> SearchResult:
    project = repo.project()
    engine = open_engine(project)
    try:
        return search(project, engine, text, project.select(kinds), HitLimits(min_score=0))
    finally:
        engine.close()


def test_adr_0003_one_module_talks_to_git() -> None:
    starting = {}
    for path, nodes in package_nodes().items():
        calls = [
            node.func.attr
            for node in nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in {"subprocess", "os"}
            and node.func.attr.startswith(
                ("run", "Popen", "call", "check_", "exec", "spawn", "popen")
            )
        ]
        if calls:
            starting[path] = calls
    # The others start this program again, the programs of engines and trackers, and pip.
    assert set(starting) == {
        "action/installation.py",
        "system/git.py",
        "system/detached.py",
        "system/processes.py",
    }


def test_adr_0011_no_text_is_embedded_twice(repo: Repo, tmp_path: Path) -> None:
    first = embed(repo).embedded
    assert first > 0
    repo.git("mv", "docs/adrs/ADR-0001-tokens.md", "docs/adrs/ADR-0007-tokens.md")
    repo.commit("Rename")
    index(repo)
    assert embed(repo).embedded == 0

    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit("Change", {"docs/adrs/ADR-0002-caches.md": CACHES + "\nAnd a session.\n"})
    index(repo)
    assert embed(repo).embedded == 1
    repo.git("checkout", "-q", "main")
    index(repo)
    assert embed(repo).embedded == 0

    linked = repo.worktree(tmp_path / "linked", "third")
    index(linked)
    assert embed(linked).embedded == 0


def test_adr_0011_equal_texts_are_one_vector(repo: Repo) -> None:
    embed(repo)
    repo.commit("Copy", {f"docs/adrs/ADR-000{n}-x.md": TOKENS + "\nMore.\n" for n in (3, 4, 5)})
    index(repo)
    assert embed(repo).embedded == 1


def test_adr_0013_hybrid_search_waits_for_all_vectors(repo: Repo) -> None:
    assert all(hit.cosine is None for hit in find(repo, "token").hits)
    embed(repo)
    whole = find(repo, "token")
    assert whole.pending == 0
    assert any(hit.cosine is not None for hit in whole.hits)

    repo.commit("One more", {"src/page.py": "def page(cache):\n    return cache\n"})
    index(repo)
    waiting = find(repo, "token")
    assert waiting.pending == 1
    assert all(hit.cosine is None for hit in waiting.hits)
    assert waiting.notes == (
        "1 chunks unembedded — vector/hybrid search disabled until `sdd index embed` runs",
    )
    elsewhere = find(repo, "token", "adrs")
    assert elsewhere.pending == 0
    assert any(hit.cosine is not None for hit in elsewhere.hits)

    embed(repo)
    assert any(hit.cosine is not None for hit in find(repo, "token").hits)
