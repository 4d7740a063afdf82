"""What a job did not check out is fetched, from real remotes, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.action.history import Wanted, bring, bring_change, heads_at
from sdd_hooks.errors import RepositoryError
from tests.action.hosting import Hosted, checked_out, host


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    return host(tmp_path_factory.mktemp("host") / "shop", {"src/a.py": "a = 2\n"})


def wanted(hosted: Hosted) -> tuple[Wanted, Wanted]:
    head = Wanted(hosted.head, f"refs/pull/{hosted.number}/head")
    return Wanted(hosted.base, "refs/heads/main"), head


@pytest.mark.parametrize("commit", ["merge", "head", "tip"])
def test_a_shallow_checkout_becomes_a_whole_one(
    hosted: Hosted, tmp_path: Path, commit: str
) -> None:
    job = checked_out(hosted, tmp_path / "job", getattr(hosted, commit))
    before = job.head(), job.git("for-each-ref")
    assert bring(job.handle, wanted(hosted), {}) == (hosted.base, hosted.head)
    assert job.git("merge-base", hosted.base, hosted.head) == hosted.base
    assert job.git("rev-parse", "--is-shallow-repository") == "false"
    assert (job.head(), job.git("for-each-ref")) == before
    assert job.git("status", "--porcelain") == ""


def test_a_host_that_gives_no_commits_by_their_ids_gives_them_by_refs(
    hosted: Hosted, tmp_path: Path
) -> None:
    job = checked_out(hosted, tmp_path / "job", f"refs/pull/{hosted.number}/merge")
    # The first version of git's protocol has none but those that a ref is at.
    job.git("config", "protocol.version", "0")
    assert bring(job.handle, wanted(hosted), {}) == (hosted.base, hosted.head)
    assert job.git("merge-base", hosted.base, hosted.head) == hosted.base


def test_nobody_is_asked_where_all_is_there(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge, options=[])
    job.git("remote", "set-url", "origin", "file:///nowhere")
    assert bring(job.handle, wanted(hosted), {}) == (hosted.base, hosted.head)


def test_a_clone_without_contents_gets_those_that_differ(hosted: Hosted, tmp_path: Path) -> None:
    hosted.repo.git("config", "uploadpack.allowFilter", "true")
    job = checked_out(hosted, tmp_path / "job", hosted.tip, options=["--filter=blob:none"])
    base, head = bring_change(job.handle, *wanted(hosted), {})
    here = {"GIT_NO_LAZY_FETCH": "1"}
    assert "a = 2" in job.git("diff", base, head, env=here)


@pytest.mark.parametrize("name", ["main", "origin/main", "refs/heads/main"])
def test_a_base_may_be_a_branch_of_the_remote(hosted: Hosted, tmp_path: Path, name: str) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    assert bring(job.handle, [Wanted(name)], {}) == (hosted.tip,)


@pytest.mark.parametrize(
    "name", ["0" * 39 + "1", "gone", "--upload-pack=touch stolen", "a\nb", "main:refs/heads/x", ""]
)
def test_what_cannot_be_had_is_a_line(hosted: Hosted, tmp_path: Path, name: str) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    refs = job.git("for-each-ref")
    with pytest.raises(RepositoryError, match="origin does not give the commit") as failed:
        bring(job.handle, [Wanted(name)], {})
    assert "\n" not in str(failed.value)
    assert job.git("for-each-ref") == refs
    assert not list(tmp_path.rglob("stolen"))


def test_hooks_of_the_checkout_do_not_run(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.merge)
    hook = job.write(".git/hooks/reference-transaction", "#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    bring(job.handle, [Wanted("main")], {})
    assert not (job.root / "ran").exists()


def test_the_pull_requests_at_a_commit(hosted: Hosted, tmp_path: Path) -> None:
    job = checked_out(hosted, tmp_path / "job", hosted.tip)
    remote = hosted.repo
    for ref in ("refs/pull/12/head", "refs/pull/x/head", "refs/pull/9/other"):
        remote.git("update-ref", ref, hosted.head)
    assert heads_at(job.handle, hosted.head, "refs/pull/*/head", {}) == [12, 7]
    assert heads_at(job.handle, "0" * 40, "refs/pull/*/head", {}) == []
    job.git("remote", "set-url", "origin", "file:///nowhere")
    with pytest.raises(RepositoryError, match="origin cannot be asked"):
        heads_at(job.handle, hosted.head, "refs/pull/*/head", {})
