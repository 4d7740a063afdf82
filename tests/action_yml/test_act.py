"""The workflows of the page under the real act, which runs them as Gitea's runner does.

It runs on this machine, without a container; the action of `uses:` is a local checkout.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sdd_hooks.reporting.comment import MARKER
from tests.action.hosting import Hosted, checked_out, host
from tests.action_yml.act import program
from tests.action_yml.test_pull_requests import QUESTION, UNREFERENCED, statuses
from tests.action_yml.test_workflows import ACTION_USE, WORKFLOWS
from tests.support.gitea_forge import TOKEN, FakeGiteaForge, serving_gitea_forge
from tests.support.github_forge import JOB, serving_forge

USED = "acme/sdd-hooks@0123456789abcdef0123456789abcdef01234567"


class Runner:
    """A machine with act, and a job's checkout of a pull request."""

    def __init__(self, folder: Path, hosted: Hosted, ref: str, source: Path, tools: Path) -> None:
        self.act = program("act")
        self.folder = folder
        self.workspace = checked_out(hosted, folder / "work space", ref).root
        self.source = source
        self.home = folder / "home"
        # Where act keeps the tools of a machine without containers.
        cache = self.home / ".cache/act/tool_cache"
        cache.parent.mkdir(parents=True)
        cache.symlink_to(tools)

    def run(self, workflow: str, event: object, environ: Mapping[str, str], token: str) -> str:
        """Run a workflow of the page on `pull_request`. Returns the log of the job."""
        path = self.folder / "sdd.yml"
        text = WORKFLOWS[workflow].text
        path.write_text(ACTION_USE.sub(f"uses: {USED}", text), encoding="utf-8")
        described = self.folder / "described.json"
        described.write_text(json.dumps(event), encoding="utf-8")
        secrets = self.folder / "secrets"
        secrets.write_text(f"GITHUB_TOKEN={token}\n")
        settings = [f"--env={name}={value}" for name, value in environ.items()]
        done = subprocess.run(
            [
                self.act, "pull_request", "--platform=ubuntu-latest=-self-hosted",
                f"--workflows={path}", f"--eventpath={described}", "--no-cache-server",
                f"--local-repository={USED}={self.source}", f"--secret-file={secrets}", *settings,
            ],
            cwd=self.workspace,
            env={"HOME": str(self.home), "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )  # fmt: skip
        log = done.stdout.decode()
        assert done.returncode == 0, log
        return log


def test_github(tmp_path: Path, source: Path, tools: Path) -> None:
    with serving_forge() as forge:
        hosted = host(tmp_path / "shop", UNREFERENCED, number=1)
        forge.add_pull(title="Prune", base=hosted.base, head=hosted.head)
        runner = Runner(tmp_path, hosted, "refs/pull/1/merge", source, tools)
        environ = {
            "GITHUB_API_URL": forge.api,
            "GITHUB_REPOSITORY": forge.home,
            "GITHUB_SERVER_URL": forge.url,
        }
        log = runner.run("review", forge.event(1), environ, JOB)
        (body,) = forge.bodies(1)
        assert body.startswith(f"{MARKER}\n")
        assert QUESTION in body
        assert forge.writes == 1
        assert JOB not in log
        assert "installing sdd" not in log


def test_gitea(tmp_path: Path, source: Path, tools: Path) -> None:
    """The runner sets the variables that identify a Gitea."""
    forge = FakeGiteaForge()
    with serving_gitea_forge(forge) as server:
        hosted = host(tmp_path / "shop", UNREFERENCED, number=1)
        forge.add_pull("Prune", base=hosted.base, head=hosted.head)
        runner = Runner(tmp_path, hosted, hosted.head, source, tools)
        variables = forge.environ(tmp_path, 1)
        event = json.loads(Path(variables["GITHUB_EVENT_PATH"]).read_text())
        names = ("GITEA_ACTIONS", "GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_SERVER_URL")
        environ = {name: variables[name].rstrip("/") for name in names}
        log = runner.run("gitea", event, environ, TOKEN)
        ((_, body),) = forge.comments(1)
        assert QUESTION in body
        assert {status[:2] for status in statuses(forge)} == {("sdd review", "success")}
        assert len([path for path in server.paths("POST") if "/comments" in path]) == 1
        assert server.paths("PATCH") == []
        assert TOKEN not in log
