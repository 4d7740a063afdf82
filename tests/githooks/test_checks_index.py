"""The rules of the review, on staged changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.githooks.reviewed import APP, BROKEN, OLD, ONE, adr, hook, repository, stage
from tests.support.repos import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path / "repo")


def test_nothing_staged(repo: Repo) -> None:
    repo.write(APP, BROKEN)
    assert hook(repo, "check") == (0, "")


def test_a_finding_is_one_line_and_refuses_nothing(repo: Repo) -> None:
    stage(repo, APP, BROKEN)
    code, said = hook(repo, "check")
    assert code == 0
    assert said.startswith(f"{APP}:1: critical: ADR-0099 does not exist")
    assert said.endswith("[dangling-reference]\n")
    assert said.count("\n") == 1


def test_the_index_is_reviewed_and_not_the_work_tree(repo: Repo) -> None:
    stage(repo, APP, BROKEN)
    repo.write(APP, "def login(name):\n    return None\n")
    assert "ADR-0099" in hook(repo, "check")[1]
    repo.git("add", APP)
    repo.write(APP, BROKEN)
    assert hook(repo, "check") == (0, "")


@pytest.mark.parametrize("option", [["--fail-on", "warning"], ["--fail-on=warning"]])
def test_fail_on_refuses_the_commit(repo: Repo, option: list[str]) -> None:
    stage(repo, APP, "# Governing: ADR-0002 (files)\n")
    code, said = hook(repo, "check", *option)
    assert (code, "warning: ADR-0002 is superseded: see ADR-0001" in said) == (1, True)
    assert hook(repo, "check", "--fail-on", "critical")[0] == 0


def test_the_setting_refuses_the_commit(repo: Repo) -> None:
    repo.commit("Set", {"CLAUDE.md": "## SDD Configuration\n\n#### Review\n- Fail On: critical\n"})
    stage(repo, APP, BROKEN)
    assert hook(repo, "check")[0] == 1
    assert hook(repo, "check", "--fail-on", "never")[0] == 0


def test_inconsistent_records_are_refused_by_default(repo: Repo) -> None:
    stage(repo, ONE, adr(1, "Keep sessions in SQLite", "accepted", "extends: [ADR-0099]"))
    code, said = hook(repo, "check")
    assert code == 1
    assert f"{ONE}:3: critical: ADR-0001 extends ADR-0099" in said
    assert hook(repo, "check", "--fail-on", "never")[0] == 0


def test_a_finding_suppressed_with_a_reason_does_not_refuse(repo: Repo) -> None:
    stage(repo, APP, "# sdd-ignore: dangling-reference (written next week)\n" + BROKEN)
    code, said = hook(repo, "check", "--fail-on", "critical")
    assert (code, said.count("\n")) == (0, 1)
    assert "info: this change suppresses a critical finding of dangling-reference" in said


def test_many_findings_are_counted(repo: Repo) -> None:
    stage(repo, APP, "".join(f"# Governing: ADR-01{number:02} (x)\n" for number in range(60)))
    code, said = hook(repo, "check")
    assert (code, said.count("\n")) == (0, 41)
    assert said.endswith("sdd: 20 more findings: `sdd review --staged` shows them\n")


def test_the_first_commit(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    stage(repo, ONE, adr(1, "First"))
    stage(repo, APP, BROKEN)
    assert "ADR-0099" in hook(repo, "check")[1]


def test_the_index_of_the_commit_is_used_and_no_other(repo: Repo, tmp_path: Path) -> None:
    own = str(repo.root / ".git/next-index")
    repo.write(APP, BROKEN)
    repo.git("read-tree", "HEAD", env={"GIT_INDEX_FILE": own})
    repo.git("add", APP, env={"GIT_INDEX_FILE": own})
    assert "ADR-0099" in hook(repo, "check", environ={**os.environ, "GIT_INDEX_FILE": own})[1]
    assert hook(repo, "check") == (0, "")
    other = repository(tmp_path / "other")
    stage(other, APP, BROKEN)
    leaked = {**os.environ, "GIT_INDEX_FILE": str(other.root / ".git/index")}
    assert hook(repo, "check", environ=leaked) == (0, "")


def test_control_characters_of_a_repository_are_escaped(repo: Repo) -> None:
    stage(repo, "src/\x1b[31m\nx.py", BROKEN)
    _, said = hook(repo, "check")
    assert said.count("\n") == 1
    assert "\x1b" not in said


def test_an_unknown_severity_is_a_usage_error(repo: Repo) -> None:
    for arguments in (["--fail-on", "sev\x1bere"], ["--fail-on"]):
        code, said = hook(repo, "check", *arguments)
        assert (code, said.count("\n"), "\x1b" in said) == (2, 1, False)


def test_an_error_is_one_line_and_does_not_stop_the_commit(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    code, said = hook(repo, "check", cwd="../nowhere")
    assert (code, said.count("\n")) == (0, 1)
    assert said.startswith("sdd: nothing was reviewed: ")
    assert "is not inside a git repository" in said
    repo.write("CLAUDE.md", "## SDD Configuration\n\n#### Review\n- Fail On: sometimes\n")
    stage(repo, APP, BROKEN)
    code, said = hook(repo, "check", "--fail-on", "critical")
    assert (code, said.count("\n")) == (0, 1)
    assert "CLAUDE.md:4" in said


def test_a_bug_is_one_line_and_does_not_stop_the_commit(repo: Repo) -> None:
    class Broken(dict[str, str]):
        def get(self, *_: object) -> str:  # type: ignore[override]
            raise RuntimeError("two\nlines")

    code, said = hook(repo, "check", "--fail-on", "info", environ=Broken())
    expected = "sdd: nothing was reviewed — run `sdd doctor` (RuntimeError: two lines)\n"
    assert (code, said) == (0, expected)


def test_a_superseded_record_may_be_edited(repo: Repo) -> None:
    stage(repo, OLD, adr(2, "Keep sessions in files", "superseded") + "\nMore.\n")
    assert hook(repo, "check", "--fail-on", "info") == (0, "")


def test_it_imports_nothing_heavy(repo: Repo) -> None:
    stage(repo, APP, BROKEN)
    program = (
        "import sys; sys.argv = ['sdd', 'hook', 'check'];"
        " from sdd_hooks.cli.entry import main; code = main();"
        " print(code, *sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=repo.root,
        env=repo.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = done.stdout.split()
    assert (code, "ADR-0099" in done.stderr) == ("0", True)
    heavy = {
        *("click", "git", "httpx", "frontmatter", "numpy", "llm", "apsw", "asyncio"),
        *("http", "urllib.request", "sdd_hooks.review.references.find"),
    }
    assert heavy.intersection(modules) == set()
