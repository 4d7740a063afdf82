"""One holder at a time, across processes, and none after a death."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.system.locks import held

HOLDER = """
import sys
from pathlib import Path
from sdd_hooks.system.locks import held
with held(Path(sys.argv[1]), 0) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    return process


def test_a_second_holder_is_told_at_once(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        with held(tmp_path / "lock", 0) as mine:
            assert not mine
        process.kill()


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        process.kill()
        with held(tmp_path / "lock", 10) as mine:
            assert mine


def test_it_waits_for_the_other(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        assert process.stdin is not None
        process.stdin.close()
        with held(tmp_path / "lock", 10) as mine:
            assert mine


def test_a_lock_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError), held(tmp_path / "lock", 0):
        pass
    assert not (tmp_path / "elsewhere").exists()
