"""A refresh that goes on after the hook has returned.

It is a process of its own with none of the hook's descriptors: whoever reads the output of the git
command must not wait for it.
"""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Background refresh"

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.githooks.lines import one_line
from sdd_hooks.project.git import environment
from sdd_hooks.project.repository import Repository

LOG = "refresh.log"

# The first argument takes the place of the working directory on the module path: the directory
# of the package, so that no file of a repository is ever imported.
_PROGRAM = (
    "import sys; sys.path[0] = sys.argv[1];"
    " from sdd_hooks.githooks.background import main; main(sys.argv[2:])"
)
_PACKAGE = Path(__file__).resolve().parents[2]


def start(repository: Repository, environ: Mapping[str, str], collections: Sequence[str]) -> None:
    """Start a refresh of `collections` (none: those the index has) and return at once.

    What it says goes into `.sdd/search/refresh.log`, locked for as long as it runs. Raises OSError.
    """
    repository.search_dir.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    log = os.open(repository.search_dir / LOG, flags, 0o666)
    try:
        # While another one is writing, its words stay.
        with suppress(BlockingIOError):
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(log, 0)
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, _PACKAGE, repository.root, *collections],
            cwd="/",
            env=environment(environ),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)
    # Left to itself on purpose: nobody will ask how it ended.
    process.returncode = 0


def main(arguments: Sequence[str]) -> None:
    """The process that `start` starts: the top of the work tree, then names of collections."""
    from sdd_hooks.freshness.refresh import refresh
    from sdd_hooks.project.project import load_project

    root, *names = arguments
    try:
        project = load_project(Path(root))
        wanted = [one for one in project.collections if one.name in names]
        total = refresh(project, collections=wanted if names else None, wait=0.0).total
    except NotIndexed:
        return
    except SddError as error:
        reason = one_line(str(error))
        sys.stderr.write(f"sdd: index refresh failed — run `sdd index update` ({reason})\n")
        return
    sys.stdout.write(
        f"{total.added} added, {total.updated} updated, {total.removed} removed,"
        f" {total.unchanged} unchanged\n"
    )
