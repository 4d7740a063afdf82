"""Both engines on the same questions with the same model, and the conclusion."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import finished
from benchmarks.quality import fixtures, qmd_side, sdd_side
from benchmarks.quality.corpora import CORPORA, copy_documents, make_repository
from benchmarks.quality.scoring import Scores, mean, score

MARGIN = 0.02
"""How much less than qmd's hybrid search sdd's may score, in nDCG@10 and in recall: decided before
the first measurement."""

SDD, ON_QMD, QMD = "sdd", "sdd, engine qmd", "qmd"

_KNOWN, _VERBATIM = "known words", "question"
_LABELS = {
    (_KNOWN, "words"): "words: those known",
    (_VERBATIM, "words"): "words: the question",
    (_VERBATIM, "meaning"): "meaning: the question",
    (_KNOWN, "hybrid"): "both: words known, and the question",
    (_VERBATIM, "hybrid"): "both: the question twice",
}
_SAMPLES = 10_000
_SEED = 3

Lists = Mapping[str, Mapping[str, Sequence[str]]]
"""For each backend and question the files that were found, best first."""


@dataclass(frozen=True)
class Row:
    """One line of the table: corpus, kind of query, side, and each question's scores."""

    corpus: str
    query: str
    side: str
    each: tuple[Scores, ...]

    @property
    def scores(self) -> Scores:
        """The mean over the questions."""
        return mean(self.each)


@dataclass(frozen=True)
class Verdict:
    """sdd's hybrid search against qmd's, on one corpus with one kind of query.

    `ndcg` and `recall` are differences, sdd's less qmd's; in 95 of 100 samples of the questions
    the one of nDCG is between `low` and `high`.
    """

    corpus: str
    query: str
    ndcg: float
    low: float
    high: float
    recall: float

    @property
    def reached(self) -> bool:
        """Whether neither is lower by more than MARGIN."""
        return min(self.ndcg, self.recall) >= -MARGIN


@dataclass(frozen=True)
class Sources:
    """The installed qmd, sdd's ONNX folder and qmd's GGUF ("" for a missing model)."""

    qmd: Path
    onnx: str
    gguf: str


def measure(
    directory: Path,
    sources: Sources,
    environ: Mapping[str, str],
    report: Callable[[str], None],
) -> list[Row]:
    """Ask every question of both sides; everything that is written is below `directory`.

    Raises:
        ProcessFailed: a side did not run to its end.
    """
    rows = []
    for name in CORPORA:
        known = fixtures.read((fixtures.DIRECTORY / f"{name}.json").read_text(encoding="utf-8"))
        queries = {_KNOWN: known, _VERBATIM: fixtures.verbatim(known)}
        for side, lists in _sides(directory / name, queries, sources, environ, report):
            rows += _rows(name, side, queries, lists)
    order = [*_LABELS.values()]
    return sorted(rows, key=lambda row: (list(CORPORA).index(row.corpus), order.index(row.query)))


def _sides(
    directory: Path,
    queries: Mapping[str, fixtures.Fixture],
    sources: Sources,
    environ: Mapping[str, str],
    report: Callable[[str], None],
) -> list[tuple[str, dict[str, Lists]]]:
    name = directory.name
    directory.mkdir(parents=True)
    files = {query: directory / f"{query}.json" for query in queries}
    for query, fixture in queries.items():
        files[query].write_text(fixtures.write(fixture), encoding="utf-8")
    plans = [
        (
            SDD,
            "embedded",
            sources.onnx,
            sdd_side.BACKENDS if sources.onnx else sdd_side.BACKENDS[:1],
        )
    ]
    if sources.gguf:
        plans.append((ON_QMD, "qmd", sources.gguf, sdd_side.BACKENDS[-1:]))
    results: list[tuple[str, dict[str, Lists]]] = []
    for side, engine, model, backends in plans:
        report(f"quality: {name}, {side}")
        root = directory / engine
        make_repository(name, root, engine=engine, model=model, environ=environ)
        results.append(
            (
                side,
                {
                    query: _search_with_sdd(root, files[query], backends, environ)
                    for query in queries
                },
            )
        )
    report(f"quality: {name}, {QMD}")
    corpus = directory / "corpus"
    copy_documents(name, corpus)
    qmd = qmd_side.Qmd(sources.qmd, corpus, directory / "home", sources.gguf)
    qmd.index(name)
    results.append((QMD, {query: qmd.bench(queries[query], files[query]) for query in queries}))
    return results


def _search_with_sdd(
    root: Path, fixture: Path, backends: Sequence[str], environ: Mapping[str, str]
) -> Lists:
    module = "benchmarks.quality.sdd_side"
    command = (sys.executable, "-m", module, str(root), str(fixture), *backends)
    lists: Lists = json.loads(finished(command, fixtures.DIRECTORY.parent.parent, environ))
    return lists


def _rows(
    corpus: str, side: str, queries: Mapping[str, fixtures.Fixture], lists: Mapping[str, Lists]
) -> list[Row]:
    rows = []
    for (query, backend), label in _LABELS.items():
        files = lists[query].get(backend)
        if files is not None:
            each = tuple(score(files[q.id], q.expected, q.k) for q in queries[query].questions)
            rows.append(Row(corpus, label, side, each))
    return rows


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """The verdict on each hybrid search that both sides ran."""
    by_side = {(row.corpus, row.query, row.side): row for row in rows}
    hybrid = [label for (_, backend), label in _LABELS.items() if backend == "hybrid"]
    judged = []
    for (corpus, query, side), row in by_side.items():
        other = by_side.get((corpus, query, QMD))
        if side == SDD and query in hybrid and other is not None:
            gains = [
                score.ndcg - other_score.ndcg
                for score, other_score in zip(row.each, other.each, strict=True)
            ]
            low, high = interval(gains)
            recall = row.scores.recall - other.scores.recall
            judged.append(Verdict(corpus, query, sum(gains) / len(gains), low, high, recall))
    return judged


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the mean of `values` in 95 of 100 samples (percentile bootstrap)."""
    chance = random.Random(_SEED)
    means = sorted(
        sum(chance.choices(values, k=len(values))) / len(values) for _ in range(_SAMPLES)
    )
    return means[_SAMPLES // 40], means[-_SAMPLES // 40]
