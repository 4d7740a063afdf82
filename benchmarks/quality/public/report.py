"""The scores as tables, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.quality.public.questions import PublicProject
from benchmarks.quality.public.scoring import Links, best_links, count_links, ndcg
from benchmarks.report import aligned

AT = 20
"""Files for each text in LiSSA's experiments."""

MIN_SCORE = 0.3
"""The default minimum score of `sdd search`."""

LISSA_RETRIEVAL: Mapping[str, float] = {
    "mediastore": 0.096,
    "teastore": 0.340,
    "bigbluebutton": 0.191,
    "teammates": 0.040,
    "jabref": 0.028,
    "etour": 0.342,
    "itrust": 0.105,
    "smos": 0.366,
}
"""F1 of LiSSA's retrieval alone at 20 (text-embedding-3-large), from the results in its package."""

SEMBLE: Mapping[str, tuple[float, float]] = {
    "scala": (0.909, 0.922),
    "cpp": (0.915, 0.913),
    "ruby": (0.909, 0.909),
    "elixir": (0.894, 0.905),
    "javascript": (0.917, 0.903),
    "zig": (0.913, 0.901),
    "csharp": (0.885, 0.889),
    "go": (0.895, 0.884),
    "python": (0.867, 0.880),
    "php": (0.858, 0.874),
    "swift": (0.860, 0.873),
    "bash": (0.825, 0.852),
    "lua": (0.823, 0.847),
    "java": (0.849, 0.841),
    "kotlin": (0.821, 0.830),
    "rust": (0.856, 0.827),
    "c": (0.741, 0.806),
    "haskell": (0.765, 0.771),
    "typescript": (0.706, 0.708),
}
"""NDCG@10 of semble and of CodeRankEmbed Hybrid by language, from semble's page of benchmarks."""

_SEMBLE_ALL = (0.854, 0.862)

Found = Sequence[Sequence[tuple[str, float]]]
"""For each question the files with their scores, best first."""


@dataclass(frozen=True)
class Measured:
    """A project, and what each backend found."""

    project: PublicProject
    found: Mapping[str, Found]


def links_table(measured: Iterable[Measured]) -> str:
    """P, R, F1 and F2 of each project and backend: all of 20 files, and those from 0.3 up.

    The last row of a project is the best that 20 files for each question can be.
    """
    head = ("project", "asked by", "minimum score", "P", "R", "F1", "F2", "LiSSA's retrieval, F1")
    rows: list[tuple[str, ...]] = [head]
    for one in measured:
        name = one.project.name
        expected = [question.expected for question in one.project.questions]
        for backend, lists in one.found.items():
            for minimum in (0.0, MIN_SCORE):
                files = [[path for path, score in found if score >= minimum] for found in lists]
                links = count_links([found[:AT] for found in files], expected)
                published = LISSA_RETRIEVAL.get(name) if not minimum else None
                score = "" if published is None else f"{published:.3f}"
                rows.append((name, backend, f"{minimum:.1f}", *_link_scores(links), score))
        rows.append((name, "best possible", "0.0", *_link_scores(best_links(expected, AT)), ""))
    return aligned(rows)


def _link_scores(links: Links) -> Iterator[str]:
    scores = (links.precision, links.recall, links.f(1), links.f(2))
    return (f"{score:.3f}" for score in scores)


def ndcg_table(measured: Sequence[Measured]) -> str:
    """NDCG@10 of each language and backend, over its questions, beside the published ones."""
    backends = list(measured[0].found) if measured else []
    head = ("language", "repositories", "questions", *backends, "semble", "CodeRankEmbed Hybrid")
    rows: list[tuple[str, ...]] = [head]
    for language in sorted({one.project.group for one in measured}):
        of_language = [one for one in measured if one.project.group == language]
        rows.append(_ndcg_row(language, of_language, backends, SEMBLE.get(language)))
    rows.append(_ndcg_row("all", measured, backends, _SEMBLE_ALL))
    return aligned(rows)


def _ndcg_row(
    name: str,
    measured: Sequence[Measured],
    backends: Sequence[str],
    published: tuple[float, float] | None,
) -> tuple[str, ...]:
    scores = [
        fmean(
            ndcg([path for path, _ in found], question.expected)
            for one in measured
            for question, found in zip(one.project.questions, one.found[backend], strict=True)
        )
        for backend in backends
    ]
    questions = sum(len(one.project.questions) for one in measured)
    others = ("", "") if published is None else tuple(f"{score:.3f}" for score in published)
    numbers = (f"{score:.3f}" for score in scores)
    return (name, str(len(measured)), str(questions), *numbers, *others)
