"""The plug-in is installed by Claude Code's own command, here a program that records its calls."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sdd_hooks.agents.install import (
    PluginNotChanged,
    install_plugin,
    plugin_directory,
    uninstall_plugin,
)
from tests.cli.commands import run
from tests.support.repos import Repo

RECORDER = """\
#!/bin/sh
echo "$*" >>"$0.calls"
if [ "$2" = "${FAIL:-}" ]; then
    printf 'no\\nway\\n' >&2
    exit 3
fi
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "repo")


def program(folder: Path) -> Path:
    folder.mkdir(parents=True)
    claude = folder / "claude"
    claude.write_text(RECORDER)
    claude.chmod(0o755)
    return claude


def calls(claude: Path) -> list[str]:
    return Path(f"{claude}.calls").read_text().splitlines()


def test_the_plug_in_is_installed_and_removed(tmp_path: Path, repo: Repo) -> None:
    claude = program(tmp_path / "bin")
    environ = {"PATH": f"{claude.parent}:/usr/bin:/bin"}
    assert install_plugin(repo.root, environ) == "installed the plug-in sdd@claude-plugin-sdd"
    assert uninstall_plugin(repo.root, environ) == "removed the plug-in sdd@claude-plugin-sdd"
    assert calls(claude) == [
        f"plugin marketplace add {plugin_directory()}",
        "plugin install sdd@claude-plugin-sdd",
        "plugin marketplace remove claude-plugin-sdd",
    ]
    assert (plugin_directory() / ".claude-plugin/marketplace.json").is_file()


def test_a_failure_is_one_line(tmp_path: Path, repo: Repo) -> None:
    claude = program(tmp_path / "bin")
    environ = {"PATH": f"{claude.parent}:/usr/bin:/bin", "FAIL": "install"}
    with pytest.raises(PluginNotChanged) as raised:
        install_plugin(repo.root, environ)
    assert str(raised.value) == "claude plugin install sdd@claude-plugin-sdd: no way"


def test_a_program_of_the_repository_is_not_run(repo: Repo) -> None:
    claude = program(repo.root / "bin")
    with pytest.raises(PluginNotChanged, match="the plug-in needs Claude Code on PATH"):
        install_plugin(repo.root, {"PATH": str(claude.parent)})
    assert not Path(f"{claude}.calls").exists()


def test_the_command_installs_hooks_and_plug_in(tmp_path: Path, repo: Repo) -> None:
    claude = program(tmp_path / "bin")
    environ = {"PATH": f"{claude.parent}:{Path(shutil.which('git') or '').parent}:/usr/bin:/bin"}
    repo.commit("Start", {"a.txt": "a"})
    before = run(repo.root, "agent", "install", "claude", "--plugin", "--dry-run", env=environ)
    assert (before.code, "run `claude plugin`" in before.out) == (0, True)
    assert not Path(f"{claude}.calls").exists()
    done = run(repo.root, "agent", "install", "claude", "--plugin", env=environ)
    assert done.out.endswith("installed the plug-in sdd@claude-plugin-sdd\n"), done
    undone = run(repo.root, "agent", "uninstall", "--plugin", env=environ)
    assert undone.out.endswith("removed the plug-in sdd@claude-plugin-sdd\n"), undone
    assert repo.git("status", "--porcelain") == ""
    wrong = run(repo.root, "agent", "install", "codex", "--plugin", env=environ)
    assert (wrong.code, "--plugin is for claude" in wrong.err) == (2, True)
