"""The numbers of records that other open pull requests take.

Their heads are fetched as objects into a directory that is deleted afterwards. Nothing is checked
out, no ref is written, and no file of them is run.
"""

# Governing: ADR-0034 (numbers that are not merged yet), ADR-0019 (a token belongs to one host),
# SPEC-0012 REQ "Numbers of open pull requests"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks.action.changed_commits import REMOTE, RemoteLimits, run_remote
from sdd_hooks.changes.temporary_objects import temporary_objects
from sdd_hooks.errors import RepositoryError, SddError
from sdd_hooks.forges.protocol import Forge, JobContext, PullRequest, PullRequestLister
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.numbers import ClaimReader, OtherHead, read_claims
from sdd_hooks.review.subject import NO_CLAIMS, Claims, Subject
from sdd_hooks.system.git import FETCH_OBJECTS, Git, is_object_id
from sdd_hooks.system.git_errors import redact_git_error
from sdd_hooks.system.git_objects import is_partial

MAX_PULLS = 200
"""Open pull requests that are compared, those that were updated last."""
LOOKUP_SECONDS = 30.0
FETCH_SECONDS = 60.0
MAX_PACK_BYTES = 256 << 20
"""Bytes of one file that git writes for the objects of pull requests."""


class PullJob(NamedTuple):
    """A job about a pull request. `access` holds git's variables for the remote."""

    context: JobContext
    forge: Forge
    pull: PullRequest
    access: Mapping[str, str]


def no_claims(_subject: Subject) -> Claims:
    """The claims in a job that is about no pull request: what is pushed has its number."""
    return NO_CLAIMS


def claims_of_pulls(job: PullJob) -> ClaimReader:
    """A reader of the claims of the target branch and of other open pull requests.

    In a merge queue, only what is merged before counts. A failure is a note.
    """

    def read(subject: Subject) -> Claims:
        if job.context.queued_behind:
            where = f"on {job.pull.base_ref or 'the target branch'} or before this in its queue"
            before = OtherHead(job.context.queued_behind, "the merge queue", where, True)
            return read_claims(subject, [before])
        notes: list[str] = []
        others: Sequence[PullRequest] = ()
        try:
            others = _find_others(job, notes)
        except SddError as error:
            notes.append(f"numbers of open pull requests were not compared: {error}")
        claims = NO_CLAIMS
        try:
            with temporary_objects(subject.after.git) as objects:
                heads = _fetch_heads(job, others, subject.after.git, objects)
                claims = read_claims(subject, heads, objects=objects)
        except (SddError, OSError) as error:
            notes.append(f"numbers that are not merged yet were not compared: {error}")
        return Claims(claims.claims, (*notes, *claims.notes))

    return read


def related_pulls(pull: PullRequest, listed: Sequence[PullRequest]) -> list[PullRequest]:
    """The other pull requests that end on the same branch as `pull`, by their numbers.

    A pull request to the branch of another one ends where that one does.
    """
    targets: dict[str, str] = {}
    for one in (pull, *listed):
        if one.head_ref and not one.is_fork:
            targets.setdefault(one.head_ref, one.base_ref)

    def last_target(branch: str) -> str:
        seen: set[str] = set()
        while branch in targets and branch not in seen:
            seen.add(branch)
            branch = targets[branch]
        return branch

    end = last_target(pull.base_ref)
    others = (one for one in listed if one.number != pull.number)
    return sorted(one for one in others if end and last_target(one.base_ref) == end)


def _find_others(job: PullJob, notes: list[str]) -> list[PullRequest]:
    """The other open pull requests that may take numbers. Raises RemoteError."""
    if not isinstance(job.forge, PullRequestLister) or not job.pull.number:
        return []
    listed = job.forge.open_pull_requests(MAX_PULLS + 1)
    if len(listed) > MAX_PULLS:
        notes.append(
            f"numbers were compared with those of the {MAX_PULLS} open pull requests that were"
            " updated last"
        )
    return related_pulls(job.pull, listed[:MAX_PULLS])


def _fetch_heads(
    job: PullJob, others: Sequence[PullRequest], git: Git, objects: Path
) -> list[OtherHead]:
    """Fetch the target branch and the heads of the pull requests into the directory `objects`.

    Raises RepositoryError for a fetch that fails.
    """
    pull, access = job.pull, job.access
    target = f"refs/heads/{pull.base_ref}"
    refs = {pull.ref, target, *(one.ref for one in others)}
    lookup = RemoteLimits(LOOKUP_SECONDS)
    listed = run_remote(git, ("ls-remote", "--quiet", REMOTE, *sorted(refs)), access, lookup)
    if listed.code:
        reason = redact_git_error(listed.err, access)
        raise RepositoryError(f"{REMOTE} cannot be queried ({reason}): try again later")
    rows = (row.partition("\t") for row in listed.out.splitlines())
    commits = {ref: commit for commit, _, ref in rows if ref in refs and is_object_id(commit)}
    # A pipeline of GitLab may run in the fork, whose branches are others.
    if pull.ref not in commits:
        raise RepositoryError(
            f"{REMOTE} has no {pull.ref!a}: run the job in the repository of the target branch"
        )
    whole = ("--no-filter",) if is_partial(git) else ()
    limits = RemoteLimits(FETCH_SECONDS, objects, MAX_PACK_BYTES)
    done = run_remote(git, (*FETCH_OBJECTS, *whole, REMOTE, *commits), access, limits)
    if done.code:
        reason = redact_git_error(done.err, access)
        raise RepositoryError(f"{REMOTE} does not send them ({reason}): try again later")
    heads = [_head_of(one, commits[one.ref], pull) for one in others if one.ref in commits]
    if target not in commits:
        return heads
    return [OtherHead(commits[target], pull.base_ref, f"on {pull.base_ref}", True), *heads]


def _head_of(other: PullRequest, commit: str, pull: PullRequest) -> OtherHead:
    noun = "merge request" if other.ref.startswith("refs/merge-requests/") else "pull request"
    name = f"{noun} {other.number}"
    return OtherHead(commit, name, f"in {name}, which is older", other.number < pull.number)
