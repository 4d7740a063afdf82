"""Conventions that directories repeat."""

from __future__ import annotations

from sdd_hooks.drift.discover.conventions import find_conventions
from tests.drift.discover.trees import tree_of
from tests.support.repos import Repo


def conventions_of(repo: Repo, *paths: str) -> list[str]:
    tree = tree_of(repo, {path: f"// {path}\n" for path in paths})
    return [one.title for one in find_conventions(tree)]


def test_directories_beside_each_other_with_the_same_files(repo: Repo) -> None:
    names = ["orders", "users", "carts", "mails", "taxes"]
    paths = [
        f"src/{name}/{file}" for name in names for file in ("command.go", "codes.go", "main.go")
    ]
    title = "Give each directory of src the files codes and command"
    assert conventions_of(repo, *paths[3:]) == []
    assert conventions_of(repo, *paths) == [title]
    assert conventions_of(repo, "src/odd/a.go") == [title]
    assert conventions_of(repo, "src/odd/a.go", "src/other/a.go") == []


def test_one_shared_file_is_no_convention(repo: Repo) -> None:
    assert conventions_of(repo, *[f"src/{number}/store.go" for number in range(9)]) == []


def test_roles_in_names(repo: Repo) -> None:
    paths = [f"src/{n}/order.{role}.ts" for n in range(5) for role in ("controller", "service")]
    assert conventions_of(repo, *paths[2:]) == []
    assert "Name TypeScript files by their role: *.controller and *.service" in conventions_of(
        repo, *paths
    )


def test_words_that_are_no_role(repo: Repo) -> None:
    paths = [f"src/{n}/a{n}.{word}.ts" for n in range(9) for word in ("config", "styles", "types")]
    assert conventions_of(repo, *paths) == []


def test_tests_beside_the_code(repo: Repo) -> None:
    paths = [f"src/{n}/a{n}{suffix}.ts" for n in range(20) for suffix in ("", ".test")]
    assert conventions_of(repo, *paths) == ["Keep JavaScript tests beside the code that they test"]
    moved = [f"test/a{n}.test.ts" for n in range(5)]
    assert conventions_of(repo, *moved) == []


def test_a_convention_quotes_a_file_of_each_directory(repo: Repo) -> None:
    files = {f"src/{n}/{name}.go": "\npackage x\n" for n in range(5) for name in ("codes", "rule")}
    (found,) = find_conventions(tree_of(repo, files))
    assert [(one.path, one.line, one.text) for one in found.evidence] == [
        (f"src/{n}/rule.go", 2, "package x") for n in range(5)
    ]
    assert (found.files, found.all_files) == (10, 10)
