"""What can be wrong with an installation or an index, found by looking, mended by nobody."""

# Governing: SPEC-0005 REQ "Doctor"

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.artifacts.work_tree import read_work_tree
from sdd_hooks.engines.protocol import Engine, IndexStatus
from sdd_hooks.engines.registry import find_backend, is_indexed, open_engine, require_engine
from sdd_hooks.errors import EngineUnavailable, RepositoryError, SddError
from sdd_hooks.findings import Finding
from sdd_hooks.freshness import tiers
from sdd_hooks.project.collections import Collection
from sdd_hooks.project.project import Project
from sdd_hooks.setup.plan import plan
from sdd_hooks.system.git import Git
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.source import find_source
from sdd_hooks.trackers.sync import last_synced

OLDEST_GIT = (2, 31)

EMBED = "`sdd index embed` downloads that, once"

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: how it is, in one line, and what to do about it."""

    name: str
    level: Level
    message: str
    advice: str = ""


def git_check(git: Git) -> Check:
    """Whether git is there and new enough."""
    try:
        answer = git.output("--version").decode("utf-8", "replace")
    except RepositoryError as error:
        return Check("git", "fail", str(error))
    numbers = re.search(r"(\d+)\.(\d+)(?:\.\d+)*", answer)
    if numbers is None:
        return Check("git", "warn", f"says {answer.strip()!r}")
    old = (int(numbers[1]), int(numbers[2])) < OLDEST_GIT
    level: Level = "fail" if old else "ok"
    return Check("git", level, numbers[0], "install git 2.31 or newer" if old else "")


def project_checks(project: Project, now: float) -> Iterator[Check]:
    """Everything about a project and its index, in the order in which one thing needs another.

    `now` is in epoch seconds.
    """
    yield Check("repository", "ok", str(project.repository.root))
    for warning in project.warnings:
        yield Check("configuration", "warn", warning, "correct the line")
    if not project.warnings:
        memory = project.configuration.memory_file
        yield Check("configuration", "ok", str(memory) if memory else "defaults")
    yield _set_up(project)
    yield _libraries()
    yield from _index_checks(project)
    yield from _model(project)
    yield _artifacts(project)
    yield from _trackers(project, now)


def _set_up(project: Project) -> Check:
    try:
        names = [change.name for change in plan(project).changes]
    except SddError as error:
        return Check("set-up", "fail", str(error))
    if names:
        return Check("set-up", "warn", f"{', '.join(names)} incomplete", "run `sdd init`")
    return Check("set-up", "ok", "complete")


def _libraries() -> Check:
    from importlib.metadata import requires, version

    needed = [one for one in requires("sdd-hooks") or () if "extra ==" not in one]
    names = [match[0] for one in needed if (match := re.match(r"[\w.-]+", one))]
    return Check("libraries", "ok", ", ".join(f"{name} {version(name)}" for name in names))


def _index_checks(project: Project) -> Iterator[Check]:
    try:
        found = require_engine(project)
    except EngineUnavailable as error:
        yield Check("engine", "fail", str(error))
        return
    yield Check("engine", "ok", found)
    if not is_indexed(project):
        yield Check("index", "warn", "nothing is indexed", "run `sdd index`")
        return
    try:
        engine = open_engine(project)
    except SddError as error:
        yield Check("index", "fail", str(error))
        return
    try:
        yield from _open_index_checks(project, engine)
    except SddError as error:
        yield Check("index", "fail", str(error))
    finally:
        engine.close()


def _open_index_checks(project: Project, engine: Engine) -> Iterator[Check]:
    status = engine.status()
    if not status.collections:
        yield Check("index", "warn", "nothing is indexed", "run `sdd index`")
        return
    faults = engine.check()
    for fault in faults:
        advice = f"delete {project.repository.search_dir} and run `sdd index`"
        yield Check("index", "fail", fault, advice)
    if not faults:
        documents = sum(one.documents for one in status.collections)
        yield Check("index", "ok", f"sound, {documents} documents in {status.location}")
    yield _freshness(project, status)
    yield _vectors(status)


def _freshness(project: Project, status: IndexStatus) -> Check:
    head = (project.repository.git.try_output("rev-parse", "HEAD") or b"").decode().strip()
    declared = {one.name: one for one in project.collections}
    behind = []
    for one in status.collections:
        collection = declared.get(one.name)
        if collection is None:
            behind.append(f"{one.name} is declared no more")
        elif one.bookmark is None:
            behind.append(f"{one.name} is unfinished")
        elif one.bookmark.definition != collection.definition():
            behind.append(f"{one.name} is declared differently now")
        elif _follows_head(collection) and head not in {"", one.bookmark.head}:
            behind.append(f"{one.name} is not at HEAD")
    if behind:
        return Check("freshness", "warn", "; ".join(behind), "run `sdd index update`")
    return Check("freshness", "ok", f"at HEAD {head[:12]}" if head else "no commit yet")


def _follows_head(collection: Collection) -> bool:
    return collection.kind != "issues" and not collection.repository


def _vectors(status: IndexStatus) -> Check:
    if status.pending:
        message = f"{status.pending} chunks unembedded, searches go by words"
        return Check("vectors", "warn", message, "run `sdd index embed`")
    return Check("vectors", "ok", f"every chunk has one ({status.model})")


def _model(project: Project) -> Iterator[Check]:
    try:
        backend = find_backend(project)
        missing = backend.required_download(project)
        found = "" if missing else backend.embedder(project)
    except EngineUnavailable as error:
        yield Check("model", "warn", str(error))
        return
    if missing:
        yield Check("model", "warn", f"not here yet: {missing.content}", EMBED)
    elif found:
        yield Check("model", "ok", found)


def _artifacts(project: Project) -> Check:
    try:
        corpus, left_out = read_work_tree(project.repository.git, project.select(("adrs", "specs")))
    except SddError as error:
        return Check("artifacts", "fail", str(error))
    problems = [f"{_place(one)}: {one.message}" for one in validate_artifacts(corpus)] + left_out
    count = len(corpus.artifacts)
    if problems:
        message = f"{len(problems)} wrong in {count}, the first: {problems[0]}"
        return Check("artifacts", "warn", message)
    return Check("artifacts", "ok", f"{count} without a problem")


def _trackers(project: Project, now: float) -> Iterator[Check]:
    """Where the issues of the repository and its modules come from; nothing where none do."""
    for module in ("", *(one.name for one in project.modules)):
        part = f"{module}: " if module else ""
        try:
            source, broken = find_source(project, module, now, online=False)
        except SddError as error:
            yield Check("tracker", "warn", f"{part}{error}")
            continue
        if not module:
            yield from (Check("tracker", "warn", line) for line in broken)
        if source is not None:
            synced = tiers.age(now, last_synced(source.folder))
            ago = "never synced" if synced is None else f"synced {format_duration(synced)} ago"
            yield Check("tracker", "ok", f"{part}{source.tracker}, {ago}")


def _place(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}" if finding.line else finding.path
