"""The code of a project, as plans and briefs look through it."""

# Governing: SPEC-0025 REQ "Existing code", SPEC-0026 REQ "Existing code first"

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sdd_hooks.changes.tree import Tree
from sdd_hooks.code.paths import is_production_code
from sdd_hooks.engines.protocol import Engine, Hit, Query
from sdd_hooks.planning.requirement_code import CodeBase
from sdd_hooks.project.collections import Collection, CollectionMap
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.questions import kind_query
from sdd_hooks.retrieval.scores import least_score, show_scores
from sdd_hooks.retrieval.search import search_sections
from sdd_hooks.review.references.words.code_words import read_code_words
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.system.git import nul_split
from sdd_hooks.text.decoding import decode

MAX_FILE, MAX_HITS = 400_000, 8
"""Bytes of a file that is read, and documents of one search."""


def read_code_base(project: Project, engine: Engine, module: str | None = None) -> CodeBase:
    """The production code of the work tree in the collections of a module (None: of all)."""
    collections = project.select(("code",), module)
    repository, names = project.repository, indexed_names(engine, collections)

    @lru_cache(maxsize=512)
    def read(path: str) -> str:
        try:
            return decode(read_inside(repository.root, path, MAX_FILE))
        except (FileNotFoundError, FileTooLarge, PathRefused):
            return ""

    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    files = nul_split(repository.git.output(*listing))
    within = CollectionMap(collections)
    code = frozenset(one for one in filter(is_production_code, files) if within.containing(one))
    words = read_code_words(repository, Tree(repository.git))
    return CodeBase(code, lambda text: search_kind(engine, "code", names, text, 0.0), read, words)


def indexed_names(engine: Engine, collections: Sequence[Collection]) -> tuple[str, ...]:
    """The names of the collections that are indexed."""
    known = engine.bookmarks()
    return tuple(one.name for one in collections if one.name in known)


def search_kind(
    engine: Engine, kind: str, names: tuple[str, ...], text: str, min_score: float
) -> Sequence[Hit]:
    """The hits in collections of one kind, with the scores to show."""
    if not names:
        return ()
    searches, intent = kind_query(kind, text)
    query = Query(searches, names, intent, MAX_HITS, least_score(kind, min_score), snippets=0)
    return show_scores(kind, search_sections(engine, query).hits, min_score)
