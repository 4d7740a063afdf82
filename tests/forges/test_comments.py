"""The one comment of the own account: found, created, edited and marked as resolved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import (
    Comment,
    is_marked_resolved,
    is_same_text,
    last_own_comment,
    mark_resolved,
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
def test_the_last_own_comment_has_the_author_and_the_marker(
    comments: list[Comment], account: str
) -> None:
    found = last_own_comment(iter(comments), account, has_marker)
    own_ids = {
        one.id
        for one in comments
        if one.body == "marked"
        and (one.author.lower() == account.lower() if account else one.is_bot)
    }
    assert (found.id if found else None) == max(own_ids, default=None)


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

    def find(self) -> Comment | None:
        self.lookups += 1
        return self.comments[-1] if self.comments else None

    def create(self) -> str:
        return self._write(lambda: self.comments.append(Comment(2, "new", "robin", url="u2")))

    def edit(self, found: Comment) -> str:
        place = self.comments.index(found)
        return self._write(lambda: self.comments.__setitem__(place, found._replace(body="new")))

    def upsert(self, *, create: bool = True) -> UpsertResult:
        return upsert("new", self.find, self.create, self.edit, may_create=create)

    def _write(self, do) -> str:  # type: ignore[no-untyped-def]
        error, done = self.failures.pop(0) if self.failures else (None, True)
        if done:
            do()
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
    assert host.lookups == 1


def test_without_create_no_comment_is_created() -> None:
    host = Host()
    assert host.upsert(create=False) == UpsertResult("none")
    assert host.comments == []
    assert Host(exists=True).upsert(create=False) == UpsertResult("edited", "url")
