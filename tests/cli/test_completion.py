"""Completion in the real shells."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.commands import SCRIPTS, one_line, run
from tests.cli.test_lazy import HEAVY, modules_of
from tests.support.programs import run_program

BASH = """
eval "$(sdd completion bash)"
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_sdd_completion sdd 2>&1
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# The functions of zsh that offer candidates are replaced by ones that print them.
ZSH = """
compdef() {{ print registered $2 }}
compadd() {{ print -l -- $names }}
_describe() {{ print -l -- $described }}
compset() {{ }}
eval "$(sdd completion zsh)"
words=({words}) CURRENT=$#words
_sdd_completion
"""
FISH = """
sdd completion fish | source
complete -C "{line}"
"""


def in_shell(shell: str, script: str, where: Path) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = run_program(
        program,
        *options,
        "-c",
        script,
        cwd=where,
        env={**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(where)},
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


CASES = [
    ("sdd in", ["init", "index"]),
    ("sdd hooks in", ["install"]),
    ("sdd index up", ["update"]),
    ("sdd search --ki", ["--kind"]),
    ("sdd search --kind ", ["adrs", "specs", "code", "issues"]),
    ("sdd review --fail-on cr", ["critical"]),
    ("sdd review --format=mark", ["markdown"]),
    ("sdd ci re", ["review"]),
    ("sdd completion f", ["fish"]),
    ("sdd nothing --x", []),
]
each_case = pytest.mark.parametrize(("line", "expected"), CASES, ids=[one[0] for one in CASES])


@each_case
def test_bash(tmp_path: Path, line: str, expected: list[str]) -> None:
    """Scenario "A name in bash" of SPEC-0001."""
    # bash divides words at `=`.
    words = line.replace("=", " = ") + ("''" if line.endswith(" ") else "")
    printed = in_shell("bash", BASH.format(words=words), tmp_path)
    assert [one for one in printed if one] == expected


@each_case
def test_zsh(tmp_path: Path, line: str, expected: list[str]) -> None:
    words = line + ("''" if line.endswith(" ") else "")
    registered, *printed = in_shell("zsh", ZSH.format(words=words), tmp_path)
    assert registered == "registered sdd"
    # A candidate with a summary is followed by a colon and that.
    assert [one.partition(":")[0] for one in printed] == expected


@each_case
def test_fish(tmp_path: Path, line: str, expected: list[str]) -> None:
    printed = in_shell("fish", FISH.format(line=line), tmp_path)
    names = [one.partition("\t")[0].rpartition("=")[2] for one in printed]
    assert sorted(names) == sorted(expected)


def test_fish_shows_whole_summaries(tmp_path: Path) -> None:
    assert "index\tIndex the repository, and keep the index up to date." in in_shell(
        "fish", FISH.format(line="sdd in"), tmp_path
    )


def test_directories_are_completed_by_the_shell(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert in_shell("fish", FISH.format(line="sdd -C fol"), tmp_path) == ["folder/\tDirectory"]


def complete(instruction: str, words: str, number: str = "1") -> dict[str, str]:
    return {"_SDD_COMPLETE": instruction, "COMP_WORDS": words, "COMP_CWORD": number}


@pytest.mark.parametrize(("words", "number"), [("sdd in", "1"), ("sdd search --k", "2")])
def test_a_completion_imports_nothing_heavy(tmp_path: Path, words: str, number: str) -> None:
    loaded = modules_of(tmp_path, env=complete("bash_complete", words, number))
    assert not HEAVY & loaded
    if number == "1":
        assert {name for name in loaded if name.startswith("sdd_hooks.cli.")} == {
            "sdd_hooks.cli.completion",
            "sdd_hooks.cli.entry",
            "sdd_hooks.cli.group",
            "sdd_hooks.cli.shared",
            "sdd_hooks.cli.shared.lazy",
        }


def test_other_instructions_are_refused(tmp_path: Path) -> None:
    for instruction in ("ksh_complete", "bash_source", "bash", "x"):
        done = run(tmp_path, env=complete(instruction, "sdd in"))
        assert (done.code, done.out, done.err) == (2, "", "")


def test_an_unknown_shell(tmp_path: Path) -> None:
    assert "'ksh' is not one of" in one_line(run(tmp_path, "completion", "ksh"), 2)
