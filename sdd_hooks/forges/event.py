"""What a runner tells a job about the event that started it, in GitHub's words and its file.

Gitea and Forgejo speak them too. The file has text of strangers in it, and is read within bounds;
nothing here raises.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.forges.protocol import PullRequest, Run
from sdd_hooks.remote.json_fields import Json, field, number, text
from sdd_hooks.system.git import is_object_id

LARGEST = 32 << 20
"""Bytes of an event that are read; the hosts themselves send none above 25 MB."""

_PULL = re.compile(r"refs/pull/([1-9][0-9]{0,17})/(?:merge|head)")
_BRANCH = "refs/heads/"
# No more than git allows in the name of a branch, and nothing that could pass for an option.
_REF = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{))[^\x00-\x20\x7f~^:?*\[\\]{1,1000}(?<![/.])")


def read_event(path: str) -> Mapping[str, Json] | None:
    """The event that the file at `path` describes; None where that is no such file."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
        event = json.loads(data) if len(data) <= LARGEST else None
    except (OSError, ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def run_of(environ: Mapping[str, str], *, web: str, api: str) -> Run:
    """The job that the variables `GITHUB_*` are about. `web` and `api` are where its host is when
    they do not say.

    A pull request of which the event says no more than that it is one has a number, counts as one
    from a fork, and has the number 0 where not even that is known.
    """
    event = read_event(environ.get("GITHUB_EVENT_PATH", "")) or {}
    ref = environ.get("GITHUB_REF", "")
    branch = branch_name(ref.removeprefix(_BRANCH)) if ref.startswith(_BRANCH) else ""
    merging = field(event, "merge_group")
    name = environ.get("GITHUB_EVENT_NAME", "")
    return Run(
        web=environ.get("GITHUB_SERVER_URL", "").rstrip("/") or web,
        api=environ.get("GITHUB_API_URL", "").rstrip("/") or api,
        repository=environ.get("GITHUB_REPOSITORY", ""),
        event=name,
        sha=commit_id(environ.get("GITHUB_SHA", "")),
        before=commit_id(text(merging, "base_sha") if merging else text(event, "before")),
        branch=branch,
        # A schedule says nothing of the repository, and runs on its default branch alone.
        default_branch=branch_name(text(event, "repository", "default_branch"))
        or (branch if name == "schedule" else ""),
        pull=_pull_of_event(event, name, ref, environ),
        head=_followed(event),
        merging=bool(merging),
    )


def pull_request_of(data: Json) -> PullRequest | None:
    """A pull request as events and the API have it; None where it has no number."""
    found = number(data, "number")
    if found is None or not 0 < found < 10**18:
        return None
    return PullRequest(
        number=found,
        title=text(data, "title"),
        body=text(data, "body"),
        base=commit_id(text(data, "base", "sha")),
        base_ref=branch_name(text(data, "base", "ref")),
        head=commit_id(text(data, "head", "sha")),
        fork=not same_repository(field(data, "head", "repo"), field(data, "base", "repo")),
        ref=f"refs/pull/{found}/head",
        open=text(data, "state") in {"open", ""},
    )


def same_repository(one: Json, other: Json) -> bool:
    """Whether both are a repository, and the same one. Its number survives a rename."""
    first = number(one, "id")
    return first is not None and first == number(other, "id")


def commit_id(value: str) -> str:
    """The id of a commit; "" for what is none, and for the one of no commit."""
    return value if is_object_id(value) and value.strip("0") else ""


def branch_name(value: str) -> str:
    """The name of a branch; "" for what can be none."""
    return value if _REF.fullmatch(value) else ""


def _pull_of_event(
    event: Mapping[str, Json], name: str, ref: str, environ: Mapping[str, str]
) -> PullRequest | None:
    """The pull request that the event is about; None for any other event."""
    found = pull_request_of(event.get("pull_request"))
    if found is not None:
        return found
    issue = event.get("issue")
    if field(issue, "pull_request"):
        known = pull_request_of(issue)
        if known is not None:
            return known
    elif not name.startswith("pull_request"):
        return None
    named = _PULL.fullmatch(ref)
    base_ref = branch_name(environ.get("GITHUB_BASE_REF", ""))
    id = int(named[1]) if named else 0
    return PullRequest(id, "", "", "", base_ref, "", fork=True, ref=f"refs/pull/{id}/head")


def _followed(event: Mapping[str, Json]) -> str:
    """The commit of the job that this one follows, unless that was about no pull request."""
    followed = event.get("workflow_run")
    started = text(followed, "event")
    if started and not started.startswith("pull_request"):
        return ""
    return commit_id(text(followed, "head_sha"))
