"""A program ends within its timeout, and no process of its group is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any

import pytest

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system.processes import (
    MAX_OUTPUT_BYTES,
    Pipes,
    Program,
    ProgramResult,
    _SelectedPipes,
    _ThreadedPipes,
    end_program,
    exit_on_signals,
    find_executable,
    run_program,
    start_program,
)
from sdd_hooks.system.time_limit import time_limit
from tests.support.signals import default_signals, killed_on_failure
from tests.support.waiting import TIMEOUT, until

# Like qmd's launcher: it starts the real program, and forwards no signal.
LAUNCHER = """\
#!/bin/sh
trap '' TERM
sleep 300 &
echo $! >"$1"
echo started
wait
"""

PARENT = """
import sys
from pathlib import Path
from sdd_hooks.system.processes import Program, run_program
environ = {"PATH": "/usr/bin:/bin"}
run_program(Program("launcher", sys.argv[1:], Path("/"), environ), 300, print)
"""

Open = Callable[[Sequence[IO[bytes]]], Pipes]
both = pytest.mark.parametrize("open_pipes", [_SelectedPipes, _ThreadedPipes])


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    path = tmp_path / "launcher"
    path.write_text(LAUNCHER)
    path.chmod(0o755)
    return path


def launch(launcher: Path, directory: Path) -> Program:
    return Program("launcher", [str(launcher), str(directory / "pid")], Path("/"), {})


def sh(script: str, timeout: float = TIMEOUT, **options: Any) -> ProgramResult:
    program = Program("sh", ["/bin/sh", "-c", script], Path("/"), dict(os.environ))
    return run_program(program, timeout, **options)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie was killed, and init has not collected it yet.
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]


def gone(pid: int) -> bool:
    try:
        return not alive(pid)
    except FileNotFoundError:
        return True


def test_output_and_exit_status() -> None:
    assert sh("echo out; echo err >&2; exit 3") == ProgramResult(3, "out\n", "err\n")
    assert sh("printf '\\377x'").out == "\ufffdx"
    assert sh("kill -9 $$").code == -signal.SIGKILL


def test_lines_are_passed_on_as_they_arrive() -> None:
    lines: list[str] = []
    sh("echo one; printf 'two\\nthr'; sleep 0.1; printf 'ee'", on_line=lines.append)
    assert lines == ["one", "two", "three"]


def test_standard_input() -> None:
    assert sh("read -r line; echo $line", stdin=b"hello\n").out == "hello\n"
    assert sh("exec <&-; exit 0", stdin=b"x" * 100).code == 0


def test_a_timeout_ends_the_whole_group(launcher: Path, tmp_path: Path) -> None:
    seen: list[int] = []

    def listen(line: str) -> None:
        assert line == "started"
        seen.append(int((tmp_path / "pid").read_text()))
        assert alive(seen[0])

    # A slow machine starts the launcher after the first of these.
    for timeout in (0.5, 5, 50):
        with pytest.raises(SddError, match=f"^`launcher` did not end within {timeout} s and was"):
            run_program(launch(launcher, tmp_path), timeout, listen)
        if seen:
            break
    until(lambda: gone(seen[0]))


def test_an_exception_ends_the_whole_group(launcher: Path, tmp_path: Path) -> None:
    def fail(line: str) -> None:
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt, match="started"):
        run_program(launch(launcher, tmp_path), TIMEOUT, fail)
    until(lambda: gone(int((tmp_path / "pid").read_text())))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_this_process_ends_the_whole_group(
    launcher: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with default_signals():
        parent = subprocess.Popen(
            [sys.executable, "-u", "-c", PARENT, str(launcher), str(tmp_path / "pid")],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    with killed_on_failure(parent):
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"started\n"
        parent.send_signal(number)
        # Python itself handles SIGINT: an unhandled KeyboardInterrupt.
        assert parent.wait(TIMEOUT) == (128 + number if number != signal.SIGINT else -signal.SIGINT)
    until(lambda: gone(int((tmp_path / "pid").read_text())))


@pytest.mark.parametrize("wait", [lambda process: process.poll(), lambda process: process.wait(9)])
@pytest.mark.parametrize(("call", "code"), [("acquire", -signal.SIGTERM), ("waitpid", 0)])
def test_a_signal_while_the_exit_status_is_read_ends_the_group(
    wait: Callable[[subprocess.Popen[bytes]], object], call: str, code: int
) -> None:
    """The handler raises when `Popen` has taken its lock, or has collected the status."""
    command = ["/bin/sleep", "300"] if call == "acquire" else ["/bin/true"]
    process = start_program(Program("it", command, Path("/"), {}))
    if call == "waitpid":
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(KeyboardInterrupt), interrupting(call):
        wait(process)
    with time_limit(TIMEOUT):
        end_program(process)
    assert process.returncode == code
    assert gone(process.pid)


@contextmanager
def interrupting(name: str) -> Iterator[None]:
    """Inside the block, the end of the next call of the C function `name` is interrupted."""

    def interrupt(_frame: FrameType, event: str, function: object) -> None:
        if event == "c_return" and getattr(function, "__name__", "") == name:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        yield
    finally:
        sys.setprofile(None)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """`nohup sdd index` goes on when the terminal closes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with exit_on_signals():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_program_ends_although_another_keeps_its_pipes_open(tmp_path: Path) -> None:
    done = sh(f"sleep 300 & echo $! >{tmp_path}/pid; echo done")
    assert done == ProgramResult(0, "done\n", "")
    until(lambda: gone(int((tmp_path / "pid").read_text())))


def test_too_much_output_is_stopped() -> None:
    with pytest.raises(SddError, match=f"`sh` wrote more than {MAX_OUTPUT_BYTES} bytes"):
        sh(f"head -c {MAX_OUTPUT_BYTES + 1} /dev/zero; sleep 600")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/nowhere/qmd"], "No such file or directory"),
        (["/"], "Permission denied"),
        (["/bin/sh", "-c", "a\0b"], "embedded null byte"),
        (["/bin/sh", "x" * 5_000_000], "Argument list too long"),
    ],
)
def test_a_program_that_cannot_be_started(command: list[str], reason: str) -> None:
    with pytest.raises(SddError, match=f"^`it` cannot be started: {reason}$"):
        run_program(Program("it", command, Path("/"), {}), 10)


def test_errors_are_of_the_class_of_the_program() -> None:
    with pytest.raises(StorageError, match=r"^`it` cannot be started: "):
        run_program(Program("it", ["/nowhere/it"], Path("/"), {}, StorageError), 10)
    with pytest.raises(StorageError, match=r"and was stopped: look$"):
        program = Program("sh", ["/bin/sh", "-c", "sleep 60"], Path("/"), {}, StorageError)
        run_program(program, 0.1, advice="look")


def make_program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_programs_are_found_in_absolute_entries_of_the_path(tmp_path: Path) -> None:
    first, second = make_program(tmp_path / "a/bd"), make_program(tmp_path / "b/bd")
    (tmp_path / "c").mkdir()
    (tmp_path / "c/bd").write_text("not to be run")
    (tmp_path / "d/bd").mkdir(parents=True)
    entries = ["", ".", "a", f"{tmp_path}/c", f"{tmp_path}/d", f"{tmp_path}/b", f"{tmp_path}/a"]
    assert find_executable("bd", {"PATH": ":".join(entries)}) == second
    assert find_executable("bd", {"PATH": f"{tmp_path}/a"}) == first
    assert find_executable("bd", {"PATH": "a:."}) is None
    assert find_executable("bd", {}) is None


def test_a_repository_supplies_no_programs(tmp_path: Path) -> None:
    inside = tmp_path / "repo"
    make_program(inside / "bin/bd")
    outside = make_program(tmp_path / "tools/bd")
    (tmp_path / "linked").symlink_to(inside / "bin")
    (inside / "leads-out").symlink_to(tmp_path / "tools")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/bd").symlink_to(inside / "bin/bd")
    path = f"{inside}/bin:{tmp_path}/linked:{tmp_path}/links"
    assert find_executable("bd", {"PATH": path}, inside) is None
    assert find_executable("bd", {"PATH": f"{path}:{tmp_path}/tools"}, inside) == outside
    assert find_executable("bd", {"PATH": f"{inside}/../tools"}, inside) is not None


@both
def test_everything_is_read_and_each_pipe_ends_once(open_pipes: Open) -> None:
    program = "import sys; sys.stdout.write('o' * 200_000); sys.stderr.write('e' * 100_000)"
    command = [sys.executable, "-c", program]
    outputs = {0: b"", 1: b""}
    ends = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        with closing(open_pipes((process.stdout, process.stderr))) as pipes:
            while len(ends) < 2:
                for number, block in pipes.read(TIMEOUT):
                    outputs[number] += block
                    ends += [] if block else [number]
    assert sorted(ends) == [0, 1]
    assert outputs == {0: b"o" * 200_000, 1: b"e" * 100_000}


@both
def test_an_open_pipe_without_bytes_gives_nothing(open_pipes: Open) -> None:
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        with closing(open_pipes((process.stdout,))) as pipes:
            assert list(pipes.read(0.0)) == []
            process.stdin.close()
            assert list(pipes.read(TIMEOUT)) == [(0, b"")]
