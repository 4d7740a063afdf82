"""Give a record another number, and rewrite what refers to it.

That is the file name, the heading and the frontmatter of the record, and names of its file, links
and ids in other files. Where two records share a number, an id means the one that its line names as
well, else the one that existed when the line was written.
"""

# Governing: ADR-0049 (an edit is verified by reading), SPEC-0024 REQ "Renumbering", SPEC-0002 REQ
# "Identifiers in every spelling"

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.document import read_document
from sdd_hooks.artifacts.edges import FORWARD
from sdd_hooks.artifacts.frontmatter import read_frontmatter
from sdd_hooks.artifacts.identifiers import (
    ArtifactId,
    ArtifactKind,
    IdReference,
    find_id_references,
    in_module,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.text.lazy_regex import lazy_regex

_LINK = lazy_regex(r"\[(?P<text>[^\[\]\n]{0,300})\]\((?P<target>[^()\s]{1,400})[^()\n]{0,200}\)")
_BARE_ITEM = lazy_regex(r"(?:[\[,:]|-[ ])[ \t]*[\"']?([0-9]{1,5})[\"']?[ \t]*(?=[\],\r\n])")
_IN_NAME = lazy_regex(r"[-_][^\W\d]")
_KEYS = ("id", "number", "adr", "title")

WrittenAt = Callable[[str, int], float | None]
"""When a line of a file was written, in seconds since the epoch; None for one not committed."""


class Holder(NamedTuple):
    """A record with the number. `created` is when its file was added, None if not committed."""

    artifact: Artifact
    created: float | None = None


class Renumbering(NamedTuple):
    """A record that gets the id `new` and the file `new_path`. `others` have its number, too."""

    record: Holder
    new: ArtifactId
    new_path: str
    others: tuple[Holder, ...] = ()

    @property
    def old(self) -> ArtifactId:
        """The id that the record has."""
        return self.record.artifact.id


class ReferringFile(NamedTuple):
    """A file that may refer to the record. An id without a module in it is one of `module`.

    `owner` is the kind of the artifact that the file belongs to, None for another file. Its edges
    may be numbers alone.
    """

    path: str
    module: str = ""
    owner: ArtifactKind | None = None


class Leftover(NamedTuple):
    """A line that may refer to the record and was not rewritten, and the reason."""

    path: str
    line: int
    text: str
    reason: str


class RewrittenFile(NamedTuple):
    """The text of a file after the rewrite, how much was replaced in it, and what was not."""

    text: str
    replaced: int
    leftovers: tuple[Leftover, ...]


class _Replacement(NamedTuple):
    start: int
    end: int
    text: str


def renamed_path(path: str, old: ArtifactId, new: ArtifactId) -> str:
    """The path of the record with the new number in the name of its file, or of its folder.

    The path itself if no part has the number.
    """
    directory, _, name = path.rpartition("/")
    changed = _renumber(name, old, new)
    if changed == name and name.lower() in ("readme.md", "index.md"):
        above, _, folder = directory.rpartition("/")
        directory = posixpath.join(above, _renumber(folder, old, new))
    return posixpath.join(directory, changed)


def rewrite_record(text: str, change: Renumbering) -> str:
    """The text of the record itself with its new number."""
    document = read_document(text, change.old.kind)
    lines = text.split("\n")
    numbers = {document.heading_line, *(document.matter.lines.get(key, 0) for key in _KEYS)} - {0}
    for number in numbers:
        lines[number - 1] = _renumber(lines[number - 1], change.old, change.new)
    own = change._replace(others=())
    file = ReferringFile(change.record.artifact.path, change.old.module, "ADR")
    return rewrite_references(file, "\n".join(lines), own).text


def rewrite_references(
    file: ReferringFile,
    text: str,
    change: Renumbering,
    written_at: WrittenAt = lambda _path, _line: None,
) -> RewrittenFile:
    """Rewrite the references in the text of a file."""
    path, module, owner = file
    names = list(_names(path, text, change))
    found = [*names, *_link_texts(text, change, names)]
    leftovers = list(_broken_links(path, text, change, names))
    for reference in (*find_id_references(text), *_bare_edges(text, owner)):
        # `0012-other.md` is the name of a file, and `_names` knows that of the record.
        if in_module(reference.id, module) != change.old or _IN_NAME.match(text, reference.end):
            continue
        number = text.count("\n", 0, reference.start) + 1
        line = text.split("\n")[number - 1].strip()
        spelled = text[reference.start : reference.end]
        changed = _renumber(spelled, change.old, change.new)
        meant = _meant(path, _context(text, reference), change, partial(written_at, path, number))
        if meant is None:
            leftovers.append(Leftover(path, number, line, "it may mean another record"))
        elif meant and changed == spelled:
            leftovers.append(Leftover(path, number, line, "it is part of a range"))
        elif meant:
            found.append(_Replacement(reference.start, reference.end, changed))
    rewritten, replaced = _apply(text, found)
    return RewrittenFile(rewritten, replaced, tuple(leftovers))


def _bare_edges(text: str, owner: ArtifactKind | None) -> Iterator[IdReference]:
    """The numbers without `ADR` in the edges of the frontmatter that lead to ADRs."""
    matter = read_frontmatter(text)
    if owner is None or not matter.end:
        return
    starts = [0, *(match.end() for match in re.finditer("\n", text[: matter.end]))]
    keys = sorted((line, key) for key, line in matter.lines.items())
    ends = [*(line for line, _ in keys[1:]), len(starts)]
    for (line, key), last in zip(keys, ends, strict=True):
        if FORWARD[owner].get(key, ("",))[0] != "ADR":
            continue
        first, end = starts[line - 1], starts[min(last, len(starts)) - 1]
        for match in _BARE_ITEM.finditer(text, first, end):
            yield IdReference(ArtifactId("ADR", int(match[1])), *match.span(1))


def _context(text: str, reference: IdReference) -> str:
    """The link around an id, else its line."""
    start = text.rfind("\n", 0, reference.start) + 1
    end = text.find("\n", reference.end)
    line = text[start : end if end >= 0 else len(text)]
    for link in _LINK.finditer(line):
        if link.start() <= reference.start - start < link.end():
            return link[0]
    return line


def _meant(
    path: str, context: str, change: Renumbering, written: Callable[[], float | None]
) -> bool | None:
    """Whether an id means the record to renumber; None if that is unknown.

    `context` is the text around it, `written` says when its line was written.
    """
    own = [change.record, *change.others]
    in_file = [one for one in own if path in one.artifact.paths]
    named = in_file or [one for one in own if _names_record(context, one.artifact)]
    if named or not change.others:
        return not named or named[0] is change.record
    time = written()
    if time is None:
        return None
    existing = [one for one in own if one.created is not None and one.created <= time]
    return existing[0] is change.record if len(existing) == 1 else None


def _names_record(line: str, artifact: Artifact) -> bool:
    """Whether a line has the name of the file, the words in it, or the title of a record."""
    name = stem(artifact.path)
    words = " ".join(re.findall(r"[^\W\d_]+", name)).removeprefix("adr ").removeprefix("ADR ")
    folded = " ".join(line.casefold().split())
    phrases = (artifact.title.casefold(), words.casefold())
    return name in line or any(len(one) > 3 and one in folded for one in phrases)


def _names(path: str, text: str, change: Renumbering) -> Iterator[_Replacement]:
    """The names of the file of the record, in links and elsewhere."""
    old_path = change.record.artifact.path
    old, new = stem(old_path), stem(change.new_path)
    # A name without words is an id, which is found as such.
    if old == new or not re.search(r"[0-9](?:[a-z]|adr|rfc)?[-_. ]+\w", old):
        return
    for match in re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text):
        if _may_lead_to(path, text, match, old_path):
            yield _Replacement(match.start(), match.end(), new)


def _may_lead_to(path: str, text: str, match: re.Match[str], target: str) -> bool:
    """Whether a name is that of the file, and not of one in another directory."""
    before = re.search(r"[\w./~@%+-]*/\Z", text[max(0, match.start() - 300) : match.start()])
    if before is None:
        return True
    written = before[0]
    directory = posixpath.dirname(target)
    if written.startswith("//"):
        # The address of a page.
        return True
    if not written.startswith("."):
        return f"/{directory}/".endswith(f"/{written.strip('/')}/")
    resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
    return resolved in (directory, directory or ".")


def _link_texts(
    text: str, change: Renumbering, names: Sequence[_Replacement]
) -> Iterator[_Replacement]:
    """The number in the text of a link to the file: `[12](0012-use-queues.md)`."""
    starts = {name.start for name in names}
    for link in _LINK.finditer(text):
        leads_there = any(at in starts for at in range(*link.span("target")))
        if not leads_there or any(find_id_references(link["text"])):
            continue
        changed = _renumber(link["text"], change.old, change.new)
        if changed != link["text"]:
            yield _Replacement(link.start("text"), link.end("text"), changed)


def _broken_links(
    path: str, text: str, change: Renumbering, names: Sequence[_Replacement]
) -> Iterator[Leftover]:
    """The links to the name of the file that lead to another directory than that of the record."""
    starts = {name.start for name in names}
    name = re.compile(rf"(?<![\w-]){re.escape(stem(change.record.artifact.path))}(?![\w-])")
    for link in _LINK.finditer(text):
        match = name.search(text, *link.span("target"))
        if match is None or match.start() in starts or "://" in link["target"]:
            continue
        # A link that names the record, or its id, was meant to lead there.
        ids = [in_module(one.id, change.old.module) for one in find_id_references(link["text"])]
        if ids == [change.old]:
            line = text.count("\n", 0, link.start()) + 1
            yield Leftover(path, line, link[0], "its path leads to another directory")


def _renumber(text: str, old: ArtifactId, new: ArtifactId) -> str:
    """The text with the first spelling of the old number replaced, as wide as it was."""
    pattern = rf"(?<![0-9])0*{old.number}{re.escape(old.suffix)}(?![0-9])"
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None:
        return text
    width = len(match[0]) - len(old.suffix)
    return f"{text[: match.start()]}{new.number:0{width}d}{new.suffix}{text[match.end() :]}"


def stem(path: str) -> str:
    """The name that has the number: of the file without its suffix, or of the folder of a page."""
    directory, _, name = path.rpartition("/")
    if name.lower() in ("readme.md", "index.md"):
        return posixpath.basename(directory)
    return name.rpartition(".")[0] or name


def _apply(text: str, replacements: Sequence[_Replacement]) -> tuple[str, int]:
    """The text with the replacements, the first of several that overlap."""
    parts: list[str] = []
    position = replaced = 0
    for one in sorted(replacements):
        if one.start >= position:
            parts += [text[position : one.start], one.text]
            position = one.end
            replaced += 1
    return "".join([*parts, text[position:]]), replaced
