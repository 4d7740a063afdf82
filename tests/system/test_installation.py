"""The commands that install a missing part, for every way to install sdd."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile
from dataclasses import replace
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from sdd_hooks.system.installation import (
    RunningProgram,
    advise_extra,
    advise_package,
    find_running_program,
)
from tests.support.programs import run_program

METADATA = """\
Metadata-Version: 2.4
Name: sdd-hooks
Version: 1.2
Provides-Extra: llm
Provides-Extra: local
Provides-Extra: shell
Provides-Extra: all
Requires-Dist: click>=8.1
Requires-Dist: llm-of-another-world>=0.19; extra == 'llm'
Requires-Dist: numpy-of-another-world>=2.1; extra == 'local'
Requires-Dist: tokenizers-of-another-world>=0.21; extra == "local"
Requires-Dist: click; extra == 'shell'
Requires-Dist: sdd-hooks[llm,local]; extra == 'all'
"""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
DEPENDENCIES = "'numpy-of-another-world>=2.1' 'tokenizers-of-another-world>=0.21'"


def install(top: Path, direct: object = None, *, marker: str = "", pip: bool = True):
    """An installation in `top`, made from `direct`, by the tool that writes the file `marker`."""
    metadata = top / "lib/sdd_hooks-1.2.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(METADATA)
    if direct is not None:
        text = direct if isinstance(direct, str) else json.dumps(direct)
        (metadata / "direct_url.json").write_text(text)
    if marker:
        (top / marker).touch()
    return RunningProgram(Distribution.at(metadata), top / "bin/python", top, pip)


def folder_of(path: Path, **info: object) -> dict[str, object]:
    path.mkdir(exist_ok=True)
    return {"url": path.as_uri(), "dir_info": info}


def test_a_folder_is_named_with_the_interpreter(tmp_path: Path) -> None:
    source = tmp_path / "my tools"
    plain = install(tmp_path / "v", folder_of(source))
    assert plain.extra_command("local") == (
        f"{tmp_path}/v/bin/python -m pip install '{source}[local]'"
    )
    editable = install(tmp_path / "e", folder_of(source, editable=True), pip=False)
    assert editable.extra_command("llm") == (
        f"uv pip install --python {tmp_path}/e/bin/python --editable '{source}[llm]'"
    )


def test_a_tool_that_made_the_environment_keeps_the_other_extras(tmp_path: Path) -> None:
    direct = folder_of(tmp_path / "source")
    pipx = install(tmp_path / "sdd-hooks", direct, marker="pipx_metadata.json", pip=False)
    assert pipx.extra_command("local") == (f"pipx install --force '{tmp_path}/source[local,shell]'")
    uv = install(tmp_path / "uv", direct, marker="uv-receipt.toml", pip=False)
    assert uv.extra_command("local") == f"uv tool install '{tmp_path}/source[local,shell]'"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://git.example.org/t/sdd-hooks", "git+https://git.example.org/t/sdd-hooks"),
        ("https://ada:secret@example.org/x", "git+https://example.org/x"),
        ("https://token@example.org/x", "git+https://example.org/x"),
        ("ssh://git@example.org/x.git", "git+ssh://git@example.org/x.git"),
        ("ssh://git:secret@example.org/x", "git+ssh://example.org/x"),
    ],
)
def test_a_commit_of_a_repository_is_named_without_a_secret(
    tmp_path: Path, url: str, shown: str
) -> None:
    direct = {"url": url, "vcs_info": {"vcs": "git", "commit_id": COMMIT}}
    assert install(tmp_path / "v", direct).extra_command("local") == (
        f"{tmp_path}/v/bin/python -m pip install 'sdd-hooks[local] @ {shown}@{COMMIT}'"
    )
    inner = install(tmp_path / "w", {**direct, "subdirectory": "tools"})
    assert inner.extra_command("local").endswith(f"@{COMMIT}#subdirectory=tools'")


def test_a_file_of_a_server_is_named(tmp_path: Path) -> None:
    url = "https://example.org/sdd_hooks-1.2-py3-none-any.whl"
    command = install(tmp_path, {"url": url, "archive_info": {}}).extra_command("llm")
    assert command == f"{tmp_path}/bin/python -m pip install 'sdd-hooks[llm] @ {url}'"


@pytest.mark.parametrize(
    "direct",
    [
        None,
        {"url": "file:///nowhere/sdd-hooks", "dir_info": {}},
        "{",
        "[]",
        {"url": "https://example.org/x", "vcs_info": {"vcs": "git"}},
        {"url": "https://example.org/x", "vcs_info": 1},
        {"dir_info": {}},
    ],
)
def test_without_a_source_the_packages_are_named_and_sdd_is_not(
    tmp_path: Path, direct: object
) -> None:
    command = install(tmp_path / "v", direct).extra_command("local")
    assert command == f"{tmp_path}/v/bin/python -m pip install {DEPENDENCIES}"
    pipx = install(tmp_path / "sdd", direct, marker="pipx_metadata.json", pip=False)
    assert pipx.extra_command("local") == f"pipx inject sdd {DEPENDENCIES}"
    uv = install(tmp_path / "uv", direct, marker="uv-receipt.toml", pip=False)
    python = tmp_path / "uv/bin/python"
    assert uv.extra_command("local") == f"uv pip install --python {python} {DEPENDENCIES}"


def test_missing_files_are_written_again_from_the_same_source(tmp_path: Path) -> None:
    direct, source = folder_of(tmp_path / "source"), f"{tmp_path}/source"
    plain = install(tmp_path / "v", direct)
    assert plain.reinstall_command() == (
        f"{tmp_path}/v/bin/python -m pip install --force-reinstall --no-deps {source}"
    )
    uv_pip = install(tmp_path / "w", direct, pip=False)
    python = tmp_path / "w/bin/python"
    assert uv_pip.reinstall_command() == (
        f"uv pip install --python {python} --reinstall --no-deps {source}"
    )
    pipx = install(tmp_path / "sdd", direct, marker="pipx_metadata.json")
    assert pipx.reinstall_command() == f"pipx install --force '{source}[shell]'"
    uv = install(tmp_path / "uv", direct, marker="uv-receipt.toml")
    assert uv.reinstall_command() == f"uv tool install --reinstall '{source}[shell]'"
    assert install(tmp_path / "x").reinstall_command() == ""


def test_a_package_that_is_required_is_named_with_its_version(tmp_path: Path) -> None:
    found = install(tmp_path, folder_of(tmp_path / "source"))
    assert found.package_command("click") == f"{tmp_path}/bin/python -m pip install 'click>=8.1'"
    assert found.package_command("other") == f"{tmp_path}/bin/python -m pip install other"


def test_pip_accepts_the_command(tmp_path: Path) -> None:
    """It would install the wheel again, and look for the packages of the extra."""
    wheel = tmp_path / "sdd_hooks-1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("sdd_hooks-1.2.dist-info/METADATA", METADATA)
        file.writestr("sdd_hooks-1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr("sdd_hooks-1.2.dist-info/RECORD", "")
    found = install(tmp_path / "v", {"url": wheel.as_uri(), "archive_info": {}})
    words = shlex.split(replace(found, python=Path(sys.executable)).extra_command("local"))
    done = run_program(*words, "--dry-run", "--no-index", "--no-deps", check=False)
    assert done.returncode == 0, done.stderr
    assert "Would install sdd-hooks-1.2" in done.stdout


def test_the_running_program_names_what_it_was_installed_from() -> None:
    found = find_running_program()
    assert found is not None
    assert found.python == Path(sys.executable)
    assert advise_extra("local") == f"run `{found.extra_command('local')}`"
    assert advise_package("sqlite-vec").startswith("run `")
    assert "pip install 'sdd-hooks" not in advise_extra("local")
