"""GitLab: the job of its CI in which this runs, and its project.

Variables alone describe a job: https://docs.gitlab.com/ci/variables/predefined_variables/
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge", REQ "Recognising the job"

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.forges.actions_event import valid_branch, valid_commit
from sdd_hooks.forges.gitlab.forge import GitLabForge
from sdd_hooks.forges.protocol import ForgeClientFactory, ForgeVendor, JobContext, PullRequest
from sdd_hooks.hosts.gitlab import API_PATH, LABEL, NAME_PATTERN, rate_limit
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.remote.credentials import Secret

ADVICE = (
    "set SDD_TOKEN to a project access token with the scope api and the role Developer"
    " (the token of a job cannot write)"
)
_JOB_TOKEN_PREFIX = "glcbt-"  # noqa: S105 (the prefix of every job token)
_NUMBER = lazy_regex(r"[1-9][0-9]{0,17}")
_PATH = lazy_regex(rf"{NAME_PATTERN}(?:/{NAME_PATTERN}){{1,21}}")


def _detect_job(environ: Mapping[str, str]) -> JobContext | None:
    """The job of GitLab CI that this environment belongs to; None in any other environment."""
    if environ.get("GITLAB_CI") != "true":
        return None
    api_url = environ.get("CI_API_V4_URL", "").rstrip("/")
    web_url = environ.get("CI_SERVER_URL", "").rstrip("/") or api_url.removesuffix(API_PATH)
    event = environ.get("CI_PIPELINE_SOURCE", "")
    pull = _parse_merge_request(environ)
    # A job for a merge request of a fork runs in the fork; the merge request is in the target.
    target = environ.get("CI_MERGE_REQUEST_PROJECT_PATH", "") if pull else ""
    repository = target or environ.get("CI_PROJECT_PATH", "")
    if None in {parse_endpoint(api_url), parse_endpoint(web_url)}:
        return None
    if not _PATH.fullmatch(repository):
        return None
    return JobContext(
        web_url=web_url,
        api_url=api_url,
        repository=repository,
        event=event,
        sha=valid_commit(environ.get("CI_COMMIT_SHA", "")),
        before=valid_commit(environ.get("CI_COMMIT_BEFORE_SHA", "")),
        branch=valid_branch(environ.get("CI_COMMIT_BRANCH", "")),
        default_branch=valid_branch(environ.get("CI_DEFAULT_BRANCH", "")),
        pull=pull,
        is_unmerged=event == "external_pull_request_event",  # a pull request on another host
        pull_refs="refs/merge-requests/*/head",
        queued_behind=_commit_before(environ),
    )


def token_headers(secret: Secret) -> Mapping[str, str]:
    """The header that carries a token; tokens of jobs have another one."""
    if secret.value.startswith(_JOB_TOKEN_PREFIX):
        return {"JOB-TOKEN": secret.value}
    return {"PRIVATE-TOKEN": secret.value}


def _parse_merge_request(environ: Mapping[str, str]) -> PullRequest | None:
    """The merge request of the pipeline."""
    iid = environ.get("CI_MERGE_REQUEST_IID", "")
    if not _NUMBER.fullmatch(iid):
        return None
    target = environ.get("CI_MERGE_REQUEST_PROJECT_ID", "")
    body = environ.get("CI_MERGE_REQUEST_DESCRIPTION", "")
    if environ.get("CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED") == "true":
        body = ""
    # In a pipeline for merged results CI_COMMIT_SHA is a merge commit that GitLab created.
    head = environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or environ.get("CI_COMMIT_SHA", "")
    return PullRequest(
        number=int(iid),
        title=environ.get("CI_MERGE_REQUEST_TITLE", ""),
        body=body,
        base=valid_commit(environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")),
        base_ref=valid_branch(environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "")),
        head=valid_commit(head),
        is_fork=not target or environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != target,
        ref=f"refs/merge-requests/{iid}/head",
        head_ref=valid_branch(environ.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "")),
    )


def _commit_before(environ: Mapping[str, str]) -> str:
    """In a merge train, the commit of the merge request before this one, or of the target branch.

    GitLab merges each of a train into the one before:
    https://docs.gitlab.com/ci/pipelines/merge_trains/
    """
    if environ.get("CI_MERGE_REQUEST_EVENT_TYPE") != "merge_train":
        return ""
    return valid_commit(environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""))


def _open(context: JobContext, connect: ForgeClientFactory) -> GitLabForge:
    client = connect(
        context.api_url, label=LABEL, headers=token_headers, rate_limit=rate_limit, advice=ADVICE
    )
    return GitLabForge(context, client)


# GitLab requires this user name beside the token of a job, and accepts any beside other tokens.
VENDOR = ForgeVendor(
    LABEL,
    _detect_job,
    _open,
    git_user="gitlab-ci-token",
    api_url=lambda web_url: f"{web_url}{API_PATH}",
)
