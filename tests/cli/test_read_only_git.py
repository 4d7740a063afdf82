"""A repository whose git directory may not be written, as one that belongs to another user."""

from __future__ import annotations

import pytest

from tests.cli.commands import FILES, SCRIPTS, Done, one_line, run
from tests.support.external import Handbook, declaring
from tests.support.repos import Repo
from tests.support.users import read_only_tree, without_rights_of_root

REDIS = "docs/adrs/ADR-0002-redis.md"


def sdd(repo: Repo, *args: str) -> Done:
    """Run `sdd` with no more rights than the modes of files give."""
    program, *rest = without_rights_of_root(str(SCRIPTS / "sdd"), *args)
    return run(repo.root, *rest, script=program)


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    """A repository with an index, and a decision that is not in it."""
    repo.commit("Start", {".gitignore": ".sdd/\n", **FILES})
    assert run(repo.root, "index", "add").code == 0
    repo.commit("Redis", {REDIS: "# ADR-0002: Redis\n\nPages are kept in Redis.\n"})
    return repo


def test_commands_read_and_refresh(indexed: Repo) -> None:
    with read_only_tree(indexed.root / ".git"):
        assert sdd(indexed, "index", "update").code == 0
        found = sdd(indexed, "search", "--json", "Redis")
        assert [hit["path"] for hit in found.hits] == [REDIS]
        indexed.write(REDIS, "# ADR-0002: Redis\n\nPages are kept in a cache.\n")
        assert sdd(indexed, "hook", "post-merge", "0") == (
            0,
            "",
            "sdd: Refreshed index (0 added, 1 updated, 0 removed across all collections)\n",
        )
        for command in (
            ("list",),
            ("show", "ADR-0002"),
            ("prime",),
            ("index", "status"),
            ("review", "HEAD~..HEAD"),
            ("hook", "pre-commit"),
        ):
            done = sdd(indexed, *command)
            assert done.code == 0, done
            assert "denied" not in done.out + done.err


@pytest.mark.parametrize("command", [("index", "embed", "--foreground"), ("hooks", "install")])
def test_what_is_in_the_git_directory_is_not_written(
    indexed: Repo, command: tuple[str, ...]
) -> None:
    # A model that is there, and is not loaded before the lock is taken.
    indexed.write(
        "CLAUDE.md", "### SDD Configuration\n\n#### Search\n\n- **Embed Model**: ./model\n"
    )
    for name in ("model.onnx", "tokenizer.json"):
        indexed.write(f"model/{name}", "")
    with read_only_tree(indexed.root / ".git"):
        message = one_line(sdd(indexed, *command), 7)
    assert "ermission denied" in message


def test_decisions_of_other_repositories_are_not_fetched(repo: Repo, handbook: Handbook) -> None:
    handbook.publish_first()
    declaring(repo, f"{handbook.line} (`docs/adr`)")
    assert run(repo.root, "index", "add").code == 0
    with read_only_tree(repo.root / ".git"):
        done = sdd(repo, "index", "update")
    assert (done.code, done.out) == (0, "up to date: 1 document\n")
    assert done.err.startswith("warning: no decisions of other repositories were fetched: ")
    assert done.err.endswith("/.git/sdd/records (Permission denied): check it\n")
