"""Differences of any kind between two commits are read from git."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from pathlib import Path

import pytest

from sdd_hooks.changes.base import empty_tree_id
from sdd_hooks.changes.change import Change, ChangedFile
from sdd_hooks.changes.diff import _entries, read_change, read_staged
from sdd_hooks.errors import RepositoryError
from sdd_hooks.text.lines import NumberedLine
from tests.support.repos import Repo

HOSTILE = (
    "line\nbreak",
    'quo"tes',
    "back\\slash",
    "a b/c",
    "tab\there",
    "-option",
    ":(glob)**",
    "esc\x1b[31mred",
    os.fsdecode(b"not-\xff-utf8"),
    "\u202ereversed",
    "diff --git a/x b/x",
)


def changed(repo: Repo, base: str = "HEAD~1") -> Change:
    return read_change(repo.handle, base, "HEAD")


def only(change: Change) -> ChangedFile:
    (file,) = change.files
    return file


def added(file: ChangedFile) -> list[str]:
    return [text for _, text in file.added]


def removed(file: ChangedFile) -> list[str]:
    return [text for _, text in file.removed]


def test_lines_and_their_numbers(repo: Repo) -> None:
    repo.commit(files={"a.txt": "1\n2\n3\n4\n", "b.txt": "same\n"})
    repo.commit(files={"a.txt": "1\nzwei\n3\n4\n5\n"})
    file = only(changed(repo))
    assert (file.path, file.before, file.status) == ("a.txt", "a.txt", "M")
    assert file.added == (NumberedLine(2, "zwei"), NumberedLine(5, "5"))
    assert file.removed == (NumberedLine(2, "2"),)
    assert (file.mode, file.mode_before) == ("100644", "100644")
    assert file.blob == repo.git("rev-parse", "HEAD:a.txt")
    assert file.blob_before == repo.git("rev-parse", "HEAD~1:a.txt")


def test_new_and_deleted_files(repo: Repo) -> None:
    repo.commit(files={"old.txt": "1\n"})
    repo.remove("old.txt")
    repo.commit(files={"new.txt": "2\nx\n", "empty": ""})
    empty, new, old = changed(repo).files
    assert empty[:3] == ("empty", "", "A")
    assert (empty.added, empty.whitespace) == ((), False)
    assert (new.before, new.status, new.blob_before, new.mode_before) == ("", "A", "", "")
    assert added(new) == ["2", "x"]
    assert (old.before, old.status, old.blob, old.mode) == ("old.txt", "D", "", "")
    assert removed(old) == ["1"]


def test_a_renamed_file(repo: Repo) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    repo.commit(files={"a/one.txt": text, "two.txt": text.replace("\n", "!\n")})
    repo.git("mv", "a/one.txt", "b.txt")
    repo.git("mv", "two.txt", "c.txt")
    repo.commit(files={"c.txt": text.replace("\n", "!\n") + "end\n"})
    whole, edited = changed(repo).files
    assert (whole.path, whole.before, whole.status) == ("b.txt", "a/one.txt", "R")
    assert (whole.added, whole.removed) == ((), ())
    assert (edited.path, edited.before, edited.status) == ("c.txt", "two.txt", "R")
    assert edited.added == (NumberedLine(21, "end"),)


def test_a_copy_is_a_new_file(repo: Repo) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    repo.git("config", "diff.renames", "copies")
    repo.commit(files={"a.txt": text})
    repo.commit(files={"a.txt": text + "more\n", "b.txt": text})
    _, copy = changed(repo).files
    assert (copy.status, copy.before, len(copy.added)) == ("A", "", 20)


def test_modes_and_whitespace(repo: Repo) -> None:
    repo.commit(files={"run": "x\n", "tidy": "a  b\n\tc\n", "ends": "1\r\n2\r\n"})
    (repo.root / "run").chmod(0o755)
    repo.commit(files={"tidy": "a b\n    c\n\n", "ends": "1\n2\n"})
    ends, run, tidy = changed(repo).files
    assert (run.mode_before, run.mode, run.added, run.whitespace) == ("100644", "100755", (), False)
    assert tidy.whitespace
    assert added(tidy) == ["a b", "    c", ""]
    assert ends.whitespace


def test_binary_files_have_no_lines(repo: Repo) -> None:
    repo.commit(files={"image": b"\0\1\n\2", "gone": b"\0"})
    repo.remove("gone")
    repo.commit(files={"image": b"\0\1\n\3", "new": b"\x89PNG\0\n"})
    change = changed(repo)
    assert [(file.path, file.binary, file.added) for file in change.files] == [
        ("gone", True, ()),
        ("image", True, ()),
        ("new", True, ()),
    ]
    assert change.notes == ()


def test_links_and_types(repo: Repo) -> None:
    repo.commit(files={"file": "1\n", "target": "x\n"})
    repo.link("link", "target")
    repo.commit()
    repo.remove("file")
    repo.link("file", "target")
    repo.remove("link")
    repo.commit(files={"link": "now a file\n"})
    file, link = changed(repo).files
    assert (file.status, file.is_file, removed(file), added(file)) == ("T", False, ["1"], [])
    assert (link.status, link.is_file, removed(link), added(link)) == (
        "T",
        True,
        [],
        ["now a file"],
    )


def test_the_file_after_a_changed_type_has_its_own_lines(repo: Repo) -> None:
    repo.commit(files={"a": "1\n", "b": "1\n", "c": "1\n"})
    repo.remove("a")
    repo.link("a", "b")
    repo.commit(files={"b": "2\n", "c": "3\n"})
    assert [added(file) for file in changed(repo).files] == [[], ["2"], ["3"]]


def test_a_submodule(repo: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    other.commit(files={"x": "1\n"})
    repo.commit(files={"b": "1\n"})
    inner = repo.submodule(other, "lib")
    # A change may contain a configuration that hides the submodule.
    repo.git("config", "--file", ".gitmodules", "submodule.lib.ignore", "all")
    repo.commit()
    assert [file.path for file in changed(repo).files] == [".gitmodules", "lib"]
    inner.commit(files={"x": "2\n"})
    # Since 2.53, git adds such a submodule only by force.
    repo.git("add", "--force", "lib")
    repo.commit(files={"b": "2\n"})
    b, lib = changed(repo).files
    assert (lib.mode, lib.status, lib.added, lib.removed) == ("160000", "M", (), ())
    assert (lib.is_file, lib.binary, lib.blob) == (False, False, inner.head())
    assert added(b) == ["2"]


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_paths(repo: Repo, path: str) -> None:
    repo.commit(files={"first": "1\n"})
    repo.commit(files={path: "hostile\n", "second": "2\n"})
    lines = {file.path: added(file) for file in changed(repo).files}
    assert lines == {path: ["hostile"], "second": ["2"]}


def test_renamed_hostile_paths(repo: Repo) -> None:
    text = "".join(f"{number}\n" for number in range(20))
    repo.commit(files={path: f"{text}{at}\n" for at, path in enumerate(HOSTILE)})
    for path in HOSTILE:
        target = repo.root / "moved" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        (repo.root / path).rename(target)
    repo.commit()
    moved = {file.before: file.path for file in changed(repo).files}
    assert moved == {path: f"moved/{path}" for path in HOSTILE}


def test_lines_that_look_like_a_diff(repo: Repo) -> None:
    lines = ["diff --git a/x b/x", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "-- gone", "\\ No newline"]
    repo.commit(files={"a": "".join(f"- {line}\n" for line in lines), "b": "1\n"})
    repo.commit(files={"a": "".join(f"{line}\n" for line in lines), "b": "2\n"})
    a, b = changed(repo).files
    assert added(a) == lines
    assert removed(a) == [f"- {line}" for line in lines]
    assert added(b) == ["2"]


def test_unusual_characters(repo: Repo) -> None:
    data = b"x" * 9_000 + b"\n" + b"caf\xe9\r\nnull\0here\nform\x0cfeed\nlast"
    repo.commit(files={"a": "1\n"})
    repo.commit(files={"b": data})
    change = changed(repo)
    assert added(only(change)) == ["x" * 2_000, "café", "null\0here", "form\x0cfeed", "last"]
    assert change.notes == ("not read: the text beyond 2,000 characters of a line, in 1 file",)


def test_configuration_does_not_change_the_output(repo: Repo) -> None:
    for key, value in {
        "diff.external": "false",
        "diff.context": "5",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.loud.textconv": "false",
        "diff.loud.command": "false",
        "diff.renameLimit": "1",
        "diff.suppressBlankEmpty": "true",
        "color.ui": "always",
        "log.showSignature": "true",
        "core.quotePath": "false",
    }.items():
        repo.git("config", key, value)
    repo.commit(files={"a.txt": "1\n\n3\n", ".gitattributes": "*.txt diff=loud\n"})
    repo.commit("Say two", files={"a.txt": "1\n\n4\n"})
    change = changed(repo)
    assert only(change).added == (NumberedLine(3, "4"),)
    assert change.messages == ("Say two",)


@pytest.fixture
def context() -> Iterator[None]:
    """The output of git with the options of a user."""
    os.environ["GIT_DIFF_OPTS"] = "--unified=3"
    yield
    del os.environ["GIT_DIFF_OPTS"]


@pytest.mark.usefixtures("context")
def test_lines_of_context(repo: Repo) -> None:
    repo.commit(files={"a.txt": "1\n2\n3\n", "b.txt": "x\n"})
    repo.commit(files={"a.txt": "1\n2\n4\n", "b.txt": "y\n"})
    a, b = changed(repo).files
    assert (a.added, b.added) == ((NumberedLine(3, "4"),), (NumberedLine(1, "y"),))


def test_messages_title_and_body(repo: Repo) -> None:
    base = repo.commit("Base")
    repo.commit("First\n\nWhy.\n\nRefs: ADR-0001")
    repo.commit("Second")
    change = changed(repo, base)
    assert change.messages == ("Second", "First\n\nWhy.\n\nRefs: ADR-0001")
    assert (change.title, change.body) == ("First", "Why.\n\nRefs: ADR-0001\n\nSecond")
    named = read_change(repo.handle, base, "HEAD").described_by("Title", "Body")
    assert (named.title, named.body, named.messages) == ("Title", "Body", change.messages)


def test_a_message_that_is_not_utf8(repo: Repo) -> None:
    repo.commit("Base")
    repo.write("message", b"caf\xe9 \x1b[31m\n")
    repo.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "--allow-empty", "-F", "message")
    assert changed(repo).messages == ("café \x1b[31m",)


def test_many_messages(repo: Repo) -> None:
    base = repo.commit("Base")
    commits = "".join(
        f"commit refs/heads/main\ncommitter A <a@example.org> {at} +0000\ndata 2\n{at % 9}\n"
        + (f"from {base}\n" if not at else "")
        for at in range(502)
    )
    done = repo.run("fast-import", "--quiet", stdin=commits.encode())
    assert done.returncode == 0, done.stderr
    change = read_change(repo.handle, base, "main")
    assert len(change.messages) == 500
    assert change.notes == ("only the newest 500 commit messages were read",)


def test_only_the_changes_of_the_head(repo: Repo) -> None:
    parted = repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.git("checkout", "-q", "-b", "feature")
    head = repo.commit("Feature", files={"a": "2\n"})
    repo.git("checkout", "-q", "main")
    tip = repo.commit("Meanwhile", files={"b": "2\n"})
    change = read_change(repo.handle, "main", "feature")
    assert (change.base, change.base_tip, change.head) == (parted, tip, head)
    assert [file.path for file in change.files] == ["a"]
    assert change.messages == ("Feature",)


def test_a_merge_of_the_base_into_the_head(repo: Repo) -> None:
    repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Feature", files={"a": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("Meanwhile", files={"b": "2\n"})
    repo.git("checkout", "-q", "feature")
    repo.git("merge", "-q", "-m", "Merge main", "main")
    change = read_change(repo.handle, "main", "feature")
    assert [file.path for file in change.files] == ["a"]
    assert change.messages == ("Merge main", "Feature")


def test_unrelated_histories(repo: Repo) -> None:
    base = repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("Other", files={"a": "2\n"})
    change = read_change(repo.handle, "main", "other")
    assert (change.base, change.messages) == (base, ("Other",))
    assert [file.path for file in change.files] == ["a"]
    assert change.notes == (
        "base and head have no commit in common: all differences were compared",
    )


@pytest.mark.parametrize("format", ["sha1", "sha256"])
def test_the_first_commit_against_nothing(tmp_path: Path, format: str) -> None:
    repo = Repo.init(tmp_path / "repo", f"--object-format={format}")
    repo.commit("Begin", files={"a": "1\n"})
    nothing = empty_tree_id(repo.handle)
    change = read_change(repo.handle, nothing, "HEAD")
    assert (change.base, change.messages, change.notes) == (nothing, ("Begin",), ())
    assert added(only(change)) == ["1"]


def test_no_difference(repo: Repo) -> None:
    head = repo.commit(files={"a": "1\n"})
    assert changed(repo, "HEAD") == Change(head, head, "", "", (), (), (), head)


def test_a_tag(repo: Repo) -> None:
    repo.commit(files={"a": "1\n"})
    repo.git("tag", "-a", "-m", "One", "v1")
    repo.commit(files={"a": "2\n"})
    assert added(only(changed(repo, "v1"))) == ["2"]


def test_a_damaged_repository(repo: Repo) -> None:
    repo.commit(files={"a": "1\n"})
    repo.commit(files={"a": "2\n"})
    blob = repo.git("rev-parse", "HEAD:a")
    repo.remove(f".git/objects/{blob[:2]}/{blob[2:]}")
    # git would read the contents from the work tree.
    repo.remove("a")
    with pytest.raises(RepositoryError, match="cannot read the differences: `git fsck`"):
        changed(repo)


def test_output_that_ends_early(repo: Repo) -> None:
    repo.commit(files={"a": "1\n", "b\n": "x\n" * 9})
    repo.git("mv", "b\n", "c")
    repo.commit(files={"a": "2\n"})
    done = repo.run("diff-tree", "-r", "-z", "-M", "--raw", "--patch", "HEAD~1", "HEAD")
    for length in range(len(done.stdout)):
        files, beyond, more = _entries(BufferedReader(BytesIO(done.stdout[:length]), 16))
        assert (beyond, more) == ([], False)
        assert [file.path for file in files] == ["a", "c"][: len(files)]
    assert len(files) == 2


def test_staged(repo: Repo) -> None:
    head = repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.write("a", "2\n")
    repo.git("add", "a")
    repo.write("a", "3\n")
    repo.write("b", "not staged\n")
    change = read_staged(repo.handle)
    assert (change.base, change.head, change.messages) == (head, "", ())
    assert added(only(change)) == ["2"]


def test_staged_before_the_first_commit(repo: Repo) -> None:
    repo.write("a", "1\n")
    repo.git("add", "a")
    change = read_staged(repo.handle)
    assert change.base == empty_tree_id(repo.handle)
    assert (only(change).status, added(only(change))) == ("A", ["1"])


def test_a_file_added_with_intent_to_add(repo: Repo) -> None:
    repo.commit(files={"a": "1\n"})
    repo.write("b", "2\n")
    repo.git("add", "--intent-to-add", "b")
    assert read_staged(repo.handle).files == ()


def test_a_conflict(repo: Repo) -> None:
    repo.commit(files={"a": "1\n", "b": "1\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit(files={"a": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(files={"a": "3\n"})
    assert repo.run("merge", "other").returncode == 1
    repo.write("b", "4\n")
    repo.git("add", "b")
    change = read_staged(repo.handle)
    assert [(file.path, added(file)) for file in change.files] == [("b", ["4"])]
    assert change.notes == ("not read: 1 file in a merge conflict",)


def test_a_sparse_index(repo: Repo) -> None:
    repo.commit(files={"in/a": "1\n", "out/b": "1\n", "out/c/d": "1\n"})
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    repo.write("in/a", "2\n")
    repo.git("add", "in/a")
    assert [(file.path, added(file)) for file in read_staged(repo.handle).files] == [
        ("in/a", ["2"])
    ]
