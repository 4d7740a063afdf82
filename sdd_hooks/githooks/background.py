"""A refresh that goes on after the hook has returned."""

# Governing: ADR-0005 (hook shims decide in sh), SPEC-0004 REQ "Background refresh",
# SPEC-0007 REQ "After an event of git"

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.githooks.lines import failure_line
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.detached import claim_log, open_log, start_detached

LOG = "refresh.log"


def start(repository: Repository, collections: Sequence[str]) -> None:
    """Start a refresh of `collections` (none: those the index has) and return at once.

    What it says goes into `.sdd/search/refresh.log`, locked for as long as it runs.

    Raises OSError, and StorageError where that is no file to write to.
    """
    repository.search_dir.mkdir(parents=True, exist_ok=True)
    log = open_log(repository.search_dir / LOG, private=False)
    try:
        # While another one is writing, its words stay, and these come after.
        claim_log(log)
        start_detached(__name__, [str(repository.root), *collections], repository.environ, log=log)
    finally:
        os.close(log)


def main(arguments: Sequence[str]) -> None:
    """The process that `start` starts: the top of the work tree, then names of collections."""
    from sdd_hooks.freshness.refresh import RefreshOptions
    from sdd_hooks.project.project import load_project
    from sdd_hooks.usecases.refresh import refresh_index

    root, *names = arguments
    try:
        project = load_project(Path(root), os.environ)
        wanted = [one for one in project.collections if one.name in names]
        update = refresh_index(
            project, wanted if names else None, RefreshOptions(wait=0.0), pull=True
        )
    except NotIndexed:
        return
    except SddError as error:
        sys.stderr.write(failure_line(error, Path(root), os.environ))
        return
    total = update.result.total
    sys.stdout.write(
        f"{total.added} added, {total.updated} updated, {total.removed} removed,"
        f" {total.unchanged} unchanged\n"
    )
