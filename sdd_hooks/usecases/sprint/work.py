"""Write the brief of an issue, and create its worktree."""

# Governing: SPEC-0026 (work on an issue), SPEC-0007 REQ "Issues of the tracker",
# SPEC-0007 REQ "Before reading"

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus, load_corpus
from sdd_hooks.artifacts.find_artifact import UnknownArtifact, find_artifact
from sdd_hooks.artifacts.work_tree import read_artifact_files
from sdd_hooks.config.configuration import Configuration
from sdd_hooks.engines.protocol import Engine, Hit
from sdd_hooks.errors import NotIndexed
from sdd_hooks.freshness.read_gate import FreshnessReport, lost_issues, open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.conventions import is_epic, pull_convention
from sdd_hooks.planning.plan.requirements import planned_requirements
from sdd_hooks.planning.requirement_code import CodeQuestion, find_code
from sdd_hooks.planning.work.branches import create_worktree, plan_branch
from sdd_hooks.planning.work.brief import (
    BranchPlan,
    BriefRequirement,
    Convention,
    ExistingCode,
    WorkBrief,
)
from sdd_hooks.planning.work.existing_code import existing_definitions, find_conventions
from sdd_hooks.planning.work.records import governing_artifacts, select_requirements
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, incomplete_notes, pending_notes, search
from sdd_hooks.system.files import FileTooLarge, PathRefused, read_inside
from sdd_hooks.system.git import Git, nul_split
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import TrackerSource
from sdd_hooks.trackers.stored_issues import read_issues
from sdd_hooks.usecases.knowledge.entries import consult
from sdd_hooks.usecases.sprint.code_base import read_code_base
from sdd_hooks.usecases.sprint.read_issues import FoundIssue, find_issue
from sdd_hooks.usecases.sprint.work_siblings import OwnWork, find_siblings, starting_branch
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

LIMITS = HitLimits(max_hits=6)
"""Of one search, for code or for records."""
MAX_QUERIES = 8
"""Requirements, tasks and names of an issue, each, that are searched for by themselves."""

_TASK = lazy_regex(
    r"^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]*(?:[\d.]+[ \t]+)?([^\r\n]{4,300})", re.MULTILINE
)
_CODE_NAME = lazy_regex(r"(?<!`)`([A-Za-z_][\w.:/-]{3,80})(?:\(\))?`(?!`)", re.ASCII)
_MAX_FILE = 400_000
_DONE = ("closed", "merged")


class WorkRequest(NamedTuple):
    """The issue to work on, and the module (None: any). With `worktree`, its branch is checked out
    in a worktree. Without `needs_index`, a brief without existing code is written where nothing is
    indexed. `branch` has the work, "" for the branch that the issue names."""

    id: str
    module: str | None = None
    worktree: bool = False
    needs_index: bool = True
    branch: str = ""


def write_brief(
    project: Project,
    sources: Sequence[TrackerSource],
    request: WorkRequest,
    now: float,
    callbacks: SyncCallbacks,
) -> WorkBrief:
    """Write the brief of an issue. `now` is in seconds since the epoch.

    Issues are synced before, if that is due, and a stale index is refreshed.

    Raises:
        Missing: no tracker has the issue.
        NotIndexed: nothing is indexed.
        EngineUnavailable, StorageError: the index cannot be read.
        WorktreeRefused: the worktree cannot be created.
    """
    found = find_issue(project, sources, request.id, now, callbacks)
    issue, git, issues = found.issue, project.repository.git, _other_issues(sources, found.module)
    configuration = project.module_configuration(found.module)
    records = _read_records(project, found)
    try:
        with open_fresh_index(project, now) as (engine, freshness):
            searched = _search_all(project, engine, issue, records)
    except NotIndexed as error:
        if request.needs_index:
            raise
        searched, freshness = _Searched(is_complete=False), FreshnessReport(notes=(str(error),))
    reuse = _find_reuse(project, searched, _query(issue, records.requirements))
    plan = plan_branch(git, issue, configuration, starting_branch(project.repository))
    own = OwnWork(issue, request.branch or plan.name, plan.base, issues)
    siblings, sibling_warnings = find_siblings(project, own, now, callbacks)
    if request.worktree:
        plan = create_worktree(git, plan, configuration.worktrees.max_agents)
    notes = (
        *_issue_notes(issue),
        *freshness.notes,
        *searched.notes,
        *(reuse.notes if searched.is_complete else ()),
        *_worktree_notes(git, plan),
        *consult(project.repository, project.configuration, issue.title, "implementing-*"),
    )
    lost = (*lost_issues(project, project.collections), *records.warnings, *sibling_warnings)
    return WorkBrief(
        issue=issue,
        module=found.module,
        live=found.live,
        requirements=records.requirements,
        governing=governing_artifacts(records.corpus, records.named, reuse.texts, searched.records),
        existing=reuse.existing,
        conventions=reuse.conventions,
        siblings=siblings,
        blocked_by=_open_blockers(issue, issues),
        branch=plan,
        pull=_pull_lines(issue, issues, configuration),
        protected=_protected(project),
        notes=tuple(dict.fromkeys(notes)),
        warnings=tuple(dict.fromkeys((*found.warnings, *freshness.warnings, *lost))),
    )


def _other_issues(sources: Sequence[TrackerSource], module: str) -> dict[str, StoredIssue]:
    """The issues of a module that are in files, by their ids."""
    folders = (one.folder for one in sources if one.module == module)
    return {issue.id: issue for folder in folders for issue in read_issues(folder)}


class _Reuse(NamedTuple):
    """The code to import, the texts of its files, the conventions beside it, and notes."""

    existing: tuple[ExistingCode, ...]
    texts: dict[str, str]
    conventions: tuple[Convention, ...]
    notes: tuple[str, ...]


def _find_reuse(project: Project, searched: _Searched, query: str) -> _Reuse:
    def data(path: str) -> bytes:
        try:
            return read_inside(project.repository.root, path, _MAX_FILE)
        except (FileNotFoundError, FileTooLarge, PathRefused):
            return b""

    existing = existing_definitions(searched.code, query, lambda path: decode(data(path)))
    texts = {one.path: decode(data(one.path)) for one in existing}
    paths = nul_split(project.repository.git.output("ls-files", "-z"))
    conventions = find_conventions(map(posixpath.dirname, texts), paths, data)
    if not project.select(("code",)):
        note = "No code is declared, so that there is nothing to import from"
    else:
        note = "" if existing else "No existing code fits the issue — it is written anew"
    return _Reuse(existing, texts, conventions, tuple(filter(None, [note])))


def _issue_notes(issue: StoredIssue) -> Iterator[str]:
    if not issue.specs:
        yield f"Issue {issue.id} names no specification: write its id (SPEC-0001) into the body"
    if issue.status in _DONE:
        yield f"Issue {issue.id} is {issue.status} already"
    if is_epic(issue.title, issue.labels):
        yield f"Issue {issue.id} is an epic: its stories are what is built"


def _worktree_notes(git: Git, plan: BranchPlan) -> list[str]:
    path = plan.worktree
    if not plan.checked_out or path.startswith("..") or path == ".":
        return []
    if not git.run("check-ignore", "--quiet", path).returncode:
        return []
    return [f"git does not ignore `{path}`: add `{path.split('/')[0]}/` to .gitignore"]


class _Records(NamedTuple):
    """All artifacts, those that the issue names, their requirements, and what code is sought."""

    corpus: Corpus
    named: tuple[Artifact, ...]
    requirements: tuple[BriefRequirement, ...]
    questions: tuple[CodeQuestion, ...]
    warnings: tuple[str, ...]


def _read_records(project: Project, found: FoundIssue) -> _Records:
    issue = found.issue
    files, left_out = read_artifact_files(project.repository.git, project.select(("adrs", "specs")))
    corpus = load_corpus(files)
    named: list[Artifact] = []
    warnings = list(left_out)
    for id in (*issue.specs, *issue.adrs):
        try:
            named.append(find_artifact(corpus, id, found.module or None))
        except UnknownArtifact as error:
            warnings.append(f"issue {issue.id}: {error}")
    texts = {file.path: decode(file.data) for file in files}
    specs = [(one, texts[one.path]) for one in named if one.kind == "SPEC"]
    requirements = select_requirements(specs, f"{issue.title}\n{issue.body}")
    asked = {
        (spec.path, one.first_line): one.question(spec.title)
        for spec, text in specs
        for one in planned_requirements(spec, text)
    }
    questions = tuple(asked[one.path, one.first_line] for one in requirements)
    return _Records(corpus, tuple(named), requirements, questions, tuple(warnings))


class _Searched(NamedTuple):
    """The hits among the code and among the records, and notes on the searches.

    Where nothing is indexed, it is not complete.
    """

    code: tuple[Hit, ...] = ()
    records: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    is_complete: bool = True


def _search_all(
    project: Project,
    engine: Engine,
    issue: StoredIssue,
    around: _Records,
) -> _Searched:
    """Search the code for the issue and each of its requirements, and the records for the issue."""
    indexed = engine.bookmarks()
    code, records = (
        [one for one in project.select(kinds) if one.name in indexed]
        for kinds in (("code",), ("adrs", "specs"))
    )
    found: list[Hit] = []
    if code:
        base = read_code_base(project, engine)
        for question in _questions(issue, around.questions):
            found += [hit for one in find_code(question, base) for hit in one.hits]
    best = {(one.path, one.id): one for one in sorted(found, key=lambda one: one.score)}
    names = [one.name for one in code]
    notes = list(incomplete_notes(names, engine.bookmarks(), engine.touched()))
    hits: tuple[Hit, ...] = ()
    if records:
        result = search(project, engine, _query(issue, around.requirements), records, LIMITS)
        hits = result.hits
        # Those about chunks without vectors are about all collections.
        notes += [note for note in result.notes if note not in pending_notes(result.pending)]
    notes += pending_notes(engine.coverage().pending)
    return _Searched(tuple(best.values()), hits, tuple(notes))


def _questions(issue: StoredIssue, asked: Sequence[CodeQuestion]) -> Iterator[CodeQuestion]:
    """What is sought in the code: the title, requirements, tasks, and names in code spans."""
    yield CodeQuestion(issue.title)
    yield from asked[:MAX_QUERIES]
    for pattern in (_TASK, _CODE_NAME):
        texts = dict.fromkeys(match[1] for match in pattern.finditer(issue.body))
        yield from map(CodeQuestion, list(texts)[:MAX_QUERIES])


def _query(issue: StoredIssue, requirements: Sequence[BriefRequirement]) -> str:
    return " ".join((issue.title, *(one.name for one in requirements[:MAX_QUERIES])))


def _open_blockers(issue: StoredIssue, issues: dict[str, StoredIssue]) -> tuple[str, ...]:
    """The issues that block this one, and are not known to be done."""
    return tuple(
        id for id in issue.blocked_by if id not in issues or issues[id].status not in _DONE
    )


def _pull_lines(
    issue: StoredIssue, issues: dict[str, StoredIssue], configuration: Configuration
) -> str:
    if not configuration.pull_requests.enabled:
        return ""
    mine = set(issue.specs)
    epics = (one for one in issues.values() if is_epic(one.title, one.labels))
    epic = next((one.id for one in epics if mine & set(one.specs) and one.id != issue.id), "")
    return pull_convention(
        issue.tracker, issue.id, configuration.pull_requests, epic=epic, specs=issue.specs
    )


def _protected(project: Project) -> tuple[str, ...]:
    """The places of shared decisions and settings, which a story does not change."""
    directories = {
        directory for one in project.select(("adrs", "specs")) for directory in one.directories
    }
    memory_file = project.configuration.memory_file
    names = [memory_file.name] if memory_file else []
    return tuple(sorted(f"{one}/" for one in directories if one)) + tuple(names)
