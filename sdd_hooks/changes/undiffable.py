"""Text files for which git shows no lines: attributes declare them binary, or they are UTF-16.

A `.gitattributes` is a part of the change, and must not hide lines from its review.
"""

# Governing: ADR-0012 (untrusted input never leaves the repository), SPEC-0010 REQ "Any change"

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.budget import Budget
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.changes.patch import MAX_LINE, Patch
from sdd_hooks.code.languages import find_language
from sdd_hooks.system.files import is_binary
from sdd_hooks.system.git import Git
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.display import format_count
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_INSPECTED = 1_000
"""Files without lines that are inspected. Each is read whole."""

_MARKS = (b"\xff\xfe", b"\xfe\xff")


class UndiffableFiles(NamedTuple):
    """The text files among those without lines, by their index among the changed files.

    `compared` are patches. `diffable` are the files that git can compare as text, as far as the
    budget allows. `notes` say what was not inspected.
    """

    compared: dict[int, Patch]
    diffable: list[int]
    notes: list[str]


def inspect_undiffable(git: Git, files: Sequence[ChangedFile], budget: Budget) -> UndiffableFiles:
    """Inspect the files that git calls binary. Raises GitError."""
    binary = [at for at, file in enumerate(files) if file.binary]
    inspected = binary[:MAX_INSPECTED]
    heads = [files[at].blob if files[at].is_file else files[at].blob_before for at in inspected]
    texts: list[int] = []
    large = binary_code = 0
    for at, data in zip(inspected, read_blobs(git, heads, limit=MAX_ARTIFACT_BYTES), strict=True):
        if data is None or is_binary(data):
            # Some languages allow a null character, which hides the file from reviewers.
            binary_code += find_language(files[at].path) is not None
        elif len(data) > MAX_ARTIFACT_BYTES:
            large += 1
        else:
            texts.append(at)
    compared: dict[int, Patch] = {}
    diffable: list[int] = []
    for at, (before, after) in zip(texts, _sides(git, [files[at] for at in texts]), strict=True):
        plain = before and after and not (before.startswith(_MARKS) or after.startswith(_MARKS))
        lines = before.count(b"\n") + after.count(b"\n")
        if plain or not budget.take(len(before) + len(after), lines):
            diffable.append(at)
        else:
            compared[at] = _compare(decode(before), decode(after))
    notes = []
    if large:
        notes.append(f"not read: {format_count(large, 'text file')} of more than 8 MB")
    if binary_code:
        notes.append(
            f"not read: {format_count(binary_code, 'binary file')} with a name of source code"
        )
    if len(binary) > MAX_INSPECTED:
        more = format_count(len(binary) - MAX_INSPECTED, "more file")
        notes.append(f"not read: {more} that git calls binary")
    return UndiffableFiles(compared, diffable, notes)


def _sides(git: Git, files: Sequence[ChangedFile]) -> Iterator[tuple[bytes, bytes]]:
    """Each file before and after the change; b"" for one that is missing, binary, or too large."""
    wanted = [
        [file.blob_before if file.was_file else "", file.blob if file.is_file else ""]
        for file in files
    ]
    contents = read_blobs(
        git, [blob for pair in wanted for blob in pair if blob], limit=MAX_ARTIFACT_BYTES
    )
    for pair in wanted:
        before, after = (_text(next(contents)) if blob else b"" for blob in pair)
        yield before, after


def _text(data: bytes | None) -> bytes:
    usable = data is not None and len(data) <= MAX_ARTIFACT_BYTES and not is_binary(data)
    return data if data is not None and usable else b""


def _compare(before: str, after: str) -> Patch:
    """A patch of all lines between the first and the last difference."""
    old, new = split_lines(before), split_lines(after)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    removed, added = old[same : len(old) - tail], new[same : len(new) - tail]
    return Patch(
        _numbered(added, same),
        _numbered(removed, same),
        whitespace="".join(removed).split() == "".join(added).split(),
        cut=any(len(line) > MAX_LINE for line in added),
    )


def _numbered(lines: Sequence[str], before: int) -> tuple[NumberedLine, ...]:
    return tuple(
        NumberedLine(number, text[:MAX_LINE]) for number, text in enumerate(lines, before + 1)
    )
