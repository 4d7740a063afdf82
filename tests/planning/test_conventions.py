"""Names of branches and sections about pull requests."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.settings import BranchSettings, PullRequestSettings
from sdd_hooks.planning.conventions import (
    branch_name,
    branch_slug,
    closing_words,
    is_epic,
    pull_convention,
)

BRANCHES, PULLS = BranchSettings(), PullRequestSettings()


@pytest.mark.parametrize(
    ("id", "title", "name"),
    [
        ("42", "Keep sessions in Redis", "feature/42-keep-sessions-in-redis"),
        ("SHOP-7", "Größe: prüfen!", "feature/SHOP-7-grosse-prufen"),
        ("bd-a1b2.1", "Über", "feature/bd-a1b2.1-uber"),
        ("42", "日本語", "feature/42"),
        ("42", "a" * 49 + " b", "feature/42-" + "a" * 49),
        ("..", "x", "feature/issue-x"),
    ],
)
def test_branches(id: str, title: str, name: str) -> None:
    assert branch_name(id, title, BRANCHES) == name


def test_epics() -> None:
    assert branch_name("9", "Implement sessions", BRANCHES, epic=True) == (
        "epic/9-implement-sessions"
    )
    assert is_epic("Implement sessions", ())
    assert is_epic("Sessions", ("Epic",))
    assert not is_epic("Reimplement sessions", ("story",))


@given(st.text(max_size=80), st.text(max_size=80), st.integers(1, 60))
def test_git_accepts_every_name(id: str, title: str, length: int) -> None:
    name = branch_name(id, title, BranchSettings(slug_max_length=length))
    assert len(branch_slug(title, length)) <= length
    assert not name.endswith("-")
    # The rules of git-check-ref-format.
    assert name.isascii()
    assert not any(part.startswith(".") or part.endswith(".lock") for part in name.split("/"))
    assert ".." not in name
    assert not set(name) & set(' ~^:?*[\\\x7f"')
    assert all(map(str.isprintable, name))
    assert not name.endswith((".", "/"))


def test_git_agrees() -> None:
    for id in ("42", "a.lock", "x..y", ".hidden", "-1", "ä/ö", "@{", ""):
        name = branch_name(id, "", BRANCHES)
        done = subprocess.run(["git", "check-ref-format", "--branch", name], check=False)
        assert done.returncode == 0, name


@pytest.mark.parametrize(
    ("tracker", "id", "words"),
    [
        ("github", "42", "Closes #42"),
        ("gitea", "42", "Closes #42"),
        ("gitlab", "42", "Closes #42"),
        ("jira", "SHOP-7", "SHOP-7"),
        ("linear", "ENG-7", "ENG-7"),
        ("beads", "bd-a1b2", "bd close bd-a1b2"),
        ("tasks-md", "tasks-auth-1", "Closes tasks-auth-1"),
    ],
)
def test_closing_words(tracker: str, id: str, words: str) -> None:
    assert closing_words(tracker, id, PULLS) == words


def test_a_configured_keyword() -> None:
    settings = PullRequestSettings(close_keyword="Fixes")
    assert closing_words("jira", "SHOP-7", settings) == "Fixes SHOP-7"


def test_the_section_about_a_pull_request() -> None:
    assert pull_convention("github", "42", PULLS, epic="9", specs=("SPEC-0003",)) == (
        "Closes #42\nPart of #9 (SPEC-0003)"
    )
    assert pull_convention("github", "42", PULLS, specs=("SPEC-0003",)) == (
        "Closes #42\nPart of SPEC-0003"
    )
    without = PullRequestSettings(include_spec_reference=False)
    assert pull_convention("github", "42", without, epic="9", specs=("SPEC-0003",)) == (
        "Closes #42\nPart of #9"
    )
    assert pull_convention("github", "42", PULLS) == "Closes #42"
