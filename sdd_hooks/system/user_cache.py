"""What is remembered for a person, not for a repository: small JSON files in their cache directory.

They save a slow question (which version, which device, how fast) and may be deleted at any time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import write_atomically

LARGEST = 100_000
"""Bytes read of a file: ours are far smaller."""


def cache_directory(environ: Mapping[str, str]) -> Path:
    """Where sdd's files for this person are: `$XDG_CACHE_HOME/sdd`, else `~/.cache/sdd`."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        base = str(Path(environ.get("HOME") or Path.home()) / ".cache")
    return Path(base) / "sdd"


def recall(name: str, environ: Mapping[str, str]) -> dict[str, object]:
    """What was remembered under `name`; {} when there is nothing, or nothing that can be read."""
    try:
        with (cache_directory(environ) / f"{name}.json").open("rb") as file:
            found = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(name: str, facts: Mapping[str, object], environ: Mapping[str, str]) -> None:
    """Keep `facts` under `name` in place of what was there. Where that fails, nothing is kept."""
    path = cache_directory(environ) / f"{name}.json"
    with suppress(OSError, StorageError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(facts).encode())
