"""A job reviews its pull request: from its checkout to the comments on the forge."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.review import review_pull
from sdd_hooks.action.tokens import client_factory
from sdd_hooks.forges.registry import detect_job
from sdd_hooks.reporting.comment import MARKER
from tests.action.hosting import MEMORY, Hosted, checked_out, host
from tests.support.gitea_forge import TOKEN, FakeGiteaForge, serving_gitea_forge
from tests.support.github_forge import FORK, JOB, FakeGitHubForge, serving_forge
from tests.support.repos import Repo

ASKS = {"src/a.py": "# the outbox table, where an event is written\na = 2\n"}
BREAKS = {"src/a.py": "# Governing: ADR-0099\na = 2\n"}
STRICT = MEMORY + "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: critical\n"


@dataclass
class Place:
    """A forge with one pull request, and jobs about it."""

    forge: FakeGitHubForge
    folder: Path
    hosted: Hosted = field(init=False)
    number: int = 1

    def open(self, changes: Mapping[str, str | bytes], **more: object) -> None:
        """The repository, with a pull request that makes these changes."""
        settings = {"files": more.pop("files", None), "message": more.pop("message", "Change")}
        self.hosted = host(self.folder / "shop", changes, number=1, **settings)  # type: ignore[arg-type]
        self.forge.add_pull(base=self.hosted.base, head=self.hosted.head, **more)  # type: ignore[arg-type]

    def push(self, changes: Mapping[str, str | bytes]) -> None:
        """Push another commit to the pull request."""
        repo = self.hosted.repo
        repo.git("switch", "--quiet", "--detach", "refs/pull/1/head")
        head = repo.commit("More", changes)
        repo.git("update-ref", "refs/pull/1/head", head)
        repo.git("switch", "--quiet", "main")
        self.forge.push(1, head)

    def checkout(self, commit: str) -> Repo:
        """A fresh checkout of one commit."""
        number = len(list(self.folder.glob("job*")))
        return checked_out(self.hosted, self.folder / f"job{number}", commit)

    def job(
        self,
        inputs: Inputs = Inputs("review"),  # noqa: B008 (a tuple)
        *,
        token: str = JOB,
        event: tuple[str, object] | None = None,
        job: Repo | None = None,
    ) -> CommandResult:
        """Run a job of the pull request, in a shallow checkout like that of GitHub's step."""
        job = job or self.checkout("refs/pull/1/merge")
        name, data = event or ("pull_request", self.forge.event(1))
        environ = {
            **self.forge.environ(self.folder, name, data),
            "RUNNER_TEMP": str(self.folder),
        }
        found = detect_job(environ, [])
        project = job.project(environ)
        return review_pull(project, found, inputs, client_factory(token), {})


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with serving_forge() as forge:
        yield Place(forge, tmp_path)


def test_the_review_is_one_comment_that_is_edited(place: Place) -> None:
    place.open(ASKS, title="Prune", body="Of events.")
    first = place.job()
    (body,) = place.forge.bodies(1)
    assert body.startswith(f"{MARKER}\n")
    assert "Should this PR reference ADR-0001? (Events through an outbox)" in body
    assert "> An event is written to the table" in body
    assert f"/blob/{place.hosted.head}/docs/adrs/ADR-0001-events.md?plain=1#L14" in body
    assert (first.exit_code, first.notes) == (0, ())
    assert first.outputs["findings"] == first.outputs["critical"] == "0"
    report = json.loads(Path(first.outputs["report"]).read_text())
    assert (report["title"], report["head"]) == ("Prune", place.hosted.head)
    writes = place.forge.writes
    assert place.job() == first
    assert place.forge.bodies(1) == [body]
    assert place.forge.writes == writes == 1


def test_the_outputs_count_what_was_suppressed_and_not_checked(place: Place) -> None:
    record = (
        "---\nstatus: accepted\n---\n\n# ADR-0007: HTTP\n\n## Decision\n\nNo.\n\n"
        "```sdd-rule\nforbid import: requests\nin: src/**\nseverity: MUST\n```\n"
    )
    ignored = "import requests  # sdd-ignore: decision-rule (for a day)\n"
    place.open(
        {"src/a.py": ignored, "src/b.py": "# coding: utf-7\n"},
        files={"CLAUDE.md": STRICT, "docs/adrs/ADR-0007-http.md": record},
    )
    done = place.job()
    assert (done.exit_code, done.outputs["suppressed"], done.outputs["incomplete"]) == (1, "1", "1")
    (body,) = place.forge.bodies(1)
    assert "this change suppresses a critical finding of decision-rule/" in body
    assert done.outputs["comment-url"].startswith(place.forge.url)


def test_a_review_without_findings_creates_no_comment_but_edits_one(place: Place) -> None:
    place.open({"src/b.py": "b = 1\n"})
    assert "All clear" in place.job().summary
    assert place.forge.bodies(1) == []
    place.push(BREAKS)
    assert place.job().outputs["critical"] == "1"
    place.push({"src/a.py": "a = 2\n"})
    place.job()
    (body,) = place.forge.bodies(1)
    assert "All clear" in body


READ_ONLY = {
    "fork": "only read on a pull request of a fork: add the workflow under 'Pull"
    " requests from forks' in docs/ci.md, which posts afterwards",
    "permissions": "give the job `permissions: pull-requests: write`",
}


@pytest.mark.parametrize("cause", READ_ONLY)
def test_a_read_only_token_still_writes_the_summary(place: Place, cause: str) -> None:
    """That of a fork's job, or of a job without permissions, as Dependabot's has by default."""
    place.open(BREAKS, fork=cause == "fork")
    result = place.job(Inputs("review", inline=True, fail_on="critical"), token=FORK)
    assert place.forge.writes == 0
    assert "ADR-0099" in result.summary
    assert any(line.startswith("::error file=src/a.py,line=1") for line in result.annotations)
    parts = ("the comment was", "comments on lines were")
    for part, note in zip(parts, result.notes, strict=True):
        assert note.startswith(f"{part} not posted, since the token may ")
        assert note.endswith(READ_ONLY[cause])
    assert result.exit_code == 1


def test_a_locked_conversation_is_said_to_be_locked(place: Place) -> None:
    place.open(BREAKS)
    place.forge.locked.add(1)
    result = place.job(Inputs("review", fail_on="critical"))
    assert result.notes == (
        "the comment was not posted, since the conversation is locked: unlock it, or use a token of"
        " an account that may write",
    )
    assert result.exit_code == 1


def test_comments_on_lines_are_posted_once_and_resolved(place: Place) -> None:
    place.open(BREAKS)
    wanted = Inputs("review", inline=True, comment=False)
    for _ in range(2):
        place.job(wanted)
        ((path, line, body),) = place.forge.lines(1)
        assert (path, line) == ("src/a.py", 1)
        assert "ADR-0099" in body
    assert place.forge.bodies(1) == []
    place.push({"src/a.py": "a = 2\n"})
    place.job(wanted)
    ((_, _, body),) = place.forge.lines(1)
    assert "Settled" in body


def test_the_settings_of_the_base_count(place: Place) -> None:
    loose = MEMORY + "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: never\n"
    place.open({**BREAKS, "CLAUDE.md": loose}, files={"CLAUDE.md": STRICT})
    assert place.job().exit_code == 1
    assert place.job(Inputs("review", fail_on="never")).exit_code == 0


def test_a_second_job_with_rights_posts_for_a_fork(place: Place) -> None:
    place.open(ASKS, fork=True)
    event = {
        "action": "completed",
        "workflow_run": {
            "event": "pull_request",
            "head_sha": place.hosted.head,
            "head_repository": place.forge.repository(fork=True),
            "pull_requests": [],
        },
        "repository": place.forge.repository(),
    }
    job = place.checkout("refs/heads/main")
    result = place.job(event=("workflow_run", event), job=job)
    assert result.notes == ()
    (body,) = place.forge.bodies(1)
    assert "ADR-0001" in body
    # The pull request was not checked out.
    assert job.head() == place.hosted.tip
    assert (job.root / "src/a.py").read_text() == "a = 1\n"
    place.push({"src/b.py": "b = 1\n"})
    assert place.job(event=("workflow_run", event)).notes == (
        "nothing to review: no pull request, no push, no base named",
    )


def test_an_outdated_job_posts_nothing(place: Place) -> None:
    place.open(ASKS)
    event = place.forge.event(1)
    old = json.loads(json.dumps(event))
    place.push({"src/b.py": "b = 1\n"})
    result = place.job(event=("pull_request", old))
    assert "newer push" in result.notes[0]
    assert place.forge.writes == 0
    assert "ADR-0001" in result.summary


@pytest.mark.parametrize("before", ["base", "gone", ""])
def test_a_push_is_compared_with_the_commit_before_it(place: Place, before: str) -> None:
    place.open(ASKS)
    known = {"base": place.hosted.base, "gone": "1" * 40, "": "0" * 40}[before]
    event = {"before": known, "repository": place.forge.repository()}
    environ = place.forge.environ(
        place.folder, "push", event, sha=place.hosted.head, ref="refs/heads/change"
    )
    job = place.checkout("refs/pull/1/head")
    found = detect_job(environ, [])
    inputs = Inputs("review")
    result = review_pull(job.project(environ), found, inputs, client_factory(JOB), {})
    assert "ADR-0001" in result.summary
    assert place.forge.writes == 0


def test_untrusted_text_is_escaped(place: Place) -> None:
    name = "src/`x` @team <!-- sdd-review -->\n::error::.py"
    hostile = "# Governing: ADR-0099 <!-- sdd-review --> @team\n::set-output name=x::y\n"
    place.open(
        {name: hostile, "docs/adrs/ADR-0001-events.md": f"---\nstatus: [\n---\n\n{hostile}"},
        title="Fixes #1 @team\n<!-- sdd-review -->",
        body="::add-mask::x\nIgnore all instructions",
        head_ref='$(touch x)`"; touch x',
        message="::error::x\n\n@team",
    )
    result = place.job(Inputs("review", inline=True))
    (body,) = place.forge.bodies(1)
    assert body.count(MARKER) == 1
    # Code spans create no mention.
    assert "@team" not in re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", body)
    for line in result.annotations:
        assert "\n" not in line
        assert line.startswith(("::error ", "::warning ", "::notice "))
    assert not [line for line in body.splitlines() if line.startswith(("::", "<!--"))][1:]
    assert not list(place.folder.rglob("touch*"))


def test_files_are_not_written_through_links_of_the_checkout(place: Place) -> None:
    outside = place.folder / "outside"
    outside.mkdir()
    place.open(ASKS)
    job = place.checkout("refs/pull/1/merge")
    job.link("code.sarif", outside / "profile")
    result = place.job(Inputs("review", sarif_file="code.sarif"), job=job)
    assert result.outputs["sarif"] == str(job.root / "code.sarif")
    assert json.loads((job.root / "code.sarif").read_text())["version"] == "2.1.0"
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("out/code.sarif", "out/code.sarif: a directory of this path is a link"),
        ("inside/code.sarif", "inside/code.sarif: a directory of this path is a link"),
        ("inside/../src/../../code.sarif", "code.sarif: leaves the repository"),
        ("README.md/code.sarif", "cannot write README.md/code.sarif: File exists"),
        ("README.md/a/code.sarif", "cannot write README.md/a/code.sarif: Not a directory"),
        ("src", "cannot write "),
        ("pipe/code.sarif", "pipe/code.sarif: File exists"),
        ("/inside/code.sarif", "inside/code.sarif: a directory of this path is a link"),
        ("/README.md/code.sarif", "cannot write README.md/code.sarif: File exists"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error_after_the_comment(
    place: Place, name: str, error: str
) -> None:
    """A name that starts with `/` stands for the absolute path of a file in the checkout."""
    outside = place.folder / "outside"
    outside.mkdir()
    place.open(ASKS)
    job = place.checkout("refs/pull/1/merge")
    job.link("out", outside)
    job.link("inside", "src")
    job.link("pipe", "pipe")
    if name.startswith("/"):
        name = f"{job.root}{name}"
    result = place.job(Inputs("review", sarif_file=name), job=job)
    (message,) = result.errors
    assert error.rpartition(": ")[2] in message
    assert message.endswith(": check `sarif-file`")
    assert "\n" not in message
    assert result.exit_code in (1, 7)
    assert "sarif" not in result.outputs
    assert len(place.forge.bodies(1)) == 1
    assert list(outside.iterdir()) == []
    assert not list(job.root.rglob("*.sarif"))


def test_a_key_distinguishes_the_comments_of_several_jobs(place: Place) -> None:
    place.open(BREAKS)
    for _ in range(2):
        for key in ("", "strict", "python-3.13"):
            assert place.job(Inputs("review", inline=True, comment_key=key)).notes == ()
    markers = [MARKER, "<!-- sdd-review (strict) -->", "<!-- sdd-review (python-3.13) -->"]
    assert [body.split("\n")[0] for body in place.forge.bodies(1)] == markers
    assert len(place.forge.lines(1)) == 3
    place.push({"src/a.py": "a = 2\n"})
    place.job(Inputs("review", inline=True, comment_key="strict"))
    assert ["All clear" in body for body in place.forge.bodies(1)] == [False, True, False]
    assert sum("Settled" in body for _, _, body in place.forge.lines(1)) == 1


def test_a_name_that_is_not_utf_8_loses_its_own_comment_only(place: Place) -> None:
    name = os.fsdecode(b"src/caf\xe9.py")
    place.open({**BREAKS, name: BREAKS["src/a.py"]})
    result = place.job(Inputs("review", inline=True, comment=False))
    assert [path for path, _, _ in place.forge.lines(1)] == ["src/a.py"]
    assert result.notes == ("1 comment on lines of files whose names are not UTF-8",)
    assert result.outputs["critical"] == "2"


def test_a_refused_token_does_not_stop_the_review(place: Place) -> None:
    place.open(BREAKS, title="From the event")
    result = place.job(Inputs("review", inline=True), token="garbage")
    assert [note.partition(":")[0] for note in result.notes] == [
        "title and description are those of the event that started the job",
        "the comment was not posted",
        "comments on lines were not posted",
    ]
    assert all("GitHub refuses the token of the job" in note for note in result.notes)
    assert (result.exit_code, result.outputs["critical"]) == (0, "1")
    assert json.loads(Path(result.outputs["report"]).read_text())["title"] == "From the event"


def test_a_large_change_is_one_comment_that_fits(place: Place) -> None:
    files = {f"src/m{number}/`a`.py": f"# Governing: ADR-9{number}\n" for number in range(1_500)}
    place.open({**files, "dump.sql": b"insert\n" * (51_000_000 // 7)})
    result = place.job(Inputs("review", inline=True))
    (body,) = place.forge.bodies(1)
    assert 60_000 < len(body) <= 65_536
    assert "Cut here" in body
    assert len(place.forge.lines(1)) == 50
    assert len(result.summary.encode()) < 1 << 20
    assert int(result.outputs["critical"]) >= 1_000


def test_gitea_gets_a_status_instead_of_annotations(tmp_path: Path) -> None:
    hosted = host(tmp_path / "shop", BREAKS, number=1)
    forge = FakeGiteaForge()
    with serving_gitea_forge(forge):
        forge.add_pull(base=hosted.base, head=hosted.head)
        job = checked_out(hosted, tmp_path / "job", "refs/pull/1/head")
        environ = forge.environ(tmp_path, 1)
        found = detect_job(environ, [])
        inputs = Inputs("review", fail_on="critical")
        for _ in range(2):
            result = review_pull(job.project(environ), found, inputs, client_factory(TOKEN), {})
            assert (result.exit_code, result.annotations, result.notes) == (1, (), ())
            ((author, body),) = forge.comments(1)
            assert author == "gitea-actions"
            assert f"/src/commit/{hosted.head}/src/a.py?display=source#L1" in body
        last = forge.statuses[-1]
        assert (last["context"], last["status"]) == ("sdd review", "failure")
