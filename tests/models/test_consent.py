"""A repository cannot send texts to a service: the user names the model, or confirms it once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.models.consent import ModelNotAllowed, confirm_model, require_consent
from tests.support.repos import Repo

NAMES = ("3-small", "text-embedding-3-small")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A user without any configuration."""
    home = tmp_path / "home"
    home.mkdir()
    empty = str(home / "gitconfig")
    environ = {**os.environ, "HOME": str(home), "GIT_CONFIG_GLOBAL": empty}
    for name in ("XDG_CONFIG_HOME", "SDD_REMOTE_MODELS"):
        environ.pop(name, None)
    return environ


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Repo.init(tmp_path / "shop").root


def is_allowed(root: Path, environ: dict[str, str], *names: str) -> bool:
    try:
        require_consent(names or NAMES, root, environ)
    except ModelNotAllowed:
        return False
    return True


def test_a_model_that_only_the_repository_names_is_refused(
    root: Path, environ: dict[str, str]
) -> None:
    with pytest.raises(ModelNotAllowed) as caught:
        require_consent(NAMES, root, environ)
    assert str(caught.value) == (
        "llm:3-small sends texts to a service with your key, and only this repository names it:"
        " `sdd index embed` asks on a terminal to allow it here,"
        " `git config --global --add sdd.remoteModel llm:3-small` allows it everywhere,"
        " and SDD_REMOTE_MODELS=llm:3-small for one command"
    )


@pytest.mark.parametrize("value", ["llm:3-small", "3-small", "other, text-embedding-3-small"])
def test_the_environment_allows_a_model(root: Path, environ: dict[str, str], value: str) -> None:
    assert is_allowed(root, {**environ, "SDD_REMOTE_MODELS": value})
    assert not is_allowed(root, {**environ, "SDD_REMOTE_MODELS": value}, "4-large")


def test_the_configuration_of_the_user_allows_a_model(root: Path, environ: dict[str, str]) -> None:
    Path(environ["GIT_CONFIG_GLOBAL"]).write_text(
        "[sdd]\n\tremoteModel = llm:other\n\tremoteModel = llm:3-small\n"
    )
    assert is_allowed(root, environ)
    assert not is_allowed(root, environ, "4-large")


def test_the_configuration_of_the_user_allows_a_model_for_one_repository(
    root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    """This needs no terminal, unlike an answer."""
    more = tmp_path / "more"
    more.write_text("[sdd]\n\tremoteModel = llm:3-small\n")
    condition = f'[includeIf "gitdir:{root}/"]\n\tpath = {more}\n'
    Path(environ["GIT_CONFIG_GLOBAL"]).write_text(condition)
    assert is_allowed(root, environ)
    assert not is_allowed(Repo.init(tmp_path / "other").root, environ)


def test_the_configuration_of_the_repository_allows_none(
    root: Path, environ: dict[str, str]
) -> None:
    Repo(root).git("config", "sdd.remoteModel", "llm:3-small")
    Repo(root).git("config", "extensions.worktreeConfig", "true")
    Repo(root).git("config", "--worktree", "sdd.remoteModel", "llm:3-small")
    (root / "more").write_text("[sdd]\n\tremoteModel = llm:3-small\n")
    Repo(root).git("config", "include.path", str(root / "more"))
    assert not is_allowed(root, environ)


def test_a_model_is_confirmed_for_one_repository(
    root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    confirm_model("llm:3-small", root, environ)
    assert is_allowed(root, environ)
    assert not is_allowed(root, environ, "4-large")
    assert not is_allowed(Repo.init(tmp_path / "other").root, environ)
    confirm_model("4-large", root, environ)
    assert is_allowed(root, environ)
    assert is_allowed(root, environ, "4-large")
    # Another clone at the same path is another repository.
    shutil.move(root / ".git", tmp_path / "kept")
    Repo.init(root)
    assert not is_allowed(root, environ)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', "\0", '{"a": ["llm:3-small"]}'])
def test_a_damaged_file_allows_nothing(root: Path, environ: dict[str, str], text: str) -> None:
    file = Path(environ["HOME"]) / ".config/sdd/remote-models.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert not is_allowed(root, environ)
    confirm_model("3-small", root, environ)
    assert is_allowed(root, environ)


def test_a_configuration_directory_that_cannot_be_made_is_an_error(
    root: Path, environ: dict[str, str]
) -> None:
    Path(environ["HOME"], ".config").touch()
    with pytest.raises(StorageError, match="cannot store that 3-small is allowed"):
        confirm_model("3-small", root, environ)
