"""After what came from elsewhere, take the vectors that came with it, and embed what is left.

git does not wait: it pays for starting a process, which finds out whether there is anything to do.
"""

# Governing: ADR-0025 (vectors travel in a git ref), SPEC-0013 REQ "After a merge"

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdd_hooks.embedding.backfill import should_backfill, start_backfill
from sdd_hooks.embedding.policy import in_ci
from sdd_hooks.errors import SddError
from sdd_hooks.system import detached

if TYPE_CHECKING:
    from sdd_hooks.freshness.refresh import RefreshResult
    from sdd_hooks.project.project import Project

BACKFILL = "backfill"


def brings(event: str, arguments: Sequence[str]) -> bool:
    """Whether a git hook is told of what others may have made: what is committed here, nobody else
    has embedded."""
    return event != "post-commit" and list(arguments[:1]) != ["amend"]


def follow(project: Project, update: RefreshResult, *, pull: bool = True) -> bool:
    """Start what gives a vector to what `update` made: a pull where vectors are shared, then what a
    backfill does; without `pull` that alone.

    Returns whether a process was started, and raises nothing.
    """
    total = update.total
    shared = pull and project.configuration.search.share_vectors and not in_ci(project.environ)
    if not shared or not total.added + total.updated:
        return start_backfill(project, total)
    then = [BACKFILL] if should_backfill(project, total) else []
    with suppress(OSError):
        detached.start_detached(__name__, [str(project.repository.root), *then], project.environ)
        return True
    return False


def main(arguments: Sequence[str]) -> None:
    """The process that `follow` starts: the top of the work tree, and whether to embed."""
    root, *then = arguments
    # Nobody asked for this, and a machine that is offline is nobody's mistake.
    with suppress(SddError):
        _pull(Path(root))
    if then == [BACKFILL]:
        from sdd_hooks.embedding import backfill as after

        after.main([root])


def _pull(root: Path) -> None:
    from sdd_hooks.engines.registry import open_engine
    from sdd_hooks.project.project import load_project
    from sdd_hooks.sharing.pull import pull

    project = load_project(root, os.environ)
    with closing(open_engine(project)) as engine:
        if engine.coverage().pending:
            pull(project, engine, wait=0.0)
