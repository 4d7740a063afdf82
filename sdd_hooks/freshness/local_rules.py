"""The rules of a work tree that git does not track: a sparse checkout, and `info/exclude`."""

# Governing: ADR-0004 (change detection from git: bookmark, dirty now, dirty then)

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.errors import SddError
from sdd_hooks.system.files import read_inside
from sdd_hooks.system.git import nul_split

if TYPE_CHECKING:
    from sdd_hooks.system.git import Git

_MAX_LINK_BYTES = 4096
_MAX_RULES_BYTES = 1_000_000

_SPARSE_RULES = "info/sparse-checkout"
_HIDDEN = "S"
"""git's tag for a file that a sparse checkout leaves out, and that is absent."""


def local_rules(root: Path) -> str:
    """Return a digest of the rules of a work tree that git does not track; "" for none."""
    rules = b""
    with suppress(OSError, SddError):
        git_dir = _git_dir(root)
        rules = _exclude_patterns(git_dir)
        sparse = read_inside(git_dir, _SPARSE_RULES, _MAX_RULES_BYTES)
        rules += sparse + b"\0" + read_inside(git_dir, "config.worktree", _MAX_RULES_BYTES)
    if not rules:
        return ""
    from hashlib import sha256

    return sha256(rules).hexdigest()[:16]


def tracked_files(git: Git) -> list[str]:
    """Return the files that git tracks, except those that a sparse checkout leaves out."""
    entries = nul_split(git.output("ls-files", "-z", "-t", "--cached"))
    return [entry[2:] for entry in entries if entry[0] != _HIDDEN]


def has_sparse_rules(git: Git) -> bool:
    """Whether a sparse checkout is on. Starts no process in a work tree that never had one."""
    with suppress(OSError):
        if (_git_dir(git.root) / _SPARSE_RULES).is_file():
            enabled = git.try_output("config", "--type=bool", "--get", "core.sparseCheckout")
            return enabled is not None and enabled.strip() == b"true"
    return False


def _git_dir(root: Path) -> Path:
    git_dir = root / ".git"
    if git_dir.is_file():
        line = git_dir.read_bytes()[:_MAX_LINK_BYTES].removeprefix(b"gitdir: ").rstrip(b"\r\n")
        return root / os.fsdecode(line)
    return git_dir


def _exclude_patterns(git_dir: Path) -> bytes:
    """The lines of `info/exclude` that are no comments, which all work trees share."""
    common_dir = git_dir
    with suppress(OSError, SddError):
        line = read_inside(git_dir, "commondir", _MAX_LINK_BYTES).rstrip(b"\r\n")
        common_dir = git_dir / os.fsdecode(line)
    with suppress(OSError, SddError):
        lines = read_inside(common_dir, "info/exclude", _MAX_RULES_BYTES).splitlines(keepends=True)
        return b"".join(line for line in lines if line.strip() and not line.startswith(b"#"))
    return b""
