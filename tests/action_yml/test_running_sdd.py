"""The step that runs `sdd ci`: what reaches it, from where, and what does not.

`sdd` is a shell script here, which notes how it was started.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from tests.action_yml.hosts import Done, Job, run_action
from tests.action_yml.test_declaration import INPUTS

SDD = """#!/bin/sh
printf '%s' "$*" >"{noted}/arguments"
pwd >"{noted}/folder"
env -0 >"{noted}/environment"
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
# Of these the step itself makes something.
ELSEWHERE = {"python", "working-directory"}


@pytest.fixture(params=["github", "gitea"])
def job(request: pytest.FixtureRequest, tmp_path: Path) -> Job:
    host: Literal["github", "gitea"] = request.param
    workspace = tmp_path / "a $(touch owned) space"
    workspace.mkdir()
    variables = {"PYTHONPATH": "src", "PYTHONHOME": "src", "CDPATH": str(tmp_path)}
    return Job(host, tmp_path / "job", workspace, "push", {}, token="t0ken", variables=variables)


def run(job: Job, inputs: dict[str, str]) -> tuple[Done, dict[str, str]]:
    """Run the step. Returns what came of it, and the environment that `sdd` had."""
    noted = job.folder.with_name("noted")
    noted.mkdir(exist_ok=True)
    sdd = job.folder.with_name("an sdd")
    sdd.write_text(SDD.format(noted=noted))
    sdd.chmod(0o755)
    done = run_action(job, inputs, sdd=sdd)
    environment = noted / "environment"
    if not environment.exists():
        return done, {}
    entries = environment.read_bytes().decode().rstrip("\0").split("\0")
    return done, dict(entry.split("=", 1) for entry in entries)


@pytest.mark.parametrize("text", TEXTS)
def test_an_input_is_a_value_whatever_is_in_it(job: Job, text: str) -> None:
    given = dict.fromkeys(set(INPUTS) - ELSEWHERE, text)
    done, seen = run(job, given)
    assert done.code == 7
    assert done.log == ""
    for name in given:
        assert seen[f"SDD_{name.upper().replace('-', '_')}"] == text
    noted = job.folder.with_name("noted")
    assert (noted / "arguments").read_text() == "ci"
    assert (noted / "folder").read_text() == f"{job.workspace}\n"
    assert list(job.workspace.iterdir()) == []
    assert list(job.folder.parent.rglob("owned")) == []
    assert done.outputs["findings"] == "3"


def test_what_is_not_given_is_empty_or_the_default(job: Job) -> None:
    _, seen = run(job, {})
    defaults = {"SDD_COMMAND": "review", "SDD_TOKEN": "t0ken"}
    defaults |= {"SDD_COMMENT": "true", "SDD_INLINE": "false"}
    for name in set(INPUTS) - ELSEWHERE:
        variable = f"SDD_{name.upper().replace('-', '_')}"
        assert seen[variable] == defaults.get(variable, "")


def test_a_token_is_in_no_second_variable(job: Job) -> None:
    _, seen = run(job, {"tracker-token": "s3cret"})
    holding = {name for name, value in seen.items() if value in {"t0ken", "s3cret"}}
    assert holding == {"SDD_TOKEN", "SDD_TRACKER_TOKEN"}


def test_modules_of_the_pull_request_are_not_in_the_way(job: Job) -> None:
    _, seen = run(job, {})
    assert not {"PYTHONPATH", "PYTHONHOME"} & set(seen)
    assert seen["PYTHONSAFEPATH"] == "1"


@pytest.mark.parametrize("name", ["a folder", "-x", "$(touch owned)", "a\nb"])
def test_it_runs_in_the_folder_that_is_named(job: Job, name: str) -> None:
    (job.workspace / name).mkdir()
    (job.folder.parent / name).mkdir()  # where CDPATH would lead
    done, _ = run(job, {"working-directory": name})
    assert (done.code, done.log) == (7, "")
    noted = job.folder.with_name("noted") / "folder"
    assert noted.read_text() == f"{os.path.realpath(job.workspace / name)}\n"


@pytest.mark.parametrize("name", ["no such", "-", "--help", "$(touch owned)", "a\n::add-path::b"])
def test_a_folder_that_is_not_there_is_one_line(job: Job, name: str) -> None:
    done, seen = run(job, {"working-directory": name})
    assert (done.code, seen) == (2, {})
    assert done.log.startswith("::error title=sdd-hooks::the input working-directory is ")
    assert done.log.count("\n") == 1
    assert list(job.workspace.iterdir()) == []
