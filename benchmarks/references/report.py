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
    showing,
)
from benchmarks.report import aligned
from sdd_hooks.review.references.confidence import ConfidenceFeatures
from sdd_hooks.review.references.evidence import KINDS

_WORDS = ("sections", "terms", "files", "title", "prose")


def report(rows: Sequence[Row]) -> str:
    """Ranking, showing, what each kind of evidence does, and the weights that all rows teach."""
    own = scored(rows)
    many = [row for row in own if len(row.paths) >= MANY]
    found, of_many = ranking(own), ranking(many)
    spoken = showing(rows, held_out(rows))
    known = sum(not row.ordinary for row in rows)
    return "\n\n".join(
        (
            aligned(
                [
                    ("", "sdd", "must reach"),
                    (
                        f"recall@1 / @3 / MRR, {found.cases} scored changes",
                        _three(found),
                        "0.68 / 0.83 / 0.81",
                    ),
                    (
                        f"recall@3 / MRR, the {of_many.cases} with {MANY} or more records",
                        f"{of_many.at_3:.3f} / {of_many.mrr:.3f}",
                        "0.75 / 0.72",
                    ),
                    ("recall@20", f"{found.at_20:.3f}", "0.97"),
                    (
                        "of what is shown, right, at that coverage",
                        f"{spoken.precision:.2f} at {spoken.coverage:.2f}",
                        "0.83 at 0.5",
                    ),
                    ("trivial changes left alone", f"{spoken.quiet:.2f}", "0.97"),
                    ("ordinary commits left alone", f"{spoken.ordinary:.2f}", "0.75"),
                ]
            ),
            f"{known} changes of {len({row.repo for row in rows})} repositories, and"
            f" {len(rows) - known} ordinary commits. What is shown is decided, for each repository,"
            " by weights that the others teach.",
            _ablation(own, many),
            _weights(rows),
        )
    )


def _three(found: Ranking) -> str:
    return f"{found.at_1:.3f} / {found.at_3:.3f} / {found.mrr:.3f}"


def _ablation(own: Sequence[Row], many: Sequence[Row]) -> str:
    def both(kinds: Container[str]) -> list[str]:
        return [_three(ranking(rows, kinds)) for rows in (own, many)]

    lines = [["evidence", "what it looks at", "alone", "all but it", f"all but it, {MANY} or more"]]
    for kind, what in KINDS.items():
        alone = "" if kind == "links" else _three(ranking(own, {kind}))
        lines.append([kind, what, alone, *both(KINDS.keys() - {kind})])
    lines.append(["only words", "the first five", "", *both(_WORDS)])
    lines.append(["all", "", "", *both(KINDS)])
    return aligned(lines)


def _weights(rows: Sequence[Row]) -> str:
    model = model_of(rows)
    said = ", ".join(
        f"{name} {weight:+.2f}"
        for name, weight in zip(ConfidenceFeatures._fields, model.weights, strict=True)
    )
    return f"Weights that all of them teach: {said}; intercept {model.intercept:+.2f}."
