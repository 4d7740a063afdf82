"""A change is held to the rules of its base, whatever it makes of the files that declare them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.review.review import subject_of
from sdd_hooks.review.rules.decision.rule import RULE
from tests.support.repos import Repo

RECORD = """---
status: accepted
---

# ADR-0001: HTTP

## Context

We call others.

## Decision

One client.

```sdd-rule
forbid import: requests
severity: MUST
```
"""
CONTEXT = "## Architecture Context\n\n- Architecture Decision Records are in `{}`\n"
MODULES = "\n### Workspace Modules\n\n| Module | Root |\n| --- | --- |\n| api | services/api |\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    return Repo.init(tmp_path / "repo")


def violations(repo: Repo, change: Callable[[], object]) -> list[str]:
    """The critical findings of a commit that adds the forbidden import after `change`."""
    repo.commit("Base")
    change()
    repo.write("src/a.py", "import requests\n")
    repo.git("add", "--all")
    staged = subject_of(repo.project(), read_staged(repo.handle))
    repo.commit("Change")
    committed = subject_of(repo.project(), read_change(repo.handle, "HEAD~1", "HEAD"))
    found = [
        [finding.path for finding in RULE.check(subject) if finding.severity == "critical"]
        for subject in (staged, committed)
    ]
    assert found[0] == found[1]
    return found[1]


def test_the_memory_file_of_a_module_is_edited(shop: Repo) -> None:
    shop.write("CLAUDE.md", CONTEXT.format("docs/adrs") + MODULES)
    shop.write("services/api/CLAUDE.md", CONTEXT.format("notes"))
    shop.write("services/api/notes/http.md", RECORD)
    edit = CONTEXT.format("nothing")
    assert violations(shop, lambda: shop.write("services/api/CLAUDE.md", edit)) == ["src/a.py"]


def test_the_table_of_modules_is_removed(shop: Repo) -> None:
    shop.write("CLAUDE.md", CONTEXT.format("docs/adrs") + MODULES)
    shop.write("services/api/docs/adrs/http.md", RECORD)
    edit = CONTEXT.format("docs/adrs")
    assert violations(shop, lambda: shop.write("CLAUDE.md", edit)) == ["src/a.py"]


def test_the_target_of_a_memory_file_is_edited(shop: Repo) -> None:
    shop.write("docs/agents.md", CONTEXT.format("notes"))
    os.symlink("docs/agents.md", shop.root / "CLAUDE.md")  # noqa: PTH211
    shop.write("notes/http.md", RECORD)
    assert violations(shop, lambda: shop.write("docs/agents.md", "# None\n")) == ["src/a.py"]


@pytest.mark.parametrize("path", ["examples/http.md", "vendor/adr/x.md", "tests/a/http.markdown"])
def test_records_in_any_place(shop: Repo, path: str) -> None:
    shop.write("CLAUDE.md", CONTEXT.format(path.rpartition("/")[0]))
    shop.write(path, RECORD)
    assert violations(shop, lambda: shop.remove("CLAUDE.md")) == ["src/a.py"]


def test_another_memory_file_takes_precedence(shop: Repo) -> None:
    shop.write("AGENTS.md", CONTEXT.format("notes"))
    shop.write("notes/http.md", RECORD)
    add = CONTEXT.format("other")
    assert violations(shop, lambda: shop.write("CLAUDE.md", add)) == ["src/a.py"]


def test_the_directory_of_records_becomes_a_link(shop: Repo) -> None:
    shop.write("CLAUDE.md", CONTEXT.format("notes"))
    shop.write("notes/http.md", RECORD)

    def link() -> None:
        shop.git("mv", "notes", "elsewhere")
        os.symlink("none", shop.root / "notes")  # noqa: PTH211

    assert violations(shop, link) == ["src/a.py"]


def test_the_record_becomes_a_link(shop: Repo) -> None:
    shop.write("CLAUDE.md", CONTEXT.format("notes"))
    shop.write("notes/http.md", RECORD)

    def link() -> None:
        shop.remove("notes/http.md")
        os.symlink("../CLAUDE.md", shop.root / "notes/http.md")  # noqa: PTH211

    assert violations(shop, link) == ["src/a.py"]


def test_the_record_gets_a_null_character(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0001-http.md", RECORD)
    edit = RECORD.encode() + b"\0"
    assert violations(shop, lambda: shop.write("docs/adrs/ADR-0001-http.md", edit)) == ["src/a.py"]


def test_attributes_do_not_hide_the_record(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0001-http.md", RECORD)
    text = "*.md binary -diff export-ignore linguist-generated\n"
    assert violations(shop, lambda: shop.write(".gitattributes", text)) == ["src/a.py"]
