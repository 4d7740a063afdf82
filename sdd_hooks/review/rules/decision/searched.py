"""The lines, imports and dependencies of a change that the rules of decisions search."""

# Governing: ADR-0021 (a decision's own rules run in linear time), ADR-0031 (what could not be
# checked is a finding), SPEC-0010 REQ "Decision rules"

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.change import ChangedFile, UnreadPart
from sdd_hooks.changes.patch import MAX_LINE
from sdd_hooks.code.dependencies import find_unread, is_manifest, parse_dependencies
from sdd_hooks.code.imports import Import, find_imports, supports_imports
from sdd_hooks.code.languages import find_language
from sdd_hooks.code.notebooks import is_notebook
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.review.rules.decision.blocks import IGNORING_CASE, RuleObject, RuleVerb
from sdd_hooks.review.rules.decision.links import LinkedFile, find_linked_files
from sdd_hooks.review.subject import Subject
from sdd_hooks.text.decoding import decode
from sdd_hooks.text.lines import NumberedLine, split_lines

MAX_PARSED = 10_000_000
"""Bytes of Python that are parsed in one review; more is scanned, which is faster."""

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a file whose content is not in the repository."""


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


class _Contents(NamedTuple):
    """A candidate with its content at the head and at the base, None for none or a large one."""

    candidate: LinkedFile
    after: bytes | None
    before: bytes | None


class _Found(NamedTuple):
    added: tuple[NumberedLine, ...]
    whole: tuple[NumberedLine, ...]
    unread: str = ""


def read_searched(
    subject: Subject, verb: RuleVerb, what: RuleObject, applies_to: Callable[[str], bool]
) -> SearchedText:
    """Read the files at paths that `applies_to` accepts, for rules of a kind.

    Raises GitError when git cannot read them.
    """
    found_candidates = _candidates(subject)
    candidates = [one for one in found_candidates.files if applies_to(one.file.path)]
    files: list[SearchedFile] = []
    unread = [one for one in found_candidates.unread if not one.path or applies_to(one.path)]
    reader = _Reader(subject)
    for contents in _with_contents(subject, candidates, verb, what):
        one = contents.candidate
        data = contents.after
        if data is not None and data.startswith(LFS_POINTER) and _is_text_by_name(one.file.path):
            reason = "a file whose content is in Git LFS: add it to the repository itself"
            unread.append(UnreadPart(one.file.path, reason))
            continue
        if verb == "require" and what != "dependency" and not data:
            continue
        found = reader.read(contents, what)
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


def may_have(what: RuleObject, path: str) -> bool:
    """Whether a file can, by its name, have what a rule searches."""
    if what == "import":
        return supports_imports(path)
    return what == "regex" or is_manifest(path)


def _is_text_by_name(path: str) -> bool:
    return find_language(path) is not None or is_manifest(path) or is_notebook(path)


def _with_contents(
    subject: Subject, candidates: Sequence[LinkedFile], verb: RuleVerb, what: RuleObject
) -> Iterator[_Contents]:
    """The candidates, each with its contents as far as the kind of rule needs them."""
    needed: list[tuple[bool, bool]] = []
    blobs: list[str] = []
    for one in candidates:
        file = one.file
        # The lines of a diff are enough for most files.
        after = verb == "require" or what != "regex" or _is_cut(file) or _has_moved(file)
        before = what != "regex" and verb == "forbid" and file.was_file
        needed.append((after, before))
        blobs += [file.blob] if after else []
        blobs += [file.blob_before] if before else []
    contents = subject.after.contents(blobs, MAX_ARTIFACT_BYTES)
    for one, (after, before) in zip(candidates, needed, strict=True):
        data = _usable(next(contents)) if after else None
        yield _Contents(one, data, _usable(next(contents)) if before else None)


def _usable(data: bytes | None) -> bytes | None:
    # The change names a larger file as unread.
    return data if data is not None and len(data) <= MAX_ARTIFACT_BYTES else None


def _is_cut(file: ChangedFile) -> bool:
    return any(len(line.text) >= MAX_LINE for line in file.added)


def _has_moved(file: ChangedFile) -> bool:
    return file.before not in ("", file.path)


class _Reader:
    """Reads the contents of files for one kind of rule."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._room = MAX_PARSED

    def read(self, contents: _Contents, what: RuleObject) -> _Found:
        """What the change adds to a file, and all of it."""
        if what == "import":
            return self._imports(contents)
        text = decode(contents.after or b"").replace("\0", "")
        if what == "dependency":
            return _dependencies(contents, text)
        whole = _numbered(text) if contents.after is not None else ()
        added = contents.candidate.file.added
        if whole and any(len(line.text) >= MAX_LINE for line in added):
            added = tuple(
                whole[line.number - 1] if line.number <= len(whole) else line for line in added
            )
        return _Found(tuple(_variants(added)), tuple(_variants(whole)))

    def _imports(self, contents: _Contents) -> _Found:
        if contents.after is None:
            return _Found((), ())
        file = contents.candidate.file
        after = find_imports(file.path, contents.after, parse=self._may_parse(contents.after))
        if not after.found:
            return _Found((), (), after.unread)
        before = contents.before
        known: set[str] | None = None
        if before is not None or not file.was_file:
            before = before or b""
            # A link has no path at the base.
            path = file.before or file.path
            parsed = find_imports(path, before, parse=self._may_parse(before))
            known = {one.name for one in parsed.found}
        added = {line.number for line in file.added}
        new: list[NumberedLine] = []
        for one in after.found:
            touched = [n for n in range(one.first, one.last + 1) if n in added]
            if touched or (known is not None and one.name not in known):
                number = one.line if one.line in added or not touched else touched[0]
                new.append(NumberedLine(number, _compared(one)))
        whole = (NumberedLine(one.line, _compared(one)) for one in after.found)
        return _Found(tuple(new), tuple(whole), after.unread)

    def _may_parse(self, data: bytes) -> bool:
        self._room -= len(data)
        return self._room >= 0


def _compared(one: Import) -> str:
    return f"{IGNORING_CASE}{one.name.lower()}" if one.ignores_case else one.name


def _dependencies(contents: _Contents, text: str) -> _Found:
    file = contents.candidate.file
    added = {number for number, _ in file.added}
    known = set[str]()
    if contents.before is not None:
        before = decode(contents.before).replace("\0", "")
        known = {name for _, name in parse_dependencies(file.before, before)}
    whole = parse_dependencies(file.path, text)
    new = tuple(one for one in whole if one.number in added and one.text not in known)
    return _Found(new, whole, find_unread(file.path, text))


def _numbered(text: str) -> tuple[NumberedLine, ...]:
    return tuple(NumberedLine(number, line) for number, line in enumerate(split_lines(text), 1))


def _variants(lines: Iterable[NumberedLine]) -> Iterator[NumberedLine]:
    """The lines as they are, and as a program reads them that ends lines at carriage returns."""
    for line in lines:
        yield line
        if "\0" in line.text:
            yield NumberedLine(line.number, line.text.replace("\0", ""))
        if "\r" in line.text:
            yield from (NumberedLine(line.number, part) for part in line.text.split("\r") if part)
