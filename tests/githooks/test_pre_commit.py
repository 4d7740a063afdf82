"""The hooks through the pre-commit framework, with real git and the real framework."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.githooks.conftest import ADR, after, settled
from tests.githooks.recorder import Hooked, Recorder
from tests.support.oracle import assert_index_matches_scratch, documents
from tests.support.repos import Repo

TOP = Path(__file__).resolve().parents[2]
MANIFEST = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
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
    """The hooks of the manifest, run by pre-commit; `sdd` is on PATH, no environment is built."""
    subprocess.run([tracer.path, "hooks", "uninstall"], cwd=fresh.root, check=True)
    fresh.search_path = tracer.search_path
    hooks = [{**hook, "language": "system"} for hook in MANIFEST]
    configuration = {
        "default_install_hook_types": ["pre-commit", *MANIFEST[0]["stages"]],
        "repos": [{"repo": "local", "hooks": hooks}],
    }
    fresh.commit("Configure", {".pre-commit-config.yaml": yaml.safe_dump(configuration)})
    pre_commit(fresh, "install")
    tracer.calls()
    return fresh


def quietly(repo: Repo, *command: str) -> str:
    """Run git; pre-commit says `Passed` on stderr, and the index must be right."""
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
        # Without explicit stages, a hook runs at every stage or, without file names, at none.
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


def test_a_rebase_is_one_refresh(framed: Hooked) -> None:
    for number in range(2):
        framed.write(f"docs/adrs/ADR-001{number}-x.md", f"# ADR-001{number}: X\n")
        framed.git("add", "--all")
        quietly(framed, "commit", "-m", f"{number}")
    quietly(framed, "checkout", "--quiet", "-b", "topic", "HEAD~2")
    framed.write(NEW, "# ADR-0003: New\n")
    framed.git("add", "--all")
    quietly(framed, "commit", "-m", "New")
    quietly(framed, "rebase", "main")
    assert len([one for one in documents(framed) if one.startswith("docs/adrs/")]) == 5


def test_a_finding_refuses_the_commit(framed: Hooked) -> None:
    framed.write(NEW, "---\nextends: [ADR-0099]\n---\n\n# ADR-0003: New\n")
    framed.git("add", "--all")
    done = framed.run("commit", "-m", "x")
    assert done.returncode == 1
    assert f"{NEW}:2: critical: ADR-0003 extends ADR-0099".encode() in done.stderr


def test_a_configuration_that_is_not_staged(framed: Hooked) -> None:
    """pre-commit then refuses to run after the commit, which stands; the next event catches up."""
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


def test_our_own_configuration_runs_our_hooks() -> None:
    configuration = yaml.safe_load((TOP / ".pre-commit-config.yaml").read_text())
    assert configuration["default_install_hook_types"] == ["pre-commit", *MANIFEST[0]["stages"]]
    (local,) = configuration["repos"]
    own = {hook["id"]: hook for hook in local["hooks"]}
    for hook in MANIFEST:
        assert own[hook["id"]]["entry"] == hook["entry"]
        assert own[hook["id"]]["stages"] == hook["stages"]


def test_pre_commit_and_our_hooks_together(framed: Hooked, tracer: Recorder) -> None:
    """Installed over each other, a refresh is done twice at worst, and is right."""
    subprocess.run([tracer.path, "hooks", "install"], cwd=framed.root, check=True)
    framed.write(ADR, "# ADR-0001: Changed\n")
    quietly(framed, "commit", "--all", "-m", "x")
    pre_commit(framed, "uninstall")
    subprocess.run([tracer.path, "hooks", "install"], cwd=framed.root, check=True)
    framed.write(ADR, "# ADR-0001: Again\n")
    after(framed, "commit", "--quiet", "--all", "-m", "x")
