"""Embed: pull the vectors of other machines, embed the rest, and push the result.

Vectors are pulled and pushed in repositories that share them (`Share Vectors`).
"""

# Governing: ADR-0016 (embedding in the background), ADR-0025 (vectors travel in a git ref),
# SPEC-0008 REQ "Mode"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from sdd_hooks.embedding.background import start_background_embed
from sdd_hooks.embedding.policy import ModeChoice, in_ci, select_mode
from sdd_hooks.embedding.rates import RateKey, estimate_seconds
from sdd_hooks.embedding.run import EmbedTask, embed_in_foreground, find_task
from sdd_hooks.engines.protocol import EmbedReport, Engine
from sdd_hooks.engines.registry import find_backend
from sdd_hooks.errors import EngineUnavailable, SddError
from sdd_hooks.freshness.read_gate import open_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.sharing.options import SharingOptions
from sdd_hooks.sharing.pull import PullOutcome
from sdd_hooks.sharing.push import PushOutcome
from sdd_hooks.usecases.upkeep.refresh import ShowStep, show_nothing

REMOTE = "origin"
"""The remote through which vectors are shared."""


class EmbedOptions(NamedTuple):
    """How to embed. With `push`, vectors are also pushed, even after an embed that failed.

    `access` holds what git's environment needs in addition for the remote.
    """

    mode: ModeChoice = ""
    push: bool = False
    access: Mapping[str, str] = MappingProxyType({})


DEFAULT_OPTIONS = EmbedOptions()


@dataclass(frozen=True)
class VectorSharing:
    """What was pulled before an embed and pushed after it; None where that did not happen."""

    pulled: PullOutcome | None = None
    pull_error: SddError | None = None
    pushed: PushOutcome | None = None
    push_error: SddError | None = None


@dataclass(frozen=True)
class EmbedOutcome:
    """What an embed did.

    `mode` is `running` where another embed was running, `none` where every chunk had a vector, and
    `failed` for the reason `error`. After the pull, `pending` chunks had no vector. `estimate` is
    in seconds. `pid` and `log` belong to a background process. None stands for what does not apply.
    """

    mode: Literal["foreground", "background", "skip", "running", "none", "failed"]
    device: str | None = None
    model: str | None = None
    pending: int | None = None
    report: EmbedReport | None = None
    estimate: int | None = None
    pid: int | None = None
    log: str | None = None
    error: SddError | None = None
    sharing: VectorSharing = VectorSharing()


def embed(
    project: Project,
    collections: Sequence[Collection],
    options: EmbedOptions = DEFAULT_OPTIONS,
    show_step: ShowStep = show_nothing,
) -> EmbedOutcome:
    """Give a vector to every chunk of `collections` without one.

    A failed embed is returned and not raised, so that the caller can report what was shared.
    Raises NotIndexed, and what opening the index raises.
    """
    if options.mode == "skip":
        return EmbedOutcome("skip")
    with open_index(project) as engine:
        task = find_task(project, engine, collections)
        shares = project.configuration.search.share_vectors
        sharing = VectorSharing()
        if shares and task.wanted:
            sharing = _pull(project, engine, options, show_step)
            if sharing.pulled and sharing.pulled.pulled:
                task = find_task(project, engine, collections)
        outcome = _embed_or_plan(project, engine, task, options, show_step)
        # An engine that cannot use pulled vectors cannot share its own either.
        if shares and options.push and not isinstance(sharing.pull_error, EngineUnavailable):
            sharing = _push(project, engine, options, sharing, show_step)
    if outcome.mode == "background":
        # The index is closed before the background process opens it.
        outcome = _start_in_background(project, task, outcome)
    return replace(outcome, sharing=sharing)


def _embed_or_plan(
    project: Project,
    engine: Engine,
    task: EmbedTask,
    options: EmbedOptions,
    show_step: ShowStep,
) -> EmbedOutcome:
    """Embed in the foreground, or return how the background process has to embed."""
    if not task.wanted:
        return EmbedOutcome("none", model=task.model, pending=0)
    try:
        device = engine.device()
        mode = select_mode(device, options.mode, ci=in_ci(project.environ))
        outcome = EmbedOutcome(mode, device, task.model, task.wanted)
        if mode != "foreground":
            key = RateKey(engine.name, task.model, device)
            seconds = estimate_seconds(key, task.wanted, project.environ)
            return replace(outcome, estimate=seconds)
        with show_step("embed") as progress:
            report = embed_in_foreground(project, engine, task, device, progress)
    except SddError as error:
        return EmbedOutcome("failed", error=error)
    return replace(outcome, device=report.device, model=report.model, report=report)


def _start_in_background(project: Project, task: EmbedTask, plan: EmbedOutcome) -> EmbedOutcome:
    assert plan.device is not None
    try:
        # Downloaded here, so that a failure is reported to the user and not in a log.
        find_backend(project).download(project)
        process = start_background_embed(project, task, plan.device)
    except SddError as error:
        return EmbedOutcome("failed", error=error)
    pid, log = process.pid or None, process.log or None
    if not process.started:
        return replace(plan, mode="running", estimate=None, pid=pid, log=log)
    return replace(plan, pid=pid, log=log)


def _pull(
    project: Project, engine: Engine, options: EmbedOptions, show_step: ShowStep
) -> VectorSharing:
    from sdd_hooks.sharing.pull import pull

    try:
        with show_step("pull") as progress:
            pulled = pull(project, engine, SharingOptions(REMOTE, options.access), progress)
    except SddError as error:
        # Without the vectors of others, more is embedded here.
        return VectorSharing(pull_error=error)
    return VectorSharing(pulled)


def _push(
    project: Project,
    engine: Engine,
    options: EmbedOptions,
    sharing: VectorSharing,
    show_step: ShowStep,
) -> VectorSharing:
    from sdd_hooks.sharing.push import push

    try:
        with show_step("push") as progress:
            pushed = push(project, engine, SharingOptions(REMOTE, options.access), progress)
    except SddError as error:
        return replace(sharing, push_error=error)
    return replace(sharing, pushed=pushed)
