"""Which comment is the one of ours, and what becomes of it."""

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
        st.sampled_from(["ours", "theirs"]),
        st.sampled_from(["robin", "Robin", "ana", ""]),
        st.booleans(),
    ),
    unique_by=lambda one: one.id,
)


def is_ours(body: str) -> bool:
    return body == "ours"


@given(COMMENTS, st.sampled_from(["robin", "ROBIN", "nobody", ""]))
def test_it_is_the_last_whose_author_and_text_are_ours(comments: list[Comment], us: str) -> None:
    found = last_own_comment(iter(comments), us, is_ours)
    ours = {
        one.id
        for one in comments
        if one.body == "ours" and (one.author.lower() == us.lower() if us else one.is_bot)
    }
    assert (found.id if found else None) == max(ours, default=None)


@given(TEXTS)
def test_line_ends_and_blanks_at_the_end_are_no_difference(text: str) -> None:
    unix = text.replace("\r", "")
    for made in (unix.replace("\n", "\r\n"), f"{unix}\n", f"{unix} \r\n", unix.rstrip()):
        assert is_same_text(unix, made)
        assert is_same_text(made, unix)
    assert not is_same_text(unix, f"{unix}x")
    assert not is_same_text(unix, f"x{unix}")


@given(TEXTS)
def test_what_is_settled_says_so_once(body: str) -> None:
    once = mark_resolved(body)
    assert is_marked_resolved(once)
    assert mark_resolved(once) == once
    assert is_marked_resolved(once.replace("\n", "\r\n"))
    assert not is_marked_resolved(body)
    assert once.split("\n")[0] == body.split("\n")[0]
    assert once.endswith(body.partition("\n")[2])


class Host:
    """Keeps a comment; `failures` are what its next writes raise, and whether they are done."""

    def __init__(self, *failures: tuple[RemoteError | None, bool], there: bool = False) -> None:
        self.failures = list(failures)
        self.comments = [Comment(1, "old", "robin", url="u1")] if there else []
        self.looked = 0

    def look(self) -> Comment | None:
        self.looked += 1
        return self.comments[-1] if self.comments else None

    def make(self) -> str:
        return self._write(lambda: self.comments.append(Comment(2, "new", "robin", url="u2")))

    def edit(self, found: Comment) -> str:
        place = self.comments.index(found)
        return self._write(lambda: self.comments.__setitem__(place, found._replace(body="new")))

    def upsert(self, *, create: bool = True) -> UpsertResult:
        return upsert("new", self.look, self.make, self.edit, may_create=create)

    def _write(self, do) -> str:  # type: ignore[no-untyped-def]
        error, done = self.failures.pop(0) if self.failures else (None, True)
        if done:
            do()
        if error:
            raise error
        return "told"


LOST = RemoteError("no answer")
OUTCOMES = st.tuples(st.just(LOST), st.booleans())


@given(st.lists(OUTCOMES, max_size=3), st.booleans())
def test_whatever_is_lost_there_is_one_comment_and_two_writes(
    failures: list[tuple[RemoteError | None, bool]], there: bool
) -> None:
    host = Host(*failures, there=there)
    done = any(done for _, done in failures[:2]) or len(failures) < 2
    try:
        found = host.upsert()
    except RemoteError:
        assert len(failures) >= 2
        assert not failures[0][1]
    else:
        assert found.action == ("edited" if there else "created")
        assert done
    assert len(failures) - len(host.failures) <= 2
    assert [one.body for one in host.comments] in ([["new"]] if done else [["old"], []])


@pytest.mark.parametrize("error", [WriteDenied("no"), RateLimited("later", 0.0)])
@pytest.mark.parametrize("there", [False, True])
def test_what_was_refused_is_not_tried_again(error: RemoteError, there: bool) -> None:
    host = Host((error, False), there=there)
    with pytest.raises(type(error)):
        host.upsert()
    assert host.looked == 1


def test_without_create_nothing_is_made() -> None:
    host = Host()
    assert host.upsert(create=False) == UpsertResult("none")
    assert host.comments == []
    assert Host(there=True).upsert(create=False) == UpsertResult("edited", "told")
