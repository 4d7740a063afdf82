"""Where the knowledge base is: ignored in the main work tree, or committed."""

import os

import pytest

from sdd_hooks.config.configuration import load_configuration
from sdd_hooks.errors import ConfigurationError, StorageError
from sdd_hooks.project.knowledge_place import (
    OWN_DIRECTORIES,
    check_shared_path,
    committed_knowledge,
    find_knowledge,
    own_root,
)
from sdd_hooks.project.repository import discover
from tests.knowledge.bases import LESSON, base_of, fill
from tests.support.repos import Repo

SHARED = "### SDD Configuration\n\n#### Knowledge\n- **Path**: docs/knowledge/\n"


def place(repo):
    repository = discover(repo.root, os.environ)
    return find_knowledge(repository, load_configuration(repo.root))


def test_the_default_is_the_place_of_the_seed(repo):
    assert place(repo) == (repo.root, ".sdd/knowledge", False)
    assert place(repo).directory == repo.root / ".sdd/knowledge"
    assert OWN_DIRECTORIES == (".sdd/knowledge", ".sdd/context", ".sdd/logs")


def test_a_path_makes_it_a_collection(repo):
    repo.commit(files={"CLAUDE.md": SHARED, "docs/knowledge/lessons/a.json": "{}"})
    assert place(repo) == (repo.root, "docs/knowledge", True)
    (collection,) = repo.project().select(("knowledge",))
    assert collection.name == "repo-knowledge"
    assert collection.contains("docs/knowledge/lessons/a.json")
    assert not collection.contains("docs/knowledge/index.json")
    assert list(committed_knowledge(repo.repository, load_configuration(repo.root / "docs"))) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside", "is outside the repository"),
        ("/etc", "is outside the repository"),
        (".git/x", "is in .git"),
        (".sdd/search", "is in .sdd"),
        ("CLAUDE.md", "is not a directory"),
        ("./", "names no directory"),
    ],
)
def test_a_path_that_cannot_be_used_is_an_error_with_its_line(repo, path, reason):
    repo.write("CLAUDE.md", SHARED.replace("docs/knowledge/", path))
    with pytest.raises(
        ConfigurationError, match=f"CLAUDE.md:4: 'Path' of the knowledge base {reason}"
    ):
        place(repo)
    with pytest.raises(ValueError, match=reason):
        check_shared_path(repo.root, path)


def test_a_link_out_of_the_repository_is_refused(repo, tmp_path):
    repo.link(".sdd", tmp_path)
    with pytest.raises(StorageError, match="symbolic link"):
        _ = place(repo).directory


def test_a_linked_work_tree_uses_the_one_of_the_main_work_tree(repo, tmp_path):
    repo.commit("Start")
    linked = repo.worktree(tmp_path / "linked", "feature")
    base = fill(linked, LESSON)
    assert (base.own_root, base.place.root) == (repo.root, repo.root)
    assert (repo.root / ".sdd/knowledge/lessons/prisma-no-returning.json").exists()
    repo.git("worktree", "remove", "--force", str(linked.root))
    assert base_of(repo).place == base.place


def test_beside_a_bare_repository_each_work_tree_has_its_own(repo, tmp_path):
    repo.commit("Start")
    repo.git("clone", "--quiet", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    Repo(tmp_path / "bare.git").git("worktree", "add", "--quiet", str(tmp_path / "tree"))
    assert own_root(discover(tmp_path / "tree", os.environ)) == tmp_path / "tree"
