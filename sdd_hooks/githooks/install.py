"""Install the hooks into a repository beside whatever is there, and take them out again.

A hook that was there is moved aside as `EVENT.sdd-legacy`, runs first, and comes back on uninstall.
Hooks that another tool generates are left alone: the report says what to add to its configuration.
The review in hooks is installed where it is asked for, and then kept up to date with the rest.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Installing hooks",
# SPEC-0010 REQ "Review in hooks"

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sdd_hooks.errors import StorageError
from sdd_hooks.githooks import managers
from sdd_hooks.githooks.folder import Folder, HooksRefused, configured_hooks, find_folder
from sdd_hooks.githooks.shims import (
    EVENTS,
    REVIEW_EVENTS,
    command_of,
    is_edited,
    is_ours,
    render,
    shims_folder,
)
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import ERRNO_REASONS, write_atomically

LEGACY = ".sdd-legacy"
EDITED = ".sdd-edited"
# pre-commit keeps the hook that was there under this name, and does without it.
PRE_COMMIT_LEGACY = ".legacy"
_LARGEST_HOOK = 1 << 20

State = Literal[
    "installed",  # ours, current, and its command is there
    "outdated",  # ours, written by another version, edited, or for another command
    "broken",  # ours, and the command it starts is gone
    "chained",  # ours, called by the hook that another installer put in its place
    "shipped",  # core.hooksPath is the folder that sdd ships
    "managed",  # another tool generates this hook
    "foreign",  # somebody else's
    "blocked",  # somebody else's, and so is the one set aside
    "absent",
]


@dataclass(frozen=True)
class Hook:
    """The hook for one event. `changed` is whether the call that reports it changed a file;
    `detail` says more where there is more to say."""

    event: str
    state: State
    changed: bool = False
    detail: str = ""


@dataclass(frozen=True)
class InstallReport:
    """The hooks of a repository after an install or uninstall, or as they are.

    `manager` is the tool that owns at least one of them ("" when none does), and `snippet` what to
    add to its configuration ("" when it has it).
    """

    folder: Path
    hooks: tuple[Hook, ...]
    manager: str = ""
    snippet: str = ""
    notes: tuple[str, ...] = ()


def install(repository: Repository, sdd: Path, *, review: bool = False) -> InstallReport:
    """Install the hooks that start the command at `sdd`, an absolute path. Again changes nothing.

    `review` asks for those of the review as well; once they are there, they stay.

    Raises HooksRefused for a folder outside the repository or a command that is not there, and
    StorageError when the folder cannot be written.
    """
    if not (sdd.is_absolute() and os.access(sdd, os.X_OK)) or "\n" in str(sdd):
        raise HooksRefused(f"{sdd} is no command that a hook can start: give the path of sdd")
    folder = find_folder(repository)
    if not folder.ours and not folder.inside:
        raise HooksRefused(
            f"core.hooksPath is {folder.path}, outside this repository, and other repositories may"
            f" use it: unset it, or `git config core.hooksPath {shims_folder()}`"
        )
    if folder.ours and review:
        raise HooksRefused(
            f"core.hooksPath is {folder.path}, which has no hooks for the review: unset it, then"
            " `sdd hooks install --review`"
        )
    return _report(repository, folder, sdd, change=True, review=review)


def status(repository: Repository, sdd: Path | None = None) -> InstallReport:
    """The hooks as they are. With `sdd`, one for another command counts as outdated.

    Raises HooksRefused when git has no folder for hooks.
    """
    return _report(repository, find_folder(repository), sdd, change=False)


def uninstall(repository: Repository) -> InstallReport:
    """Remove what `install` wrote and put back, byte for byte, what was there.

    Raises StorageError when the folder cannot be written, and HooksRefused as `status` does.
    """
    folder = find_folder(repository)
    # Hooks installed before core.hooksPath was set are where they were.
    places = {repository.common_dir / "hooks"} | ({folder.path} if folder.inside else set())
    changed = set()
    review = _reviews(folder)
    for place in sorted(places):
        with _storage(place):
            changed |= {event for event in (*EVENTS, *REVIEW_EVENTS) if _take_out(place, event)}
    report = _report(repository, folder, None, change=False, review=review)
    hooks = tuple(replace(hook, changed=hook.event in changed) for hook in report.hooks)
    return InstallReport(report.folder, hooks, report.manager, "", report.notes)


def _report(
    repository: Repository, folder: Folder, sdd: Path | None, *, change: bool, review: bool = False
) -> InstallReport:
    root = repository.root
    review = review or _reviews(folder)
    owner = managers.of_repository(root, folder.path)
    if not owner and folder.tracked:
        owner = os.path.relpath(folder.path, root)
    hooks = []
    for event in (*EVENTS, *(REVIEW_EVENTS if review else ())):
        if folder.ours:
            hooks.append(Hook(event, "shipped"))
        elif not folder.inside:
            state: State = "foreign" if (folder.path / event).is_file() else "absent"
            hooks.append(Hook(event, state, detail=f"core.hooksPath is {folder.path}"))
        elif owner:
            hooks.append(Hook(event, "managed", detail=owner))
        else:
            with _storage(folder.path):
                hooks.append(_hook(folder.path, event, sdd, change=change, review=review))
    managed = [hook for hook in hooks if hook.state == "managed"]
    manager = managed[0].detail if managed else ""
    missing = [
        hook.event
        for hook in managed
        if not managers.is_configured(hook.detail, root, hook.event, review=review)
    ]
    snippet = managers.snippet(manager, missing, review=review) if missing else ""
    notes = [
        f"hook.{name} in git's configuration runs sdd on {event} (git 2.54 and newer)"
        for name, event in configured_hooks(repository)
    ]
    return InstallReport(folder.path, tuple(hooks), manager, snippet, tuple(notes))


def _reviews(folder: Folder) -> bool:
    """Whether a hook of the review is installed, under whatever name another installer keeps it."""
    if folder.ours or not folder.inside:
        return False
    with _storage(folder.path):
        return any(
            is_ours(_content(folder.path / event) or b"") or _chained(folder.path, event)
            for event in REVIEW_EVENTS
        )


def _hook(place: Path, event: str, sdd: Path | None, *, change: bool, review: bool) -> Hook:
    """The hook for `event`, put there first when `change` asks for it and nothing forbids it."""
    path, legacy = place / event, place / f"{event}{LEGACY}"
    content = _content(path)
    if content is None:
        return _put(path, sdd, review) if change and sdd else Hook(event, "absent")
    if is_ours(content):
        state, detail = _state(event, path, content, sdd, review)
        if state == "installed" or not (change and sdd):
            return Hook(event, state, detail=detail)
        _set_edited_aside(path, content)
        return _put(path, sdd, review)
    chain = _chained(place, event)
    if chain:
        return Hook(event, "chained", detail=f"{event} is expected to run {chain}")
    manager = managers.of_hook(content)
    if manager:
        return Hook(event, "managed", detail=manager)
    if not (change and sdd):
        return Hook(event, "foreign")
    if os.path.lexists(legacy):
        return Hook(event, "blocked", detail=f"{legacy} is in the way: remove it or {path}")
    path.rename(legacy)
    try:
        return replace(_put(path, sdd, review), detail=f"runs {legacy.name} first")
    except StorageError:
        legacy.rename(path)
        raise


def _state(
    event: str, path: Path, content: bytes, sdd: Path | None, review: bool
) -> tuple[State, str]:
    command = command_of(content)
    if command is None or is_edited(content):
        return "outdated", "edited by hand"
    if sdd is None and not os.access(command, os.X_OK):
        return "broken", f"{command} is gone"
    if content != render(event, sdd or command, review=review):
        return "outdated", f"starts {command}"
    if not os.access(path, os.X_OK):
        return "outdated", "not executable"
    return "installed", ""


def _put(path: Path, sdd: Path, review: bool) -> Hook:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Under another name first: git must not find a hook that it cannot execute.
    new = path.with_name(f"{path.name}.sdd-new")
    write_atomically(new, render(path.name, sdd, review=review))
    mode = new.stat().st_mode
    new.chmod(mode | (mode & 0o444) >> 2)
    new.replace(path)
    return Hook(path.name, "installed", changed=True)


def _take_out(place: Path, event: str) -> bool:
    """Remove our hook, wherever another installer moved it, and restore what it replaced."""
    path, legacy = place / event, place / f"{event}{LEGACY}"
    moved = place / f"{event}{PRE_COMMIT_LEGACY}"
    found = [one for one in (path, moved) if is_ours(_content(one) or b"")]
    for one in found:
        if not _set_edited_aside(one, _content(one) or b""):
            one.unlink()
    target = moved if os.path.lexists(path) and moved in found else path
    if not os.path.lexists(legacy) or os.path.lexists(target):
        return bool(found)
    legacy.rename(target)
    return True


def _chained(place: Path, event: str) -> str:
    """The name under which another installer keeps our hook, or ""."""
    own = {f"{event}{LEGACY}", f"{event}{EDITED}"}
    for path in sorted(place.glob(f"{event}.*")):
        if path.name not in own and is_ours(_content(path) or b""):
            return path.name
    return ""


def _set_edited_aside(path: Path, content: bytes) -> bool:
    if not is_edited(content):
        return False
    path.replace(path.with_name(f"{path.name}{EDITED}"))
    return True


def _content(path: Path) -> bytes | None:
    """The beginning of a hook, through symlinks; b"" for what is no file, None for nothing."""
    if not os.path.lexists(path):
        return None
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(_LARGEST_HOOK)


@contextmanager
def _storage(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = ERRNO_REASONS.get(error.errno or 0) or error.strerror
        raise StorageError(f"cannot change the hooks in {place}: {reason}") from None
