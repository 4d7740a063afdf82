"""The rules in the page about decision rules do what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdd_hooks.review.rules.decision.blocks import read_rules
from sdd_hooks.review.rules.decision.rule import RULE
from tests.docs.pages import TOP, blocks
from tests.review.repositories import subject_of

PAGE = TOP / "docs" / "decision-rules.md"

_TABLE = re.compile(r"<!-- test: sdd-rule (?P<says>.*) -->\n\|.*\n\|[-|]+\n(?P<rows>(?:\|.*\n)+)")


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """What stands above each table, and its rows."""
    for table in _TABLE.finditer(PAGE.read_text(encoding="utf-8")):
        rows = [row.strip("|").split(" | ") for row in table["rows"].splitlines()]
        yield table["says"], [[cell.strip() for cell in row] for row in rows]


def bare(cell: str) -> str:
    """What a cell holds between its backticks."""
    return cell.removeprefix("`").removesuffix("`")


ADDED = [(rule, *row) for rule, rows in tables() if rule != "mistakes" for row in rows]
MISTAKES = [row for rule, rows in tables() if rule == "mistakes" for row in rows]


def test_the_tables_are_found() -> None:
    assert len({rule for rule, *_ in ADDED}) == 3
    assert MISTAKES


@pytest.mark.parametrize(("rule", "line", "path", "found"), ADDED)
def test_an_added_line(rule: str, line: str, path: str, found: str, tmp_path: Path) -> None:
    record = f"---\nstatus: accepted\n---\n# ADR-0001: X\n\n```sdd-rule\n{rule}\n```\n"
    after = {bare(path): f"{bare(line)}\n"}
    subject = subject_of(tmp_path, {"docs/adrs/ADR-0001-x.md": record}, after)
    findings = list(RULE.check(subject))
    assert [finding.path for finding in findings] == [bare(path)] * (found == "yes")


@pytest.mark.parametrize(("line", "message"), MISTAKES)
def test_a_mistake(line: str, message: str) -> None:
    rules, faults = read_rules(f"```sdd-rule\n{bare(line)}\n```\n")
    assert rules == ()
    assert [fault.message for fault in faults] == [message]


def test_every_block_of_the_page_is_a_rule() -> None:
    found = [block for block in blocks(PAGE) if block.language == "sdd-rule"]
    assert found
    for block in found:
        rules, faults = read_rules(f"```sdd-rule\n{block.text}\n```\n")
        assert faults == ()
        assert len(rules) == 1
