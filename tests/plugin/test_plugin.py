"""The plug-in for Claude Code: manifests, skills and references, made from the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import sdd_hooks
from sdd_hooks.cli import commonplace
from sdd_hooks.cli.group import sdd
from sdd_hooks.cli.shared.lazy import accept_verbose
from sdd_hooks.trackers.registry import TRACKERS, find_vendor, registered_trackers
from tests.support.programs import run_program
from tests.support.waiting import TIMEOUT

PLUGIN = Path(sdd_hooks.__file__).parent / "plugin"
ROOT = PLUGIN.parents[1]
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))
TEXTS = sorted(PLUGIN.rglob("*.md"))
REFERENCES = {path.name: path.read_text() for path in PLUGIN.glob("references/*.md")}

_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)", re.S)
_FENCE = re.compile(r"^ *```[a-z]*\n(.*?)^ *```", re.M | re.S)
_PLACEHOLDER = re.compile(r"[<$].*|.*…")
_FIELD = re.compile(r"[a-z-]+: ")


def front(path: Path) -> dict[str, Any]:
    """The frontmatter of a skill."""
    _, header, _ = path.read_text().split("---\n", 2)
    fields: dict[str, Any] = yaml.safe_load(header)
    return fields


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command line of sdd in a text."""
    lines = [line for block in _FENCE.findall(text) for line in block.splitlines()]
    lines += [" ".join(span.split()) for _, span in _SPAN.findall(_FENCE.sub("", text))]
    for line in lines:
        if line.startswith(("sdd ", "commonplace-search-")):
            yield shlex.split(line.partition("#")[0])


def unknown(words: list[str]) -> list[str]:
    """The words of a command line that name no command and no option."""
    found: click.Command = getattr(commonplace, f"{words[0][19:]}_command", sdd)
    wrong = []
    for word in words[1:]:
        if _PLACEHOLDER.fullmatch(word) or word in {"|", "-"} or not word.islower():
            found = default(found)
            continue
        if word.startswith("-"):
            option = word.partition("=")[0]
            found = default(found)
            options = {name for param in accept_verbose(found).params for name in param.opts}
            wrong += [] if option in {*options, "--help"} else [word]
        elif isinstance(found, click.Group):
            below = found.get_command(click.Context(found), word)
            wrong += [] if below else [word]
            found = below or found
    return wrong


def default(command: click.Command) -> click.Command:
    """The command that a group runs for other words than its commands, such as `sdd adr TITLE`."""
    if isinstance(command, click.Group) and command is not sdd:
        return command.get_command(click.Context(command), "new") or command
    return command


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(PLUGIN).as_posix())
def test_only_commands_and_options_that_exist_are_named(path: Path) -> None:
    wrong = [(words, found) for words in commands(path.read_text()) if (found := unknown(words))]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("`sdd check <target> --json`", []),
        ("`sdd chekc`", ["chekc"]),
        ("`sdd check --jsno`", ["--jsno"]),
        ("`sdd index updaet`", ["updaet"]),
        ("```sh\nsdd index --jsno\n```\n", ["--jsno"]),
        ("`sdd graph impact <id> --format mermaid`", []),
        ('`sdd adr "<title>" --edge extends=ADR-0001`', []),
    ],
)
def test_a_command_that_does_not_exist_is_found(line: str, wrong: list[str]) -> None:
    assert [word for words in commands(line) for word in unknown(words)] == wrong


def test_a_skill_has_its_fields() -> None:
    for path in SKILLS:
        fields = front(path)
        assert set(fields) == {"name", "description", "argument-hint", "allowed-tools"}, path
        assert fields["name"] == path.parent.name
        assert 20 < len(fields["description"]) <= 1_024, path
        assert "Use " in fields["description"], path
        text = path.read_text()
        assert len(text) < 8_000, path
        assert f"# /sdd:{fields['name']}\n" in text


def test_a_skill_names_sections_of_references_that_exist() -> None:
    for line in (line for path in SKILLS for line in path.read_text().splitlines()):
        if match := re.fullmatch(r"- `([a-z-]+\.md)` (§ .+)", line):
            for section in match[2].split(", "):
                assert f"## {section.removeprefix('§ ')}\n" in REFERENCES[match[1]], line


def test_the_references_have_the_sections_that_skills_of_the_ecosystem_name() -> None:
    wanted = {
        "qmd-helpers.md": "MCP-vs-CLI Selection; This-Repo Collection Identification;"
        " Hybrid Retrieval; Result Candidates; Error Handling",
        "tracker-sync.md": "Supported Trackers; Fetch; Normalize",
        "cgg-integration.md": "Availability Check; cgg Invocation Pattern; Exit code handling;"
        " Filter Derivation Strategy; From qmd code matches; From requirement keywords;"
        " Timeout Handling; Node cap; Mermaid Output Normalization;"
        " Unsupported Language Handling; Graceful Degradation",
        "shared-patterns.md": "Config Resolution; Artifact Path Resolution; Tracker Detection;"
        " Index Freshness",
    }
    for name, sections in wanted.items():
        for section in sections.split("; "):
            assert f"# {section}\n" in REFERENCES[name]
    for name in TRACKERS.own:
        label = find_vendor(name, registered_trackers())[1].label
        assert f"### {label}\n" in REFERENCES["tracker-sync.md"]


def test_no_skill_calls_a_tracker_or_qmd_itself() -> None:
    for path in SKILLS:
        text = path.read_text()
        assert not re.search(r"api\.github|curl|gh api|glab|`qmd ", text), path


def test_the_manifests_say_version_5() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("sdd", "5.0.0")
    market = json.loads((PLUGIN / ".claude-plugin/marketplace.json").read_text())
    assert market["name"] == "claude-plugin-sdd"
    for entry in market["plugins"]:
        folder = PLUGIN / entry["source"]
        listed = json.loads((folder / ".claude-plugin/plugin.json").read_text())
        assert (listed["name"], listed["version"]) == (entry["name"], "5.0.0")
        assert re.fullmatch(r"[a-z][a-z-]*", listed["name"])
        for server in listed.get("mcpServers", {}).values():
            assert unknown([server["command"], *server["args"]]) == []


def test_the_changelog_names_the_install_commands() -> None:
    text = (PLUGIN / "CHANGELOG.md").read_text()
    breaking = text.partition("### Breaking Changes\n")[2].partition("\n### ")[0]
    assert "npm install -g @tobilu/qmd" in breaking
    assert "bun install -g @tobilu/qmd" in breaking
    assert "npm install -g @tobilu/qmd" in (PLUGIN / "UPGRADING.md").read_text()


def test_the_wheel_has_every_file_of_the_plug_in() -> None:
    """hatchling chooses them without a build."""
    from hatchling.builders.wheel import WheelBuilder

    builder = WheelBuilder(str(ROOT))
    included = {Path(one.relative_path) for one in builder.recurse_included_files()}
    files = {path.relative_to(ROOT) for path in PLUGIN.rglob("*") if path.is_file()}
    assert {path.name for path in files} >= {"plugin.json", "marketplace.json", "SKILL.md"}
    assert files <= included


def test_claude_code_installs_the_plug_in(tmp_path: Path) -> None:
    """The real program validates both plug-ins, and installs the first. It needs no network."""
    claude = shutil.which("claude")
    if claude is None:
        pytest.skip("needs Claude Code: npm install -g @anthropic-ai/claude-code")
    environ = {**os.environ, "HOME": str(tmp_path)}

    def run(*arguments: str) -> str:
        done = run_program(
            claude, "plugin", *arguments, cwd=tmp_path, env=environ, timeout=TIMEOUT, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    for folder in (PLUGIN, PLUGIN / "qmd"):
        assert "Validation passed" in run("validate", str(folder))
    run("marketplace", "add", str(PLUGIN))
    run("install", "sdd@claude-plugin-sdd")
    assert "sdd@claude-plugin-sdd" in run("list")
