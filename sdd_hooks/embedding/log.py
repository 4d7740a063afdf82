"""Where an embed in the background says what it did: `/tmp/qmd-embed-{repo}.log`."""

# Governing: ADR-0016 (embedding in the background), SPEC-0008 REQ "Log"

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from sdd_hooks.errors import StorageError
from sdd_hooks.project.repository import Repository
from sdd_hooks.system.detached import LogOfAnother, claim, open_log

DIRECTORY = Path("/tmp")  # noqa: S108 (opened so that nobody else can have a hand in it)

# A file name ends at 255 bytes.
_LONGEST_SLUG = 200


def open_embed_log(repository: Repository, directory: Path = DIRECTORY) -> tuple[int, Path]:
    """The log of this repository, open, empty and locked for as long as it is open, and its path.

    Where another repository of the same name has that log, or another user, it is one with a digest
    of where this repository is.

    Raises StorageError, which names the log that cannot be used.
    """
    stem = f"qmd-embed-{repository.slug[:_LONGEST_SLUG]}"
    digest = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:8]
    path = directory / f"{stem}.log"
    with suppress(LogOfAnother):
        log = open_log(path, private=True)
        if claim(log):
            return log, path
        os.close(log)
    path = directory / f"{stem}-{digest}.log"
    log = open_log(path, private=True)
    if not claim(log):
        os.close(log)
        raise StorageError(f"the log {path} is being written by another process: try again later")
    return log, path
