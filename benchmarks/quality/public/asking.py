"""Ask sdd the questions of a project, through the library, as `sdd search` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.quality.public.questions import Question
from sdd_hooks.engines.protocol import Engine
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import Project, load_project
from sdd_hooks.retrieval.search import HitLimits
from sdd_hooks.retrieval.search_by_kind import search_by_kind

WORDS, HYBRID = "words", "hybrid"


def ask(
    code: Path,
    questions: Sequence[Question],
    limit: int,
    model: str,
    environ: Mapping[str, str],
) -> dict[str, list[list[tuple[str, float]]]]:
    """Return the files that each backend finds for each question, best first, with their scores.

    Indexes the repository `code` first. With `model`, the folder of one, it is also embedded and
    asked by words and by meaning.
    """
    project = load_project(code, environ)
    refresh(project, collections=project.select(["code"]))
    found = {WORDS: _ask_all(with_model(project, "none"), questions, limit)}
    if model:
        embedded = with_model(project, model)
        embed(embedded)
        found[HYBRID] = _ask_all(embedded, questions, limit)
    return found


def with_model(project: Project, model: str) -> Project:
    """Return the project with another model, a folder or `none`."""
    search = project.configuration.search._replace(embed_model=model)
    return project._replace(configuration=project.configuration._replace(search=search))


def _ask_all(
    project: Project, questions: Sequence[Question], limit: int
) -> list[list[tuple[str, float]]]:
    engine = open_engine(project)
    try:
        return [_ask_one(project, engine, question.text, limit) for question in questions]
    finally:
        engine.close()


def _ask_one(project: Project, engine: Engine, text: str, limit: int) -> list[tuple[str, float]]:
    limits = HitLimits(limit, min_score=0)
    report = search_by_kind(project, engine, text, project.select(["code"]), limits)
    return [(one.hit.path, one.hit.score) for group in report.groups for one in group.hits]


def embed(project: Project) -> None:
    """Embed what is indexed. Raises SystemExit when a chunk cannot be embedded."""
    engine = open_engine(project)
    try:
        report = engine.embed()
    finally:
        engine.close()
    if report.remaining:
        raise SystemExit(f"{report.remaining} chunks could not be embedded: {report.notes}")
