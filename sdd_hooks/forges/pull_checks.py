"""What the adapters of forges share about a pull request: its checks, its files, and its merge."""

# Governing: ADR-0054 (pull requests are reviewed and merged together), SPEC-0011 REQ "Checks and
# merges"

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from sdd_hooks.forges.protocol import Checks, MergeRefused
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

UNKNOWN = Checks("unknown")

MERGE_REFUSED = (405, 406, 409, 422)
"""The statuses of a merge that is not possible now: a conflict, a rule, or another head."""

OneState = Literal["success", "failure", "pending"]


class CheckResult(NamedTuple):
    """A check by its name, and its state."""

    name: str
    state: OneState


def combine_checks(results: Iterable[CheckResult]) -> Checks:
    """The state of all checks together: a failure counts more than a check that still runs."""
    listed = tuple(results)
    failed = tuple(sorted({one.name for one in listed if one.state == "failure"}))
    pending = tuple(sorted({one.name for one in listed if one.state == "pending"}))
    if not listed:
        return Checks("none")
    state: OneState = "success"
    if failed or pending:
        state = "failure" if failed else "pending"
    return Checks(state, failed, pending)


def changed_paths(files: Iterable[Json], old: str, new: str) -> tuple[str, ...]:
    """The paths in the fields `old` and `new` of changed files, each once."""
    ends = (text(file, name) for file in files for name in (old, new))
    return tuple(dict.fromkeys(filter(None, ends)))


def require_merged(client: Client, response: Response, number: int) -> None:
    """Raise MergeRefused, with what the host says, if it did not merge the pull request."""
    if 200 <= response.status < 300:
        return
    # A server may refuse without a body.
    reason = client.redact(text(response.json(), "message")) if response.body else ""
    said = f" ({reason})" if reason else ""
    raise MergeRefused(
        f"{client.label} does not merge {number}{said}: update its branch, or look at it on"
        f" {client.label}"
    )
