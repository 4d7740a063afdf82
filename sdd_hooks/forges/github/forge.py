"""A repository on GitHub as a forge.

https://docs.github.com/rest/issues/comments, https://docs.github.com/rest/commits/statuses
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", SPEC-0011 REQ "Statuses"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sdd_hooks.errors import RemoteError
from sdd_hooks.forges.actions_event import parse_pull_request
from sdd_hooks.forges.comments import Comment, CommentApi, own_comments, upsert
from sdd_hooks.forges.github.api import RepositoryApi
from sdd_hooks.forges.github.pull_details import merge, read_checks, read_files
from sdd_hooks.forges.github.review_threads import post_comments, read_threads, resolve_threads
from sdd_hooks.forges.protocol import (
    CommitStatus,
    FileLinks,
    JobContext,
    LineComment,
    MergeStrategy,
    PullDetails,
    PullRequest,
    ReviewThread,
    UpsertResult,
)
from sdd_hooks.forges.pull_checks import UNKNOWN
from sdd_hooks.hosts.github import LABEL
from sdd_hooks.remote.json_fields import Json, number, text
from sdd_hooks.text.display import clipped

MAX_DESCRIPTION = 140
"""Characters of the description of a status."""


@dataclass(frozen=True)
class GitHubForge:
    """The repository of the job `context`."""

    context: JobContext
    api: RepositoryApi

    def pull_request(self, number: int) -> PullRequest:
        """Request a pull request."""
        pull = parse_pull_request(self.api.get(f"pulls/{number}"))
        if pull is None:
            raise RemoteError(f"{LABEL} answers without a pull request: check the URL")
        return pull

    def open_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` open pull requests, those that were updated last first.

        https://docs.github.com/rest/pulls/pulls#list-pull-requests
        """
        return tuple(islice(self._pulls("open"), limit))

    def merged_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` merged pull requests, those that were updated last first.

        GitHub lists those that were closed without a merge, too; ten times as many are read.
        """
        closed = islice(self._pulls("closed"), 10 * limit)
        return tuple(islice((pull for pull in closed if pull.is_merged), limit))

    def _pulls(self, state: str) -> Iterator[PullRequest]:
        params = {"state": state, "sort": "updated", "direction": "desc"}
        return filter(None, map(parse_pull_request, self.api.list("pulls", params)))

    def details(self, pull: PullRequest) -> PullDetails:
        """The checks of the head of a pull request, and the paths that it changes."""
        checks = read_checks(self.api, pull.head) if pull.head else UNKNOWN
        return PullDetails(pull, checks, read_files(self.api, pull.number))

    def merge(self, pull: PullRequest, strategy: MergeStrategy) -> None:
        """Merge a pull request if its head is still the same."""
        merge(self.api, pull, strategy)

    def edit_description(self, number: int, body: str) -> None:
        """Give a pull request another description.

        https://docs.github.com/rest/pulls/pulls#update-a-pull-request
        """
        self.api.write("PATCH", f"pulls/{number}", {"body": body}, idempotent=True)

    def upsert_comment(
        self, number: int, body: str, has_marker: Callable[[str], bool], *, create: bool = True
    ) -> UpsertResult:
        """Give the one comment on a pull request the text `body`; see the protocol."""
        account = self.api.account()
        listing = f"issues/{number}/comments"

        def find() -> list[Comment]:
            comments = map(_parse_comment, self.api.list(listing))
            return own_comments(comments, account, has_marker)

        def post(text: str) -> str:
            return _web_url(self.api.write("POST", listing, {"body": text}).json())

        def edit(comment: Comment, text: str) -> str:
            response = self.api.write("PATCH", path(comment), {"body": text}, idempotent=True)
            return _web_url(response.json())

        def delete(comment: Comment) -> None:
            self.api.write("DELETE", path(comment), None, idempotent=True, allow=(404, 410))

        def path(comment: Comment) -> str:
            return f"issues/comments/{comment.id}"

        return upsert(body, CommentApi(find, post, edit, delete), may_create=create)

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """Every comment on a line that begins a thread."""
        return read_threads(self.api, number)

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Post comments on lines and resolve threads; see the protocol."""
        refused = post_comments(self.api, number, head, comments)
        resolve_threads(self.api, resolve)
        return refused

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Set the status of a commit."""
        description = clipped(status.description, MAX_DESCRIPTION)
        body = {"state": status.state, "context": status.context, "description": description}
        target = {"target_url": status.url} if status.url else {}
        self.api.write("POST", f"statuses/{sha}", {**body, **target}, idempotent=True)

    def file_links(self) -> FileLinks:
        """The parts of the web addresses of files."""
        return FileLinks(f"{self.context.web_url}/{self.context.repository}/blob", "plain=1")

    def disconnect(self) -> None:
        """Close the connections."""
        self.api.client.close()


def _parse_comment(entry: Json) -> Comment:
    return Comment(
        id=number(entry, "id") or 0,
        body=text(entry, "body"),
        author=text(entry, "user", "login"),
        is_bot=text(entry, "user", "type") == "Bot",
        url=_web_url(entry),
    )


def _web_url(entry: Json) -> str:
    return text(entry, "html_url")
