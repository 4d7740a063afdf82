"""What sdd does when git tells it that something happened.

Hook arguments say little and are not trusted: every event means "look again", and git says what is
different. Whatever goes wrong is a line on stderr; git's command is never failed by a refresh.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Events"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from sdd_hooks.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, NotIndexed, SddError
from sdd_hooks.freshness.changes import look, scan_of_commit
from sdd_hooks.githooks.lines import one_line
from sdd_hooks.githooks.shims import EVENTS
from sdd_hooks.project.repository import Repository, discover

AUTO = "auto"

LARGEST_CHANGE = 300
"""Paths of a collection that are looked at while git waits; more are left to the background."""


class _TooLarge(Exception):
    """The change takes longer than git should wait."""


def handle(
    event: str,
    arguments: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stderr: TextIO,
) -> int:
    """Act on a git hook. Returns the exit code of the hook and raises nothing.

    `event` is the name of the hook, or `auto` under the pre-commit framework, which tells it by
    environment variables. `arguments` are those git gave the hook; for `pre-commit` they are the
    staged files to check (none: all). Only `pre-commit` can return anything but 0 for an event
    that git knows.
    """
    if event == AUTO:
        event, arguments = _inferred(environ)
    if event not in EVENTS:
        stderr.write(f"sdd: no hook {event!a}: one of {', '.join(EVENTS)}, {AUTO}\n")
        return EXIT_USAGE
    try:
        if event == "pre-commit":
            from sdd_hooks.githooks.frontmatter import check_staged

            return check_staged(arguments, cwd=cwd, environ=environ, stderr=stderr)
        _refresh(event, arguments, cwd, environ)
    except NotIndexed:
        return EXIT_OK
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as error:
        failed = "check failed" if event == "pre-commit" else "index refresh failed"
        advice = "sdd doctor" if event == "pre-commit" else "sdd index update"
        stderr.write(f"sdd: {failed} — run `{advice}` ({one_line(_reason(error))})\n")
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


def _refresh(event: str, arguments: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> None:
    repository = discover(cwd)
    if event != "post-rewrite" and _rebase_goes_on(repository, event):
        return
    if not repository.search_dir.is_dir():
        if event == "post-checkout" and set("".join(arguments[:1])) == {"0"}:
            _index_new_work_tree(repository, environ)
        return
    scan = scan_of_commit(repository.git_dir) if event == "post-commit" else "all"
    # git begins to look before anything is imported: in a large work tree that takes longest.
    begun = look(repository.root, "", scan)
    try:
        from sdd_hooks.freshness.refresh import refresh
        from sdd_hooks.project.project import project_of

        refresh(project_of(repository), scan=scan, wait=0.0, progress=_small, begun=begun)
    except _TooLarge:
        from sdd_hooks.githooks import background

        background.start(repository, environ, ())
    finally:
        begun.close()


def _small(_what: str, _done: int, total: int) -> None:
    """Progress of a refresh; ends it before it has begun when there is too much to do."""
    if total > LARGEST_CHANGE:
        raise _TooLarge


def _index_new_work_tree(repository: Repository, environ: Mapping[str, str]) -> None:
    from sdd_hooks.freshness.fastpath import shared_collections
    from sdd_hooks.githooks import background
    from sdd_hooks.project.project import project_of

    shared = shared_collections(repository)
    names = [one.name for one in project_of(repository).collections if one.name in shared]
    if names:
        background.start(repository, environ, names)


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


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, SddError) else f"{type(error).__name__}: {error}"
