"""A program within a deadline: nothing of its group is left, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system.processes import LARGEST, Done, executable, finish
from tests.support.waiting import until

# As qmd's launcher: it starts the real one, and passes no signal on.
LAUNCHER = """\
#!/bin/sh
trap '' TERM
sleep 300 &
echo $! >"$1"
echo started
wait
"""

OURS = """
import sys
from pathlib import Path
from sdd_hooks.system.processes import finish
finish("launcher", sys.argv[1:], Path("/"), {"PATH": "/usr/bin:/bin"}, 60, print)
"""


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    path = tmp_path / "launcher"
    path.write_text(LAUNCHER)
    path.chmod(0o755)
    return path


def sh(script: str, deadline: float = 20, **options: object) -> Done:
    return finish("sh", ["/bin/sh", "-c", script], Path("/"), dict(os.environ), deadline, **options)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Killed, and waiting for init to notice.
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]


def gone(pid: int) -> bool:
    try:
        return not alive(pid)
    except FileNotFoundError:
        return True


def test_what_it_said_and_how_it_ended() -> None:
    assert sh("echo out; echo err >&2; exit 3") == Done(3, "out\n", "err\n")
    assert sh("printf '\\377x'").out == "\ufffdx"
    assert sh("kill -9 $$").code == -signal.SIGKILL


def test_every_line_as_it_comes() -> None:
    lines: list[str] = []
    sh("echo one; printf 'two\\nthr'; sleep 0.1; printf 'ee'", on_line=lines.append)
    assert lines == ["one", "two", "three"]


def test_what_it_is_given() -> None:
    assert sh("read -r line; echo $line", given=b"hello\n").out == "hello\n"
    assert sh("exec <&-; exit 0", given=b"x" * 100).code == 0


def test_a_deadline_ends_the_whole_group(launcher: Path, tmp_path: Path) -> None:
    seen: list[int] = []

    def listen(line: str) -> None:
        assert line == "started"
        seen.append(int((tmp_path / "pid").read_text()))
        assert alive(seen[0])

    with pytest.raises(SddError, match=r"^`launcher` did not end within 1 s and was stop"):
        finish("launcher", [str(launcher), str(tmp_path / "pid")], Path("/"), {}, 1, listen)
    until(lambda: gone(seen[0]))


def test_an_exception_ends_the_whole_group(launcher: Path, tmp_path: Path) -> None:
    def fail(line: str) -> None:
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt, match="started"):
        finish("launcher", [str(launcher), str(tmp_path / "pid")], Path("/"), {}, 60, fail)
    until(lambda: gone(int((tmp_path / "pid").read_text())))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_us_ends_the_whole_group(
    launcher: Path, tmp_path: Path, number: signal.Signals
) -> None:
    ours = subprocess.Popen(
        [sys.executable, "-u", "-c", OURS, str(launcher), str(tmp_path / "pid")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with ours:
        assert ours.stdout is not None
        assert ours.stdout.readline() == b"started\n"
        ours.send_signal(number)
        # SIGINT is Python's own to deal with: an unhandled KeyboardInterrupt.
        assert ours.wait(30) == (128 + number if number != signal.SIGINT else -signal.SIGINT)
    until(lambda: gone(int((tmp_path / "pid").read_text())))


def test_a_program_that_leaves_another_behind_has_ended(tmp_path: Path) -> None:
    done = sh(f"sleep 300 & echo $! >{tmp_path}/pid; echo done")
    assert done == Done(0, "done\n", "")
    until(lambda: gone(int((tmp_path / "pid").read_text())))


def test_too_much_is_stopped() -> None:
    with pytest.raises(SddError, match=f"`sh` said more than {LARGEST} bytes"):
        sh(f"head -c {LARGEST + 1} /dev/zero; sleep 300", deadline=60)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/nowhere/qmd"], "No such file or directory"),
        (["/"], "Permission denied"),
        (["/bin/sh", "-c", "a\0b"], "embedded null byte"),
        (["/bin/sh", "x" * 5_000_000], "Argument list too long"),
    ],
)
def test_what_cannot_be_started(command: list[str], reason: str) -> None:
    with pytest.raises(SddError, match=f"^`it` cannot be started: {reason}$"):
        finish("it", command, Path("/"), {}, 10)


def test_whose_error_it_is() -> None:
    with pytest.raises(StorageError, match=r"^`it` cannot be started: "):
        finish("it", ["/nowhere/it"], Path("/"), {}, 10, failed=StorageError)
    with pytest.raises(StorageError, match=r"and was stopped: look$"):
        finish(
            "sh",
            ["/bin/sh", "-c", "sleep 60"],
            Path("/"),
            {},
            0.1,
            None,
            failed=StorageError,
            advice="look",
        )


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_programs_come_from_absolute_entries_of_the_path(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a/bd"), program(tmp_path / "b/bd")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/bd").write_text("not to be run")
    (tmp_path / "d/bd").mkdir(parents=True)
    entries = ["", ".", "a", f"{tmp_path}/c", f"{tmp_path}/d", f"{tmp_path}/b", f"{tmp_path}/a"]
    assert executable("bd", {"PATH": ":".join(entries)}) == second
    assert executable("bd", {"PATH": f"{tmp_path}/a"}) == first
    assert executable("bd", {"PATH": "a:."}) is None
    assert executable("bd", {}) is None


def test_a_repository_brings_no_programs(tmp_path: Path) -> None:
    inside = tmp_path / "repo"
    program(inside / "bin/bd")
    outside = program(tmp_path / "tools/bd")
    (tmp_path / "linked").symlink_to(inside / "bin")
    (inside / "leads-out").symlink_to(tmp_path / "tools")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/bd").symlink_to(inside / "bin/bd")
    path = f"{inside}/bin:{tmp_path}/linked:{tmp_path}/links"
    assert executable("bd", {"PATH": path}, inside) is None
    assert executable("bd", {"PATH": f"{path}:{tmp_path}/tools"}, inside) == outside
    assert executable("bd", {"PATH": f"{inside}/../tools"}, inside) is not None
