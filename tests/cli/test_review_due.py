"""`sdd adr review-due`: decisions whose review is due, as lines and as issues."""

from __future__ import annotations

import json

import pytest

from tests.cli.commands import run
from tests.support.repos import Repo

RECORD = "---\nstatus: {}\n---\n# ADR-{:04d}: {}\n\n## Decision Outcome\n\nWe do.\n"
FILES = {
    ".gitignore": ".sdd/\n",
    "CLAUDE.md": "### SDD Configuration\n\n#### Tracker\n\n- **Type**: tasks.md\n",
    "docs/openspec/specs/mail/spec.md": "# SPEC-0001: Mail\n\n## Overview\n\nMail.\n",
    "docs/openspec/specs/mail/design.md": "# Design of SPEC-0001: Mail\n",
    "docs/openspec/specs/mail/tasks.md": "# Tasks: mail\n\n## 1. Send\n\n- [ ] 1.1 Send\n",
    "docs/adrs/ADR-0001-mail.md": RECORD.format("accepted\nreview-by: 2020-01-31", 1, "Mail"),
    "docs/adrs/ADR-0002-queue.md": RECORD.format("accepted\nexpires: 2020-02-29", 2, "Queue"),
    "docs/adrs/ADR-0003-cache.md": RECORD.format("accepted\nreview-by: 2999-01-01", 3, "Cache"),
    "docs/adrs/ADR-0004-old.md": RECORD.format("deprecated\nreview-by: 2020-01-31", 4, "Old"),
}
TASKS = "docs/openspec/specs/mail/tasks.md"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    return repo


def test_dates_that_have_passed_are_listed(shop: Repo) -> None:
    done = run(shop.root, "adr", "review-due")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "docs/adrs/ADR-0001-mail.md:3  info  the review of ADR-0001 was due on 2020-01-31: review"
        " it, and set the next date or say when it was reviewed",
        "docs/adrs/ADR-0002-queue.md:3  warning  ADR-0002 was valid until 2020-02-29 and is still"
        " in force: confirm it, supersede it, or set another date",
        "",
        "2 dates passed",
    ]


def test_the_list_as_json(shop: Repo) -> None:
    data = json.loads(run(shop.root, "adr", "review-due", "--json").out)
    assert data["schema_version"] == 1
    assert [(one["record"], one["line"], one["rule"]) for one in data["due"]] == [
        ("ADR-0001", 3, "stale-artifact/review-date"),
        ("ADR-0002", 3, "stale-artifact/expired"),
    ]
    assert data["issues"] == []


def test_nothing_is_due(repo: Repo) -> None:
    repo.commit("Start", {"docs/adrs/ADR-0001-a.md": RECORD.format("accepted", 1, "A")})
    assert run(repo.root, "adr", "review-due").out == "no decision is due for a review\n"


def test_each_date_gets_one_issue(shop: Repo) -> None:
    first = run(shop.root, "adr", "review-due", "--create", "--json")
    assert first.code == 0, first
    created = json.loads(first.out)["issues"]
    assert [(one["record"], one["created"]) for one in created] == [
        ("ADR-0001", True),
        ("ADR-0002", True),
    ]
    text = (shop.root / TASKS).read_text()
    assert "Review ADR-0001: Mail" in text
    assert "Confirm or replace ADR-0002: Queue" in text
    again = json.loads(run(shop.root, "adr", "review-due", "--create", "--json").out)["issues"]
    assert [(one["id"], one["created"]) for one in again] == [(one["id"], False) for one in created]
    assert (shop.root / TASKS).read_text() == text


def test_a_closed_issue_is_not_created_again_and_another_date_is_due_again(shop: Repo) -> None:
    run(shop.root, "adr", "review-due", "--create")
    tasks = shop.root / TASKS
    tasks.write_text(tasks.read_text().replace("- [ ]", "- [x]"))
    assert "created" not in run(shop.root, "adr", "review-due", "--create").out
    record = shop.root / "docs/adrs/ADR-0001-mail.md"
    record.write_text(record.read_text().replace("2020-01-31", "2021-01-31"))
    done = run(shop.root, "adr", "review-due", "--create")
    assert done.out.count("created: ") == 1
    assert tasks.read_text().count(". Review ADR-0001: Mail\n\n") == 2


def test_without_a_tracker_nothing_is_created(repo: Repo) -> None:
    repo.commit("Start", {path: text for path, text in FILES.items() if "ADR" in path})
    done = run(repo.root, "adr", "review-due", "--create")
    assert done.code != 0
    assert done.err.startswith("sdd: ")
    assert done.err.count("\n") == 1
