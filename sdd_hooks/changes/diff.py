"""Read a change from git: which files differ, and their added and removed lines."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0010 REQ "What is compared", SPEC-0010 REQ "Any change"

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from typing import NamedTuple, cast

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES as LARGEST_FILE
from sdd_hooks.changes.base import empty_tree, lacks_contents, merge_base, resolve
from sdd_hooks.changes.budget import LARGEST, LONGEST, MOST_LINES, Budget
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.patch import LONGEST_LINE, Patch, read_patches
from sdd_hooks.changes.undiffable import look
from sdd_hooks.errors import RepositoryError
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import format_count

MOST_FILES = 5_000
"""Files of a change that are looked at."""
MOST_MESSAGES = 500
LARGEST_MESSAGES = 4_000_000

_OPTIONS = (
    "-r",
    "-z",
    "--raw",
    "--patch",
    "--unified=0",
    "--full-index",
    "--find-renames",
    # With more files than these on each side, only those that moved as they were are found: git
    # would compare every one with every other.
    "-l200",
    "--no-color",
    # What configuration and attributes say must not decide what is shown.
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--ignore-submodules=none",
    # `git add --intent-to-add` commits nothing.
    "--ita-invisible-in-index",
)
_UNMERGED = "U"
# Two paths for each of so many files are arguments that every system takes.
_GROUP = 100


class _Sides(NamedTuple):
    """What git compares: a command with its two trees, or with a tree and an index."""

    git: Git
    verb: str
    trees: tuple[str, ...]
    index_file: str = ""


def read_change(
    git: Git,
    base: str,
    head: str,
    *,
    title: str = "",
    body: str = "",
    budget: Budget | None = None,
) -> Change:
    """What `head` changed since it left `base`, both names of commits.

    `base` may also name a tree: the empty one makes everything new. Raises RepositoryError for a
    name that is none, for commits that part where a shallow clone does not reach, and for contents
    that are not in the clone; the message says what to fetch. `budget` is how much is read.
    """
    tip, base_tip = resolve(git, head), resolve(git, base, or_tree=True)
    parted = merge_base(git, (base, base_tip), (head, tip))
    files, notes = _read(_Sides(git, "diff-tree", (parted or base_tip, tip)), budget or Budget())
    messages, cut = _messages(git, tip, base_tip if parted else "")
    if not parted and base_tip != empty_tree(git):
        notes.append("base and head have no commit in common: all that differs was compared")
    if cut:
        notes.append(f"only the newest {len(messages):,} commit messages were read")
    first, _, rest = (messages[-1] if messages else "").partition("\n")
    return Change(
        parted or base_tip,
        tip,
        title or first,
        body or "\n\n".join(filter(None, (rest.strip(), *messages[:-1]))),
        messages,
        files,
        tuple(notes),
        base_tip,
    )


def read_staged(git: Git, index: str = "") -> Change:
    """What is staged: the index against HEAD, or against nothing before the first commit.

    `index` is git's index file where a commit in the making has one of its own. Raises
    RepositoryError for contents that are not in the clone.
    """
    found = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = found.decode().strip() if found else empty_tree(git)
    files, notes = _read(_Sides(git, "diff-index", ("--cached", base), index), Budget())
    return Change(base, "", "", "", (), files, tuple(notes))


def _messages(git: Git, tip: str, base: str) -> tuple[tuple[str, ...], bool]:
    """The messages of the commits that the base lacks, and whether there are more."""
    options = ("--format=%B%x00", "--encoding=UTF-8", "--no-show-signature", "--no-color")
    exclude = (f"^{base}",) if base else ()
    most = f"--max-count={MOST_MESSAGES + 1}"
    with git.start("log", *options, most, tip, *exclude, "--") as process:
        assert process.stdout is not None
        texts = process.stdout.read(LARGEST_MESSAGES).decode("utf-8", "replace").split("\0")
        cut = bool(process.stdout.read(1))
        process.kill()
    messages = [text.strip() for text in texts[:MOST_MESSAGES] if text.strip()]
    return tuple(messages), cut or len(texts) > MOST_MESSAGES + 1


def _read(sides: _Sides, budget: Budget) -> tuple[tuple[ChangedFile, ...], list[str]]:
    """The files that differ, with their lines, and what was not looked at."""
    shown = _diff(sides, budget)
    if budget.spent and not shown.files:
        raise RepositoryError("git took too long to find what differs: compare less at once")
    files = [_with_lines(*one) for one in shown.files]
    hidden = look(sides.git, files, budget)
    found = {**hidden.compared, **dict(_reveal(sides, files, hidden.rest, budget))}
    for at, patch in found.items():
        files[at] = _with_lines(files[at], patch)
    patches = [*found.values(), *(patch for _, patch in shown.files)]
    notes = []
    if shown.more:
        more = format_count(shown.more, "file")
        notes.append(f"not looked at: {more} beyond the first {MOST_FILES:,}")
    unread = shown.unread + sum(at not in found for at in hidden.rest)
    if unread:
        notes.append(
            f"not looked at: what is beyond {LARGEST // 1_000_000} MB, {MOST_LINES:,} lines or"
            f" {LONGEST:.0f} seconds of the diff, in {format_count(unread, 'file')}"
        )
    conflicts = sum(file.status == _UNMERGED for file in files)
    if conflicts:
        notes.append(f"not looked at: {format_count(conflicts, 'file')} in a merge conflict")
    if cut := sum(patch.cut for patch in patches):
        long_lines = f"{LONGEST_LINE:,} characters of a line, in {format_count(cut, 'file')}"
        notes.append(f"not looked at: what is beyond {long_lines}")
    return tuple(file for file in files if file.status != _UNMERGED), [*notes, *hidden.notes]


def _reveal(
    sides: _Sides, files: Sequence[ChangedFile], places: Sequence[int], budget: Budget
) -> Iterator[tuple[int, Patch]]:
    """The patches of files at these places, which are text whatever attributes say."""
    for first in range(0, len(places), _GROUP):
        if budget.spent:
            return
        group = {(files[at].before, files[at].path): at for at in places[first : first + _GROUP]}
        paths = dict.fromkeys(path for pair in group for path in pair if path)
        shown = _diff(sides, budget, "--text", paths=tuple(paths))
        for file, patch in shown.files[: len(shown.files) - shown.unread]:
            if (file.before, file.path) in group:
                yield group[file.before, file.path], patch


class _Shown(NamedTuple):
    """What one run of git showed; `more` files are beyond those, `unread` are cut off."""

    files: list[tuple[ChangedFile, Patch]]
    more: int
    unread: int


def _diff(sides: _Sides, budget: Budget, *options: str, paths: Sequence[str] = ()) -> _Shown:
    # Contents that are larger are not compared.
    limit = ("-c", f"core.bigFileThreshold={LARGEST_FILE}")
    specs = [f":(literal){path}" for path in paths]
    command = (*limit, sides.verb, *_OPTIONS, *options, *sides.trees, "--", *specs)
    files: list[tuple[ChangedFile, Patch]] = []
    unread = 0
    with sides.git.start(*command, index=sides.index_file) as process, budget.timed(process):
        stream = cast(BufferedReader, process.stdout)
        entries, more = _entries(stream)
        patches = read_patches(budget.lines(stream))
        for entry in entries:
            # A type that changes is shown as a file that goes and one that comes.
            parts = [next(patches, Patch()) for _ in range(2 if entry.status == "T" else 1)]
            unread += budget.spent
            files.append((entry, _joined(parts)))
        if more or budget.spent:
            process.kill()
    if process.returncode > 0:
        raise lacks_contents(sides.git, sides.trees)
    return _Shown(files, more, unread)


def _entries(stream: BufferedReader) -> tuple[list[ChangedFile], int]:
    """The files that differ, as far as git has said, and how many more there are."""
    found: list[ChangedFile] = []
    more = 0
    with suppress(EOFError):
        while stream.peek(1)[:1] == b":":
            about = _field(stream)[1:].decode().split(" ")
            names = [_field(stream) for _ in range(2 if about[-1][0] in "RC" else 1)]
            if len(found) < MOST_FILES:
                found.append(_entry(about, [os.fsdecode(name) for name in names]))
            else:
                more += 1
    # Another null character stands between the two lists.
    stream.read(1)
    return found, more


def _entry(about: Sequence[str], names: Sequence[str]) -> ChangedFile:
    mode_before, mode, blob_before, blob, status = about
    new, gone = not mode_before.strip("0"), not mode.strip("0")
    return ChangedFile(
        names[-1],
        "" if new else names[0],
        status[0],
        "" if gone else mode,
        "" if gone else blob,
        "" if new else blob_before,
        mode_before="" if new else mode_before,
    )


def _field(stream: BufferedReader) -> bytes:
    """What comes before the next null character. Raises EOFError when there is none."""
    parts = []
    while waiting := stream.peek(1):
        end = waiting.find(b"\0")
        parts.append(stream.read(len(waiting) if end < 0 else end + 1))
        if end >= 0:
            return b"".join(parts)[:-1]
    raise EOFError


def _joined(parts: Sequence[Patch]) -> Patch:
    first, last = parts[0], parts[-1]
    return last._replace(removed=first.removed, binary=first.binary or last.binary)


def _with_lines(file: ChangedFile, patch: Patch) -> ChangedFile:
    """The file with the lines that it has as a regular one."""
    return file._replace(
        added=patch.added if file.is_file else (),
        removed=patch.removed if file.was_file else (),
        binary=patch.binary and (file.is_file or file.was_file),
        whitespace=patch.whitespace and file.is_file and file.was_file,
    )
