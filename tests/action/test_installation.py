"""`sdd_hooks/action/installation.py`: environments that are made once, and kept.

The Pythons here are shell scripts that note how they are called, so that nothing is installed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sdd_hooks.action.installation import (
    KEPT_DAYS,
    SOURCE,
    CannotInstall,
    extras,
    has_gpu,
    install,
)
from tests.support.waiting import until

NOW = 1_800_000_000.0
DAY = 86_400

# Creates a virtual environment like Python, and runs pip.
PYTHON = """#!/bin/sh
echo "$*" >>"{log}"
case "$*" in
    "-I -m venv --clear "*)
        rm -rf "$5" && mkdir -p "$5/bin" && cp "$0" "$5/bin/python" ;;
    *"pip install"*)
        case "$*" in *--require-hashes*) {pip};; esac
        printf '#!/bin/sh\\n' >"${{0%/*}}/sdd" && chmod +x "${{0%/*}}/sdd" ;;
esac
"""


SOURCES = (
    "sdd_hooks/code.py",
    "hooks/shim",
    "pyproject.toml",
    "hatch_build.py",
    "constraints.txt",
    "locks/review.txt",
)


class Runner:
    """A runner with a cache of tools, a checkout of the action and a Python."""

    def __init__(self, root: Path) -> None:
        self.source = root / "the action"
        self.tools = root / "tool cache"
        self.log = root / "log"
        self.python = root / "python3"
        for path in SOURCES:
            file = self.source / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("as it was")
        self.log.touch()
        self.pip("")

    def pip(self, script: str) -> None:
        """Set what pip does before it ends."""
        self.python.write_text(PYTHON.format(log=self.log, pip=script))
        self.python.chmod(0o755)

    @property
    def environ(self) -> dict[str, str]:
        return {"RUNNER_TOOL_CACHE": str(self.tools), "PATH": os.environ["PATH"]}

    def install(self, *wanted: str, now: float = NOW, index: str = "") -> Path:
        environ = {**self.environ, "PIP_EXTRA_INDEX_URL": index}
        return install(self.source, wanted or ("action",), environ, str(self.python), now)

    def requirements(self) -> list[str]:
        """The requirements that pip was started with."""
        lines = self.log.read_text().splitlines()
        return [line.rpartition(" ")[2] for line in lines if "pip install" in line]

    def installations(self) -> int:
        """How often the package was installed."""
        return self.requirements().count(".")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_an_environment_is_created_once(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    sdd = runner.install("action", "llm")
    assert subprocess.run([sdd], check=True)
    assert runner.requirements() == ["locks/llm.txt", "."]
    assert "installing sdd with action, llm" in capfd.readouterr().err
    assert runner.install("action", "llm") == sdd
    assert runner.installations() == 1
    assert capfd.readouterr() == ("", "")


def test_installed_releases_have_hashes(runner: Runner) -> None:
    runner.install()
    log = runner.log.read_text()
    assert "--only-binary=:all: --no-deps --require-hashes -r locks/review.txt\n" in log
    assert "--only-binary=:all: --no-deps --no-build-isolation .\n" in log


def test_pytorch_has_hashes_as_well(runner: Runner) -> None:
    runner.install("action", "gpu", "llm", "local")
    assert runner.requirements() == ["locks/gpu.txt", "."]
    assert "--no-deps --require-hashes -r locks/gpu.txt\n" in runner.log.read_text()


def test_pytorch_of_another_index_is_installed_without_hashes(runner: Runner) -> None:
    wanted = ("action", "gpu", "llm", "local")
    sdd = runner.install(*wanted, index="https://packages.example/cuda12")
    log = runner.log.read_text()
    assert "--require-hashes -r locks/beside-pytorch.txt\n" in log
    assert "--only-binary=:all: --constraint constraints.txt torch\n" in log
    assert runner.install(*wanted) != sdd


@pytest.mark.parametrize("path", ["sdd_hooks/code.py", "pyproject.toml", "locks/review.txt"])
def test_another_version_of_the_action_is_another_environment(runner: Runner, path: str) -> None:
    first = runner.install()
    (runner.source / path).write_text("as it is")
    assert runner.install() != first
    assert runner.installations() == 2


def test_other_extras_are_another_environment(runner: Runner) -> None:
    assert len({runner.install("action"), runner.install("action", "llm")}) == 2


def test_caches_of_python_are_no_other_version(runner: Runner) -> None:
    first = runner.install()
    left = runner.source / "sdd_hooks/__pycache__/code.pyc"
    left.parent.mkdir()
    left.touch()
    assert runner.install() == first


def job(runner: Runner, output: Path) -> subprocess.Popen[bytes]:
    """A job that installs, in a process whose output goes to the file `output`."""
    program = (
        "import sys; from pathlib import Path; from sdd_hooks.action import installation as i;"
        f"i.install(Path(sys.argv[1]), ('action',), {runner.environ!r}, sys.argv[2], {NOW})"
    )
    command = [sys.executable, "-c", program, str(runner.source), str(runner.python)]
    with output.open("wb") as file:
        return subprocess.Popen(command, stderr=file, start_new_session=True, cwd=SOURCE)


def test_an_interrupted_environment_is_created_again(runner: Runner, tmp_path: Path) -> None:
    reached, go = tmp_path / "reached", tmp_path / "go"
    os.mkfifo(go)
    runner.pip(f'touch "{reached}"; read -r line <"{go}"')
    interrupted = job(runner, tmp_path / "output")
    try:
        until(reached.exists)
    finally:
        os.killpg(interrupted.pid, signal.SIGKILL)
        interrupted.wait()
    runner.pip("")
    assert runner.install().is_file()
    assert runner.requirements() == ["locks/review.txt", "locks/review.txt", "."]


def test_an_environment_without_its_python_is_created_again(runner: Runner) -> None:
    runner.install().write_text("#!/nowhere/python\n")
    assert subprocess.run([runner.install()], check=True)
    assert runner.installations() == 2


def test_simultaneous_jobs_create_one_environment(runner: Runner, tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    runner.pip(f'read -r line <"{go}"')
    output = [tmp_path / f"output {number}" for number in range(4)]
    jobs = [job(runner, file) for file in output]

    def waiting() -> bool:
        texts = [file.read_text() for file in output]
        return sum("another job is installing it: waiting" in text for text in texts) == 3

    try:
        until(waiting)
        go.write_text("on\n")
        assert [one.wait(60) for one in jobs] == [0] * 4
    finally:
        for one in jobs:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait()
    assert runner.installations() == 1


def test_an_unused_environment_is_removed(runner: Runner) -> None:
    old = runner.install("action", "llm")
    used = runner.install("action")
    runner.install("action", now=NOW + (KEPT_DAYS - 1) * DAY)
    assert old.exists()
    runner.install("action", "local", now=NOW + (KEPT_DAYS + 1) * DAY)
    assert not old.exists()
    assert used.exists()


def test_a_failing_pip_is_one_line_after_its_output(
    runner: Runner, capfd: pytest.CaptureFixture[str]
) -> None:
    runner.pip("echo no such release; exit 3")
    with pytest.raises(CannotInstall, match=r"^pip failed with code 3, see the lines above$"):
        runner.install()
    assert "no such release" in capfd.readouterr().err
    runner.pip("")
    assert runner.install().is_file()


def test_without_a_writable_cache_the_files_of_the_job_are_used(runner: Runner) -> None:
    runner.tools.write_text("a file")
    job = runner.tools.with_name("job")
    environ = {**runner.environ, "RUNNER_TEMP": str(job)}
    sdd = install(runner.source, ("action",), environ, str(runner.python), NOW)
    assert sdd.is_relative_to(job)
    with pytest.raises(CannotInstall, match="neither RUNNER_TOOL_CACHE nor RUNNER_TEMP"):
        runner.install()


@pytest.mark.parametrize(
    ("command", "event", "judge", "gpu", "wanted"),
    [
        ("review", "push", "", True, "action"),
        ("review", "pull_request", "gpt", True, "action llm"),
        ("sync", "schedule", "", True, "action"),
        ("update", "schedule", "", True, "action"),
        ("embed", "schedule", "", False, "action llm local"),
        ("embed", "push", "", True, "action gpu llm local"),
        ("all", "push", "", False, "action llm local"),
        ("all", "pull_request", "", True, "action"),
        ("all", "workflow_run", "", True, "action"),
        ("all", "merge_group", "", True, "action"),
        ("nonsense", "", "", True, "action"),
    ],
)
def test_only_the_extras_that_the_job_needs_are_installed(
    command: str, event: str, judge: str, gpu: bool, wanted: str
) -> None:
    environ = {"SDD_COMMAND": command, "GITHUB_EVENT_NAME": event, "SDD_JUDGE": judge}
    assert " ".join(extras(environ, gpu=gpu)) == wanted


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("echo 'GPU 0: NVIDIA H100 (UUID: GPU-1)'", True),
        ("echo 'No devices found.'; exit 6", False),
        ("echo 'GPU 0'; exit 9", False),
        ("", False),
    ],
)
def test_a_gpu_must_be_listed_by_its_driver(script: str, found: bool, tmp_path: Path) -> None:
    assert not has_gpu({"PATH": str(tmp_path)})
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert has_gpu({"PATH": str(tmp_path)}) is found
