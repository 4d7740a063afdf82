"""The rules in the page about decision rules have the documented results."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from sdd_hooks.review.rules.decision.blocks import RuleVerb, read_rules
from sdd_hooks.review.rules.decision.kinds import KINDS
from sdd_hooks.review.rules.decision.rule import RULE
from tests.docs.pages import TOP, blocks
from tests.review.repositories import subject_of
from tests.support.programs import run_program

PAGE = TOP / "docs" / "decision-rules.md"

_TABLE = re.compile(
    r"<!-- test: sdd-rule (?P<directive>.*) -->\n\|.*\n\|[-|]+\n(?P<rows>(?:\|.*\n)+)"
)


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """The directive above each table, and its rows."""
    for table in _TABLE.finditer(PAGE.read_text(encoding="utf-8")):
        rows = [row.strip("|").split(" | ") for row in table["rows"].splitlines()]
        yield table["directive"], [[cell.strip() for cell in row] for row in rows]


def without_backticks(cell: str) -> str:
    """The content of a cell without its backticks."""
    return cell.removeprefix("`").removesuffix("`")


ADDED = [(rule, *row) for rule, rows in tables() if rule != "mistakes" for row in rows]
MISTAKES = [row for rule, rows in tables() if rule == "mistakes" for row in rows]


def test_the_tables_are_found() -> None:
    assert len({rule for rule, *_ in ADDED}) == 3
    assert MISTAKES


@pytest.mark.parametrize(("rule", "line", "path", "is_found"), ADDED)
def test_a_rule_finds_the_documented_lines(
    rule: str, line: str, path: str, is_found: str, tmp_path: Path
) -> None:
    record = f"---\nstatus: accepted\n---\n# ADR-0001: X\n\n```sdd-rule\n{rule}\n```\n"
    after = {without_backticks(path): f"{without_backticks(line)}\n"}
    subject = subject_of(tmp_path, {"docs/adrs/ADR-0001-x.md": record}, after)
    findings = list(RULE.check(subject))
    assert [finding.path for finding in findings] == [without_backticks(path)] * (is_found == "yes")


@pytest.mark.parametrize(("line", "message"), MISTAKES)
def test_a_documented_mistake_has_its_message(line: str, message: str) -> None:
    rules, faults = read_rules(f"```sdd-rule\n{without_backticks(line)}\n```\n")
    assert rules == ()
    assert [fault.message for fault in faults] == [message]


def test_every_block_of_the_page_is_a_rule() -> None:
    rule_blocks = [block for block in blocks(PAGE) if block.language == "sdd-rule"]
    assert rule_blocks
    for block in rule_blocks:
        rules, faults = read_rules(f"```sdd-rule\n{block.text}\n```\n")
        assert faults == ()
        assert len(rules) == 1


def test_the_page_has_every_kind() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{verb} {what}` |" in page for verb in get_args(RuleVerb) for what in KINDS)


def test_the_page_of_what_is_read_is_generated() -> None:
    done = run_program(sys.executable, TOP / "scripts" / "read-doc")
    assert (TOP / "docs" / "what-is-read.md").read_text(encoding="utf-8") == done.stdout
