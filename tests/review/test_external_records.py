"""A review with decisions of other repositories, fetched from real servers of git."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.external.fetch import FetchOptions
from sdd_hooks.external.refresh import refresh_sources
from sdd_hooks.reporting.json import render_json
from sdd_hooks.reporting.markdown import render_markdown
from sdd_hooks.reporting.outcome import ReviewOutcome
from sdd_hooks.reporting.sarif import render_sarif
from sdd_hooks.reporting.terminal import render_terminal
from sdd_hooks.review.review import review_commits
from tests.support.external import NOW, Handbook, declaring, memory_file, record
from tests.support.repos import Repo

UNKNOWN = "acme/ADR-0009 does not exist: did you mean acme/ADR-0003, acme/ADR-0002, acme/ADR-0001?"


def fetch(repo: Repo, now: float = NOW) -> None:
    """Fetch what the work tree declares."""
    sources = repo.project().external.sources
    for one in refresh_sources(repo.repository, sources, FetchOptions(), lambda: now):
        assert not one.error


def review(repo: Repo, base: str, now: float = NOW) -> ReviewOutcome:
    """Review HEAD since `base`."""
    return review_commits(repo.project(), base, "HEAD", clock=lambda: now)


def findings(outcome: ReviewOutcome) -> list[tuple[str, str, int, str]]:
    found = (one.finding for one in outcome.findings)
    return [(one.rule, one.path, one.line, one.message) for one in found]


@pytest.fixture
def declared(handbook: Handbook, repo: Repo) -> Repo:
    """A repository that declares the handbook, has fetched it, and has a decision of its own."""
    declaring(repo, handbook.line)
    fetch(repo)
    return repo


def test_their_decisions_are_ranked_beside_those_of_this_repository(declared: Repo) -> None:
    base = declared.head()
    declared.commit(
        "Encrypt backups with age",
        {"src/backup.py": "def upload_backup(path):\n    encrypt_with_age(path)  # backup age\n"},
    )
    outcome = review(declared, base)
    ids = [one.id for one in outcome.references.ranked]
    assert sorted(ids) == ["ADR-0001", "acme/ADR-0001", "acme/ADR-0002", "acme/ADR-0003"]
    first = outcome.references.ranked[0]
    assert (first.id, first.origin) == ("acme/ADR-0003", "acme")
    assert first.path == "acme:docs/adr/0003-encrypt-backups.md"
    assert not outcome.notes
    for text in (
        render_json(outcome),
        render_sarif(outcome, ()),
        render_markdown(outcome),
        render_terminal(outcome, width=0, colour=False),
    ):
        assert "acme" in text or not outcome.references.suggested


def test_citations_of_both_repositories_are_told_apart(declared: Repo) -> None:
    base = declared.head()
    declared.commit(
        "Publish events",
        {
            "src/a.py": "# Governing: acme/ADR-0001 (events)\n",
            "src/b.py": "# Governing: ADR-0001\n",
            "src/c.py": "# Governing: ADR-0003\n",
            "src/d.py": "# Governing: acme/ADR-0009\n",
            "src/e.py": "# Governing: acme/handbook/ADR-0003, other/ADR-0001\n",
        },
    )
    outcome = review(declared, base)
    assert findings(outcome) == [
        (
            "dangling-reference",
            "src/c.py",
            1,
            "ADR-0003 does not exist: did you mean acme/ADR-0003, acme/ADR-0002, ADR-0001?",
        ),
        (
            "dangling-reference",
            "src/d.py",
            1,
            UNKNOWN,
        ),
    ]
    cited = {one.id for one in outcome.references.ranked if one.referenced}
    assert cited == {"ADR-0001", "acme/ADR-0001", "acme/ADR-0003"}


def test_a_message_cites_a_decision_of_another_repository(declared: Repo) -> None:
    base = declared.head()
    declared.commit("Publish events\n\nRefs: acme/ADR-0001", {"src/a.py": "publish(kafka)\n"})
    outcome = review(declared, base)
    assert not outcome.findings
    assert [one.id for one in outcome.references.ranked if one.referenced] == ["acme/ADR-0001"]


def test_a_superseded_decision_is_named_with_its_successor(declared: Repo) -> None:
    base = declared.head()
    declared.commit("Publish", {"src/a.py": "# Governing: acme/ADR-0002\n"})
    assert findings(review(declared, base)) == [
        (
            "superseded-reference",
            "src/a.py",
            1,
            "acme/ADR-0002 is superseded: see acme/ADR-0001 (Use Kafka for events) instead",
        )
    ]


def test_edges_lead_to_other_repositories(declared: Repo) -> None:
    base = declared.head()

    def extending(target: str) -> str:
        return f"---\nstatus: accepted\nextends: [{target}]\n---\n" + record(
            "ADR-0002: Log events", "We log each event."
        )

    declared.commit("Decide", {"docs/adrs/ADR-0002-log-events.md": extending("acme/ADR-0001")})
    assert not review(declared, base).findings
    declared.commit("Decide", {"docs/adrs/ADR-0002-log-events.md": extending("acme/ADR-0009")})
    ((rule, path, line, message),) = findings(review(declared, base))
    assert (rule, path, line) == ("frontmatter/unknown-id", "docs/adrs/ADR-0002-log-events.md", 3)
    assert message.startswith("ADR-0002 extends acme/ADR-0009, which does not exist")


def test_the_same_number_is_no_duplicate(declared: Repo) -> None:
    base = declared.head()
    text = record("ADR-0003: Rotate logs", "We rotate logs each day.")
    declared.commit("Decide", {"docs/adrs/ADR-0003-rotate.md": text})
    assert not review(declared, base).findings


def test_a_change_of_the_line_is_not_used_before_it_is_at_the_base(
    handbook: Handbook, repo: Repo
) -> None:
    declaring(repo)
    base = repo.head()
    repo.commit("Declare", {"CLAUDE.md": memory_file(handbook.line)})
    fetch(repo)
    repo.commit("Cite", {"src/a.py": "# Governing: acme/ADR-0009\n"})
    outcome = review(repo, base)
    assert [one.id for one in outcome.references.ranked] == ["ADR-0001"]
    # At the base, the id is one of this repository.
    assert [message for *_, message in findings(outcome)] == [
        "ADR-0009 does not exist: did you mean ADR-0001?"
    ]


def test_a_removed_line_still_counts(declared: Repo) -> None:
    base = declared.head()
    declared.commit("Remove", {"CLAUDE.md": memory_file(), "a.py": "# Governing: acme/ADR-0009\n"})
    assert [message for *_, message in findings(review(declared, base))] == [UNKNOWN]


def test_what_was_not_fetched_is_said_and_not_guessed(handbook: Handbook, repo: Repo) -> None:
    base = declaring(repo, handbook.line).head()
    repo.commit("Cite", {"src/a.py": "# Governing: acme/ADR-0009, acme/ADR-0001\n"})
    outcome = review(repo, base)
    assert not outcome.findings
    assert outcome.notes == (
        f"not read: the decisions of acme ({handbook.url}), which were not fetched:"
        " `sdd index update` fetches them",
    )


def test_the_age_of_what_was_fetched_is_said(handbook: Handbook, declared: Repo) -> None:
    base = declared.head()
    declared.commit("Change", {"a.py": "a = 1\n"})
    assert review(declared, base, NOW + 80_000).notes == ()
    assert review(declared, base, NOW + 3 * 86_400).notes == (
        f"the decisions of acme ({handbook.url}) were fetched 3 days ago:"
        " `sdd index update` fetches them",
    )


RULE = """
```sdd-rule
forbid import: pika
message: Events go to Kafka.
severity: MUST
```
"""


@pytest.mark.parametrize("trusted", [False, True])
def test_their_rules_run_only_where_the_base_trusts_them(
    handbook: Handbook, repo: Repo, trusted: bool
) -> None:
    text = record("ADR-0004: Forbid pika", "We do not use pika.") + RULE
    handbook.publish({"docs/adr/0004-forbid-pika.md": text})
    lines = (handbook.line, *(["  - **Trust**: rules"] if trusted else []))
    base = declaring(repo, *lines).head()
    fetch(repo)
    # The change cannot give itself the trust.
    trusting = memory_file(handbook.line, "  - **Trust**: rules")
    repo.commit("Change", {"CLAUDE.md": trusting, "src/a.py": "import pika\n"})
    expected = (
        "acme/ADR-0004 forbids the import of pika: Events go to Kafka"
        " (acme:docs/adr/0004-forbid-pika.md:12)"
    )
    messages = [message for *_, message in findings(review(repo, base))]
    assert messages == ([expected] if trusted else [])


def test_two_repositories_with_one_owner_have_longer_names(
    handbook: Handbook, repo: Repo, tmp_path: Path
) -> None:
    rfcs = Handbook(
        Repo.init(tmp_path / "work" / "rfcs"), handbook.base, handbook.address, "acme/rfcs"
    )
    rfcs.publish({"adr/0001-x.md": record("ADR-0001: Review each change", "We review.")})
    base = declaring(repo, handbook.line, rfcs.line).head()
    fetch(repo)
    repo.commit(
        "Cite",
        {"a.py": "# Governing: acme/rfcs/ADR-0001, acme/handbook/ADR-0002, acme/ADR-0001\n"},
    )
    outcome = review(repo, base)
    ids = {one.id for one in outcome.references.ranked}
    assert {"acme/rfcs/ADR-0001", "acme/handbook/ADR-0001", "ADR-0001"} <= ids
    messages = [message for *_, message in findings(outcome)]
    assert any(text.startswith("acme/ADR-0001 does not exist") for text in messages)
    assert any("acme/handbook/ADR-0002 is superseded" in text for text in messages)


def test_a_damaged_snapshot_counts_as_none(handbook: Handbook, declared: Repo) -> None:
    base = declared.head()
    declared.commit("Change", {"a.py": "a = 1\n"})
    for pack in (declared.root / ".git/sdd/records").rglob("*.pack"):
        pack.chmod(0o644)
        pack.write_bytes(b"damaged")
    assert [note[:9] for note in review(declared, base).notes] == ["not read:"]
    fetch(declared)
    assert not review(declared, base).notes
    (state,) = (declared.root / ".git/sdd/records").rglob("state.json")
    state.write_text('{"commit": "../../../x", "fetched": 1}')
    assert [note[:9] for note in review(declared, base).notes] == ["not read:"]
    fetch(declared)
    assert not review(declared, base).notes
