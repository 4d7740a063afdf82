"""Bring the issues of the tracker in, with the token that is for it."""

# Governing: ADR-0018 (tracker issues as files), ADR-0019 (a token belongs to one host),
# SPEC-0012 REQ "Inputs", REQ "Outputs"

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.outcome import Outcome
from sdd_hooks.errors import EXIT_OK
from sdd_hooks.forges.registry import CiJob
from sdd_hooks.project.project import Project
from sdd_hooks.remote.urls import parse_endpoint
from sdd_hooks.trackers.source import NoTracker, TrackerSource, find_source, find_sources
from sdd_hooks.trackers.sync import SyncResult
from sdd_hooks.usecases.sync import SyncCallbacks, sync_sources


def sync(
    project: Project,
    ci_job: CiJob | None,
    inputs: Inputs,
    now: float,
    callbacks: SyncCallbacks,
) -> Outcome:
    """Sync the issues of the repository and of its modules.

    No tracker at all is an error only for the command `sync`. The project's environment holds no
    token of the inputs; `now` is in epoch seconds. Raises SddError where the only tracker there is
    cannot be told.
    """
    try:
        sources = find_sources(project, None, lambda part: find_source(project, part, now))
    except NoTracker as error:
        if inputs.command == "sync":
            raise
        return Outcome({"issues-synced": "0"}, notes=(f"no issues: {error}",))
    changed = 0
    log: list[str] = []
    notes: list[str] = []
    failures = list(sources.failures)
    own = sources.found[0].found.vendor
    if inputs.tracker_token and not own.token_variables:
        notes.append(f"tracker-token was not used: {own.label} takes none")
    with_tokens = [
        _with_token(project, source, _token(source, sources.found, ci_job, inputs))
        for source in sources.found
    ]
    for done in sync_sources(project, with_tokens, lambda: now, callbacks):
        if done.error:
            failures.append(done.error)
        elif done.result:
            result = done.result
            changed += result.added + result.updated + result.removed
            log.append(_line(done.source, result))
            notes += done.warnings
    return Outcome(
        {"issues-synced": str(changed)},
        notes=tuple(notes),
        log=tuple(log),
        exit_code=max((one.exit_code for one in failures), default=EXIT_OK),
        errors=tuple(map(str, failures)),
    )


def _token(
    source: TrackerSource, sources: Sequence[TrackerSource], ci_job: CiJob | None, inputs: Inputs
) -> str:
    """The token of the inputs that belongs to the tracker of a source; "" for none of them.

    `tracker-token` is for the tracker of the repository, or where that has none for the one of the
    first module that has one; and for whatever else is on the same host.
    """
    if inputs.tracker_token and _place(source) == _place(sources[0]):
        return inputs.tracker_token
    if ci_job is None:
        return ""
    forge = (ci_job.name, parse_endpoint(ci_job.context.web_url))
    return inputs.token if _place(source) == forge else ""


def _place(source: TrackerSource) -> tuple[str, object]:
    """A tracker by its name, and the end of its host."""
    return source.found.name, parse_endpoint(source.found.location.url)


def _with_token(project: Project, source: TrackerSource, token: str) -> TrackerSource:
    """The source, opened with this token in the variables of its vendor; "" for none."""
    variables = source.found.vendor.token_variables if token else ()
    if not variables:
        return source
    environ = {**project.environ, **dict.fromkeys(variables, token)}
    return source._replace(repository=source.repository._replace(environ=environ))


def _line(source: TrackerSource, done: SyncResult) -> str:
    """A sync in a line."""
    if not done.ran:
        return f"{source.collection.name}: another sync is at work"
    counts = {
        "added": done.added,
        "updated": done.updated,
        "removed": done.removed,
        "failed": done.failed,
    }
    said = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return f"issues of {source.label} in {source.collection.name}: {said or 'none changed'}"
