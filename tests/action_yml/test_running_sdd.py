"""The step that runs `sdd ci`: its arguments, its folder and its environment.

`sdd` is a shell script here, which records them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from tests.action_yml.hosts import Done, Job, run_action
from tests.action_yml.test_declaration import INPUTS

SDD = """#!/bin/sh
printf '%s' "$*" >"{recorded}/arguments"
pwd >"{recorded}/folder"
env -0 >"{recorded}/environment"
printf 'findings=3\\n' >>"$GITHUB_OUTPUT"
exit 7
"""
TEXTS = (
    '"; touch owned; "',
    "'; touch owned; '",
    "$(touch owned)",
    "`touch owned`",
    "a\ntouch owned\n",
    "a\nEOF\nowned=1",
    "a\n::add-path::/tmp\n##[add-path]/tmp",
    "${IFS}touch${IFS}owned",
    "-o",
    "--help",
    "*",
    "~",
    "é\u202e ${{ github.token }}",
)
# Inputs that the step itself uses.
USED_BY_STEP = {"python", "working-directory"}


@pytest.fixture(params=["github", "gitea"])
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Job:
    host: Literal["github", "gitea"] = request.param
    workspace = tmp_path / "a $(touch owned) space"
    workspace.mkdir()
    variables = {"PYTHONPATH": "src", "PYTHONHOME": "src", "CDPATH": str(tmp_path)}
    return Job(host, tmp_path / "job", workspace, "push", {}, token="t0ken", variables=variables)


def run(job: Job, inputs: dict[str, str]) -> tuple[Done, dict[str, str]]:
    """Run the step. Returns its result, and the environment of `sdd`."""
    recorded = job.folder.with_name("recorded")
    recorded.mkdir(exist_ok=True)
    sdd = job.folder.with_name("an sdd")
    sdd.write_text(SDD.format(recorded=recorded))
    sdd.chmod(0o755)
    done = run_action(job, inputs, sdd=sdd)
    environment = recorded / "environment"
    if not environment.exists():
        return done, {}
    entries = environment.read_bytes().decode().rstrip("\0").split("\0")
    return done, dict(entry.split("=", 1) for entry in entries)


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_of_an_input_is_passed_unchanged(job: Job, text: str) -> None:
    inputs = dict.fromkeys(set(INPUTS) - USED_BY_STEP, text)
    done, environ = run(job, inputs)
    assert done.code == 7
    assert done.log == ""
    for name in inputs:
        assert environ[f"SDD_{name.upper().replace('-', '_')}"] == text
    recorded = job.folder.with_name("recorded")
    assert (recorded / "arguments").read_text() == "ci"
    assert (recorded / "folder").read_text() == f"{job.workspace}\n"
    assert list(job.workspace.iterdir()) == []
    assert list(job.folder.parent.rglob("owned")) == []
    assert done.outputs["findings"] == "3"


def test_an_omitted_input_is_empty_or_its_default(job: Job) -> None:
    _, environ = run(job, {})
    defaults = {"SDD_COMMAND": "review", "SDD_TOKEN": "t0ken"}
    defaults |= {"SDD_COMMENT": "true", "SDD_INLINE": "false"}
    for name in set(INPUTS) - USED_BY_STEP:
        variable = f"SDD_{name.upper().replace('-', '_')}"
        assert environ[variable] == defaults.get(variable, "")


def test_a_token_is_in_one_variable_only(job: Job) -> None:
    _, environ = run(job, {"tracker-token": "s3cret"})
    variables = {name for name, value in environ.items() if value in {"t0ken", "s3cret"}}
    assert variables == {"SDD_TOKEN", "SDD_TRACKER_TOKEN"}


def test_python_does_not_search_the_checkout_for_modules(job: Job) -> None:
    _, environ = run(job, {})
    assert not {"PYTHONPATH", "PYTHONHOME"} & set(environ)
    assert environ["PYTHONSAFEPATH"] == "1"


@pytest.mark.parametrize("name", ["a folder", "-x", "$(touch owned)", "a\nb"])
def test_sdd_runs_in_the_working_directory(job: Job, name: str) -> None:
    (job.workspace / name).mkdir()
    (job.folder.parent / name).mkdir()  # the folder that CDPATH selects
    done, _ = run(job, {"working-directory": name})
    assert (done.code, done.log) == (7, "")
    recorded = job.folder.with_name("recorded") / "folder"
    assert recorded.read_text() == f"{os.path.realpath(job.workspace / name)}\n"


@pytest.mark.parametrize("name", ["no such", "-", "--help", "$(touch owned)", "a\n::add-path::b"])
def test_a_missing_working_directory_is_one_line(job: Job, name: str) -> None:
    done, environ = run(job, {"working-directory": name})
    assert (done.code, environ) == (2, {})
    assert done.log.startswith("::error title=sdd-hooks::the input working-directory is ")
    assert done.log.count("\n") == 1
    assert list(job.workspace.iterdir()) == []
