"""Test sdd_hooks.usecases.drift.file_links."""

from __future__ import annotations

import pytest

from sdd_hooks.reporting.registry import Links
from sdd_hooks.usecases.drift.file_links import find_file_links
from tests.support.repos import Repo


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        ("git@github.com:acme/shop.git", "https://github.com/acme/shop/blob/abc/a.py?plain=1#L3"),
        (
            "https://token@gitlab.com/acme/pay/shop.git",
            "https://gitlab.com/acme/pay/shop/-/blob/abc/a.py?plain=1#L3",
        ),
        (
            "https://codeberg.org/acme/shop",
            "https://codeberg.org/acme/shop/src/commit/abc/a.py?display=source#L3",
        ),
    ],
)
def test_known_hosts_have_links(repo: Repo, origin: str, address: str) -> None:
    repo.git("remote", "add", "origin", origin)
    links = find_file_links(repo.project(), "abc")
    assert isinstance(links, Links)
    assert links.address("a.py", 3) == address


@pytest.mark.parametrize("origin", ["", "https://git.example.org/acme/shop.git", "/srv/shop.git"])
def test_other_hosts_have_none(repo: Repo, origin: str) -> None:
    if origin:
        repo.git("remote", "add", "origin", origin)
    assert find_file_links(repo.project(), "abc") is None


def test_without_a_commit_there_are_none(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    assert find_file_links(repo.project(), "") is None
