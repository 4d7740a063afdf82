import os
from pathlib import Path

import pytest

from sdd_hooks.errors import EXIT_USAGE
from sdd_hooks.project.project import load_project
from sdd_hooks.usecases.reading.governing import GoverningArtifacts, NotAFile, find_governing
from tests.support.repos import Repo

OUTBOX = """---
status: accepted
applies-to: [src/outbox/, Relay.send]
---

# ADR-0007: Outbox

## Decision

Events go through the outbox.

```sdd-rule
forbid import: requests
in: src/web/**
```
"""
FILES = {
    "CLAUDE.md": "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n",
    "docs/adrs/ADR-0007-outbox.md": OUTBOX,
    "docs/adrs/ADR-0008-old.md": "---\nstatus: superseded by ADR-0007\naffects: src/\n---\n\n"
    "# ADR-0008: Old\n\n## Decision\n\nEvents are sent at once.\n\n```sdd-rule\n"
    "forbid import: httpx\nin: src/web/**\n```\n",
    "docs/openspec/specs/pay/spec.md": "# SPEC-0003: Pay\n\n### Requirement: Once\n\nIt MUST.\n",
    "docs/openspec/specs/pay/design.md": "# Design of SPEC-0003: Pay\n",
    "src/outbox/store.py": "x = 1\n",
    "src/relay.py": '# Governing: SPEC-0003 REQ "Once"\n\n\nclass Relay:\n    def send(self):\n'
    "        pass\n",
    "src/web/page.py": "class Other:\n    def send(self):\n        Relay.send\n",
    "README.md": "Text\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    for path, content in FILES.items():
        repo.write(path, content)
    repo.commit("Files")
    return repo


def governing(repo: Repo, name: str, below: str = "") -> GoverningArtifacts:
    project = load_project(repo.root, os.environ)
    return find_governing(project, project.select(("adrs", "specs"), None), repo.root / below, name)


def reasons(repo: Repo, name: str) -> dict[str, list[tuple[str, str, str, int]]]:
    found = governing(repo, name).artifacts
    return {one.name: [tuple(reason) for reason in why] for one, why in found}


def test_a_pattern_governs_files_that_exist_and_that_do_not(repo: Repo) -> None:
    record = "docs/adrs/ADR-0007-outbox.md"
    for name in ("src/outbox/store.py", "src/outbox/new/thing.py"):
        assert reasons(repo, name)["ADR-0007"] == [("glob", "src/outbox/", record, 3)]
    assert reasons(repo, "README.md") == {}


def test_a_name_in_the_decision_governs(repo: Repo) -> None:
    path = "docs/adrs/ADR-0009-pages.md"
    text = (
        "# ADR-0009: Pages\n\n## Context\n\nSee `README.md`.\n\n## Decision\n\nPages are in `web/`"
    )
    repo.write(path, f"{text} in `web/` and `src/new.py`: `src/web/`.\n")
    for name, named in (("src/web/a.py", "src/web/"), ("src/new.py", "src/new.py")):
        assert reasons(repo, name)["ADR-0009"] == [("named", named, path, 9)]
    assert "ADR-0009" not in reasons(repo, "README.md")


def test_comments_come_before_patterns_and_records_in_force_before_others(repo: Repo) -> None:
    found = reasons(repo, "src/relay.py")
    assert list(found) == ["SPEC-0003", "ADR-0007", "ADR-0008"]
    assert found["SPEC-0003"] == [("comment", "Once", "src/relay.py", 1)]
    assert found["ADR-0007"] == [("symbol", "Relay.send", "src/relay.py", 5)]
    assert [kind for kind, *_ in found["ADR-0008"]] == ["glob"]


def test_a_rule_for_some_files_governs_them_while_its_record_is_in_force(repo: Repo) -> None:
    found = reasons(repo, "src/web/page.py")
    rule = ("rule", "forbid import requests", "docs/adrs/ADR-0007-outbox.md", 13)
    assert found["ADR-0007"] == [rule]
    assert [kind for kind, *_ in found["ADR-0008"]] == ["glob"]


def test_a_name_is_relative_to_the_directory(repo: Repo) -> None:
    assert governing(repo, "store.py", "src/outbox").path == "src/outbox/store.py"
    assert governing(repo, "../relay.py", "src/outbox").path == "src/relay.py"
    assert governing(repo, str(repo.root / "src/relay.py")).path == "src/relay.py"


@pytest.mark.parametrize("name", ["src", ".", "", "../x", "/etc/passwd", "src/../../x", "a\0b"])
def test_what_cannot_be_a_file_of_the_repository_is_an_error(repo: Repo, name: str) -> None:
    with pytest.raises(NotAFile) as raised:
        governing(repo, name)
    assert raised.value.exit_code == EXIT_USAGE
    assert "\n" not in str(raised.value)


def test_a_link_out_of_the_repository_is_not_read(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("# Governing: ADR-0007\n")
    (repo.root / "linked.py").symlink_to(tmp_path / "secret.py")
    assert reasons(repo, "linked.py") == {}


def test_a_name_that_is_too_long_governs_nothing(repo: Repo) -> None:
    assert governing(repo, "x" * 300).artifacts == ()
