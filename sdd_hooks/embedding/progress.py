"""How far an embed is, and how the last one ended."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Status"

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sdd_hooks.embedding.lock import Holder, holder
from sdd_hooks.embedding.state import Run, read_run
from sdd_hooks.project.repository import Repository


@dataclass(frozen=True)
class Embedding:
    """What is known of embedding in a repository.

    `running` is who embeds now, `elsewhere` whether that was asked for in another work tree. `run`
    is that embed, or else the last one here. `done` is how many of the chunks that it was asked for
    have a vector; None where that is not known. Of the chunks that have none, the last embed tried
    `failed` in vain; the others, `untried`, it never came to.
    """

    running: Holder | None
    elsewhere: bool
    run: Run | None
    done: int | None
    failed: int
    untried: int


def embedding_of(repository: Repository, pending: int) -> Embedding:
    """What is known of embedding here, where `pending` chunks have no vector now."""
    running = holder(repository)
    elsewhere = running is not None and running.root not in {"", str(repository.root)}
    root = Path(running.root) if running is not None and elsewhere else repository.root
    run = read_run(replace(repository, root=root))
    if running is not None and run is not None and run.finished is not None:
        # It has not written anything yet.
        run = None
    done = None
    if running is not None and run is not None and not elsewhere:
        done = min(max(run.pending - pending, 0), run.wanted)
    failed = min(run.failed, pending) if run is not None and not elsewhere else 0
    return Embedding(running, elsewhere, run, done, failed, pending - failed)
