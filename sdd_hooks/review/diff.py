"""Read a change from git: which files differ, and their added and removed lines."""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input never leaves the
# repository)

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sdd_hooks.errors import RepositoryError
from sdd_hooks.project.git import git, start, try_git
from sdd_hooks.review.change import Change, ChangedFile, Line

LARGEST = 50_000_000
"""Bytes of a diff that are read; the files after that have no lines."""
LONGEST_LINE = 2_000

_HUNK = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def read_change(root: Path, base: str, head: str, *, title: str = "", body: str = "") -> Change:
    """What `head` changed since it left `base`. Raises RepositoryError for a name that is none."""
    tip = _commit(root, head)
    start_commit = _merge_base(root, _commit(root, base), tip)
    log = git(root, "log", "--format=%B%x00", "--max-count=500", f"{start_commit}..{tip}")
    messages = tuple(
        text.strip() for text in log.decode("utf-8", "replace").split("\0") if text.strip()
    )
    entries, patch, cut = _diff(root, ("diff-tree",), (start_commit, tip), "")
    first, _, rest = (messages[-1] if messages else "").partition("\n")
    return Change(
        start_commit,
        tip,
        title or first,
        body or "\n\n".join(filter(None, (rest.strip(), *messages[:-1]))),
        messages,
        tuple(_with_lines(entries, patch)),
        ("the diff is larger than 50 MB: not all of it was read",) if cut else (),
    )


def read_staged(root: Path, index: str = "") -> Change:
    """What is staged: the index against HEAD, or against nothing before the first commit.

    `index` is git's index file where a commit in the making has one of its own. Raises GitError.
    """
    found = try_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    base = (found or git(root, "hash-object", "-t", "tree", os.devnull)).decode().strip()
    entries, patch, cut = _diff(root, ("diff-index", "--cached"), (base,), index)
    notes = ("the diff is larger than 50 MB: not all of it was read",) if cut else ()
    return Change(base, "", "", "", (), tuple(_with_lines(entries, patch)), notes)


def _commit(root: Path, name: str) -> str:
    if not name or name.startswith("-"):
        raise RepositoryError(f"{name!r} is no commit: name a branch, a tag or a commit")
    found = try_git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if found is None:
        raise RepositoryError(
            f"there is no commit {name!r} here: fetch it (`git fetch --unshallow` where the clone"
            " is shallow), or name another"
        )
    return found.decode().strip()


def _merge_base(root: Path, base: str, head: str) -> str:
    found = try_git(root, "merge-base", base, head)
    return found.decode().split("\n")[0] if found else base


def _diff(
    root: Path, verb: tuple[str, ...], sides: tuple[str, ...], index: str
) -> tuple[list[ChangedFile], bytes, bool]:
    """The files that differ, and their patches in the same order, as far as they are read."""
    command = (*verb, "-r", "-z", "--raw", "--patch", "--find-renames", "--no-color")
    options = ("--no-ext-diff", "--no-textconv", "--unified=0", "--submodule=short", "--full-index")
    process = start(root, *command, *options, *sides, index=index)
    assert process.stdout is not None
    with process:
        output = process.stdout.read(LARGEST)
        cut = bool(process.stdout.read(1))
        if cut:
            process.kill()
    # The raw lines and the patches are two lists, with a NUL of their own in between.
    fields = output.split(b"\0")
    entries: list[ChangedFile] = []
    at = length = 0
    while at < len(fields) and fields[at].startswith(b":"):
        modes = fields[at][1:].decode().split(" ")
        status = modes[4][:1]
        moved = status in {"R", "C"}
        names = [os.fsdecode(name) for name in fields[at + 1 : at + 3 if moved else at + 2]]
        before = "" if status == "A" else names[0]
        gone = status == "D"
        mode, blob = ("", "") if gone else (modes[1], modes[3])
        blob_before = "" if status == "A" else modes[2]
        entries.append(ChangedFile(names[-1], before, status, mode, blob, blob_before))
        step = 3 if moved else 2
        length += sum(len(field) + 1 for field in fields[at : at + step])
        at += step
    return entries, output[length + 1 :], cut


def _with_lines(entries: Iterable[ChangedFile], patch: bytes) -> Iterator[ChangedFile]:
    """Every file with the lines of its patch."""
    patches = re.split(rb"^diff --git .*\n", patch, flags=re.MULTILINE)[1:]
    for number, entry in enumerate(entries):
        lines = parse_patch(patches[number]) if number < len(patches) else ((), ())
        yield entry._replace(added=lines[0], removed=lines[1])


def parse_patch(patch: bytes) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The added and the removed lines of the patch of one file, with no context. Never raises."""
    added: list[Line] = []
    removed: list[Line] = []
    old = new = 0
    for line in patch.split(b"\n"):
        if hunk := _HUNK.match(line):
            old, new = int(hunk[1]), int(hunk[2])
        elif not new and not old:
            continue
        elif line.startswith(b"+"):
            added.append(Line(new, _text(line)))
            new += 1
        elif line.startswith(b"-"):
            removed.append(Line(old, _text(line)))
            old += 1
    return tuple(added), tuple(removed)


def _text(line: bytes) -> str:
    return line[1 : LONGEST_LINE + 1].decode("utf-8", "replace").rstrip("\r")
