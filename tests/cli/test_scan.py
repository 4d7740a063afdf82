"""`--scan` of check, audit and review, and the input `scan` of a job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.reporting.registry import FORMATS
from tests.cli.commands import run
from tests.reporting.page.pages import opened
from tests.reporting.test_json import VALIDATOR
from tests.support.repos import Repo
from tests.support.sarif import result, sarif

DECISION = """---
status: accepted
date: 2026-01-05
applies-to:
  - src/
---

# ADR-0001: Limit bodies

## Decision

Bodies MUST have a limit.
"""
RULE = "security/semgrep/body"
FILES = {
    ".gitignore": ".sdd/\n*.sarif\n",
    "docs/adrs/ADR-0001-limit-bodies.md": DECISION,
    "src/api.py": "read(body)\nwrite(body)\n",
    "web/page.html": "<p>\n",
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", FILES)
    page = result("web/page.html", 1, "form", properties={"tags": ["templates"]})
    repo.write("out.sarif", sarif(result("src/api.py", 1, "body", level="error"), page))
    assert run(repo.root, "index").code == 0
    return repo


def report(repo: Repo, *args: str, code: int = 0) -> dict[str, Any]:
    done = run(repo.root, *args, "--json", "--fail-on", "critical")
    assert done.code == code, done
    document = json.loads(done.out)
    if "audit" not in document:
        VALIDATOR.validate(document)
    assert isinstance(document, dict)
    return document


def scanned(document: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [
        (one["rule"], one["path"], one["line"])
        for one in document["findings"]
        if one["rule"].startswith(("security", "template", "incomplete"))
    ]


BOTH = [(RULE, "src/api.py", 1), ("template/semgrep/form", "web/page.html", 1)]


def test_a_check_has_the_results_in_its_target(shop: Repo) -> None:
    scan = ("--scan", "out.sarif")
    assert scanned(report(shop, "check", *scan, code=1)) == BOTH
    assert scanned(report(shop, "check", "web", *scan)) == BOTH[1:]
    # The message names the decision.
    assert scanned(report(shop, "check", "ADR-0001", *scan, code=0)) == []
    shop.write("src/api.py", "# Governing: ADR-0001\nread(body)\n")
    assert scanned(report(shop, "check", "ADR-0001", *scan, code=1)) == BOTH[:1]


def test_a_file_is_relative_to_the_directory_of_the_command(shop: Repo) -> None:
    done = run(shop.root / "src", "check", "--scan", "../out.sarif", "--json")
    assert scanned(json.loads(done.out)) == BOTH


def test_what_cannot_be_read_fails_and_the_rest_is_there(shop: Repo) -> None:
    document = report(shop, "check", "--scan", "none.sarif", "--scan", "out.sarif", code=1)
    assert scanned(document) == [("incomplete", "", 0), *BOTH]
    record = report(shop, "check", "ADR-0001", "--scan", "none.sarif", code=1)
    assert scanned(record) == [("incomplete", "", 0)]


def test_an_audit_has_them_in_their_categories_beside_the_decision(shop: Repo) -> None:
    document = report(shop, "audit", "--scan", "out.sarif", code=1)
    rows = {
        one["id"]: [row["record"] for row in one["findings"]]
        for one in document["audit"]["categories"]
    }
    assert (rows["security"], rows["templates"]) == (["ADR-0001"], [""])


def test_the_page_has_them_beside_the_decision(shop: Repo) -> None:
    run(shop.root, "audit", "--scan", "out.sarif", "--html", "site")
    page = (shop.root / "site/index.html").read_text(encoding="utf-8")
    data = opened(page)
    numbers = data["artifacts"][0]["findings"]
    assert RULE in [data["findings"][number][1] for number in numbers]


def test_a_baseline_knows_them_until_their_scanner_has_none(shop: Repo) -> None:
    known = ("audit", "--baseline", "known.json")
    run(shop.root, *known, "--scan", "out.sarif", "--write-baseline")
    assert scanned(report(shop, *known, "--scan", "out.sarif")) == []
    # Without a scanner, nothing is known about what it found.
    assert not [one for one in report(shop, *known)["findings"] if one["rule"] == "stale-baseline"]
    shop.write("out.sarif", sarif())
    stale = report(shop, *known, "--scan", "out.sarif")["findings"]
    assert [one["rule"] for one in stale].count("stale-baseline") == 2


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_has_them(shop: Repo, form: str) -> None:
    done = run(shop.root, "check", "--scan", "out.sarif", "--format", form)
    assert "body" in done.out
    assert "api.py" in done.out


def test_a_review_has_those_on_changed_lines(shop: Repo) -> None:
    shop.write("src/api.py", "read(body)\nwrite(body, 3)\n")
    shop.git("add", "src/api.py")
    shop.write("out.sarif", sarif(*(result("src/api.py", line, f"r{line}") for line in (1, 2))))
    expected = [("security/semgrep/r2", "src/api.py", 2)]
    assert scanned(report(shop, "review", "--staged", "--scan", "out.sarif")) == expected
    shop.git("commit", "--quiet", "--message", "Limit")
    assert scanned(report(shop, "review", "--base", "HEAD~1", "--scan", "out.sarif")) == expected


def test_pull_requests_are_reviewed_without(shop: Repo) -> None:
    done = run(shop.root, "review", "12", "--scan", "out.sarif")
    assert done.code == 2
    assert "only --merge" in done.err


def test_a_job_has_results_of_two_scanners(shop: Repo, tmp_path: Path) -> None:
    # SPEC-0012 "Results of two scanners"
    shop.write("src/api.py", "read(body)\nwrite(body, 3)\n")
    shop.commit("Limit")
    shop.write("one.sarif", sarif(result("src/api.py", 2), tool="One"))
    shop.write("two.sarif", sarif(result("src/api.py", 2), tool="Two"))
    target = tmp_path / "report.json"
    env = {"SDD_SCAN": "one.sarif\ntwo.sarif\n", "SDD_BASE": "HEAD~1", "SDD_REPORT": str(target)}
    assert run(shop.root, "ci", "review", env=env).code == 0
    assert [rule for rule, *_ in scanned(json.loads(target.read_text()))] == [
        "security/one/eval",
        "security/two/eval",
    ]
