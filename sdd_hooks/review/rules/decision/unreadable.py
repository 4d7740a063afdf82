"""The files of a change whose content a rule cannot read in git: submodules, re-encoded files."""

# Governing: ADR-0031 (what could not be checked is a finding), SPEC-0010 REQ "Incomplete"

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sdd_hooks.artifacts.work_tree import MAX_ARTIFACT_BYTES
from sdd_hooks.changes.change import UnreadPart
from sdd_hooks.changes.tree import Blob, Tree
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git_objects import read_blobs
from sdd_hooks.text.decoding import decode

ATTRIBUTE = "working-tree-encoding"
MAX_FILES = 1_000
"""Files with such an attribute that are compared."""

_SUBMODULE = "160000"
_UNSET = frozenset({"unspecified", "unset", "set", ""})
# Others transform the text: the file that git writes may be another program.
_ENCODINGS = re.compile(
    r"(?:utf_?(?:8|16|32)\w*|ascii|latin_?1|iso8859_?\d+|cp\d+|koi8_[rtu]|mac_\w+|gb\w+|big5\w*"
    r"|euc_\w+|shift_jis\w*|johab)"
)


def find_unreadable(subject: Subject) -> Iterator[UnreadPart]:
    """Find new submodules, and files that a new attribute has git write in another encoding.

    A whole tree is read as git wrote it, and has the files of its submodules.

    Raises GitError when git cannot read the attributes.
    """
    if not subject.whole_tree:
        yield from _submodules(subject)
        yield from _encoded(subject)


def _submodules(subject: Subject) -> Iterator[UnreadPart]:
    files = subject.change.files
    redirected = any(file.path == ".gitmodules" for file in files)
    reason = "the content of a submodule, which is another repository: review its commits there"
    for file in files:
        is_new = file.mode_before != _SUBMODULE or redirected
        if file.mode == _SUBMODULE and is_new:
            yield UnreadPart(f"{file.path}/", reason)


def _encoded(subject: Subject) -> Iterator[UnreadPart]:
    after = subject.after
    # Without a change of attributes, git writes every file as the base has it written.
    if not any(_is_attributes(file.path) for file in subject.change.files):
        return
    if not after.grep((ATTRIBUTE,), (":(glob)**/.gitattributes",), "-a"):
        return
    blobs = {blob.path: blob for blob in after.blobs()}
    head = _encodings(after, list(blobs))
    base = _encodings(subject.before, list(head))
    new = [path for path, name in head.items() if base.get(path) != name]
    for path in new[:MAX_FILES]:
        if not _is_same_text(after, blobs[path], head[path]):
            reason = f"a file that git writes as {head[path]!a}: remove its {ATTRIBUTE}"
            yield UnreadPart(path, reason)
    if new[MAX_FILES:]:
        yield UnreadPart("", f"more than {MAX_FILES:,} files with a {ATTRIBUTE}: divide the change")


def _is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitattributes"


def _encodings(tree: Tree, paths: Sequence[str]) -> Mapping[str, str]:
    """The encodings that the attributes of a tree give to files."""
    with TemporaryDirectory(prefix="sdd-attributes-") as folder:
        index = tree.index
        if tree.commit:
            index = str(Path(folder, "index"))
            tree.git.output("read-tree", tree.commit, index=index)
        command = ("check-attr", "--cached", "-z", "--stdin", ATTRIBUTE)
        listed = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
        fields = tree.git.output(*command, stdin=listed, index=index).split(b"\0")
    rows = zip(fields[::3], fields[2::3], strict=False)
    found = {
        path.decode("utf-8", "surrogateescape"): value.decode("ascii", "replace")
        for path, value in rows
    }
    return {path: value for path, value in found.items() if value not in _UNSET}


def _is_same_text(tree: Tree, blob: Blob, encoding: str) -> bool:
    """Whether the file that git writes has the text that git compares, however it is read."""
    (data,) = read_blobs(tree.git, [blob.id], limit=MAX_ARTIFACT_BYTES)
    if data is None or len(data) > MAX_ARTIFACT_BYTES:
        return False
    # git alone knows these: with a mark, whatever the order of the bytes.
    name = re.sub(r"(?i)-?BOM$", "", encoding)
    try:
        codec = codecs.lookup(name).name.replace("-", "_")
        text = data.decode()
        written = text.encode(codec) if _ENCODINGS.fullmatch(codec) else b""
    except (LookupError, ValueError):
        return False
    return decode(written).replace("\0", "").lstrip("\ufeff") == text.lstrip("\ufeff")
