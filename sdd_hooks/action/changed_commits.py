"""Find the two commits that a job compares, and fetch what the job did not check out.

Objects are fetched and nothing is checked out: their content is read, and never run.
"""

# Governing: ADR-0024 (the action is a command), SPEC-0012 REQ "Which event does what",
# REQ "History that is missing"

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.action.tokens import DISPLAY_NAME
from sdd_hooks.changes.base import is_shallow, resolve_commit
from sdd_hooks.errors import RemoteError, RepositoryError
from sdd_hooks.forges.protocol import Forge, JobContext, PullRequest
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.git import FETCH_OBJECTS, Git, is_object_id
from sdd_hooks.system.git_errors import is_refusal, redact_git_error
from sdd_hooks.system.git_objects import is_partial
from sdd_hooks.system.processes import ProgramResult
from sdd_hooks.text.lazy_regex import lazy_regex

REMOTE = "origin"
FETCH_TIMEOUT = 1800.0
"""Seconds for one fetch: a long history over a slow connection."""

_NUMBER = lazy_regex(r"[0-9]{1,18}", re.ASCII)


class RemoteLimits(NamedTuple):
    """Limits of a command at the remote; see `Git.remote`."""

    timeout: float = FETCH_TIMEOUT
    objects: Path | None = None
    max_file_bytes: int = 0


DEFAULT_LIMITS = RemoteLimits()


class CommitName(NamedTuple):
    """A commit by its id or a name that a user types, and the `ref` of the remote that contains
    it, "" when unknown."""

    name: str
    ref: str = ""

    @property
    def shown(self) -> str:
        """What messages call it: an event may lack the id, or have one that is none."""
        return self.name or self.ref


class ReviewedChange(NamedTuple):
    """The ids of the two commits to compare, and their pull request, if they belong to one.

    `is_outdated` says that the pull request has a newer head. `note` says what the forge refused to
    tell.
    """

    base: str
    head: str
    pull: PullRequest | None = None
    is_outdated: bool = False
    note: str = ""


def find_change(
    git: Git, context: JobContext, forge: Forge, base: str, access: Mapping[str, str]
) -> ReviewedChange | None:
    """The change that the job is about, with its commits fetched; None without one.

    `base` replaces the base of the event, unless it is "". `access` holds git's variables for the
    remote. Raises RepositoryError for a commit that cannot be fetched, and RemoteError where the
    forge does not return the pull request.
    """
    found = _find_pull_request(git, context, forge, access)
    if found is not None:
        pull, is_outdated, note = found
        first = CommitName(base) if base else CommitName(pull.base, _branch_ref(pull.base_ref))
        commits = fetch_change(git, first, CommitName(pull.head, pull.ref), access)
        return ReviewedChange(*commits, pull, is_outdated, note)
    if context.followed_sha or not context.sha:
        return None
    head = CommitName(context.sha, _branch_ref(context.branch))
    if base:
        return ReviewedChange(*fetch_change(git, CommitName(base), head, access))
    for before in _bases_of_push(context):
        # The commit before a forced push may no longer exist.
        with suppress(RepositoryError):
            return ReviewedChange(*fetch_change(git, CommitName(before), head, access))
    return None


def fetch_change(
    git: Git, base: CommitName, head: CommitName, access: Mapping[str, str]
) -> tuple[str, str]:
    """Fetch what is missing of two commits, their history, and the files that differ.

    Returns their ids. Raises RepositoryError like `fetch_commits`.
    """
    first, last = fetch_commits(git, (base, head), access)
    if is_partial(git):
        # git fetches the missing files for the diff. The review names those that it does not get.
        lazily = {**access, "GIT_NO_LAZY_FETCH": "0"}
        between = f"{first}...{last}"
        run_remote(git, ("diff", "--shortstat", between), lazily)
    return first, last


def fetch_commits(
    git: Git, commits: Sequence[CommitName], access: Mapping[str, str]
) -> tuple[str, ...]:
    """Fetch what is missing of these commits and of their history. Returns their ids.

    `access` holds git's variables for the remote. Raises RepositoryError for a commit that cannot
    be fetched; the message says why.
    """
    shallow = is_shallow(git)
    ids = [_find_id(git, commit.name) for commit in commits]
    problem = ""
    if shallow or not all(ids):
        by_name = [_refspec(commit) for commit in commits]
        # A boundary of the history stays a boundary unless its commit is fetched as well.
        boundary = [resolve_commit(git, "HEAD")] if shallow else []
        options = ("--unshallow",) if shallow else ()
        by_ref = [commit.ref for commit in commits if commit.ref]
        for refspecs in filter(None, ([*by_name, *boundary], by_name, by_ref)):
            problem = _fetch(git, (*options, REMOTE, *refspecs), access)
            if not problem:
                break
        ids = [_find_id(git, commit.name) for commit in commits]
    for commit, id in zip(commits, ids, strict=True):
        if not id:
            if access and is_refusal(problem):
                raise RepositoryError(
                    f"{REMOTE} refuses {DISPLAY_NAME} ({problem}), and the commit {commit.shown!a}"
                    " is not checked out: check the secret in `token`"
                )
            reason = f" ({problem})" if problem else ""
            raise RepositoryError(
                f"{REMOTE} does not provide the commit {commit.shown!a}{reason}: check out with"
                " `fetch-depth: 0`, or name another base"
            )
    return tuple(ids)


def find_pull_numbers(git: Git, head: str, pattern: str, access: Mapping[str, str]) -> list[int]:
    """The numbers of the pull requests with this head, the newest first.

    `pattern` names the refs of pull requests on the remote, with `*` for the number. Raises
    RepositoryError when the remote does not list them.
    """
    done = run_remote(git, ("ls-remote", "--quiet", REMOTE, pattern), access)
    if done.code:
        raise RepositoryError(
            f"{REMOTE} cannot be queried for {pattern}: {redact_git_error(done.err, access)}"
        )
    before, _, after = pattern.partition("*")
    refs = [line.split("\t", 1)[-1] for line in done.out.splitlines() if line.startswith(head)]
    numbers = [ref.removeprefix(before).removesuffix(after) for ref in refs]
    return sorted((int(number) for number in numbers if _NUMBER.fullmatch(number)), reverse=True)


def _find_pull_request(
    git: Git, context: JobContext, forge: Forge, access: Mapping[str, str]
) -> tuple[PullRequest, bool, str] | None:
    """The pull request that the job is about, whether it has a newer head, and a note."""
    if context.pull is not None:
        of_event = context.pull
        try:
            current = forge.pull_request(of_event.number)
        except RemoteError as error:
            if not of_event.head:
                raise
            note = f"title and description are those of the event that started the job: {error}"
            return of_event, False, note
        # Title and body may have been edited since; the commits are those of the event.
        pull = of_event._replace(title=current.title, body=current.body)
        return (pull, current.head != pull.head, "") if pull.head else (current, False, "")
    if context.followed_sha:
        for number in find_pull_numbers(git, context.followed_sha, context.pull_refs, access):
            pull = forge.pull_request(number)
            if pull.is_open and pull.head == context.followed_sha:
                return pull, False, ""
    return None


def _bases_of_push(context: JobContext) -> list[str]:
    """The commits with which a push is compared, the best first."""
    before = [context.before] if context.before.strip("0") else []
    is_branch = context.event == "push" and context.branch not in ("", context.default_branch)
    return [*before, context.default_branch] if is_branch and context.default_branch else before


def _branch_ref(branch: str) -> str:
    return f"refs/heads/{branch}" if branch else ""


def _find_id(git: Git, name: str) -> str:
    """The id of a commit that was fetched, "" for another. A branch is the one of the remote."""
    branch = () if is_object_id(name) else (f"refs/remotes/{REMOTE}/{_branch_name(name)}",)
    for revision in (*branch, name):
        with suppress(RepositoryError):
            return resolve_commit(git, revision)
    return ""


def _refspec(commit: CommitName) -> str:
    if is_object_id(commit.name):
        return commit.name
    branch = _branch_name(commit.name)
    return f"+refs/heads/{branch}:refs/remotes/{REMOTE}/{branch}"


def _branch_name(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix(f"{REMOTE}/")


def _fetch(git: Git, arguments: Sequence[str], access: Mapping[str, str]) -> str:
    """Fetch. Returns the reason of a failure, "" for a success."""
    done = run_remote(git, (*FETCH_OBJECTS, *arguments), access)
    return redact_git_error(done.err, access) if done.code else ""


def run_remote(
    git: Git,
    arguments: Sequence[str],
    access: Mapping[str, str],
    limits: RemoteLimits = DEFAULT_LIMITS,
) -> ProgramResult:
    """Run a command at the remote; if that refuses the token, once more without it.

    A public repository needs none, and a checkout may have credentials. Returns the first result if
    both fail: it is about the token. Raises GitError when a command does not end in time.
    """
    done = git.remote(*arguments, access=access, **limits._asdict())
    has_token = any(name.startswith("GIT_CONFIG_VALUE_") for name in access)
    if not done.code or not has_token or not is_refusal(done.err):
        return done
    bare = {name: value for name, value in access.items() if not name.startswith("GIT_CONFIG_")}
    again = git.remote(*arguments, access=bare, **limits._asdict())
    return done if again.code else again
