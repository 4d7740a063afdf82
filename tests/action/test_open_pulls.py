"""Jobs of pull requests that take the same number, on each forge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.action.inputs import Inputs
from sdd_hooks.action.open_pulls import MAX_PULLS, related_pulls
from sdd_hooks.action.results import CommandResult
from sdd_hooks.action.review import review_pull
from sdd_hooks.action.tokens import client_factory
from sdd_hooks.forges.protocol import PullRequest
from sdd_hooks.forges.registry import detect_job
from tests.action.hosting import MEMORY, RECORD
from tests.review.rules.records import adr
from tests.support import gitlab_forge as gitlab
from tests.support.gitea_forge import TOKEN, serving_gitea_forge
from tests.support.gitea_forge import FakeGiteaForge as FakeGitea
from tests.support.github_forge import JOB, serving_forge
from tests.support.repos import Repo

Files = Mapping[str, str | bytes]
FORGES = ("github", "gitea", "gitlab")


@dataclass
class Host:
    """A repository on a forge, its open pull requests by number, and their jobs."""

    forge: Any
    folder: Path
    kind: str
    token: str = ""
    repo: Repo = field(init=False)
    base: str = ""

    def __post_init__(self) -> None:
        self.repo = Repo.init(self.folder / "shop")
        files = {"CLAUDE.md": MEMORY, "docs/adrs/ADR-0001-events.md": RECORD}
        self.base = self.repo.commit("Begin", files)

    def ref(self, number: int) -> str:
        return f"refs/{'merge-requests' if self.kind == 'gitlab' else 'pull'}/{number}/head"

    def pull(
        self,
        files: Files,
        *,
        target: str = "main",
        branch: str = "",
        on: str = "",
        removed: str = "",
        **more: Any,
    ) -> int:
        """Open a pull request that adds these files to the commit `on`, and removes one."""
        self.repo.git("switch", "--quiet", "--detach", on or self.base)
        if removed:
            self.repo.remove(removed)
        head = self.repo.commit("Change", files)
        self.repo.git("switch", "--quiet", "main")
        number = self._add(head, target, branch, **more)
        self.repo.git("update-ref", self.ref(number), head)
        return number

    def _add(self, head: str, target: str, branch: str, **more: Any) -> int:
        if self.kind == "gitlab":
            number = len(self.forge.merges) + 1
            refs = {"base_sha": self.base, "start_sha": self.base, "head_sha": head}
            source = branch or f"change-{number}"
            shape = {"sha": head, "diff_refs": refs, "target_branch": target}
            source_project = {"source_project_id": 2} if more.get("fork") else {}
            self.forge.merge(number, source_branch=source, **shape, **source_project)
            return number
        names = ("branch", "base_branch") if self.kind == "gitea" else ("head_ref", "base_ref")
        name = branch or f"change-{len(self.forge.pulls) + 1}"
        refs_of = dict(zip(names, (name, target), strict=True))
        return int(self.forge.add_pull(base=self.base, head=head, **refs_of, **more))

    def close(self, number: int) -> None:
        if self.kind == "gitlab":
            self.forge.merges[number]["state"] = "closed"
        elif self.kind == "gitea":
            self.forge.pulls[number].entry["state"] = "closed"
        else:
            self.forge.pulls[number]["state"] = "closed"

    def environ(self, number: int) -> dict[str, str]:
        if self.kind == "github":
            return dict(self.forge.environ(self.folder, "pull_request", self.forge.event(number)))
        if self.kind == "gitea":
            return dict(self.forge.environ(self.folder, number))
        entry = self.forge.merges[number]
        return gitlab.job(
            self.forge.server,
            CI_COMMIT_SHA=entry["sha"],
            CI_MERGE_REQUEST_IID=str(number),
            CI_MERGE_REQUEST_TARGET_BRANCH_NAME=entry["target_branch"],
            CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=entry["source_branch"],
            CI_MERGE_REQUEST_DIFF_BASE_SHA=self.base,
        )

    def job(
        self, number: int, *, options: Sequence[str] = ("--depth=1",), **variables: str
    ) -> CommandResult:
        """Run the job of a pull request in a fresh checkout."""
        return self.run({**self.environ(number), **variables}, self.ref(number), options)

    def run(
        self, environ: Mapping[str, str], ref: str, options: Sequence[str] = ("--depth=1",)
    ) -> CommandResult:
        checkout = Repo.init(self.folder / f"job{len(list(self.folder.glob('job*')))}")
        checkout.git("remote", "add", "origin", self.repo.root.as_uri())
        checkout.git("fetch", "--quiet", "--no-tags", *options, "origin", f"+{ref}:refs/remotes/j")
        checkout.git("checkout", "--quiet", "--detach", "refs/remotes/j")
        refs, settings = checkout.git("for-each-ref"), checkout.git("config", "--list")
        variables = {**environ, "RUNNER_TEMP": str(self.folder), "TMPDIR": str(self.folder)}
        found = detect_job(variables, [])
        connect = client_factory(self.token)
        done = review_pull(checkout.project(variables), found, Inputs("review"), connect, {})
        assert checkout.git("for-each-ref") == refs
        assert checkout.git("config", "--list") == settings
        return done


@contextmanager
def host_of(kind: str, folder: Path) -> Iterator[Host]:
    with ExitStack() as stack:
        if kind == "github":
            yield Host(stack.enter_context(serving_forge()), folder, kind, JOB)
        elif kind == "gitea":
            forge = FakeGitea()
            stack.enter_context(serving_gitea_forge(forge))
            yield Host(forge, folder, kind, TOKEN)
        else:
            forge_, server = stack.enter_context(gitlab.gitlab_forge())
            forge_.merges.clear()
            forge_.server = server  # type: ignore[attr-defined]
            yield Host(forge_, folder, kind, "glpat-writes")


@pytest.fixture(params=FORGES)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    with host_of(request.param, tmp_path) as host:
        yield host


@pytest.fixture
def github(tmp_path: Path) -> Iterator[Host]:
    with host_of("github", tmp_path) as host:
        yield host


def report(done: CommandResult) -> Any:
    return json.loads(Path(done.outputs["report"]).read_text())


def messages(done: CommandResult) -> list[str]:
    findings = report(done)["findings"]
    return [
        f"{one['severity']}: {one['message']}"
        for one in findings
        if one["rule"] == "duplicate-number"
    ]


def notes(done: CommandResult) -> list[str]:
    return [str(note) for note in report(done)["notes"]]


def test_only_the_later_of_two_pull_requests_has_the_finding(host: Host) -> None:
    first, second = host.pull(adr(2, "Cache"), fork=True), host.pull(adr(2, "Queue"))
    assert messages(host.job(first)) == []
    (message,) = messages(host.job(second))
    noun = "merge request" if host.kind == "gitlab" else "pull request"
    assert message == (
        f"critical: ADR-0002 is taken by docs/adrs/ADR-0002-cache.md in {noun} {first}, which is"
        " older: `sdd adr renumber docs/adrs/ADR-0002-queue.md 3` gives it the next number that is"
        " free"
    )


def test_the_target_branch_went_on(host: Host) -> None:
    number = host.pull(adr(2, "Queue"))
    host.repo.commit("Decide", adr(2, "Cache"))
    (message,) = messages(host.job(number))
    assert "critical: ADR-0002 is taken by docs/adrs/ADR-0002-cache.md on main: " in message


def test_a_closed_pull_request_has_no_number(host: Host) -> None:
    host.close(host.pull(adr(2, "Cache")))
    assert messages(host.job(host.pull(adr(2, "Queue")))) == []


def test_a_pull_request_continues_the_record_of_the_one_below_it(github: Host) -> None:
    below = github.pull(adr(2, "Cache"), branch="below")
    head = github.repo.git("rev-parse", github.ref(below))
    github.repo.git("branch", "below", head)
    (old, new), text = (next(iter(adr(2, name))) for name in ("Cache", "Store")), adr(2, "Store")
    above = github.pull(text, target="below", on=head, removed=old)
    assert github.repo.git("ls-tree", "--name-only", github.ref(above), new) == new
    assert messages(github.job(above)) == []


def test_nothing_is_requested_for_a_change_that_numbers_no_record(github: Host) -> None:
    github.pull(adr(2, "Cache"))
    github.job(github.pull({"a.txt": "a\n"}))
    assert not [one for one in github.forge.server.requests if one.path.endswith("/pulls")]


def test_a_token_that_may_not_list(github: Host) -> None:
    github.pull(adr(2, "Cache"))
    number = github.pull({**adr(2, "Queue"), "b.txt": "b\n"})
    github.forge.lists_pulls = False
    done = github.job(number)
    assert messages(done) == []
    (note,) = [one for one in notes(done) if "open pull requests" in one]
    assert note.startswith("numbers of open pull requests were not compared: GitHub refuses")
    assert done.exit_code == 0


def test_a_remote_that_does_not_answer(github: Host) -> None:
    github.pull(adr(2, "Cache"))
    number = github.pull(adr(2, "Queue"))
    moved = github.repo.root.with_name("moved")
    checkout = Repo.init(github.folder / "away")
    checkout.git("remote", "add", "origin", github.repo.root.as_uri())
    checkout.git("fetch", "--quiet", "origin", "+refs/*:refs/remotes/all/*")
    checkout.git("checkout", "--quiet", "--detach", f"refs/remotes/all/pull/{number}/head")
    github.repo.root.rename(moved)
    environ = {**github.environ(number), "RUNNER_TEMP": str(github.folder)}
    done = review_pull(
        checkout.project(environ),
        detect_job(environ, []),
        Inputs("review"),
        client_factory(github.token),
        {},
    )
    assert messages(done) == []
    (note,) = [one for one in notes(done) if "not merged yet" in one]
    assert "origin cannot be queried" in note


def test_a_pipeline_in_the_fork(tmp_path: Path) -> None:
    with host_of("gitlab", tmp_path) as host:
        number = host.pull(adr(2, "Queue"), fork=True)
        head = host.forge.merges[number]["sha"]
        host.repo.git("update-ref", "-d", host.ref(number))
        host.repo.git("update-ref", "refs/heads/topic", head)
        host.repo.commit("A record of the fork alone", adr(2, "Cache"))
        done = host.run(host.environ(number), "refs/heads/topic")
        assert messages(done) == []
        (note,) = [one for one in notes(done) if "not merged yet" in one]
        assert "run the job in the repository of the target branch" in note


def test_a_full_clone_and_a_partial_one(github: Host) -> None:
    github.repo.git("config", "uploadpack.allowFilter", "true")
    github.repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    github.pull(adr(2, "Cache"))
    number = github.pull(adr(2, "Queue"))
    for options in ((), ("--filter=blob:none",)):
        (message,) = messages(github.job(number, options=options))
        assert "ADR-0002-cache.md in pull request 1" in message


def test_the_objects_of_other_pull_requests_are_deleted(github: Host) -> None:
    other = github.pull(adr(2, "Cache"))
    head = github.repo.git("rev-parse", github.ref(other))
    github.job(github.pull(adr(2, "Queue")))
    checkout = Repo(github.folder / "job0")
    assert checkout.run("cat-file", "-e", head).returncode != 0
    assert not list(github.folder.glob("sdd-pulls-*"))


def test_many_open_pull_requests(github: Host) -> None:
    github.pull(adr(2, "Too old"))
    for _ in range(MAX_PULLS - 1):
        number = github._add(github.base, "main", "")
        github.repo.git("update-ref", github.ref(number), github.base)
    github.pull(adr(2, "Cache"))
    done = github.job(github.pull(adr(2, "Queue")))
    (message,) = messages(done)
    assert f"pull request {MAX_PULLS + 1}" in message
    assert [note for note in notes(done) if f"the {MAX_PULLS} open pull requests" in note]
    listed = [one for one in github.forge.server.requests if one.path.endswith("/pulls")]
    assert len(listed) == 3


def test_a_head_with_more_files_than_atoms(github: Host) -> None:
    repo = github.repo
    blob = repo.run("hash-object", "-w", "--stdin", stdin=b"# 2. Bomb\n").stdout.decode().strip()
    tree = f"100644 blob {blob}\t0002-bomb.md\n"
    for _ in range(20):
        id = repo.run("mktree", stdin=tree.encode()).stdout.decode().strip()
        tree = "".join(f"040000 tree {id}\t{n}\n" for n in range(10))
    for folder in ("adrs", "docs"):
        listing = f"040000 tree {id}\t{folder}\n"
        id = repo.run("mktree", stdin=listing.encode()).stdout.decode().strip()
    head = repo.git("commit-tree", id, "-p", github.base, "-m", "Bomb")
    number = github._add(head, "main", "", fork=True)
    repo.git("update-ref", github.ref(number), head)
    github.pull(adr(2, "Cache"))
    done = github.job(github.pull(adr(2, "Queue")))
    (message,) = messages(done)
    assert "ADR-0002-cache.md in pull request 2" in message
    assert [note for note in notes(done) if "pull request 1 were not compared" in note]


def test_names_of_branches_are_only_compared(github: Host) -> None:
    names = ("--upload-pack=touch x", "$(touch x)", "a\nb", "../../config", "refs/heads/main")
    for name in names:
        github.pull(adr(2, "Cache"), branch=name, fork=True)
    done = github.job(github.pull(adr(2, "Queue")))
    (message,) = messages(done)
    assert "in pull request 1, which is older" in message
    assert not list(github.folder.rglob("x"))


def test_a_merge_queue_compares_with_what_is_merged_before(github: Host) -> None:
    github.pull(adr(2, "Older, and not queued"))
    repo = github.repo
    before = repo.commit("Queued before", adr(2, "Cache"))
    head = repo.commit("Queued", adr(2, "Queue"))
    repo.git("reset", "--quiet", "--hard", github.base)
    ref = f"refs/heads/gh-readonly-queue/main/pr-3-{before}"
    repo.git("update-ref", ref, head)
    group = {"head_sha": head, "head_ref": ref, "base_sha": before, "base_ref": "refs/heads/main"}
    event = {"action": "checks_requested", "merge_group": group}
    environ = github.forge.environ(github.folder, "merge_group", event, sha=head, ref=ref)
    (message,) = messages(github.run(environ, ref))
    assert "taken by docs/adrs/ADR-0002-cache.md: " in message
    event["merge_group"]["base_sha"] = github.base  # type: ignore[index]
    environ = github.forge.environ(github.folder, "merge_group", event, sha=before, ref=ref)
    assert messages(github.run(environ, ref)) == []


def test_a_merge_queue_is_judged_by_the_settings_of_its_base(github: Host) -> None:
    strict = MEMORY + "\n### SDD Configuration\n\n#### Review\n\n- **Fail On**: critical\n"
    repo = github.repo
    before = repo.commit("Be strict", {"CLAUDE.md": strict})
    changes = {"CLAUDE.md": MEMORY, "a.py": "# Governing: ADR-0099\n"}
    head = repo.commit("Queued", changes)
    ref = f"refs/heads/gh-readonly-queue/main/pr-3-{before}"
    repo.git("update-ref", ref, head)
    group = {"head_sha": head, "base_sha": before}
    environ = github.forge.environ(
        github.folder, "merge_group", {"merge_group": group}, sha=head, ref=ref
    )
    assert github.run(environ, ref).exit_code == 1


def test_a_merge_train_compares_with_what_is_merged_before(tmp_path: Path) -> None:
    with host_of("gitlab", tmp_path) as host:
        host.pull(adr(2, "Older, and not in the train"))
        repo = host.repo
        number = host.pull(adr(2, "Queue"))
        head = host.forge.merges[number]["sha"]
        before = repo.commit("Merged before", adr(2, "Cache"))
        repo.git("merge", "--quiet", "--no-ff", "-m", "Train", head)
        merged = repo.head()
        repo.git("update-ref", f"refs/merge-requests/{number}/train", merged)
        repo.git("reset", "--quiet", "--hard", host.base)
        train = {
            "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train",
            "CI_COMMIT_SHA": merged,
            "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head,
            "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": before,
        }
        ref = f"refs/merge-requests/{number}/train"
        (message,) = messages(host.run({**host.environ(number), **train}, ref))
        assert "docs/adrs/ADR-0002-cache.md on main or before this in its queue: " in message
        train["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = host.base
        assert messages(host.run({**host.environ(number), **train}, ref)) == []


def pull_of(number: int, base_ref: str, head_ref: str, *, fork: bool = False) -> PullRequest:
    return PullRequest(number, "", "", "", base_ref, "", fork, "", True, head_ref)


def test_related_pull_requests() -> None:
    own = pull_of(5, "feature", "more")
    listed = [
        pull_of(1, "main", "feature"),
        pull_of(2, "release", "fix"),
        pull_of(3, "main", "other"),
        own,
        pull_of(4, "other", "on-top"),
        pull_of(6, "main", "release", fork=True),
        pull_of(7, "loop", "pool"),
        pull_of(8, "pool", "loop"),
    ]
    assert [one.number for one in related_pulls(own, listed)] == [1, 3, 4, 6]
    assert related_pulls(own._replace(base_ref=""), listed) == []


def test_a_push_compares_with_no_pull_request(github: Host) -> None:
    github.pull(adr(2, "Cache"))
    github.repo.commit("Decide", adr(2, "Queue"))
    event = {"before": github.base, "repository": {"default_branch": "main"}}
    sha = github.repo.head()
    environ = github.forge.environ(github.folder, "push", event, sha=sha, ref="refs/heads/main")
    assert messages(github.run(environ, "refs/heads/main")) == []
