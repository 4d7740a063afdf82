"""`sdd review` of pull requests as a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.cli.review.batch import ReviewTarget, parse_targets
from tests.cli.commands import run
from tests.support.loopback import CannedResponse
from tests.support.sprint_sites import SPEC, SprintSite, sprint_site
from tests.usecases.sprint.test_review_pulls import index, propose


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SprintSite]:
    with sprint_site("github", tmp_path) as found:
        index(found)
        yield found


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ((), ReviewTarget()),
        (("main..HEAD",), ReviewTarget(("main", "HEAD"))),
        (("12..",), ReviewTarget(("12", ""))),
        (("main...topic",), ReviewTarget(("main", "topic"))),
        (("SPEC-0003..HEAD",), ReviewTarget(("SPEC-0003", "HEAD"))),
        (("12", "#13"), ReviewTarget(numbers=(12, 13))),
        (("spec-0003", "12"), ReviewTarget(numbers=(12,), specs=("SPEC-0003",))),
    ],
)
def test_arguments(values: tuple[str, ...], target: ReviewTarget) -> None:
    assert parse_targets(values) == target


@pytest.mark.parametrize(
    "values", [("main..", "12"), ("a..b", "c..d"), ("main",), ("0",), ("ADR-0001",), ("1" * 12,)]
)
def test_refused_arguments(values: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError):
        parse_targets(values)


@given(st.lists(st.text(max_size=12), max_size=3))
def test_any_arguments(values: list[str]) -> None:
    try:
        target = parse_targets(values)
    except click.UsageError:
        return
    assert not (target.is_batch and any(target.commits))


def test_a_report_and_a_merge(site: SprintSite) -> None:
    first = propose(site, "first", {"shared": "1\n"}, f"For {SPEC}")
    second = propose(site, "second", {"shared": "2\n", "more": "1"}, f"For {SPEC}")
    site.host.check(first, lint="success")
    site.host.check(second, lint="failure")
    done = run(site.repo.root, "review", SPEC, env=site.environ)
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if "see also" not in line]
    assert lines == [
        "tier 1",
        f"  {first} Change first (checks passed)",
        f"    overlaps with {second}: shared",
        "tier 2",
        f"  {second} Change second (checks failed: lint)",
        f"    overlaps with {first}: shared",
    ]
    merged = run(site.repo.root, "review", SPEC, "--merge", "--json", env=site.environ)
    assert merged.code == 1
    assert merged.json["merge"] == {
        "dry_run": False,
        "merged": [first],
        "not_merged": [{"number": second, "reason": "checks failed: lint"}],
        "not_reached": [],
        "closed_issues": [],
    }
    assert merged.json["order"]["tiers"] == [[first], [second]]


def test_a_missing_reference_is_asked_for(site: SprintSite) -> None:
    record = (
        "---\nstatus: accepted\n---\n\n# ADR-0011: Authenticate with signed JWT session tokens\n\n"
        "## Decision Outcome\n\nEvery request in shop/auth/tokens.py verifies a signed JWT session"
        " token before a handler runs.\n"
    )
    code = "# Governing: ADR-0011 (JWT session tokens)\n\ndef verify_token(token):\n    return 1\n"
    site.repo.commit(
        "Authenticate with JWT session tokens (ADR-0011)",
        {"docs/adrs/ADR-0011-jwt-session-tokens.md": record, "shop/auth/tokens.py": code},
    )
    site.repo.git("push", "--quiet", str(site.bare), "main")
    changed = code.replace("return 1", "return jwt_session(token)")
    number = propose(site, "auth", {"shop/auth/tokens.py": changed}, "Verify tokens faster")
    changed = changed.replace("# Governing: ADR-0011 (JWT session tokens)\n\n", "")
    other = propose(site, "auth2", {"shop/auth/tokens.py": changed}, "Verify JWT session tokens")
    index(site)
    found = run(site.repo.root, "review", str(number), str(other), env=site.environ)
    assert "    Should this PR reference ADR-0011? (Authenticate" in found.out
    assert "Decision Outcome, docs/adrs/ADR-0011-jwt-session-tokens.md:" in found.out


def test_options_that_do_not_fit(site: SprintSite) -> None:
    for arguments in (("12", "--base", "main"), ("12", "--format", "sarif"), ("--merge",),
                      ("12", "--dry-run"), ("main..HEAD", "--merge"), ("12", "--staged"),
                      ):  # fmt: skip
        assert run(site.repo.root, "review", *arguments, env=site.environ).code == 2


def test_without_an_index_and_without_a_forge(tmp_path: Path) -> None:
    with sprint_site("github", tmp_path) as site:
        done = run(site.repo.root, "review", "12", env=site.environ)
        assert (done.code, done.err) == (
            4, "sdd: No collections found for shop. Run `sdd index` first.\n",
        )  # fmt: skip
        site.repo.git("remote", "remove", "origin")
        memory = site.repo.root / "CLAUDE.md"
        memory.write_text(memory.read_text().replace("Type**: github", "Type**: none"))
        done = run(site.repo.root, "review", "12", env=site.environ)
        assert done.code == 1
        assert "no forge is known for `origin`" in done.err


def test_a_review_of_commits_syncs_issues_that_were_synced_before(site: SprintSite) -> None:
    """Tier 4; a repository whose issues were never synced is not asked for them."""
    site.add("Sessions expire", SPEC)
    site.repo.commit("Change", {"shop/sessions.py": "changed = 1\n"})
    site.server.requests.clear()
    done = run(site.repo.root, "review", "HEAD~1..HEAD", env=site.environ)
    assert (done.code, done.err, site.server.requests) == (0, "", [])
    run(site.repo.root, "issues", "sync", env=site.environ)
    meta = site.repo.root / ".sdd/issues/_meta.json"
    _age(meta)
    done = run(site.repo.root, "review", "HEAD~1..HEAD", env=site.environ)
    assert (done.code, done.err) == (0, "note: Syncing 1 issues from GitHub…\n")
    again = run(site.repo.root, "--verbose", "review", "HEAD~1..HEAD", env=site.environ)
    assert "Syncing" not in again.err
    _age(meta)
    site.server.faults.append(lambda _request: CannedResponse(403, {"message": "no"}))
    done = run(site.repo.root, "review", "HEAD~1..HEAD", env=site.environ)
    warning = "Issues sync failed — degrading to live tracker queries for this run"
    assert (done.code, done.err) == (0, f"warning: {warning}\n")


def _age(meta: Path) -> None:
    """Make the last sync an old one, in a file without a digest."""
    old = '"last_sync":"2026-01-01T00:00:00Z"'
    text = re.sub(r',"digest":"[^"]*"', "", meta.read_text())
    meta.write_text(re.sub(r'"last_sync":"[^"]*"', old, text))
