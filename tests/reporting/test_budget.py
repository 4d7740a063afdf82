"""The entries of a report that fit into a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.reporting.budget import BudgetSection, choose_entries, count_tokens

SECTIONS = st.lists(
    st.builds(
        BudgetSection,
        st.sampled_from(["", "rows"]),
        st.text(max_size=20),
        st.lists(st.text(max_size=30), max_size=6),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=5,
)


def test_a_token_is_counted_as_three_bytes() -> None:
    assert [count_tokens(text) for text in ("", "a", "abc", "abcd", "日本語", "\udcff")] == [
        0,
        1,
        1,
        2,
        3,
        2,
    ]


def test_important_sections_come_first_and_the_rest_is_counted() -> None:
    sections = [
        BudgetSection("rows", "head", ["abc", "defgh", "i"], 1),
        BudgetSection("notes", "", ["ab"], 0),
        BudgetSection("", "", ["not named"], 2),
    ]
    every = choose_entries(sections, None)
    assert every.kept == ((True, True, True), (True,), (True,))
    assert every.left_out(sections) == ()
    some = choose_entries(sections, 5)
    assert some.kept == ((True, False, False), (True,), (False,))
    assert some.left_out(sections) == ("2 of 3 rows",)
    gaps = [sections[0]._replace(gaps=True), *sections[1:]]
    assert choose_entries(gaps, 5).kept[0] == (True, False, True)
    assert choose_entries(sections, 0).left_out(sections) == ("3 of 3 rows", "1 of 1 notes")


@given(SECTIONS, st.integers(0, 120))
def test_what_is_chosen_fits(sections: list[BudgetSection], tokens: int) -> None:
    choice = choose_entries(sections, tokens)
    chosen = [
        [section.heading, *(e for e, keep in zip(section.entries, kept, strict=True) if keep)]
        for section, kept in zip(sections, choice.kept, strict=True)
        if any(kept)
    ]
    text = "".join(f"{line}\n" for lines in chosen for line in lines)
    assert count_tokens(text) <= tokens
