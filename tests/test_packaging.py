"""What the distribution declares: dependencies with floors, extras, commands."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.support.programs import run_program

ROOT = Path(__file__).parent.parent
SDD = distribution("sdd-hooks")
COMMANDS = [point for point in SDD.entry_points if point.group == "console_scripts"]


def requirements(extra: str) -> set[str]:
    """The requirements of an extra; "" for the dependencies without an extra."""
    found = set()
    for line in SDD.requires or []:
        requirement, _, marker = line.partition("; ")
        if marker.partition("== ")[2].strip("'\"") == extra:
            found.add(requirement)
    return found


def test_every_dependency_has_a_floor() -> None:
    printed = run_program(sys.executable, str(ROOT / "scripts/floors")).stdout.splitlines()
    every = {line.partition("; ")[0] for line in SDD.requires or []} - requirements("gpu")
    every = {line for line in every if " @ " not in line}
    pinned = [re.sub(r"\[.*?\]", "", line).replace(">=", "==") for line in every]
    assert sorted(printed) == sorted(pinned)
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in printed)


def test_all_is_every_extra_except_the_heavy_one() -> None:
    extras = set(SDD.metadata.get_all("Provides-Extra") or []) - {"all", "gpu"}
    assert requirements("all") == set().union(*map(requirements, extras))
    assert extras == {"local", "llm", "callgraph", "action", "hooks", "mcp", "postgres"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda point: point.name)
def test_every_command_can_be_loaded(command: object) -> None:
    assert callable(command.load())  # type: ignore[attr-defined]


def test_the_documentation_lists_the_commands() -> None:
    names = {"sdd"} | {f"commonplace-search-{verb}" for verb in ("update", "query", "status")}
    assert {point.name for point in COMMANDS} == names


def test_the_version_is_in_the_changelog() -> None:
    assert SDD.version in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("script", ["run", "test", "bench", "install-qmd", "../.ci/run"])
def test_scripts_are_executable_and_begin_with_a_comment(script: str) -> None:
    path = ROOT / "scripts" / script
    assert path.stat().st_mode & 0o111
    assert path.read_text().splitlines()[1].startswith("# ")


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "scripts/run" in readme
    assert "scripts/test" in readme


BY_NAME = re.compile(r"""\b(?:install|inject|add|run|uvx|--with)\s+(?:-\S+\s+)*['"]?sdd-hooks\b""")


def test_the_pattern_of_an_install_by_name() -> None:
    by_name = ("pip install sdd-hooks", "pip install -q 'sdd-hooks[x]'", "uvx sdd-hooks")
    assert all(map(BY_NAME.search, by_name))
    assert not BY_NAME.search("pip install '/opt/sdd-hooks[action]'")


def test_no_text_installs_a_package_of_an_index_by_the_name_of_this_one() -> None:
    """The package is on no index, so another package may get its name there."""
    names = ["*.md", "*.py", "*.sh", "*.yml", "*.yaml", "*.toml", "*.svg", ".ci/run", "scripts"]
    listed = run_program("git", "ls-files", "-z", "--", *names, ":!tests", cwd=ROOT).stdout.split(
        "\0"
    )
    paths = [ROOT / name for name in listed if name]
    assert len(paths) > 300
    found = [str(path) for path in paths if BY_NAME.search(path.read_text(encoding="utf-8"))]
    assert found == []
