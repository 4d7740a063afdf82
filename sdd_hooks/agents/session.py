"""What a session of an agent was told, so that it is told once.

A session is a small file in the git directory, named by a digest of its id.
"""

# Governing: SPEC-0029 REQ "Once a session"

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from sdd_hooks.errors import SddError
from sdd_hooks.named_tuple import NamedTuple

MAX_BYTES = 1 << 20
MAX_HANDED = 1_000
"""Sentences of a session that are remembered."""
KEPT_SECONDS = 14 * 86_400
"""How long a session is kept after its last edit."""
_PREFIX = "session-"


class Session(NamedTuple):
    """The prompt of a session, and the records it was told about, by path and line."""

    prompt: str = ""
    handed: tuple[str, ...] = ()


def load_session(folder: Path, id: str) -> Session:
    """Load a session; an empty one where there is none, or it cannot be read."""
    from sdd_hooks.system.files import read_state

    try:
        data = json.loads(read_state(_path(folder, id), MAX_BYTES))
        prompt, handed = data["prompt"], data["handed"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError, SddError):
        return Session()
    if not isinstance(prompt, str) or not isinstance(handed, list):
        return Session()
    return Session(prompt, tuple(one for one in handed if isinstance(one, str)))


def store_session(folder: Path, id: str, session: Session) -> None:
    """Store a session, for this user only. Raises OSError, StorageError."""
    from sdd_hooks.system.files import write_atomically

    folder.mkdir(parents=True, exist_ok=True)
    data = {"prompt": session.prompt, "handed": session.handed[-MAX_HANDED:]}
    path = _path(folder, id)
    write_atomically(path, json.dumps(data).encode())
    path.chmod(0o600)


def remove_old_sessions(folder: Path) -> None:
    """Remove the sessions that ended long ago."""
    oldest = time.time() - KEPT_SECONDS
    with suppress(OSError):
        for entry in os.scandir(folder):
            if (
                entry.name.startswith(_PREFIX)
                and entry.stat(follow_symlinks=False).st_mtime < oldest
            ):
                os.unlink(entry.path)  # noqa: PTH108


def _path(folder: Path, id: str) -> Path:
    data = id.encode("utf-8", "surrogatepass")
    return folder / f"{_PREFIX}{crc32(data):08x}{crc32(data[::-1]):08x}.json"
