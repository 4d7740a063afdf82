"""A refresh in a background process, after the hook has returned."""

# Governing: ADR-0005 (hook shims decide in sh), ADR-0012 (untrusted input never leaves the
# repository), SPEC-0004 REQ "Background refresh", SPEC-0007 REQ "After an event of git"

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdd_hooks.errors import NotIndexed, SddError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.detached import claim_log, open_log, start_detached
from sdd_hooks.text.display import describe_error, one_line

LOG = "refresh.log"


def start_refresh(repository: Repository, collections: Sequence[str]) -> None:
    """Start a refresh of `collections` (none: those of the index) and return immediately.

    The process writes its output to `.sdd/search/refresh.log`, and locks the file while it runs.

    Raises OSError, and StorageError where the log cannot be written.
    """
    repository.search_dir.mkdir(parents=True, exist_ok=True)
    log = open_log(repository.search_dir / LOG, private=False)
    try:
        # While another refresh has the lock, its output is kept, and this one appends.
        claim_log(log)
        start_detached(__name__, [str(repository.root), *collections], repository.environ, log=log)
    finally:
        os.close(log)


def failure_line(error: Exception, directory: Path, environ: Mapping[str, str]) -> str:
    """The line about a refresh that failed in a directory of a work tree. Raises nothing."""
    from sdd_hooks.freshness.tiers import failed_refresh_warning

    try:
        from sdd_hooks.freshness.hook_state import indexed_names
        from sdd_hooks.project.repository import discover

        names = indexed_names(discover(directory, environ))
    except Exception:
        # The cause of the failure may prevent the lookup of names, too.
        names = ["the current directory"]
    return f"sdd: {one_line(failed_refresh_warning(names))} ({describe_error(error)})\n"


def main(arguments: Sequence[str]) -> None:
    """Run the background process. Arguments: the top of the work tree, names of collections."""
    from sdd_hooks.freshness.refresh import RefreshOptions
    from sdd_hooks.project.project import load_project
    from sdd_hooks.usecases.upkeep.refresh import refresh_index

    root, *names = arguments
    try:
        project = load_project(Path(root), os.environ)
        collections = [collection for collection in project.collections if collection.name in names]
        options = RefreshOptions(wait=0.0)
        update = refresh_index(project, collections if names else None, options, pull=True)
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
