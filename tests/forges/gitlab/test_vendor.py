"""The job that the variables of a runner of GitLab describe."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.forges.gitlab.vendor import VENDOR, token_headers
from sdd_hooks.forges.protocol import JobContext, PullRequest
from sdd_hooks.forges.registry import detect_job
from sdd_hooks.remote.credentials import Secret
from tests.support.gitlab_forge import BASE, HEAD, HOME, job
from tests.support.loopback import Server

SERVER = Server("https://git.acme.example:8443/gitlab")


def run_of(**variables: str) -> tuple[JobContext, PullRequest]:
    """The job that these variables describe, and its merge request."""
    run = VENDOR.detect_job(job(SERVER, **variables))
    assert run is not None
    assert run.pull is not None
    return run, run.pull


def test_a_merge_request() -> None:
    run = VENDOR.detect_job(job(SERVER))
    pull = PullRequest(
        number=7,
        title="Keep sessions",
        body="It says **why**.",
        base=BASE,
        base_ref="main",
        head=HEAD,
        is_fork=False,
        ref="refs/merge-requests/7/head",
        head_ref="sessions",
    )
    assert run == JobContext(
        web_url="https://git.acme.example:8443/gitlab",
        api_url="https://git.acme.example:8443/gitlab/api/v4",
        repository=HOME,
        event="merge_request_event",
        sha=HEAD,
        default_branch="main",
        pull=pull,
        pull_refs="refs/merge-requests/*/head",
    )


def test_a_push() -> None:
    environ = {name: value for name, value in job(SERVER).items() if "MERGE_REQUEST" not in name}
    environ |= {
        "CI_PIPELINE_SOURCE": "push",
        "CI_COMMIT_BRANCH": "main",
        "CI_COMMIT_BEFORE_SHA": BASE,
    }
    run = VENDOR.detect_job(environ)
    assert run is not None
    assert (run.pull, run.event, run.branch, run.before) == (None, "push", "main", BASE)


def test_the_registry_detects_the_job() -> None:
    broken: list[str] = []
    found = detect_job(job(SERVER), broken)
    assert found is not None
    assert (found.name, found.vendor) == ("gitlab", VENDOR)


def test_a_pipeline_of_a_fork_belongs_to_the_target_project() -> None:
    fork = {"CI_PROJECT_PATH": "eve/shop", "CI_PROJECT_ID": "9"}
    run, pull = run_of(**fork, CI_MERGE_REQUEST_SOURCE_PROJECT_ID="9")
    assert (run.repository, pull.is_fork) == (HOME, True)


def test_a_merge_request_without_a_source_counts_as_one_of_a_fork() -> None:
    environ = job(SERVER)
    del environ["CI_MERGE_REQUEST_PROJECT_ID"], environ["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"]
    run = VENDOR.detect_job(environ)
    assert run is not None and run.pull is not None
    assert run.pull.is_fork


def test_the_head_of_merged_results_is_the_source_branch() -> None:
    source = "c" * 40
    run, pull = run_of(CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=source)
    assert (run.sha, pull.head) == (HEAD, source)


@pytest.mark.parametrize(
    ("type", "commit", "expected"),
    [
        ("merge_train", "c" * 40, "c" * 40),
        ("merge_train", "--upload-pack=x", ""),
        ("merge_train", "", ""),
        ("merged_result", "c" * 40, ""),
    ],
)
def test_the_commit_before_one_of_a_merge_train(type: str, commit: str, expected: str) -> None:
    variables = ("CI_MERGE_REQUEST_EVENT_TYPE", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    run, _ = run_of(**dict(zip(variables, (type, commit), strict=True)))
    assert run.queued_behind == expected


def test_a_truncated_description_is_left_out() -> None:
    _, pull = run_of(CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED="true")
    assert (pull.title, pull.body) == ("Keep sessions", "")


@pytest.mark.parametrize(
    "changed",
    [
        {"GITLAB_CI": ""},
        {"CI_API_V4_URL": ""},
        {"CI_API_V4_URL": "file:///etc/passwd"},
        {"CI_API_V4_URL": "https://user:word@git.acme.example/api/v4"},
        {"CI_SERVER_URL": "javascript:alert(1)"},
        {"CI_MERGE_REQUEST_PROJECT_PATH": "../../user"},
        {"CI_MERGE_REQUEST_PROJECT_PATH": "acme/shop?x=1"},
        {"CI_MERGE_REQUEST_PROJECT_PATH": "shop"},
    ],
)
def test_environments_that_are_not_jobs_of_gitlab(changed: dict[str, str]) -> None:
    assert VENDOR.detect_job({**job(SERVER), **changed}) is None


@given(st.dictionaries(st.sampled_from(sorted(job(SERVER))), st.text(max_size=50)))
def test_any_variables_are_parsed(changed: dict[str, str]) -> None:
    run = VENDOR.detect_job({**job(SERVER), **changed, "GITLAB_CI": "true"})
    if run is None:
        return
    shas = [run.sha, run.before, *([run.pull.base, run.pull.head] if run.pull else [])]
    assert all(sha == "" or set(sha) <= set(string.hexdigits) for sha in shas)
    assert set(run.repository) <= {*string.ascii_letters, *string.digits, *"/._-"}
    if run.pull is not None:
        assert run.pull.ref == f"refs/merge-requests/{run.pull.number}/head"


def test_the_token_of_a_job_has_another_header() -> None:
    assert token_headers(Secret("glpat-x", "SDD_TOKEN")) == {"PRIVATE-TOKEN": "glpat-x"}
    assert token_headers(Secret("glcbt-x", "SDD_TOKEN")) == {"JOB-TOKEN": "glcbt-x"}
