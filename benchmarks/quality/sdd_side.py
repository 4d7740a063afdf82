"""sdd scores itself: `python -m benchmarks.quality.sdd_side ROOT FIXTURE NAME…`.

ROOT is a repository whose configuration names engine and model, and which declares the fixture's
collection. It is indexed and, for what needs vectors, embedded; then it is asked in this process,
through the library. The answer is JSON on stdout: for each backend and question the files.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.quality import fixtures
from benchmarks.quality.scoring import CUT
from sdd_hooks.engines.protocol import Engine, SubQuery
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.retrieval.search import HitLimits, search_typed

BACKENDS = ("words", "meaning", "hybrid")


def searches(question: fixtures.Question, backend: str) -> tuple[SubQuery, ...]:
    """The sub-queries of a question for one backend."""
    lex, vec = SubQuery("lex", question.words), SubQuery("vec", question.meaning)
    return {"words": (lex,), "meaning": (vec,), "hybrid": (lex, vec)}[backend]


def found(
    project: Project,
    engine: Engine,
    collections: Sequence[Collection],
    question: fixtures.Question,
    backend: str,
) -> list[str]:
    """The files that sdd finds, best first, at most as many as qmd returns."""
    limits = HitLimits(max(question.k, CUT), min_score=0)
    result = search_typed(project, engine, searches(question, backend), collections, limits)
    return [hit.path for hit in result.hits]


def main(arguments: Sequence[str]) -> int:
    """Print the files that each backend finds for each question. Returns 0."""
    backends = arguments[2:]
    project = load_project(Path(arguments[0]), os.environ)
    fixture = fixtures.read(Path(arguments[1]).read_text(encoding="utf-8"))
    collections = [
        collection for collection in project.collections if collection.name == fixture.name
    ]
    refresh(project, collections=collections)
    engine = open_engine(project)
    try:
        if set(backends) != {"words"}:
            _embed(engine)
        lists = {
            backend: {
                question.id: found(project, engine, collections, question, backend)
                for question in fixture.questions
            }
            for backend in backends
        }
    finally:
        engine.close()
    json.dump(lists, sys.stdout)
    return 0


def _embed(engine: Engine) -> None:
    report = engine.embed()
    if report.remaining:
        raise SystemExit(f"{report.remaining} chunks could not be embedded: {report.notes}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
