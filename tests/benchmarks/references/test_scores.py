from pathlib import Path

import pytest

from benchmarks.references.cases import Row, save, saved
from benchmarks.references.model import Model, fit
from benchmarks.references.scores import held_out, ranking, scored, suggesting


def row(name: str, *expected: str, **fields: object) -> Row:
    """The row of a change with three records, of which `b.md` has the most similar sections."""
    known = {
        "id": name, "repo": "one/a", "kind": "commit", "title": "T", "leaks": False,
        "ordinary": False, "paths": ("a.md", "b.md", "c.md"),
        "evidence": {"sections": (1.0, 2.0, 0.0), "title": (0.0, 0.0, 1.0)},
        "links": ((), (), ()), "first": 1, "features": (0.5, 0.5, 1.0, 0.0, 0.0, 0.0),
        "cited": False,
    }  # fmt: skip
    return Row(**{**known, "expected": expected, **fields})  # type: ignore[arg-type]


def test_ranking_is_scored_by_the_ranks_of_the_right_records() -> None:
    scores = ranking([row("1", "b.md"), row("2", "a.md", "c.md")], {"sections"})
    assert scores == (0.5, 1.0, 1.0, 1.0, 0.75, 2)


def test_an_unknown_record_is_never_found() -> None:
    assert ranking([row("1", "gone.md")])[:4] == (0.0, 0.0, 0.0, 0.0)


def test_only_changes_that_need_a_record_and_do_not_name_it_are_scored() -> None:
    rows = [row("1", "b.md"), row("2"), row("3", "b.md", leaks=True)]
    assert [row.id for row in scored(rows)] == ["1"]


def test_suggestions_are_scored_by_precision_coverage_and_silence() -> None:
    always, never = Model((0.0,) * 6, 5.0), Model((0.0,) * 6, -5.0)
    rows = [
        row("1", "b.md"),
        row("2", "a.md"),
        row("3", "b.md", cited=True),
        row("4"),
        row("5", ordinary=True),
        row("6", "b.md", repo="two/b"),
    ]
    assert suggesting(rows, {"one/a": always, "two/b": never}) == (0.5, 0.25, 0.0, 0.0)
    assert suggesting(rows, {"one/a": never, "two/b": always}) == (1.0, 0.25, 1.0, 1.0)


def test_the_model_of_a_repository_is_fitted_to_the_others() -> None:
    high, low = (0.9, *(0.0,) * 5), (0.1, *(0.0,) * 5)
    rows = [
        row(f"{repo}{number}", expected, repo=repo, features=features)
        for repo, right in (("one/a", high), ("two/b", low))
        for features in (high, low)
        for expected in ("b.md" if features == right else "a.md",)
        for number in range(20)
    ]
    models = held_out(rows)
    assert models["one/a"].probability(low) > 0.5 > models["one/a"].probability(high)
    assert models["two/b"].probability(high) > 0.5 > models["two/b"].probability(low)


def test_a_model_learns_the_feature_of_right_records() -> None:
    examples = [((number / 10, 1.0), number > 5, 1.0) for number in range(11)] * 20
    model = fit(examples)
    assert model.probability((1.0, 1.0)) > 0.8
    assert model.probability((0.0, 1.0)) < 0.2
    assert model.weights[1] == pytest.approx(0.0, abs=1e-6)


def test_saved_rows_are_loaded_unchanged(tmp_path: Path) -> None:
    rows = [row("1", "b.md"), row("2")]
    save(rows, tmp_path / "rows.json")
    assert [(row.paths, row.expected, row.features) for row in saved(tmp_path / "rows.json")] == [
        (row.paths, row.expected, row.features) for row in rows
    ]
    assert ranking(saved(tmp_path / "rows.json")[:1]) == ranking(rows[:1])
