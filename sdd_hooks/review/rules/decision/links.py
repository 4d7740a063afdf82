"""The changed files that a symbolic link shows at another path, to which other rules apply."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence

from sdd_hooks.changes.change import ChangedFile, UnreadPart
from sdd_hooks.changes.tree import Blob
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git_objects import resolve_links
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_LINKS = 2_000
"""Links of a tree that are followed, those of the change first."""
MAX_LINKED_FILES = 5_000
"""Files that links show."""
MAX_TARGET_BYTES = 4_096
MAX_BYTES = 8_000_000


class LinkedFile(NamedTuple):
    """A file at a path, and the path of the file that a link shows there, "" without a link."""

    file: ChangedFile
    target: str = ""


def find_linked_files(subject: Subject) -> Iterator[LinkedFile | UnreadPart]:
    """Find the files that a link of the head shows, if the change has the file or the link.

    A link out of the repository shows nothing of the change. What a limit leaves out is an unread
    part, but for links that the base has, too.
    """
    links = subject.after.links()
    if not links:
        return
    changed = {file.path: file for file in subject.change.files if file.is_file}
    new_links = {file.path for file in subject.change.files if file.mode.startswith("120")}
    links = sorted(links, key=lambda link: link.path not in new_links)
    targets = _read_targets(subject, links[:MAX_LINKS])
    if len(new_links) > MAX_LINKS:
        yield UnreadPart("", f"symbolic links beyond {MAX_LINKS:,}: divide the change")
    count = 0
    for path in targets:
        target = resolve_links(path, targets)
        if not target:
            continue
        for one in _shown(subject, path, target, changed, is_new=path in new_links):
            count += 1
            if count > MAX_LINKED_FILES:
                reason = f"files beyond {MAX_LINKED_FILES:,} that links such as {path} show"
                yield UnreadPart("", f"{reason}: link to fewer")
                return
            yield one


def _read_targets(subject: Subject, links: Sequence[Blob]) -> Mapping[str, str]:
    contents = subject.after.contents([link.id for link in links], MAX_TARGET_BYTES)
    return {
        link.path: os.fsdecode(data)
        for link, data in zip(links, contents, strict=True)
        if data and len(data) <= MAX_TARGET_BYTES and b"\0" not in data
    }


def _shown(
    subject: Subject, path: str, target: str, changed: Mapping[str, ChangedFile], *, is_new: bool
) -> Iterator[LinkedFile | UnreadPart]:
    """The files that a link to `target`, a file or a directory, shows."""
    if not is_new:
        for name in _matching(changed, target):
            shown = posixpath.join(path, name[len(target) + 1 :]) if name != target else path
            yield LinkedFile(changed[name]._replace(path=shown, before=""), name)
        return
    files = {blob.path: blob for blob in subject.after.blobs() if _is_in(blob.path, target)}
    # One more than the limit, which shows that there are more.
    blobs = list(files.values())[: MAX_LINKED_FILES + 1]
    contents = subject.after.contents([blob.id for blob in blobs], MAX_BYTES)
    for blob, data in zip(blobs, contents, strict=True):
        shown = posixpath.join(path, blob.path[len(target) + 1 :]) if blob.path != target else path
        if data is None:
            continue
        if len(data) > MAX_BYTES:
            yield UnreadPart(shown, "a link to a file of more than 8 MB: divide the file")
            continue
        lines = enumerate(split_lines(decode(data)), 1)
        file = ChangedFile(shown, "", "A", "100644", blob.id)
        added = tuple(NumberedLine(number, text) for number, text in lines)
        yield LinkedFile(file._replace(added=added), blob.path)


def _matching(changed: Mapping[str, ChangedFile], target: str) -> Iterator[str]:
    if target in changed:
        yield target
        return
    yield from (name for name in changed if _is_in(name, target))


def _is_in(path: str, target: str) -> bool:
    return path == target or path.startswith(f"{target}/")
