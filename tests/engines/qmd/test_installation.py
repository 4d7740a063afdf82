from __future__ import annotations

import os
from pathlib import Path

import pytest

from sdd_hooks.engines.qmd.installation import Installation, find, inherited
from sdd_hooks.errors import EngineUnavailable
from sdd_hooks.system.user_cache import user_cache_directory
from tests.engines.qmd.fakes import environment, program
from tests.support.qmd import RealQmd

NOT_FOUND = (
    "qmd CLI not found. Install it with `npm install -g @tobilu/qmd` (or"
    " `bun install -g @tobilu/qmd`), then run `sdd init` again. See"
    " https://github.com/tobi/qmd for details."
)


def counting(path: Path, version: str) -> Path:
    """A qmd that says this version, and adds a line to `asked` each time."""
    return program(path, f"echo x >>'{path.parent}/asked'; echo 'qmd {version} (abc)'")


def times_asked(path: Path) -> int:
    return (path.parent / "asked").read_text().count("x")


def test_the_real_one(real_qmd: RealQmd) -> None:
    found = find(real_qmd.environ)
    assert found.version >= (2, 8, 0)
    assert Path(found.command).is_absolute()


def test_none_at_all(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        find(environment(tmp_path))
    assert str(raised.value) == NOT_FOUND
    assert raised.value.exit_code == 6
    with pytest.raises(EngineUnavailable):
        find({})


def test_relative_entries_directories_and_plain_files_are_passed_over(tmp_path: Path) -> None:
    here = os.path.relpath(program(tmp_path / "here/qmd", "echo qmd 2.9.9").parent)
    assert Path(here, "qmd").exists()
    (tmp_path / "a/qmd").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/qmd").write_text("#!/bin/sh\n")
    environ = environment(tmp_path, tmp_path / "a", tmp_path / "b")
    with pytest.raises(EngineUnavailable, match="not found"):
        find({**environ, "PATH": f".::{here}:{environ['PATH']}"})
    good = program(tmp_path / "c/qmd", "echo qmd 2.9.1")
    found = find({**environ, "PATH": f"{environ['PATH']}:{good.parent}"})
    assert found == Installation(str(good), (2, 9, 1))


@pytest.mark.parametrize("version", ["2.7.0", "1.99.12", "0.0.1"])
def test_too_old(tmp_path: Path, version: str) -> None:
    old = program(tmp_path / "bin/qmd", f"echo qmd {version}")
    with pytest.raises(EngineUnavailable) as raised:
        find(environment(tmp_path, old.parent))
    assert str(raised.value) == (
        f"qmd {version} at {old} is too old: sdd needs 2.8 or later,"
        " update it with `npm install -g @tobilu/qmd`"
    )


@pytest.mark.parametrize("version", ["2.8.0", "2.10.1", "3.0.0"])
def test_new_enough_by_number(tmp_path: Path, version: str) -> None:
    good = program(tmp_path / "bin/qmd", f"echo qmd {version}")
    found = find(environment(tmp_path, good.parent))
    assert ".".join(map(str, found.version)) == version


@pytest.mark.parametrize("script", ["exit 0", "echo nonsense", "echo boom >&2; exit 1"])
def test_one_that_does_not_run(tmp_path: Path, script: str) -> None:
    bad = program(tmp_path / "bin/qmd", script)
    with pytest.raises(EngineUnavailable, match=f"^{bad} does not say which qmd it is "):
        find(environment(tmp_path, bad.parent))


def test_its_version_is_asked_once(tmp_path: Path) -> None:
    qmd = counting(tmp_path / "bin/qmd", "2.8.3")
    environ = environment(tmp_path, qmd.parent)
    assert find(environ) == find(environ) == Installation(str(qmd), (2, 8, 3))
    assert times_asked(qmd) == 1
    # Another file in its place is asked again, one of the same size and times too.
    before = qmd.stat()
    counting(tmp_path / "bin/new", "2.9.0").replace(qmd)
    os.utime(qmd, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert find(environ).version == (2, 9, 0)
    assert times_asked(qmd) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"file": 1, "version": []}', b"\xff" * 99])
def test_a_damaged_cache_is_asked_again(tmp_path: Path, damage: bytes) -> None:
    qmd = counting(tmp_path / "bin/qmd", "2.8.3")
    environ = environment(tmp_path, qmd.parent)
    find(environ)
    (user_cache_directory(environ) / "qmd.json").write_bytes(damage)
    assert find(environ).version == (2, 8, 3)
    assert times_asked(qmd) == 2


def test_what_qmd_gets_to_see() -> None:
    seen = inherited(
        "/opt/qmd/bin/qmd",
        {
            "PATH": "/usr/bin",
            "HOME": "/home/ada",
            "CI": "true",
            "FORCE_COLOR": "1",
            "GIT_DIR": "/x/.git",
            "GIT_INDEX_FILE": "/x/index",
            "INDEX_PATH": "/x",
            "QMD_CONFIG_DIR": "/x",
            "QMD_FORCE_CPU": "1",
            "QMD_HOST": "0.0.0.0",
            "QMD_TRUST_UPDATE_HOOKS": "1",
        },
    )
    assert seen == {
        "PATH": "/opt/qmd/bin:/usr/bin",
        "HOME": "/home/ada",
        "QMD_FORCE_CPU": "1",
        "NO_COLOR": "1",
    }
