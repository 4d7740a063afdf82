from collections.abc import Sequence

from benchmarks.references.held_out import hold_out, hold_out_some, prepare_all
from benchmarks.references.method import Example, decide, describe, train
from benchmarks.references.rows import Row
from sdd_hooks.review.references.words.change_words import Measures
from tests.benchmarks.references.rows import facts, row


def rows_of(repo: str, source: str = "dev", *, contrary: bool = False) -> list[Row]:
    """Forty changes: the first record is right where it leads by far (`contrary`: where not)."""
    far = Measures((0.0, 3.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    near = Measures((2.9, 3.0, 2.9), (0.0, 0.1, 0.0), (0.0, 0.1, 0.0))
    return [
        row(
            f"{repo} {number} {leads}",
            "b.md" if leads != contrary else "a.md",
            repo=repo,
            source=source,
            measures=far if leads else near,
        )
        for leads in (True, False)
        for number in range(20)
    ]


def right_when_far(examples: Sequence[Example]) -> bool:
    """Whether weights fitted to these examples prefer a record that leads by far."""
    model = train(examples)
    far, near = (
        next(one.prepared for one in prepare_all(rows_of("x/y")) if str(leads) in one.row.id)
        for leads in (True, False)
    )
    return decide(model, far).probability > decide(model, near).probability


def test_weights_are_fitted_to_the_other_owners() -> None:
    usual, contrary = rows_of("one/a"), rows_of("two/b", contrary=True)
    also_contrary = rows_of("two/c", contrary=True)
    outcomes = hold_out(prepare_all([*usual, *contrary, *also_contrary]))
    assert [one.row for one in outcomes] == [*usual, *contrary, *also_contrary]
    by_owner = {"one": False, "two": True}
    for one in outcomes:
        leads = "True" in one.row.id
        assert (one.decision.probability > 0.5) == (by_owner[one.row.family] == leads)


def test_of_a_set_that_is_held_out_nothing_is_fitted() -> None:
    known, other = rows_of("one/a"), rows_of("two/b", contrary=True)
    tested = [*rows_of("three/c", "new", contrary=True), *rows_of("two/b", "new")]
    outcomes = hold_out(prepare_all([*known, *other, *tested]), {"new"})
    assert [one.row for one in outcomes] == tested
    # Of the owner of `two/b` the other set is left out as well.
    of_two = [one for one in outcomes if one.row.repo == "two/b"]
    assert all(one.right == (one.decision.probability > 0.5) for one in of_two)


def test_weights_can_be_fitted_to_a_few_repositories() -> None:
    owners = [rows_of(f"{name}/r", contrary=name == "b") for name in "abc"]
    examples = prepare_all([one for rows in owners for one in rows])
    everything = hold_out(examples)
    assert hold_out_some(examples, 2, draw=1) == everything
    fewer = [hold_out_some(examples, 1, draw) for draw in range(5)]
    assert all(
        [one.row for one in outcomes] == [one.row for one in everything] for outcomes in fewer
    )
    assert len({tuple(one.decision.probability for one in outcomes) for outcomes in fewer}) > 1
    assert fewer[0] == hold_out_some(examples, 1, draw=0)


def test_an_example_is_right_when_the_offered_record_is() -> None:
    assert right_when_far(prepare_all(rows_of("one/a")))
    assert not right_when_far(prepare_all(rows_of("one/a", contrary=True)))


def test_nothing_is_asked_where_no_record_is_offered() -> None:
    model = train(prepare_all(rows_of("one/a")))
    silent, cited, empty = (
        decide(model, prepare_all([one])[0].prepared)
        for one in (
            row("1", "b.md", silent=True),
            row("2", "b.md", offers=("a.md", "", "c.md")),
            row("3", "b.md", paths=(), evidence={}, links=(), offers=()),
        )
    )
    assert (silent.asks, cited.asks, empty.asks) == (False, False, False)
    assert silent.order == cited.order == ("b.md", "c.md", "a.md")
    assert empty.order == ()


def test_evidence_of_one_kind_ranks_alone() -> None:
    (example,) = prepare_all([row("1", "c.md")], {"title"})
    assert example.prepared.order[0] == "c.md"
    assert facts().restricted_to({"sections"}).evidence["title"] == [0.0, 0.0, 0.0]


def test_the_weights_are_described_as_the_package_has_them() -> None:
    text = describe(train(prepare_all(rows_of("one/a"))))
    assert text.startswith("agreement ")
    assert "; intercept -" in text
