"""Whether a run in CI is about a pull request from somebody else's repository."""

# Governing: SPEC-0010 REQ "Judge", ADR-0012 (untrusted input never leaves the repository)

from __future__ import annotations

from collections.abc import Mapping

from sdd_hooks.forges.event import read_event, same_repository
from sdd_hooks.remote.json_fields import field


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
    event = read_event(path)
    if event is None:
        return True
    pull = event.get("pull_request")
    if pull:
        return not same_repository(field(pull, "head", "repo"), field(pull, "base", "repo"))
    started_by = event.get("workflow_run")
    if started_by:
        return not same_repository(field(started_by, "head_repository"), event.get("repository"))
    return bool(field(event.get("issue"), "pull_request")) or _expected(environ)


def _expected(environ: Mapping[str, str]) -> bool:
    """Whether the event is one that always is about a pull request."""
    return environ.get("GITHUB_EVENT_NAME", "").startswith("pull_request")
