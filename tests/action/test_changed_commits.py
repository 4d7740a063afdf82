"""Commits that a job did not check out are fetched from real remotes; nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.action.changed_commits import (
    CommitName,
    fetch_change,
    fetch_commits,
    find_pull_numbers,
)
from sdd_hooks.errors import RepositoryError
from tests.action.hosting import Hosted, checked_out, host
from tests.support.loopback import CannedResponse, Request, serving


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    return host(tmp_path_factory.mktemp("host") / "shop", {"src/a.py": "a = 2\n"})


def commits(hosted: Hosted) -> tuple[CommitName, CommitName]:
    head = CommitName(hosted.head, f"refs/pull/{hosted.number}/head")
    return CommitName(hosted.base, "refs/heads/main"), head


@pytest.mark.parametrize("commit", ["merge", "head", "tip"])
def test_a_shallow_checkout_is_unshallowed(hosted: Hosted, tmp_path: Path, commit: str) -> None:
    job = checked_out(hosted, tmp_path / "job", getattr(hosted, commit))
    before = job.head(), job.git("for-each-ref")
    assert fetch_commits(job.handle, commits(hosted), {}) == (hosted.base, hosted.head)
    assert job.git("merge-base", hosted.base, hosted.head) == hosted.base
    assert job.git("rev-parse", "--is-shallow-repository") == "false"
    assert (job.head(), job.git("for-each-ref")) == before
    assert job.git("status", "--porcelain") == ""


def test_a_host_that_refuses_ids_is_asked_for_refs(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", f"refs/pull/{hosted.number}/merge")
    # The first version of git's protocol serves only commits at which a ref is.
    job.git("config", "protocol.version", "0")
    assert fetch_commits(job.handle, commits(hosted), {}) == (hosted.base, hosted.head)
    assert job.git("merge-base", hosted.base, hosted.head) == hosted.base


def test_a_complete_checkout_sends_no_request(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge, options=[])
    job.git("remote", "set-url", "origin", "file:///nowhere")
    assert fetch_commits(job.handle, commits(hosted), {}) == (hosted.base, hosted.head)


def test_a_partial_clone_fetches_the_files_that_differ(hosted: Hosted, tmp_path: Path) -> None:
    hosted.repo.git("config", "uploadpack.allowFilter", "true")
    job = checked_out(hosted, tmp_path / "job", hosted.tip, options=["--filter=blob:none"])
    base, head = fetch_change(job.handle, *commits(hosted), {})
    here = {"GIT_NO_LAZY_FETCH": "1"}
    assert "a = 2" in job.git("diff", base, head, env=here)


@pytest.mark.parametrize("name", ["main", "origin/main", "refs/heads/main"])
def test_a_base_may_be_a_branch_of_the_remote(hosted: Hosted, tmp_path: Path, name: str) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    assert fetch_commits(job.handle, [CommitName(name)], {}) == (hosted.tip,)


@pytest.mark.parametrize(
    "name", ["0" * 39 + "1", "gone", "--upload-pack=touch stolen", "a\nb", "main:refs/heads/x", ""]
)
def test_a_commit_that_cannot_be_fetched_is_one_line(
    hosted: Hosted, tmp_path: Path, name: str
) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    refs = job.git("for-each-ref")
    with pytest.raises(RepositoryError, match="origin does not provide the commit") as failed:
        fetch_commits(job.handle, [CommitName(name)], {})
    assert "\n" not in str(failed.value)
    assert job.git("for-each-ref") == refs
    assert not list(tmp_path.rglob("stolen"))


def test_a_commit_without_an_id_is_called_by_its_ref(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    with pytest.raises(RepositoryError, match="the commit 'refs/heads/gone' "):
        fetch_commits(job.handle, [CommitName("", "refs/heads/gone")], {})


def test_hooks_of_the_checkout_do_not_run(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    hook = job.write(".git/hooks/reference-transaction", "#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    fetch_commits(job.handle, [CommitName("main")], {})
    assert not (job.root / "ran").exists()


def test_the_numbers_of_the_pull_requests_with_a_head(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.tip)
    remote = hosted.repo
    for ref in ("refs/pull/12/head", "refs/pull/x/head", "refs/pull/9/other"):
        remote.git("update-ref", ref, hosted.head)
    assert find_pull_numbers(job.handle, hosted.head, "refs/pull/*/head", {}) == [12, 7]
    assert find_pull_numbers(job.handle, "0" * 40, "refs/pull/*/head", {}) == []
    job.git("remote", "set-url", "origin", "file:///nowhere")
    with pytest.raises(RepositoryError, match="origin cannot be queried"):
        find_pull_numbers(job.handle, hosted.head, "refs/pull/*/head", {})


def token_for(url: str) -> dict[str, str]:
    header = "Authorization: Basic Z2FyYmFnZTpnYXJiYWdl"
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{url}/.extraHeader",
        "GIT_CONFIG_VALUE_0": header,
    }


@pytest.mark.parametrize("is_public", [True, False])
def test_a_refused_token(hosted: Hosted, tmp_path: Path, is_public: bool) -> None:
    git_dir = hosted.repo.root / ".git"
    hosted.repo.git("update-server-info")
    tokens: list[bool] = []

    def answer(request: Request) -> CannedResponse:
        has_token = "authorization" in {name.lower() for name in request.headers}
        tokens.append(has_token)
        if has_token or not is_public:
            return CannedResponse(401, b"", {"WWW-Authenticate": 'Basic realm="git"'})
        file = git_dir / request.path.lstrip("/")
        return CannedResponse(200, file.read_bytes()) if file.is_file() else CannedResponse(404)

    job = checked_out(hosted, tmp_path / "job", hosted.base, options=[])
    with serving(answer) as server:
        job.git("remote", "set-url", "origin", server.url)
        access = token_for(server.url)
        if is_public:
            assert fetch_commits(job.handle, commits(hosted), access) == (hosted.base, hosted.head)
            assert tokens[0]
            assert not tokens[-1]
        else:
            with pytest.raises(RepositoryError, match="origin refuses the token of the job"):
                fetch_commits(job.handle, commits(hosted), access)
