import stat

from sdd_hooks.cli.shared.crash_log import write_log


def test_only_the_owner_can_read_a_log(tmp_path):
    error = KeyError("né\udcff")
    path = write_log(error, ["search", "x"], {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert path.parent == tmp_path / "cache" / "sdd"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    text = path.read_text()
    assert "arguments: ['search', 'x']" in text
    assert text.endswith("KeyError: 'né\\udcff'\n")


def test_a_log_that_cannot_be_written_is_not_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert write_log(KeyError("x"), [], {"XDG_CACHE_HOME": str(tmp_path / "file")}) is None
