"""What the pages repeat from the code: settings, exit codes, messages, rules, edges, hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import yaml

from sdd_hooks import errors
from sdd_hooks.artifacts.edges import FORWARD, INVERSES
from sdd_hooks.config.configuration import Configuration
from sdd_hooks.config.keys import GROUPS
from sdd_hooks.findings import Severity
from sdd_hooks.reporting.registry import FORMATS
from sdd_hooks.review.rules import own
from tests.docs.pages import TOP, blocks

DOCS = TOP / "docs"


def rows(page: Path, heading: str) -> list[list[str]]:
    """The rows of the tables below a heading, without their head, backticks taken off."""
    text = page.read_text(encoding="utf-8").partition(f"{heading}\n")[2]
    level = heading.split(" ", 1)[0]
    text = re.split(rf"^#{{1,{len(level)}}} ", text, maxsplit=1, flags=re.MULTILINE)[0]
    table_rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    assert len(table_rows) > 2, f"no table below {heading!r} in {page.name}"
    return [row for row in table_rows[2:] if not set(row[0]) <= set("-: ")]


def classes(error: type[errors.SddError]) -> Iterator[type[errors.SddError]]:
    yield error
    for subclass in error.__subclasses__():
        yield from classes(subclass)


def test_every_setting_is_documented_with_its_default() -> None:
    documented = [tuple(row[:3]) for row in rows(DOCS / "configuration.md", "## Every key")]
    keys = {(group.name, key.name): (group, key) for group in GROUPS for key in group.keys}
    assert [row[:2] for row in documented] == list(keys)
    for section, name, default in documented:
        group, key = keys[section, name]
        documented_value = "" if default == "—" else key.parse(default)
        if key.field:
            actual = getattr(getattr(Configuration(), group.field), key.field)
            assert documented_value == actual, (section, name)


def test_every_exit_code_is_documented() -> None:
    import sdd_hooks.cli.entry  # noqa: F401 (so that every class of the tree is there)

    codes = {
        error.exit_code for error in classes(errors.SddError) if error.__module__ == errors.__name__
    }
    codes |= {errors.EXIT_OK, errors.EXIT_USAGE, errors.EXIT_BUG, errors.EXIT_INTERRUPTED}
    page = DOCS / "troubleshooting.md"
    assert [int(row[0]) for row in rows(page, "## Exit codes")] == sorted(codes)
    decision = next((DOCS / "adrs").glob("ADR-0010-*.md"))
    assert [int(row[0]) for row in rows(decision, "## Decision Outcome")] == sorted(codes)


def test_documented_messages_are_in_the_source() -> None:
    """A heading with a message in backticks: each part between `…` is a string of the program."""
    sources = [*(TOP / "sdd_hooks").rglob("*.py"), TOP / "hooks" / "sdd-hook.sh"]
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    # Strings that are written in parts, and backticks that the shell wants escaped.
    source = re.sub(r'"\s*\n\s*f?"', "", source).replace("\\`", "`")
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    messages = re.findall(r"^### (`+) ?(.+?) ?\1$", page, re.MULTILINE)
    assert len(messages) > 10
    for _, message in messages:
        for part in message.split("…"):
            assert part.strip(" :'") in source, message


def test_the_offered_configuration_names_hooks_there_are() -> None:
    offered = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    stages = {hook["id"]: set(hook["stages"]) for hook in offered}
    pages = [TOP / "README.md", *DOCS.glob("*.md")]
    shown = [
        configuration
        for page in pages
        for block in blocks(page)
        if block.language == "yaml"
        for configuration in [yaml.safe_load(block.text)]
        if "repos" in configuration
    ]
    assert shown
    for configuration in shown:
        types = set(configuration["default_install_hook_types"])
        for repository in configuration["repos"]:
            for hook in repository["hooks"]:
                needed = set(hook["stages"]) if "stages" in hook else stages[hook["id"]]
                assert needed <= types, hook["id"]


def test_every_rule_of_the_check_is_documented_with_its_severity() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in (TOP / "sdd_hooks" / "artifacts").glob("*.py")
    )
    source = re.sub(r'_warning\(holder, line, ("[a-z-]+"),', r'\1, "warning",', source)
    for name, rule in re.findall(r'^([A-Z_]+) = ("[a-z-]+")$', source, re.MULTILINE):
        source = source.replace(f"{name},", f"{rule},")
    rules_in_source = set(
        re.findall(r'"([a-z]+(?:-[a-z]+)*)",\s*(?:severity|"critical"|"warning")', source)
    )
    rules_in_source -= set(get_args(Severity))
    documented = [row[:2] for row in rows(DOCS / "artifacts.md", "## Checks")]
    assert {rule for rule, _ in documented} == rules_in_source
    for rule, severity in documented:
        assert re.search(rf'"{rule}",\s*(?:severity|"{severity}")', source), rule


def test_every_rule_of_the_review_is_documented_with_its_severity() -> None:
    documented = [tuple(row[:2]) for row in rows(DOCS / "review.md", "## Rules")]
    assert documented == [(rule.id, rule.severity) for rule in own()]


def test_every_format_of_the_review_is_documented() -> None:
    assert {row[0] for row in rows(DOCS / "review.md", "## Formats")} == set(FORMATS)


def test_every_edge_is_documented() -> None:
    table = rows(DOCS / "artifacts.md", "## Edges")
    names = {"ADR": "ADR", "SPEC": "spec"}
    edges = [
        [names[kind], edge, ", ".join(names[target] for target in targets), INVERSES[edge]]
        for kind, outgoing in FORWARD.items()
        for edge, targets in outgoing.items()
    ]
    assert table == edges
