"""What trackers on hosts share: the project of an owner, and the checks of declared settings."""

# Governing: ADR-0018 (tracker issues as files), SPEC-0009 REQ "Detection"

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sdd_hooks.errors import Missing, RemoteError, SddError
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import TrackerLocation

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client


@dataclass(frozen=True)
class HostedProject:
    """A project of an owner on a host, and the client of that host."""

    location: TrackerLocation
    client: Client

    label: ClassVar[str]

    @property
    def full_name(self) -> str:
        """The project as its host names it: `owner/name`."""
        return f"{self.location.owner}/{self.location.project}"

    @property
    def web_url(self) -> str:
        """The web address of the project."""
        return f"{self.location.url}/{self.full_name}"

    @property
    def identity(self) -> str:
        """Host and project, in lower case since these hosts ignore case."""
        return self.web_url.partition("://")[2].lower()

    def number(self, id: str) -> str:
        """An id as part of a path. Raises Missing for an id that is not a number."""
        if not (id.isascii() and id.isdecimal() and len(id) < 19):
            raise Missing(
                f"{self.label} has no issue {one_line(id)[:100]}: its issues have numbers"
            )
        return id

    def written(self, issue: Issue | None, below: str = "issues") -> Issue:
        """The issue in the response to a write. Raises RemoteError for a response without one.

        `below` is the path of the issues below the project.
        """
        if issue is None:
            where = f"{self.web_url}/{below}"
            raise RemoteError(f"{self.label} does not say which issue it wrote: look at {where}")
        return issue

    def disconnect(self) -> None:
        """Close the connections."""
        self.client.close()


_EXAMPLES = {"Owner": "acme", "Repo": "shop", "URL": "https://tracker.example.org"}


def checked_location(
    label: str, location: TrackerLocation, *, owners: re.Pattern[str], projects: re.Pattern[str]
) -> TrackerLocation:
    """The location, if owner and project are set and match the vendor's patterns.

    They become part of an address, so nothing else may pass. `label` is the vendor's name in
    messages. Raises SddError, one line that names the key, for a missing or invalid value.
    """
    checks = ((location.owner, "Owner", owners), (location.project, "Repo", projects))
    for value, key, pattern in checks:
        if not value:
            raise missing_setting(label, key)
        if not pattern.fullmatch(value):
            shown = one_line(value)[:100]
            raise SddError(
                f"{key} cannot be {shown!r} on {label}: write it as in the address of the project,"
                f" such as `- **{key}**: {_EXAMPLES[key]}`"
            )
    return location


def missing_setting(label: str, key: str) -> SddError:
    """The error for a key of `#### Tracker` that nothing else completes."""
    return SddError(
        f"{label} needs to know whose issues: write `- **{key}**: {_EXAMPLES[key]}` under"
        " `#### Tracker`, with the value of your project"
    )


def invalid_url(label: str) -> SddError:
    """The error for an invalid URL, which is not repeated: it may contain a password."""
    return SddError(
        f"the URL under `#### Tracker` is not an address of {label}: write one such as"
        f" `- **URL**: {_EXAMPLES['URL']}`"
    )
