"""Checks of the installation, the configuration and the index. They change nothing."""

# Governing: SPEC-0005 REQ "Doctor"

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from sdd_hooks.artifacts.validation import validate_artifacts
from sdd_hooks.artifacts.work_tree import WOULD_BE_ONE, read_work_tree
from sdd_hooks.engines.protocol import Engine, IndexStatus
from sdd_hooks.engines.registry import find_backend, is_indexed, open_engine, require_engine
from sdd_hooks.errors import EngineUnavailable, RepositoryError, SddError
from sdd_hooks.external.records import read_external_records
from sdd_hooks.findings import Finding
from sdd_hooks.freshness import tiers
from sdd_hooks.knowledge.store import inspect_index, read_files
from sdd_hooks.project.collections import OUTSIDE_GIT, RECORD_KINDS, Collection
from sdd_hooks.project.knowledge_place import KnowledgePlace, find_knowledge, own_root
from sdd_hooks.project.project import Project
from sdd_hooks.setup.plan import plan_setup
from sdd_hooks.setup.records import (
    FIRST_RECORD,
    NOTHING_FOUND,
    count_records,
    describe_records,
)
from sdd_hooks.system.files import refusal
from sdd_hooks.system.git import Git
from sdd_hooks.system.installation import advise_package
from sdd_hooks.text.display import format_count
from sdd_hooks.text.durations import format_duration
from sdd_hooks.trackers.source import find_source
from sdd_hooks.trackers.sync import last_synced

MIN_GIT_VERSION = (2, 31)

DOWNLOAD_ADVICE = "`sdd index embed` downloads it once"

WRITE_ADVICE = (
    f"{FIRST_RECORD}, or declare their directory under `## Architecture Context`; {WOULD_BE_ONE}"
)

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Check:
    """The result of a check: its state in one line, and what to do about it."""

    name: str
    level: Level
    message: str
    advice: str = ""


def git_check(git: Git) -> Check:
    """Check that git runs and is new enough."""
    try:
        output = git.output("--version").decode("utf-8", "replace")
    except RepositoryError as error:
        return Check("git", "fail", str(error))
    numbers = re.search(r"(\d+)\.(\d+)(?:\.\d+)*", output)
    if numbers is None:
        return Check("git", "warn", f"unknown version {output.strip()!r}")
    is_old = (int(numbers[1]), int(numbers[2])) < MIN_GIT_VERSION
    level: Level = "fail" if is_old else "ok"
    return Check("git", level, numbers[0], "install git 2.31 or newer" if is_old else "")


def project_checks(project: Project, now: float) -> Iterator[Check]:
    """Check a project and its index. Each check may need the ones before it to succeed.

    `now` is in seconds since the epoch.
    """
    yield Check("repository", "ok", str(project.repository.root))
    for warning in project.warnings:
        # Behind the place, many a warning says what to do.
        says = warning.partition(": ")[2]
        advice = "" if ": " in says or says.endswith("?") else "correct the line"
        yield Check("configuration", "warn", warning, advice)
    if not project.warnings:
        memory = project.configuration.memory_file
        yield Check("configuration", "ok", str(memory) if memory else "defaults")
    yield from _reported("set-up", lambda: [_check_setup(project)])
    yield check_libraries(requires("sdd-hooks") or ())
    yield from _reported("index", lambda: _check_index(project))
    yield from _reported("model", lambda: _check_model(project))
    yield from _reported("artifacts", lambda: [_check_artifacts(project)])
    yield from _reported("tracker", lambda: _check_trackers(project, now))
    yield from _reported("knowledge", lambda: _check_knowledge(project))


def _reported(name: str, check: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """The results of a check. One that cannot go on fails, and the others still run."""
    try:
        yield from check()
    except SddError as error:
        yield Check(name, "fail", str(error))
    except OSError as error:
        refused = refusal(error)
        if refused is None:
            raise
        yield Check(name, "fail", str(refused))


def _check_setup(project: Project) -> Check:
    try:
        names = [edit.path for edit in plan_setup(project, declares=False).edits]
    except SddError as error:
        return Check("set-up", "fail", str(error))
    if names:
        return Check("set-up", "warn", f"{', '.join(names)} incomplete", "run `sdd init`")
    return Check("set-up", "ok", "complete")


def check_libraries(requirements: Sequence[str]) -> Check:
    """The releases of what sdd requires; a package that is missing is a failure."""
    found, missing = [], []
    for line in requirements:
        name = re.match(r"[\w.-]+", line)
        # What has a marker belongs to an extra, or to another system.
        if name is None or ";" in line:
            continue
        try:
            found.append(f"{name[0]} {version(name[0])}")
        except PackageNotFoundError:
            missing.append(name[0])
    if missing:
        advice = ", ".join(map(advise_package, missing))
        return Check("libraries", "fail", f"{', '.join(missing)} not installed", advice)
    return Check("libraries", "ok", ", ".join(found))


def _check_index(project: Project) -> Iterator[Check]:
    try:
        engine_name = require_engine(project)
    except EngineUnavailable as error:
        yield Check("engine", "fail", str(error))
        return
    yield Check("engine", "ok", engine_name)
    if not is_indexed(project):
        yield Check("index", "warn", "nothing is indexed", "run `sdd index`")
        return
    try:
        engine = open_engine(project)
    except SddError as error:
        yield Check("index", "fail", str(error))
        return
    try:
        yield from _check_open_index(project, engine)
    except SddError as error:
        yield Check("index", "fail", str(error))
    finally:
        engine.close()


def _check_open_index(project: Project, engine: Engine) -> Iterator[Check]:
    status = engine.status()
    if not status.collections:
        yield Check("index", "warn", "nothing is indexed", "run `sdd index`")
        return
    faults = engine.check()
    for fault in faults:
        yield Check("index", "fail", fault, "run `sdd index update`")
    if not faults:
        documents = sum(one.documents for one in status.collections)
        yield Check("index", "ok", f"sound, {documents} documents in {status.location}")
    yield _check_freshness(project, status)
    yield _check_vectors(status)


def _check_freshness(project: Project, status: IndexStatus) -> Check:
    head = (project.repository.git.try_output("rev-parse", "HEAD") or b"").decode().strip()
    declared = {one.name: one for one in project.collections}
    stale = []
    for one in status.collections:
        collection = declared.get(one.name)
        if collection is None:
            stale.append(f"{one.name} is no longer declared")
        elif one.bookmark is None:
            stale.append(f"{one.name} is not completely indexed")
        elif one.bookmark.definition != collection.definition():
            stale.append(f"{one.name} has a changed declaration")
        elif _follows_head(collection) and head not in {"", one.bookmark.head}:
            stale.append(f"{one.name} is not at HEAD")
    if stale:
        return Check("freshness", "warn", "; ".join(stale), "run `sdd index update`")
    return Check("freshness", "ok", f"at HEAD {head[:12]}" if head else "no commit yet")


def _follows_head(collection: Collection) -> bool:
    return collection.kind not in OUTSIDE_GIT and not collection.repository


def _check_vectors(status: IndexStatus) -> Check:
    if status.pending:
        message = f"{status.pending} chunks without vectors, found by words only"
        return Check("vectors", "warn", message, "run `sdd index embed`")
    return Check("vectors", "ok", f"every chunk has a vector ({status.model})")


def _check_model(project: Project) -> Iterator[Check]:
    try:
        backend = find_backend(project)
    except EngineUnavailable:
        return  # The check of the engine reports it.
    try:
        missing = backend.required_download(project)
        embedder = "" if missing else backend.embedder(project)
    except EngineUnavailable as error:
        yield Check("model", "warn", str(error))
        return
    if missing:
        yield Check("model", "warn", f"not downloaded yet: {missing.content}", DOWNLOAD_ADVICE)
    elif embedder:
        yield Check("model", "ok", embedder)


def _check_artifacts(project: Project) -> Check:
    try:
        collections = project.select(RECORD_KINDS)
        external = read_external_records(project.repository, project.external)
        corpus, left_out = read_work_tree(project.repository.git, collections, external.names)
    except SddError as error:
        return Check("artifacts", "fail", str(error))
    findings = validate_artifacts(corpus, external=external.corpus)
    problems = [f"{_location(one)}: {one.message}" for one in findings] + left_out
    if not corpus.artifacts and not problems:
        return Check("artifacts", "warn", NOTHING_FOUND, WRITE_ADVICE)
    found = describe_records(count_records(collections, corpus.artifacts))
    if problems:
        count = format_count(len(problems), "problem")
        return Check("artifacts", "warn", f"{found}: {count}, the first: {problems[0]}")
    return Check("artifacts", "ok", f"{found}: no problem")


def _check_trackers(project: Project, now: float) -> Iterator[Check]:
    """Check the trackers of the repository and its modules. A part without one has no check."""
    for module in ("", *(one.name for one in project.modules)):
        part = f"{module}: " if module else ""
        try:
            source, problems = find_source(project, module, now, online=False)
        except SddError as error:
            yield Check("tracker", "warn", f"{part}{error}")
            continue
        if not module:
            yield from (Check("tracker", "warn", line) for line in problems)
        if source is not None:
            # The folder may have the issues of the tracker before this one.
            synced = tiers.age(now, last_synced(source.folder, source.tracker.name))
            ago = "never synced" if synced is None else f"synced {format_duration(synced)} ago"
            yield Check("tracker", "ok", f"{part}{source.tracker}, {ago}")


def _check_knowledge(project: Project) -> Iterator[Check]:
    """Check the patterns and lessons, which no command deletes or makes again."""
    own = KnowledgePlace(own_root(project.repository))
    try:
        place = find_knowledge(project.repository, project.configuration)
        problems = list(inspect_index(place))
        known = read_files(place)
        left = read_files(own) if place != own else None
    except SddError as error:
        yield Check("knowledge", "fail", str(error))
        return
    for problem in problems:
        yield Check("knowledge", "warn", problem, "run `sdd knowledge reindex`")
    if left and left.count:
        text = f"{format_count(left.count, 'file')} left in {own.base}"
        yield Check("knowledge", "warn", text, f"run `sdd knowledge share {place.base}`")
    counts = f"{format_count(len(known.patterns), 'pattern')}, "
    counts += format_count(len(known.lessons), "lesson")
    where = "committed" if place.shared else "yours: ignored by git, and never deleted by sdd"
    if not problems:
        yield Check("knowledge", "ok", f"{counts} in {place.base} ({where})")


def _location(finding: Finding) -> str:
    return f"{finding.path}:{finding.line}" if finding.line else finding.path
