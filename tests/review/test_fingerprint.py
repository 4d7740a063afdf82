"""Fingerprints of the findings of rules, before and after a rebase."""

from __future__ import annotations

from sdd_hooks.changes.diff import read_change
from sdd_hooks.findings import identify_findings
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.review import subject_of
from sdd_hooks.review.rules import own
from tests.review.rules.records import adr
from tests.support.repos import Repo

CONFLICT = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"


def test_a_rebase_and_new_lines_above_keep_the_fingerprints(repo: Repo) -> None:
    path = next(iter(adr(1)))
    repo.write("CLAUDE.md", "## Architecture Context\n\n- ADRs are in `docs/adrs/`\n")
    repo.write(path, adr(1)[path])
    repo.write("a.py", "one\ntwo\n")
    base = repo.commit("Base")
    repo.git("switch", "--quiet", "--create", "topic")
    repo.write("a.py", "one\ntwo\n# Governing: ADR-0099\n" + CONFLICT)
    repo.commit("Topic\n\nBy ADR-0098.")

    def fingerprints(base: str) -> list[tuple[str, str, int]]:
        change = read_change(repo.handle, base, "topic")
        subject = subject_of(repo.project(), change)
        results = apply_rules(subject, own())
        assert results.notes == ()
        return [
            (finding.finding.rule, finding.fingerprint, finding.finding.line)
            for finding in identify_findings(results.findings, change.added_lines())
        ]

    before = fingerprints(base)
    repo.git("switch", "--quiet", "main")
    repo.write("a.py", "zero\n\none\ntwo\n")
    moved = repo.commit("Main goes on")
    repo.git("switch", "--quiet", "topic")
    repo.git("rebase", "--quiet", "main")
    after = fingerprints(moved)

    assert [finding[:2] for finding in before] == [finding[:2] for finding in after]
    assert [finding[2] for finding in before] == [3, 4, 0]
    assert [finding[2] for finding in after] == [5, 6, 0]
