"""The outcomes as tables for docs/benchmarks.md and a terminal."""

from __future__ import annotations

from collections.abc import Container, Sequence

from benchmarks.references.held_out import Outcome, hold_out, prepare_all
from benchmarks.references.learning_curve import tabulate_learning_curve
from benchmarks.references.method import ASKS_FROM, describe, train
from benchmarks.references.rows import Row
from benchmarks.references.scores import (
    MANY,
    Questions,
    Ranking,
    Shown,
    at_threshold,
    brier,
    count_questions,
    find_gravity,
    find_unlabelled,
    named,
    ordinary,
    rank,
    reliability,
    scored,
    show,
    with_many,
)
from benchmarks.report import aligned
from sdd_hooks.review.references.evidence.kinds import KINDS

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Probabilities from which the review could ask."""


def report(rows: Sequence[Row], tested: Container[str] = ()) -> str:
    """Format all tables. With sets `tested`, only these are scored, and the others are trained
    with."""
    examples = prepare_all(rows)
    outcomes = hold_out(examples, tested)
    known = [one for one in examples if one.row.source not in tested]
    parts = (
        _summary(outcomes),
        _describe_rows(outcomes, tested),
        _thresholds(outcomes),
        _reliability(outcomes),
        tabulate_learning_curve(examples, tested),
        _ablation(rows, tested),
        f"Weights fitted to all of them, which belong in the package: {describe(train(known))}.",
    )
    return "\n\n".join(parts)


def list_unlabelled(rows: Sequence[Row], tested: Container[str] = ()) -> list[str]:
    """A line for each question on an ordinary commit about a record that no person judged."""
    return [
        f"unlabelled: {one.row.id} {one.decision.offered} ({one.decision.probability:.2f})"
        for one in find_unlabelled(hold_out(prepare_all(rows), tested))
    ]


def _summary(outcomes: Sequence[Outcome]) -> str:
    needing = scored(outcomes)
    overall, of_many = rank(needing), rank(with_many(needing))
    shown, questions = show(outcomes), count_questions(outcomes)
    of_questions, of_first = find_gravity(outcomes)
    return aligned(
        [
            ("", "sdd", "must reach"),
            (
                f"recall@1 / @3 / MRR, {overall.cases} scored changes",
                _ranked(overall),
                "0.74 / 0.90 / 0.85",
            ),
            ("recall@20", f"{overall.at_20:.2f}", ""),
            (
                f"recall@1 / @3 / MRR, the {of_many.cases} with {MANY} or more records",
                _ranked(of_many),
                "recall@3 0.82",
            ),
            (f"recall@20, {MANY} or more records", f"{of_many.at_20:.2f}", ""),
            (
                "questions on changes that need a record: right, at coverage",
                _precise(shown),
                "0.90 at 0.50",
            ),
            ("trivial changes without a question", f"{shown.quiet:.2f}", "0.99"),
            (
                f"questions per 100 ordinary commits, of {questions.commits}",
                f"{questions.per_100:.0f}",
                "at most 8",
            ),
            ("of these questions, right", _right(questions), "0.70"),
            (
                f"of the {questions.need} ordinary commits that need a record: asked rightly",
                str(questions.right),
                "8 of 22",
            ),
            ("of these, a right record is first", str(questions.first), ""),
            ("of these, a right record is first and named already", str(questions.named), ""),
            ("questions about records without a label", str(questions.unlabelled), ""),
            (
                "share of a repository's most frequent record: of its questions",
                f"{of_questions:.2f}",
                "",
            ),
            ("of the first records of its ordinary commits", f"{of_first:.2f}", ""),
            (
                "Brier score: all / ordinary commits",
                f"{brier(outcomes):.3f} / {brier(ordinary(outcomes)):.3f}",
                "",
            ),
        ]
    )


def _ranked(scores: Ranking) -> str:
    return f"{scores.at_1:.2f} / {scores.at_3:.2f} / {scores.mrr:.2f}"


def _precise(shown: Shown) -> str:
    return f"{shown.precision:.2f} at {shown.coverage:.2f}"


def _right(questions: Questions) -> str:
    return f"{questions.precision:.2f} ({questions.right} of {questions.asked})"


def _describe_rows(outcomes: Sequence[Outcome], tested: Container[str]) -> str:
    rows = [one.row for one in outcomes]
    repos, families = {row.repo for row in rows}, {row.family for row in rows}
    changes, commits = len(named(outcomes)), len(ordinary(outcomes))
    held_out = "the other sets, without its owner" if tested else "those of other owners"
    return (
        f"{changes} changes and {commits} ordinary commits of {len(repos)} repositories of"
        f" {len(families)} owners. The weights for each repository are fitted to {held_out}."
    )


def _thresholds(outcomes: Sequence[Outcome]) -> str:
    lines = [
        (
            "asks from",
            "needed: right at coverage",
            "trivial: without",
            "ordinary: per 100",
            "ordinary: right",
        )
    ]
    for threshold in sorted({*THRESHOLDS, ASKS_FROM}):
        moved = at_threshold(outcomes, threshold)
        shown, questions = show(moved), count_questions(moved)
        lines.append(
            (
                f"{threshold:.2f}" + (" (the package)" if threshold == ASKS_FROM else ""),
                _precise(shown),
                f"{shown.quiet:.2f}",
                f"{questions.per_100:.0f}",
                _right(questions),
            )
        )
    return aligned(lines)


def _reliability(outcomes: Sequence[Outcome]) -> str:
    lines = [["probability from", "changes", "mean", "right", "ordinary commits", "mean", "right"]]
    changes = {one.low: one for one in reliability(named(outcomes))}
    commits = {one.low: one for one in reliability(ordinary(outcomes))}
    for low in sorted(changes.keys() | commits.keys()):
        cells = [f"{low:.1f}"]
        for found in (changes.get(low), commits.get(low)):
            cells += (
                [str(found.records), f"{found.mean:.2f}", f"{found.right / found.records:.2f}"]
                if found
                else ["0", "", ""]
            )
        lines.append(cells)
    return aligned(lines)


def _ablation(rows: Sequence[Row], tested: Container[str]) -> str:
    def line(kinds: Container[str]) -> tuple[str, str, str, str]:
        outcomes = hold_out(prepare_all(rows, kinds), tested)
        needing, questions = scored(outcomes), count_questions(outcomes)
        asked = f"{questions.per_100:.0f}, {_right(questions)}"
        ranked = [rank(needing), rank(with_many(needing))]
        return _ranked(ranked[0]), _ranked(ranked[1]), _precise(show(outcomes)), asked

    lines = [
        ("without", "all", f"{MANY} or more records", "needed: right at coverage", "ordinary"),
        ("none", *line(KINDS)),
    ]
    for kind, what in KINDS.items():
        lines.append((f"{kind} ({what})", *line(KINDS.keys() - {kind})))
    return aligned(lines)
