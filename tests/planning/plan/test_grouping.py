from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.planning.plan.grouping import MAX_MEMBERS, group_requirements
from sdd_hooks.planning.plan.requirements import PlannedRequirement
from tests.planning.plan.specs import planned
from tests.support.cpu_time import assert_linear

SUBJECTS = (
    ("Session Store", "A session MUST be stored with its owner and its expiry."),
    ("Session Expiry", "An expired session MUST be removed from the session store."),
    ("Session Owner", "The owner of a session MUST be able to list every session."),
    ("Invoice Layout", "An invoice MUST show the address of the customer and the tax."),
    ("Invoice Tax", "The tax of an invoice MUST be rounded for each line of the invoice."),
    ("Invoice Export", "An invoice MUST be exported as PDF with its address and tax."),
)


def test_requirements_are_grouped_by_subject() -> None:
    assert group_requirements(planned(*SUBJECTS)) == [(0, 1, 2), (3, 4, 5)]


def test_requirements_of_other_subjects_are_not_joined() -> None:
    apart = (SUBJECTS[0], ("Colours", "A palette MUST have nine hues."), SUBJECTS[3])
    assert group_requirements(planned(*apart)) == [(0,), (1,), (2,)]


def test_large_requirements_are_not_joined() -> None:
    long = " ".join("The session store MUST keep it." for _ in range(30))
    assert group_requirements(planned(("Session Store", long), ("Session Stores", long))) == [
        (0,),
        (1,),
    ]


WORDS = st.sampled_from(["session", "store", "invoice", "tax", "`Store`", "MUST", "colour", "x"])
STATEMENTS = st.lists(WORDS, max_size=8).map(" ".join)


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1).map(" ".join), STATEMENTS), min_size=1))
def test_every_requirement_is_in_exactly_one_group(parts: list[tuple[str, str]]) -> None:
    requirements = planned(*parts)
    groups = group_requirements(requirements)
    assert sorted(place for group in groups for place in group) == list(range(len(parts)))
    assert all(len(group) <= MAX_MEMBERS for group in groups)
    assert groups == group_requirements(requirements)


def test_the_time_grows_at_most_with_the_square_of_the_requirements() -> None:
    """Each join of two groups compares all groups with those near them."""

    def make(size: int) -> Sequence[PlannedRequirement]:
        parts = [(f"Part{n} store", f"It MUST keep name{n}.") for n in range(int(size**0.5))]
        return planned(*parts)

    assert_linear(group_requirements, make, 14_400)
