"""Copies of repositories, with their decision records and without them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.sdd import COMMAND
from sdd_hooks.project.project import load_project

MAX_BYTES = 2 << 20
"""A larger file is left out."""


def copy_tree(clone: Path, commit: str, target: Path, environ: Mapping[str, str]) -> None:
    """Create a repository at `target` with the files of a commit.

    Files that the clone lacks are left out, and so are links. Raises CalledProcessError.
    """
    listed = _git(clone, environ, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    entries = [line.partition(b"\t") for line in listed if line.startswith(b"100")]
    request = b"".join(entry[0].split()[2] + b"\n" for entry in entries)
    read = _git(clone, environ, "cat-file", "--batch", input=request)
    position = 0
    for _, _, name in entries:
        end = read.index(b"\n", position)
        header = read[position:end].split()
        position = end + 1
        if header[-1] == b"missing":
            continue
        data = read[position : position + int(header[2])]
        position += int(header[2]) + 1
        path = target / os.fsdecode(name)
        if len(data) <= MAX_BYTES and ".git" not in path.parts:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    _git(target, environ, "init", "-q", "-b", "main")
    _git(target, environ, "add", "-A", "--force")
    _git(target, environ, "commit", "-q", "-m", "Copy")


def hide_records(root: Path, environ: Mapping[str, str]) -> int:
    """Delete the decision records and specifications of a copy. Returns how many there were."""
    project = load_project(root, environ)
    collections = [one for one in project.collections if one.kind in ("adrs", "specs")]
    names = _git(root, environ, "ls-files", "-z").split(b"\0")
    paths = [os.fsdecode(name) for name in names if name]
    hidden = [path for path in paths if any(one.contains(path) for one in collections)]
    for path in hidden:
        (root / path).unlink()
    _git(root, environ, "commit", "-q", "--allow-empty", "-a", "-m", "Hide")
    return len(hidden)


def index_records(root: Path, environ: Mapping[str, str], model: Path | None) -> None:
    """Index the decision records of a copy, and embed them with the model in a folder.

    Raises CalledProcessError.
    """
    if model:
        memory = root / "CLAUDE.md"
        text = memory.read_text("utf-8", "replace") if memory.is_file() else ""
        setting = f"- **Embed Model**: {model}\n"
        section = f"\n### SDD Configuration\n\n#### Search\n\n{setting}"
        memory.write_text(text + section, "utf-8")
    commands = [["index", "add", "--kind", "adrs"]]
    if model:
        commands.append(["index", "embed", "--foreground"])
    for command in commands:
        subprocess.run([COMMAND, *command], cwd=root, env=environ, check=True, capture_output=True)


def _git(root: Path, environ: Mapping[str, str], *args: str, input: bytes | None = None) -> bytes:
    command = ["git", "-c", "safe.directory=*", *args]
    done = subprocess.run(
        command, cwd=root, env=environ, input=input, check=True, capture_output=True
    )
    return done.stdout
