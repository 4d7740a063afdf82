"""The lines for the files of a hook manager, followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.githooks.install import (
    InstallReport,
    inspect_hooks,
    install_hooks,
)
from sdd_hooks.githooks.manager_edits import plan_lines, plan_removal, write_edits
from sdd_hooks.githooks.manager_lines import render_lines
from sdd_hooks.githooks.managers import Manager
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS
from tests.githooks.conftest import ADR
from tests.githooks.hook_folders import every, place, states
from tests.githooks.recorder import Hooked, Recorder

_PLACE = re.compile(r"# (\S+) \((a new file|below its first line|at its beginning)\)")

# What husky 9 writes into `.husky/_` (https://github.com/typicode/husky).
HUSKY_RUNNER = """\
#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
[ "${HUSKY-}" = "0" ] && exit 0
export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
"""
HUSKY_HOOK = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'


def husky(repo: Hooked, folder: str = ".husky") -> None:
    repo.write(f"{folder}/_/h", HUSKY_RUNNER)
    for event in (*EVENTS, *REVIEW_EVENTS):
        repo.write(f"{folder}/_/{event}", HUSKY_HOOK).chmod(0o755)
    repo.git("config", "core.hooksPath", f"{folder}/_")


def follow(repo: Hooked, report: InstallReport) -> None:
    """Do what the lines for a folder of scripts say, and nothing else: the edits say the same."""
    text, _, commands = report.snippet.partition("# then run\n")
    target, where, block = "", "", ""
    for line in [*text.splitlines(keepends=True), "# end (a new file)\n"]:
        found = _PLACE.match(line)
        if not found:
            block += line
            continue
        path = repo.root / target
        if where == "below its first line":
            first, rest = path.read_text().split("\n", 1)
            path.write_text(f"{first}\n{block}{rest}")
        elif where == "at its beginning":
            path.write_text(block + path.read_text())
        elif target:
            path.write_text(block)
        (target, where), block = found.groups(), ""
    followed = {edit.path: (repo.root / edit.path).read_bytes() for edit in report.edits}
    assert followed == {edit.path: edit.after for edit in report.edits}
    subprocess.run(["sh", "-ec", commands], cwd=repo.root, check=True)


def commit(repo: Hooked, text: str) -> subprocess.CompletedProcess[bytes]:
    repo.write(ADR, f"# ADR-0001: {text}\n")
    return repo.run("commit", "--all", "-m", text)


TEAM_SCRIPTS = {
    "none": {},
    "scripts": {
        "pre-commit": ("#!/bin/sh\necho team >>ran\nexit 0\n", 0o755),
        "post-commit": ("#!/usr/bin/env bash\nset -e\necho team >>ran", 0o755),
        "post-merge": ("#!/bin/sh\n", 0o644),
    },
}


@pytest.mark.parametrize("scripts", TEAM_SCRIPTS.values(), ids=TEAM_SCRIPTS)
def test_the_lines_for_a_folder_of_a_team_work(
    repo: Hooked, recorder: Recorder, scripts: dict[str, tuple[str, int]]
) -> None:
    repo.commit("Team", {".githooks/README": "Hooks of the team.\n"})
    for event, (script, mode) in scripts.items():
        repo.write(f".githooks/{event}", script).chmod(mode)
    repo.git("config", "core.hooksPath", ".githooks")
    follow(repo, install_hooks(place(repo), recorder.path))
    assert states(inspect_hooks(place(repo))) == every("managed")
    recorder.calls()
    (repo.root / "ran").unlink(missing_ok=True)
    # Without sdd on PATH nothing fails.
    assert commit(repo, "A").returncode == 0
    assert recorder.calls() == []
    with_sdd = Hooked(repo.root, recorder.search_path)
    assert commit(with_sdd, "B").returncode == 0
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    if scripts:
        assert (repo.root / "ran").read_text() == "team\n" * 4
    refused = commit(Hooked(repo.root, refusing(repo)), "C")
    assert refused.returncode == 1


def refusing(repo: Hooked) -> str:
    return Recorder(repo.root.parent / "refusing", status=1).search_path


@pytest.mark.parametrize("folder", [".husky", "tools/hooks"])
def test_the_lines_for_husky_work(repo: Hooked, recorder: Recorder, folder: str) -> None:
    husky(repo, folder)
    repo.write(f"{folder}/pre-commit", "echo team >>ran\n")
    report = install_hooks(place(repo), recorder.path)
    assert (states(report), report.manager) == (every("missing"), "husky")
    assert "chmod" not in report.snippet
    follow(repo, report)
    assert states(inspect_hooks(place(repo))) == every("managed")
    assert commit(repo, "A").returncode == 0
    assert commit(Hooked(repo.root, recorder.search_path), "B").returncode == 0
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]
    assert (repo.root / "ran").read_text() == "team\n" * 2
    assert commit(Hooked(repo.root, refusing(repo)), "C").returncode == 1
    assert commit(Hooked(repo.root, broken(repo)), "D").returncode == 0


def broken(repo: Hooked) -> str:
    """A search path with a program that exits with 1 whatever it is asked, as Python does."""
    program = repo.root.parent / "broken/sdd"
    program.parent.mkdir(exist_ok=True)
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{os.environ['PATH']}"


def test_husky_before_version_9_needs_modes(repo: Hooked, recorder: Recorder) -> None:
    repo.write(".husky/_/husky.sh", "")
    repo.git("config", "core.hooksPath", ".husky")
    follow(repo, install_hooks(place(repo), recorder.path))
    assert commit(Hooked(repo.root, recorder.search_path), "B").returncode == 0
    assert recorder.calls() == ["hook pre-commit", "hook post-commit"]


def test_what_is_pushed_reaches_sdd_and_the_script_that_was_there(
    repo: Hooked, recorder: Recorder, tmp_path: Path
) -> None:
    husky(repo)
    repo.write(".husky/pre-push", "cat >pushed\n")
    follow(repo, install_hooks(place(repo), recorder.path, review=True))
    Hooked.init(tmp_path / "remote.git", "--bare")
    with_sdd = Hooked(repo.root, recorder.search_path)
    recorder.calls()
    assert with_sdd.run("push", str(tmp_path / "remote.git"), "HEAD:main").returncode == 0
    pushed = (repo.root / "pushed").read_text()
    assert pushed.startswith("HEAD ")
    url = tmp_path / "remote.git"
    assert recorder.calls() == [f"hook pre-push {url} {url}", *pushed.splitlines()]
    refused = Hooked(repo.root, refusing(repo))
    assert refused.run("push", str(tmp_path / "remote.git"), "HEAD:x").returncode == 1


def test_a_script_that_no_shell_runs_is_told_the_command(repo: Hooked, recorder: Recorder) -> None:
    repo.commit("Team", {".githooks/pre-commit": "#!/usr/bin/env -S python3 -B\n"})
    repo.git("config", "core.hooksPath", ".githooks")
    snippet = install_hooks(place(repo), recorder.path).snippet
    assert "# .githooks/pre-commit (make this python3 script run the command)\n" in snippet
    assert "\nsdd hook pre-commit ARGUMENTS\n" in snippet


def lefthook(name: str, root: Path) -> str:
    return render_lines(Manager(name), root, EVENTS)


def test_lines_for_an_event_that_lefthook_has_already_go_into_it(tmp_path: Path) -> None:
    text = (
        "pre-commit: # checks\n    parallel: true\n    commands:\n"
        "        lint:\n            run: npm run lint\n\n"
        "post-merge:\n  jobs:\n    - run: npm ci\n"
    )
    (tmp_path / "lefthook.yml").write_text(text)
    lines = lefthook("lefthook", tmp_path)
    run = "if command -v sdd >/dev/null; then unset PYTHONHOME PYTHONPATH; sdd hook"
    assert (
        "# lefthook.yml (in its `pre-commit:`, under `commands:`)\n"
        f"        sdd:\n          run: {run} pre-commit"
        " || [ $? -ne 1 ] || ! sdd --version >/dev/null 2>&1; fi\n"
    ) in lines
    assert (
        "# lefthook.yml (in its `post-merge:`)\n"
        f"  commands:\n    sdd:\n      run: {run} post-merge {{0}}; fi\n"
    ) in lines
    (edit,) = plan_lines(Manager("lefthook"), tmp_path, EVENTS, review=False)
    whole = yaml.safe_load(edit.after or b"")
    assert set(whole) == {*EVENTS}
    assert whole["post-commit"]["commands"]["sdd"]["run"] == f"{run} post-commit; fi"
    assert [*whole["pre-commit"]["commands"]] == ["sdd", "lint"]
    write_edits(tmp_path, [edit])
    (removal,) = plan_removal(Manager("lefthook"), tmp_path)
    assert removal.after == edit.before


@pytest.mark.parametrize("name", ["lefthook.toml", ".config/lefthook.json", "lefthook-local.jsonc"])
def test_lines_for_the_other_formats_of_lefthook(tmp_path: Path, name: str) -> None:
    (tmp_path / ".config").mkdir()
    (tmp_path / name).touch()
    lines = lefthook("lefthook", tmp_path)
    assert lines.startswith(f"# {name}")
    expected = "[post-commit.commands.sdd]" if name.endswith("toml") else '"post-commit": {'
    assert expected in lines
    assert plan_lines(Manager("lefthook"), tmp_path, EVENTS, review=False) == ()


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_lines_for_pre_commit_continue_its_list(tmp_path: Path, indent: str) -> None:
    entry = f"{indent}- repo: meta\n{indent}  hooks: [{{id: identity}}]\n"
    text = f"repos: # all\n# the first\n{entry}"
    (tmp_path / ".pre-commit-config.yaml").write_text(text)
    lines = render_lines(Manager("pre-commit"), tmp_path, EVENTS)
    assert lines.startswith("# .pre-commit-config.yaml (at the end of its `repos:`)\n")
    repos = yaml.safe_load(text + lines)["repos"]
    assert [repo["repo"] for repo in repos] == ["meta", "local"]
    names = [hook["id"] for hook in repos[1]["hooks"]]
    assert names == ["sdd-refresh", "sdd-frontmatter", "sdd-merge"]


@given(st.text(alphabet=st.sampled_from("abc:- #\n\tpre-commit"), max_size=200))
def test_any_configuration_gives_lines(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.mktemp("any")
    for name in ("lefthook.yml", ".pre-commit-config.yaml"):
        (root / name).write_text(text)
    for manager in ("lefthook", "pre-commit"):
        lines = lefthook(manager, root)
        assert all(f"sdd hook {name}" in lines for name in ("pre-commit",))
        for edit in plan_lines(Manager(manager), root, EVENTS, review=False):
            assert set(EVENTS) <= set(yaml.safe_load(edit.after or b""))
            write_edits(root, [edit])
            (removal,) = plan_removal(Manager(manager), root)
            assert b"sdd hook" not in (removal.after or b"")


@pytest.mark.parametrize("review", [False, True])
def test_the_lines_in_scripts_are_taken_out_again(tmp_path: Path, review: bool) -> None:
    scripts = {"post-commit": b"#!/bin/sh -e\necho one\n", "pre-push": b"npm test\n"}
    for is_direct in (False, True):
        folder = tmp_path / f"hooks-{is_direct}"
        folder.mkdir()
        for name, text in scripts.items():
            (folder / name).write_bytes(text)
        manager = Manager("husky", folder, is_direct=is_direct)
        events = (*EVENTS, *REVIEW_EVENTS)
        write_edits(tmp_path, plan_lines(manager, tmp_path, events, review=review))
        assert {path.name for path in folder.iterdir()} == set(events)
        changed = folder / "post-merge"
        changed.write_bytes(changed.read_bytes().replace(b"sdd hook", b"nice sdd hook"))
        write_edits(tmp_path, plan_removal(manager, tmp_path))
        # A line that was changed since belongs to the user.
        changed.unlink()
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == scripts
