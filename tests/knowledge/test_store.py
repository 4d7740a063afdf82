"""Entries are never lost and never half-written, and the index is in step with them."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.knowledge.entries import EntryRefused, entry_text
from sdd_hooks.knowledge.store import (
    inspect_index,
    lock_knowledge,
    read_entry,
    read_files,
    read_index,
    rebuild_index,
    set_aside,
    write_entries,
)
from tests.knowledge.bases import LESSON, PATTERN, base_of, fill, lesson
from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT

INDEX = ".sdd/knowledge/index.json"


def index(base):
    return read_index(base.repository, base.place)


def ids(base):
    return [one.id for one in index(base).known]


@pytest.fixture
def filled(repo):
    return fill(repo, LESSON, PATTERN)


def test_files_and_index_are_written(repo, filled):
    path = repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json"
    assert json.loads(path.read_text())["advice"] == LESSON.advice
    assert index(filled) == index(filled)
    assert index(filled).notes == ()
    assert ids(filled) == ["auth-jwt-flow", "prisma-no-returning"]
    assert read_entry(filled.place, "pattern", "auth-jwt-flow") == PATTERN


def test_a_base_that_is_not_there_is_empty_and_stays_so(repo):
    assert index(base_of(repo)).known.count == 0
    assert not (repo.root / ".sdd").exists()


def test_a_deletion_removes_both(repo, filled):
    known = index(filled).known
    write_entries(filled.place, known, deleted=known.find("auth-jwt-flow"))
    assert ids(filled) == ["prisma-no-returning"]
    assert list((repo.root / ".sdd/knowledge/patterns").iterdir()) == []


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_crash_between_the_steps_is_repaired(repo, filled, steps):
    """A writer that was killed after each of its steps: entry, further entry, index."""
    folder = repo.root / ".sdd/knowledge/lessons"
    (folder / "new.json").write_text(entry_text(lesson("new")))
    if steps > 1:
        (folder / "prisma-no-returning.json").write_text(entry_text(LESSON._replace(tags=("sql",))))
    if steps > 2:
        (repo.root / ".sdd/knowledge/patterns/auth-jwt-flow.json").unlink()
    found = index(filled)
    assert "new" in found.known.lessons
    assert found.known == read_files(filled.place)
    (note,) = found.notes
    assert note.startswith(f"{INDEX} was not in step with the entries: repaired (")
    assert index(filled).notes == ()


def test_a_crash_before_the_times_were_set_needs_no_note(repo, filled):
    os.utime(repo.root / INDEX)
    assert index(filled).notes == ()
    times = [(repo.root / name).stat().st_mtime_ns for name in (INDEX, ".sdd/knowledge/lessons")]
    assert times[0] == times[1]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"patterns": {}}', b"\xff\xfe", b"null"])
def test_a_corrupt_index_is_set_aside_and_rebuilt(repo, filled, damage):
    times = (repo.root / INDEX).stat()
    (repo.root / INDEX).write_bytes(damage)
    os.utime(repo.root / INDEX, ns=(times.st_atime_ns, times.st_mtime_ns))
    found = index(filled)
    assert found.known.count == 2
    (note,) = found.notes
    assert "rebuilt from 2 entries, the old one is index.json.aside-1" in note
    assert (repo.root / f"{INDEX}.aside-1").read_bytes() == damage
    assert index(filled).notes == ()


def test_a_missing_index_is_rebuilt(repo, filled):
    (repo.root / INDEX).unlink()
    assert index(filled).notes == (f"{INDEX} was missing: rebuilt from 2 entries",)


def test_a_directory_that_is_gone_is_noticed(repo, filled):
    shutil.rmtree(repo.root / ".sdd/knowledge/patterns")
    assert ids(filled) == ["prisma-no-returning"]


def test_files_that_are_no_entries_are_named_and_kept(repo, filled):
    folder = repo.root / ".sdd/knowledge/lessons"
    conflict = "<<<<<<< ours\n{}\n=======\n"
    (folder / "conflict.json").write_text(conflict)
    (folder / "Odd Name.json").write_text("{}")
    (folder / "other.json").write_text(entry_text(lesson("unlike")))
    (folder / "link.json").symlink_to("/etc/passwd")
    notes = " ".join(index(filled).notes)
    for name in ("conflict.json", "Odd Name.json", "other.json", "link.json"):
        assert f"lessons/{name} is no lesson" in notes
    assert (folder / "conflict.json").read_text() == conflict
    assert ids(filled) == ["auth-jwt-flow", "prisma-no-returning"]


def test_nothing_is_written_for_an_entry_that_json_cannot_express(filled):
    odd = lesson("odd", further=(("weight", float("nan")),))
    with pytest.raises(EntryRefused):
        write_entries(filled.place, index(filled).known, [lesson("new"), odd])
    assert ids(filled) == ["auth-jwt-flow", "prisma-no-returning"]


@pytest.mark.parametrize(
    "odd", [{"advice": "x" * 20_001}, {"tags": ("Upper",)}, {"id": "../x"}, {"trigger": None}]
)
def test_an_entry_that_could_not_be_read_is_not_written(filled, odd):
    with pytest.raises(EntryRefused):
        write_entries(filled.place, index(filled).known, [LESSON._replace(**odd)])
    assert index(filled).notes == ()
    assert index(filled).known.count == 2


def test_a_link_in_place_of_the_directory_is_refused(repo, tmp_path):
    repo.link(".sdd", tmp_path)
    with pytest.raises(StorageError, match="symbolic link"):
        fill(repo, LESSON)
    assert list(tmp_path.glob("knowledge*")) == []


def test_a_lock_that_stays_taken_is_an_error(filled):
    with (
        lock_knowledge(filled.repository),
        pytest.raises(StorageError, match="another process writes"),
        lock_knowledge(filled.repository, wait=0),
    ):
        pass


def test_reindex_reads_every_file(repo, filled):
    path = repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json"
    with path.open("r+") as file:
        text = file.read().replace("orm", "sql")
        file.seek(0)
        file.write(text)
    assert list(inspect_index(filled.place)) == [f"{INDEX} is not in step with the entries"]
    assert rebuild_index(filled.place).known.lessons["prisma-no-returning"].tags[1] == "sql"
    assert list(inspect_index(filled.place)) == []


def test_files_that_are_set_aside_are_numbered(tmp_path):
    for number in (1, 2):
        (tmp_path / "x").write_text(str(number))
        assert set_aside(tmp_path / "x").name == f"x.aside-{number}"


def test_entries_of_two_branches_merge_without_a_conflict(repo):
    """With the real git: each branch adds an entry to committed knowledge."""
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Knowledge\n- **Path**: docs/knowledge\n")
    repo.commit("Start")
    for branch, one in (("left", "a-lesson"), ("right", "b-lesson")):
        repo.git("checkout", "--quiet", "-b", branch, "main")
        base = fill(repo, lesson(one), lesson(f"{one}-2"))
        assert ids(base) == [one, f"{one}-2"]
        repo.commit(branch)
    repo.git("merge", "--quiet", "left")
    base = base_of(repo)
    found = index(base)
    assert sorted(one.id for one in found.known) == sorted(
        ["a-lesson", "a-lesson-2", "b-lesson", "b-lesson-2"]
    )
    assert "repaired (2 read)" in found.notes[0]
    assert repo.git("status", "--short") == ""
    repo.git("checkout", "--quiet", "left")
    assert ids(base) == ["a-lesson", "a-lesson-2"]


def test_the_index_of_a_fresh_clone_is_built(repo, tmp_path):
    repo.write("CLAUDE.md", "### SDD Configuration\n\n#### Knowledge\n- **Path**: kb\n")
    fill(repo, LESSON)
    repo.commit("Learn")
    assert repo.git("ls-files", "kb").splitlines() == [
        "kb/.gitignore",
        "kb/lessons/prisma-no-returning.json",
    ]
    repo.git("clone", "--quiet", str(repo.root), str(tmp_path / "clone"))
    base = base_of(type(repo)(tmp_path / "clone"))
    assert ids(base) == ["prisma-no-returning"]


def test_killed_and_concurrent_writers_lose_nothing():
    """A share of `python -m tests.knowledge.stress`, which runs 50 writers and 200 kills."""
    # A process without threads, which can be forked.
    command = [sys.executable, "-m", "tests.knowledge.stress", "--commands", "0"]
    done = run_program(
        *command,
        "--writers",
        "6",
        "--kills",
        "12",
        "--seed",
        "1",
        cwd=Path(__file__).parents[2],
        timeout=TIMEOUT,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "lost=[], invalid=[]" in done.stdout
