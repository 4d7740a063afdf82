"""A repository on a Gitea or a Forgejo as a forge."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job), ADR-0054 (pull requests
# are reviewed and merged together), SPEC-0011 REQ "One comment", REQ "Statuses", REQ "Limits of
# forges", REQ "Checks and merges"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.forges.actions_event import parse_pull_request
from sdd_hooks.forges.comments import Comment, CommentApi, own_comments, upsert, write_access
from sdd_hooks.forges.gitea.accounts import is_by_job, read_account
from sdd_hooks.forges.gitea.review_threads import ReviewThreads
from sdd_hooks.forges.protocol import (
    Checks,
    CommitStatus,
    FileLinks,
    JobContext,
    LineComment,
    MergeStrategy,
    PullDetails,
    PullRequest,
    ReviewThread,
    UpsertResult,
    WriteDenied,
)
from sdd_hooks.forges.pull_checks import (
    MERGE_REFUSED,
    UNKNOWN,
    CheckResult,
    OneState,
    changed_paths,
    combine_checks,
    require_merged,
)
from sdd_hooks.hosts.gitea import LABEL, TOTAL_HEADER, window_of
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.remote.paging import MAX_PAGES, Window, read_windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

_PAGE_SIZE = 50
"""Pull requests of one page, the most that a server allows by default."""
_ARCHIVED = 423
"""The status of a response to a write in an archived repository."""
_PASSED = frozenset({"success", "warning", "skipped"})


@dataclass(frozen=True)
class GiteaForge:
    """The repository of the job `context`."""

    context: JobContext
    client: Client

    def pull_request(self, number: int) -> PullRequest:
        """Request a pull request."""
        pull = parse_pull_request(self.client.get(self._path(f"pulls/{number}")).json())
        if pull is None:
            raise RemoteError(f"{LABEL} answers with no pull request for {number}: try again")
        return pull

    def open_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` open pull requests, those that were updated last first."""
        return self._pulls("open", limit)[:limit]

    def merged_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` merged pull requests, those that were updated last first.

        Gitea lists those that were closed without a merge, too; ten times as many are read.
        """
        closed = self._pulls("closed", 10 * limit)
        return tuple(pull for pull in closed if pull.is_merged)[:limit]

    def _pulls(self, state: str, limit: int) -> tuple[PullRequest, ...]:
        found: dict[int, PullRequest] = {}
        for page in range(1, MAX_PAGES):
            window: dict[str, str | int] = {"page": page, "limit": _PAGE_SIZE}
            query = {"state": state, "sort": "recentupdate", **window}
            response = self.client.get(self._path("pulls"), query)
            pulls = [pull for pull in map(parse_pull_request, rows(response.json())) if pull]
            is_new = any(pull.number not in found for pull in pulls)
            found.update((pull.number, pull) for pull in pulls)
            total = response.header_number(TOTAL_HEADER)
            is_last = total is not None and len(found) >= total
            if not is_new or is_last or len(found) >= limit:
                break
        return tuple(found.values())

    def details(self, pull: PullRequest) -> PullDetails:
        """The checks of the head of a pull request, and the paths that it changes."""
        checks = self._checks(pull.head) if pull.head else UNKNOWN
        return PullDetails(pull, checks, self._files(pull.number))

    def _checks(self, sha: str) -> Checks:
        """The last status of each context of a commit."""
        try:
            combined = self.client.get(self._path(f"commits/{sha}/status")).json()
        except (AccessRefused, Missing):
            return UNKNOWN
        statuses = rows(combined, "statuses")
        return combine_checks(CheckResult(text(one, "context"), _state(one)) for one in statuses)

    def _files(self, number: int) -> tuple[str, ...] | None:
        """The paths that a pull request changes, old and new; None for a server that is too old."""
        path = self._path(f"pulls/{number}/files")

        def request(page: int, limit: int) -> Window:
            response = self.client.get(path, {"page": page, "limit": limit})
            entries = response.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list: check the URL")
            return window_of(response, entries, limit)

        try:
            windows = read_windows(request, lambda file: text(file, "filename") or None, LABEL)
            files = (file for window in windows for file in window.rows)
            return changed_paths(files, "previous_filename", "filename")
        except Missing:
            return None

    def merge(self, pull: PullRequest, strategy: MergeStrategy) -> None:
        """Merge a pull request if its head is still the same."""
        body = {"Do": strategy, "head_commit_id": pull.head}
        path = self._path(f"pulls/{pull.number}/merge")
        with write_access():
            response = self.client.send("POST", path, body, allow=(*MERGE_REFUSED, _ARCHIVED))
        require_merged(self.client, response, pull.number)

    def edit_description(self, number: int, body: str) -> None:
        """Give a pull request another description."""
        self._write("PATCH", self._path(f"pulls/{number}"), {"body": body}, idempotent=True)

    def upsert_comment(
        self, number: int, body: str, has_marker: Callable[[str], bool], *, create: bool = True
    ) -> UpsertResult:
        """Give the one comment on a pull request the text `body`; see the protocol."""
        listing = self._path(f"issues/{number}/comments")

        def find() -> list[Comment]:
            return own_comments(self._comments(listing), self._account, has_marker)

        def post(text: str) -> str:
            return self._write("POST", listing, {"body": text})

        def edit(comment: Comment, text: str) -> str:
            path = self._path(f"issues/comments/{comment.id}")
            return self._write("PATCH", path, {"body": text}, idempotent=True) or comment.url

        def delete(comment: Comment) -> None:
            path = self._path(f"issues/comments/{comment.id}")
            with write_access():
                self.client.send("DELETE", path, None, allow=(404, _ARCHIVED), idempotent=True)

        return upsert(body, CommentApi(find, post, edit, delete), may_create=create)

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """Every comment on a line that begins a thread."""
        return self._review_threads(number).read()

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Post comments on lines and resolve threads; see the protocol."""
        threads = self._review_threads(number)
        refused = threads.post(head, comments)
        threads.resolve(resolve)
        return refused

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Set the status of a commit, unless the last one of its context is the same."""
        fields = {
            "state": status.state,
            "context": status.context,
            "description": status.description,
        }
        if status.url:
            fields["target_url"] = status.url
        listing = self._path(f"statuses/{sha}")
        if self._last_status(listing, status.context) == fields:
            return
        try:
            self._write("POST", listing, fields, idempotent=True)
        except WriteDenied as error:
            raise WriteDenied(f"{error}; a status needs the permission `contents: write`") from None

    def file_links(self) -> FileLinks:
        """The parts of the web addresses of files."""
        base = f"{self.context.web_url}/{self.context.repository}/src/commit"
        return FileLinks(base, "display=source")

    def disconnect(self) -> None:
        """Close the connections."""
        self.client.close()

    def _last_status(self, listing: str, context: str) -> dict[str, str]:
        """The fields of the last status of a context; empty if the token may not read it."""
        try:
            entries = self.client.get(listing, {"sort": "recentupdate"}).json()
        except RemoteError:
            return {}
        of_context = (entry for entry in rows(entries) if text(entry, "context") == context)
        last = max(of_context, key=lambda entry: number(entry, "id") or 0, default=None)
        names = {"state": "status", "context": "context", "description": "description"}
        fields = {sent: text(last, received) for sent, received in names.items()}
        url = text(last, "target_url")
        return {**fields, "target_url": url} if url else fields

    def _comments(self, listing: str) -> Iterator[Comment]:
        """Every comment, once. Raises RemoteError if the server does not list all of them."""
        seen: set[int] = set()
        total = 0
        # Known servers list all comments at once and ignore the page; the loop is for other ones.
        for page in range(1, MAX_PAGES):
            response = self.client.get(listing, {"page": page} if page > 1 else None)
            entries = response.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list of comments: check the URL")
            parsed = map(_parse_comment, entries)
            comments = [comment for comment in parsed if comment and comment.id not in seen]
            yield from comments
            seen.update(comment.id for comment in comments)
            total = max(total, response.header_number(TOTAL_HEADER) or 0)
            if len(seen) >= total and 'rel="next"' not in response.headers.get("link", ""):
                return
            if not comments:
                break
        raise RemoteError(f"{LABEL} does not list all of the comments: nothing was written")

    def _write(
        self, method: str, path: str, body: dict[str, str], *, idempotent: bool = False
    ) -> str:
        """Send a write. Returns the web address of what was written."""
        with write_access():
            response = self.client.send(
                method, path, body, allow=(_ARCHIVED,), idempotent=idempotent
            )
        if response.status == _ARCHIVED:
            raise WriteDenied(
                f"{LABEL}: {self.context.repository} is archived: nothing can be written to it"
            )
        return text(response.json(), "html_url")

    def _review_threads(self, number: int) -> ReviewThreads:
        return ReviewThreads(self.client, self._path(""), number, self._account)

    @cached_property
    def _account(self) -> str:
        """The login name of the token's account; "" if the server does not tell it."""
        return read_account(self.client)

    def _path(self, below: str) -> str:
        return f"repos/{self.context.repository}/{below}".rstrip("/")


def _state(status: Json) -> OneState:
    # The name of the field changed between versions.
    state = text(status, "status") or text(status, "state")
    return "success" if state in _PASSED else "pending" if state == "pending" else "failure"


def _parse_comment(entry: Json) -> Comment | None:
    id = number(entry, "id")
    if id is None:
        return None
    return Comment(
        id=id,
        body=text(entry, "body"),
        author=text(entry, "user", "login"),
        is_bot=is_by_job(entry),
        url=text(entry, "html_url"),
    )
