"""What a project on a host of repositories is to its tracker, whoever's host it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sdd_hooks.errors import Missing
from sdd_hooks.text.display import one_line
from sdd_hooks.trackers.protocol import TrackerLocation

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client


@dataclass(frozen=True)
class HostedProject:
    """A project by where it is, and the client of its host."""

    where: TrackerLocation
    client: Client

    label: ClassVar[str]

    @property
    def home(self) -> str:
        """The project as its host names it: `owner/name`."""
        return f"{self.where.owner}/{self.where.project}"

    @property
    def web(self) -> str:
        """The address of the project."""
        return f"{self.where.url}/{self.home}"

    @property
    def place(self) -> str:
        """Host and project; their letter case means nothing."""
        return self.web.partition("://")[2].lower()

    def number(self, id: str) -> str:
        """An id as part of a path. Raises Missing for one that no issue here can have."""
        if not (id.isascii() and id.isdecimal() and len(id) < 19):
            raise Missing(
                f"{self.label} has no issue {one_line(id)[:100]}: its issues have numbers"
            )
        return id

    def disconnect(self) -> None:
        """Let connections go."""
        self.client.close()
