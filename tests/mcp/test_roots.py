"""The repository of a call is that of the client's roots, or where the server was started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import RepositoryError
from sdd_hooks.mcp.parameters import BadArgument
from sdd_hooks.mcp.roots import Root, Workplace, find_project, read_roots
from tests.support.repos import Repo


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/ada/shop", "/home/ada/shop"),
        ("file://localhost/home/ada", "/home/ada"),
        ("file:///a%20b/%C3%A9", "/a b/é"),
    ],
)
def test_a_local_uri_is_a_directory(uri: str, path: str) -> None:
    assert read_roots([(uri, "shop")]) == (Root(Path(path), "shop"),)


@pytest.mark.parametrize(
    "uri",
    ["https://example.org/x", "file://other.host/x", "file:x", "file:///a%00b", "", "//[", "/x"],
)
def test_another_uri_is_no_root(uri: str) -> None:
    assert read_roots([(uri, "")]) == ()


@given(st.text())
def test_no_uri_is_a_crash(text: str) -> None:
    assert all(
        root.directory.is_absolute() for root in read_roots([(text, ""), (f"file:///{text}", "")])
    )


@pytest.fixture
def repos(tmp_path: Path) -> tuple[Path, Path]:
    return Repo.init(tmp_path / "one").root, Repo.init(tmp_path / "two").root


def found(
    repos: tuple[Path, Path], *roots: Path, wanted: str = "", fixed: Path | None = None
) -> Path:
    workplace = Workplace(fixed, repos[0], os.environ)
    return find_project(workplace, [Root(one) for one in roots], wanted).repository.root


def test_the_first_root_in_a_repository_is_served(repos: tuple[Path, Path]) -> None:
    outside = repos[0].parent
    assert found(repos, outside, repos[1]) == repos[1]


def test_a_root_is_chosen_by_its_name(repos: tuple[Path, Path]) -> None:
    assert found(repos, *repos, wanted="two") == repos[1]
    assert found(repos, *repos, wanted=str(repos[1])) == repos[1]
    with pytest.raises(BadArgument, match="no root of the client is called other: it has"):
        found(repos, *repos, wanted="other")


def test_a_client_without_roots_gets_the_directory_of_the_server(repos: tuple[Path, Path]) -> None:
    assert found(repos) == repos[0]
    with pytest.raises(BadArgument, match="the client has no roots to choose from"):
        found(repos, wanted="two")


def test_the_directory_that_is_named_wins(repos: tuple[Path, Path]) -> None:
    assert found(repos, repos[0], fixed=repos[1]) == repos[1]


def test_roots_outside_of_every_repository_are_named(repos: tuple[Path, Path]) -> None:
    outside = repos[0].parent
    with pytest.raises(RepositoryError) as raised:
        found(repos, outside, outside / "gone")
    assert str(raised.value).startswith("no root of the client is in a git repository (")
    assert str(raised.value).endswith("or start the server with `sdd -C DIRECTORY mcp`")
