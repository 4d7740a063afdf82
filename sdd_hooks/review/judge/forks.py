"""Whether a run in CI is about a pull request from somebody else's repository."""

# Governing: SPEC-0010 REQ "Judge", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_LARGEST = 32 << 20
"""Bytes of an event that are read; the hosts themselves send none above 25 MB."""


def from_fork(environ: Mapping[str, str]) -> bool:
    """Whether the pull request that this run is about comes from a fork, or may come from one.

    GitHub and Gitea describe the event in a file: a pull request is from a fork when its head's
    repository is not its base's, or is gone, and so is a run that was started by a workflow of
    another repository. GitLab has two variables. An event about a pull request that does not say
    where it comes from counts as one from a fork; a run that is about none does not.
    """
    target = environ.get("CI_MERGE_REQUEST_PROJECT_ID", "")
    if target and environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != target:
        return True
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return _expected(environ)
    event = _event(Path(path))
    if event is None:
        return True
    pull = event.get("pull_request")
    if pull:
        return not _same(_field(pull, "head", "repo"), _field(pull, "base", "repo"))
    started_by = event.get("workflow_run")
    if started_by:
        return not _same(_field(started_by, "head_repository"), event.get("repository"))
    return bool(_field(event.get("issue"), "pull_request")) or _expected(environ)


def _expected(environ: Mapping[str, str]) -> bool:
    """Whether the event is one that always is about a pull request."""
    return environ.get("GITHUB_EVENT_NAME", "").startswith("pull_request")


def _event(path: Path) -> Mapping[str, object] | None:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        event = json.loads(data) if len(data) <= _LARGEST else None
    except (OSError, ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _field(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _same(one: object, other: object) -> bool:
    """Whether both are a repository, and the same one. Its number survives a rename."""
    first, second = _field(one, "id"), _field(other, "id")
    return isinstance(first, int) and first == second
