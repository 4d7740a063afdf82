"""The state of embedding in a work tree: the last run, and how far the current one is.

The last run is in the file `embed.json`, written when it starts, so that a killed run is known too.
A clone may contain a file of that name: a file that is not exactly what `write_run` writes counts
as missing.
"""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Status"

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from sdd_hooks.embedding.lock import LockHolder, find_holder
from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.files import read_state, write_atomically

NAME = "embed.json"

STOPPED = "stopped"
"""The `error` of a run that a user ended: no failure."""

_MAX_BYTES = 10_000
_FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "float | None": (int, float, type(None)),
}


@dataclass(frozen=True)
class EmbedRun:
    """One embed, from its start.

    `started` and `finished` are seconds since the epoch; `finished` is None while the embed runs
    and after it was killed. At the start, `pending` chunks of all collections had no vector, and
    `wanted` of those belonged to the selected collections. `log` is "" in the foreground, `error`
    is "" after a success. `failed` counts the chunks that the model refused.
    """

    started: float
    pending: int
    wanted: int
    device: str
    model: str
    log: str = ""
    finished: float | None = None
    embedded: int = 0
    failed: int = 0
    error: str = ""

    @property
    def seconds(self) -> float:
        """How long it took; 0 when it did not end."""
        return 0.0 if self.finished is None else max(self.finished - self.started, 0.0)


@dataclass(frozen=True)
class EmbedStatus:
    """The state of embedding in a repository.

    `running` is the process that embeds now; `elsewhere` says that it was started in another work
    tree. `run` is the running embed, or else the last one in this work tree. `done` is how many of
    its chunks have a vector, None when unknown. Of the chunks without a vector, the last embed
    tried and `failed` on some; it never reached the others, `untried`.
    """

    running: LockHolder | None
    elsewhere: bool
    run: EmbedRun | None
    done: int | None
    failed: int
    untried: int


def embed_status(repository: Repository, pending: int) -> EmbedStatus:
    """The state of embedding in this work tree, where `pending` chunks have no vector now."""
    running = find_holder(repository)
    elsewhere = running is not None and running.root not in {"", str(repository.root)}
    root = Path(running.root) if running is not None and elsewhere else repository.root
    run = read_run(repository._replace(root=root))
    if running is not None and run is not None and run.finished is not None:
        # The running process has not written its state yet.
        run = None
    done = None
    if running is not None and run is not None and not elsewhere:
        done = min(max(run.pending - pending, 0), run.wanted)
    failed = min(run.failed, pending) if run is not None and not elsewhere else 0
    return EmbedStatus(running, elsewhere, run, done, failed, pending - failed)


def write_run(repository: Repository, run: EmbedRun) -> None:
    """Store a run as the last one. A file that cannot be written does not stop the embed."""
    with suppress(StorageError):
        write_atomically(repository.search_dir / NAME, json.dumps(asdict(run)).encode())


def read_run(repository: Repository) -> EmbedRun | None:
    """The last embed of this work tree; None when there is none, or its file is invalid."""
    try:
        text = read_state(repository.search_dir / NAME, _MAX_BYTES)
    except (OSError, StorageError):
        return None
    return parse_run(text)


def parse_run(text: bytes) -> EmbedRun | None:
    """Parse what `write_run` writes; None for anything else."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict):
        return None
    types = {field.name: _FIELD_TYPES[str(field.type)] for field in fields(EmbedRun)}
    if set(values) != set(types):
        return None
    if not all(_is_valid(values[name], kind) for name, kind in types.items()):
        return None
    return EmbedRun(**values)


def _is_valid(value: object, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    # Times are subtracted and counts added: NaN, infinity and negative numbers are refused.
    return not isinstance(value, (int, float)) or 0 <= value < 1e12
