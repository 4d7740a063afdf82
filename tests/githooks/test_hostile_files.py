"""Anything in the place of a file of the hooks, or in a variable of Python: git does not wait."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.githooks.install import install_hooks
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS, render_shim
from tests.githooks.conftest import ADR
from tests.githooks.recorder import HOOKS, SDD, Hooked, indexed
from tests.support.repos import Repo
from tests.support.waiting import TIMEOUT

FILES = (
    (".sdd/search/hook", ".sdd/search/hook-artifacts", ".sdd/search/again"),
    (
        *(".git/sdd-hook-seen", ".git/sdd-hook-seen-copy", ".git/sdd-hook-note"),
        *(".git/sdd-no-index", ".git/sdd/collections", ".git/sdd/records", ".git/COMMIT_EDITMSG"),
        *(".git/rebase-merge/git-rebase-todo", "CLAUDE.md", "HOOK.sdd-legacy"),
    ),
    ("SDD",),
)
"""Each file that the hooks in sh touch and git does not read, in groups of which one does not
keep the hooks from those of another. `HOOK` is the path of the hook, `SDD` that of the program."""


def pipe(path: Path) -> None:
    os.mkfifo(path, 0o755)


def link_to_pipe(path: Path) -> None:
    target = path.with_name("a-pipe")
    if not target.exists():
        os.mkfifo(target, 0o755)
    path.symlink_to(target)


def device(path: Path) -> None:
    if os.geteuid():
        path.symlink_to("/dev/zero")
    else:
        os.mknod(path, 0o020777, os.makedev(1, 5))


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def foreign_owner(path: Path) -> None:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o700)
    if not os.geteuid():
        os.chown(path, 12_345, 12_345)


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    """A repository with a staged record and installed hooks that start a program of no effect."""
    top = tmp_path_factory.mktemp("hostile")
    repo = Hooked(Repo.init(top / "repo").root)
    repo.commit("First", {ADR: "# ADR-0001: X\n", ".gitignore": "/*\n!docs/\n"})
    repo.write("CLAUDE.md")
    indexed(repo)
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", ADR)
    for event in (*EVENTS, *REVIEW_EVENTS):
        (repo.root / ".git/hooks" / event).write_bytes(render_shim(event, top / "sdd", review=True))
    return repo


@pytest.mark.parametrize("event", [*EVENTS, *REVIEW_EVENTS])
@pytest.mark.parametrize("make", [pipe, link_to_pipe, Path.mkdir, device, huge, foreign_owner])
def test_a_hook_opens_regular_files_alone(
    hooked: Hooked, event: str, make: Callable[[Path], None]
) -> None:
    """Other things in the place of its files: git's command neither waits nor fails."""
    hook = hooked.root / ".git/hooks" / event
    program = hooked.root.with_name("sdd")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for group in FILES:
        kept: dict[Path, bytes] = {}
        for name in group:
            path = hooked.root / name.replace("HOOK", str(hook)).replace("SDD", str(program))
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file():
                kept[path] = path.read_bytes()
                path.unlink()
            elif path.is_dir():
                path.rmdir()
            # A file and its copy are not damaged at once, and a state is read for two seconds.
            if make is not huge or (name.startswith(".git/") and not name.endswith("-copy")):
                make(path)
        done = subprocess.run(
            ["sh", hook, ".git/COMMIT_EDITMSG"],
            cwd=hooked.root,
            env=hooked.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
        )
        said = done.stderr.decode()
        assert done.returncode == 0, said
        assert re.fullmatch(r"(sdd-hooks: \S+ (is gone|may not be executed): .*\n)?", said)
        for name in group:
            path = hooked.root / name.replace("HOOK", str(hook)).replace("SDD", str(program))
            for left in (path, path.with_name("a-pipe")):
                if left.is_dir() and not left.is_symlink():
                    left.rmdir()
                left.unlink(missing_ok=True)
            if path in kept:
                path.write_bytes(kept[path])
    shutil.rmtree(hooked.root / ".git/rebase-merge")


def test_the_list_has_each_file_of_the_hooks() -> None:
    body = re.sub(r"(?m)^\s*#.*", "", (HOOKS / "sdd-hook.sh").read_text())
    named = set(
        re.findall(r"\bsdd-(?:hook-)?(?!hook\b)\w+|\.sdd/search/[a-z-]+|git-rebase-\w+", body)
    )
    listed = " ".join(name for group in FILES for name in group)
    # What is printed, and a file whose name has the number of the process.
    unlisted = {one for one in named if one not in listed}
    assert unlisted == {"sdd-hooks", "sdd-hook-messages"}


VARIABLES = {
    "PYTHONHOME": "/opt/app/python",
    "PYTHONPATH": "",
    "PYTHONPLATLIBDIR": "lib-of-another",
    "PYTHONHASHSEED": "no number",
    "PYTHONMALLOC": "none",
    "PYTHONINTMAXSTRDIGITS": "1",
    "PYTHONIOENCODING": "none:none",
    "PYTHONUTF8": "9",
    "PYTHONCOERCECLOCALE": "warn",
    "PYTHONTRACEMALLOC": "none",
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "PYTHONINSPECT": "1",
    "PYTHONVERBOSE": "1",
    "PYTHONDEBUG": "1",
    "PYTHONDEVMODE": "1",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONPROFILEIMPORTTIME": "1",
    "PYTHONNOUSERSITE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONSTARTUP": "/nonexistent",
    "PYTHONBREAKPOINT": "nowhere.at_all",
    "PYTHONUSERBASE": "/opt/app",
    "PYTHON_GIL": "9",
}


@pytest.fixture(scope="module")
def colliding(tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    """A repository with real hooks and a staged record with the number of another one."""
    repo = Hooked(Repo.init(tmp_path_factory.mktemp("python") / "repo").root)
    repo.commit("First", {ADR: "# ADR-0001: X\n", "CLAUDE.md": "", ".gitignore": ".sdd/\n"})
    install_hooks(repo.repository, SDD)
    # Modules of the standard library, of a dependency and of sdd itself.
    for name in (
        "types",
        "enum",
        "re",
        "json",
        "typing",
        "contextlib",
        "yaml",
        "sdd_hooks",
        "apsw",
    ):
        repo.write(f"src/acme/{name}.py", "class Kind: pass\n")
    repo.write("docs/adrs/ADR-0001-other.md", "# ADR-0001: Other\n")
    repo.git("add", "--all")
    return repo


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_of_python_does_not_switch_the_gate_off(colliding: Hooked, name: str) -> None:
    """Variables of another Python, as a program that bundles it hands them on."""
    value = VARIABLES[name] or str(colliding.root / "src/acme")
    done = colliding.run("commit", "-m", "x", env={name: value, "A": "1\nexport PYTHONHOME=x"})
    said = done.stderr.decode()
    assert done.returncode == 1, said
    assert said.count("\n") == 2, said
    assert "ADR-0001 is also" in said


def test_an_installation_that_needs_a_variable_has_it(colliding: Hooked, tmp_path: Path) -> None:
    """As one of `pip install --target`."""
    site = tmp_path / "site"
    site.mkdir()
    program = tmp_path / "sdd"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\n"
        "sys.exit(1 if os.environ.get('PYTHONPATH') and '--version' not in sys.argv else"
        " 0 if os.environ.get('PYTHONPATH') else 3)\n"
    )
    program.chmod(0o755)
    hook = colliding.root / ".git/hooks/pre-commit"
    whole = hook.read_bytes()
    hook.write_bytes(render_shim("pre-commit", program))
    done = colliding.run("commit", "-m", "x", env={"PYTHONPATH": str(site)})
    hook.write_bytes(whole)
    assert (done.returncode, done.stderr) == (1, b"")
