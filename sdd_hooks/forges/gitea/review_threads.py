"""Comments on lines of a pull request on Gitea or Forgejo: posting and resolving them.

The server handles a posted review in two steps: it adds the comments to a pending review, then it
submits that. If the request fails in between, the pending review stays: it makes every later review
of the same author fail, or its comments become part of it. Therefore it is deleted. The user of
jobs has no account; for that user the server finds the pending review of any user and would submit
it. Therefore a job posts nothing while there is one (models/issues/review.go of Gitea,
GetCurrentReview).

The comments on one line of one review are one conversation, which is resolved as a whole.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import is_marked_resolved, mark_resolved, write_access
from sdd_hooks.forges.gitea.accounts import GHOST_ID, is_own, may_be_job
from sdd_hooks.forges.protocol import LineComment, ReviewThread, WriteDenied
from sdd_hooks.hosts.gitea import LABEL, window_of
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, field, number, rows, text
from sdd_hooks.remote.paging import Window, read_windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MAX_REVIEWS = 40
"""Reviews that are posted to find the comments that the server refuses."""

_PENDING = "PENDING"
_REFUSED = frozenset({422, 500})
"""The statuses of a response to a comment on a line that the file does not have."""
_CANNOT_RESOLVE = frozenset({403, 404, 405})
"""The statuses of a response if the token may not resolve, or the server is too old for it."""


class _StoredComment(NamedTuple):
    """A comment on a line. `conversation` is the key of the conversation that it is part of."""

    id: int
    body: str
    is_own: bool
    conversation: tuple[int, str, int, int]
    resolver: Json


class _ThreadId(NamedTuple):
    """The id of a thread: its comment, the first comment of its conversation, and the number of
    open threads of the own account in that conversation."""

    comment: int
    first: int
    open: int

    def __str__(self) -> str:
        return f"{self.comment}:{self.first}:{self.open}"

    @classmethod
    def parse(cls, id: str) -> _ThreadId:
        return cls(*map(int, id.split(":")))


class ReviewThreads(NamedTuple):
    """The comments on lines of pull request `number` of the repository at `path`.

    `account` is the login name of the token's account. Methods raise RemoteError, and those that
    write raise WriteDenied as well.
    """

    client: Client
    path: str
    number: int
    account: str

    def read(self) -> tuple[ReviewThread, ...]:
        """The comments that begin a conversation, and every comment of the own account."""
        reviews = [review for review in self._reviews()[0] if not _is_pending(review)]
        paths = [
            f"{self._reviews_path}/{number(review, 'id')}/comments"
            for review in reviews
            if number(review, "comments_count") != 0
        ]
        listings = self.client.map_concurrently(self._comments_of_review, paths)
        comments = [comment for listing in listings for comment in listing]
        firsts: dict[tuple[int, str, int, int], _StoredComment] = {}
        for comment in sorted(comments, key=lambda comment: comment.id):
            firsts.setdefault(comment.conversation, comment)
        threads = [
            (comment, self._thread(comment, firsts[comment.conversation]))
            for comment in comments
            if comment.is_own or firsts[comment.conversation] is comment
        ]
        open = Counter(
            comment.conversation
            for comment, thread in threads
            if comment.is_own and not thread.is_resolved
        )

        def id_of(comment: _StoredComment) -> str:
            conversation = comment.conversation
            return str(_ThreadId(comment.id, firsts[conversation].id, open[conversation]))

        return tuple(thread._replace(id=id_of(comment)) for comment, thread in threads)

    def post(self, head: str, comments: Sequence[LineComment]) -> tuple[LineComment, ...]:
        """Post these as one review of the commit `head`. Returns the refused comments.

        The server refuses all comments of a review for one of them, so halves are posted then.
        """
        if not comments:
            return ()
        self._delete_pending(comments)
        refused: list[LineComment] = []
        waiting = [list(comments)]
        for _ in range(MAX_REVIEWS):
            if not waiting:
                break
            part = waiting.pop()
            if self._is_posted(head, part):
                continue
            self._delete_pending(comments)
            if len(part) == 1:
                refused += part
            else:
                middle = len(part) // 2
                waiting += [part[middle:], part[:middle]]
        refused += [comment for part in waiting for comment in part]
        return tuple(comment for comment in comments if comment in refused)

    def resolve(self, threads: Iterable[ReviewThread]) -> None:
        """Resolve these threads.

        A conversation is resolved if no other thread of the own account in it stays open. A comment
        is marked as resolved if its conversation is not, and if the token's account is a person,
        since the server would show that this person resolved it.
        """
        by_id = {_ThreadId.parse(thread.id): thread for thread in threads}
        resolving = Counter(id.first for id in by_id)
        may_resolve = True
        resolved: set[int] = set()
        for id, thread in by_id.items():
            if may_resolve and resolving[id.first] == id.open and id.first not in resolved:
                may_resolve = self._resolve_conversation(id.first)
                resolved |= {id.first} if may_resolve else set()
            if id.first not in resolved or not may_be_job(self.account):
                self._edit(id.comment, mark_resolved(thread.body))

    def _thread(self, comment: _StoredComment, first: _StoredComment) -> ReviewThread:
        """A comment as a thread without its id, and the state of its conversation."""
        is_marked = comment.is_own and is_marked_resolved(comment.body)
        resolver = comment.resolver or first.resolver
        by_job = is_own(self.account, resolver) or number(resolver, "id") == GHOST_ID
        is_own_resolution = is_marked or (may_be_job(self.account) and by_job)
        is_resolved = is_marked or resolver is not None
        return ReviewThread("", comment.body, comment.is_own, is_resolved, is_own_resolution)

    def _is_posted(self, head: str, comments: Sequence[LineComment]) -> bool:
        """Post a review with these comments. Returns False if the server refuses it.

        A failed request may have been executed, so the comments are looked up before the one retry.
        """
        try:
            return self._send(head, comments)
        except (WriteDenied, RateLimited):
            raise
        except RemoteError:
            open = {
                thread.body for thread in self.read() if thread.is_own and not thread.is_resolved
            }
            if open.issuperset(comment.body for comment in comments):
                return True
        self._delete_pending(comments)
        return self._send(head, comments)

    def _send(self, head: str, comments: Sequence[LineComment]) -> bool:
        lines = [
            {"path": comment.path, "body": comment.body, "new_position": comment.line}
            for comment in comments
        ]
        review = {"event": "COMMENT", "body": "", "commit_id": head, "comments": lines}
        with write_access():
            response = self.client.send("POST", self._reviews_path, review, allow=_REFUSED)
        return response.status not in _REFUSED

    def _delete_pending(self, comments: Sequence[LineComment]) -> None:
        """Delete what is left of a failed review with these comments.

        Raises RemoteError if there is a pending review of a person that posting would submit.
        """
        posted = {(comment.path, comment.body) for comment in comments}
        reviews, hidden = self._reviews()
        if hidden and may_be_job(self.account):
            raise RemoteError(
                f"{LABEL}: another user has begun a review of this pull request, which comments of "
                "a job on lines would submit: run this again when it is submitted"
            )
        for review in reviews:
            if not _is_pending(review) or not is_own(self.account, field(review, "user")):
                continue
            path = f"{self._reviews_path}/{number(review, 'id')}"
            entries = rows(self.client.get(f"{path}/comments").json())
            pending = {(text(entry, "path"), text(entry, "body")) for entry in entries}
            is_failed = not text(review, "body") and pending <= posted
            if not may_be_job(self.account) and not is_failed:
                raise RemoteError(
                    f"{LABEL}: {self.account} has begun a review of this pull request: "
                    "submit it or discard it there, and run this again"
                )
            with write_access():
                self.client.send("DELETE", path, None, allow=(404,))

    def _resolve_conversation(self, comment: int) -> bool:
        """Whether the server resolves the conversation that begins with this comment."""
        path = f"{self.path}/pulls/comments/{comment}/resolve"
        with write_access():
            response = self.client.send("POST", path, None, allow=_CANNOT_RESOLVE, idempotent=True)
        return response.status not in _CANNOT_RESOLVE

    def _edit(self, comment: int, body: str) -> None:
        with write_access():
            path = f"{self.path}/issues/comments/{comment}"
            self.client.send("PATCH", path, {"body": body}, idempotent=True)

    def _reviews(self) -> tuple[list[Json], int]:
        """The reviews, and the number of pending reviews of other users, which are hidden."""

        def read_page(page: int, limit: int) -> Window:
            response = self.client.get(self._reviews_path, {"page": page, "limit": limit})
            entries = response.json()
            if not isinstance(entries, list) or None in (number(one, "id") for one in entries):
                raise RemoteError(f"{LABEL} answers without a list of reviews: check the URL")
            return window_of(response, entries, limit, self.client.server_time(response))

        reviews: dict[int | None, Json] = {}
        total = 0
        for window in read_windows(read_page, lambda entry: number(entry, "id"), LABEL):
            reviews.update((number(entry, "id"), entry) for entry in window.rows)
            total = window.total or 0
        return list(reviews.values()), max(0, total - len(reviews))

    @property
    def _reviews_path(self) -> str:
        return f"{self.path}/pulls/{self.number}/reviews"

    def _comments_of_review(self, path: str) -> list[_StoredComment]:
        """The comments at `path`; none if the review was deleted meanwhile."""
        entries = self.client.get(path, allow=(404,)).json()
        return list(self._parse_comments(rows(entries)))

    def _parse_comments(self, entries: Iterable[Json]) -> Iterator[_StoredComment]:
        for entry in entries:
            id = number(entry, "id")
            if id is not None:
                conversation = (
                    number(entry, "pull_request_review_id") or 0,
                    text(entry, "path"),
                    number(entry, "position") or 0,
                    number(entry, "original_position") or 0,
                )
                by_own_account = is_own(self.account, field(entry, "user"))
                resolver = field(entry, "resolver")
                yield _StoredComment(
                    id, text(entry, "body"), by_own_account, conversation, resolver
                )


def _is_pending(review: Json) -> bool:
    return text(review, "state") == _PENDING
