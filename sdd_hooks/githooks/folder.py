"""The folder from which git runs the hooks of a repository, and whether sdd may write to it."""

# Governing: ADR-0005 (hook shims decide in sh)

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sdd_hooks.errors import SddError
from sdd_hooks.githooks.shims import BODY
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.descriptors import IS_POSIX
from sdd_hooks.system.git import Git

NO_HOOKS = "hooks do not run on Windows: run `sdd index update` after a commit or a pull"


class HooksRefused(SddError):
    """sdd may not write to the hooks folder, or has no hook to write."""

    code = "hooks"


@dataclass(frozen=True)
class HooksFolder:
    """The folder from which git runs hooks.

    `is_inside` is whether it belongs to this repository alone, `is_tracked` whether its files are
    under version control, `is_shipped` whether it is the `hooks/` folder that sdd ships.
    """

    path: Path
    is_inside: bool
    is_tracked: bool
    is_shipped: bool


def find_folder(repository: Repository) -> HooksFolder:
    """The folder that git uses with this `core.hooksPath`, in a linked worktree as well.

    It need not exist. Raises HooksRefused when git has none, and on Windows.
    """
    if not IS_POSIX:
        raise HooksRefused(NO_HOOKS)
    output = repository.git.try_output("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    if output is None:
        raise HooksRefused(
            "git has no folder of hooks here: `git config --show-origin core.hooksPath` names the"
            " file with a wrong value, remove it there"
        )
    path = Path(os.path.normpath(os.fsdecode(output.removesuffix(b"\n"))))
    in_git_dir = _is_below(path, repository.common_dir) or _is_below(path, repository.git_dir)
    is_inside = in_git_dir or any(_is_below(path, top) for top in _work_trees(repository))
    is_in_work_tree = is_inside and not in_git_dir and path.is_dir()
    is_tracked = is_in_work_tree and _has_tracked_files(repository.git.at(path))
    return HooksFolder(path, is_inside, is_tracked, (path / BODY).is_file())


def find_configured_hooks(repository: Repository) -> list[tuple[str, str]]:
    """(name, event) of each hook in git's configuration that runs sdd (git 2.54 and newer)."""
    listing = repository.git.try_output(
        "config", "-z", "--get-regexp", r"^hook\..*\.(event|command)$"
    )
    events: dict[str, list[str]] = {}
    commands: dict[str, str] = {}
    for entry in (listing or b"").split(b"\0"):
        key, _, value = os.fsdecode(entry).partition("\n")
        name, _, variable = key.removeprefix("hook.").rpartition(".")
        if variable == "event":
            events.setdefault(name, []).append(value)
        elif variable == "command":
            commands[name] = value
    return [
        (name, event)
        for name, command in commands.items()
        if "sdd hook" in command
        for event in events.get(name, ())
    ]


def _has_tracked_files(folder: Git) -> bool:
    return bool(folder.try_output("ls-files", "-z"))


def _work_trees(repository: Repository) -> Iterator[Path]:
    yield repository.root
    # A linked worktree may use a folder of the main one.
    if repository.common_dir.name == ".git":
        yield repository.common_dir.parent


def _is_below(path: Path, top: Path) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(top).rstrip("/") + "/")
