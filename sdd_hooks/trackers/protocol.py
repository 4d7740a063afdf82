"""What a tracker is to the rest: a source of canonical issues, and a description of its vendor.

A vendor is one module that is registered under the entry point group `sdd_hooks.trackers` with the
name of its tracker and a `Vendor` as its object. Nothing else knows about it.
"""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "One file for each tracker"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sdd_hooks.errors import RemoteError
from sdd_hooks.trackers.issue import Issue, IssueDraft, IssueEdit, LinkedPull

if TYPE_CHECKING:
    from sdd_hooks.config.settings import TrackerSettings
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.credentials import Sources
    from sdd_hooks.remote.response import RateLimitRule
    from sdd_hooks.remote.urls import RemoteUrl


class Unsupported(RemoteError):
    """The tracker cannot do what was asked, whatever it is asked about."""

    code = "unsupported"


class Since(NamedTuple):
    """From when on issues and pull requests are fetched (epoch seconds); None is from the start."""

    issues: float | None = None
    pulls: float | None = None


class IssuePage(NamedTuple):
    """Some of what a tracker has, in any order; what comes twice counts as it came last.

    `at` is the tracker's own clock when the page was asked for (epoch seconds). `pulls` come with
    all the issues that they are linked with. `gone` are ids that the tracker says are no longer
    here. `total` is how many issues the whole fetch brings, where the tracker tells. `warnings` say
    what could not be read besides, one line each. `everything`, on the first page, says that the
    fetch brings all there is, whatever was asked: what it does not bring is removed.
    """

    issues: tuple[Issue, ...]
    at: float
    pulls: tuple[LinkedPull, ...] = ()
    gone: tuple[str, ...] = ()
    total: int | None = None
    warnings: tuple[str, ...] = ()
    everything: bool = False


class IssueFilter(NamedTuple):
    """Which issues a live query is about; None or empty is all of them."""

    status: str | None = None
    labels: tuple[str, ...] = ()


class Tracker(Protocol):
    """One project of a tracker. Methods raise RemoteError, or SddError where nothing is remote.

    Reading is idempotent and may be tried again; writing is done once or not at all.
    """

    @property
    def name(self) -> str:
        """The registered name: `github`."""
        ...

    @property
    def label(self) -> str:
        """What people call it: `GitHub`."""
        ...

    @property
    def place(self) -> str:
        """Host and project, the same for the same issues: `github.com/owner/repo`. No secret."""
        ...

    @property
    def web(self) -> str:
        """The address of the project for people, "" where there is none."""
        ...

    def fetch(self, since: Since, notes: MutableMapping[str, str]) -> Iterator[IssuePage]:
        """What was updated at `since` or later, deletions aside; everything for Since().

        An issue that is updated while this goes on is on a page, old or new, or newer than the
        first page's `at`. `notes` are what the last fetch that came to its end left there (ETags):
        they are kept when the pages have come to their end.
        """
        ...

    def inventory(self) -> Iterator[str] | None:
        """The ids of all issues there are. None where a fetch of everything says that as well."""
        ...

    def issue(self, id: str) -> Issue:
        """One issue, asked for now. Raises Missing, with where it moved to if that is known."""
        ...

    def query(self, filter: IssueFilter) -> Iterator[Issue]:
        """The issues that match, asked for now, the last updated first where that can be had.

        Edges and pulls may be missing. As lazy as the tracker's pages.
        """
        ...

    def disconnect(self) -> None:
        """Let connections go."""
        ...


class TrackerWriter(Protocol):
    """What a tracker can change. A tracker whose vendor cannot raises Unsupported."""

    def create(self, draft: IssueDraft) -> Issue:
        """A new issue, as it is afterwards."""
        ...

    def edit(self, id: str, edit: IssueEdit) -> Issue:
        """Change an issue."""
        ...

    def close(self, id: str) -> None:
        """Close an issue; one that is closed stays so."""
        ...

    def comment(self, id: str, text: str) -> None:
        """Say something below an issue, in Markdown."""
        ...

    def group(self, id: str, name: str) -> None:
        """Put an issue into the milestone or epic of that name, created when missing."""
        ...


class TrackerLocation(NamedTuple):
    """Where issues are: the base address for people (`https://github.com`, "" for a local tracker),
    and the owner and the project there, as the vendor understands them."""

    url: str
    owner: str
    project: str


class RepositoryContext(NamedTuple):
    """What a tracker may be recognised by: the work tree of the repository or module, its
    directories of specifications relative to that, its origin, and the environment."""

    root: Path
    specs: tuple[str, ...]
    origin: RemoteUrl | None
    environ: Mapping[str, str]


class TrackerEnvironment(NamedTuple):
    """What a tracker works with. `connect(api, sources, limits)` makes a client for the address of
    an API, with the secret of its host, if one is found; it asks no host for anything."""

    around: RepositoryContext
    connect: TrackerClientFactory


class TrackerClientFactory(Protocol):
    """Makes the client of a tracker."""

    def __call__(
        self, api: str, sources: Sources | None, limits: RateLimitRule | None = None
    ) -> Client:
        """Without `sources` no token is sent, and no failure is waited for.

        Raises RemoteError for an address that may not be used.
        """
        ...


@dataclass(frozen=True)
class TrackerVendor:
    """What is known of a tracker before it is opened.

    `label` is what people call it. `open(where, machine)` opens a project and asks nobody.
    `declared(settings, around)` says where `#### Tracker` of this type points, with what is missing
    filled in from the origin; it raises SddError, one line that names the key, when it cannot.
    `detected(around)` says where the issues are when nothing was declared: by the origin's host, or
    because a `local` tracker is there; None when that is not certain. `asked(around, machine)` asks
    an origin's host that nobody recognised whether it is one of this vendor's, without a token.
    `last` is a tracker that is taken when there is no other. `aliases` are what else people write
    for it into `Type`. `tokens` are the variables of the environment that hold a token of it.
    """

    label: str
    open: Callable[[TrackerLocation, TrackerEnvironment], Tracker]
    declared: Callable[[TrackerSettings, RepositoryContext], TrackerLocation]
    detected: Callable[[RepositoryContext], TrackerLocation | None] = lambda _around: None
    asked: Callable[[RepositoryContext, TrackerEnvironment], TrackerLocation | None] = (
        lambda _around, _machine: None
    )
    local: bool = False
    last: bool = False
    aliases: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
