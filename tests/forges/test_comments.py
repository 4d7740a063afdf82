"""The one comment of the own account: found, created, edited and marked as resolved."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import (
    Comment,
    CommentApi,
    is_marked_resolved,
    is_same_text,
    mark_resolved,
    own_comments,
    upsert,
)
from sdd_hooks.forges.protocol import UpsertResult, WriteDenied

TEXTS = st.text(st.sampled_from("ab \t\n\r"), max_size=8)
COMMENTS = st.lists(
    st.builds(
        Comment,
        st.integers(1, 9),
        st.sampled_from(["marked", "other"]),
        st.sampled_from(["robin", "Robin", "ana", ""]),
        st.booleans(),
    ),
    unique_by=lambda one: one.id,
)


def has_marker(body: str) -> bool:
    return body == "marked"


@given(COMMENTS, st.sampled_from(["robin", "ROBIN", "unknown", ""]))
def test_own_comments_have_the_author_and_the_marker(comments: list[Comment], account: str) -> None:
    """Scenario "A look-alike" of SPEC-0011."""
    own = [
        one
        for one in comments
        if one.body == "marked"
        and (one.author.lower() == account.lower() if account else one.is_bot)
    ]
    found = own_comments(iter(comments), account, has_marker)
    assert found == sorted(own, key=lambda one: one.id)


@given(TEXTS)
def test_texts_are_compared_without_line_ends_and_trailing_blanks(text: str) -> None:
    unix = text.replace("\r", "")
    for made in (unix.replace("\n", "\r\n"), f"{unix}\n", f"{unix} \r\n", unix.rstrip()):
        assert is_same_text(unix, made)
        assert is_same_text(made, unix)
    assert not is_same_text(unix, f"{unix}x")
    assert not is_same_text(unix, f"x{unix}")


@given(TEXTS)
def test_a_body_is_marked_as_resolved_once(body: str) -> None:
    once = mark_resolved(body)
    assert is_marked_resolved(once)
    assert mark_resolved(once) == once
    assert is_marked_resolved(once.replace("\n", "\r\n"))
    assert not is_marked_resolved(body)
    assert once.split("\n")[0] == body.split("\n")[0]
    assert once.endswith(body.partition("\n")[2])


class Host:
    """A host with one comment.

    `failures` are the errors of the next writes, and whether each write is executed.
    """

    def __init__(self, *failures: tuple[RemoteError | None, bool], exists: bool = False) -> None:
        self.failures = list(failures)
        self.comments = [Comment(1, "old", "robin", url="u1")] if exists else []
        self.lookups = 0
        self.last = 1

    def find(self) -> list[Comment]:
        self.lookups += 1
        return list(self.comments)

    def create(self, body: str) -> str:
        def write() -> None:
            self.last += 1
            self.comments.append(Comment(self.last, body, "robin", url=f"u{self.last}"))

        return self._write(write)

    def edit(self, found: Comment, body: str) -> str:
        if found.id not in {one.id for one in self.comments}:
            raise WriteDenied("404")

        def write() -> None:
            edited = (one.id == found.id for one in self.comments)
            self.comments = [
                one._replace(body=body) if is_edited else one
                for one, is_edited in zip(self.comments, edited, strict=True)
            ]

        return self._write(write)

    def delete(self, found: Comment) -> None:
        self.comments = [one for one in self.comments if one.id != found.id]

    def upsert(self, *, create: bool = True, body: str = "new") -> UpsertResult:
        return upsert(body, self.api(), may_create=create)

    def api(self, pause: Callable[[], None] = lambda: None) -> CommentApi:
        def paused(call: Callable[..., Any]) -> Callable[..., Any]:
            def run(*arguments: object) -> object:
                pause()
                return call(*arguments)

            return run

        return CommentApi(*map(paused, (self.find, self.create, self.edit, self.delete)))

    def _write(self, write: Callable[[], None]) -> str:
        error, done = self.failures.pop(0) if self.failures else (None, True)
        if done:
            write()
        if error:
            raise error
        return "url"


LOST = RemoteError("no answer")
OUTCOMES = st.tuples(st.just(LOST), st.booleans())


@given(st.lists(OUTCOMES, max_size=3), st.booleans())
def test_lost_responses_cause_one_comment_and_at_most_two_writes(
    failures: list[tuple[RemoteError | None, bool]], exists: bool
) -> None:
    host = Host(*failures, exists=exists)
    done = any(done for _, done in failures[:2]) or len(failures) < 2
    try:
        found = host.upsert()
    except RemoteError:
        assert len(failures) >= 2
        assert not failures[0][1]
    else:
        assert found.action == ("edited" if exists else "created")
        assert done
    assert len(failures) - len(host.failures) <= 2
    assert [one.body for one in host.comments] in ([["new"]] if done else [["old"], []])


@pytest.mark.parametrize("error", [WriteDenied("no"), RateLimited("later", 0.0)])
@pytest.mark.parametrize("exists", [False, True])
def test_a_refused_write_is_not_retried(error: RemoteError, exists: bool) -> None:
    host = Host((error, False), exists=exists)
    with pytest.raises(type(error)):
        host.upsert()
    assert [one.body for one in host.comments] == (["old"] if exists else [])
    assert not host.failures


def test_without_create_no_comment_is_created() -> None:
    host = Host()
    assert host.upsert(create=False) == UpsertResult("none")
    assert host.comments == []
    assert Host(exists=True).upsert(create=False) == UpsertResult("edited", "url")


def test_the_oldest_comment_is_edited_and_the_others_are_deleted() -> None:
    host = Host(exists=True)
    host.comments += [Comment(2, "new", "robin"), Comment(3, "other", "robin")]
    assert host.upsert() == UpsertResult("edited", "url")
    assert [(one.id, one.body) for one in host.comments] == [(1, "new")]


def test_a_comment_that_cannot_be_deleted_is_no_error() -> None:
    host = Host(exists=True)
    host.comments.append(Comment(2, "new", "robin"))

    def refuse(_: Comment) -> None:
        raise WriteDenied("no")

    assert upsert("old", host.api()._replace(delete=refuse)) == UpsertResult("kept", "u1")
    assert len(host.comments) == 2


def test_a_comment_that_another_job_deletes_meanwhile_is_created_again() -> None:
    host = Host(exists=True)
    api = host.api()
    stale = [[Comment(1, "old", "robin")], []]
    host.comments.clear()
    found = upsert("new", api._replace(find=lambda: stale.pop(0) if stale else host.find()))
    assert found.action == "created"
    assert [one.body for one in host.comments] == ["new"]


class Turns:
    """Runs jobs in threads, one request of one job at a time, in an order that `chance` chooses."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.waiting: set[int] = set()
        self.turn = -1
        self.changed = threading.Condition()

    def wait(self, job: int) -> None:
        with self.changed:
            self.waiting.add(job)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.turn == job)
            self.turn = -1

    def run(self, jobs: Sequence[Callable[[Callable[[], None]], object]]) -> None:
        running = set(range(len(jobs)))

        def start(job: int) -> None:
            try:
                jobs[job](lambda: self.wait(job))
            finally:
                with self.changed:
                    running.discard(job)
                    self.changed.notify_all()

        threads = [threading.Thread(target=start, args=(job,)) for job in running]
        for thread in threads:
            thread.start()
        with self.changed:
            while running:
                self.changed.wait_for(lambda: self.turn < 0 and self.waiting >= running)
                if running:
                    self.turn = self.chance.choice(sorted(self.waiting))
                    self.waiting.remove(self.turn)
                    self.changed.notify_all()
        for thread in threads:
            thread.join()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.booleans())
def test_jobs_at_once_leave_one_comment(seed: int, count: int, exists: bool) -> None:
    host = Host(exists=exists)
    bodies = [f"body {job}" for job in range(count)]
    jobs = [lambda pause, body=body: upsert(body, host.api(pause)) for body in bodies]
    Turns(random.Random(seed)).run(jobs)
    (left,) = host.comments
    assert left.body in bodies
    assert left.id == (1 if exists else 2)
    host.upsert(body="later")
    assert [one.body for one in host.comments] == ["later"]
