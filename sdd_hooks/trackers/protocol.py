"""The protocol of trackers: sources of canonical issues, and the description of each vendor.

A vendor is a module or a folder that is registered under the entry point group `sdd_hooks.trackers`
with the name of its tracker and a `TrackerVendor` as its object. No other module names it.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from sdd_hooks.errors import RemoteError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.trackers.issue import Issue, IssueDraft, LinkedPull

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import TokenSources
    from sdd_hooks.remote.response import RateLimitRule
    from sdd_hooks.remote.urls import RemoteUrl


class Unsupported(RemoteError):
    """The tracker has no such operation, for any issue."""

    code = "unsupported"


class Since(NamedTuple):
    """The times from which a fetch returns changes (epoch seconds); None fetches from the start."""

    issues: float | None = None
    pulls: float | None = None


class IssuePage(NamedTuple):
    """A part of a fetch, in any order. The last version of an issue that comes twice counts.

    `at` is the time of the request by the tracker's own clock (epoch seconds). Each of `pulls` has
    all the issues that it is linked with. `deleted` are ids that the tracker reports as deleted.
    `total` is the number of issues of the whole fetch, None if the tracker does not send it.
    `warnings` name what else could not be read, one line each. `is_complete`, on the first page,
    says that the fetch returns every issue, whatever `Since` was: the caller removes all others.
    """

    issues: tuple[Issue, ...]
    at: float
    pulls: tuple[LinkedPull, ...] = ()
    deleted: tuple[str, ...] = ()
    total: int | None = None
    warnings: tuple[str, ...] = ()
    is_complete: bool = False


class IssueFilter(NamedTuple):
    """The issues that a live query selects.

    `status` is `open` or `closed`, None for both. An issue must have all `labels`.
    """

    status: str | None = None
    labels: tuple[str, ...] = ()


class Tracker(Protocol):
    """One project of a tracker.

    Methods raise RemoteError, or SddError for a tracker on this machine. A failed read may be
    repeated by the adapter; a write is sent once.
    """

    @property
    def name(self) -> str:
        """The registered name: `github`."""
        ...

    @property
    def label(self) -> str:
        """The name in messages: `GitHub`."""
        ...

    @property
    def identity(self) -> str:
        """Host and project: `github.com/owner/repo`.

        It is the same for the same issues, and contains no secret. Cursors are stored under it.
        """
        ...

    @property
    def web_url(self) -> str:
        """The web address of the project, "" if it has none."""
        ...

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """Yield what was updated at `since` or later, except deletions; all issues for `Since()`.

        An issue that is updated during the fetch is on a page, in its old or its new version, or
        its update is later than the `at` of the first page. `notes` has what the last complete
        fetch left in it (ETags, for example); the caller stores it when this fetch is complete.
        """
        ...

    def inventory(self) -> Iterator[str | Issue] | None:
        """All issues, as ids or as the listing has them, without edges and pull requests.

        Issues tell what changes without an update, such as the name of a label. None if only a
        fetch of all issues can tell the ids.
        """
        ...

    def issue(self, id: str) -> Issue:
        """Request one issue.

        Raises Missing if the project does not have it, with its new place if it was moved and the
        tracker says where to.
        """
        ...

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """Request the issues that match, the last updated first if the tracker can sort them.

        Edges and pull requests may be missing. Pages are requested as they are consumed.
        """
        ...

    def disconnect(self) -> None:
        """Close the connections."""
        ...


class TrackerWriter(Protocol):
    """The operations that change issues. They raise RemoteError, and Unsupported for an operation
    that the tracker does not have."""

    def create(self, draft: IssueDraft) -> Issue:
        """Create an issue and return it as the tracker stored it.

        Labels that do not exist are created, in the colour of `issue.colour_of`.
        """
        ...

    def close(self, id: str) -> None:
        """Close an issue; a closed issue stays closed."""
        ...

    def append(self, id: str, text: str) -> Issue:
        """Append Markdown to the body of an issue and return it as the tracker stored it.

        The body is read directly before the write, and stays as the tracker stores it. `text` has
        line feeds, and no blank lines around it.
        """
        ...

    def group_of(self, id: str) -> str:
        """The group of an issue, as `group` names it; "" for none."""
        ...

    def has_group(self, group: str) -> bool:
        """Whether the group exists already."""
        ...

    def group(self, id: str, group: str) -> None:
        """Put an issue into a group, instead of the one that it is in.

        `group` is a title, and the group is created if it is missing. For a tracker whose groups
        are epics, it is the id of the epic.
        """
        ...


GroupKind = Literal["milestone", "project", "epic", "file"]
"""What groups issues: a milestone or a project with a title, an epic, which is an issue, or the
file that has the issues."""


class TrackerLocation(NamedTuple):
    """The address of the issues.

    `url` is the base web address (`https://github.com`), "" for a tracker on this machine. `owner`
    and `project` are what the vendor means by them.
    """

    url: str
    owner: str
    project: str


class TrackedRepository(NamedTuple):
    """What identifies the tracker of a repository or a module.

    `root` is its work tree, `specs` are its directories of specifications relative to `root`,
    `find_origin` gives its remote of that name, `environ` is the environment of the process.
    `token_name` is what messages call a token in it; "": its variable.
    """

    root: Path
    specs: tuple[str, ...]
    find_origin: Callable[[], RemoteUrl | None]
    environ: Mapping[str, str]
    token_name: str = ""

    @property
    def origin(self) -> RemoteUrl | None:
        """The remote `origin`, None without one."""
        return self.find_origin()


class TrackerEnvironment(NamedTuple):
    """What a tracker is opened with: the repository, and a factory of HTTP clients."""

    repository: TrackedRepository
    connect: TrackerClientFactory


class TrackerClientFactory(Protocol):
    """Creates the HTTP client of a tracker. It sends no request."""

    def __call__(
        self, api: str, sources: TokenSources | None, rate_limit: RateLimitRule | None = None
    ) -> Client:
        """A client for the API at the address `api`, with the token of its host, if one is found.

        `sources` are the places where the vendor's tokens are looked up; with None the client sends
        no token and waits for nothing. `rate_limit` recognises the vendor's rate limits. Raises
        RemoteError for an invalid address, and for one with a user name or a password.
        """
        ...


@dataclass(frozen=True)
class TrackerVendor:
    """The description of a tracker, usable before one is opened.

    `label` is its name in messages. `open(location, environment)` opens a project and sends no
    request. `locate(settings, repository)` returns the location that `#### Tracker` of this type
    declares, completed from the origin; it raises SddError, one line that names the key, for a
    value that is missing or invalid. `detect(repository)` returns the location of a repository
    without a declaration, by the host of its origin or, for an `is_local` tracker, by its files;
    None if that is uncertain. `probe(repository, environment)` asks the unknown host of an origin,
    without a token, whether it is one of this vendor. An `is_fallback` tracker is used only if no
    other is detected. `aliases` are further names for `Type`. `token_variables` are the environment
    variables that hold its tokens. Issues have labels if it `has_labels`, and epics if it
    `has_epics`. It `hides_comments` if a comment in the body of an issue (`<!-- … -->`) is stored,
    but not shown. `group_kind` says what groups its issues. `closing` is what a pull request says
    to close the issue `{}`. A listing certainly has a new issue after `listing_delay` seconds.
    `token_sources(environ)` are the places where tokens of its host are looked up, which the forge
    of the same name accepts, too; None for a tracker without a forge.
    """

    label: str
    open: Callable[[TrackerLocation, TrackerEnvironment], Tracker]
    locate: Callable[[TrackerSettings, TrackedRepository], TrackerLocation]
    detect: Callable[[TrackedRepository], TrackerLocation | None] = lambda _repository: None
    probe: Callable[[TrackedRepository, TrackerEnvironment], TrackerLocation | None] = (
        lambda _repository, _environment: None
    )
    is_local: bool = False
    is_fallback: bool = False
    aliases: tuple[str, ...] = ()
    token_variables: tuple[str, ...] = ()
    has_labels: bool = True
    has_epics: bool = True
    hides_comments: bool = True
    group_kind: GroupKind = "milestone"
    listing_delay: float = 0.0
    token_sources: Callable[[Mapping[str, str]], TokenSources] | None = None
    closing: str = "Closes {}"
