"""The pipeline of a merge request from the checkout to the note, with `sdd ci review`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.action.inputs import Command, select_commands
from sdd_hooks.forges.gitlab.vendor import VENDOR
from tests.action.hosting import Hosted, checked_out, host
from tests.cli.commands import Done, run
from tests.support.gitlab_forge import TOKENS, FakeGitLabForge, gitlab_forge, job
from tests.support.loopback import Server

BREAKS = {"src/a.py": "# Governing: ADR-0099\na = 2\n"}
HEAD_OF = "refs/merge-requests/7/head"


def merge_request(folder: Path, gitlab: FakeGitLabForge) -> Hosted:
    """A repository whose merge request 7 cites a decision that does not exist."""
    hosted = host(folder, BREAKS)
    hosted.repo.git("update-ref", HEAD_OF, hosted.head)
    for ref in ("head", "merge"):
        hosted.repo.git("update-ref", "-d", f"refs/pull/7/{ref}")
    refs = {"base_sha": hosted.base, "start_sha": hosted.tip, "head_sha": hosted.head}
    gitlab.merges[7] |= {"sha": hosted.head, "diff_refs": refs}
    gitlab.shown = {"src/a.py": {1, 2}}
    return hosted


def reviewed(checkout: Path, server: Server, hosted: Hosted, token: str, *args: str) -> Done:
    environ = job(
        server,
        CI_COMMIT_SHA=hosted.head,
        CI_MERGE_REQUEST_DIFF_BASE_SHA=hosted.base,
        SDD_TOKEN=token,
    )
    return run(checkout, "ci", "review", *args, env=environ)


def test_a_pipeline_posts_once_and_reports_a_denied_write(tmp_path: Path) -> None:
    with gitlab_forge() as (gitlab, server):
        hosted = merge_request(tmp_path / "shop", gitlab)
        checkout = checked_out(hosted, tmp_path / "job", HEAD_OF, options=("--depth=20",)).root
        for _ in range(2):
            done = reviewed(checkout, server, hosted, "glpat-writes", "--inline", "true")
            assert (done.code, done.err) == (0, "")
            (body,) = gitlab.bodies()
            assert "ADR-0099" in body
            assert f"/-/blob/{hosted.head}/src/a.py?plain=1#L1" in body
            assert [one["position"]["new_line"] for one in gitlab.discussions[7]] == [1]
            writes = [one for one in server.requests if one.method != "GET"]
            assert [one.path.rpartition("/")[2] for one in writes][:2] == ["notes", "discussions"]
        assert {one["state"] for one in gitlab.statuses} == {"success"}
        denied = reviewed(checkout, server, hosted, "glcbt-of-the-job")
        assert denied.code == 0
        assert "set SDD_TOKEN to a project access token with the scope api" in denied.out
        assert "ADR-0099" in denied.out
        assert len(gitlab.notes[7]) == 1
        assert not any(token in done.out + denied.out for token in TOKENS)


@pytest.mark.parametrize("command", ["sync", "embed", "all"])
@pytest.mark.parametrize("source", ["merge_request_event", "external_pull_request_event"])
def test_commands_that_need_tokens_are_left_out(command: Command, source: str) -> None:
    environ = job(Server("https://gitlab.example"), CI_PIPELINE_SOURCE=source)
    if source != "merge_request_event":
        environ = {name: value for name, value in environ.items() if "MERGE_REQUEST" not in name}
    found = select_commands(command, VENDOR.detect_job(environ))
    assert set(found.commands) <= {"review"}
    assert "left out" in found.note
