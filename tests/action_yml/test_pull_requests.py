"""The action on pull requests: from the checkout to the comment, with a forge on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.action.results import OUTPUTS
from sdd_hooks.reporting.comment import MARKER
from tests.action.hosting import MEMORY, Hosted, checked_out, host
from tests.action_yml.hosts import Done, Job, run_action
from tests.support.gitea_forge import TOKEN, FakeGiteaForge, serving_gitea_forge
from tests.support.github_forge import JOB, FakeGitHubForge, serving_forge

UNREFERENCED = {"src/a.py": "# the outbox table, where an event is written\na = 2\n"}
DANGLING = {"src/a.py": "# Governing: ADR-0099\na = 2\n"}
QUESTION = "Should this PR reference ADR-0001? (Events through an outbox)"


class GitHub:
    """A GitHub with one pull request, and a runner for jobs about it."""

    def __init__(
        self, forge: FakeGitHubForge, folder: Path, source: Path, tools: Path, hosted: Hosted
    ) -> None:
        self.forge = forge
        self.folder = folder
        self.source = source
        self.tools = tools
        self.hosted = hosted

    def job(self, ref: str = "refs/pull/1/merge", *, token: str = JOB, at: str = "") -> Job:
        """A job whose workspace, or the folder `at` in it, is a shallow checkout of `ref`."""
        workspace = self.folder / "work space"
        if not workspace.exists():
            checked_out(self.hosted, workspace / at, ref)
        return Job(
            "github", self.folder / "job", workspace, "pull_request", self.forge.event(1),
            web=self.forge.url, api=self.forge.api, repository=self.forge.home,
            sha=self.hosted.merge, ref="refs/pull/1/merge", token=token, tools=self.tools,
        )  # fmt: skip

    def run(self, job: Job, inputs: Mapping[str, str] | None = None) -> Done:
        return run_action(job, inputs, source=self.source)


@pytest.fixture
def forge() -> Iterator[FakeGitHubForge]:
    with serving_forge() as forge:
        yield forge


@pytest.fixture
def github(forge: FakeGitHubForge, tmp_path: Path, source: Path, tools: Path) -> GitHub:
    """A GitHub with a pull request that should reference a decision."""
    hosted = host(tmp_path / "shop", UNREFERENCED, number=1)
    forge.add_pull(title="Prune", base=hosted.base, head=hosted.head)
    return GitHub(forge, tmp_path, source, tools, hosted)


def statuses(forge: FakeGiteaForge) -> set[tuple[str, str, str]]:
    """The statuses of commits on a Gitea: context, state and description."""
    return {
        (status["context"], status["status"], status["description"]) for status in forge.statuses
    }


def assert_contained(done: Done, *secrets: str) -> None:
    """Fail if a run changed the environment of later steps, or printed a token.

    The runner does not show the lines of the log that mask a token.
    """
    for (_, name), text in done.written.items():
        assert name in {"OUTPUT", "SUMMARY"} or text == ""
        assert not any(secret in text for secret in secrets)
    shown = [line for line in done.log.splitlines() if not line.startswith("::add-mask::")]
    assert not any(secret in line for secret in secrets for line in shown)


def test_github_gets_one_comment_and_a_second_run_changes_nothing(github: GitHub) -> None:
    job = github.job()
    first = github.run(job)
    assert first.code == 0, first.log
    (body,) = github.forge.bodies(1)
    assert body.startswith(f"{MARKER}\n")
    assert QUESTION in body
    assert QUESTION in first.summary
    assert set(first.outputs) == set(OUTPUTS)
    assert (first.outputs["findings"], first.outputs["critical"]) == ("0", "0")
    report = json.loads(Path(first.outputs["report"]).read_text())
    assert (report["title"], report["head"]) == ("Prune", github.hosted.head)
    writes = github.forge.writes
    second = github.run(job)
    assert (second.code, second.outputs, second.summary) == (0, first.outputs, first.summary)
    assert "installing" not in second.log
    assert github.forge.writes == writes == 1
    assert github.forge.bodies(1) == [body]
    for done in (first, second):
        assert_contained(done, JOB)


def test_gitea_gets_the_comment_and_a_status(tmp_path: Path, source: Path, tools: Path) -> None:
    """Its runner sets INPUT_* and may show no summary, its pull requests have no merge commit."""
    forge = FakeGiteaForge()
    with serving_gitea_forge(forge) as server:
        hosted = host(tmp_path / "shop", DANGLING, number=1)
        forge.add_pull("Break", base=hosted.base, head=hosted.head)
        environ = forge.environ(tmp_path, 1)
        job = Job(
            "gitea", tmp_path / "job", checked_out(hosted, tmp_path / "work", hosted.head).root,
            "pull_request", json.loads(Path(environ["GITHUB_EVENT_PATH"]).read_text()),
            web=environ["GITHUB_SERVER_URL"], api=environ["GITHUB_API_URL"], repository="acme/shop",
            sha=hosted.head, ref="refs/pull/1/head", token=TOKEN, tools=tools, summary=False,
        )  # fmt: skip
        first = run_action(job, {"fail-on": "critical", "tracker-token": "s3cret"}, source=source)
        assert first.code == 1, first.log
        ((author, body),) = forge.comments(1)
        assert author == "gitea-actions"
        assert "ADR-0099" in body
        assert "ADR-0099" in first.log
        assert first.outputs["critical"] == "1"
        first_statuses = statuses(forge)
        assert first_statuses == {("sdd review", "failure", "1 critical")}
        posted = server.paths("POST")
        second = run_action(job, {"fail-on": "critical"}, source=source)
        assert (second.code, second.outputs) == (1, first.outputs)
        assert forge.comments(1) == [(author, body)]
        assert statuses(forge) == first_statuses
        assert server.paths("POST") == posted
        assert server.paths("PATCH") == []
        for done in (first, second):
            assert_contained(done, TOKEN, "s3cret")


def test_a_repository_in_a_folder_of_the_workspace(github: GitHub) -> None:
    at = "a $(touch owned) folder"
    job = github.job(at=at)
    done = github.run(job, {"working-directory": at, "comment": "false", "sarif-file": "it.sarif"})
    assert done.code == 0, done.log
    assert github.forge.writes == 0
    assert done.outputs["sarif"] == str((job.workspace / at / "it.sarif").resolve())
    assert Path(done.outputs["sarif"]).is_file()
    assert [path.name for path in job.workspace.iterdir()] == [at]


def test_a_hostile_pull_request_is_printed_as_text(
    forge: FakeGitHubForge, tmp_path: Path, source: Path, tools: Path
) -> None:
    """The title, body, branch, paths, decisions and memory file are hostile."""
    hosted = host(
        tmp_path / "shop",
        {
            "CLAUDE.md": MEMORY + "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: never\n"
            "\n#### Tracker\n\n- **Type**: gitea\n- **URL**: http://127.0.0.1:9\n",
            "docs/adrs/ADR-0002-x.md": "---\nstatus: accepted\n---\n\n"
            "# ADR-0002: ::set-output name=report::owned\n\n## Decision Outcome\n\n"
            "::add-path::/tmp @team <!-- sdd --> `x` | y\n",
            "src/a\n::error::x `|` <!-- @team.py": "# Governing: ADR-0099\na = 2\n",
            "src/$(touch owned).py": "# Governing: ADR-0098\n",
            "yaml.py": "open('owned', 'w')\n",
        },
        number=1,
        message="::add-path::/tmp\n\n##[add-path]/tmp",
    )
    title = "x\r\n::add-path::/tmp $(touch owned) @team"
    forge.add_pull(
        title, "::stop-commands::x\n`touch owned`\n<!-- sdd -->",
        base=hosted.base, head=hosted.head, head_ref='x";touch${IFS}owned;"',
    )  # fmt: skip
    github = GitHub(forge, tmp_path, source, tools, hosted)
    job = replace(github.job(), variables={"PYTHONPATH": "."})
    done = github.run(job, {"tracker-token": "s3cret", "fail-on": "critical"})
    assert done.code == 1, done.log
    assert done.outputs["critical"] == "2"
    assert Path(done.outputs["report"]).is_file()
    (body,) = forge.bodies(1)
    assert body.startswith(f"{MARKER}\n")
    assert body.count("<!--") == 1
    allowed = "add-mask|group|endgroup|stop-commands|error|warning|notice|[0-9a-zA-Z-]{16,}"
    for line in done.log.splitlines():
        assert "##[" not in line
        assert not line.startswith("::") or re.match(rf"::({allowed})( .*)?::", line), line
    assert_contained(done, JOB, "s3cret")
    assert list(tmp_path.rglob("owned")) == []
