"""What a path is, told the same way on each Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sdd_hooks.system.files import is_directory, is_regular_file
from tests.support.programs import run_program
from tests.support.users import without_rights_of_root


@pytest.mark.parametrize(
    ("name", "directory", "file"),
    [
        ("folder", True, False),
        ("file", False, True),
        ("link", True, False),
        ("missing", False, False),
        ("file/below", False, False),
        ("loop", False, False),
    ],
)
def test_what_a_path_is(tmp_path: Path, name: str, directory: bool, file: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "loop").symlink_to("loop")
    assert is_directory(tmp_path / name) is directory
    assert is_regular_file(tmp_path / name) is file


def test_a_refusal_is_not_an_absence(tmp_path: Path) -> None:
    """Without the rights of root, for which no directory is closed."""
    closed = tmp_path / "closed"
    (closed / "inner").mkdir(parents=True)
    code = (
        "from pathlib import Path; from sdd_hooks.system.files import is_directory\n"
        f"is_directory(Path({str(closed / 'inner')!r}))"
    )
    closed.chmod(0)
    done = run_program(*without_rights_of_root(sys.executable, "-c", code), check=False)
    closed.chmod(0o755)
    assert done.returncode == 1
    assert "PermissionError" in done.stderr
