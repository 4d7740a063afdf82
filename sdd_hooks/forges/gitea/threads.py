"""Comments on lines of a pull request on Gitea or Forgejo: reviews, and how they are settled.

A review is posted in two steps on the server's side: its comments become those of a review that is
pending, and then that is submitted. What fails in between stays there, makes every later review of
the same author fail or carries its comments into it, and so is taken away. A job's user, whose
number is no person's, is given the pending review of whoever has one, and would submit it for them:
nothing is posted while there is one (models/issues/review.go of Gitea, GetCurrentReview).

What stands on the same line in one review is one conversation there, and is resolved as one.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.gitea.server import GHOST, is_job, is_us
from sdd_hooks.forges.protocol import LineComment, Thread, WriteDenied
from sdd_hooks.forges.resolution import is_settled, settled
from sdd_hooks.forges.writing import writing
from sdd_hooks.hosts.gitea import LABEL, TOTAL_HEADER
from sdd_hooks.remote.json_fields import Json, field, number, rows, text
from sdd_hooks.remote.paging import Window, read_windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MOST_POSTS = 40
"""Reviews that are tried to find those comments that the server does not take."""

_PENDING = "PENDING"
_NOT_TAKEN = frozenset({422, 500})
"""How a server answers a comment on a line that a file does not have."""
_CANNOT_RESOLVE = frozenset({403, 404, 405})
"""How it answers who may not resolve, or when it is too old for that."""


class _Said(NamedTuple):
    """A comment on a line, and the conversation that it is part of."""

    id: int
    body: str
    ours: bool
    place: tuple[int, str, int, int]
    resolver: Json


class _Id(NamedTuple):
    """What a thread is known by: its comment, the first one of its conversation, and how many open
    ones of ours are in that."""

    comment: int
    first: int
    open: int

    def __str__(self) -> str:
        return f"{self.comment}:{self.first}:{self.open}"

    @classmethod
    def read(cls, id: str) -> _Id:
        return cls(*map(int, id.split(":")))


class Threads(NamedTuple):
    """The comments on lines of pull request `number` of the repository at `path`.

    `us` is who we log in as. Methods raise RemoteError, those that write WriteDenied as well.
    """

    client: Client
    path: str
    number: int
    us: str

    def read(self) -> tuple[Thread, ...]:
        """What begins a thread, and everything that we said."""
        reviews = [one for one in self._reviews()[0] if not _is_pending(one)]
        paths = [self._comments(one) for one in reviews if number(one, "comments_count") != 0]
        found = [
            said for listed in self.client.map_concurrently(self._listed, paths) for said in listed
        ]
        firsts: dict[tuple[int, str, int, int], _Said] = {}
        for said in sorted(found, key=lambda one: one.id):
            firsts.setdefault(said.place, said)
        begins = [said for said in found if said.ours or firsts[said.place] is said]
        threads = [(said, self._thread(said, firsts[said.place])) for said in begins]
        open = Counter(said.place for said, thread in threads if said.ours and not thread.resolved)
        return tuple(
            thread._replace(id=str(_Id(said.id, firsts[said.place].id, open[said.place])))
            for said, thread in threads
        )

    def post(self, head: str, comments: Sequence[LineComment]) -> tuple[LineComment, ...]:
        """Post these as one review of the commit `head`. Returns those that are not taken."""
        if not comments:
            return ()
        self._clear(comments)
        refused: list[LineComment] = []
        left = [list(comments)]
        for _ in range(MOST_POSTS):
            if not left:
                break
            some = left.pop()
            if self._posted(head, some):
                continue
            self._clear(comments)
            if len(some) == 1:
                refused += some
            else:
                middle = len(some) // 2
                left += [some[middle:], some[:middle]]
        refused += [one for some in left for one in some]
        return tuple(one for one in comments if one in refused)

    def settle(self, threads: Iterable[Thread]) -> None:
        """Settle these: resolve their conversation, and let each say for itself that it is settled
        where others of ours in that conversation are not, where the server does not resolve, and
        where it would look as if a person had done that."""
        by_id = {_Id.read(thread.id): thread for thread in threads}
        ending = Counter(id.first for id in by_id)
        may_resolve = True
        resolved: set[int] = set()
        for id, thread in by_id.items():
            if may_resolve and ending[id.first] == id.open and id.first not in resolved:
                may_resolve = self._resolve(id.first)
                resolved |= {id.first} if may_resolve else set()
            if id.first not in resolved or not is_job(self.us):
                self._edit(id.comment, settled(thread.body))

    def _thread(self, said: _Said, first: _Said) -> Thread:
        """A comment, whose `id` is yet to come, and what became of its conversation."""
        by_itself = said.ours and is_settled(said.body)
        resolver = said.resolver or first.resolver
        by_job = is_us(self.us, resolver) or number(resolver, "id") == GHOST
        by_us = by_itself or (is_job(self.us) and by_job)
        return Thread("", said.body, said.ours, by_itself or resolver is not None, by_us)

    def _posted(self, head: str, comments: Sequence[LineComment]) -> bool:
        """Whether the server takes a review with these comments.

        One that may have been taken all the same is looked for before it is sent once more.
        """
        try:
            return self._sent(head, comments)
        except (WriteDenied, RateLimited):
            raise
        except RemoteError:
            open = {thread.body for thread in self.read() if thread.ours and not thread.resolved}
            if open.issuperset(one.body for one in comments):
                return True
        self._clear(comments)
        return self._sent(head, comments)

    def _sent(self, head: str, comments: Sequence[LineComment]) -> bool:
        said = [{"path": one.path, "body": one.body, "new_position": one.line} for one in comments]
        review = {"event": "COMMENT", "body": "", "commit_id": head, "comments": said}
        path = f"{self.path}/pulls/{self.number}/reviews"
        with writing():
            answer = self.client.send("POST", path, review, allow=_NOT_TAKEN)
        return answer.status not in _NOT_TAKEN

    def _clear(self, comments: Sequence[LineComment]) -> None:
        """Take away what is left of a review that failed.

        Raises RemoteError where somebody has not submitted a review yet that ours would submit.
        """
        posted = {(one.path, one.body) for one in comments}
        reviews, hidden = self._reviews()
        if hidden and is_job(self.us):
            raise RemoteError(
                f"{LABEL}: somebody has begun a review of this pull request, which comments of a "
                "job on lines would submit: run this again when it is submitted"
            )
        for review in reviews:
            if not _is_pending(review) or not is_us(self.us, field(review, "user")):
                continue
            path = f"{self.path}/pulls/{self.number}/reviews/{number(review, 'id')}"
            said = rows(self.client.get(f"{path}/comments").json())
            left = {(text(one, "path"), text(one, "body")) for one in said}
            if not is_job(self.us) and (text(review, "body") or not left <= posted):
                raise RemoteError(
                    f"{LABEL}: {self.us} has begun a review of this pull request: "
                    "submit it or discard it there, and run this again"
                )
            with writing():
                self.client.send("DELETE", path, None, allow=(404,))

    def _resolve(self, comment: int) -> bool:
        """Whether the server resolves the conversation that begins with this comment."""
        path = f"{self.path}/pulls/comments/{comment}/resolve"
        with writing():
            answer = self.client.send("POST", path, None, allow=_CANNOT_RESOLVE, idempotent=True)
        return answer.status not in _CANNOT_RESOLVE

    def _edit(self, comment: int, body: str) -> None:
        with writing():
            path = f"{self.path}/issues/comments/{comment}"
            self.client.send("PATCH", path, {"body": body}, idempotent=True)

    def _reviews(self) -> tuple[list[Json], int]:
        """The reviews, and how many there are besides that others have not submitted yet."""

        def ask(page: int, limit: int) -> Window:
            path = f"{self.path}/pulls/{self.number}/reviews"
            answer = self.client.get(path, {"page": page, "limit": limit})
            entries = answer.json()
            if not isinstance(entries, list):
                raise RemoteError(f"{LABEL} answers without a list of reviews: check the URL")
            more = len(entries) == limit or 'rel="next"' in answer.headers.get("link", "")
            return Window(
                entries, answer.header_number(TOTAL_HEADER), more, self.client.server_time(answer)
            )

        found: dict[int | None, Json] = {}
        total = 0
        for window in read_windows(ask, lambda entry: number(entry, "id"), LABEL):
            found.update((number(entry, "id"), entry) for entry in window.rows)
            total = window.total or 0
        return list(found.values()), max(0, total - len(found))

    def _comments(self, review: Json) -> str:
        return f"{self.path}/pulls/{self.number}/reviews/{number(review, 'id')}/comments"

    def _listed(self, path: str) -> list[_Said]:
        """The comments of a review; none where it is gone meanwhile."""
        entries = self.client.get(path, allow=(404,)).json()
        return list(self._said(rows(entries)))

    def _said(self, entries: Iterable[Json]) -> Iterator[_Said]:
        for entry in entries:
            id = number(entry, "id")
            if id is not None:
                place = (
                    number(entry, "pull_request_review_id") or 0,
                    text(entry, "path"),
                    number(entry, "position") or 0,
                    number(entry, "original_position") or 0,
                )
                ours = is_us(self.us, field(entry, "user"))
                yield _Said(id, text(entry, "body"), ours, place, field(entry, "resolver"))


def _is_pending(review: Json) -> bool:
    return text(review, "state") == _PENDING
