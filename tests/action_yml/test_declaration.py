"""The declarations of `action.yml`, which every host can run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.action.inputs import COMMANDS
from sdd_hooks.action.results import OUTPUTS
from tests.action_yml.hosts import ACTION, EXPRESSION, action

INPUTS = (
    "command",
    "engine",
    "token",
    "tracker-token",
    "fail-on",
    "base",
    "comment",
    "comment-key",
    "inline",
    "sarif-file",
    "page",
    "scan",
    "embed-model",
    "judge",
    "working-directory",
    "python",
)
STEPS = action()["runs"]["steps"]


def test_the_documented_inputs_and_outputs_are_declared() -> None:
    declared = action()
    assert tuple(declared["inputs"]) == INPUTS
    assert tuple(declared["outputs"]) == OUTPUTS
    assert all(input_["description"] for input_ in declared["inputs"].values())
    assert all(name in declared["inputs"]["command"]["description"] for name in COMMANDS)


def test_the_marketplace_has_its_metadata() -> None:
    declared = action()
    assert declared["runs"]["using"] == "composite"
    assert {"name", "description", "author", "branding"} <= set(declared)
    assert set(declared["branding"]) == {"icon", "color"}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["id"])
def test_a_step_is_a_script_without_expressions(step: dict[str, str]) -> None:
    assert set(step) == {"name", "id", "shell", "env", "run"}
    assert "${{" not in step["run"]
    assert step["shell"] == "bash"


def test_every_host_supports_every_expression() -> None:
    text = ACTION.read_text(encoding="utf-8")
    expressions = EXPRESSION.findall(text)
    assert len(expressions) == text.count("${{")
    supported = r"github\.token|inputs\.[a-z-]+|steps\.(install|ci)\.outputs\.[a-z-]+"
    assert [
        expression for expression in expressions if not re.fullmatch(supported, expression)
    ] == []


def test_every_input_is_a_variable_of_its_name_in_a_step() -> None:
    environ = {name: value for step in STEPS for name, value in step["env"].items()}
    expected = {
        f"SDD_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in INPUTS
    }
    assert environ == {**expected, "SDD": "${{ steps.install.outputs.sdd }}"}


def test_the_step_that_installs_has_no_token() -> None:
    assert not [name for name in STEPS[0]["env"] if "TOKEN" in name]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["id"])
def test_shellcheck_finds_nothing(step: dict[str, str]) -> None:
    shellcheck = Path(sys.executable).with_name("shellcheck")
    done = subprocess.run(
        [shellcheck, "--shell=bash", "-"],
        input=step["run"].encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout.decode()) == (0, "")
