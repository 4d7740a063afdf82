"""Which issues a pull request closes, and which it belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import PullRequestSettings
from sdd_hooks.forges.protocol import PullRequest
from sdd_hooks.planning.batch.pull_issues import belongs_to, branch_issue, find_pull_issues
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
