"""A pull request from somebody else's repository is known by what the runner says about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.review.judge.forks import from_fork

OURS = {"id": 7, "full_name": "acme/shop"}
THEIRS = {"id": 8, "full_name": "mallory/shop", "fork": True}


def event(tmp_path: Path, content: object, name: str = "pull_request") -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {"GITHUB_EVENT_PATH": str(path), "GITHUB_EVENT_NAME": name}


def pull(head: object, base: object = OURS) -> dict[str, object]:
    return {"pull_request": {"head": {"repo": head}, "base": {"repo": base}}}


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (pull(OURS), "pull_request", False),
        (pull({**OURS, "full_name": "acme/renamed"}), "pull_request", False),
        (pull(THEIRS), "pull_request", True),
        (pull(THEIRS), "pull_request_target", True),
        (pull(None), "pull_request", True),
        (pull({}), "pull_request", True),
        (pull({}, {}), "pull_request", True),
        (pull("acme/shop"), "pull_request_review", True),
        # A fork's own pull request, within itself, is nobody else's.
        (pull(THEIRS, THEIRS), "pull_request", False),
        ({"pull_request": {}}, "pull_request", True),
        ({"pull_request": {"head": None}}, "pull_request", True),
        ({}, "pull_request", True),
        ({}, "pull_request_review_comment", True),
        # A comment on a pull request does not say where that comes from.
        ({"issue": {"pull_request": {"url": "x"}}}, "issue_comment", True),
        ({"issue": {"number": 3}}, "issue_comment", False),
        ({"workflow_run": {"head_repository": OURS}, "repository": OURS}, "workflow_run", False),
        ({"workflow_run": {"head_repository": THEIRS}, "repository": OURS}, "workflow_run", True),
        ({"workflow_run": {"head_repository": None}, "repository": OURS}, "workflow_run", True),
        ({"ref": "refs/heads/main", "repository": OURS}, "push", False),
        ({"merge_group": {}, "repository": OURS}, "merge_group", False),
        ("[]", "push", True),
        ("{", "push", True),
        ("[" * 100_000, "push", True),
    ],
)
def test_the_event_decides(tmp_path: Path, content: object, name: str, expected: bool) -> None:
    assert from_fork(event(tmp_path, content, name)) is expected


def test_a_machine_of_somebodys_own_is_no_fork() -> None:
    assert not from_fork({})
    assert not from_fork({"GITHUB_EVENT_NAME": "push"})


def test_a_pull_request_without_its_event_counts_as_one_from_a_fork(tmp_path: Path) -> None:
    assert from_fork({"GITHUB_EVENT_NAME": "pull_request"})
    assert from_fork({"GITHUB_EVENT_PATH": str(tmp_path / "gone"), "GITHUB_EVENT_NAME": "push"})
    assert from_fork({"GITHUB_EVENT_PATH": str(tmp_path)})


@pytest.mark.parametrize(
    ("source", "expected"), [({"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "7"}, False), ({}, True)]
)
def test_gitlab_names_both_projects(source: dict[str, str], expected: bool) -> None:
    assert from_fork({"CI_MERGE_REQUEST_PROJECT_ID": "7", **source}) is expected
    assert from_fork({**source, "CI_MERGE_REQUEST_PROJECT_ID": "8"})
    assert not from_fork(source)


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
def test_any_event_is_answered(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    folder = tmp_path_factory.mktemp("event", numbered=True)
    assert from_fork(event(folder, json.dumps(content))) in {True, False}
