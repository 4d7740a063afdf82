"""The pipeline and files of a merge request on GitLab, and its merge.

https://docs.gitlab.com/api/merge_requests/
"""

# Governing: ADR-0054 (pull requests are reviewed and merged together), SPEC-0011 REQ "Checks and
# merges"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.errors import Missing
from sdd_hooks.forges.comments import write_access
from sdd_hooks.forges.protocol import Checks, MergeRefused, MergeStrategy, PullRequest
from sdd_hooks.forges.pull_checks import (
    UNKNOWN,
    CheckResult,
    OneState,
    combine_checks,
    refused_merge,
)
from sdd_hooks.hosts.gitlab import LABEL, PAGE_SIZE
from sdd_hooks.remote.json_fields import Json, field, text
from sdd_hooks.remote.paging import read_listing

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

_PASSED = frozenset({"success", "skipped"})
_FAILED = frozenset({"failed", "canceled"})
_REFUSED = (405, 406, 409, 422)
"""The statuses of a merge that is not possible now: a rule, a conflict, or another head."""


def read_checks(client: Client, merge_request: str, head: str) -> Checks:
    """The state of the last pipeline of a merge request, at its path in the API."""
    entry = client.get(merge_request).json()
    pipeline = field(entry, "head_pipeline")
    if pipeline is None:
        # A token that may not read pipelines gets no such field.
        return Checks("none") if "head_pipeline" in _names(entry) else UNKNOWN
    if text(pipeline, "sha") not in ("", head):
        return Checks("pending", pending=("pipeline",))
    return combine_checks((CheckResult("pipeline", _state(text(pipeline, "status"))),))


def read_files(client: Client, merge_request: str) -> tuple[str, ...] | None:
    """The paths that a merge request changes, old and new; None for GitLab before 15.7."""
    paths: dict[str, None] = {}
    listing = f"{merge_request}/diffs"
    try:
        for file in read_listing(client, listing, {"per_page": PAGE_SIZE}, key="new_path"):
            ends = (text(file, "old_path"), text(file, "new_path"))
            paths.update(dict.fromkeys(filter(None, ends)))
    except Missing:
        return None
    return tuple(paths)


def merge(client: Client, merge_request: str, pull: PullRequest, strategy: MergeStrategy) -> None:
    """Merge a merge request. Raises MergeRefused and WriteDenied.

    Whether commits are rebased is a setting of the project; a merge can only choose to squash.
    """
    body = {"sha": pull.head, "squash": strategy == "squash"}
    with write_access():
        response = client.send("PUT", f"{merge_request}/merge", body, allow=_REFUSED)
    if response.status in _REFUSED:
        message = client.redact(text(response.json(), "message"))
        raise MergeRefused(refused_merge(LABEL, pull.number, message))


def _names(entry: Json) -> frozenset[str]:
    return frozenset(entry) if isinstance(entry, dict) else frozenset()


def _state(status: str) -> OneState:
    return "success" if status in _PASSED else "failure" if status in _FAILED else "pending"
