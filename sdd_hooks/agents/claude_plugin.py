"""Install the plug-in of sdd with Claude Code's own command, and remove it.

The plug-in belongs to the user, not to a repository: Claude Code copies it into its directory.
"""

# Governing: SPEC-0031 REQ "Installation", ADR-0030 (a repository starts no program)

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import sdd_hooks
from sdd_hooks.errors import SddError
from sdd_hooks.system.processes import Program, find_executable, run_program
from sdd_hooks.text.display import one_line

MARKETPLACE = "claude-plugin-sdd"
PLUGIN = f"sdd@{MARKETPLACE}"

_SECONDS = 120.0


class PluginNotChanged(SddError):
    """Claude Code is missing, or refused."""


def plugin_directory() -> Path:
    """Return the directory of the plug-in in this installation, which is a marketplace."""
    return Path(sdd_hooks.__file__).resolve().parent / "plugin"


def install_plugin(root: Path, environ: Mapping[str, str]) -> str:
    """Install the plug-in for the user. `root` is a repository, whose programs are not run.

    Returns a line about it. Raises PluginNotChanged.
    """
    _claude(root, environ, "marketplace", "add", str(plugin_directory()))
    _claude(root, environ, "install", PLUGIN)
    return f"installed the plug-in {PLUGIN}"


def uninstall_plugin(root: Path, environ: Mapping[str, str]) -> str:
    """Remove the plug-in and its marketplace, with all that is installed from it.

    Returns a line about it. Raises PluginNotChanged.
    """
    _claude(root, environ, "marketplace", "remove", MARKETPLACE)
    return f"removed the plug-in {PLUGIN}"


def _claude(root: Path, environ: Mapping[str, str], *arguments: str) -> None:
    command = find_executable("claude", environ, outside=root)
    if command is None:
        raise PluginNotChanged(
            "the plug-in needs Claude Code on PATH: install it, or run in it"
            f" `/plugin marketplace add {plugin_directory()}` and `/plugin install {PLUGIN}`"
        )
    words = ("plugin", *arguments)
    name = f"claude {' '.join(words[:2])}"
    program = Program(name, [command, *words], Path(os.sep), dict(environ), PluginNotChanged)
    done = run_program(program, _SECONDS)
    if done.code:
        raise PluginNotChanged(f"claude {' '.join(words)}: {one_line(done.err or done.out)}")
