"""What the adapters of forges share: the one comment, threads that a comment marks as resolved, and
refused writes."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", REQ "Comments on lines", REQ "Denied writes"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.forges.protocol import UpsertResult, WriteDenied

RESOLVED_LINE = "**Settled:** this was no longer found."
"""The second line of a comment that marks its thread as resolved; the first line has its marker."""


class Comment(NamedTuple):
    """A comment; a later one has a higher `id`.

    `author` is the login name, `is_bot` whether the forge says that this is a program.
    """

    id: int
    body: str
    author: str
    is_bot: bool = False
    url: str = ""


def is_account(account: str, author: str, *, is_bot: bool) -> bool:
    """Whether the author is the account of the token.

    `account` is its login name, "" if the host does not tell it; any program may be it then.
    """
    return author.lower() == account.lower() if account else is_bot


def last_own_comment(
    comments: Iterable[Comment], account: str, has_marker: Callable[[str], bool]
) -> Comment | None:
    """The last comment that the account wrote and whose body has the marker."""
    own = (
        comment
        for comment in comments
        if is_account(account, comment.author, is_bot=comment.is_bot) and has_marker(comment.body)
    )
    return max(own, key=lambda comment: comment.id, default=None)


def is_same_text(one: str, other: str) -> bool:
    """Whether two bodies differ only in what hosts change: line ends, and blanks at the end."""
    return _normalized(one) == _normalized(other)


def upsert(
    body: str,
    find: Callable[[], Comment | None],
    create: Callable[[], str],
    edit: Callable[[Comment], str],
    *,
    may_create: bool = True,
) -> UpsertResult:
    """Give the one comment the text `body`.

    `find` returns the comment that exists; `create` and `edit` write it and return its URL. A
    failed request may have been executed, so the comment is looked up before the one retry. Raises
    what these functions raise.
    """
    existing = find()
    if existing is not None and is_same_text(existing.body, body):
        return UpsertResult("kept", existing.url)
    try:
        return _write(existing, create, edit, may_create=may_create)
    except (WriteDenied, RateLimited):
        raise
    except RemoteError:
        current = find()
        if current is not None and is_same_text(current.body, body):
            return UpsertResult("edited" if existing else "created", current.url)
        return _write(current, create, edit, may_create=may_create)


def mark_resolved(body: str) -> str:
    """The body of a comment with RESOLVED_LINE below its first line.

    A token that may write comments may not always resolve the threads that they begin. An edit of
    the comment keeps the conversation, and no other program edits it.
    """
    if is_marked_resolved(body):
        return body
    marker, _, rest = body.partition("\n")
    return f"{marker}\n{RESOLVED_LINE}\n\n{rest}"


def is_marked_resolved(body: str) -> bool:
    """Whether the body marks its thread as resolved."""
    lines = body.split("\n", 2)
    return len(lines) > 1 and lines[1].rstrip() == RESOLVED_LINE


@contextmanager
def write_access() -> Iterator[None]:
    """Raise WriteDenied for a write that the host refuses.

    A host may also report a repository as missing to a token that can only read it.
    """
    try:
        yield
    except WriteDenied:
        raise
    except (AccessRefused, Missing) as error:
        raise WriteDenied(str(error)) from None


def _write(
    existing: Comment | None,
    create: Callable[[], str],
    edit: Callable[[Comment], str],
    *,
    may_create: bool,
) -> UpsertResult:
    if existing is not None:
        return UpsertResult("edited", edit(existing))
    return UpsertResult("created", create()) if may_create else UpsertResult("none")


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
