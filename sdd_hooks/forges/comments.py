"""What the adapters of forges share: the one comment, threads that a comment marks as resolved, and
refused writes."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", REQ "Comments on lines", REQ "Denied writes"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.forges.protocol import UpsertResult, WriteDenied
from sdd_hooks.named_tuple import NamedTuple

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


def own_comments(
    comments: Iterable[Comment], account: str, has_marker: Callable[[str], bool]
) -> list[Comment]:
    """The comments that the account wrote and whose body has the marker, the oldest first."""
    own = (
        comment
        for comment in comments
        if is_account(account, comment.author, is_bot=comment.is_bot) and has_marker(comment.body)
    )
    return sorted(own, key=lambda comment: comment.id)


def is_same_text(one: str, other: str) -> bool:
    """Whether two bodies differ only in what hosts change: line ends, and blanks at the end."""
    return _normalized(one) == _normalized(other)


class CommentApi(NamedTuple):
    """The requests about the one comment.

    `find` returns the comments that may be it, the oldest first. `create` and `edit` write one with
    a text and return its URL, and `delete` removes one. They raise RemoteError.
    """

    find: Callable[[], Sequence[Comment]]
    create: Callable[[str], str]
    edit: Callable[[Comment, str], str]
    delete: Callable[[Comment], None]


def upsert(body: str, api: CommentApi, *, may_create: bool = True) -> UpsertResult:
    """Give the one comment the text `body`.

    Jobs that run at once create several. The oldest is the one comment, and every job that finds
    others deletes them. A failed request may have been executed, so the comment is looked up before
    the one retry. Raises what the functions of `api` raise, except those of `delete`.
    """
    existing = api.find()
    try:
        written = _write(body, api, existing, may_create=may_create)
    except RateLimited:
        raise
    except RemoteError as error:
        if isinstance(error, WriteDenied) and not existing:
            raise
        current = api.find()
        if isinstance(error, WriteDenied) and current[:1] == existing[:1]:
            raise
        # Another job may have deleted the comment meanwhile.
        written = _write(body, api, current, may_create=may_create)
        if written.action == "kept":
            written = written._replace(action="edited" if existing else "created")
    return _settle(body, api, written) if written.action == "created" else written


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
    body: str, api: CommentApi, existing: Sequence[Comment], *, may_create: bool
) -> UpsertResult:
    """Edit the oldest comment and delete the others, or create one."""
    if not existing:
        return UpsertResult("created", api.create(body)) if may_create else UpsertResult("none")
    oldest, *others = existing
    if is_same_text(oldest.body, body):
        written = UpsertResult("kept", oldest.url)
    else:
        written = UpsertResult("edited", api.edit(oldest, body))
    _delete(api, others)
    return written


def _settle(body: str, api: CommentApi, created: UpsertResult) -> UpsertResult:
    """Leave one comment if other jobs created one as well. Returns the one that stays."""
    # The comment was posted: a failure now is not one of posting it.
    with suppress(RemoteError):
        found = api.find()
        if len(found) > 1:
            return created._replace(url=_write(body, api, found, may_create=False).url)
    return created


def _delete(api: CommentApi, comments: Iterable[Comment]) -> None:
    """Delete the comments; one that remains is deleted by the next job that finds it."""
    for comment in comments:
        with suppress(RemoteError):
            api.delete(comment)


def _normalized(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
