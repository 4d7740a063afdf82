"""Which issues a pull request closes and belongs to, and the order of merges."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import PullRequestSettings
from sdd_hooks.forges.protocol import PullRequest
from sdd_hooks.planning.pulls import (
    MergeOrder,
    OrderedPull,
    belongs_to,
    branch_issue,
    find_pull_issues,
    merge_order,
)
from sdd_hooks.trackers.issue import LinkedPull
from sdd_hooks.trackers.issue_file import StoredIssue

SETTINGS = PullRequestSettings()


def issue(id: str, *labels: str, specs: tuple[str, ...] = (), pull: str = "") -> StoredIssue:
    pulls = (LinkedPull(pull, "b", "open", (), ""),) if pull else ()
    return StoredIssue(
        id, f"Issue {id}", "open", labels, (), "", "", "", "", "", "t", specs, (), (), (), "", pulls
    )  # fmt: skip


def pull(body: str = "", branch: str = "change", title: str = "A change") -> PullRequest:
    return PullRequest(12, title, body, "1" * 40, "main", "2" * 40, False, "r", head_ref=branch)


def closed(tracker: str, body: str, *issues: StoredIssue, **options: str) -> list[str]:
    settings = SETTINGS._replace(**options)
    return [one.id for one in find_pull_issues(pull(body), issues, tracker, settings).closed]


@pytest.mark.parametrize(
    ("tracker", "body", "ids"),
    [
        ("github", "Closes #7.", ["7"]),
        ("github", "fixes: #7, resolves #8", ["7", "8"]),
        ("github", "Part of #7", []),
        ("github", "encloses #7, see #8", []),
        ("github", "- `Closes #7`", ["7"]),
        ("gitea", "Closes #70", []),
        ("jira", "SHOP-7: do it", ["SHOP-7"]),
        ("jira", "shop-7\n- `Part of SHOP-9 (SPEC-0003)`", ["SHOP-7"]),
        ("jira", "SHOP-70", []),
        ("linear", "Part of SHOP-7", []),
        ("beads", "bd close bd-a1.2", ["bd-a1.2"]),
        ("beads", "see bd-a1.2", []),
        ("tasks-md", "Closes tasks-auth-1", ["tasks-auth-1"]),
        ("github", "<!-- Closes #7 -->\n```\nfixes #7\n```\n- [ ] Closes #8", ["8"]),
    ],
)
def test_closed(tracker: str, body: str, ids: list[str]) -> None:
    names = ("7", "8", "SHOP-7", "SHOP-9", "bd-a1.2", "tasks-auth-1")
    assert closed(tracker, body, *map(issue, names)) == ids


def test_an_epic_is_never_closed() -> None:
    assert closed("jira", "SHOP-9", issue("SHOP-9", "epic")) == []


def test_a_configured_word() -> None:
    assert closed("github", "Erledigt #7", issue("7"), close_keyword="Erledigt") == ["7"]


def test_branches() -> None:
    issues = (issue("shop-1"), issue("shop-1-2"), issue("42"))
    assert [one.id for one in branch_issue("feature/shop-1-2-carts", issues)] == ["shop-1-2"]
    assert [one.id for one in branch_issue("feature/42", issues)] == ["42"]
    assert branch_issue("feature/421-x", issues) == branch_issue("42-x", issues) == ()


def test_belonging() -> None:
    of_spec = issue("7", specs=("SPEC-0003",))
    assert belongs_to(pull("For spec-0003"), "SPEC-0003", ())
    assert belongs_to(pull(branch="feature/SPEC-0003-x"), "SPEC-0003", ())
    assert belongs_to(pull(), "SPEC-0003", (of_spec,))
    assert not belongs_to(pull("SPEC-0004"), "SPEC-0003", (issue("8"),))


def test_links_of_the_tracker() -> None:
    found = find_pull_issues(pull(), (issue("7", pull="12"), issue("8", pull="13")), "t", SETTINGS)
    assert ([one.id for one in found.issues], found.closed) == (["7"], ())


@given(st.text(), st.text(max_size=40), st.sampled_from(["github", "jira", "beads"]))
def test_any_text(body: str, branch: str, tracker: str) -> None:
    known = (issue("7"), issue("SHOP-7"), issue("bd-1"))
    found = find_pull_issues(pull(body, branch), known, tracker, SETTINGS)
    assert set(found.closed) <= set(found.issues) <= set(known)


def item(number: int, files: str | None, *after: int, foundation: bool = False) -> OrderedPull:
    paths = None if files is None else frozenset(files.split())
    return OrderedPull(number, paths, frozenset(after), foundation)


def test_without_overlap_all_are_in_one_tier() -> None:
    order = merge_order([item(1, "a b"), item(2, "c"), item(3, "d")])
    assert order == MergeOrder(((2, 3, 1),), {1: {}, 2: {}, 3: {}})
    assert order.tier_of(3) == 1


def test_foundation_comes_before_overlap_and_small_before_large() -> None:
    order = merge_order(
        [
            item(1, "shared x y z"),
            item(2, "shared x"),
            item(3, "shared types", foundation=True),
            item(4, "alone"),
        ]
    )
    assert order.tiers == ((4,), (3,), (2,), (1,))
    assert order.overlaps[2] == {1: ("shared", "x"), 3: ("shared",)}


def test_a_tier_has_no_overlap() -> None:
    order = merge_order([item(1, "a"), item(2, "a b"), item(3, "b"), item(4, "c d"), item(5, "d")])
    assert order.tiers == ((1, 3, 5), (4, 2))


def test_a_dependency_comes_first() -> None:
    """2 is stacked on 1, which is larger."""
    order = merge_order([item(1, "a b c"), item(2, "d", 1), item(3, "e", 2, 99)])
    assert order.tiers == ((1,), (2,), (3,))


def test_unknown_files_overlap_with_everything() -> None:
    order = merge_order([item(1, None), item(2, "a"), item(3, "b")])
    assert order.tiers == ((2, 3), (1,))
    assert order.overlaps[1] == {2: (), 3: ()}


def test_a_circle_and_what_waits_for_it() -> None:
    order = merge_order([item(3, "a", 5), item(5, "b", 3), item(6, "c", 5), item(7, "d")])
    assert order.tiers == ((7,),)
    assert order.circles == ((3, 5, 3),)
    assert order.waiting == (6,)
    assert order.tier_of(3) is None


def test_two_circles() -> None:
    order = merge_order(
        [
            item(1, "a", 3),
            item(2, "b", 1),
            item(3, "c", 2),
            item(4, "d", 5),
            item(5, "e", 4),
        ]
    )
    assert order.circles == ((1, 2, 3, 1), (4, 5, 4))


def test_nothing() -> None:
    assert merge_order([]) == MergeOrder((), {})


PULLS = st.dictionaries(
    st.integers(1, 9),
    st.tuples(
        st.one_of(st.none(), st.frozensets(st.sampled_from("abcde"), max_size=3)),
        st.frozensets(st.integers(1, 9), max_size=2),
        st.booleans(),
    ),
    max_size=9,
)


@given(PULLS)
def test_every_order_keeps_its_promises(
    drawn: dict[int, tuple[frozenset[str] | None, frozenset[int], bool]],
) -> None:
    pulls = [OrderedPull(number, *parts) for number, parts in drawn.items()]
    order = merge_order(pulls)
    placed = [number for tier in order.tiers for number in tier]
    members = {number for circle in order.circles for number in circle}
    assert sorted([*placed, *members, *order.waiting]) == sorted(drawn)
    by_number = {one.number: one for one in pulls}
    for tier in order.tiers:
        for number in tier:
            assert not order.overlaps[number].keys() & set(tier)
    for number in placed:
        predecessors = (by_number[number].after & drawn.keys()) - {number}
        place = order.tier_of(number)
        assert place is not None
        for other in predecessors:
            assert (order.tier_of(other) or 99) < place
    for circle in order.circles:
        assert circle[0] == circle[-1] == min(circle)
        for first, second in itertools.pairwise(circle):
            assert first in by_number[second].after
    assert merge_order(pulls[::-1]) == order


@pytest.mark.parametrize("count", [300])
def test_many(count: int) -> None:
    order = merge_order([item(number, "shared") for number in range(1, count + 1)])
    assert [tier[0] for tier in order.tiers] == list(range(1, count + 1))
