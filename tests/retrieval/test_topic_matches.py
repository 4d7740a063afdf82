"""The artifacts that match a topic, on the index of a repository."""

from __future__ import annotations

import pytest

from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.retrieval.topic_matches import TopicMatches, find_topic_matches
from tests.support.repos import Repo

FILES = {
    ".gitignore": ".sdd/\n",
    "docs/adrs/README.md": "# Index of tokens\n\nTokens tokens tokens.\n",
    "docs/adrs/template.md": "# Template\n",
    "docs/adrs/ADR-0001-a.md": "---\nstatus: superseded\n---\n# Tokens tokens\n\nTokens.\n",
    "docs/adrs/ADR-0002-b.md": "---\nsupersedes: [ADR-0001]\n---\n# Signed\n\nA token, once.\n",
    "docs/adrs/use-queues.md": "# Use queues\n\n## Status\n\nAccepted\n",
    "docs/adrs/ADR-0003-c.md": "# ADR-0003: Caches\n",
    "docs/openspec/specs/login/spec.md": "# SPEC-0004: Login\n\nA token.\n",
    "docs/openspec/specs/login/design.md": "# Login\n\nTokens in a cookie.\n",
    "docs/openspec/specs/mail/spec.md": "# SPEC-0005: Mail\n",
    "docs/openspec/specs/mail/design.md": "# Mail\n",
    "src/token.py": "def token():\n    ...\n",
}


def matches(repo: Repo, topic: str) -> TopicMatches:
    project = repo.project()
    engine = open_engine(project)
    try:
        return find_topic_matches(project, engine, topic, project.select(("adrs", "specs")))
    finally:
        engine.close()


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    project = repo.project()
    refresh(project, collections=project.collections)
    return repo


def test_a_record_comes_after_the_one_that_replaced_it(indexed: Repo) -> None:
    found = [match.artifact.name for match in matches(indexed, "tokens").found]
    assert set(found) == {"ADR-0001", "ADR-0002", "SPEC-0004"}
    assert found.index("ADR-0002") < found.index("ADR-0001")


def test_a_specification_is_one_match_with_both_files(indexed: Repo) -> None:
    (spec,) = [m for m in matches(indexed, "tokens").found if m.artifact.kind == "SPEC"]
    assert "A token." in spec.text
    assert "Tokens in a cookie." in spec.text


def test_the_others_are_artifacts_by_their_titles_in_the_index(indexed: Repo) -> None:
    others = matches(indexed, "tokens").others
    assert [(str(one.id or ""), one.title) for one in others] == [
        ("ADR-0003", "Caches"),
        ("use-queues", "Use queues"),
        ("SPEC-0005", "Mail"),
    ]


def test_a_file_that_is_gone_is_no_match(indexed: Repo) -> None:
    indexed.remove("docs/adrs/ADR-0002-b.md")
    assert "ADR-0002" not in [match.artifact.name for match in matches(indexed, "token").found]
