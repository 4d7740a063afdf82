import errno
import stat

from sdd_hooks.cli.crash_log import cache_directory, refusal, write_log


def test_a_log_is_for_its_owner_only(tmp_path):
    error = KeyError("né\udcff")
    path = write_log(error, ["search", "x"], {"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert path.parent == tmp_path / "cache" / "sdd-hooks"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    text = path.read_text()
    assert "arguments: ['search', 'x']" in text
    assert text.endswith("KeyError: 'né\\udcff'\n")


def test_no_place_for_a_log_is_no_second_failure(tmp_path):
    (tmp_path / "file").write_text("")
    assert write_log(KeyError("x"), [], {"XDG_CACHE_HOME": str(tmp_path / "file")}) is None


def test_the_cache_directory_is_where_the_user_says(tmp_path):
    assert cache_directory({"XDG_CACHE_HOME": "/c"}).as_posix() == "/c/sdd-hooks"
    for useless in ({}, {"XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "relative"}):
        assert cache_directory(useless).parts[-2:] == (".cache", "sdd-hooks")


def test_refusals_of_the_system_are_no_bugs():
    full = refusal(OSError(errno.ENOSPC, "No space left on device"))
    assert str(full) == "cannot use the output: the disk is full"
    denied = refusal(PermissionError(errno.EACCES, "no", "/etc/x"))
    assert str(denied) == "cannot use /etc/x: permission denied"
    assert refusal(OSError(errno.EBADF, "no")) is None
    assert refusal(ValueError("no")) is None
