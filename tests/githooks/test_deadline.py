"""The deadline of a hook, and installations that do not work: neither stops git."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sdd_hooks.githooks.context import HookContext
from sdd_hooks.githooks.events import DEADLINES, DEFAULT_DEADLINE, run_hook
from sdd_hooks.githooks.shims import EVENTS, REVIEW_EVENTS
from sdd_hooks.system.locks import hold_lock
from tests.githooks.conftest import ADR
from tests.githooks.recorder import HOOKS, Hooked
from tests.support.oracle import assert_index_matches_scratch
from tests.support.signals import default_signals, killed_on_failure
from tests.support.waiting import TIMEOUT, until

STOPPED = "was stopped, as after 1 s or output without an end: run `sdd doctor`\n"
PUSHED = b"refs/heads/x " + b"1" * 40 + b" refs/heads/x " + b"0" * 40 + b"\n"


@pytest.fixture
def repo(repo: Hooked) -> Hooked:
    """A repository with a staged record, so that every hook starts sdd."""
    repo.write(ADR, "# ADR-0001: Y\n")
    repo.git("add", "-A")
    return repo


def install(repo: Hooked, event: str, script: str, seconds: str, *, review: bool = False) -> Path:
    """A shim that starts a program with the text `script`. Returns the shim."""
    program = repo.root.with_name("program")
    program.write_text(script)
    program.chmod(0o755)
    body = (HOOKS / "sdd-hook.sh").read_text()
    for limit in ("sdd_seconds=10", "sdd_seconds=30", "sdd_seconds=120", "sdd_tick=1"):
        assert body.count(f"{limit}\n") == 1
        value = seconds if limit == "sdd_tick=1" else "1"
        body = body.replace(f"{limit}\n", f"{limit.partition('=')[0]}={value}\n")
    shim = repo.root.with_name("shim")
    shim.write_text(f"event={event}\nreview={int(review)}\nsdd='{program}'\n{body}")
    return shim


def run(
    repo: Hooked, shell: list[str], shim: Path, *args: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*shell, str(shim), *args],
        cwd=repo.root,
        env=repo.environment(),
        input=stdin,
        capture_output=True,
        check=False,
        timeout=TIMEOUT,
    )


@pytest.mark.parametrize(
    ("event", "review"),
    [(event, False) for event in EVENTS]
    + [(event, True) for event in ("pre-commit", *REVIEW_EVENTS)],
)
def test_a_program_that_does_not_end_is_stopped(repo: Hooked, event: str, review: bool) -> None:
    script = "#!/bin/sh\nexec sleep 600\n"
    shim = install(repo, event, script, "0.2", review=review)
    done = run(repo, ["sh"], shim, stdin=PUSHED if event == "pre-push" else b"")
    assert done.returncode == 0
    text = done.stderr.decode()
    assert text.startswith("sdd-hooks: ")
    assert text.endswith(STOPPED)
    assert text.count("\n") == 1


@pytest.fixture
def logged(repo: Hooked) -> tuple[Hooked, Path]:
    """A repository with the hooks of a commit, and a program that logs calls and does not end."""
    log = repo.root.with_name("log")
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for event in ("pre-commit", "post-commit", "post-rewrite"):
        shim = install(repo, event, f"#!/bin/sh\necho $2 >>'{log}'\nexec sleep 600\n", "0.2")
        (hooks / event).write_text(f"#!/bin/sh\n{shim.read_text()}")
        (hooks / event).chmod(0o755)
    return repo, log


def test_a_commit_waits_once_for_a_program_that_does_not_end(logged: tuple[Hooked, Path]) -> None:
    repo, log = logged
    done = repo.run("commit", "--quiet", "-m", "Any")
    assert done.returncode == 0
    assert done.stderr.decode().endswith(STOPPED)
    assert done.stderr.count(b"\n") == 1
    assert log.read_text().split() == ["pre-commit"]

    program = repo.root.with_name("program")
    program.write_text(f"#!/bin/sh\necho $2 >>'{log}'\n")
    repo.write(ADR, "# ADR-0001: Z\n")
    repo.git("commit", "--quiet", "--all", "-m", "Any")
    assert log.read_text().split() == ["pre-commit", "pre-commit", "post-commit"]
    assert {path.name for path in (repo.root / ".git").glob("sdd-hook*")} <= {
        "sdd-hook-seen",
        "sdd-hook-seen-copy",
    }


def test_a_python_that_cannot_start_sdd_is_one_line(logged: tuple[Hooked, Path]) -> None:
    """Both hooks of the commit start it, and Python prints a traceback each time."""
    repo, _ = logged
    program = repo.root.with_name("program")
    for event in ("pre-commit", "post-commit"):
        shim = install(repo, event, f"#!{sys.executable}\nimport sdd_hooks_is_missing\n", "60")
        (repo.root / ".git/hooks" / event).write_text(f"#!/bin/sh\n{shim.read_text()}")
    done = repo.run("commit", "--quiet", "-m", "Any")
    assert done.returncode == 0
    assert done.stderr.decode() == (
        f"sdd-hooks: {program} failed: run `sdd doctor`, or run `sdd hooks install` again, or"
        " `sdd hooks uninstall` (ModuleNotFoundError: No module named 'sdd_hooks_is_missing')\n"
    )


FOREIGN_NOTES = (
    b"",
    b"sdd 1 {pid} {later} stopped\n",
    b"sdd 1 {pid} 1 stopped\n",
    b"sdd 1 {pid} 09 stopped\n",
    b"sdd 1 {pid} 1+1 stopped\n",
    b"sdd 1 {pid} $(touch${IFS}pwned) stopped\n",
    b"sdd 1 {pid} 99999999999999999999999 stopped\n",
    b"sdd 1 1{pid} {now} stopped\n",
    b"sdd 2 {pid} {now} stopped\n",
    b"sdd 1 {pid} {now} * stopped\n",
    b"sdd 1 {pid} {now} `touch pwned`\n",
    b"-n -e\n",
    b"\0\xff\x1b[31m",
    b"x" * 200_000,
)


def test_only_a_note_of_this_command_stops_a_hook(repo: Hooked) -> None:
    """This process is the parent of the hook, as git is otherwise."""
    shim = install(repo, "post-commit", "#!/bin/sh\necho started\n", "60")
    values = {"pid": os.getpid(), "now": int(time.time()), "later": int(time.time()) + 3_600}
    for note in (*FOREIGN_NOTES, b"sdd 1 {pid} {now} stopped\n"):
        text = note
        for name, value in values.items():
            text = text.replace(f"{{{name}}}".encode(), str(value).encode())
        (repo.root / ".git/sdd-hook-note").write_bytes(text)
        done = run(repo, ["sh"], shim)
        started = b"started\n" if note in FOREIGN_NOTES else b""
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", started), note
    assert not (repo.root / "pwned").exists()


def test_messages_of_sdd_are_printed_whole_and_a_control_character_is_no_reason(
    repo: Hooked, shell: list[str]
) -> None:
    shim = install(repo, "post-commit", "#!/bin/sh\nprintf 'one\\ntwo\\nthree' >&2\n", "60")
    assert run(repo, shell, shim).stderr.rstrip() == b"one\ntwo\nthree"
    shim = install(repo, "post-commit", "#!/bin/sh\nprintf '\\033[2J\\n' >&2\nexit 3\n", "60")
    done = run(repo, shell, shim)
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize("event", ["auto", "check", *EVENTS, *REVIEW_EVENTS])
def test_a_hook_that_does_not_end_is_stopped_under_a_hook_manager(repo: Hooked, event: str) -> None:
    """A hook manager starts sdd itself, and waits for it."""
    message = repo.write("message", "Store sessions\n")
    stderr = io.StringIO()
    environ = {**repo.environment(), "PATH": str(blocked_git(repo, "*"))}
    context = HookContext(repo.root, environ, stderr, io.BytesIO(PUSHED), seconds=0.2)
    assert run_hook(event, [str(message)], context) == 0
    name = "post-commit" if event == "auto" else event
    assert stderr.getvalue() == (
        f"sdd: hook {name} was stopped, as after 0.2 s without an end: run `sdd doctor`\n"
    )


def test_a_refresh_that_is_stopped_leaves_no_lock_and_no_process(fresh: Hooked) -> None:
    repo = fresh
    repo.write(ADR, "# ADR-0001: Changed\n")
    stderr = io.StringIO()
    environ = {**repo.environment(), "PATH": str(blocked_git(repo, "*diff-index*"))}
    context = HookContext(repo.root, environ, stderr, seconds=1.0)
    assert run_hook("post-commit", [], context) == 0
    assert "was stopped, as after 1 s" in stderr.getvalue()
    with hold_lock(repo.root / ".sdd/search/lock", 0.0) as is_free:
        assert is_free
    assert not is_read(repo.root.with_name("gate")), "git still runs"
    stderr = io.StringIO()
    assert run_hook("post-commit", [], HookContext(repo.root, repo.environment(), stderr)) == 0
    assert_index_matches_scratch(repo)


def test_the_deadline_of_a_hook_is_that_of_its_shim() -> None:
    body = (HOOKS / "sdd-hook.sh").read_text()
    found = sorted(int(text) for text in re.findall(r"sdd_seconds=(\d+)", body))
    assert found == sorted({DEFAULT_DEADLINE, *DEADLINES.values()})


def blocked_git(repo: Hooked, pattern: str) -> Path:
    """A directory with a `git` that waits forever for arguments like `pattern`."""
    gate = repo.root.with_name("gate")
    os.mkfifo(gate)
    blocked = repo.root.with_name("blocked") / "git"
    blocked.parent.mkdir()
    real = shutil.which("git")
    blocked.write_text(
        f"#!/bin/sh\ncase $* in {pattern}) read -r _ <'{gate}' ;; *) exec {real} \"$@\" ;; esac\n"
    )
    blocked.chmod(0o755)
    return blocked.parent


def is_read(pipe: Path) -> bool:
    """Whether a process waits for a writer of a pipe."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        assert error.errno == errno.ENXIO
        return False
    return True


def test_a_program_that_ignores_the_signal_is_killed(repo: Hooked, shell: list[str]) -> None:
    script = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n"
    done = run(repo, shell, install(repo, "post-commit", script, "0.2"))
    assert done.returncode == 0
    assert b"was stopped" in done.stderr


def test_a_version_that_does_not_end_refuses_nothing(repo: Hooked) -> None:
    script = '#!/bin/sh\n[ "$1" != --version ] || exec sleep 600\nexit 1\n'
    done = run(repo, ["sh"], install(repo, "pre-commit", script, "0.2"))
    assert done.returncode == 0
    assert b"failed: run `sdd doctor`" in done.stderr


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("exit 0", 0),
        ('[ "$1" = --version ] || exit 1', 1),
        ("exit 1", 0),
        ("exit 2", 0),
        ("exit 70", 0),
        ("kill -SEGV $$", 0),
        ("kill -TERM $$", 0),
        ("kill -KILL $$", 0),
    ],
)
def test_only_findings_of_a_working_installation_refuse_a_commit(
    repo: Hooked, script: str, status: int
) -> None:
    shim = install(repo, "pre-commit", f"#!/bin/sh\n{script}\n", "60")
    done = run(repo, ["sh"], shim)
    assert done.returncode == status
    assert (done.stderr == b"") == (script.startswith(("exit 0", "[")))


@pytest.mark.parametrize("descriptor", [1, 2])
def test_output_without_an_end_is_stopped_and_cut_off(
    repo: Hooked, shell: list[str], descriptor: int
) -> None:
    shim = install(repo, "post-commit", f"#!/bin/sh\nexec yes >&{descriptor}\n", "0.3")
    text = shim.read_text().replace("sdd_seconds=1\n", "sdd_seconds=10000\n")
    shim.write_text(text)
    done = run(repo, shell, shim)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"or output without an end: run" in done.stderr[-200:]
    assert len(done.stderr) < 300_000


def test_nothing_is_left_running_and_no_output_is_held(repo: Hooked, shell: list[str]) -> None:
    """A program that reads git's output would wait for every holder of the descriptor."""
    shim = install(repo, "post-commit", "#!/bin/sh\n:\n", "60")
    done = run(repo, shell, shim)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_too(
    repo: Hooked, shell: list[str], number: signal.Signals
) -> None:
    ready = repo.root.with_name("ready")
    script = f"#!/bin/sh\n: >'{ready}'\nexec sleep 600\n"
    shim = install(repo, "post-commit", script, "60")
    with default_signals():
        process = subprocess.Popen(
            [*shell, str(shim)],
            cwd=repo.root,
            env=repo.environment(),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    with killed_on_failure(process):
        until(ready.exists)
        process.send_signal(number)
        # The pipe is at its end when the program has ended, too.
        _, stderr = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, stderr) == (128 + number, b"")


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_programs_of_the_repository_are_not_run(repo: Hooked, shell: list[str], entry: str) -> None:
    for name in ("git", "head", "sleep", "cat", "sdd"):
        for place in (name, f"bin/{name}"):
            repo.write(place, f"#!/bin/sh\n: >'{repo.root}/ran-{name}'\n")
            (repo.root / place).chmod(0o755)
    shim = install(repo, "post-commit", '#!/bin/sh\necho "$PATH"\n', "60")
    repo.search_path = f"{entry}:{repo.search_path}"
    done = run(repo, shell, shim)
    assert done.stderr.decode() == repo.search_path.removeprefix(f"{entry}:") + "\n"
    assert not list(repo.root.glob("ran-*"))


def test_an_earlier_hook_has_the_path_of_git(repo: Hooked) -> None:
    shim = install(repo, "post-commit", "#!/bin/sh\n", "60")
    legacy = shim.with_name("post-commit.sdd-legacy")
    legacy.write_text('#!/bin/sh\necho "$PATH"\n')
    legacy.chmod(0o755)
    repo.search_path = f"bin:{repo.search_path}"
    assert run(repo, ["sh"], shim).stdout.decode() == f"{repo.search_path}\n"
