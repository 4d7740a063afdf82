"""Run the hook for an event of git.

The arguments of a hook have little information and are not trusted: every event starts a scan, in
which git reports what changed. An error is a line on stderr; a refresh never fails git's command. A
refresh that takes long goes on in a background process, after the hook has returned.
"""

# Governing: ADR-0005 (hook shims decide in sh), ADR-0015 (tiers of freshness),
# SPEC-0004 REQ "Events", SPEC-0004 REQ "A rebase is one event",
# SPEC-0004 REQ "Background refresh", SPEC-0007 REQ "After an event of git"

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, NotIndexed, SddError
from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.shims import ACTIONS, CHECK_EVENTS, EVENTS
from sdd_hooks.project.repository import Repository, discover, has_search_dir
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.detached import claim_log, open_log, start_detached
from sdd_hooks.system.time_limit import time_limit
from sdd_hooks.text.display import describe_error, one_line

if TYPE_CHECKING:
    from sdd_hooks.engines.protocol import Progress
    from sdd_hooks.freshness.refresh import RefreshResult
    from sdd_hooks.project.project import Project

AUTO = "auto"

MAX_CHANGED_PATHS = 300
"""Paths of a collection that are indexed while git waits. More are left to the background."""

MAX_LINES = 10
"""Lines that a hook prints about a refresh."""

MAX_SECONDS = 3.0
"""Seconds of a refresh while git waits. A longer one is left to the background."""


DEADLINES = {"check": 30.0, "commit-msg": 30.0, "pre-push": 120.0}
"""Seconds of the hooks of the review. Any other hook has `DEFAULT_DEADLINE`.

The shims have the same deadlines; a hook manager has none.
"""

DEFAULT_DEADLINE = 10.0

LOG = "refresh.log"


class DeadlinePassed(BaseException):
    """The hook did not end in time."""


def run_hook(
    event: str,
    arguments: Sequence[str],
    context: HookContext,
    clock: Callable[[], float] = time.time,
) -> int:
    """Run a hook of git. Returns its exit code and raises nothing.

    `event` is the name of the hook, `auto` under the pre-commit framework, which passes the event
    in environment variables, or `check` for the review of what is staged. `arguments` are those of
    git; for `pre-commit` they are the staged files to check (none: all). For an event that git
    knows, only the hooks of `CHECK_EVENTS` and of the review return anything but 0. `clock` returns
    seconds since the epoch.
    """
    if not IS_POSIX:
        from sdd_hooks.githooks.folder import NO_HOOKS

        context.stderr.write(f"sdd: {NO_HOOKS}\n")
        return EXIT_OK
    if event == AUTO:
        event, arguments = _event_from_variables(context.environ)
    seconds = context.seconds or DEADLINES.get(event, DEFAULT_DEADLINE)
    try:
        with time_limit(seconds, DeadlinePassed):
            return _run_in_time(event, arguments, context, clock)
    except DeadlinePassed:
        context.stderr.write(
            f"sdd: hook {event} was stopped, as after {seconds:g} s without an end:"
            " run `sdd doctor`\n"
        )
    return EXIT_OK


def _run_in_time(
    event: str, arguments: Sequence[str], context: HookContext, clock: Callable[[], float]
) -> int:
    if event in ACTIONS:
        from sdd_hooks.githooks.checks import run_review

        return run_review(event, arguments, context)
    stderr = context.stderr
    if event not in EVENTS:
        known = ", ".join((*EVENTS, *ACTIONS, AUTO))
        stderr.write(f"sdd: no hook {event!a}: one of {known}\n")
        return EXIT_USAGE
    try:
        if event in CHECK_EVENTS:
            from sdd_hooks.githooks.checks import check_artifacts, check_merge

            is_merge = event == "pre-merge-commit"
            return check_merge(context) if is_merge else check_artifacts(arguments, context)
        with suppress(SddError):
            # The refresh reports what is wrong with the repository.
            stderr.writelines(_duplicate_lines(event, arguments, context))
        lines = _refresh(event, arguments, context, clock)
        for line in lines[:MAX_LINES]:
            stderr.write(f"sdd: {one_line(line)}\n")
        if len(lines) > MAX_LINES:
            more = len(lines) - MAX_LINES
            stderr.write(f"sdd: {more:,} more notes: `sdd index update --full` prints them\n")
    except NotIndexed:
        return EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        if event in CHECK_EVENTS:
            stderr.write(f"sdd: check failed — run `sdd doctor` ({describe_error(error)})\n")
        else:
            stderr.write(failure_line(error, context.cwd, context.environ))
    return EXIT_OK


def _event_from_variables(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """The event and its arguments, from the variables that the pre-commit framework sets."""
    checkout = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_CHECKOUT_TYPE")
    if checkout[2] in environ:
        return "post-checkout", [environ.get(name, "") for name in checkout]
    if "PRE_COMMIT_IS_SQUASH_MERGE" in environ:
        return "post-merge", [environ["PRE_COMMIT_IS_SQUASH_MERGE"]]
    if "PRE_COMMIT_REWRITE_COMMAND" in environ:
        return "post-rewrite", [environ["PRE_COMMIT_REWRITE_COMMAND"]]
    return "post-commit", []


def _refresh(
    event: str, arguments: Sequence[str], context: HookContext, clock: Callable[[], float]
) -> Sequence[str]:
    """Refresh the index after an event. Returns the lines to print."""
    # Imported here because the hooks that check something do not need it.
    from sdd_hooks.freshness.index_changes import commit_scope, start_scan

    repository = discover(context.cwd, context.environ)
    if event != "post-rewrite" and _is_rebasing(repository, event):
        return ()
    if event == "post-merge":
        _fetch_external_records(repository, clock)
    if not _is_indexed(repository):
        if event == "post-checkout" and set("".join(arguments[:1])) == {"0"}:
            _index_new_work_tree(repository)
        return ()
    is_arrival = _is_arrival(event, arguments)
    scope = commit_scope(repository.git_dir) if event == "post-commit" else "all"
    # git scans while Python imports: in a large work tree the scan takes longest.
    scan = start_scan(repository.git, "", scope)
    try:
        from sdd_hooks.engines.protocol import ReadOnlyIndex, Stopped
        from sdd_hooks.freshness.refresh import RefreshOptions
        from sdd_hooks.project.project import read_project
        from sdd_hooks.usecases.upkeep.refresh import refresh_index

        # The refresh recognises new directories among the paths that changed.
        project = read_project(repository, "cached")
        if is_arrival and not _is_due(project, scan.head, clock()):
            return ()
        pull = may_bring_vectors(event, arguments)
        try:
            options = RefreshOptions(scan=scan, wait=0.0)
            progress = _limit_to_patience(clock)
            result, embeds = refresh_index(project, options=options, progress=progress, pull=pull)
        except (Stopped, ReadOnlyIndex) as ended:
            # Where a job indexes the repository, this machine reads what the job has stored.
            if isinstance(ended, Stopped):
                start_refresh(repository, ())
            return ()
    finally:
        scan.close()
    if not result.total.changed:
        return ()
    return _notes(project, result, embeds) if is_arrival else result.notes


def _duplicate_lines(event: str, arguments: Sequence[str], context: HookContext) -> Iterator[str]:
    """A line for each number that two records have because of an event before which no hook can
    refuse anything. Raises SddError."""
    joins = event == "post-merge" or (event, *arguments[:1]) == ("post-rewrite", "rebase")
    if not joins and event != "post-commit":
        return
    repository = discover(context.cwd, context.environ)
    if event == "post-commit" and _is_rebasing(repository, event):
        return
    base = "ORIG_HEAD" if joins else "HEAD^"
    # A record that was there has the number that it had.
    added = ("--name-only", "--no-renames", "--diff-filter=A", "-z")
    listing = repository.git.try_output("diff", *added, base, "HEAD")
    if not listing:
        return
    from sdd_hooks.project.project import read_project
    from sdd_hooks.usecases.review import find_joined_duplicates

    changed = {os.fsdecode(name) for name in listing.split(b"\0")}
    for finding in find_joined_duplicates(read_project(repository, "cached"), changed):
        yield f"sdd: {one_line(f'{finding.path}: {finding.severity}: {finding.message}')}\n"


def _is_indexed(repository: Repository) -> bool:
    """Whether there may be an index to refresh, in this work tree or where its engine keeps one."""

    if has_search_dir(repository):
        return True
    from sdd_hooks.engines.registry import is_indexed
    from sdd_hooks.project.project import read_project

    # Without an index, a wrong configuration is no matter of a hook.
    with suppress(SddError):
        return is_indexed(read_project(repository, "cached"))
    return False


def may_bring_vectors(event: str, arguments: Sequence[str]) -> bool:
    """Whether the event may bring files that another machine has embedded already.

    A commit, and one that is amended, contains what was written on this machine.
    """
    return event != "post-commit" and list(arguments[:1]) != ["amend"]


def _is_arrival(event: str, arguments: Sequence[str]) -> bool:
    """Whether the event brings changes that the user did not just make.

    Such a refresh (tier 2) prints what changed; any other (tier 1) is silent.
    """
    return event == "post-merge" or (event == "post-checkout" and "".join(arguments[2:3]) == "1")


def _is_due(project: Project, head: str, now: float) -> bool:
    """Whether to scan: when the index is of another commit, and else after an interval."""
    from sdd_hooks.freshness.hook_state import index_reflects
    from sdd_hooks.freshness.read_gate import last_touched
    from sdd_hooks.freshness.tiers import scan_is_due

    if not index_reflects(project.repository, head):
        return True
    return scan_is_due(now, last_touched(project), project.configuration.freshness)


def _notes(project: Project, result: RefreshResult, embeds: bool) -> list[str]:
    """The lines about a refresh. `embeds` says that a background process embeds what is new."""
    from sdd_hooks.embedding.rates import estimate_on_machine
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.freshness.tiers import refreshed_note, unembedded_note

    lines = [refreshed_note(result.total), *result.notes]
    if not embeds:
        # A note is not worth a failure.
        with suppress(SddError), closing(open_engine(project)) as engine:
            coverage = engine.coverage()
            # Without any vector, the user searches by words.
            if coverage.begun:
                seconds = estimate_on_machine(engine.name, coverage.pending, project.environ)
                lines.append(unembedded_note(coverage.pending, seconds))
    return [line for line in lines if line]


def _limit_to_patience(clock: Callable[[], float]) -> Progress:
    """A callback of the refresh that stops a change that takes longer than git should wait."""
    started = clock()

    def goes_on(_step: str, _done: int, total: int) -> bool:
        return total <= MAX_CHANGED_PATHS and clock() - started < MAX_SECONDS

    return goes_on


def _fetch_external_records(repository: Repository, clock: Callable[[], float]) -> None:
    """Start to fetch decisions of other repositories in the background, if there may be any."""
    if not (repository.shared_dir / "records").is_dir():
        return
    from sdd_hooks.project.project import read_project
    from sdd_hooks.usecases.upkeep.external_records import start_external_fetch

    start_external_fetch(read_project(repository, "cached"), clock)


def _index_new_work_tree(repository: Repository) -> None:
    from sdd_hooks.freshness.hook_state import shared_collections
    from sdd_hooks.project.project import read_project

    shared = shared_collections(repository)
    collections = read_project(repository).collections
    names = [collection.name for collection in collections if collection.name in shared]
    if names:
        start_refresh(repository, names)


def _is_rebasing(repository: Repository, event: str) -> bool:
    """Whether a rebase is under way that will run post-rewrite at its end."""
    if (repository.git_dir / "rebase-apply").is_dir():
        return True
    rebase = repository.git_dir / "rebase-merge"
    if event != "post-checkout" or not rebase.is_dir():
        return rebase.is_dir()
    # When there is nothing to replay, post-checkout is the last hook that git runs.
    try:
        todo = (rebase / "git-rebase-todo").read_bytes()
    except OSError:
        return False
    return not todo.startswith((b"noop", b"\n")) and bool(todo)


def start_refresh(repository: Repository, collections: Sequence[str]) -> None:
    """Start a refresh of `collections` (none: those of the index) and return immediately.

    The process writes its output to `.sdd/search/refresh.log`, and locks the file while it runs.

    Raises OSError, and StorageError where the log cannot be written.
    """
    repository.search_dir.mkdir(parents=True, exist_ok=True)
    log = open_log(repository.search_dir / LOG, private=False)
    try:
        # While another refresh has the lock, its output is kept, and this one appends.
        claim_log(log)
        start_detached(__name__, [str(repository.root), *collections], repository.environ, log=log)
    finally:
        os.close(log)


def failure_line(error: Exception, directory: Path, environ: Mapping[str, str]) -> str:
    """The line about a refresh that failed in a directory of a work tree. Raises nothing."""
    from sdd_hooks.freshness.tiers import failed_refresh_warning

    try:
        from sdd_hooks.freshness.hook_state import indexed_names
        from sdd_hooks.project.repository import discover

        names = indexed_names(discover(directory, environ))
    except Exception:
        # The cause of the failure may prevent the lookup of names, too.
        names = ["the current directory"]
    return f"sdd: {one_line(failed_refresh_warning(names))} ({describe_error(error)})\n"


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Arguments: the top of the work tree, names of collections."""
    from sdd_hooks.freshness.refresh import RefreshOptions
    from sdd_hooks.project.project import load_project
    from sdd_hooks.usecases.upkeep.refresh import refresh_index

    root, *names = arguments
    try:
        project = load_project(Path(root), os.environ)
        collections = [collection for collection in project.collections if collection.name in names]
        options = RefreshOptions(wait=0.0)
        update = refresh_index(project, collections if names else None, options, pull=True)
    except NotIndexed:
        return
    except SddError as error:
        sys.stderr.write(failure_line(error, Path(root), os.environ))
        return
    total = update.result.total
    sys.stdout.write(
        f"{total.added} added, {total.updated} updated, {total.removed} removed,"
        f" {total.unchanged} unchanged\n"
    )
