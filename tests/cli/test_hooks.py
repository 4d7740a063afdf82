import os

from sdd_hooks.githooks.shims import EVENTS as HOOKS
from tests.cli.commands import ADR, FILES, SCRIPTS, one_line, run


def states(done):
    return {hook["event"]: hook["state"] for hook in done.json["hooks"]}


def test_hooks_are_installed_shown_and_uninstalled(repo):
    folder = repo.root / ".git/hooks"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(states(run(repo.root, "hooks", "status", "--json")).values()) == {"absent"}
    done = run(repo.root, "hooks", "install")
    assert done.code == 0
    assert done.out.splitlines() == [
        f"hooks in {folder}",
        *(f"{name:<16}  installed" for name in HOOKS),
    ]
    for name in HOOKS:
        assert os.access(folder / name, os.X_OK)
    installed = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run(repo.root, "hooks", "install").out == done.out
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == installed
    assert set(states(run(repo.root, "hooks", "status", "--json")).values()) == {"installed"}
    assert set(states(run(repo.root, "hooks", "uninstall", "--json")).values()) == {"absent"}
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_commit_refreshes_the_index(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "hooks", "install").code == 0
    assert run(repo.root, "index", "add").code == 0
    repo.commit("Decide", {"docs/adrs/ADR-0002-queue.md": "# ADR-0002: Use a queue\n"})
    (hit,) = run(repo.root, "search", "--json", "queue").hits
    assert hit["path"] == "docs/adrs/ADR-0002-queue.md"


def test_a_hook_that_cannot_run_is_a_finding(repo, tmp_path):
    assert run(repo.root, "hooks", "install").code == 0
    hook = repo.root / ".git/hooks/post-commit"
    command = tmp_path / "sdd"
    command.symlink_to(SCRIPTS / "sdd")
    linked = run(repo.root, "hooks", "install", script=os.path.relpath(command, SCRIPTS))
    assert linked.code == 0
    assert str(command) in hook.read_text()
    command.unlink()
    done = run(repo.root, "hooks", "status")
    assert done.code == 1
    assert f"{command} is gone" in done.out
    failed = [c for c in run(repo.root, "doctor", "--json").json["checks"] if c["level"] == "fail"]
    assert [check["name"] for check in failed] == ["hooks"]


def test_the_lines_for_another_hook_manager_are_printed(repo):
    repo.write("lefthook.yml", "pre-push:\n  commands: {}\n")
    done = run(repo.root, "hooks", "install")
    assert done.code == 0
    assert "lefthook runs the hooks here. Add these lines to its files:" in done.out
    assert "    post-commit:\n" in done.out
    assert (repo.root / "lefthook.yml").read_text() == "pre-push:\n  commands: {}\n"
    assert not (repo.root / ".git/hooks/post-commit").exists()
    (check,) = [
        one for one in run(repo.root, "doctor", "--json").json["checks"] if one["name"] == "hooks"
    ]
    assert check["level"] == "warn"
    written = run(repo.root, "hooks", "install", "--yes")
    assert (written.code, written.out.splitlines()[-2:]) == (
        0,
        ["changed lefthook.yml", "then run `lefthook install`"],
    )
    assert "sdd hook post-commit" in (repo.root / "lefthook.yml").read_text()
    left = run(repo.root, "hooks", "uninstall")
    assert "lines of sdd are left in lefthook.yml: `sdd hooks uninstall --yes`" in left.err
    removed = run(repo.root, "hooks", "uninstall", "--yes")
    assert (removed.code, "changed lefthook.yml" in removed.out) == (0, True)
    assert (repo.root / "lefthook.yml").read_text() == "pre-push:\n  commands: {}\n"
    shown = run(repo.root, "hooks", "status")
    assert "lefthook does not run sdd" in shown.out


def test_a_shared_hooks_folder_is_refused(repo, tmp_path):
    (tmp_path / "hooks").mkdir()
    repo.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    assert "outside this repository" in one_line(run(repo.root, "hooks", "install"), 1)


def test_an_event_can_be_run_by_hand(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "index", "update", "--kind", "adrs").code == 0
    repo.write("docs/adrs/ADR-0001-sqlite.md", ADR.replace("crash", "storm"))
    refreshed = "sdd: Refreshed index (0 added, 1 updated, 0 removed across all collections)\n"
    assert run(repo.root, "hook", "post-merge", "0") == (0, "", refreshed)
    assert run(repo.root, "search", "--json", "storm").hits
    assert run(repo.root.parent, "-C", "repo", "hook", "post-merge", "0") == (0, "", "")
    done = run(repo.root, "hook", "post-nothing")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "Act on a git event" in run(repo.root, "hook", "--help").out


def test_the_option_review_installs_the_hooks_of_the_review(repo):
    repo.commit("Start", FILES)
    assert run(repo.root, "hooks", "install").code == 0
    done = run(repo.root, "hooks", "install", "--review")
    assert (done.code, done.out.splitlines()[-2:]) == (
        0,
        ["commit-msg        installed", "pre-push          installed"],
    )
    assert set(states(run(repo.root, "hooks", "status", "--json"))) == {
        *HOOKS,
        "commit-msg",
        "pre-push",
    }
    assert (repo.root / ".git/hooks/pre-push").exists()
    (check,) = [
        one for one in run(repo.root, "doctor", "--json").json["checks"] if one["name"] == "hooks"
    ]
    assert check["level"] == "ok"
    (repo.root / ".git/hooks/pre-push").unlink()
    assert states(run(repo.root, "hooks", "status", "--json"))["pre-push"] == "absent"
    assert run(repo.root, "hooks", "uninstall").code == 0
    assert not (repo.root / ".git/hooks/commit-msg").exists()


def test_the_hooks_of_the_review_can_be_run_by_hand(repo):
    repo.commit("Start", FILES)
    repo.write("src/parse.py", "# Governing: ADR-0099 (nothing)\n")
    repo.git("add", "--all")
    done = run(repo.root, "hook", "check", "--fail-on", "critical")
    assert (done.code, done.out) == (1, "")
    assert "src/parse.py:1: critical: ADR-0099 does not exist" in done.err
    done = run(repo.root.parent, "-C", "repo", "hook", "check", "--fail-on", "critical")
    assert done.code == 1
    repo.write(".git/MESSAGE", "See ADR-0099\n")
    assert "ADR-0099" in run(repo.root, "hook", "commit-msg", ".git/MESSAGE").err
    assert run(repo.root, "hook", "pre-push", "origin", "url") == (0, "", "")
    repo.git("commit", "--quiet", "-m", "Change")
    line = f"refs/heads/main {repo.head()} refs/heads/main {repo.git('rev-parse', 'HEAD~1')}\n"
    done = run(repo.root, "hook", "pre-push", "origin", "url", stdin=line.encode())
    assert (done.code, done.out) == (0, "")
    assert "ADR-0099 does not exist" in done.err
