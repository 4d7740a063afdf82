"""The hooks under the pre-commit framework, with real git and the real framework."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.githooks.conftest import ADR, after, settled
from tests.githooks.recorder import Hooked, Recorder
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo

TOP = Path(__file__).resolve().parents[2]
MANIFEST = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
INDEX, REVIEW = MANIFEST[:3], MANIFEST[3:]
NEW = "docs/adrs/ADR-0003-new.md"


def pre_commit(repo: Hooked, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *args],
        cwd=repo.root,
        env=repo.environment(),
        capture_output=True,
        text=True,
        check=check,
    )


@pytest.fixture
def framed(fresh: Hooked, tracer: Recorder) -> Hooked:
    """The hooks of the manifest under pre-commit, with `sdd` on PATH and no built environment."""
    subprocess.run([tracer.path, "hooks", "uninstall"], cwd=fresh.root, check=True)
    return configured(fresh, tracer, INDEX)


@pytest.fixture
def reviewed(fresh: Hooked, tracer: Recorder) -> Hooked:
    """The same with only the hooks of the review."""
    subprocess.run([tracer.path, "hooks", "uninstall"], cwd=fresh.root, check=True)
    return configured(fresh, tracer, REVIEW)


def configured(
    repo: Hooked, tracer: Recorder, manifest: Sequence[Mapping[str, Any]], **more: object
) -> Hooked:
    """Configure and install these hooks in pre-commit, each with `more` as further settings."""
    repo.search_path = tracer.search_path
    hooks = [{**hook, "language": "system", **more} for hook in manifest]
    types = sorted({stage for hook in manifest for stage in hook["stages"]})
    configuration = {
        "default_install_hook_types": types,
        "repos": [{"repo": "local", "hooks": hooks}],
    }
    repo.commit("Configure", {".pre-commit-config.yaml": yaml.safe_dump(configuration)})
    pre_commit(repo, "install")
    tracer.calls()
    return repo


def quietly(repo: Repo, *command: str) -> str:
    """Run git. pre-commit prints `Passed` on stderr, and the index must be correct."""
    done = repo.run(*command)
    said = done.stderr.decode() + done.stdout.decode()
    assert done.returncode == 0, said
    assert "Failed" not in said
    settled(repo)
    assert_index_matches_scratch(repo)
    return said


def test_the_manifest() -> None:
    pre_commit(Hooked(TOP), "validate-manifest")
    pre_commit(Hooked(TOP), "validate-config")
    for hook in MANIFEST:
        # Without explicit stages, a hook runs in every stage or, without file names, in none.
        assert hook["stages"]
        assert hook["minimum_pre_commit_version"] == "3.2.0"


def test_every_event(framed: Hooked, tracer: Recorder) -> None:
    framed.write(NEW, "# ADR-0003: New\n")
    framed.git("add", "--all")
    quietly(framed, "commit", "-m", "x")
    assert tracer.calls() == [f"hook pre-commit {NEW}", "hook auto"]
    framed.write(ADR, "# ADR-0001: Amended\n")
    quietly(framed, "commit", "--all", "--amend", "-m", "x")
    assert tracer.calls() == [f"hook pre-commit {ADR}", "hook auto", "hook auto"]
    quietly(framed, "checkout", "-b", "topic", "HEAD~1")
    assert NEW not in documents(framed)
    quietly(framed, "merge", "--quiet", "main")
    assert NEW in documents(framed)
    assert tracer.calls() == ["hook auto", "hook auto"]


def test_a_finding_refuses_the_commit(framed: Hooked) -> None:
    framed.write(NEW, "---\nextends: [ADR-0099]\n---\n\n# ADR-0003: New\n")
    framed.git("add", "--all")
    done = framed.run("commit", "-m", "x")
    assert done.returncode == 1
    assert f"{NEW}:2: critical: ADR-0003 extends ADR-0099".encode() in done.stderr


def test_a_configuration_that_is_not_staged(framed: Hooked) -> None:
    """pre-commit then refuses to run after the commit. The next event refreshes the index."""
    framed.write(
        ".pre-commit-config.yaml", (framed.root / ".pre-commit-config.yaml").read_text() + "\n"
    )
    framed.write(ADR, "# ADR-0001: Changed\n")
    framed.git("add", ADR)
    before = framed.head()
    framed.run("commit", "--no-verify", "-m", "x")
    assert framed.head() != before
    framed.git("add", ".pre-commit-config.yaml")
    quietly(framed, "commit", "-m", "Configure")


def test_the_configuration_of_this_repository_runs_the_hooks() -> None:
    configuration = yaml.safe_load((TOP / ".pre-commit-config.yaml").read_text())
    wanted = {stage for hook in MANIFEST for stage in hook["stages"]}
    assert set(configuration["default_install_hook_types"]) == wanted
    (local,) = configuration["repos"]
    own = {hook["id"]: hook for hook in local["hooks"]}
    for hook in MANIFEST:
        assert own[hook["id"]]["entry"] == hook["entry"]
        assert own[hook["id"]]["stages"] == hook["stages"]


def test_pre_commit_and_installed_hooks_together(framed: Hooked, tracer: Recorder) -> None:
    """With both installed, at worst two refreshes run, and the index is correct."""
    subprocess.run([tracer.path, "hooks", "install"], cwd=framed.root, check=True)
    framed.write(ADR, "# ADR-0001: Changed\n")
    quietly(framed, "commit", "--all", "-m", "x")
    pre_commit(framed, "uninstall")
    subprocess.run([tracer.path, "hooks", "install"], cwd=framed.root, check=True)
    framed.write(ADR, "# ADR-0001: Again\n")
    after(framed, "commit", "--quiet", "--all", "-m", "x")


# The review


def test_the_index_is_reviewed(reviewed: Hooked, tracer: Recorder) -> None:
    reviewed.write("src/app.py", "# Governing: ADR-0099 (nothing)\n")
    reviewed.git("add", "--all")
    done = reviewed.run("commit", "-m", "See ADR-0098")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "src/app.py:1: critical: ADR-0099 does not exist" in said
    assert "sdd: warning: a commit message names what is not there: ADR-0098" in said
    assert tracer.calls() == ["hook check", "hook commit-msg .git/COMMIT_EDITMSG"]


def test_the_review_can_refuse_a_commit(reviewed: Hooked, tracer: Recorder) -> None:
    reviewed.commit("Say so", {".sdd-refuses": ""})
    configured(reviewed, tracer, REVIEW, args=["--fail-on", "critical"])
    before = reviewed.head()
    reviewed.write("src/app.py", "# Governing: ADR-0099 (nothing)\n")
    reviewed.git("add", "--all")
    assert reviewed.run("commit", "-m", "x").returncode == 1
    assert reviewed.head() == before
    assert tracer.calls() == ["hook check --fail-on critical"]


def test_a_push_is_reviewed(reviewed: Hooked, tracer: Recorder, tmp_path: Path) -> None:
    Repo.init(tmp_path / "remote.git", "--bare")
    reviewed.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    assert reviewed.run("push", "origin", "main").returncode == 0
    reviewed.git("switch", "--quiet", "-c", "topic")
    reviewed.commit("Change", {"src/app.py": "# Governing: ADR-0099 (nothing)\n"})
    tracer.calls()
    done = reviewed.run("push", "origin", "topic")
    assert done.returncode == 0, done.stderr
    assert b"ADR-0099 does not exist" in done.stdout + done.stderr
    assert tracer.calls() == ["hook pre-push"]
    # The commits that the remote already has are reviewed again: the pull request shows them, too.
    reviewed.commit("More", {"notes.txt": "2\n"})
    done = reviewed.run("push", "origin", "topic")
    assert b"ADR-0099 does not exist" in done.stdout + done.stderr
    assert reviewed.run("push", "origin", "--delete", "topic").returncode == 0
