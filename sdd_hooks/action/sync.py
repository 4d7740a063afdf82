"""Sync the issues of trackers, each with the token that belongs to it."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0012 REQ "Inputs", REQ "Outputs"

from __future__ import annotations

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.tokens import select_tracker_token
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.project.project import Project
from sdd_hooks.remote.credentials import Secret
from sdd_hooks.trackers.source import NoTracker, TrackerSource, find_source, find_sources
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks, sync_sources


def sync(
    project: Project,
    ci_job: CiJob | None,
    inputs: Inputs,
    now: float,
    callbacks: SyncCallbacks,
) -> CommandResult:
    """Sync the issues of the repository and of its modules.

    A missing tracker is an error only for the command `sync`. The environment of the project holds
    no token of the inputs; `now` is in epoch seconds. Raises SddError where the only tracker cannot
    be determined.
    """
    try:
        sources = find_sources(project, None, lambda part: find_source(project, part, now))
    except NoTracker as error:
        if inputs.command == "sync":
            raise
        return CommandResult({"issues-synced": "0"}, notes=(f"no issues: {error}",))
    changed = 0
    log: list[str] = []
    notes: list[str] = []
    failures = list(sources.failures)
    vendor = sources.found[0].tracker.vendor
    if inputs.tracker_token and not vendor.token_variables:
        notes.append(f"tracker-token was not used: {vendor.label} takes none")
    with_tokens = [
        _with_token(source, select_tracker_token(inputs.tokens, source, sources.found, ci_job))
        for source in sources.found
    ]
    for done in sync_sources(project, with_tokens, lambda: now, callbacks):
        if done.error:
            failures.append(done.error)
        elif done.result:
            result = done.result
            changed += result.added + result.updated + result.removed
            log.append(_result_line(done.source, result))
            notes += done.warnings
    return CommandResult(
        {"issues-synced": str(changed)},
        notes=tuple(notes),
        log=tuple(log),
        exit_code=max((error.exit_code for error in failures), default=EXIT_OK),
        errors=tuple(map(str, failures)),
    )


def _with_token(source: TrackerSource, token: Secret | None) -> TrackerSource:
    """The source with a token, if any, in the environment variables of its vendor."""
    variables = source.tracker.vendor.token_variables
    if token is None or not variables:
        return source
    environ = {**source.repository.environ, **dict.fromkeys(variables, token.value)}
    repository = source.repository._replace(environ=environ, token_name=token.source)
    return source._replace(repository=repository)


def _result_line(source: TrackerSource, result: SyncResult) -> str:
    """A sync in one line."""
    if not result.ran:
        return f"{source.collection.name}: another sync is running"
    counts = {
        "added": result.added,
        "updated": result.updated,
        "removed": result.removed,
        "failed": result.failed,
    }
    text = ", ".join(f"{number:,} {change}" for change, number in counts.items() if number)
    return f"issues of {source.label} in {source.collection.name}: {text or 'none changed'}"
