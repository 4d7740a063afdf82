"""What sdd does when git tells it that something happened.

Hook arguments say little and are not trusted: every event means "look again", and git says what is
different. Whatever goes wrong is a line on stderr; git's command is never failed by a refresh.
"""

# Governing: ADR-0005 (hook shims decide in sh), ADR-0015 (tiers of freshness),
# SPEC-0004 REQ "Events", SPEC-0007 REQ "After an event of git"

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from sdd_hooks.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, NotIndexed, SddError
from sdd_hooks.githooks.lines import failure_line
from sdd_hooks.githooks.shims import ACTIONS, EVENTS
from sdd_hooks.project.repository import Repository, discover
from sdd_hooks.text.display import describe_error, one_line

if TYPE_CHECKING:
    from sdd_hooks.freshness.refresh import RefreshResult
    from sdd_hooks.project.project import Project

AUTO = "auto"

LARGEST_CHANGE = 300
"""Paths of a collection that are looked at while git waits; more are left to the background."""


def handle(
    event: str,
    arguments: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stderr: TextIO,
    stdin: BinaryIO | None = None,
    clock: Callable[[], float] = time.time,
) -> int:
    """Act on a git hook. Returns the exit code of the hook and raises nothing.

    `event` is the name of the hook, `auto` under the pre-commit framework, which tells it by
    environment variables, or `check` for the review of what is staged. `arguments` are those git
    gave the hook; for `pre-commit` they are the staged files to check (none: all). `stdin` is what
    git pipes into pre-push. Only `pre-commit` and the hooks of the review can return anything but 0
    for an event that git knows.
    """
    if event == AUTO:
        event, arguments = _inferred(environ)
    if event in ACTIONS:
        from sdd_hooks.githooks.review import review

        return review(event, arguments, cwd=cwd, environ=environ, stdin=stdin, stderr=stderr)
    if event not in EVENTS:
        known = ", ".join((*EVENTS, *ACTIONS, AUTO))
        stderr.write(f"sdd: no hook {event!a}: one of {known}\n")
        return EXIT_USAGE
    try:
        if event == "pre-commit":
            from sdd_hooks.githooks.frontmatter import check_staged

            return check_staged(arguments, cwd=cwd, environ=environ, stderr=stderr)
        for line in _refresh(event, arguments, cwd, environ, clock):
            stderr.write(f"sdd: {one_line(line)}\n")
    except NotIndexed:
        return EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        if event == "pre-commit":
            stderr.write(f"sdd: check failed — run `sdd doctor` ({describe_error(error)})\n")
        else:
            stderr.write(failure_line(error, cwd, environ))
    return EXIT_OK


def _inferred(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """The event and its arguments, from what the pre-commit framework puts into `environ`."""
    checkout = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_CHECKOUT_TYPE")
    if checkout[2] in environ:
        return "post-checkout", [environ.get(name, "") for name in checkout]
    if "PRE_COMMIT_IS_SQUASH_MERGE" in environ:
        return "post-merge", [environ["PRE_COMMIT_IS_SQUASH_MERGE"]]
    if "PRE_COMMIT_REWRITE_COMMAND" in environ:
        return "post-rewrite", [environ["PRE_COMMIT_REWRITE_COMMAND"]]
    return "post-commit", []


def _refresh(
    event: str,
    arguments: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    clock: Callable[[], float],
) -> Sequence[str]:
    """Follow the event. Returns what there is to say."""
    # A hook that checks something has no use for it.
    from sdd_hooks.freshness.hook_state import was_refreshed
    from sdd_hooks.freshness.index_changes import commit_scope, start_scan

    repository = discover(cwd, environ)
    if event != "post-rewrite" and _rebase_goes_on(repository, event):
        return ()
    if not was_refreshed(repository):
        if event == "post-checkout" and set("".join(arguments[:1])) == {"0"}:
            _index_new_work_tree(repository)
        return ()
    arrival = _is_arrival(event, arguments)
    scope = commit_scope(repository.git_dir) if event == "post-commit" else "all"
    # git begins to look before anything is imported: in a large work tree that takes longest.
    scan = start_scan(repository.git, "", scope)
    try:
        from sdd_hooks.engines.protocol import Stopped
        from sdd_hooks.freshness.refresh import RefreshOptions
        from sdd_hooks.project.project import read_project
        from sdd_hooks.usecases.refresh import refresh_index

        project = read_project(repository)
        if arrival and not _is_due(project, scan.head, clock()):
            return ()
        pull = may_bring_vectors(event, arguments)
        try:
            options = RefreshOptions(scan=scan, wait=0.0)
            update, embeds = refresh_index(project, options=options, progress=_is_small, pull=pull)
        except Stopped:
            from sdd_hooks.githooks import background

            background.start(repository, ())
            return ()
    finally:
        scan.close()
    if not update.total.changed:
        return ()
    return _said(project, update, embeds) if arrival else update.notes


def may_bring_vectors(event: str, arguments: Sequence[str]) -> bool:
    """Whether the event may bring files that another machine has embedded already.

    A commit, and one that is amended, contains what was written on this machine.
    """
    return event != "post-commit" and list(arguments[:1]) != ["amend"]


def _is_arrival(event: str, arguments: Sequence[str]) -> bool:
    """Whether the work tree was brought to a state made elsewhere: tier 2, which says what was
    different. Everything else is of the user's own making: tier 1, which is silent."""
    return event == "post-merge" or (event == "post-checkout" and "".join(arguments[2:3]) == "1")


def _is_due(project: Project, head: str, now: float) -> bool:
    """Whether to look. What git knows to be different is a reason at any time."""
    from sdd_hooks.freshness.hook_state import index_reflects
    from sdd_hooks.freshness.read_gate import last_touched
    from sdd_hooks.freshness.tiers import scan_is_due

    if not index_reflects(project.repository, head):
        return True
    return scan_is_due(now, last_touched(project), project.configuration.freshness)


def _said(project: Project, update: RefreshResult, embedding: bool) -> list[str]:
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.freshness.tiers import refreshed_note, unembedded_note

    lines = [refreshed_note(update.total), *update.notes]
    if not embedding:
        # A note is not worth a failure.
        with suppress(SddError), closing(open_engine(project)) as engine:
            coverage = engine.coverage()
            # Who never embedded anything searches by words. There is no estimate: finding out where
            # a model runs takes longer than git should wait.
            if coverage.begun:
                lines.append(unembedded_note(coverage.pending, None))
    return [line for line in lines if line]


def _is_small(_step: str, _done: int, total: int) -> bool:
    """Progress of a refresh. Stops a change that takes longer than git should wait."""
    return total <= LARGEST_CHANGE


def _index_new_work_tree(repository: Repository) -> None:
    from sdd_hooks.freshness.hook_state import shared_collections
    from sdd_hooks.githooks import background
    from sdd_hooks.project.project import read_project

    shared = shared_collections(repository)
    names = [one.name for one in read_project(repository).collections if one.name in shared]
    if names:
        background.start(repository, names)


def _rebase_goes_on(repository: Repository, event: str) -> bool:
    """Whether a rebase is under way that will run post-rewrite when it is done."""
    if (repository.git_dir / "rebase-apply").is_dir():
        return True
    merge = repository.git_dir / "rebase-merge"
    if event != "post-checkout" or not merge.is_dir():
        return merge.is_dir()
    # With nothing to replay, post-checkout is the last hook that git runs.
    try:
        todo = (merge / "git-rebase-todo").read_bytes()
    except OSError:
        return False
    return not todo.startswith((b"noop", b"\n")) and bool(todo)
