"""The checks and files of a pull request on Gitea or Forgejo, and its merge."""

# Governing: ADR-0054 (pull requests are reviewed and merged together), SPEC-0011 REQ "Checks and
# merges"

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.forges.comments import write_access
from sdd_hooks.forges.protocol import Checks, MergeRefused, MergeStrategy, PullRequest
from sdd_hooks.forges.pull_checks import (
    UNKNOWN,
    CheckResult,
    OneState,
    combine_checks,
    refused_merge,
)
from sdd_hooks.hosts.gitea import LABEL, window_of
from sdd_hooks.remote.json_fields import Json, rows, text
from sdd_hooks.remote.paging import Window, read_windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

_PASSED = frozenset({"success", "warning", "skipped"})
_REFUSED = (405, 409, 422, 423)
"""The statuses of a merge that is not possible now: a conflict, a rule, another head, or an
archived repository."""


def read_checks(client: Client, repository: str, sha: str) -> Checks:
    """The last status of each context of a commit. `repository` is its path in the API."""
    try:
        combined = client.get(f"{repository}/commits/{sha}/status").json()
    except (AccessRefused, Missing):
        return UNKNOWN
    statuses = rows(combined, "statuses")
    return combine_checks(CheckResult(text(one, "context"), _state(one)) for one in statuses)


def read_files(client: Client, repository: str, number: int) -> tuple[str, ...] | None:
    """The paths that a pull request changes, old and new; None for a server that is too old."""

    def request(page: int, limit: int) -> Window:
        response = client.get(f"{repository}/pulls/{number}/files", {"page": page, "limit": limit})
        entries = response.json()
        if not isinstance(entries, list):
            raise RemoteError(f"{LABEL} answers without a list: check the URL")
        return window_of(response, entries, limit)

    paths: dict[str, None] = {}
    try:
        for window in read_windows(request, lambda file: text(file, "filename") or None, LABEL):
            for file in window.rows:
                ends = (text(file, "previous_filename"), text(file, "filename"))
                paths.update(dict.fromkeys(filter(None, ends)))
    except Missing:
        return None
    return tuple(paths)


def merge(client: Client, repository: str, pull: PullRequest, strategy: MergeStrategy) -> None:
    """Merge a pull request. Raises MergeRefused and WriteDenied."""
    body = {"Do": strategy, "head_commit_id": pull.head}
    with write_access():
        response = client.send(
            "POST", f"{repository}/pulls/{pull.number}/merge", body, allow=_REFUSED
        )
    if response.status in _REFUSED:
        # A server may refuse without a body.
        message = text(response.json(), "message") if response.body else ""
        raise MergeRefused(refused_merge(LABEL, pull.number, client.redact(message)))


def _state(status: Json) -> OneState:
    # The name of the field changed between versions.
    state = text(status, "status") or text(status, "state")
    return "success" if state in _PASSED else "pending" if state == "pending" else "failure"
