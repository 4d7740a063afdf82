"""A change: what differs between two states of a repository, and what its author says about it."""

from __future__ import annotations

from typing import NamedTuple

from sdd_hooks.text.lines import NumberedLine

_FILE = "100"


class ChangedFile(NamedTuple):
    """A file as a change leaves it.

    `before` is the path it had, "" when it is new; `status` is git's letter: A, M, D, T, and R for
    one that moved. A copy is a new file. `mode` and `blob` are git's at the head ("" and "" when it
    is deleted), `mode_before` and `blob_before` those at the base. Binary files, links and
    submodules have no lines, and so have those past the limit.

    `whitespace` is whether nothing differs in its lines but whitespace.
    """

    path: str
    before: str
    status: str
    mode: str = ""
    blob: str = ""
    blob_before: str = ""
    added: tuple[NumberedLine, ...] = ()
    removed: tuple[NumberedLine, ...] = ()
    binary: bool = False
    mode_before: str = ""
    whitespace: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is, at the head, a regular file."""
        return self.mode.startswith(_FILE)

    @property
    def was_file(self) -> bool:
        """Whether it was, at the base, a regular file."""
        return self.mode_before.startswith(_FILE)


class Change(NamedTuple):
    """A change from `base` to `head`, two commit ids; `head` is "" for what is staged.

    `base` is where both parted, or a tree where there is no such commit; `base_tip` is what the
    base has become since, "" for what is staged. `messages` are those of its commits, newest first.
    `title` and `body` are the pull request's where one is at hand, else those of its commits.
    `notes` say what of it was not looked at.
    """

    base: str
    head: str
    title: str
    body: str
    messages: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...] = ()
    base_tip: str = ""

    def added_lines(self) -> dict[str, frozenset[int]]:
        """The numbers of the lines that it adds, by path."""
        return {file.path: frozenset(line.number for line in file.added) for file in self.files}
