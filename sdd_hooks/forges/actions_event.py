"""The job that the variables and the event file of GitHub Actions describe.

The runners of Gitea and Forgejo set the same variables. The event file contains text of strangers:
it is read within bounds, and no function here raises.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.forges.protocol import JobContext, PullRequest
from sdd_hooks.remote.json_fields import Json, field, flag, number, text
from sdd_hooks.system.git import is_object_id
from sdd_hooks.text.lazy_regex import lazy_regex

MAX_EVENT_BYTES = 32 << 20
"""Bytes of an event file that are read; the hosts themselves send at most 25 MB."""

_PULL_REF = lazy_regex(r"refs/pull/([1-9][0-9]{0,17})/(?:merge|head)")
_BRANCH_PREFIX = "refs/heads/"
# What git allows as the name of a branch, and nothing that could be read as an option.
_BRANCH = lazy_regex(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[^\x00-\x20\x7f~^:?*\[\\]{1,1000}(?<![/.])")


def read_event(path: str) -> Mapping[str, Json] | None:
    """The event in the file at `path`; None if it is not a JSON object of at most
    MAX_EVENT_BYTES."""
    try:
        if not Path(path).is_file():
            # Opening a pipe that no program writes to would wait for ever.
            return None
        with Path(path).open("rb") as file:
            data = file.read(MAX_EVENT_BYTES + 1)
        event = json.loads(data) if len(data) <= MAX_EVENT_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def parse_job(environ: Mapping[str, str], *, web_url: str, api_url: str) -> JobContext:
    """The job that the variables `GITHUB_*` describe.

    `web_url` and `api_url` are used where the variables do not name the host. A pull request about
    which the event has no details counts as one from a fork; its number is 0 if it is unknown.
    """
    event = read_event(environ.get("GITHUB_EVENT_PATH", "")) or {}
    ref = environ.get("GITHUB_REF", "")
    branch = (
        valid_branch(ref.removeprefix(_BRANCH_PREFIX)) if ref.startswith(_BRANCH_PREFIX) else ""
    )
    merge_group = field(event, "merge_group")
    name = environ.get("GITHUB_EVENT_NAME", "")
    before = text(merge_group, "base_sha") if merge_group else text(event, "before")
    return JobContext(
        web_url=environ.get("GITHUB_SERVER_URL", "").rstrip("/") or web_url,
        api_url=environ.get("GITHUB_API_URL", "").rstrip("/") or api_url,
        repository=environ.get("GITHUB_REPOSITORY", ""),
        event=name,
        sha=valid_commit(environ.get("GITHUB_SHA", "")),
        before=valid_commit(before),
        branch=branch,
        # A scheduled event has no repository, and runs on the default branch alone.
        default_branch=valid_branch(text(event, "repository", "default_branch"))
        or (branch if name == "schedule" else ""),
        pull=_pull_of_event(event, name, ref, environ),
        followed_sha=_followed_sha(event),
        is_unmerged=bool(merge_group),
        queued_behind=valid_commit(text(merge_group, "base_sha")),
    )


def parse_pull_request(data: Json) -> PullRequest | None:
    """A pull request in the format of events and of the API; None if it has no number."""
    id = number(data, "number")
    if id is None or not 0 < id < 10**18:
        return None
    return PullRequest(
        number=id,
        title=text(data, "title"),
        body=text(data, "body"),
        base=valid_commit(text(data, "base", "sha")),
        base_ref=valid_branch(text(data, "base", "ref")),
        head=valid_commit(text(data, "head", "sha")),
        is_fork=not is_same_repository(field(data, "head", "repo"), field(data, "base", "repo")),
        ref=f"refs/pull/{id}/head",
        is_open=text(data, "state") in {"open", ""},
        head_ref=valid_branch(text(data, "head", "ref")),
        is_draft=flag(data, "draft"),
        is_merged=flag(data, "merged") or text(data, "merged_at") != "",
        merged_at=text(data, "merged_at"),
        is_locked=flag(data, "locked") or flag(data, "is_locked"),
    )


def is_same_repository(one: Json, other: Json) -> bool:
    """Whether both are the same repository. They are compared by id, which survives a rename."""
    id = number(one, "id")
    return id is not None and id == number(other, "id")


def valid_commit(value: str) -> str:
    """`value` if it is the id of a commit; "" for anything else, and for the id of no commit."""
    return value if is_object_id(value) and value.strip("0") else ""


def valid_branch(value: str) -> str:
    """`value` if it can be the name of a branch, else ""."""
    return value if _BRANCH.fullmatch(value) else ""


def _pull_of_event(
    event: Mapping[str, Json], name: str, ref: str, environ: Mapping[str, str]
) -> PullRequest | None:
    """The pull request of the event; None for an event of another kind."""
    pull = parse_pull_request(event.get("pull_request"))
    if pull is not None:
        return pull
    issue = event.get("issue")
    if field(issue, "pull_request"):
        pull = parse_pull_request(issue)
        if pull is not None:
            return pull
    elif not name.startswith("pull_request"):
        return None
    match = _PULL_REF.fullmatch(ref)
    base_ref = valid_branch(environ.get("GITHUB_BASE_REF", ""))
    id = int(match[1]) if match else 0
    return PullRequest(id, "", "", "", base_ref, "", is_fork=True, ref=f"refs/pull/{id}/head")


def _followed_sha(event: Mapping[str, Json]) -> str:
    """The commit of the workflow run that this event follows, if a pull request started that."""
    followed = event.get("workflow_run")
    started_by = text(followed, "event")
    if started_by and not started_by.startswith("pull_request"):
        return ""
    return valid_commit(text(followed, "head_sha"))
