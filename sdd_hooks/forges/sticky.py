"""The one comment of ours on a pull request: which it is, and how it becomes what it should be."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment"

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.protocol import Upserted, WriteDenied


class Comment(NamedTuple):
    """A comment under the `id` that its forge gave it; later ones have higher ids. `author` is the
    name by which somebody logs in, `bot` whether the forge says that this is a program."""

    id: int
    body: str
    author: str
    bot: bool = False
    url: str = ""


def wrote(us: str, author: str, *, bot: bool) -> bool:
    """Whether that author is us, who log in as `us`; any program may be, where that is ""."""
    return author.lower() == us.lower() if us else bot


def last_of_ours(
    comments: Iterable[Comment], us: str, is_ours: Callable[[str], bool]
) -> Comment | None:
    """The last comment that we, who log in as `us`, wrote and whose text `is_ours`."""
    ours = (one for one in comments if wrote(us, one.author, bot=one.bot) and is_ours(one.body))
    return max(ours, key=lambda one: one.id, default=None)


def same_text(one: str, other: str) -> bool:
    """Whether both are the same but for what hosts change: line ends, and blanks at the end."""
    return _kept(one) == _kept(other)


def upsert(
    body: str,
    look: Callable[[], Comment | None],
    make: Callable[[], str],
    edit: Callable[[Comment], str],
    *,
    create: bool = True,
) -> Upserted:
    """Make `body` the one comment: `look` finds it, `make` and `edit` write it and return its URL.

    A write that failed may have been done all the same: it is looked for before it is tried again,
    once. Raises what these raise.
    """
    found = look()
    if found is not None and same_text(found.body, body):
        return Upserted("kept", found.url)
    try:
        return _write(found, make, edit, create=create)
    except (WriteDenied, RateLimited):
        raise
    except RemoteError:
        now = look()
        if now is not None and same_text(now.body, body):
            return Upserted("edited" if found else "created", now.url)
        return _write(now, make, edit, create=create)


def _write(
    found: Comment | None,
    make: Callable[[], str],
    edit: Callable[[Comment], str],
    *,
    create: bool,
) -> Upserted:
    if found is not None:
        return Upserted("edited", edit(found))
    return Upserted("created", make()) if create else Upserted("none")


def _kept(text: str) -> str:
    return text.replace("\r\n", "\n").rstrip()
