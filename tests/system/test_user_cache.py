"""Cached facts are read as they were written, and no problem with them is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.system.user_cache import (
    read_cached,
    user_cache_directory,
    write_cached,
)


def test_facts_are_read_as_they_were_written(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    write_cached("speed", {"cpu": 12.5}, environ)
    write_cached("speed", {"cpu": 13.5}, environ)
    assert read_cached("speed", environ) == {"cpu": 13.5}
    assert read_cached("version", environ) == {}


def test_the_directory_follows_the_environment(tmp_path: Path) -> None:
    assert user_cache_directory({"XDG_CACHE_HOME": "/var/cache/ada"}) == Path("/var/cache/ada/sdd")
    home = {"HOME": str(tmp_path)}
    assert user_cache_directory(home) == tmp_path / ".cache/sdd"
    assert user_cache_directory({**home, "XDG_CACHE_HOME": "relative"}) == tmp_path / ".cache/sdd"


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff", b"[" * 50_000, b'"text"'])
def test_unreadable_facts_are_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sdd").mkdir()
    (tmp_path / "sdd/speed.json").write_bytes(content)
    assert read_cached("speed", {"XDG_CACHE_HOME": str(tmp_path)}) == {}


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "sdd").mkdir()
    (home / "sdd/speed.json").write_bytes(content)
    assert isinstance(read_cached("speed", {"XDG_CACHE_HOME": str(home)}), dict)


def test_a_directory_that_cannot_be_written_is_not_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environ = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    write_cached("speed", {"cpu": 1}, environ)
    assert read_cached("speed", environ) == {}
