"""Review many pull requests of the forge together, and put them into the order of merges."""

# Governing: ADR-0054 (pull requests and issues are changed in batches),
# SPEC-0027 REQ "Batch review", SPEC-0007 REQ "Before reading"

from __future__ import annotations

from collections.abc import Callable, Sequence

from sdd_hooks.config.settings import FailOn
from sdd_hooks.engines.protocol import Engine, SubQuery
from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.forges.protocol import Checks, PullDetails, PullRequest, PullRequestMerger
from sdd_hooks.freshness.read_gate import open_fresh_index
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.planning.pulls import (
    MergeOrder,
    OrderedPull,
    PullIssues,
    belongs_to,
    find_pull_issues,
    merge_order,
)
from sdd_hooks.project.project import Project
from sdd_hooks.retrieval.search import HitLimits, search_typed
from sdd_hooks.system.git import FETCH_OBJECTS
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue_file import StoredIssue
from sdd_hooks.trackers.source import NoTracker, TrackerSource, find_source, find_sources
from sdd_hooks.usecases.review import CommitRange, Verdict, review_range
from sdd_hooks.usecases.sprint.issue_batch import read_batch_issues
from sdd_hooks.usecases.upkeep.sync import SyncCallbacks

MAX_PULLS = 200
"""Open pull requests that are read for a specification."""
MAX_SIMILAR = 3
"""Documents that a search adds to the report of a pull request, of each kind."""
MIN_SCORE = 0.5
FETCH_TIMEOUT = 600.0
"""Seconds for one fetch."""

_FOUNDATION = "foundation"


class PullNames(NamedTuple):
    """The pull requests to review: by number, and the open ones of specifications.

    `fail_on` replaces the setting of the repository, and `judge` names a model of `llm`.
    """

    numbers: tuple[int, ...] = ()
    specs: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    judge: str = ""


class SimilarDocument(NamedTuple):
    """A decision or an issue that a search finds for a pull request. `score` is from 0 to 1."""

    kind: str
    title: str
    path: str
    section: str
    score: float


class PullReview(NamedTuple):
    """The review of a pull request; `verdict` is None if it failed, and `problem` says why.

    `similar` are documents of a search that the review does not name.
    """

    details: PullDetails
    issues: PullIssues
    verdict: Verdict | None
    problem: str = ""
    similar: tuple[SimilarDocument, ...] = ()

    @property
    def pull(self) -> PullRequest:
        """The pull request."""
        return self.details.pull

    @property
    def fails(self) -> bool:
        """Whether its findings are severe enough to fail, or it could not be reviewed."""
        return self.verdict is None or self.verdict.fails


class PullBatch(NamedTuple):
    """The reviews by number, and the order of merges.

    `merged` are pull requests that were named and are merged already. `after` has the numbers that
    must be merged before each one. `issues` are all issues of the tracker, `source` is the tracker,
    None without one. `header` has lines about the index.
    """

    reviews: tuple[PullReview, ...]
    order: MergeOrder
    after: dict[int, frozenset[int]]
    merged: tuple[PullRequest, ...]
    issues: tuple[StoredIssue, ...]
    source: TrackerSource | None
    header: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


class _Issues(NamedTuple):
    source: TrackerSource | None
    issues: tuple[StoredIssue, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def review_pulls(
    project: Project,
    forge: PullRequestMerger,
    names: PullNames,
    clock: Callable[[], float],
    callbacks: SyncCallbacks,
) -> PullBatch:
    """Review pull requests. `clock` returns seconds since the epoch.

    Issues are synced first, if that is due (tier 4), and a stale index is refreshed (tier 3).
    Raises NotIndexed without an index, RemoteError where the forge fails or has no such pull
    request, and EngineUnavailable for a model that cannot be loaded.
    """
    with open_fresh_index(project, clock()) as (engine, freshness):
        known = _read_issues(project, clock, callbacks)
        pulls, notes = _select(project, forge, names, known)
        opened = [pull for pull in pulls if pull.is_open]
        described = [_describe(forge, pull) for pull in opened]
        reviews = tuple(
            _review(project, engine, one, names, known) if isinstance(one, PullDetails) else one
            for one in described
        )
        after = _dependencies(reviews)
        return PullBatch(
            reviews,
            merge_order([_ordered(review, after) for review in reviews]),
            after,
            tuple(pull for pull in pulls if pull.is_merged),
            known.issues,
            known.source,
            freshness.notes,
            (*known.notes, *notes),
            (*known.warnings, *freshness.warnings),
        )


def issues_of_pull(
    project: Project, pull: PullRequest, issues: Sequence[StoredIssue], source: TrackerSource | None
) -> PullIssues:
    """The issues of a pull request, by the conventions of the repository."""
    settings = project.configuration.pull_requests
    return find_pull_issues(pull, issues, source.tracker.name if source else "", settings)


def _read_issues(project: Project, clock: Callable[[], float], callbacks: SyncCallbacks) -> _Issues:
    """The issues of the tracker, synced if that is due; none for a repository without a tracker."""
    now = clock()
    try:
        found = find_sources(project, "", lambda module: find_source(project, module, now))
    except NoTracker:
        return _Issues(None, (), ("no tracker is known: issues are not looked at",), ())
    source = found.found[0]
    read = read_batch_issues(project, source, now, callbacks)
    return _Issues(source, read.issues, (), (*read.warnings, *found.warnings))


def _select(
    project: Project, forge: PullRequestMerger, names: PullNames, known: _Issues
) -> tuple[list[PullRequest], list[str]]:
    """The named pull requests, each once, by number, and notes about what was left out."""
    chosen = {number: forge.pull_request(number) for number in dict.fromkeys(names.numbers)}
    notes = [
        f"{pull.number} is {'merged' if pull.is_merged else 'closed'} already: left out"
        for pull in chosen.values()
        if not pull.is_open
    ]
    listed = forge.open_pull_requests(MAX_PULLS) if names.specs else ()
    if len(listed) == MAX_PULLS:
        notes.append(f"only the {MAX_PULLS} pull requests that were updated last were looked at")
    for spec in names.specs:
        of_spec = [
            pull
            for pull in listed
            if belongs_to(
                pull, spec, issues_of_pull(project, pull, known.issues, known.source).issues
            )
        ]
        if not of_spec:
            notes.append(f"{spec} has no open pull requests")
        chosen.update((pull.number, pull) for pull in of_spec)
    return [chosen[number] for number in sorted(chosen)], notes


def _describe(forge: PullRequestMerger, pull: PullRequest) -> PullDetails | PullReview:
    """The checks and files of a pull request, or a review that failed."""
    try:
        return forge.details(pull)
    except SddError as error:
        details = PullDetails(pull, Checks("unknown"), None)
        return PullReview(details, PullIssues((), ()), None, one_line(str(error)))


def _review(
    project: Project, engine: Engine, details: PullDetails, names: PullNames, known: _Issues
) -> PullReview:
    pull = details.pull
    issues = issues_of_pull(project, pull, known.issues, known.source)
    try:
        base = _fetch(project, pull)
        commits = CommitRange(base, pull.head, pull.title, pull.body)
        verdict = review_range(project, commits, names.fail_on, judge=names.judge)
        if details.files is None:
            details = details._replace(files=_changed_files(project, base, pull.head))
    except SddError as error:
        return PullReview(details, issues, None, one_line(str(error)))
    similar = _search(project, engine, details, verdict, issues)
    return PullReview(details, issues, verdict, similar=similar)


def _fetch(project: Project, pull: PullRequest) -> str:
    """Fetch the head and the base of a pull request. Returns the name of its base.

    Raises RepositoryError for a commit that the remote does not provide.
    """
    from sdd_hooks.changes.base import resolve_commit

    git = project.repository.git
    base = f"refs/remotes/origin/{pull.base_ref}"
    refs = [f"+refs/heads/{pull.base_ref}:{base}"] if pull.base_ref else []
    git.remote(*FETCH_OBJECTS, "origin", *refs, pull.ref, timeout=FETCH_TIMEOUT)
    resolve_commit(git, pull.head)
    return resolve_commit(git, base if refs else pull.base)


def _changed_files(project: Project, base: str, head: str) -> tuple[str, ...]:
    between = f"{base}...{head}"
    listed = project.repository.git.output("diff", "--name-only", "-z", "--no-renames", between)
    return tuple(name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name)


def _search(
    project: Project,
    engine: Engine,
    details: PullDetails,
    verdict: Verdict,
    issues: PullIssues,
) -> tuple[SimilarDocument, ...]:
    """The decisions and issues that a search finds for a pull request, and the review does not."""
    paths = " ".join(sorted(details.files or ())[:20])
    query = f"{details.pull.title} {paths}".strip()[:400]
    references = verdict.review.references
    shown = {one.path for one in (*references.ranked, *references.governing)}
    shown |= {one.path for one in verdict.review.issues} | {one.path for one in issues.issues}
    found: list[SimilarDocument] = []
    for kind in ("adrs", "issues"):
        searches = (SubQuery("lex", query), SubQuery("vec", query))
        limits = HitLimits(2 * MAX_SIMILAR, MIN_SCORE, snippets=False)
        try:
            hits = search_typed(project, engine, searches, project.select((kind,)), limits).hits
        except NotIndexed:
            continue
        new = [hit for hit in hits if hit.path not in shown][:MAX_SIMILAR]
        found += [SimilarDocument(kind, hit.title, hit.path, hit.section, hit.score) for hit in new]
    return tuple(found)


def _dependencies(reviews: Sequence[PullReview]) -> dict[int, frozenset[int]]:
    """The pull requests that must be merged before each one: its base, and blocking issues."""
    branches = {one.pull.head_ref: one.pull.number for one in reviews if not one.pull.is_fork}
    of_issue: dict[str, set[int]] = {}
    blocked_by: dict[str, set[str]] = {}
    for review in reviews:
        for issue in review.issues.issues:
            of_issue.setdefault(issue.id, set()).add(review.pull.number)
            blocked_by.setdefault(issue.id, set()).update(issue.blocked_by)
            for blocked in issue.blocks:
                blocked_by.setdefault(blocked, set()).add(issue.id)
    after = {}
    for review in reviews:
        number = review.pull.number
        before = {branches.get(review.pull.base_ref, number)}
        for issue in review.issues.issues:
            for blocker in blocked_by.get(issue.id, ()):
                before |= of_issue.get(blocker, set())
        after[number] = frozenset(before - {number})
    return after


def _ordered(review: PullReview, after: dict[int, frozenset[int]]) -> OrderedPull:
    files = review.details.files
    labels = {label.casefold() for issue in review.issues.issues for label in issue.labels}
    return OrderedPull(
        review.pull.number,
        None if files is None else frozenset(files),
        after[review.pull.number],
        _FOUNDATION in labels,
    )
