"""The work tree is the subject of the rules of a review: every file in scope is added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sdd_hooks.drift.whole_tree import Scope, whole_tree_rules, whole_tree_subject
from sdd_hooks.review.apply_rules import RuleResults, apply_rules
from sdd_hooks.review.rules import own
from tests.review.repositories import MEMORY_TEXT
from tests.support.repos import Repo

RULED = """# ADR-0001: One store

- Status: accepted

## Decision Outcome

```sdd-rule
forbid import: sqlite3
in: src/**
severity: MUST
```
"""
OLD = "# ADR-0002: Old\n\n- Status: superseded by ADR-0001\n\n## Decision Outcome\n\nOld.\n"
FILES = {
    "CLAUDE.md": MEMORY_TEXT,
    "docs/adrs/ADR-0001-store.md": RULED,
    "docs/adrs/ADR-0002-old.md": OLD,
    "docs/openspec/specs/a/spec.md": "# SPEC-0001: A\n",
    "src/a.py": "# Governing: ADR-0002\nimport sqlite3\n",
    "src/b.py": "# Governing: ADR-0009\n",
}


def check(repo: Repo, *paths: str, files: Mapping[str, str] = FILES) -> RuleResults:
    for path, text in files.items():
        repo.write(path, text)
    subject = whole_tree_subject(repo.project(), Scope(paths or ("",)))
    return apply_rules(subject, whole_tree_rules(own()))


def found(results: RuleResults) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in results.findings]


def test_rules_on_added_lines_find_what_the_work_tree_has(repo: Repo) -> None:
    assert found(check(repo)) == [
        ("decision-rule/ADR-0001", "src/a.py"),
        ("dangling-reference", "src/b.py"),
        ("spec-pair", "docs/openspec/specs/a/spec.md"),
        ("superseded-reference", "src/a.py"),
    ]


def test_a_record_out_of_scope_counts_for_the_files_in_scope(repo: Repo) -> None:
    assert found(check(repo, "src/a.py")) == [
        ("decision-rule/ADR-0001", "src/a.py"),
        ("superseded-reference", "src/a.py"),
    ]
    assert found(check(repo, "docs")) == [("spec-pair", "docs/openspec/specs/a/spec.md")]


def test_rules_about_history_do_not_run() -> None:
    history = {rule.id for rule in own()} - {rule.id for rule in whole_tree_rules(own())}
    assert history == {"accepted-decision", "duplicate-number"}


def test_two_records_with_one_number_are_found(repo: Repo) -> None:
    files = {**FILES, "docs/adrs/ADR-0001-other.md": "# ADR-0001: Other\n\n- Status: accepted\n"}
    assert ("frontmatter/duplicate-id", "docs/adrs/ADR-0001-other.md") in found(
        check(repo, "docs/adrs", files=files)
    )


def test_every_suppression_with_a_reason_takes_effect(repo: Repo) -> None:
    repo.write("src/a.py", "import sqlite3  # sdd-ignore: decision-rule (a migration)\n")
    files = {path: text for path, text in FILES.items() if not path.startswith("src/")}
    results = check(repo, files=files)
    assert found(results) == [("spec-pair", "docs/openspec/specs/a/spec.md")]
    assert [one.reason for one in results.suppressed] == ["a migration"]
    strict = whole_tree_subject(repo.project(), Scope())
    strict = replace(strict, settings=strict.settings._replace(suppressions="base"))
    assert len(apply_rules(strict, whole_tree_rules(own())).suppressed) == 1


def test_a_text_that_is_too_large_is_not_checked_and_binary_files_are_left_out(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("src/large.py", "x = 1\n" * ((8 << 20) // 6 + 1))
    repo.write("src/data.bin", b"\0" * 9_000_000)
    results = check(repo, "src/large.py", "src/data.bin", files={"CLAUDE.md": MEMORY_TEXT})
    assert [(one.rule, one.path, one.message) for one in results.findings] == [
        ("incomplete", "src/large.py", "not checked: a file of more than 8 MB: divide it")
    ]


def test_a_governing_comment_in_a_string_is_an_example(repo: Repo) -> None:
    quoted = '"""Read comments.\n\n    # Governing: ADR-0009 (why), ADR-0002\n"""\n'
    files = {**FILES, "src/a.py": quoted, "src/b.py": quoted + "# Governing: ADR-0009\n"}
    assert found(check(repo, "src", files=files)) == [("dangling-reference", "src/b.py")]
    stated = '"""Read comments.\n\nGoverning: ADR-0009\n"""\n'
    assert found(check(repo, "src/a.py", files={**files, "src/a.py": stated})) == [
        ("dangling-reference", "src/a.py")
    ]


def test_of_a_record_only_what_is_certain_is_found(repo: Repo) -> None:
    record = "# ADR-000{}: A\n\n- Status: {}\n\n{}"
    decided = "## Decision Outcome\n\nA.\n"
    frontmatter = "---\nrelated: [src/a.py, a-slug, ADR-12x]\n---\n"
    files = {
        "docs/adrs/0001-note.md": record.format(1, "tried out", ""),
        "docs/adrs/0002-a.md": record.format(2, "tried out", decided),
        "docs/adrs/0003-b.md": record.format(3, "accepted", decided),
        "docs/adrs/0003-c.md": record.format(3, "accepted", decided),
        "docs/adrs/web/0003-d.md": record.format(3, "accepted", decided),
        "docs/adrs/0004-e.md": frontmatter + record.format(4, "accepted", decided),
    }

    results = check(repo, files={"CLAUDE.md": MEMORY_TEXT, **files})

    assert sorted(found(results)) == [
        ("frontmatter/duplicate-id", "docs/adrs/0003-b.md"),
        ("frontmatter/duplicate-id", "docs/adrs/0003-c.md"),
        ("frontmatter/unknown-status", "docs/adrs/0002-a.md"),
        ("frontmatter/unreadable-id", "docs/adrs/0004-e.md"),
    ]
    by_rule = {one.rule: one.message for one in results.findings}
    assert "web/" not in by_rule["frontmatter/duplicate-id"]
    assert "ADR-12x" in by_rule["frontmatter/unreadable-id"]


def test_edges_to_records_that_are_kept_elsewhere(repo: Repo) -> None:
    def unknown(count: int) -> int:
        related = ", ".join(f"ADR-00{20 + number}" for number in range(count))
        record = f"---\nstatus: accepted\nrelated: [{related}]\n---\n# ADR-0001: One\n"
        files = {"CLAUDE.md": MEMORY_TEXT, "docs/adrs/ADR-0001-one.md": record}
        return len(found(check(repo, files=files)))

    assert (unknown(5), unknown(6)) == (5, 0)
