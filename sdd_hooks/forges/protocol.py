"""The protocol of forges: pull requests, what is posted to them, and descriptions of vendors.

A forge posts texts and decides nothing about them. A vendor is a module or a folder that is
registered under the entry point group `sdd_hooks.forges` with the name of its forge and a
`ForgeVendor` as its object. No other module names it.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from sdd_hooks.errors import AccessRefused, RemoteError
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Secret
    from sdd_hooks.remote.response import RateLimitRule


class MergeRefused(RemoteError):
    """The host does not merge a pull request: it conflicts, its head changed, or a rule forbids it.

    Nothing was merged.
    """

    code = "merge-refused"


class WriteDenied(AccessRefused):
    """The token may not write this: it belongs to a pull request of a fork, or has too few rights.

    The refused request wrote nothing.
    """

    code = "write-denied"


class PullRequest(NamedTuple):
    """A pull request. A text that the event or the host does not have is "".

    `base` and `head` are commit ids, `base_ref` is the name of the target branch. `is_fork` says
    that the pull request comes from another repository, or may come from one. `ref` is the name
    under which its head can be fetched from the target repository. `head_ref` is the name of its
    branch. `is_draft` says that it is not ready for a merge. `merged_at` is when it was merged, as
    the host writes it. `is_locked` says that only some accounts may comment on it.
    """

    number: int
    title: str
    body: str
    base: str
    base_ref: str
    head: str
    is_fork: bool
    ref: str
    is_open: bool = True
    head_ref: str = ""
    is_draft: bool = False
    is_merged: bool = False
    merged_at: str = ""
    is_locked: bool = False


CheckState = Literal["success", "failure", "pending", "none", "unknown"]
"""The state of all checks of a commit. `none`: it has no check; `unknown`: the host does not tell.
"""

MergeStrategy = Literal["squash", "merge", "rebase"]


class Checks(NamedTuple):
    """The checks of a commit: their state, and the names of those that failed, or still run."""

    state: CheckState
    failed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()


class PullDetails(NamedTuple):
    """A pull request, the checks of its head, and the paths that it changes.

    `files` has the old and the new path of a renamed file. It is None if the host does not list
    them.
    """

    pull: PullRequest
    checks: Checks
    files: tuple[str, ...] | None


class JobContext(NamedTuple):
    """A job of CI and the event that started it, as the environment of the runner describes them.

    `web_url` is the web address of the host, `api_url` the address of its API, `repository` the
    path of the repository on it. `event` is the host's name for the event (`pull_request`, `push`,
    `schedule`). `sha` is the commit that the job is about, `before` the commit of its branch before
    the push, `branch` the name of that branch; `default_branch` is the one of the repository.
    `pull` is the pull request of the event. `followed_sha` is the commit of the job that this one
    follows (`workflow_run`). `is_unmerged` marks a commit that waits for its merge without an event
    of a pull request, as in a merge queue. `shows_annotations` says that the host shows annotations
    and checks of a job. `pull_refs` is the pattern of the refs of the heads of pull requests.
    `queued_behind` is the commit after which the pull request of a merge queue is merged, "" in a
    job that is about no queue.
    """

    web_url: str
    api_url: str
    repository: str
    event: str
    sha: str = ""
    before: str = ""
    branch: str = ""
    default_branch: str = ""
    pull: PullRequest | None = None
    followed_sha: str = ""
    is_unmerged: bool = False
    shows_annotations: bool = False
    pull_refs: str = "refs/pull/*/head"
    queued_behind: str = ""


class UpsertResult(NamedTuple):
    """What happened to the one comment, and its web address, "" if there is no comment.

    `none` means that there is none and that none was to be created.
    """

    action: Literal["created", "edited", "kept", "none"]
    url: str = ""


class LineComment(NamedTuple):
    """A comment on a line, from 1 on, of a file in the head of the pull request."""

    path: str
    line: int
    body: str


class ReviewThread(NamedTuple):
    """An existing comment on a line that begins a thread.

    `id` is what the same forge resolves it by. `is_own` says that the account of the token wrote
    it, `is_own_resolution` that this account resolved it, rather than a person.
    """

    id: str
    body: str
    is_own: bool
    is_resolved: bool = False
    is_own_resolution: bool = False


class CommitStatus(NamedTuple):
    """The status of a commit.

    `context` is its name beside the statuses of other programs, `description` is one line, `url`
    the web address of the details.
    """

    state: Literal["success", "failure", "error", "pending"]
    context: str
    description: str
    url: str = ""


class FileLinks(NamedTuple):
    """The parts of the web address of a file: `{base}/{commit}/{path}?{query}#L1`.

    `query` makes the host show the source of a file that it would render.
    """

    base: str
    query: str


class Forge(Protocol):
    """One repository of a forge.

    Methods raise RemoteError, and those that write raise WriteDenied as well. Texts are posted as
    they are: nothing is escaped, shortened or added.
    """

    def pull_request(self, number: int) -> PullRequest:
        """Request a pull request."""
        ...

    def upsert_comment(
        self, number: int, body: str, has_marker: Callable[[str], bool], *, create: bool = True
    ) -> UpsertResult:
        """Give the one comment on a pull request the text `body`, if it has another one.

        The one comment is the oldest whose author is the account of the token (a bot, if the host
        does not tell the account) and whose body `has_marker`. Other such comments, which jobs that
        run at once create, are deleted. Without `create`, only a comment that exists is changed. A
        comment is written only after every page of comments was read.
        """
        ...

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """Every comment on a line of a pull request that begins a thread."""
        ...

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Post the comments on lines of the commit `head`, at once and without a verdict, and
        resolve the threads.

        Returns the comments that the forge refused because it does not show their line.
        """
        ...

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Set the status of a commit; it replaces one of the same context."""
        ...

    def file_links(self) -> FileLinks:
        """The parts of the web addresses of files."""
        ...

    def disconnect(self) -> None:
        """Close the connections."""
        ...


@runtime_checkable
class PullRequestLister(Protocol):
    """A forge that lists pull requests. A forge without this method is complete."""

    def open_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` open pull requests, those that were updated last first.

        Title and body may be left out. Raises RemoteError.
        """
        ...


@runtime_checkable
class PullRequestMerger(Forge, PullRequestLister, Protocol):
    """A forge whose pull requests can be reviewed together, and merged."""

    def details(self, pull: PullRequest) -> PullDetails:
        """Request the checks of the head of a pull request, and the paths that it changes.

        What the host does not tell is `unknown` or None. Raises RemoteError.
        """
        ...

    def merged_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` merged pull requests, those that were updated last first.

        Raises RemoteError.
        """
        ...

    def merge(self, pull: PullRequest, strategy: MergeStrategy) -> None:
        """Merge a pull request if its head is still `pull.head`.

        Raises MergeRefused, WriteDenied, and RemoteError.
        """
        ...


@runtime_checkable
class DescriptionEditor(Protocol):
    """A forge that edits pull requests. A forge without this method is complete."""

    def edit_description(self, number: int, body: str) -> None:
        """Give a pull request another description. Raises RemoteError and WriteDenied."""
        ...


class ForgeClientFactory(Protocol):
    """Creates the HTTP client for the API of the host that runs the job. It sends no request."""

    def __call__(
        self,
        api: str,
        *,
        label: str,
        headers: Callable[[Secret], Mapping[str, str]],
        rate_limit: RateLimitRule | None = None,
        advice: str = "",
    ) -> Client:
        """A client for the API at the address `api`.

        `label` is the forge's name in messages. `headers` returns the headers that carry the token,
        if there is one. `rate_limit` recognises the forge's rate limits. `advice` is what a user
        can do about refused access. Raises RemoteError for an invalid address.
        """
        ...


@dataclass(frozen=True)
class ForgeVendor:
    """The description of a forge, usable before one is opened.

    `label` is its name in messages. `detect_job(environ)` returns the job of its CI that an
    environment belongs to, None for any other environment. `open(context, connect)` opens the
    repository of a job and sends no request. `git_user` is the user name that git sends with the
    token of a job. `api_url(web_url)` returns the address of the API of the host with that web
    address, outside a job; None for a forge that is only used in its own jobs.
    """

    label: str
    detect_job: Callable[[Mapping[str, str]], JobContext | None]
    open: Callable[[JobContext, ForgeClientFactory], Forge]
    git_user: str = "x-access-token"
    api_url: Callable[[str], str] | None = None
