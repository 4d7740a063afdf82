"""The files of a change that the rules of decisions search, and those that a symbolic link shows
at another path, to which other rules apply."""

# Governing: ADR-0021 (a decision's own rules run in linear time), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

import os
import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.change import ChangedFile, UnreadPart
from sdd_hooks.changes.patch import MAX_LINE
from sdd_hooks.changes.tree import Blob
from sdd_hooks.code.dependencies import is_manifest
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.notebooks import is_notebook
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.decision.blocks import RuleVerb
from sdd_hooks.review.rules.decision.kinds import FileContents, RuleKind
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git_objects import resolve_links
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_PARSED = 10_000_000
"""Bytes of Python that are parsed in one review; more is scanned, which is faster."""

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a file whose content is not in the repository."""
MAX_LINKS = 2_000
"""Links of a tree that are followed, those of the change first."""
MAX_LINKED_FILES = 5_000
"""Files that links show."""
MAX_TARGET_BYTES = 4_096
MAX_BYTES = 8_000_000


class SearchedFile(NamedTuple):
    """A file with what the change adds to it, and with all of it: lines, imports or dependencies.

    `target` is the path of the file that a link shows, "" for a file that is no link.
    """

    file: ChangedFile
    target: str
    added: Sequence[NumberedLine]
    whole: Sequence[NumberedLine]

    def lines(
        self, verb: RuleVerb, applies_to: Callable[[str], bool]
    ) -> Sequence[NumberedLine] | None:
        """What a rule searches; None if the file is not searched, or is another file's link.

        A file that comes from a path to which the rule did not apply is new to the rule.
        """
        if not applies_to(self.file.path) or (self.target and applies_to(self.target)):
            return None
        is_new = self.file.before and not applies_to(self.file.before)
        return self.whole if verb == "require" or is_new else self.added

    def evidence(self, number: int) -> str:
        """The text of a line, "" for a line that the change does not add."""
        index = bisect_left(self.file.added, (number,))
        found = self.file.added[index : index + 1]
        return found[0].text.strip() if found and found[0].number == number else ""


class SearchedText(NamedTuple):
    """The files that a kind of rule searches, and the parts that could not be read."""

    files: tuple[SearchedFile, ...]
    unread: tuple[UnreadPart, ...]


class _Candidates(NamedTuple):
    files: tuple[LinkedFile, ...]
    unread: tuple[UnreadPart, ...]


def read_searched(
    subject: Subject, verb: RuleVerb, kind: RuleKind, applies_to: Callable[[str], bool]
) -> SearchedText:
    """Read the files at paths that `applies_to` accepts, for rules of a kind.

    Raises GitError when git cannot read them.
    """
    found_candidates = _candidates(subject)
    candidates = [one for one in found_candidates.files if applies_to(one.file.path)]
    files: list[SearchedFile] = []
    unread = [one for one in found_candidates.unread if not one.path or applies_to(one.path)]
    for one, contents in _with_contents(subject, candidates, verb, kind):
        data = contents.after
        if data is not None and data.startswith(LFS_POINTER) and _is_text_by_name(one.file.path):
            reason = "a file whose content is in Git LFS: add it to the repository itself"
            unread.append(UnreadPart(one.file.path, reason))
            continue
        if verb == "require" and kind.needs_text and not data:
            continue
        found = kind.find(contents)
        if found is None:
            continue
        if found.unread:
            unread.append(UnreadPart(one.file.path, found.unread))
        files.append(SearchedFile(one.file, one.target, found.added, found.whole))
    return SearchedText(tuple(files), tuple(unread))


def _candidates(subject: Subject) -> _Candidates:
    """The changed files that can have text, and the files that a link shows at another path."""
    return subject.once("decision-rule/files", _find_candidates)


def _find_candidates(subject: Subject) -> _Candidates:
    changed = (
        LinkedFile(file) for file in subject.change.files if file.is_file and not file.binary
    )
    linked = list(find_linked_files(subject))
    return _Candidates(
        (*changed, *(one for one in linked if isinstance(one, LinkedFile))),
        tuple(one for one in linked if isinstance(one, UnreadPart)),
    )


def _is_text_by_name(path: str) -> bool:
    return find_language(path) is not None or is_manifest(path) or is_notebook(path)


def _with_contents(
    subject: Subject, candidates: Sequence[LinkedFile], verb: RuleVerb, kind: RuleKind
) -> Iterator[tuple[LinkedFile, FileContents]]:
    """The candidates, each with its contents as far as the kind of rule needs them."""
    needed: list[tuple[bool, bool]] = []
    blobs: list[str] = []
    for one in candidates:
        file = one.file
        # The lines of a diff are enough for most files.
        needs_base = kind.needs_base and kind.may_change(file)
        after = verb == "require" or needs_base or _is_cut(file) or _has_moved(file)
        before = needs_base and verb == "forbid" and file.was_file
        needed.append((after, before))
        blobs += [file.blob] if after else []
        blobs += [file.blob_before] if before else []
    room = MAX_PARSED

    def may_parse(data: bytes) -> bool:
        nonlocal room
        room -= len(data)
        return room >= 0

    contents = subject.after.contents(blobs, MAX_ARTIFACT_BYTES)
    for one, (after, before) in zip(candidates, needed, strict=True):
        data = _usable(next(contents)) if after else None
        data_before = _usable(next(contents)) if before else None
        yield one, FileContents(one.file, data, data_before, may_parse)


def _usable(data: bytes | None) -> bytes | None:
    # The change names a larger file as unread.
    return data if data is not None and len(data) <= MAX_ARTIFACT_BYTES else None


def _is_cut(file: ChangedFile) -> bool:
    return any(len(line.text) >= MAX_LINE for line in file.added)


def _has_moved(file: ChangedFile) -> bool:
    return file.before not in ("", file.path)


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
