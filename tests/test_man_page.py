"""The manual page, as `man` shows it, has what the help of every command has."""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("man") / "sdd.1"
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/man-page"], check=True, capture_output=True
    )
    path.write_bytes(done.stdout)
    return path


def test_every_line_is_a_known_macro_or_text(page: Path) -> None:
    text = page.read_text()
    macros = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
    assert macros == {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".EX", ".EE"}
    assert text.count(".EX\n") == text.count(".EE\n") > 40


@pytest.mark.skipif(not (which("man") and which("groff")), reason="man is not installed")
def test_man_shows_every_word_of_the_help(page: Path) -> None:
    environ = {**os.environ, "MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["man", "--warnings", "--local-file", page], env=environ, check=True, capture_output=True
    )
    assert done.stderr == b""
    plain = re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout.decode())
    helps = re.findall(r"```text\nUsage: (.*?)```", (ROOT / "docs/commands.md").read_text(), re.S)
    words = {word for text in helps for word in text.split() if len(word) < 30}
    shown = set(re.sub("‐\n *", "", plain).split())
    assert words - shown <= {"Usage:"}
