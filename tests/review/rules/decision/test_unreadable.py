"""Submodules and re-encoded files are not checked, and say so if a rule would search them."""

from __future__ import annotations

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

```sdd-rule
forbid import: requests
in: src/**
severity: MUST
```
"""
# Written as UTF-16, this is a program in ASCII.
DISGUISED = b"import requests\n".decode("utf-16-le")


@pytest.fixture
def shop(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.commit(files={"docs/adrs/ADR-0001-http.md": RECORD, "src/old.py": DISGUISED})
    return repo


def findings(repo: Repo) -> list[str]:
    """The findings of what is staged, which are those of its commit."""
    staged = list(RULE.check(subject_of(repo.project(), read_staged(repo.handle))))
    repo.git("commit", "--quiet", "-m", "Change")
    change = read_change(repo.handle, "HEAD~1", "HEAD")
    assert list(RULE.check(subject_of(repo.project(), change))) == staged
    assert {one.severity for one in staged} <= {"critical"}
    return [f"{one.path} {one.rule}" for one in staged]


def stage(repo: Repo, encoding: str, text: str) -> None:
    """Stage a file of this text, with an attribute for its encoding in the work tree."""
    repo.write(".gitattributes", f"*.py working-tree-encoding={encoding}\n")
    repo.write("src/a.py", text)
    repo.git("add", ".gitattributes")
    blob = repo.git("hash-object", "-w", "--no-filters", "src/a.py").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},src/a.py")


@pytest.mark.parametrize("encoding", ["UTF-16LE", "utf-16le", "UTF-7", "no-such-encoding"])
def test_an_encoding_that_makes_another_program_of_a_file(shop: Repo, encoding: str) -> None:
    stage(shop, encoding, DISGUISED)
    found = findings(shop)
    assert "src/a.py incomplete" in found
    assert "src/old.py incomplete" in found


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16LE-BOM", "UTF-16", "latin1", "UTF-16BE"])
def test_an_encoding_that_keeps_the_text(shop: Repo, encoding: str) -> None:
    shop.commit(files={"src/old.py": "x = 1\n"})
    stage(shop, encoding, "import os\n")
    assert findings(shop) == []


def test_an_encoding_of_the_base_counts_as_agreed(shop: Repo) -> None:
    shop.commit(files={"src/old.py": "x = 1\n"})
    stage(shop, "shift-jis", "x = 1\n")
    assert findings(shop) == []
    stage(shop, "shift-jis", "x = '\u65e5\u672c'\n")
    assert findings(shop) == []


def test_files_that_no_rule_searches(shop: Repo) -> None:
    shop.write(".gitattributes", "*.txt working-tree-encoding=UTF-16LE\n")
    shop.write("a.txt", DISGUISED)
    shop.git("add", ".gitattributes")
    blob = shop.git("hash-object", "-w", "--no-filters", "a.txt").strip()
    shop.git("update-index", "--add", "--cacheinfo", f"100644,{blob},a.txt")
    assert findings(shop) == []


def link(repo: Repo, path: str, commit: str) -> None:
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")


def test_a_new_submodule_is_not_checked(shop: Repo) -> None:
    link(shop, "src/lib", "1" * 40)
    link(shop, "vendor/lib", "1" * 40)
    assert findings(shop) == ["src/lib incomplete"]
    link(shop, "src/lib", "2" * 40)
    assert findings(shop) == []
    link(shop, "src/lib", "3" * 40)
    shop.write(".gitmodules", '[submodule "lib"]\n\tpath = src/lib\n\turl = ../other\n')
    shop.git("add", ".gitmodules")
    assert findings(shop) == ["src/lib incomplete"]
