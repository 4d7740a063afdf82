"""The state of a commit from the results of its checks, and the message of a refused merge."""

# Governing: SPEC-0011 REQ "Checks and merges"

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sdd_hooks.forges.protocol import Checks
from sdd_hooks.named_tuple import NamedTuple

UNKNOWN = Checks("unknown")


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


def refused_merge(label: str, number: int, reason: str) -> str:
    """The message of a merge that a host refuses. `reason` is what it says, "" for nothing."""
    said = f" ({reason})" if reason else ""
    return f"{label} does not merge {number}{said}: update its branch, or look at it on {label}"
