"""Sharing moves every entry to a committed directory, and loses none at any step."""

import pytest

from sdd_hooks.errors import ConfigurationError
from sdd_hooks.knowledge.store import read_index
from sdd_hooks.setup.doctor import project_checks
from sdd_hooks.setup.share_knowledge import NotSharable, share_knowledge
from tests.knowledge.bases import LESSON, PATTERN, base_of, fill, lesson

MEMORY = "# Notes\n\n### SDD Configuration\n\n#### Search\n\n- **Engine**: embedded\n"


def ids(repo):
    base = base_of(repo)
    return {one.id for one in read_index(base.repository, base.place).known}


def knowledge_checks(repo):
    checks = project_checks(repo.project(), 0.0)
    return [(one.level, one.message) for one in checks if one.name == "knowledge"]


def test_entries_are_moved_and_the_path_is_declared(repo):
    repo.commit(files={"CLAUDE.md": MEMORY, ".gitignore": ".sdd/\n"})
    base = fill(repo, LESSON, PATTERN)
    shared = share_knowledge(base)
    assert len(shared.moved) == 2
    assert "#### Knowledge\n\n- **Path**: docs/knowledge\n" in (repo.root / "CLAUDE.md").read_text()
    assert ids(repo) == {LESSON.id, PATTERN.id}
    assert [path.name for path in (repo.root / ".sdd/knowledge").rglob("*.json")] == ["index.json"]
    repo.git("add", "--all")
    assert repo.git("diff", "--cached", "--name-only").splitlines() == [
        "CLAUDE.md",
        "docs/knowledge/.gitignore",
        "docs/knowledge/lessons/prisma-no-returning.json",
        "docs/knowledge/patterns/auth-jwt-flow.json",
    ]
    again = share_knowledge(base_of(repo))
    assert (again.moved, again.edit) == ((), None)


def test_to_another_directory(repo):
    fill(repo, LESSON)
    share_knowledge(base_of(repo))
    moved = share_knowledge(base_of(repo), "kb")
    assert (moved.place.base, len(moved.moved), ids(repo)) == ("kb", 1, {LESSON.id})
    assert "- **Path**: kb\n" in (repo.root / "CLAUDE.md").read_text()
    assert not list((repo.root / "docs").rglob("prisma*"))


@pytest.mark.parametrize("step", ["copied", "declared"])
def test_a_share_that_was_killed_can_be_run_again(repo, step):
    repo.write("CLAUDE.md", MEMORY)
    fill(repo, LESSON)
    if step == "declared":
        share_knowledge(base_of(repo))
        before = (repo.root / "docs/knowledge/lessons/prisma-no-returning.json").read_bytes()
        repo.write(".sdd/knowledge/lessons/prisma-no-returning.json", before)
        assert knowledge_checks(repo)[0] == ("warn", "1 file left in .sdd/knowledge")
    else:
        text = (repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json").read_bytes()
        repo.write("docs/knowledge/lessons/prisma-no-returning.json", text)
    share_knowledge(base_of(repo))
    assert ids(repo) == {LESSON.id}
    assert not (repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json").exists()
    assert knowledge_checks(repo) == [("ok", "0 patterns, 1 lesson in docs/knowledge (committed)")]


def test_an_id_that_is_taken_there_gets_a_number(repo):
    repo.write("CLAUDE.md", MEMORY)
    fill(repo, LESSON)
    share_knowledge(base_of(repo))
    repo.write(
        ".sdd/knowledge/lessons/prisma-no-returning.json",
        (repo.root / "docs/knowledge/lessons/prisma-no-returning.json")
        .read_text()
        .replace("expected", "believed"),
    )
    share_knowledge(base_of(repo))
    assert ids(repo) == {LESSON.id, f"{LESSON.id}-2"}


@pytest.mark.parametrize("path", ["../x", ".sdd/knowledge", ".git", "."])
def test_a_place_that_git_ignores_or_does_not_have_is_refused(repo, path):
    fill(repo, lesson("a"))
    with pytest.raises(NotSharable):
        share_knowledge(base_of(repo), path)
    assert ids(repo) == {"a"}


def test_a_memory_file_that_cannot_be_extended_moves_nothing(repo):
    repo.write("CLAUDE.md", MEMORY + "```\nnever closed\n")
    fill(repo, LESSON)
    with pytest.raises(ConfigurationError):
        share_knowledge(base_of(repo))
    assert ids(repo) == {LESSON.id}
