"""What a qmd that failed said becomes one line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.failures import failure
from sdd_hooks.engines.qmd.group import ProgramResult
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.errors import EngineUnavailable, IndexDamaged, StorageError

PLACE = Place(Path("/r"), Path("/r/q"))


@pytest.mark.parametrize(
    ("err", "kind", "said"),
    [
        (
            "SqliteError: file is not a database\n    at x",
            IndexDamaged,
            "/r/q/index.sqlite is damaged: run `sdd index update`",
        ),
        ("database disk image is malformed", IndexDamaged, "/r/q/index.sqlite is damaged: run"),
        ("SqliteError: database is locked", StorageError, "is locked by another process: try"),
        ("database or disk is full", StorageError, "no space left to write /r/q/index.sqlite:"),
        (
            "attempt to write a readonly database",
            StorageError,
            "cannot use /r/q/index.sqlite (attempt to write a readonly database): check its",
        ),
        ("\x1b[31mModel gone\x1b[0m\nat", EngineUnavailable, "qmd update failed: Model gone"),
        ("", EngineUnavailable, "qmd update failed: it failed without a word"),
    ],
)
def test_a_failure_says_what_to_do(err: str, kind: type[Exception], said: str) -> None:
    error = failure("update", ProgramResult(1, "", err), PLACE)
    assert type(error) is kind
    assert said in str(error)
    assert "\n" not in str(error)
