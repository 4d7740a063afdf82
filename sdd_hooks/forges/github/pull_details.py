"""The checks and files of a pull request on GitHub, and its merge.

https://docs.github.com/rest/checks/runs, /rest/commits/statuses, /rest/pulls/pulls
"""

# Governing: ADR-0054 (pull requests are reviewed and merged together), SPEC-0011 REQ "Checks and
# merges"

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.errors import AccessRefused, Missing
from sdd_hooks.forges.github.api import RepositoryApi
from sdd_hooks.forges.protocol import Checks, MergeRefused, MergeStrategy, PullRequest
from sdd_hooks.forges.pull_checks import (
    UNKNOWN,
    CheckResult,
    OneState,
    combine_checks,
    refused_merge,
)
from sdd_hooks.hosts.github import LABEL
from sdd_hooks.remote.json_fields import Json, rows, text

MAX_FILES = 3000
"""Files of a pull request that GitHub lists."""

_PASSED = frozenset({"success", "neutral", "skipped"})
_REFUSED = (405, 409, 422)
"""The statuses of a merge that is not possible now: a conflict, a rule, or another head."""


def read_checks(api: RepositoryApi, sha: str) -> Checks:
    """The check runs and the statuses of a commit, together."""
    try:
        runs = api.list_below(f"commits/{sha}/check-runs", "check_runs", {"filter": "latest"})
        results = [CheckResult(text(run, "name"), _run_state(run)) for run in runs]
        # The combined status has the last status of each context.
        statuses = rows(api.get(f"commits/{sha}/status"), "statuses")
    except (AccessRefused, Missing):
        # A fine-grained token may lack the permission for checks.
        return UNKNOWN
    results += [CheckResult(text(one, "context"), _status_state(one)) for one in statuses]
    return combine_checks(results)


def read_files(api: RepositoryApi, number: int) -> tuple[str, ...] | None:
    """The paths that a pull request changes, old and new; None if GitHub does not list all."""
    paths: dict[str, None] = {}
    count = 0
    for file in api.list(f"pulls/{number}/files", key="filename"):
        count += 1
        ends = (text(file, "previous_filename"), text(file, "filename"))
        paths.update(dict.fromkeys(filter(None, ends)))
    return tuple(paths) if count < MAX_FILES else None


def merge(api: RepositoryApi, pull: PullRequest, strategy: MergeStrategy) -> None:
    """Merge a pull request. Raises MergeRefused and WriteDenied."""
    body: Mapping[str, object] = {"merge_method": strategy, "sha": pull.head}
    response = api.write("PUT", f"pulls/{pull.number}/merge", body, allow=_REFUSED)
    if response.status in _REFUSED:
        raise MergeRefused(
            refused_merge(LABEL, pull.number, api.client.redact(text(response.json(), "message")))
        )


def _status_state(status: Json) -> OneState:
    state = text(status, "state")
    return "success" if state == "success" else "pending" if state == "pending" else "failure"


def _run_state(run: Json) -> OneState:
    if text(run, "status") != "completed":
        return "pending"
    return "success" if text(run, "conclusion") in _PASSED else "failure"
