"""Blocks that are not run are valid in their language: YAML, shell, a memory file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sdd_hooks.config.configuration import load_configuration
from sdd_hooks.config.memory_file import find_memory_file
from sdd_hooks.project.layout import find_declarations
from tests.docs.pages import Block, blocks, pages
from tests.support.programs import run_program

# test_examples runs `console` and `json`; `text` is a diagram or the content of a file.
LANGUAGES = {"console", "json", "yaml", "toml", "sh", "python", "markdown", "sdd-rule", "text"}

BLOCKS = [block for page in pages() for block in blocks(page)]


def blocks_in(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def test_every_block_has_a_known_language() -> None:
    assert [str(block) for block in BLOCKS if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("block", blocks_in("yaml"), ids=str)
def test_yaml_parses(block: Block) -> None:
    assert yaml.safe_load(block.text)


@pytest.mark.parametrize("block", blocks_in("toml"), ids=str)
def test_toml_parses(block: Block) -> None:
    tomllib = pytest.importorskip("tomllib")
    assert tomllib.loads(block.text)


@pytest.mark.parametrize("block", blocks_in("sh"), ids=str)
def test_the_syntax_of_shell_is_valid(block: Block) -> None:
    done = subprocess.run(["sh", "-n"], input=block.text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("block", blocks_in("markdown"), ids=str)
def test_a_memory_file_is_read(block: Block, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(block.text, encoding="utf-8")
    memory, _ = find_memory_file(tmp_path)
    assert memory is not None, f"{block}: no section that sdd reads"
    assert load_configuration(tmp_path).warnings == ()
    assert "Architecture Context" not in block.text or list(find_declarations(memory))


@pytest.mark.parametrize("block", [b for b in blocks_in("yaml") if "repos:" in b.text], ids=str)
def test_pre_commit_accepts_the_configuration(block: Block, tmp_path: Path) -> None:
    path = tmp_path / ".pre-commit-config.yaml"
    path.write_text(block.text, encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    done = run_program(*command, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
