"""What a forge is to the rest: where pull requests are, and what may be said about one.

A forge never decides what to say. A vendor is one module that is registered under the entry point
group `sdd_hooks.forges` with the name of its forge and a `Vendor` as its object. Nothing else knows
about it.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One file for each forge"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from sdd_hooks.errors import AccessRefused

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Secret
    from sdd_hooks.remote.response import RateLimitRule


class WriteDenied(AccessRefused):
    """The token may not write this: it is one of a fork's pull request, or its rights are too few.

    Nothing was written by the request that was refused.
    """

    code = "write-denied"


class PullRequest(NamedTuple):
    """A pull request: `base` and `head` are commit ids, `base_ref` the branch that it leads to.

    `fork` is whether it comes from somebody else's repository, or may; `ref` the name under which
    its head can be fetched from the repository that it leads to. What an event does not say is ""
    (`title` and `body` then are not known, rather than empty).
    """

    number: int
    title: str
    body: str
    base: str
    base_ref: str
    head: str
    fork: bool
    ref: str
    open: bool = True


class Run(NamedTuple):
    """A job of CI: where it runs, and what started it, as the runner's environment has it.

    `web` is the address of the host for people, `api` that of its API, `repository` the path of the
    repository on it. `event` is the host's own word (`pull_request`, `push`, `schedule`). `sha` is
    the commit that the job is about and `before` what its branch was until then, `branch` its name;
    `default_branch` is that of the repository. `pull` is the pull request that the event is about.
    `head` is set where the event follows another job (`workflow_run`), and is that job's commit.
    `merging` is whether the commit waits to be merged (a merge queue), by no pull request's event.
    `annotations` says whether the host shows annotations and checks of a job; `pulls` is the
    pattern of the refs at which heads of pull requests stand.
    """

    web: str
    api: str
    repository: str
    event: str
    sha: str = ""
    before: str = ""
    branch: str = ""
    default_branch: str = ""
    pull: PullRequest | None = None
    head: str = ""
    merging: bool = False
    annotations: bool = False
    pulls: str = "refs/pull/*/head"


class Upserted(NamedTuple):
    """What became of the one comment, and its address for people ("" where there is none)."""

    done: Literal["created", "edited", "kept", "none"]
    url: str = ""


class LineComment(NamedTuple):
    """A comment on a line, from 1, of a file as the head of the pull request has it."""

    path: str
    line: int
    body: str


class Thread(NamedTuple):
    """A comment on a line that is there, with the `id` by which this forge resolves it.

    `ours` is whether we wrote it, going by its author; `resolved` whether it is settled, `by_us`
    whether we settled it and not a person.
    """

    id: str
    body: str
    ours: bool
    resolved: bool = False
    by_us: bool = False


class Status(NamedTuple):
    """The state of a commit: `context` tells it from those of others, `description` is one line."""

    state: Literal["success", "failure", "error", "pending"]
    context: str
    description: str
    url: str = ""


class Forge(Protocol):
    """One repository of a forge. Methods raise RemoteError, those that write WriteDenied as well.

    Texts come ready: nothing is escaped, cut or added here.
    """

    def pull_request(self, number: int) -> PullRequest:
        """A pull request as it is now."""
        ...

    def upsert_comment(
        self, number: int, body: str, is_ours: Callable[[str], bool], *, create: bool = True
    ) -> Upserted:
        """Make `body` the one comment of ours on that pull request; nothing where it is already.

        Without `create`, only one that is there is changed. Ours is the last comment of our own
        author (of a bot, where we do not know who we are) whose text `is_ours`. Nothing is written
        unless every page of comments was read.
        """
        ...

    def threads(self, number: int) -> tuple[Thread, ...]:
        """Every comment on a line that begins a thread."""
        ...

    def publish_review(
        self, number: int, head: str, comments: Sequence[LineComment], resolve: Sequence[Thread]
    ) -> tuple[LineComment, ...]:
        """Post these comments on lines of the commit `head`, all at once and without a verdict, and
        settle those threads.

        Returns the comments that the forge did not take because it does not show their line.
        """
        ...

    def set_status(self, sha: str, status: Status) -> None:
        """Give a commit a status; one of the same context is replaced."""
        ...

    def blobs(self) -> tuple[str, str]:
        """Where files are shown: the address before the commit, and the query that shows source."""
        ...

    def disconnect(self) -> None:
        """Let connections go."""
        ...


class Connect(Protocol):
    """Makes the client of a forge for the API of a run, and of no other host."""

    def __call__(
        self,
        api: str,
        *,
        label: str,
        headers: Callable[[Secret], Mapping[str, str]],
        limits: RateLimitRule | None = None,
        advice: str = "",
    ) -> Client:
        """`headers` are those that carry the token, where there is one. Asks nobody."""
        ...


@dataclass(frozen=True)
class Vendor:
    """What is known of a forge before it is opened.

    `label` is what people call it. `here(environ)` is the job of its CI that this environment
    belongs to, or None when that is another's. `open(run, connect)` opens its repository and asks
    nobody. `user` is who git says it is beside the token of a job.
    """

    label: str
    here: Callable[[Mapping[str, str]], Run | None]
    open: Callable[[Run, Connect], Forge]
    user: str = "x-access-token"
