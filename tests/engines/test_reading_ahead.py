"""Documents that a second process reads and cuts are those that this process would read and cut."""

from __future__ import annotations

import io
import itertools
import marshal
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.embedded.database import open_database
from sdd_hooks.engines.embedded.indexing import apply_changes
from sdd_hooks.engines.embedded.schema import INDEX
from sdd_hooks.engines.protocol import Bookmark, CollectionChanges, Stopped
from sdd_hooks.engines.reading import cut_document, read_document
from sdd_hooks.engines.reading_ahead import HEAD_START, cutting_process, received
from sdd_hooks.project.collections import Collection
from tests.support.children import child_processes

ADRS = Collection("app-adrs", "adrs", "", "", ("docs",), (".md",), "", (), "Decisions of app.")
HOSTILE = {
    "empty.md": b"",
    "binary.md": b"a\0b",
    "nul-later.md": b"# T\n\n" + b"x" * 9000 + b"\0y\n",
    "not-utf-8.md": b"# T\xe4\xff\n\nword\n",
    "surrogate.md": b"# \xed\xb2\x80\n\ntext\n",
    "zero-byte.md": b"# A zero byte \0 between words\n",
    "utf-16.md": "# Sechzehn\n\nWörter\n".encode("utf-16"),
    "carriage.md": b"# One\r\n\r\ntext\r## Two\r\n\r\nmore\r\n",
    "unspaced.md": "# 決定\n\n検索エンジンを使う parseUserID\n".encode(),
    "long.md": b"# Long\n\n" + b"word " * 5000,
    "open-fence.md": b"# A\n\n```\n# not a heading\n",
    "too-large.md": b"x" * (5 * 1024 * 1024 + 1),
    "bad\x07name.md": b"# Bell\n",
    "byte-\udcff.md": b"# A name that is no UTF-8\n",
    "code.py": b"class A:\n    def parse(self):\n        return 1\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile documents, a link, a directory, a pipe, and many ordinary documents around them."""
    top = tmp_path_factory.mktemp("documents")
    docs = top / "docs"
    docs.mkdir()
    for number in range(HEAD_START + 500):
        (docs / f"m{number:04}.md").write_text(
            f"# Decision {number}\n\n## Context\n\nWe {number}.\n"
        )
    for (name, data), place in itertools.product(HOSTILE.items(), ("a", "z")):
        (docs / f"{place}-{name}").write_bytes(data)
    (docs / "z-link.md").symlink_to(docs / "m0001.md")
    (docs / "z-directory.md").mkdir()
    os.mkfifo(docs / "z-pipe.md")
    return top


@pytest.fixture(scope="module")
def paths(root: Path) -> list[str]:
    """The paths below `root`, and those of files that are missing."""
    found = [os.path.relpath(os.fsdecode(path), root) for path in (root / "docs").iterdir()]
    return sorted([*found, "docs/a-missing.md", "docs/z-missing.md", "docs/m0001.md/below.md"])


def expected(root: Path, path: str) -> tuple[object, ...]:
    """What this process makes of the document at `path`: hash, rows, and notes."""
    notes: list[str] = []
    file = read_document(root, "adrs", None, path, notes)
    return (file.hash, cut_document(path, file.data), notes) if file else (None, None, notes)


def found(read: object, path: str) -> tuple[object, ...]:
    notes: list[str] = []
    file = read(path, notes)  # type: ignore[operator]
    if file is None:
        return None, None, notes
    return file.hash, file.rows or cut_document(path, file.data), notes


def test_a_second_process_cuts_every_document_as_this_one(root: Path, paths: list[str]) -> None:
    with cutting_process(root, "adrs", paths, os.environ) as read:
        answers = [found(read, path) for path in paths]

    assert answers == [expected(root, path) for path in paths]


def test_a_symlink_is_named_among_documents_and_not_among_code(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text("# Main\n")
    (tmp_path / "link.tf").symlink_to("main.tf")
    notes: list[str] = []
    assert read_document(tmp_path, "code", None, "link.tf", notes) is None
    assert notes == []
    assert read_document(tmp_path, "adrs", None, "link.tf", notes) is None
    assert notes == ["link.tf: a symlink"]


@pytest.mark.skipif(sys.platform != "linux", reason="the process is found in /proc")
def test_a_killed_process_is_replaced_by_this_one(root: Path, paths: list[str]) -> None:
    with cutting_process(root, "adrs", paths, os.environ) as read:
        (child,) = child_processes("reading_ahead")
        os.kill(child, signal.SIGKILL)
        answers = [found(read, path) for path in paths]

    assert answers == [expected(root, path) for path in paths]
    assert child_processes("reading_ahead") == []


def test_a_process_that_cannot_run_is_replaced_by_this_one(root: Path, paths: list[str]) -> None:
    broken = {**os.environ, "PYTHONHOME": "/nonexistent"}
    with cutting_process(root, "adrs", paths, broken) as read:
        answers = [found(read, path) for path in paths]

    assert answers == [expected(root, path) for path in paths]


@given(st.integers(0, 200))
def test_a_frame_that_ends_early_is_left_out(length: int) -> None:
    whole, other = marshal.dumps([1, 2]), marshal.dumps([3])
    frames = b"".join(len(data).to_bytes(8, "little") + data for data in (whole, other))

    documents = list(received(io.BytesIO(frames[:length])))

    count = (length >= 8 + len(whole)) * 2 + (length >= len(frames))
    assert documents == [1, 2, 3][:count]


@pytest.mark.skipif(sys.platform != "linux", reason="the process is found in /proc")
def test_an_interrupt_leaves_no_process(root: Path, paths: list[str]) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        cutting_process(root, "adrs", paths, os.environ) as read,
    ):
        found(read, paths[0])
        raise KeyboardInterrupt

    assert child_processes("reading_ahead") == []


def changes(paths: list[str]) -> CollectionChanges:
    bookmark = Bookmark("0" * 40, (), "")
    return CollectionChanges(ADRS, tuple(paths), complete=True, bookmark=bookmark)


def content(connection: apsw.Connection) -> dict[str, list[object]]:
    """All rows, and for each word of the index where it is."""
    connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, instance)")
    queries = {
        "documents": "SELECT * FROM documents ORDER BY id",
        "chunks": "SELECT * FROM chunks ORDER BY id",
        "terms": "SELECT * FROM terms ORDER BY 1, 2, 3, 4",
        "sizes": "SELECT * FROM words_docsize ORDER BY id",
    }
    return {name: connection.execute(query).fetchall() for name, query in queries.items()}


@pytest.fixture
def databases(tmp_path: Path) -> Iterator[list[apsw.Connection]]:
    """Two empty indexes with one collection."""
    with ExitStack() as stack:
        opened = []
        for name in ("one", "two"):
            connection = open_database(tmp_path / name / "index.db", INDEX)
            stack.callback(connection.close)
            connection.execute(
                "INSERT INTO collections(name, kind, module, context) VALUES(?, 'adrs', '', '')",
                (ADRS.name,),
            )
            opened.append(connection)
        yield opened


def test_an_index_is_the_same_with_one_process_and_with_two(
    root: Path, paths: list[str], databases: list[apsw.Connection]
) -> None:
    alone, together = databases

    results = [
        apply_changes(alone, root, changes(paths)),
        apply_changes(together, root, changes(paths), environ=os.environ),
    ]

    assert results[0] == results[1]
    assert results[0][0].added > 500
    assert content(alone) == content(together)


def test_a_large_update_restores_the_settings_of_the_words(
    root: Path, paths: list[str], databases: list[apsw.Connection]
) -> None:
    connection = databases[0]

    def stop(_step: str, done: int, _total: int) -> bool:
        return done < 300

    with pytest.raises(Stopped):
        apply_changes(connection, root, changes(paths), stop)
    stopped = dict(connection.execute("SELECT k, v FROM words_config"))
    apply_changes(connection, root, changes(paths))

    assert "automerge" not in stopped
    settings = dict(connection.execute("SELECT k, v FROM words_config"))
    assert (settings["automerge"], settings["hashsize"]) == (4, 1 << 20)
