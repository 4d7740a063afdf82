"""The detection of pull requests from forks by the environment of a CI job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.judge.judging import is_from_fork

BASE = {"id": 7, "full_name": "acme/shop"}
FORK = {"id": 8, "full_name": "mallory/shop", "fork": True}


def event(tmp_path: Path, content: object, name: str = "pull_request") -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {"GITHUB_EVENT_PATH": str(path), "GITHUB_EVENT_NAME": name}


def pull(head: object, base: object = BASE) -> dict[str, object]:
    return {"pull_request": {"head": {"repo": head}, "base": {"repo": base}}}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (pull(BASE), "pull_request", False),
        (pull({**BASE, "full_name": "acme/renamed"}), "pull_request", False),
        (pull(FORK), "pull_request", True),
        (pull(FORK), "pull_request_target", True),
        (pull(None), "pull_request", True),
        (pull({}), "pull_request", True),
        (pull({}, {}), "pull_request", True),
        (pull("acme/shop"), "pull_request_review", True),
        # A pull request within a fork does not leave the fork.
        (pull(FORK, FORK), "pull_request", False),
        ({"pull_request": {}}, "pull_request", True),
        ({"pull_request": {"head": None}}, "pull_request", True),
        ({}, "pull_request", True),
        ({}, "pull_request_review_comment", True),
        # The event of a comment does not contain the head of the pull request.
        ({"issue": {"pull_request": {"url": "x"}}}, "issue_comment", True),
        ({"issue": {"number": 3}}, "issue_comment", False),
        ({"workflow_run": {"head_repository": BASE}, "repository": BASE}, "workflow_run", False),
        ({"workflow_run": {"head_repository": FORK}, "repository": BASE}, "workflow_run", True),
        ({"workflow_run": {"head_repository": None}, "repository": BASE}, "workflow_run", True),
        ({"ref": "refs/heads/main", "repository": BASE}, "push", False),
        ({"merge_group": {}, "repository": BASE}, "merge_group", False),
        ("[]", "push", True),
        ("{", "push", True),
        ("[" * 100_000, "push", True),
    ],
)
def test_the_event_decides_whether_a_pull_request_is_from_a_fork(
    tmp_path: Path, content: object, name: str, expected: bool
) -> None:
    assert is_from_fork(event(tmp_path, content, name)) is expected


def test_a_run_outside_ci_is_not_from_a_fork() -> None:
    assert not is_from_fork({})
    assert not is_from_fork({"GITHUB_EVENT_NAME": "push"})


def test_a_pull_request_without_its_event_counts_as_one_from_a_fork(tmp_path: Path) -> None:
    assert is_from_fork({"GITHUB_EVENT_NAME": "pull_request"})
    assert is_from_fork({"GITHUB_EVENT_PATH": str(tmp_path / "gone"), "GITHUB_EVENT_NAME": "push"})
    assert is_from_fork({"GITHUB_EVENT_PATH": str(tmp_path)})


@pytest.mark.parametrize(
    ("source", "expected"), [({"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "7"}, False), ({}, True)]
)
def test_gitlab_has_the_ids_of_both_projects(source: dict[str, str], expected: bool) -> None:
    assert is_from_fork({"CI_MERGE_REQUEST_PROJECT_ID": "7", **source}) is expected
    assert is_from_fork({**source, "CI_MERGE_REQUEST_PROJECT_ID": "8"})
    assert not is_from_fork(source)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(
                ["pull_request", "head", "base", "repo", "id", "issue", "workflow_run"]
            ),
            inner,
        )
    ),
)


@given(JSON)
def test_any_event_has_a_result(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    folder = tmp_path_factory.mktemp("event", numbered=True)
    assert is_from_fork(event(folder, json.dumps(content))) in {True, False}
