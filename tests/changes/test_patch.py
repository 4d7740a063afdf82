"""Patches of git are parsed, whatever their lines contain."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.changes.patch import MAX_LINE, Patch, decode_line, parse_patches
from sdd_hooks.text.lines import NumberedLine
from tests.support.repos import Repo

# Lines that look like the headers of a patch.
LINES = st.sampled_from(
    [
        b"",
        b" ",
        b"\t",
        b"one",
        b"two",
        b"diff --git a/x b/x",
        b"@@ -1 +1 @@",
        b"@@ -1,3 +1,3 @@",
        b"--- a/x",
        b"+++ b/x",
        b"-- x",
        b"\\ No newline at end of file",
        b"Binary files a/x and b/x differ",
        b"* Unmerged path x",
        b"one\r",
        b"\r",
        b"f\x0cg",
        b"caf\xc3\xa9",
        b"caf\xe9",
        b"\xef\xbb\xbfmark",
        b"\xff\xfe",
    ]
)
TEXTS = st.tuples(st.lists(LINES, max_size=12), st.booleans()).map(
    lambda made: b"\n".join(made[0]) + (b"\n" if made[1] else b"")
)


def read(patch: bytes) -> list[Patch]:
    return list(parse_patches(io.BytesIO(patch)))


def lines(data: bytes) -> list[str]:
    """The lines of a file, by other means than those under test."""
    pieces = data.split(b"\n")
    pieces = pieces if pieces[-1] else pieces[:-1]
    shown = []
    for number, piece in enumerate(pieces, 1):
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            text = piece.decode("cp1252")
        shown.append((text.lstrip("\ufeff") if number == 1 else text).removesuffix("\r"))
    return shown


def follows(patch: Patch, before: bytes, after: bytes) -> None:
    """The patch makes the one text of the other."""
    old, new = dict(enumerate(lines(before), 1)), dict(enumerate(lines(after), 1))
    assert [old.pop(number) for number, _ in patch.removed] == [text for _, text in patch.removed]
    assert [new.pop(number) for number, _ in patch.added] == [text for _, text in patch.added]
    # The other lines have not changed, except for the byte-order mark and the line ends.
    assert len(old) == len(new)


# Each example is a separate repository.
@settings(max_examples=40)
@given(before=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
def test_patches_of_git(before: list[bytes], data: st.DataObject) -> None:
    after = [data.draw(TEXTS) for _ in before]
    context = data.draw(st.integers(0, 4))
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repo")
        repo.commit(files={f"{at}": text for at, text in enumerate(before)})
        repo.commit(files={f"{at}": text for at, text in enumerate(after)})
        command = ("diff-tree", "-p", f"-U{context}", "--text", "HEAD~1", "HEAD")
        patches = read(repo.run(*command).stdout)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(patches) == len(changed)
    for patch, (old, new) in zip(patches, changed, strict=True):
        follows(patch, old, new)
        assert not patch.whitespace or b"".join(old.split()) == b"".join(new.split())


@given(st.lists(st.one_of(LINES, st.binary(max_size=20))))
def test_no_input_raises(pieces: list[bytes]) -> None:
    for patch in read(b"\n".join(pieces)):
        assert not patch.cut


@pytest.mark.parametrize(
    ("removed", "added", "whitespace"),
    [
        (b"a b", b"a  b", True),
        (b"a b", b"ab", True),
        (b"a", b"a\r", True),
        (b"a", b"b", False),
    ],
)
def test_whitespace(removed: bytes, added: bytes, whitespace: bool) -> None:
    (patch,) = read(b"diff --git a/x b/x\n@@ -4 +4 @@\n-%b\n+%b\n" % (removed, added))
    assert patch.whitespace is whitespace


def test_a_moved_line_is_more_than_whitespace() -> None:
    (patch,) = read(b"diff --git a/x b/x\n@@ -1 +0,0 @@\n-a\n@@ -5,0 +5 @@\n+a\n")
    assert patch == Patch((NumberedLine(5, "a"),), (NumberedLine(1, "a"),))


def test_blank_lines_are_whitespace() -> None:
    (patch,) = read(b"diff --git a/x b/x\n@@ -1,0 +2,2 @@\n+\n+ \n")
    assert patch.whitespace


def test_a_changed_mode_is_not_whitespace() -> None:
    (patch,) = read(b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")
    assert patch == Patch()


def test_a_truncated_patch() -> None:
    (patch,) = read(b"diff --git a/x b/x\n@@ -1,2 +1,2 @@\n-a\n-b\n+a \n")
    assert patch.added == (NumberedLine(1, "a "),)
    assert not patch.whitespace


def test_no_newline_at_the_end() -> None:
    end = b"\\ No newline at end of file\n"
    (patch,) = read(b"diff --git a/x b/x\n@@ -1 +1 @@\n-a\n%b+b\n%b" % (end, end))
    assert (patch.removed, patch.added) == ((NumberedLine(1, "a"),), (NumberedLine(1, "b"),))


@pytest.mark.parametrize(
    ("data", "text", "cut"),
    [
        (b"a\0b\n", "a\0b", False),
        (b"a\r\r\n", "a\r", False),
        (b"x" * MAX_LINE + b"\n", "x" * MAX_LINE, False),
        (b"x" * (MAX_LINE + 1) + b"\n", "x" * MAX_LINE, True),
        ("é".encode() * 9_000, "é" * MAX_LINE, True),
        ("😀".encode() * 9_000, "😀" * MAX_LINE, True),
        (b"x" + "😀".encode() * 9_000, "x" + "😀" * (MAX_LINE - 1), True),
        (b"caf\xe9\n", "café", False),
    ],
)
def test_the_text_of_a_line(data: bytes, text: str, cut: bool) -> None:
    assert decode_line(data, 2) == (text, cut)


def test_a_byte_order_mark() -> None:
    assert decode_line("\ufeffa\n".encode(), 1) == ("a", False)
    assert decode_line("\ufeffa\n".encode(), 2) == ("\ufeffa", False)
