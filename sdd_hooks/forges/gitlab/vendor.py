"""GitLab: which job of its CI runs, and how its API is asked.

A job is described by variables alone: https://docs.gitlab.com/ci/variables/predefined_variables/
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge", REQ "Recognising the job"

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.forges.event import branch_name, commit_id
from sdd_hooks.forges.gitlab.merge_requests import GitLab
from sdd_hooks.forges.protocol import Connect, PullRequest, Run, Vendor
from sdd_hooks.hosts.gitlab import API_PATH, LABEL, NAME_PATTERN, rate_limit
from sdd_hooks.remote.urls import parse_endpoint

if TYPE_CHECKING:
    from sdd_hooks.remote.credentials import Secret

ADVICE = (
    "set SDD_TOKEN to a project access token with the scope api and the role Developer"
    " (the token of a job cannot write)"
)
_JOB_TOKEN = "glcbt-"  # noqa: S105 (what the tokens of jobs begin with)
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_PATH = re.compile(rf"{NAME_PATTERN}(?:/{NAME_PATTERN}){{1,21}}")


def here(environ: Mapping[str, str]) -> Run | None:
    """The job of GitLab CI that this environment belongs to; None when that is another's."""
    if environ.get("GITLAB_CI") != "true":
        return None
    api = environ.get("CI_API_V4_URL", "").rstrip("/")
    web = environ.get("CI_SERVER_URL", "").rstrip("/") or api.removesuffix(API_PATH)
    event = environ.get("CI_PIPELINE_SOURCE", "")
    pull = _merge_request(environ)
    # The job of a fork's merge request runs in the fork, and the merge request is elsewhere.
    target = environ.get("CI_MERGE_REQUEST_PROJECT_PATH", "") if pull else ""
    repository = target or environ.get("CI_PROJECT_PATH", "")
    if None in {parse_endpoint(api), parse_endpoint(web)} or not _PATH.fullmatch(repository):
        return None
    return Run(
        web=web,
        api=api,
        repository=repository,
        event=event,
        sha=commit_id(environ.get("CI_COMMIT_SHA", "")),
        before=commit_id(environ.get("CI_COMMIT_BEFORE_SHA", "")),
        branch=branch_name(environ.get("CI_COMMIT_BRANCH", "")),
        default_branch=branch_name(environ.get("CI_DEFAULT_BRANCH", "")),
        pull=pull,
        merging=event == "external_pull_request_event",  # of another host
        pulls="refs/merge-requests/*/head",
    )


def headers(secret: Secret) -> Mapping[str, str]:
    """The header that carries a token: those of jobs have one of their own."""
    if secret.value.startswith(_JOB_TOKEN):
        return {"JOB-TOKEN": secret.value}
    return {"PRIVATE-TOKEN": secret.value}


def _merge_request(environ: Mapping[str, str]) -> PullRequest | None:
    """The merge request that the pipeline is about."""
    iid = environ.get("CI_MERGE_REQUEST_IID", "")
    if not _NUMBER.fullmatch(iid):
        return None
    target = environ.get("CI_MERGE_REQUEST_PROJECT_ID", "")
    body = environ.get("CI_MERGE_REQUEST_DESCRIPTION", "")
    if environ.get("CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED") == "true":
        body = ""
    # A pipeline for merged results is about a commit that nobody wrote.
    head = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA", "")
    return PullRequest(
        number=int(iid),
        title=environ.get("CI_MERGE_REQUEST_TITLE", ""),
        body=body,
        base=commit_id(environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")),
        base_ref=branch_name(environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "")),
        head=commit_id(head),
        fork=not target or environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != target,
        ref=f"refs/merge-requests/{iid}/head",
    )


def _open(run: Run, connect: Connect) -> GitLab:
    client = connect(run.api, label=LABEL, headers=headers, limits=rate_limit, advice=ADVICE)
    return GitLab(run, client)


# GitLab takes no other user beside the token of a job, and any beside those of people.
VENDOR = Vendor(LABEL, here, _open, user="gitlab-ci-token")
