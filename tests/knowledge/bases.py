"""Knowledge bases for tests."""

from __future__ import annotations

import os

from sdd_hooks.knowledge.entries import Lesson, ReusablePattern
from sdd_hooks.knowledge.store import load_index, write_entries
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, open_knowledge, writing
from tests.support.repos import Repo

LESSON = Lesson(
    "prisma-no-returning",
    ("prisma", "orm", "batch"),
    "implementing-api-endpoint",
    "Prisma createMany was expected to return created records, but it does not.",
    "Prisma createMany does not support returning. Use transaction + create instead.",
)
PATTERN = ReusablePattern(
    "auth-jwt-flow",
    "Standard JWT Auth Flow",
    ("auth", "jwt", "api"),
    "Stateless login for an API",
    "A short access token, and a refresh token that is rotated",
)


def base_of(repo: Repo) -> KnowledgeBase:
    """The knowledge base of a repository, with the environment of this process."""
    return open_knowledge(repo.root, os.environ)


def fill(repo: Repo, *entries: Lesson | ReusablePattern) -> KnowledgeBase:
    """Save entries without a triage."""
    base = base_of(repo)
    with writing(base) as now:
        known, _ = load_index(now.place)
        write_entries(now.place, known, entries)
    return base


def lesson(identifier: str, **fields: object) -> Lesson:
    """A lesson with this id."""
    return LESSON._replace(id=identifier, **fields)
