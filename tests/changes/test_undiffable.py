"""Text is read even if attributes or its encoding make git show no lines of it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sdd_hooks.changes.budget import Budget
from sdd_hooks.changes.change import Change, UnreadPart
from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.changes.patch import MAX_LINE
from sdd_hooks.changes.undiffable import MAX_INSPECTED, inspect_undiffable
from sdd_hooks.text.lines import NumberedLine
from tests.support.repos import Repo

ATTRIBUTES = ".gitattributes"


def changed(
    repo: Repo, before: Mapping[str, str | bytes], after: Mapping[str, str | bytes]
) -> Change:
    repo.commit(files=before)
    repo.commit(files=after)
    return read_change(repo.handle, "HEAD~1", "HEAD")


def lines(change: Change, path: str) -> tuple[list[NumberedLine], list[NumberedLine], bool]:
    (file,) = [file for file in change.files if file.path == path]
    return list(file.removed), list(file.added), file.binary


@pytest.mark.parametrize("attribute", ["-diff", "binary", "diff=hide", "-text -diff"])
def test_attributes_hide_nothing(repo: Repo, attribute: str) -> None:
    repo.git("config", "diff.hide.binary", "true")
    change = changed(
        repo,
        {"a.py": "1\n2\n3\n", "gone.py": "1\n"},
        {ATTRIBUTES: f"*.py {attribute}\n", "a.py": "1\nzwei\n3\n", "new.py": "x\ny\n"},
    )
    assert lines(change, "a.py") == ([NumberedLine(2, "2")], [NumberedLine(2, "zwei")], False)
    assert lines(change, "new.py") == ([], [NumberedLine(1, "x"), NumberedLine(2, "y")], False)
    assert change.notes == ()


def test_a_hidden_deleted_file(repo: Repo) -> None:
    repo.commit(files={ATTRIBUTES: "*.py -diff\n", "a.py": "1\n"})
    repo.remove("a.py")
    repo.commit()
    assert lines(read_change(repo.handle, "HEAD~1", "HEAD"), "a.py") == (
        [NumberedLine(1, "1")],
        [],
        False,
    )


def test_a_hidden_renamed_file(repo: Repo) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    repo.commit(files={ATTRIBUTES: "* -diff\n", "a.py": text, "c.py": "1\n"})
    repo.git("mv", "a.py", "b.py")
    repo.commit(files={"b.py": text + "end\n", "c.py": "2\n"})
    change = read_change(repo.handle, "HEAD~1", "HEAD")
    assert [(file.before, file.path) for file in change.files] == [
        ("a.py", "b.py"),
        ("c.py", "c.py"),
    ]
    assert lines(change, "b.py") == ([], [NumberedLine(21, "end")], False)
    assert lines(change, "c.py") == ([NumberedLine(1, "1")], [NumberedLine(1, "2")], False)


def test_a_hidden_staged_file(repo: Repo) -> None:
    repo.commit(files={"a.py": "1\n"})
    repo.write(ATTRIBUTES, "*.py -diff\n")
    repo.write("a.py", "2\n")
    repo.git("add", "--all")
    assert lines(read_staged(repo.handle), "a.py")[1] == [NumberedLine(1, "2")]


def test_a_hidden_file_with_a_hostile_path(repo: Repo) -> None:
    path = ":(glob)*\n.py"
    change = changed(repo, {path: "1\n", "a.py": "1\n"}, {ATTRIBUTES: "* -diff\n", path: "2\n"})
    assert lines(change, path) == ([NumberedLine(1, "1")], [NumberedLine(1, "2")], False)


def test_many_hidden_files(repo: Repo) -> None:
    names = [f"{number:03}.py" for number in range(250)]
    change = changed(
        repo,
        dict.fromkeys(names, "1\n"),
        {ATTRIBUTES: "* -diff\n", **dict.fromkeys(names, "2\n")},
    )
    assert [lines(change, name)[1] for name in names] == [[NumberedLine(1, "2")]] * 250


def test_a_binary_file_has_no_lines(repo: Repo) -> None:
    change = changed(repo, {"a": b"\0\1"}, {ATTRIBUTES: "* -diff\n", "a": b"\0\2", "b": b"x\0"})
    assert lines(change, "a") == lines(change, "b") == ([], [], True)


def test_source_with_a_null_character(repo: Repo) -> None:
    change = changed(
        repo,
        {"a": "1\n"},
        {"b.js": b"// \0\nsteal()\n", "c.png": b"\0", "bin/d": b"#!/bin/sh\n\0\n"},
    )
    assert lines(change, "b.js")[1:] == (
        [NumberedLine(1, "// \0"), NumberedLine(2, "steal()")],
        False,
    )
    assert [line.text for line in lines(change, "bin/d")[1]] == ["#!/bin/sh", "\0"]
    assert lines(change, "c.png") == ([], [], True)
    assert change.unread == ()


def test_binary_that_becomes_text(repo: Repo) -> None:
    change = changed(repo, {"a.py": b"\0\1\n"}, {"a.py": "import os\nos.abort()\n"})
    assert lines(change, "a.py") == (
        [],
        [NumberedLine(1, "import os"), NumberedLine(2, "os.abort()")],
        False,
    )


def test_utf_16(repo: Repo) -> None:
    before = "first\r\nold 1\r\nold 2\r\nlast\r\n".encode("utf-16")
    after = "first\r\nnew\r\nlast\r\n".encode("utf-16")
    change = changed(repo, {"a.ps1": before}, {"a.ps1": after, "b.ps1": after})
    assert lines(change, "a.ps1") == (
        [NumberedLine(2, "old 1"), NumberedLine(3, "old 2")],
        [NumberedLine(2, "new")],
        False,
    )
    assert len(lines(change, "b.ps1")[1]) == 3


def test_utf_16_of_other_whitespace(repo: Repo) -> None:
    change = changed(repo, {"a": "x y\n".encode("utf-16")}, {"a": "x  y\n"})
    assert change.files[0].whitespace
    assert lines(change, "a") == ([NumberedLine(1, "x y")], [NumberedLine(1, "x  y")], False)


def test_a_repeated_line(repo: Repo) -> None:
    change = changed(repo, {"a": "x\n".encode("utf-16")}, {"a": "x\nx\n".encode("utf-16")})
    assert lines(change, "a") == ([], [NumberedLine(2, "x")], False)


def test_a_long_hidden_line(repo: Repo) -> None:
    change = changed(repo, {"b": ""}, {"a": ("x" * 3_000).encode("utf-16")})
    assert [len(text) for _, text in lines(change, "a")[1]] == [MAX_LINE]
    assert change.notes == ("not read: the text beyond 2,000 characters of a line, in 1 file",)


def test_a_file_that_is_too_large_to_inspect(repo: Repo) -> None:
    large = b"0123456789\n" * 800_000
    change = changed(repo, {"a": "1\n"}, {"a.txt": large, "b.bin": b"\0" + large, "c.txt": "x\n"})
    assert lines(change, "a.txt") == lines(change, "b.bin") == ([], [], True)
    assert lines(change, "c.txt") == ([], [NumberedLine(1, "x")], False)
    assert change.notes == ()
    assert change.unread == (UnreadPart("a.txt", "a file of more than 8 MB: make it smaller"),)


def test_too_many_files_to_inspect(repo: Repo) -> None:
    repo.write(ATTRIBUTES, "* -diff\n.gitattributes diff\n")
    for number in range(MAX_INSPECTED + 1):
        repo.write(f"{number:04}", "x\n")
        if number % 2:
            repo.write(f"{number:04}.png", b"\0")
    repo.git("add", "--all")
    change = read_staged(repo.handle)
    assert sum(bool(file.added) for file in change.files) == MAX_INSPECTED + 1
    reason = "the files beyond 1,000 that git calls binary: divide the change"
    assert change.unread == (UnreadPart(f"{MAX_INSPECTED:04}", reason),)


def test_a_spent_budget(repo: Repo) -> None:
    change = changed(repo, {"b": ""}, {"a": "x\ny\n".encode("utf-16")})
    hidden = [file._replace(binary=True) for file in change.files]
    assert inspect_undiffable(repo.handle, hidden, Budget(size=5)).compared == {}
    assert inspect_undiffable(repo.handle, hidden, Budget(size=50)).compared.keys() == {0}
