"""The scores as tables, for a terminal and for docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.quality.measure import MARGIN, Row, Verdict
from benchmarks.report import aligned


def table(rows: Sequence[Row]) -> str:
    """Each corpus, kind of query and side, with its four scores."""
    head = ("corpus", "asked by", "side", "nDCG@10", "precision@k", "recall", "MRR")
    lines = [
        (row.corpus, row.query, row.side, *(f"{number:.3f}" for number in _numbers(row)))
        for row in rows
    ]
    return aligned([head, *lines])


def judged(verdicts: Sequence[Verdict]) -> str:
    """sdd's hybrid search less qmd's, and whether that reaches the threshold."""
    head = ("corpus", "asked by", "nDCG@10", "95 of 100", "recall", "must reach", "")
    lines = [
        (
            verdict.corpus,
            verdict.query,
            f"{verdict.ndcg:+.3f}",
            f"{verdict.low:+.3f} to {verdict.high:+.3f}",
            f"{verdict.recall:+.3f}",
            f"≥ -{MARGIN}",
            "✓" if verdict.reached else "✗",
        )
        for verdict in verdicts
    ]
    return aligned([head, *lines])


def _numbers(row: Row) -> tuple[float, float, float, float]:
    scores = row.scores
    return scores.ndcg, scores.precision, scores.recall, scores.mrr
