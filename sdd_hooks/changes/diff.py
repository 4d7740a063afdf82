"""Read a change from git: the files that differ, with their added and removed lines."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository), ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "What is compared",
# SPEC-0010 REQ "Any change"

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader
from typing import cast

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.base import empty_tree_id, find_merge_base, missing_contents, resolve_commit
from sdd_hooks.changes.budget import DIFF_TIMEOUT, MAX_BYTES, MAX_LINES, Budget
from sdd_hooks.changes.change import Change, ChangedFile, UnreadPart, describe_messages
from sdd_hooks.changes.patch import MAX_LINE, Patch, parse_patches
from sdd_hooks.changes.undiffable import inspect_undiffable
from sdd_hooks.errors import RepositoryError
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.git import Git
from sdd_hooks.text.display import format_count

MAX_FILES = 5_000
"""Files of a change that are read."""
MAX_NAMED = 100_000
"""Further files whose names are kept."""
MAX_MESSAGES = 500
MAX_MESSAGES_BYTES = 4_000_000

_OPTIONS = (
    "-r",
    "-z",
    "--raw",
    "--patch",
    "--unified=0",
    "--full-index",
    "--find-renames",
    # With more files on each side, git finds only renames without edits, since it would compare
    # every file with every other.
    "-l200",
    "--no-color",
    # Configuration and attributes must not change the output.
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--ignore-submodules=none",
    # `git add --intent-to-add` commits nothing.
    "--ita-invisible-in-index",
)
_UNMERGED = "U"
# Files of one command: the length of its arguments is limited on every system.
_GROUP = 100


class _Comparison(NamedTuple):
    """The arguments of git: a command with two trees, or with one tree and an index file."""

    git: Git
    verb: str
    trees: tuple[str, ...]
    index_file: str = ""


def read_change(git: Git, base: str, head: str, *, budget: Budget | None = None) -> Change:
    """Read the changes of `head` since its merge base with `base`, both names of commits.

    `base` may also name a tree; with the empty tree all files are new. `budget` limits how much is
    read. Raises RepositoryError for an unknown name, for a merge base that a shallow clone does not
    have, and for contents that a partial clone does not have. The message says what to fetch.
    """
    tip, base_tip = resolve_commit(git, head), resolve_commit(git, base, or_tree=True)
    common = find_merge_base(git, (base, base_tip), (head, tip))
    comparison = _Comparison(git, "diff-tree", (common or base_tip, tip))
    files, notes, unread = _read(comparison, budget or Budget())
    messages, cut = _messages(git, tip, base_tip if common else "")
    if not common and base_tip != empty_tree_id(git):
        notes.append("base and head have no commit in common: all differences were compared")
    if cut:
        notes.append(f"only the newest {len(messages):,} commit messages were read")
    title, body = describe_messages(messages)
    return Change(
        common or base_tip,
        tip,
        title,
        body,
        messages,
        files,
        tuple(notes),
        base_tip,
        tuple(unread),
    )


def read_staged(git: Git, index: str = "") -> Change:
    """Read what is staged: the index against HEAD, or against nothing before the first commit.

    `index` is git's index file if the commit being made has its own. Raises RepositoryError for
    contents that a partial clone does not have.
    """
    head = git.try_output("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = head.decode().strip() if head else empty_tree_id(git)
    comparison = _Comparison(git, "diff-index", ("--cached", base), index)
    files, notes, unread = _read(comparison, Budget())
    return Change(base, "", "", "", (), files, tuple(notes), unread=tuple(unread))


def _messages(git: Git, tip: str, base: str) -> tuple[tuple[str, ...], bool]:
    """The messages of the commits that the base lacks, and whether there are more."""
    options = ("--format=%B%x00", "--encoding=UTF-8", "--no-show-signature", "--no-color")
    exclude = (f"^{base}",) if base else ()
    limit = f"--max-count={MAX_MESSAGES + 1}"
    with git.start("log", *options, limit, tip, *exclude, "--") as process:
        assert process.stdout is not None
        texts = process.stdout.read(MAX_MESSAGES_BYTES).decode("utf-8", "replace").split("\0")
        cut = bool(process.stdout.read(1))
        process.kill()
    messages = [text.strip() for text in texts[:MAX_MESSAGES] if text.strip()]
    return tuple(messages), cut or len(texts) > MAX_MESSAGES + 1


class _Differences(NamedTuple):
    """The files that differ, notes on the comparison, and the parts that were not read."""

    files: tuple[ChangedFile, ...]
    notes: list[str]
    unread: list[UnreadPart]


def _read(comparison: _Comparison, budget: Budget) -> _Differences:
    """The files that differ, with their lines."""
    shown = _diff(comparison, budget)
    if budget.is_spent and not shown.files:
        raise RepositoryError("git took too long to compare: compare a smaller change")
    files = [_with_lines(*one) for one in shown.files]
    undiffable = inspect_undiffable(comparison.git, files, budget)
    as_text = dict(_diff_as_text(comparison, files, undiffable.diffable, budget))
    revealed = {**undiffable.compared, **as_text}
    for at, patch in revealed.items():
        files[at] = _with_lines(files[at], patch)
    patches = [*revealed.values(), *(patch for _, patch in shown.files)]
    notes = []
    conflicts = sum(file.status == _UNMERGED for file in files)
    if conflicts:
        notes.append(f"not read: {format_count(conflicts, 'file')} in a merge conflict")
    if cut := sum(patch.cut for patch in patches):
        # The rules of decisions read whole lines.
        long_lines = f"{MAX_LINE:,} characters of a line, in {format_count(cut, 'file')}"
        notes.append(f"not read: the text beyond {long_lines}")
    late = [*range(len(files) - shown.unread, len(files))]
    late += [at for at in undiffable.diffable if at not in revealed]
    unread = [*_beyond(shown), *_cut_off(files[at] for at in late), *undiffable.unread]
    kept = tuple(file for file in files if file.status != _UNMERGED)
    return _Differences(kept, notes, unread)


def _beyond(shown: _DiffOutput) -> Iterator[UnreadPart]:
    """The files beyond the limit of files."""
    reason = f"the files beyond the first {MAX_FILES:,} of a change: divide the change"
    yield from (UnreadPart(path, reason) for path in shown.beyond)
    if shown.more:
        yield UnreadPart("", reason)


def _cut_off(files: Iterable[ChangedFile]) -> Iterator[UnreadPart]:
    """The files whose text is beyond the limits of a diff."""
    reason = (
        f"the text beyond {MAX_BYTES // 1_000_000} MB, {MAX_LINES:,} lines or"
        f" {DIFF_TIMEOUT:.0f} seconds of a diff: divide the change"
    )
    yield from (UnreadPart(file.path, reason) for file in files if file.is_file)


def _diff_as_text(
    comparison: _Comparison, files: Sequence[ChangedFile], indexes: Sequence[int], budget: Budget
) -> Iterator[tuple[int, Patch]]:
    """The patches of the files at these indexes, compared as text in spite of attributes."""
    for first in range(0, len(indexes), _GROUP):
        if budget.is_spent:
            return
        group = {(files[at].before, files[at].path): at for at in indexes[first : first + _GROUP]}
        paths = dict.fromkeys(path for pair in group for path in pair if path)
        shown = _diff(comparison, budget, "--text", paths=tuple(paths))
        for file, patch in shown.files[: len(shown.files) - shown.unread]:
            if (file.before, file.path) in group:
                yield group[file.before, file.path], patch


class _DiffOutput(NamedTuple):
    """The output of one process of git. `beyond` are the paths beyond the limit of files, and
    `more` whether there are others. `unread` counts the files that the budget cuts off."""

    files: list[tuple[ChangedFile, Patch]]
    beyond: list[str]
    more: bool
    unread: int


def _diff(
    comparison: _Comparison, budget: Budget, *options: str, paths: Sequence[str] = ()
) -> _DiffOutput:
    # git does not compare larger contents.
    limit = ("-c", f"core.bigFileThreshold={MAX_ARTIFACT_BYTES}")
    specs = [f":(literal){path}" for path in paths]
    command = (*limit, comparison.verb, *_OPTIONS, *options, *comparison.trees, "--", *specs)
    files: list[tuple[ChangedFile, Patch]] = []
    unread = 0
    with (
        comparison.git.start(*command, index=comparison.index_file) as process,
        budget.kill_when_late(process),
    ):
        stream = cast(BufferedReader, process.stdout)
        entries, beyond, more = _entries(stream)
        patches = parse_patches(budget.limit_lines(stream))
        for entry in entries:
            # A file whose type changes is shown as deleted and added.
            parts = [next(patches, Patch()) for _ in range(2 if entry.status == "T" else 1)]
            unread += budget.is_spent
            files.append((entry, _join(parts)))
        if beyond or budget.is_spent:
            process.kill()
    if process.returncode > 0:
        raise missing_contents(comparison.git, comparison.trees)
    return _DiffOutput(files, beyond, more, unread)


def _entries(stream: BufferedReader) -> tuple[list[ChangedFile], list[str], bool]:
    """The files that differ, up to the limit, the paths of others, and whether there are more."""
    files: list[ChangedFile] = []
    beyond: list[str] = []
    more = False
    with suppress(EOFError):
        while stream.peek(1)[:1] == b":":
            about = _field(stream)[1:].decode().split(" ")
            names = [_field(stream) for _ in range(2 if about[-1][0] in "RC" else 1)]
            if len(files) < MAX_FILES:
                files.append(_entry(about, [os.fsdecode(name) for name in names]))
            elif len(beyond) < MAX_NAMED:
                beyond.append(os.fsdecode(names[-1]))
            else:
                more = True
    # A null character separates the list of files from the patches.
    stream.read(1)
    return files, beyond, more


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
    """The bytes before the next null character. Raises EOFError if there is none."""
    parts = []
    while waiting := stream.peek(1):
        end = waiting.find(b"\0")
        parts.append(stream.read(len(waiting) if end < 0 else end + 1))
        if end >= 0:
            return b"".join(parts)[:-1]
    raise EOFError


def _join(parts: Sequence[Patch]) -> Patch:
    first, last = parts[0], parts[-1]
    return last._replace(removed=first.removed, binary=first.binary or last.binary)


def _with_lines(file: ChangedFile, patch: Patch) -> ChangedFile:
    """The file with the lines of a patch, on the sides on which it is a regular file."""
    return file._replace(
        added=patch.added if file.is_file else (),
        removed=patch.removed if file.was_file else (),
        binary=patch.binary and (file.is_file or file.was_file),
        whitespace=patch.whitespace and file.is_file and file.was_file,
    )
