"""Refresh the index, embed where the runner can, and share the vectors."""

# Governing: ADR-0024 (the action is a command), ADR-0025 (vectors travel in a git ref),
# SPEC-0012 REQ "Devices and caches"

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from sdd_hooks.action.gpu import gpu_of
from sdd_hooks.action.outcome import Outcome
from sdd_hooks.embedding.run import EmbedTask, embed_in_foreground, find_task
from sdd_hooks.engines.protocol import EmbedReport, Engine, Progress
from sdd_hooks.engines.registry import open_engine
from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.freshness.refresh import refresh
from sdd_hooks.project.project import Project
from sdd_hooks.text.display import format_count


def update(project: Project, progress: Progress) -> Outcome:
    """Bring every declared collection up to date, created when missing. Raises SddError."""
    done = refresh(project, collections=project.select(), progress=progress)
    total = done.total
    counts = {
        "added": total.added,
        "updated": total.updated,
        "removed": total.removed,
    }
    said = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    return Outcome(notes=done.notes, log=(f"documents: {said or 'none changed'}",))


def embed(
    project: Project,
    access: Mapping[str, str],
    progress: Progress,
) -> Outcome:
    """Refresh the index and give a vector to every chunk without one, here and now.

    With `Share Vectors`, those of others are brought in before and all are pushed after; `access`
    is git's environment for that. Raises SddError for an index that cannot be used.
    """
    refreshed = update(project, progress)
    shares = project.configuration.search.share_vectors
    with closing(open_engine(project)) as engine:
        pulled = pushed = Outcome()
        todo = find_task(project, engine, project.collections)
        if shares and todo.wanted:
            try:
                pulled = _pulled(project, engine, access, progress)
            except EngineUnavailable as error:
                # That holds for a push as well.
                shares, pulled = False, Outcome(notes=(str(error),))
            todo = find_task(project, engine, project.collections)
        embedded = _embedded(project, engine, todo, progress)
        if shares:
            # What was embedded before a failure is worth as much.
            pushed = _pushed(project, engine, access, progress)
    return Outcome(
        outputs=embedded.outputs,
        notes=(*refreshed.notes, *pulled.notes, *embedded.notes, *pushed.notes),
        log=(*refreshed.log, *pulled.log, *embedded.log, *pushed.log),
        exit_code=embedded.exit_code or pushed.exit_code,
        errors=embedded.errors or pushed.errors,
    )


def _embedded(
    project: Project,
    engine: Engine,
    todo: EmbedTask,
    progress: Progress,
) -> Outcome:
    """Embed; what keeps it from that is in the outcome."""
    if not todo.wanted:
        outputs = {"chunks-embedded": "0", "device": _device(engine)}
        return Outcome(outputs, log=(f"nothing to embed ({todo.model})",))
    try:
        device = engine.device()
        done = embed_in_foreground(project, engine, todo, device, progress)
    except SddError as error:
        return Outcome(exit_code=error.exit_code, errors=(str(error),))
    return Outcome(
        {"chunks-embedded": str(done.embedded), "device": done.device},
        notes=(*done.notes, *_on_cpu(project, done)),
        log=(_line(done),),
    )


def _device(engine: Engine) -> str:
    """Where it would embed, "" where it cannot: nobody asked it to."""
    try:
        return engine.device()
    except EngineUnavailable:
        return ""


def _line(done: EmbedReport) -> str:
    """An embed in a line."""
    failed = f", {done.failed:,} failed" if done.failed else ""
    left = f", {format_count(done.remaining, 'chunk')} left" if done.remaining else ""
    embedded = format_count(done.embedded, "chunk")
    return (
        f"embedded {embedded} in {done.seconds:.1f} s on {done.device} with {done.model}"
        f"{failed}{left}"
    )


def _on_cpu(project: Project, done: EmbedReport) -> tuple[str, ...]:
    """What is to be said about an embed that used no GPU."""
    if done.device != "cpu":
        return ()
    gpu = gpu_of(project.environ, project.repository.root)
    if not gpu:
        return ("embedded on a CPU: no GPU was found",)
    return (
        f"embedded on a CPU, though there is a GPU ({gpu}): the model, or how it is installed, does"
        " not use it",
    )


def _pulled(
    project: Project, engine: Engine, access: Mapping[str, str], progress: Progress
) -> Outcome:
    """Bring in the vectors of others. Without them more is embedded, which is no failure.

    Raises EngineUnavailable where the engine cannot use any.
    """
    from sdd_hooks.sharing.pull import pull

    try:
        done = pull(project, engine, access=access, progress=progress)
    except EngineUnavailable:
        raise
    except SddError as error:
        return Outcome(notes=(f"no vectors were pulled: {error}",))
    return Outcome(
        notes=done.notes,
        log=(f"pulled {format_count(done.pulled, 'vector')} of {done.vectors:,} on {done.remote}",),
    )


def _pushed(
    project: Project, engine: Engine, access: Mapping[str, str], progress: Progress
) -> Outcome:
    """Give the vectors to others. Where that fails, so does the job that was to make them."""
    from sdd_hooks.sharing.push import push

    try:
        done = push(project, engine, access=access, progress=progress)
    except SddError as error:
        message = f"the vectors were not pushed: {error}"
        return Outcome(exit_code=error.exit_code, errors=(message,))
    return Outcome(
        notes=done.notes,
        log=(f"pushed {format_count(done.pushed, 'vector')}: {done.remote} has {done.vectors:,}",),
    )
