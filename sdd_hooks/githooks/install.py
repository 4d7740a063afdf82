"""Install the hooks into a repository beside existing ones, and remove them again.

An existing hook is renamed to `EVENT.sdd-legacy`, runs first, and `uninstall_hooks` restores it.
Hooks that another tool generates stay unchanged: the report says what to add to its configuration,
and has the edits that do it.
The hooks of the review are installed only on request; later installs update them with the others.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Installing hooks",
# SPEC-0004 REQ "Uninstalling hooks", SPEC-0010 REQ "Review in hooks"

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sdd_hooks.errors import StorageError
from sdd_hooks.githooks import managers
from sdd_hooks.githooks.folder import HooksFolder, HooksRefused, find_configured_hooks, find_folder
from sdd_hooks.githooks.manager_edits import plan_lines, plan_removal
from sdd_hooks.githooks.manager_lines import render_lines
from sdd_hooks.githooks.managers import Manager
from sdd_hooks.githooks.shims import (
    EVENTS,
    REVIEW_EVENTS,
    command_of,
    is_edited,
    is_shim,
    render_shim,
    shims_folder,
)
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.file_edits import FileEdit
from sdd_hooks.system.files import ERRNO_REASONS, write_atomically

LEGACY_SUFFIX = ".sdd-legacy"
EDITED_SUFFIX = ".sdd-edited"
KEPT_SUFFIXES = (".legacy", ".old")
"""The names under which pre-commit and lefthook keep an existing hook."""

MAX_HOOK_BYTES = 1 << 20
"""Bytes of a hook that are read."""

HookState = Literal[
    "installed",  # by sdd: current, and its command exists
    "outdated",  # by sdd: written by another version, edited, or for another command
    "broken",  # the command that it starts does not exist, or git does not start it
    "chained",  # by sdd: the hook of another installer calls it
    "shipped",  # core.hooksPath is the folder that sdd ships
    "managed",  # another tool owns this hook, and runs sdd in it
    "missing",  # another tool owns this hook, and does not run sdd
    "foreign",  # not by sdd
    "blocked",  # not by sdd, and the name for the existing hook is taken
    "absent",
]


@dataclass(frozen=True)
class Hook:
    """The hook for an event.

    `changed` is whether this command changed it, `detail` a remark. `manager` is the tool or the
    folder of a team that owns it, "" for none.
    """

    event: str
    state: HookState
    changed: bool = False
    detail: str = ""
    manager: str = ""

    @property
    def is_unfit(self) -> bool:
        """Whether it cannot run, or cannot be installed."""
        return self.state in {"broken", "blocked"}


@dataclass(frozen=True)
class InstallReport:
    """The hooks of a repository, after an install or uninstall if that was the command.

    `manager` is the tool that owns at least one of them, "" for none. `snippet` is what to add to
    its configuration, "" for nothing, and `edits` do that where they can.
    """

    folder: Path
    hooks: tuple[Hook, ...]
    manager: str = ""
    snippet: str = ""
    notes: tuple[str, ...] = ()
    edits: tuple[FileEdit, ...] = ()


class _Request(NamedTuple):
    """What to report or install.

    `sdd` is the command to start, None for any. `review` is whether to include the hooks of the
    review. `write` is whether to change files.
    """

    sdd: Path | None = None
    review: bool = False
    write: bool = False


def install_hooks(repository: Repository, sdd: Path, *, review: bool = False) -> InstallReport:
    """Install the hooks, which start the command at the absolute path `sdd`. Idempotent.

    `review` adds the hooks of the review. Installed ones stay without it.

    Raises HooksRefused for a folder outside the repository or a command that cannot run, and
    StorageError when the folder cannot be written.
    """
    folder = find_folder(repository)
    if not (sdd.is_absolute() and os.access(sdd, os.X_OK)) or "\n" in str(sdd):
        raise HooksRefused(f"{sdd} is not a command that a hook can start: give the path of sdd")
    if not folder.is_shipped and not folder.is_inside:
        raise HooksRefused(
            f"core.hooksPath is {folder.path}, outside this repository, and other repositories may"
            " use it: unset it (`git config --show-origin core.hooksPath` names its file), or run"
            f" `git config core.hooksPath {shims_folder()}`"
        )
    if folder.is_shipped and review:
        raise HooksRefused(
            f"core.hooksPath is {folder.path}, which has no hooks for the review: run"
            " `git config --unset core.hooksPath`, then `sdd hooks install --review`"
        )
    return _process_hooks(repository, folder, _Request(sdd, review, write=True))


def inspect_hooks(repository: Repository, sdd: Path | None = None) -> InstallReport:
    """Report the hooks. With `sdd`, a hook that starts another command counts as outdated.

    Raises HooksRefused when git has no folder for hooks.
    """
    return _process_hooks(repository, find_folder(repository), _Request(sdd))


def uninstall_hooks(repository: Repository) -> InstallReport:
    """Remove what `install_hooks` wrote, and restore the earlier hooks byte for byte.

    The lines in the files of a manager stay; the edits of the report take them out.

    Raises StorageError when the folder cannot be written, and HooksRefused like `inspect_hooks`.
    """
    folder = find_folder(repository)
    # The hooks may have been installed before core.hooksPath was set.
    paths = {repository.common_dir / "hooks"} | ({folder.path} if folder.is_inside else set())
    changed = set()
    review = _has_review_hooks(folder)
    for path in sorted(paths):
        with _storage_errors(path):
            changed |= {event for event in (*EVENTS, *REVIEW_EVENTS) if _remove_hook(path, event)}
    report = _process_hooks(repository, folder, _Request(review=review))
    hooks = tuple(replace(hook, changed=hook.event in changed) for hook in report.hooks)
    owner = _find_owner(repository, folder)
    report = replace(report, edits=plan_removal(owner, repository.root) if owner else ())
    notes = (*_removal_notes(report, changed), *report.notes)
    return replace(report, hooks=hooks, snippet="", notes=notes)


def _removal_notes(report: InstallReport, removed: Set[str]) -> Iterator[str]:
    """What an uninstall did where another tool runs the hooks, and what it left."""
    if not report.manager:
        return
    events = [event for event in (*EVENTS, *REVIEW_EVENTS) if event in removed]
    yield f"removed the hooks of sdd: {', '.join(events)}" if events else "no hook of sdd to remove"
    left = [hook.event for hook in report.hooks if hook.state == "managed"]
    if report.edits:
        names = ", ".join(edit.path for edit in report.edits)
        yield f"lines of sdd are left in {names}: `sdd hooks uninstall --yes` removes them"
    elif left:
        yield (
            f"{report.manager} still runs sdd on {', '.join(left)}: remove the lines with"
            " `sdd hook` from its files"
        )


def _find_owner(repository: Repository, folder: HooksFolder) -> Manager | None:
    """The manager that runs the hooks of a repository, a tracked folder of scripts included."""
    root = repository.root
    owner = managers.find_repository_manager(root, folder.path)
    if not owner and folder.is_tracked:
        return Manager(os.path.relpath(folder.path, root), folder.path, is_direct=True)
    return owner


def _process_hooks(repository: Repository, folder: HooksFolder, request: _Request) -> InstallReport:
    """Install the hooks of all events if the request says so. Returns their report."""
    root = repository.root
    owner = _find_owner(repository, folder)
    review = request.review or _has_review_hooks(folder) or _runs_review(owner, root)
    request = request._replace(review=review)
    events = (*EVENTS, *(REVIEW_EVENTS if review else ()))
    found = [_process_hook(folder, event, owner, request) for event in events]
    hooks = tuple(_inspect_managed(repository, folder, hook, owner, review) for hook in found)
    missing = [hook.event for hook in hooks if hook.state == "missing"]
    manager = next((hook.manager for hook in hooks if hook.manager), "")
    owner, lines = owner or Manager(manager), ""
    edits: tuple[FileEdit, ...] = ()
    if missing:
        lines = render_lines(owner, root, missing, review=review)
        edits = plan_lines(owner, root, missing, review=review)
    notes = [
        f"hook.{name} in git's configuration runs sdd on {event} (git 2.54 and newer)"
        for name, event in find_configured_hooks(repository)
    ]
    if inactive := managers.find_inactive_manager(root, folder.path):
        notes.append(
            f"this repository uses {inactive}, which this clone has not set up: run `npm install`,"
            " after which git ignores the hooks here, then `sdd hooks install` for the lines to add"
        )
    return InstallReport(folder.path, hooks, manager, lines, tuple(notes), edits)


def _inspect_managed(
    repository: Repository, folder: HooksFolder, hook: Hook, owner: Manager | None, review: bool
) -> Hook:
    """A hook that a manager owns, with whether that runs sdd; any other hook as it is."""
    if not hook.manager:
        return hook
    manager, name = owner or Manager(hook.manager), hook.manager
    if not managers.is_configured(manager, repository.root, hook.event, review=review):
        return replace(hook, state="missing", detail=f"{name} does not run sdd")
    if obstacle := managers.find_obstacle(manager, repository, folder.path, hook.event):
        return replace(hook, state="broken", detail=obstacle)
    return replace(hook, detail=f"{name} runs sdd")


def _runs_review(owner: Manager | None, root: Path) -> bool:
    """Whether a manager of all hooks runs a hook of the review."""
    return owner is not None and any(
        managers.is_configured(owner, root, event) for event in REVIEW_EVENTS
    )


def _has_review_hooks(folder: HooksFolder) -> bool:
    """Whether a hook of the review is installed, also under the name of another installer."""
    if folder.is_shipped or not folder.is_inside:
        return False
    with _storage_errors(folder.path):
        return any(
            is_shim(_read_hook(folder.path / event) or b"") or _find_chained(folder.path, event)
            for event in REVIEW_EVENTS
        )


def _process_hook(
    folder: HooksFolder, event: str, owner: Manager | None, request: _Request
) -> Hook:
    """The hook for an event, installed first if that is requested and possible.

    `owner` manages all hooks of the folder.
    """
    path = folder.path / event
    if folder.is_shipped:
        return Hook(event, "shipped")
    if not folder.is_inside:
        state: HookState = "foreign" if path.is_file() else "absent"
        return Hook(event, state, detail=f"core.hooksPath is {folder.path}")
    if owner:
        return Hook(event, "managed", manager=owner.name)
    with _storage_errors(folder.path):
        content = _read_hook(path)
        if content is not None and not is_shim(content):
            return _process_foreign_hook(path, content, request)
        return _process_shim(path, content, request)


def _process_shim(path: Path, content: bytes | None, request: _Request) -> Hook:
    """Install or update a hook that is absent (None) or that sdd wrote."""
    hook = Hook(path.name, "absent") if content is None else _inspect_shim(path, content, request)
    if hook.state == "installed" or not (request.write and request.sdd):
        return hook
    if content is not None:
        _keep_if_edited(path, content)
    return _write_shim(path, request.sdd, request.review)


def _process_foreign_hook(path: Path, content: bytes, request: _Request) -> Hook:
    """Install a hook beside one that sdd did not write."""
    event, legacy = path.name, path.with_name(f"{path.name}{LEGACY_SUFFIX}")
    manager = managers.find_hook_manager(content)
    chained = _find_chained(path.parent, event)
    # lefthook keeps the hook of sdd as a file that it does not run.
    if chained and not (manager and manager.name == "lefthook"):
        return Hook(event, "chained", detail=f"by another tool; it must run {chained}")
    if manager:
        return Hook(event, "managed", manager=manager.name)
    if not (request.write and request.sdd):
        return Hook(event, "foreign")
    if os.path.lexists(legacy):
        return Hook(event, "blocked", detail=f"{legacy} exists: remove it, or {path}")
    path.rename(legacy)
    try:
        hook = _write_shim(path, request.sdd, request.review)
    except StorageError:
        legacy.rename(path)
        raise
    return replace(hook, detail=f"runs {legacy.name} first")


def _inspect_shim(path: Path, content: bytes, request: _Request) -> Hook:
    """The state of a hook that sdd wrote."""
    event, sdd = path.name, request.sdd
    command = command_of(content)
    if command is None or is_edited(content):
        return Hook(event, "outdated", detail="edited by hand")
    if sdd is None and not os.access(command, os.X_OK):
        problem = "may not be executed" if Path(command).is_file() else "is gone"
        return Hook(event, "broken", detail=f"{command} {problem}")
    if content != render_shim(event, sdd or command, review=request.review):
        return Hook(event, "outdated", detail=f"starts {command}")
    if not os.access(path, os.X_OK):
        return Hook(event, "outdated", detail="not executable")
    return Hook(event, "installed")


def _write_shim(path: Path, sdd: Path, review: bool) -> Hook:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renamed last: git must not find a hook that it cannot execute.
    new = path.with_name(f"{path.name}.sdd-new")
    write_atomically(new, render_shim(path.name, sdd, review=review))
    mode = new.stat().st_mode
    new.chmod(mode | (mode & 0o444) >> 2)
    new.replace(path)
    return Hook(path.name, "installed", changed=True)


def _remove_hook(folder: Path, event: str) -> bool:
    """Remove the hook of sdd, also one that a manager renamed, and restore the earlier hook.

    Returns whether a file changed.
    """
    path, legacy = folder / event, folder / f"{event}{LEGACY_SUFFIX}"
    files = (path, *(folder / f"{event}{suffix}" for suffix in KEPT_SUFFIXES))
    shims = [file for file in files if is_shim(_read_hook(file) or b"")]
    for shim in shims:
        if not _keep_if_edited(shim, _read_hook(shim) or b""):
            shim.unlink()
    renamed = [file for file in shims if file != path]
    target = renamed[0] if os.path.lexists(path) and renamed else path
    if not os.path.lexists(legacy) or os.path.lexists(target):
        return bool(shims)
    legacy.rename(target)
    return True


def _find_chained(folder: Path, event: str) -> str:
    """The name under which another installer keeps the hook of sdd, "" for none."""
    kept_by_sdd = {f"{event}{LEGACY_SUFFIX}", f"{event}{EDITED_SUFFIX}"}
    for path in sorted(folder.glob(f"{event}.*")):
        if path.name not in kept_by_sdd and is_shim(_read_hook(path) or b""):
            return path.name
    return ""


def _keep_if_edited(path: Path, content: bytes) -> bool:
    """Rename a hook that a user edited. Returns whether it was edited."""
    if not is_edited(content):
        return False
    path.replace(path.with_name(f"{path.name}{EDITED_SUFFIX}"))
    return True


def _read_hook(path: Path) -> bytes | None:
    """The beginning of a hook, also of a symlink's target; b"" if it is no file, None if absent."""
    if not os.path.lexists(path):
        return None
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(MAX_HOOK_BYTES)


@contextmanager
def _storage_errors(folder: Path) -> Iterator[None]:
    """Raise StorageError for an OSError in the block."""
    try:
        yield
    except OSError as error:
        reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
        raise StorageError(f"cannot change the hooks in {folder}: {reason}") from None
