"""An open directory, by a descriptor and by its path, as on Windows."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sdd_hooks.system.open_directory import OpenDirectory, _without_descriptor, open_directory

Open = Callable[[Path], OpenDirectory]
both = pytest.mark.parametrize("opened", [open_directory, _without_descriptor])


def write(directory: OpenDirectory, name: str, data: bytes) -> None:
    descriptor = directory.open_file(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    os.write(descriptor, data)
    os.close(descriptor)


@both
def test_files_are_written_renamed_listed_and_removed(opened: Open, tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as top:
        top.create_directory("issues")
        with closing(top.enter("issues")) as directory:
            write(directory, "half", b"new")
            write(directory, "1.md", b"old")
            directory.rename("half", "1.md")
            assert (tmp_path / "issues/1.md").read_bytes() == b"new"
            assert directory.status("1.md").st_size == 3
            with directory.entries() as entries:
                assert [entry.name for entry in entries] == ["1.md"]
            directory.remove("1.md")
            with pytest.raises(FileNotFoundError):
                directory.status("1.md")


@both
def test_a_link_is_not_followed(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    (tmp_path / "inside").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "door").symlink_to(tmp_path / "inside")
    with closing(opened(tmp_path)) as directory:
        with pytest.raises(OSError):
            directory.open_file("link", os.O_RDONLY)
        with pytest.raises(OSError):
            directory.enter("door")
        assert directory.status("link").st_mode != directory.status("file").st_mode


@both
def test_a_missing_directory_and_a_file_in_its_place(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "none")
    with pytest.raises(NotADirectoryError):
        opened(tmp_path / "file")
    with closing(opened(tmp_path)) as directory, pytest.raises(FileNotFoundError):
        directory.enter("none")
