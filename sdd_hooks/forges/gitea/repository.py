"""A repository on a Gitea or a Forgejo as a forge."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", REQ "Statuses", REQ "Limits of forges"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.event import pull_request_of
from sdd_hooks.forges.gitea.server import is_program, whoami
from sdd_hooks.forges.gitea.threads import Threads
from sdd_hooks.forges.protocol import (
    LineComment,
    PullRequest,
    Run,
    Status,
    Thread,
    Upserted,
    WriteDenied,
)
from sdd_hooks.forges.sticky import Comment, last_of_ours, upsert
from sdd_hooks.forges.writing import writing
from sdd_hooks.hosts.gitea import LABEL, TOTAL_HEADER
from sdd_hooks.remote.json_fields import Json, number, rows, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MOST_PAGES = 1000
"""Pages of comments that are read, where a server makes pages of them."""

_ARCHIVED = 423
"""How a server answers who writes to a repository that is archived."""


@dataclass(frozen=True)
class Gitea:
    """The repository that the job `run` is about."""

    run: Run
    client: Client

    def pull_request(self, number: int) -> PullRequest:
        """A pull request as it is now."""
        found = pull_request_of(self.client.get(self._path(f"pulls/{number}")).json())
        if found is None:
            raise RemoteError(f"{LABEL} answers with no pull request for {number}: try again")
        return found

    def upsert_comment(
        self, number: int, body: str, is_ours: Callable[[str], bool], *, create: bool = True
    ) -> Upserted:
        """Make `body` the one comment of ours; see the protocol."""
        listing = self._path(f"issues/{number}/comments")

        def look() -> Comment | None:
            return last_of_ours(self._comments(listing), self._us, is_ours)

        def make() -> str:
            return self._written("POST", listing, {"body": body})

        def edit(comment: Comment) -> str:
            path = self._path(f"issues/comments/{comment.id}")
            return self._written("PATCH", path, {"body": body}, idempotent=True) or comment.url

        return upsert(body, look, make, edit, create=create)

    def threads(self, number: int) -> tuple[Thread, ...]:
        """Every comment on a line that begins a thread."""
        return self._threads(number).read()

    def publish_review(
        self, number: int, head: str, comments: Sequence[LineComment], resolve: Sequence[Thread]
    ) -> tuple[LineComment, ...]:
        """Post comments on lines, and settle threads; see the protocol."""
        threads = self._threads(number)
        refused = threads.post(head, comments)
        threads.settle(resolve)
        return refused

    def set_status(self, sha: str, status: Status) -> None:
        """Give a commit a status, unless it has it. The last one of a context counts."""
        said = {
            "state": status.state,
            "context": status.context,
            "description": status.description,
        }
        if status.url:
            said["target_url"] = status.url
        listing = self._path(f"statuses/{sha}")
        if self._last_status(listing, status.context) != said:
            self._written("POST", listing, said, idempotent=True)

    def blobs(self) -> tuple[str, str]:
        """Where files are shown, and the query that shows source."""
        return f"{self.run.web}/{self.run.repository}/src/commit", "display=source"

    def disconnect(self) -> None:
        """Let connections go."""
        self.client.close()

    def _last_status(self, listing: str, context: str) -> dict[str, str]:
        """What the last status of a context says, as far as this token is shown any."""
        try:
            entries = self.client.get(listing, {"sort": "recentupdate"}).json()
        except RemoteError:
            return {}
        of_context = (one for one in rows(entries) if text(one, "context") == context)
        last = max(of_context, key=lambda one: number(one, "id") or 0, default=None)
        fields = {"state": "status", "context": "context", "description": "description"}
        found = {name: text(last, field) for name, field in fields.items()}
        url = text(last, "target_url")
        return {**found, "target_url": url} if url else found

    def _comments(self, listing: str) -> Iterator[Comment]:
        """Every comment, once. Raises RemoteError where they are not all to be had."""
        seen: set[int] = set()
        total = 0
        # Servers list all of them at once, whatever they are asked for. One that would not is asked
        # for the rest.
        for page in range(1, MOST_PAGES):
            answer = self.client.get(listing, {"page": page} if page > 1 else None)
            entries = answer.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list of comments: check the URL")
            found = [one for one in map(_comment, entries) if one and one.id not in seen]
            yield from found
            seen.update(one.id for one in found)
            total = max(total, answer.header_number(TOTAL_HEADER) or 0)
            if len(seen) >= total and 'rel="next"' not in answer.headers.get("link", ""):
                return
            if not found:
                break
        raise RemoteError(f"{LABEL} does not list all of the comments: nothing was written")

    def _written(
        self, method: str, path: str, body: dict[str, str], *, idempotent: bool = False
    ) -> str:
        """Send what writes. Returns the address for people of what was written."""
        with writing():
            answer = self.client.send(method, path, body, allow=(_ARCHIVED,), idempotent=idempotent)
        if answer.status == _ARCHIVED:
            raise WriteDenied(
                f"{LABEL}: {self.run.repository} is archived: nothing can be written to it"
            )
        return text(answer.json(), "html_url")

    def _threads(self, number: int) -> Threads:
        return Threads(self.client, self._path(""), number, self._us)

    @cached_property
    def _us(self) -> str:
        """The name by which we log in; "" where the server does not say."""
        return whoami(self.client)

    def _path(self, below: str) -> str:
        return f"repos/{self.run.repository}/{below}".rstrip("/")


def _comment(entry: Json) -> Comment | None:
    id = number(entry, "id")
    if id is None:
        return None
    return Comment(
        id=id,
        body=text(entry, "body"),
        author=text(entry, "user", "login"),
        bot=is_program(entry),
        url=text(entry, "html_url"),
    )
