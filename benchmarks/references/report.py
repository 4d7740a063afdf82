"""The rows as tables for docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Container, Sequence

from benchmarks.references.cases import Row
from benchmarks.references.scores import (
    MANY,
    Ranking,
    held_out,
    model_of,
    ranking,
    scored,
    suggesting,
)
from benchmarks.report import aligned
from sdd_hooks.review.references.confidence import ConfidenceFeatures
from sdd_hooks.review.references.evidence import KINDS

_WORDS = ("sections", "terms", "files", "title", "prose")


def report(rows: Sequence[Row]) -> str:
    """Format the scores, an ablation of the evidence, and the weights fitted to all rows."""
    needing = scored(rows)
    many = [row for row in needing if len(row.paths) >= MANY]
    overall, of_many = ranking(needing), ranking(many)
    suggested = suggesting(rows, held_out(rows))
    known = sum(not row.ordinary for row in rows)
    return "\n\n".join(
        (
            aligned(
                [
                    ("", "sdd", "must reach"),
                    (
                        f"recall@1 / @3 / MRR, {overall.cases} scored changes",
                        _three(overall),
                        "0.68 / 0.83 / 0.81",
                    ),
                    (
                        f"recall@3 / MRR, the {of_many.cases} with {MANY} or more records",
                        f"{of_many.at_3:.3f} / {of_many.mrr:.3f}",
                        "0.75 / 0.72",
                    ),
                    ("recall@20", f"{overall.at_20:.3f}", "0.97"),
                    (
                        "precision of suggestions, at that coverage",
                        f"{suggested.precision:.2f} at {suggested.coverage:.2f}",
                        "0.83 at 0.5",
                    ),
                    ("trivial changes without a suggestion", f"{suggested.quiet:.2f}", "0.97"),
                    ("ordinary commits without a suggestion", f"{suggested.ordinary:.2f}", "0.75"),
                ]
            ),
            f"{known} changes of {len({row.repo for row in rows})} repositories, and"
            f" {len(rows) - known} ordinary commits. The suggestions of each repository use"
            " weights trained on the others.",
            _ablation(needing, many),
            _weights(rows),
        )
    )


def _three(scores: Ranking) -> str:
    return f"{scores.at_1:.3f} / {scores.at_3:.3f} / {scores.mrr:.3f}"


def _ablation(needing: Sequence[Row], many: Sequence[Row]) -> str:
    def both(kinds: Container[str]) -> list[str]:
        return [_three(ranking(rows, kinds)) for rows in (needing, many)]

    lines = [["evidence", "input", "alone", "all others", f"all others, {MANY} or more"]]
    for kind, what in KINDS.items():
        alone = "" if kind == "links" else _three(ranking(needing, {kind}))
        lines.append([kind, what, alone, *both(KINDS.keys() - {kind})])
    lines.append(["only words", "the first five", "", *both(_WORDS)])
    lines.append(["all", "", "", *both(KINDS)])
    return aligned(lines)


def _weights(rows: Sequence[Row]) -> str:
    model = model_of(rows)
    weights = ", ".join(
        f"{name} {weight:+.2f}"
        for name, weight in zip(ConfidenceFeatures._fields, model.weights, strict=True)
    )
    return f"Weights trained on all of them: {weights}; intercept {model.intercept:+.2f}."
