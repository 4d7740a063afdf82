"""The settings that replace those of a repository."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.system.git_settings import add_settings, may_run_filters, user_values


def test_values_of_the_user_replace_those_of_the_repository() -> None:
    listing = (
        "system\0filter.lfs.clean\nold\0global\0filter.lfs.clean\ngit-lfs clean\0"
        "local\0filter.lfs.clean\nevil\0worktree\0filter.x.process\nevil\0"
        "global\0filter.y.clean\nkept\0local\0filter.z.required\0global\0filter.z.required\0"
    )
    assert user_values(listing) == [
        ("filter.lfs.clean", ""),
        ("filter.lfs.clean", "old"),
        ("filter.lfs.clean", "git-lfs clean"),
        ("filter.x.process", ""),
        ("filter.z.required", ""),
        ("filter.z.required", "true"),
    ]
    assert user_values("") == []


@given(st.text())
def test_any_listing_gives_pairs(listing: str) -> None:
    assert all(len(pair) == 2 for pair in user_values(listing))


@pytest.mark.parametrize("count", ["", "x", "-1", "\u0661", "1e3"])
def test_a_count_that_is_no_number_counts_as_none(count: str) -> None:
    environ = {"GIT_CONFIG_COUNT": count, "A": "1"}
    assert add_settings(environ, [("a", "b")]) == {
        "A": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "a",
        "GIT_CONFIG_VALUE_0": "b",
    }


def test_only_commands_that_read_the_work_tree_run_filters() -> None:
    assert may_run_filters(("diff-index", "--quiet", "HEAD"))
    assert may_run_filters(("--literal-pathspecs", "status"))
    assert not may_run_filters(("diff-index", "--cached", "HEAD"))
    assert not may_run_filters(("rev-parse", "HEAD"))
