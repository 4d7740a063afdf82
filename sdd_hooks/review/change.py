"""A change: what differs between two states of a repository, and what its author says about it."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """A line of a file, by its number from 1, without its line end."""

    number: int
    text: str


class ChangedFile(NamedTuple):
    """A file as a change leaves it.

    `before` is the path it had, "" when it is new; `status` is git's letter (A, M, D, R, C, T).
    `mode` and `blob` are git's at the head ("" and "" when it is deleted), `blob_before` at the
    base. Binary files, links and submodules have no lines, and so have those past the limit.
    """

    path: str
    before: str
    status: str
    mode: str = ""
    blob: str = ""
    blob_before: str = ""
    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()
    binary: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is, at the head, a regular file."""
        return self.mode.startswith("100")


class Change(NamedTuple):
    """A change from `base` to `head`, two commit ids; `head` is "" for what is staged.

    `messages` are those of its commits, newest first. `title` and `body` are the pull request's
    where one is at hand, else those of its commits. `notes` say what of it was not looked at.
    """

    base: str
    head: str
    title: str
    body: str
    messages: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...] = ()
