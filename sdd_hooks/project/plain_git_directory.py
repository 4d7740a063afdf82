"""Recognise the usual form of a repository without git: its start takes a tenth of a search.

What git would refuse, or find elsewhere, is left to git.
"""

# Governing: ADR-0003 (one module talks to git), ADR-0012 (untrusted input)

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from sdd_hooks.system.descriptors import IS_POSIX, NO_WAIT, open_unlinked

_MAX_BYTES = 65_536
_HEX_DIGITS = frozenset(b"0123456789abcdef")
_USUAL = {"bare": "false", "repositoryformatversion": "0"}
"""Settings that say how git reads a repository, with the values of the usual form."""

# A setting of another place, or one that only a newer format has.
_UNUSUAL = ("worktree", "include", "[extensions")


def find_plain_git_directory(top: Path) -> Path | None:
    """Return `.git` of the resolved directory `top` if git, too, would find and accept it there.

    None for anything unusual: a linked worktree, a submodule, another owner, another format, a
    setting that git might read in another way. None on macOS, where git changes the spelling of
    paths, and on Windows. Reads two small files and writes nothing.
    """
    if not IS_POSIX or sys.platform == "darwin" or "\n" in str(top):
        return None
    git_dir = top / ".git"
    try:
        if not _is_own_directory(top) or not _is_own_directory(git_dir):
            return None
        has_parts = all(_is_directory(git_dir / name) for name in ("objects", "refs"))
        if not has_parts or os.path.lexists(git_dir / "commondir"):
            return None
        if _is_usual_head(_read(git_dir / "HEAD")) and _is_usual(_read(git_dir / "config")):
            return git_dir
    except (OSError, ValueError):
        pass
    return None


def _is_own_directory(path: Path) -> bool:
    """Whether it is no link and belongs to the user: git refuses those of others."""
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _is_directory(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode) and os.access(path, os.X_OK)


def _read(path: Path) -> bytes:
    """Return the content of a small file, which is no link and no pipe. Raises OSError."""
    descriptor = open_unlinked(path, os.O_RDONLY | NO_WAIT)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError
        data = os.read(descriptor, _MAX_BYTES)
    finally:
        os.close(descriptor)
    if len(data) == _MAX_BYTES:
        raise OSError
    return data


def _is_usual_head(data: bytes) -> bool:
    """Whether HEAD names a branch or a commit."""
    value = data.rstrip(b"\n")
    is_branch = value.startswith(b"ref: refs/heads/") and len(value.split()) == 2
    return is_branch or (len(value) == 40 and _HEX_DIGITS.issuperset(value))


def _is_usual(data: bytes) -> bool:
    """Whether a configuration has plain lines only, and none that moves the repository."""
    text = data.decode("utf-8").lower()
    if any(word in text for word in _UNUSUAL):
        return False
    seen = set()
    for line in text.split("\n"):
        stripped = line.strip(" \t")
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[":
            if not stripped.endswith("]") or stripped.count("]") != 1 or "\\" in stripped:
                return False
            continue
        key, equals, value = (part.strip(" \t") for part in stripped.partition("="))
        is_plain = key.isascii() and key.replace("-", "").isalnum() and key[0].isalpha()
        if not equals or not is_plain or not value.isprintable() or {*value} & {*'"\\#;'}:
            return False
        if _USUAL.get(key, value) != value:
            return False
        seen.add(key)
    return "repositoryformatversion" in seen
