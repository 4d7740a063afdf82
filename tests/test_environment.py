"""`scripts/environment.sh`: the virtual environment of the other scripts, created once and kept.

The Pythons in these tests are shell scripts that log their arguments, so that nothing is installed.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.programs import run_program

ENVIRONMENT = Path(__file__).parent.parent / "scripts/environment.sh"
TOOLS = ("sh", "cat", "cksum", "cp", "dirname", "mkdir", "mktemp", "rm")

# Responds like Python to environment.sh: its version, ensurepip, venv and pip.
PYTHON = """#!/bin/sh
echo "{name} $*" >>"{log}"
case "$*" in
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {no_ensurepip} ;;
    "-m venv --clear "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
    *"pip install"*) echo "what pip says"; exit {pip_fails} ;;
esac
"""


class Checkout:
    """A checkout with one script, on a machine with the Pythons that the test adds."""

    def __init__(self, root: Path) -> None:
        self.root = root / "check out"
        self.bin = root / "bin"
        self.log = root / "log"
        (self.root / "scripts").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(ENVIRONMENT, self.root / "scripts")
        self.declare("one")
        script = self.root / "scripts/script"
        script.write_text(
            '#!/bin/sh\nset -eu\n. "$(dirname -- "$0")/environment.sh"\n'
            'environment "$root/.venv" newest_first dev -e .\necho done\n'
        )
        for tool in TOOLS:
            path_of_tool = shutil.which(tool)
            assert path_of_tool, tool
            (self.bin / tool).symlink_to(path_of_tool)

    def declare(self, text: str) -> None:
        (self.root / "pyproject.toml").write_text(text)

    def python(
        self, name: str, *, too_old: int = 0, no_ensurepip: int = 0, pip_fails: int = 0
    ) -> None:
        path = self.bin / name
        path.write_text(
            PYTHON.format(
                name=name,
                log=self.log,
                too_old=too_old,
                no_ensurepip=no_ensurepip,
                pip_fails=pip_fails,
            )
        )
        path.chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        return run_program(
            "sh",
            str(self.root / "scripts/script"),
            env={"PATH": str(self.bin), "TMPDIR": str(self.root.parent)},
            check=False,
        )

    def installs(self) -> int:
        """How often the package itself was installed."""
        return self.log.read_text().count("pip install -e .")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_environment_is_created_once(checkout: Checkout) -> None:
    checkout.python("python3")
    first, second = checkout.run(), checkout.run()
    assert (first.returncode, first.stdout) == (0, "done\n")
    assert first.stderr.count("\n") == 1, "one line says why it takes long"
    assert (second.returncode, second.stdout, second.stderr) == (0, "done\n", "")
    assert checkout.installs() == 1


def test_it_is_updated_when_the_declaration_changes(checkout: Checkout) -> None:
    checkout.python("python3")
    checkout.run()
    checkout.declare("two")
    assert checkout.run().returncode == 0
    assert checkout.installs() == 2
    assert checkout.log.read_text().count("-m venv") == 1


def test_it_is_created_again_when_its_python_is_missing(checkout: Checkout) -> None:
    checkout.python("python3")
    checkout.run()
    (checkout.root / ".venv/bin/python").unlink()
    assert checkout.run().returncode == 0
    assert checkout.log.read_text().count("-m venv") == 2


def test_it_is_created_again_when_the_checkout_was_moved(checkout: Checkout) -> None:
    checkout.python("python3")
    checkout.run()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    assert checkout.run().returncode == 0
    assert checkout.installs() == 2


def test_a_failed_install_is_shown_and_retried(checkout: Checkout) -> None:
    checkout.python("python3", pip_fails=1)
    failed = checkout.run()
    assert failed.returncode == 1
    assert "what pip says" in failed.stderr
    assert failed.stdout == ""
    assert checkout.run().returncode == 1
    assert list(checkout.root.parent.glob("sdd-setup.*")) == []


def test_a_python_that_is_too_old_is_skipped(checkout: Checkout) -> None:
    checkout.python("python3", too_old=1)
    checkout.python("python3.12")
    assert checkout.run().returncode == 0
    assert "python3.12 -m venv" in checkout.log.read_text()


def test_without_any_python_the_message_names_what_to_install(checkout: Checkout) -> None:
    failed = checkout.run()
    assert failed.returncode == 1
    assert failed.stderr.startswith("script: needs Python 3.10 or later")
    assert "apt install python3" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_without_venv_the_message_names_what_to_install(checkout: Checkout) -> None:
    checkout.python("python3", no_ensurepip=1)
    failed = checkout.run()
    assert failed.returncode == 1
    assert "apt install python3-venv" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (checkout.root / ".venv").exists()
