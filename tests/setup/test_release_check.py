"""The newest release is what pip or uv would install; another answer is none."""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from sdd_hooks.setup.release_check import find_newest
from sdd_hooks.system.installation import RunningProgram
from tests.setup.test_release_note import write_wheel


def answers(top: Path, name: str, script: str) -> Path:
    """A program that runs a script of sh."""
    top.mkdir(exist_ok=True)
    path = top / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def program_with(python: Path, *, pip: bool = True) -> RunningProgram:
    return RunningProgram(Distribution.at(python.parent), python, python.parent, pip)


def report(*versions: object) -> str:
    return json.dumps({"install": [{"metadata": {"version": one}} for one in versions]})


def test_pip_chooses_among_what_this_python_can_install(tmp_path: Path) -> None:
    write_wheel(tmp_path, "98.1")
    write_wheel(tmp_path, "99.0rc1")
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    program = program_with(Path(sys.executable))
    assert find_newest(program, {**os.environ, **index}) == "98.1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "[" * 100_000,
        '{"install": {}}',
        '{"install": [{}]}',
        '{"install": [3]}',
        report(),
        report("1.0", "2.0"),
        report(None),
        report("1.0\x1b[2J"),
        report("1.0; rm -rf /"),
        report("1.0rc1"),
        report("9" * 5000),
        "\udcff{",
    ],
)
def test_another_report_is_no_answer(tmp_path: Path, text: str) -> None:
    (tmp_path / "report").write_bytes(text.encode("utf-8", "surrogateescape"))
    python = answers(tmp_path, "python", f"cat '{tmp_path}/report'")
    assert find_newest(program_with(python), os.environ) == ""


def test_an_endless_or_late_answer_is_none(tmp_path: Path) -> None:
    long = answers(tmp_path, "python", "head -c 60000000 /dev/zero")
    assert find_newest(program_with(long), os.environ) == ""
    late = answers(tmp_path, "python", "exec sleep 100")
    assert find_newest(program_with(late), os.environ, deadline=0.01) == ""


def test_a_failure_is_no_answer(tmp_path: Path) -> None:
    python = answers(tmp_path, "python", f"echo '{report('99.0')}'; exit 1")
    assert find_newest(program_with(python), os.environ) == ""


@pytest.mark.parametrize(
    ("printed", "newest"),
    [
        (" + sdd-hooks==99.0.1", "99.0.1"),
        (" + sdd-hooks==99.0rc1", ""),
        (" + other==99.0", ""),
        ("Would make no changes", ""),
    ],
)
def test_without_pip_uv_is_asked(tmp_path: Path, printed: str, newest: str) -> None:
    uv = answers(
        tmp_path / "bin", "uv", f"printf '%s\n' \"$*\" >'{tmp_path}/asked'; echo '{printed}' >&2"
    )
    environ = {"PATH": f"{uv.parent}:/usr/bin:/bin"}
    assert find_newest(program_with(tmp_path / "python", pip=False), environ) == newest
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith("pip install --dry-run ")
    assert asked.endswith(" sdd-hooks\n")


def test_a_uv_of_the_current_directory_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(tmp_path, "uv", "echo ' + sdd-hooks==99.0' >&2")
    monkeypatch.chdir(tmp_path)
    program = program_with(tmp_path / "python", pip=False)
    assert find_newest(program, {"PATH": "."}) == ""
    assert find_newest(program, {"PATH": "/nonexistent"}) == ""
