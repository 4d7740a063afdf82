"""A change: the difference between two states of a repository, and its author's description."""

from __future__ import annotations

from collections.abc import Sequence

from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex
from sdd_hooks.text.lines import NumberedLine

_FILE = "100"
# As Gitea, Azure, and then GitHub, GitLab and Bitbucket write them. git does not quote the target.
_MERGED = lazy_regex(
    r"Merged? (?:pull request '([^\n]+)' \(#\d+\)|PR \d+: ([^\n]+)"
    r"|(?:pull request #|branch '[^\n]+' into '|in [^\n]+ \(pull request #)[^\n]*\n\s*"
    r"(?!See merge request|[\w-]+-by:|#|Conflicts:)(\S[^\n]*))"
)


class ChangedFile(NamedTuple):
    """A file as a change leaves it.

    `before` is its path at the base, "" for a new file. `status` is git's letter: A, M, D, T, and R
    for a renamed file. A copy is a new file. `mode` and `blob` are git's at the head, "" for a
    deleted file, `mode_before` and `blob_before` those at the base. Binary files, links,
    submodules, and files beyond the limits have no lines.

    `whitespace` is whether its lines differ in nothing but whitespace.
    """

    path: str
    before: str
    status: str
    mode: str = ""
    blob: str = ""
    blob_before: str = ""
    added: Sequence[NumberedLine] = ()
    removed: tuple[NumberedLine, ...] = ()
    binary: bool = False
    mode_before: str = ""
    whitespace: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file at the head."""
        return self.mode.startswith(_FILE)

    @property
    def was_file(self) -> bool:
        """Whether it was a regular file at the base."""
        return self.mode_before.startswith(_FILE)


class UnreadPart(NamedTuple):
    """A part of a change that was not read, and the reason with an advice, in one line.

    `path` is the file, "" for several that are not named, `line` a line of it, 0 for all of it.
    """

    path: str
    reason: str
    line: int = 0


class Change(NamedTuple):
    """A change from `base` to `head`, two commit ids; `head` is "" for what is staged.

    `base` is the merge base, or a tree if there is no common commit. `base_tip` is the commit of
    the base branch, "" for what is staged. `messages` are those of the commits, newest first.
    `title` and `body` are the pull request's if there is one, else made of the messages. `notes`
    are about the comparison, `unread` are the parts of the change that were not read.
    """

    base: str
    head: str
    title: str
    body: str
    messages: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    notes: tuple[str, ...] = ()
    base_tip: str = ""
    unread: tuple[UnreadPart, ...] = ()

    def described_by(self, title: str, body: str) -> Change:
        """The change with the title and the body of its pull request, each unless it is ""."""
        return self._replace(title=title or self.title, body=body or self.body)

    @property
    def is_described(self) -> bool:
        """Whether the body is that of a pull request, and not made of the messages."""
        return self.body != describe_messages(self.messages)[1]

    @property
    def headline(self) -> str:
        """The title; where it has less than two words, with the first line of the first message."""
        first = "".join(self.messages[:1]).lstrip().partition("\n")[0]
        is_short = len(self.title.split()) < 2 and first != self.title
        return f"{self.title} {first}".strip() if is_short else self.title

    def added_lines(self) -> dict[str, frozenset[int]]:
        """The numbers of the added lines, by path."""
        return {file.path: frozenset(line.number for line in file.added) for file in self.files}


def describe_messages(messages: Sequence[str]) -> tuple[str, str]:
    """The title and the body of a change without a pull request, from its messages.

    Where the newest is the merge of a pull request, the title is the one that it hands on.
    """
    if messages and (merged := _MERGED.match(messages[0])):
        return next(filter(None, merged.groups())), "\n\n".join(messages)
    title, _, rest = (messages[-1] if messages else "").partition("\n")
    return title, "\n\n".join(filter(None, (rest.strip(), *messages[:-1])))
