"""Text files for which git shows no lines: attributes declare them binary, or they are UTF-16.

A `.gitattributes` is a part of the change, and must not hide lines from its review.
"""

# Governing: ADR-0012 (untrusted input never leaves the repository), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Any change"

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.budget import Budget
from sdd_hooks.changes.change import ChangedFile, UnreadPart
from sdd_hooks.changes.patch import MAX_LINE, Patch
from sdd_hooks.code.languages import find_language
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.system.files import is_binary
from sdd_hooks.system.git import Git
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_INSPECTED = 1_000
"""Files without lines that are inspected. Each is read whole."""

TOO_LARGE = "a file of more than 8 MB: make it smaller"
"""The reason why a large text is not read."""

MEDIA_SUFFIXES = (
    *(".avif", ".bmp", ".gif", ".heic", ".icns", ".ico", ".jpeg", ".jpg", ".png", ".psd"),
    *(".tif", ".tiff", ".webp", ".eot", ".otf", ".ttf", ".woff", ".woff2", ".pdf"),
    *(".7z", ".bz2", ".gz", ".jar", ".rar", ".tar", ".tgz", ".xz", ".zip", ".zst"),
    *(".avi", ".flac", ".mkv", ".mov", ".mp3", ".mp4", ".ogg", ".wav", ".webm"),
)
"""Suffixes of pictures, fonts, archives, sound and film."""

_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Texts besides source code.
_TEXT = (
    *(".cfg", ".conf", ".csproj", ".env", ".gemspec", ".htm", ".ini", ".ipynb", ".json", ".md"),
    *(".markdown", ".mdx", ".properties", ".rst", ".toml", ".txt", ".xml", "pipfile"),
)


class UndiffableFiles(NamedTuple):
    """The text files among those without lines, by their index among the changed files.

    `compared` are patches. `diffable` are the files that git can compare as text, as far as the
    budget allows. `unread` are the files that were not inspected.
    """

    compared: dict[int, Patch]
    diffable: list[int]
    unread: list[UnreadPart]


def inspect_undiffable(git: Git, files: Sequence[ChangedFile], budget: Budget) -> UndiffableFiles:
    """Inspect the files that git calls binary. Raises GitError."""
    # A picture is inspected last: so many are no reason to leave a text out.
    binary = sorted(
        (at for at, file in enumerate(files) if file.binary),
        key=lambda at: files[at].path.lower().endswith(MEDIA_SUFFIXES),
    )
    inspected, left_out = binary[:MAX_INSPECTED], binary[MAX_INSPECTED:]
    heads = [files[at].blob if files[at].is_file else files[at].blob_before for at in inspected]
    texts: list[int] = []
    diffable: list[int] = []
    unread: list[UnreadPart] = []
    for at, data in zip(inspected, read_blobs(git, heads, limit=MAX_ARTIFACT_BYTES), strict=True):
        file = files[at]
        if data is None or (is_binary(data) and not _may_be_text(file.path, data)):
            continue
        if len(data) > MAX_ARTIFACT_BYTES:
            unread += [UnreadPart(file.path, TOO_LARGE)] if file.is_file else []
        elif is_binary(data):
            diffable.append(at)
        else:
            texts.append(at)
    compared: dict[int, Patch] = {}
    for at, (before, after) in zip(texts, _sides(git, [files[at] for at in texts]), strict=True):
        plain = before and after and not (before.startswith(_MARKS) or after.startswith(_MARKS))
        lines = before.count(b"\n") + after.count(b"\n")
        if plain or not budget.take(len(before) + len(after), lines):
            diffable.append(at)
        else:
            compared[at] = _compare(decode(before), decode(after))
    reason = f"the files beyond {MAX_INSPECTED:,} that git calls binary: divide the change"
    unread += [
        UnreadPart(files[at].path, reason)
        for at in left_out
        if files[at].is_file and not files[at].path.lower().endswith(MEDIA_SUFFIXES)
    ]
    return UndiffableFiles(compared, sorted(diffable), unread)


def _may_be_text(path: str, data: bytes) -> bool:
    """Whether the content with a null character may be text that a program reads.

    Some languages allow a null character, which hides the file from reviewers.
    """
    return bool(find_language(path)) or path.lower().endswith(_TEXT) or data.startswith(b"#!")


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
