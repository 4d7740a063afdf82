"""What is remembered for a person comes back as it was, and never stands in the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.system.user_cache import cache_directory, recall, remember


def test_what_is_remembered_is_recalled(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    remember("speed", {"cpu": 12.5}, environ)
    remember("speed", {"cpu": 13.5}, environ)
    assert recall("speed", environ) == {"cpu": 13.5}
    assert recall("version", environ) == {}


def test_the_directory_is_where_the_person_keeps_caches(tmp_path: Path) -> None:
    assert cache_directory({"XDG_CACHE_HOME": "/var/cache/ada"}) == Path("/var/cache/ada/sdd")
    home = {"HOME": str(tmp_path)}
    assert cache_directory(home) == tmp_path / ".cache/sdd"
    assert cache_directory({**home, "XDG_CACHE_HOME": "relative"}) == tmp_path / ".cache/sdd"


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff", b"[" * 50_000, b'"text"'])
def test_what_cannot_be_read_is_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "sdd").mkdir()
    (tmp_path / "sdd/speed.json").write_bytes(content)
    assert recall("speed", {"XDG_CACHE_HOME": str(tmp_path)}) == {}


@given(content=st.binary(max_size=200))
def test_any_bytes_are_survived(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "sdd").mkdir()
    (home / "sdd/speed.json").write_bytes(content)
    assert isinstance(recall("speed", {"XDG_CACHE_HOME": str(home)}), dict)


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    environ = {"XDG_CACHE_HOME": str(tmp_path / "file")}
    remember("speed", {"cpu": 1}, environ)
    assert recall("speed", environ) == {}
