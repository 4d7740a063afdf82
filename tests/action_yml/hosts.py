"""Run the steps of `action.yml` like the runners of GitHub and Gitea, in their environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

TOP = Path(__file__).resolve().parents[2]
ACTION = TOP / "action.yml"
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")

# How a runner starts a step with `shell: bash`.
BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")

_GITHUB = {
    "CI": "true",
    "GITHUB_ACTION": "__self",
    "GITHUB_ACTION_REF": "",
    "GITHUB_ACTION_REPOSITORY": "",
    "GITHUB_ACTIONS": "true",
    "GITHUB_ACTOR": "ada",
    "GITHUB_ACTOR_ID": "1",
    "GITHUB_BASE_REF": "",
    "GITHUB_HEAD_REF": "",
    "GITHUB_JOB": "sdd",
    "GITHUB_REF_PROTECTED": "false",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_REPOSITORY_ID": "42",
    "GITHUB_REPOSITORY_OWNER_ID": "7",
    "GITHUB_RETENTION_DAYS": "90",
    "GITHUB_RUN_ATTEMPT": "1",
    "GITHUB_RUN_ID": "1000",
    "GITHUB_RUN_NUMBER": "1",
    "GITHUB_TRIGGERING_ACTOR": "ada",
    "GITHUB_WORKFLOW": "sdd",
    "RUNNER_ARCH": "X64",
    "RUNNER_ENVIRONMENT": "self-hosted",
    "RUNNER_NAME": "runner",
}
# The variables that Gitea's runner, which is based on act, leaves out and adds.
_NOT_GITEA = ("GITHUB_ACTOR_ID", "GITHUB_REF_PROTECTED", "GITHUB_TRIGGERING_ACTOR", "RUNNER_NAME")
_GITEA = {
    "ACTIONS_RESULTS_URL": "http://127.0.0.1:9/",
    "ACTIONS_RUNTIME_TOKEN": "a-token-of-the-runner",
    "ACTIONS_RUNTIME_URL": "http://127.0.0.1:9/api/actions_pipeline/",
    "GITEA_ACTIONS": "true",
    "GITEA_ACTIONS_RUNNER_VERSION": "v0.2.13",
}


@dataclass(frozen=True)
class Job:
    """A job: the host that runs it, its addresses, and the event that started it.

    `path` and `variables` belong to the environment of the runner's machine; `summary` says whether
    the host shows summaries of steps.
    """

    host: Literal["github", "gitea"]
    folder: Path
    workspace: Path
    event: str
    payload: Mapping[str, Any]
    web: str = "https://forge.example"
    api: str = "https://forge.example/api"
    repository: str = "acme/shop"
    sha: str = "0" * 40
    ref: str = "refs/heads/main"
    token: str = ""
    tools: Path | None = None
    path: str = field(default_factory=lambda: os.environ["PATH"])
    variables: Mapping[str, str] = field(default_factory=dict)
    summary: bool = True
    runner_os: str = "Linux"

    def environ(self) -> dict[str, str]:
        """The variables of the machine, and those that the host sets for a step."""
        temp = self.folder / "temp"
        event = self.folder / "event.json"
        (self.folder / "home").mkdir(parents=True, exist_ok=True)
        temp.mkdir(exist_ok=True)
        event.write_text(json.dumps(self.payload))
        variables = {
            "GITHUB_API_URL": self.api,
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_GRAPHQL_URL": self.api.replace("/v3", "/graphql"),
            "GITHUB_REF": self.ref,
            "GITHUB_REF_NAME": self.ref.removeprefix("refs/heads/").removeprefix("refs/"),
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_REPOSITORY_OWNER": self.repository.partition("/")[0],
            "GITHUB_SERVER_URL": self.web,
            "GITHUB_SHA": self.sha,
            "GITHUB_WORKFLOW_REF": f"{self.repository}/.github/workflows/sdd.yml@{self.ref}",
            "GITHUB_WORKFLOW_SHA": self.sha,
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_OS": self.runner_os,
            "RUNNER_TEMP": str(temp),
            "RUNNER_TOOL_CACHE": str(self.tools or self.folder / "tools"),
        }
        machine = {"HOME": str(self.folder / "home"), "LANG": "C.UTF-8", "PATH": self.path}
        environ = {**machine, **self.variables, **_GITHUB, **variables}
        if self.host == "gitea":
            environ |= {**_GITEA, "GITHUB_GRAPHQL_URL": ""}
            environ = {name: value for name, value in environ.items() if name not in _NOT_GITEA}
        return environ


@dataclass
class Done:
    """The result of a run of the action.

    `outputs` are those of the action, `code` is the exit code of the last step that ran. `written`
    has the final content of the runner's files, by step and name; `environments` has the
    environment of each step.
    """

    code: int = 0
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    written: dict[tuple[str, str], str] = field(default_factory=dict)
    environments: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The summary of the job, as the host shows it."""
        return "".join(text for (_, name), text in self.written.items() if name == "SUMMARY")


def action() -> dict[str, Any]:
    """The content of `action.yml`."""
    read = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read


def run_action(
    job: Job,
    inputs: Mapping[str, str] | None = None,
    *,
    source: Path = TOP,
    steps: int = 2,
    sdd: Path | None = None,
) -> Done:
    """Run the first `steps` steps of the action, whose checkout is `source`, with these inputs.

    With `sdd`, nothing is installed, and that program is run.
    """
    declared = action()
    unknown = set(inputs or {}) - set(declared["inputs"])
    assert not unknown, f"no such input: {unknown}"
    defaults = _Context(job, {}, {})
    values = {
        name: (inputs or {}).get(name, defaults.evaluate(str(input["default"])))
        for name, input in declared["inputs"].items()
    }
    done = Done()
    context = _Context(job, values, {})
    for step in declared["runs"]["steps"][:steps]:
        if sdd and step["id"] == "install":
            context.outputs["install"] = {"sdd": str(sdd)}
            continue
        context.outputs[step["id"]] = _run_step(step, context, source, done)
        if done.code:
            break
    done.outputs = {
        name: context.evaluate(output["value"]) for name, output in declared["outputs"].items()
    }
    return done


class _Context(NamedTuple):
    """The values of expressions: inputs, and outputs of the steps that have run."""

    job: Job
    inputs: Mapping[str, str]
    outputs: dict[str, dict[str, str]]

    def evaluate(self, text: str) -> str:
        """The text with its expressions replaced by their values."""
        return EXPRESSION.sub(self._value, text)

    def _value(self, expression: re.Match[str]) -> str:
        match expression[1].split("."):
            case ["github", "token"]:
                return self.job.token
            case ["inputs", name]:
                return self.inputs[name]
            case ["steps", step, "outputs", name]:
                return self.outputs.get(step, {}).get(name, "")
        raise AssertionError(f"an expression that not every host supports: {expression[0]}")


def _run_step(
    step: Mapping[str, Any], context: _Context, source: Path, done: Done
) -> dict[str, str]:
    """Run one step. Returns its outputs."""
    job = context.job
    assert step["shell"] == "bash"
    environ = {**job.environ(), "GITHUB_ACTION_PATH": str(source)}
    if job.host == "gitea":
        # act keeps dashes in these names, so that no shell can read such a variable.
        for name, value in context.inputs.items():
            environ["INPUT_" + re.sub(r"[^A-Z0-9-]", "_", name.upper())] = value
    for name, value in step["env"].items():
        environ[name] = context.evaluate(str(value))
    files = {
        name: job.folder / "temp" / f"{step['id']}_{name}" for name in ("OUTPUT", "ENV", "PATH")
    }
    files["STATE"] = job.folder / "temp" / f"{step['id']}_STATE"
    if job.summary:
        files["STEP_SUMMARY"] = job.folder / "temp" / f"{step['id']}_SUMMARY"
    for name, file in files.items():
        file.write_text("")
        environ[f"GITHUB_{name}"] = str(file)
    script = job.folder / "temp" / f"{step['id']}.sh"
    script.write_text(step["run"])
    ran = subprocess.run(
        [*BASH, str(script)],
        cwd=job.workspace,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    done.code = ran.returncode
    done.log += ran.stdout.decode("utf-8", "replace")
    done.environments[step["id"]] = environ
    for name, file in files.items():
        done.written[step["id"], name.removeprefix("STEP_")] = file.read_text(encoding="utf-8")
    return read_outputs(done.written[step["id"], "OUTPUT"])


def read_outputs(text: str) -> dict[str, str]:
    """The outputs in a file of a step, parsed like a runner. Fails for a repeated name."""
    outputs: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, sign, value = re.fullmatch(r"([^=<]+)(=|<<)(.*)", line).groups()  # type: ignore[union-attr]
        if sign == "<<":
            block = []
            for inner in lines:
                if inner == value:
                    break
                block.append(inner)
            else:
                raise AssertionError(f"no end of {name}")
            value = "\n".join(block)
        assert name not in outputs, f"{name} is written twice"
        outputs[name] = value
    return outputs
