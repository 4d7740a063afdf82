"""The settings of a review are those of the commit that a pull request leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.action.base_settings import review_settings
from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.errors import ConfigurationError
from tests.support.repos import Repo

SETTINGS = """# Shop

### SDD Configuration

#### Review

- **Fail On**: {}
"""


def test_what_the_head_says_does_not_count(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    base = repo.commit("Begin", {"AGENTS.md": SETTINGS.format("critical")})
    head = repo.commit("Loosen", {"AGENTS.md": SETTINGS.format("never")})
    repo.write("CLAUDE.md", SETTINGS.format("info"))
    assert review_settings(repo.handle, base).fail_on == "critical"
    assert review_settings(repo.handle, head).fail_on == "never"


def test_a_link_to_the_other_memory_file(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    repo.link("CLAUDE.md", "AGENTS.md")
    commit = repo.commit("Begin", {"AGENTS.md": SETTINGS.format("warning")})
    assert review_settings(repo.handle, commit).fail_on == "warning"


@pytest.mark.parametrize("content", ["", "# Nothing of ours\n", "x" * (1 << 20) + SETTINGS])
def test_the_defaults_where_nothing_is_said(tmp_path: Path, content: str) -> None:
    repo = Repo.init(tmp_path / "shop")
    assert review_settings(repo.handle, repo.commit("Begin", {"CLAUDE.md": content})) == (
        ReviewSettings()
    )


def test_a_value_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    commit = repo.commit("Begin", {"CLAUDE.md": SETTINGS.format("sometimes")})
    with pytest.raises(ConfigurationError, match=r"CLAUDE\.md:7: .*Fail On"):
        review_settings(repo.handle, commit)
