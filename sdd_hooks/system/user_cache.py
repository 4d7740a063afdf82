"""Facts cached for a user, not for a repository: small JSON files in the user's cache directory.

They save slow measurements and requests (a version, a device, a rate), and may be deleted at any
time. The directory also has the logs of crashes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.system.files import write_atomically

MAX_FILE_BYTES = 100_000
"""Bytes that are read of a file. The files of this package are far smaller."""


def user_cache_directory(environ: Mapping[str, str]) -> Path:
    """Return `$XDG_CACHE_HOME/sdd`, else `~/.cache/sdd`. Raises RuntimeError without a home."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # noqa: PTH117 (text)
        base = str(Path(environ.get("HOME") or Path.home()) / ".cache")
    return Path(base) / "sdd"


def make_user_cache(environ: Mapping[str, str]) -> Path:
    """Create the cache directory if it is missing, and return it.

    Raises OSError, and RuntimeError without a home.
    """
    directory = user_cache_directory(environ)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return directory


def read_cached(name: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Return the facts that are cached under `name`; {} without any, or if they are unreadable."""
    try:
        with (user_cache_directory(environ) / f"{name}.json").open("rb") as file:
            facts = json.loads(file.read(MAX_FILE_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def write_cached(name: str, facts: Mapping[str, object], environ: Mapping[str, str]) -> None:
    """Replace the facts that are cached under `name`. A failure to write is ignored."""
    with suppress(OSError, RuntimeError, StorageError):
        path = make_user_cache(environ) / f"{name}.json"
        write_atomically(path, json.dumps(facts).encode())
