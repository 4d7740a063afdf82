"""The settings of a review of a pull request are those of its base."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.config.settings import ReviewSettings
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.usecases.review import use_base_settings
from tests.support.repos import Repo

SETTINGS = """# Shop

### SDD Configuration

#### Review

- **Fail On**: {}
"""


def settings_at(repo: Repo, commit: str) -> ReviewSettings:
    return use_base_settings(repo.project(), commit).configuration.review


def test_the_settings_of_the_head_do_not_count(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    base = repo.commit("Begin", {"AGENTS.md": SETTINGS.format("critical")})
    head = repo.commit("Loosen", {"AGENTS.md": SETTINGS.format("never")})
    repo.write("CLAUDE.md", SETTINGS.format("info"))
    assert settings_at(repo, base).fail_on == "critical"
    assert settings_at(repo, head).fail_on == "never"


def test_a_link_to_the_other_memory_file_is_followed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    repo.link("CLAUDE.md", "AGENTS.md")
    commit = repo.commit("Begin", {"AGENTS.md": SETTINGS.format("warning")})
    assert settings_at(repo, commit).fail_on == "warning"


@pytest.mark.parametrize("content", ["", "# No settings\n", "x" * (1 << 20) + SETTINGS])
def test_the_defaults_apply_without_settings(tmp_path: Path, content: str) -> None:
    repo = Repo.init(tmp_path / "shop")
    assert settings_at(repo, repo.commit("Begin", {"CLAUDE.md": content})) == (ReviewSettings())


def test_an_invalid_value_is_named_with_its_line(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "shop")
    commit = repo.commit("Begin", {"CLAUDE.md": SETTINGS.format("sometimes")})
    repo.write("CLAUDE.md", "# Shop\n")
    with pytest.raises(ConfigurationError, match=r"CLAUDE\.md:7: .*Fail On"):
        settings_at(repo, commit)
