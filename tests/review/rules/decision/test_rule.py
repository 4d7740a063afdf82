"""Rules of decisions, applied to commits of real repositories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.changes.diff import read_staged
from sdd_hooks.changes.tree import Tree
from sdd_hooks.findings import INCOMPLETE, Finding
from sdd_hooks.review.apply_rules import apply_rules
from sdd_hooks.review.review import subject_of as subject_of_project
from sdd_hooks.review.rules.decision.rule import RULE
from sdd_hooks.review.subject import Subject
from sdd_hooks.system.git import GitError
from tests.review.repositories import Files, staged_subject_of, subject_of
from tests.support.cpu_time import assert_cpu_seconds
from tests.support.repos import Repo

ADR = "docs/adrs/ADR-0011-storage.md"
NO_EVAL = "forbid regex: \\beval\\("


def adr(*lines: str, status: str = "accepted", number: int = 11, more: str = "") -> str:
    block = "\n".join(["```sdd-rule", *lines, "```", ""]) if lines else ""
    return f"---\nstatus: {status}\n{more}---\n\n# ADR-{number:04d}: Storage\n\n{block}"


def check(subject: Subject) -> list[Finding]:
    return sorted(RULE.check(subject))


def places(tmp_path: Path, before: Mapping[str, str | bytes], after: Files) -> list[str]:
    return describe(check(subject_of(tmp_path, before, after)))


def describe(findings: list[Finding]) -> list[str]:
    return [
        f"{finding.path}:{finding.line} {finding.rule.removeprefix('decision-rule/')}"
        for finding in findings
    ]


def test_a_forbidden_import_names_the_decision(tmp_path: Path) -> None:
    record = adr(
        "forbid import: sqlalchemy",
        "in: src/**",
        "except: src/storage/**",
        "message: All SQL goes through storage.",
        "severity: MUST",
    )
    after = {
        "src/a.py": "import os\nfrom sqlalchemy.orm import Session\n",
        "src/storage/b.py": "import sqlalchemy\n",
        "lib/c.py": "import sqlalchemy\n",
    }
    assert check(subject_of(tmp_path, {ADR: record}, after)) == [
        Finding(
            "src/a.py",
            2,
            "decision-rule/ADR-0011",
            "critical",
            f"ADR-0011 forbids the import of sqlalchemy: All SQL goes through storage ({ADR}:8)",
            "from sqlalchemy.orm import Session",
        )
    ]


def test_only_added_lines_are_searched(tmp_path: Path) -> None:
    before = {ADR: adr(NO_EVAL), "a.py": "eval(1)\n\n\n\nx\n"}
    assert places(tmp_path, before, {"a.py": "eval(1)\n\n\n\ny\neval(2)\n"}) == ["a.py:6 ADR-0011"]


def test_staged_lines_are_searched(tmp_path: Path) -> None:
    subject = staged_subject_of(tmp_path, {ADR: adr(NO_EVAL)}, {"a.py": "eval(1)\n"})
    assert [finding.path for finding in check(subject)] == ["a.py"]


def test_the_first_commit_is_searched(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path)
    repo.write("CLAUDE.md", "## Architecture Context\n\n- Decision Records are in `docs/adrs/`\n")
    repo.write(ADR, adr(NO_EVAL))
    repo.write("a.py", "eval(1)\n")
    repo.git("add", "--all")
    subject = subject_of_project(repo.project(), read_staged(repo.handle))
    assert [finding.path for finding in check(subject)] == ["a.py"]


def test_no_setting_or_attribute_hides_a_rule(tmp_path: Path) -> None:
    before = {ADR: adr(NO_EVAL), ".gitattributes": "*.md binary -text diff=x\n"}
    subject = subject_of(tmp_path, before, {"a.py": "eval(1)\n"})
    for key, value in (
        ("color.ui", "always"),
        ("grep.patternType", "perl"),
        ("grep.fullName", "1"),
    ):
        Repo(subject.before.root).git("config", key, value)
    assert [finding.path for finding in check(subject)] == ["a.py"]


def test_a_base_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, {ADR: adr(NO_EVAL)}, {"a.py": "eval(1)\n"})
    gone = replace(subject, before=Tree(subject.before.git, "1" * 40))
    with pytest.raises(GitError, match="git grep"):
        check(gone)


def test_records_are_searched_only_with_an_explicit_glob(tmp_path: Path) -> None:
    after = {"docs/adrs/ADR-0012-x.md": "# ADR-0012: X\n\nNever eval(x).\n", "b.md": "eval(x)\n"}
    assert places(tmp_path / "1", {ADR: adr(NO_EVAL)}, after) == ["b.md:1 ADR-0011"]
    within = adr(NO_EVAL, "in: docs/")
    findings = places(tmp_path / "2", {ADR: within}, after)
    assert findings == ["docs/adrs/ADR-0012-x.md:3 ADR-0011"]


def test_only_a_new_dependency_is_found(tmp_path: Path) -> None:
    package = '{\n  "dependencies": {\n    "moment": "1",\n    "left-pad": "1"\n  }\n}\n'
    before = {ADR: adr("forbid dependency: moment, dayjs"), "package.json": package}
    bumped = package.replace('"moment": "1"', '"moment": "2"')
    assert places(tmp_path / "1", before, {"package.json": bumped}) == []
    added = package.replace('"left-pad"', '"dayjs"')
    assert places(tmp_path / "2", before, {"package.json": added}) == ["package.json:4 ADR-0011"]
    moved = {"package.json": None, "web/package.json": bumped}
    assert places(tmp_path / "3", before, moved) == []
    other = {"other/package.json": package}
    assert places(tmp_path / "4", before, other) == ["other/package.json:3 ADR-0011"]


@pytest.mark.parametrize(
    ("lines", "after", "expected"),
    [
        (
            ["require regex: ^# SPDX", "in: '*.py'"],
            {"a.py": "x = 1\n", "b.py": "x = 1\n# SPDX\n", "c.js": "x\n", "empty.py": ""},
            ["a.py:0 ADR-0011"],
        ),
        (
            ["require import: structlog", "in: src/"],
            {
                "src/a.py": "import logging\n",
                "src/b.py": "import structlog as s\n",
                "src/c.md": "x",
            },
            ["src/a.py:0 ADR-0011"],
        ),
        (
            ["require dependency: a, b"],
            {"package.json": '{"dependencies": {"a": "1"}}', "x/package.json": "{}", "a.py": "x"},
            ["package.json:0 ADR-0011", *["x/package.json:0 ADR-0011"] * 2],
        ),
    ],
)
def test_a_requirement_is_searched_in_the_whole_file(
    tmp_path: Path, lines: list[str], after: Files, expected: list[str]
) -> None:
    assert places(tmp_path, {ADR: adr(*lines), "untouched.py": "x\n"}, after) == expected


@pytest.mark.parametrize("status", ["superseded", "deprecated", "rejected"])
def test_a_record_that_is_not_in_force_forbids_nothing(tmp_path: Path, status: str) -> None:
    before = {ADR: adr(NO_EVAL, status=status)}
    assert places(tmp_path, before, {"a.py": "eval(1)\n"}) == []


def test_a_new_record_applies_to_its_own_change(tmp_path: Path) -> None:
    after = {ADR: adr(NO_EVAL), "a.py": "eval(1)\n"}
    assert places(tmp_path, {}, after) == ["a.py:1 ADR-0011"]


CHANGED = f"{ADR}:0 changed"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({ADR: adr()}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: None}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, "except: a.py")}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, "severity: MAY")}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, status="deprecated")}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, status="superseded by ADR-0099")}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, status="superseded by ADR-0011")}, ["a.py:1 ADR-0011", CHANGED]),
        (
            {
                ADR: adr(NO_EVAL, status="superseded by ADR-0012"),
                "docs/adrs/ADR-0012-x.md": adr(number=12, status="rejected"),
            },
            ["a.py:1 ADR-0011", CHANGED],
        ),
        ({ADR: adr("(broken", NO_EVAL)}, ["a.py:1 ADR-0011", CHANGED, f"{ADR}:8 unreadable"]),
        ({ADR: "x\n"}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: adr(NO_EVAL, "message: Say it better.") + "More.\n"}, ["a.py:1 ADR-0011"]),
        (
            {ADR: None, "docs/adrs/ADR-0011-other.md": adr(NO_EVAL, "except: a.py")},
            ["a.py:1 ADR-0011", "docs/adrs/ADR-0011-other.md:0 changed"],
        ),
        ({ADR: None, "docs/adrs/ADR-0011-other.md": adr(NO_EVAL)}, ["a.py:1 ADR-0011"]),
        ({ADR: None, "old/storage.txt": adr(NO_EVAL)}, ["a.py:1 ADR-0011", CHANGED]),
        (
            {
                ADR: adr(NO_EVAL, status="superseded"),
                "docs/adrs/ADR-0012-x.md": adr(number=12, more="supersedes: [ADR-0011]\n"),
            },
            [],
        ),
        (
            {
                ADR: adr(NO_EVAL, status="superseded by ADR-0012"),
                "docs/adrs/ADR-0012-x.md": adr(number=12),
            },
            [],
        ),
    ],
)
def test_the_rules_of_the_base_apply_to_a_change(
    tmp_path: Path, after: dict[str, str | None], expected: list[str]
) -> None:
    assert places(tmp_path, {ADR: adr(NO_EVAL)}, {**after, "a.py": "eval(1)\n"}) == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({}, ["a.py:1 ADR-0011"]),
        ({ADR: adr()}, ["a.py:1 ADR-0011", CHANGED]),
        ({ADR: None, "docs/decisions/ADR-0011-storage.md": adr(NO_EVAL)}, ["a.py:1 ADR-0011"]),
    ],
)
def test_a_change_cannot_undeclare_records(
    tmp_path: Path, after: dict[str, str | None], expected: list[str]
) -> None:
    declared = "## Architecture Context\n\n- Architecture Decision Records are in `{}`\n"
    before = {
        "CLAUDE.md": declared.format("docs/adrs/"),
        ADR: adr(NO_EVAL),
        "tests/adrs/ADR-0012-fixture.md": adr("forbid regex: .", number=12),
    }
    change = {**after, "CLAUDE.md": declared.format("docs/decisions/"), "a.py": "eval(1)\n"}
    assert places(tmp_path, before, change) == expected


def test_a_stricter_rule_is_reported_once(tmp_path: Path) -> None:
    after = {ADR: adr(NO_EVAL, "severity: MUST"), "a.py": "eval(1)\n"}
    findings = check(subject_of(tmp_path, {ADR: adr(NO_EVAL)}, after))
    assert [(finding.rule, finding.severity) for finding in findings] == [
        ("decision-rule/ADR-0011", "critical"),
        ("decision-rule/changed", "info"),
    ]


def test_an_invalid_block_is_a_finding_when_its_record_changes(tmp_path: Path) -> None:
    broken = adr("forbid regex: (?=a)b")
    findings = check(subject_of(tmp_path / "1", {}, {ADR: broken}))
    assert findings == [
        Finding(
            ADR,
            8,
            "decision-rule/unreadable",
            "warning",
            "this sdd-rule block is not applied: `(?=a)b` cannot be used: RE2 has no lookahead and"
            " no lookbehind (invalid perl operator: (?=)",
            "(?=a)b",
        )
    ]
    assert check(subject_of(tmp_path / "2", {ADR: broken}, {"a.py": "ab\n"})) == []


def test_links_submodules_and_binaries_have_no_findings(tmp_path: Path) -> None:
    after = {"a.bin": b"eval(1)\0\n", "b.py": "x\n"}
    assert places(tmp_path, {ADR: adr(NO_EVAL)}, after) == []


def test_hostile_names_are_printed_on_one_line(tmp_path: Path) -> None:
    path = "docs/adrs/\x1b[2J\nx.md"
    record = adr("forbid regex: ev[\x1ba]l").replace("ADR-0011: ", "") + "\n## Decision\n\nYes.\n"
    after = {path: record, "a\nb.py": "eval\n"}
    findings = check(subject_of(tmp_path, {}, after))
    assert [finding.path for finding in findings] == ["a\nb.py"]
    name = findings[0].rule.removeprefix("decision-rule/")
    assert "\x1b" not in name + findings[0].message.partition(" (")[0]
    assert "\n" not in name


def test_rules_beyond_the_cost_limit_are_reported(tmp_path: Path) -> None:
    """A rule that costs too much does not prevent the others."""
    rows = ("ordinary text " * 100 + "\n") * 5_000 + "eval(1)\n"
    expensive = [f"forbid regex: q[xy]{{{n}}}q" for n in range(300, 309)]
    record = adr(NO_EVAL) + "".join(f"\n```sdd-rule\n{block}\n```\n" for block in expensive)
    subject = subject_of(tmp_path, {ADR: record}, {"a.txt": rows})
    findings = describe(assert_cpu_seconds(lambda: check(subject), 60))
    assert "a.txt:5001 ADR-0011" in findings
    assert 0 < sum(finding.endswith("incomplete") for finding in findings) < len(expensive)


def test_rules_beyond_the_limit_are_reported(tmp_path: Path) -> None:
    blocks = "".join(f"\n```sdd-rule\nforbid regex: bad{n}x\n```\n" for n in range(50))
    records = {f"docs/adrs/ADR-{n:04d}-x.md": adr(number=n) + blocks for n in range(1, 12)}
    findings = check(subject_of(tmp_path, records, {"a.py": "bad7x\n"}))
    assert [finding.path for finding in findings if finding.rule == INCOMPLETE] == [
        "docs/adrs/ADR-0011-x.md"
    ]
    assert sum(finding.path == "a.py" for finding in findings) == 10


def test_rules_of_must_are_applied_before_others(tmp_path: Path) -> None:
    """A change cannot add so many rules that one of the base is left out."""
    blocks = "".join(f"\n```sdd-rule\nforbid regex: a{n}\n```\n" for n in range(50))
    records = {f"docs/adrs/ADR-{n:04d}-x.md": adr(number=n) + blocks for n in range(1, 12)}
    must = adr(NO_EVAL, "severity: MUST", number=90)
    subject = subject_of(
        tmp_path, {"docs/adrs/ADR-0090-x.md": must}, {**records, "a.py": "eval(1)\n"}
    )
    assert "critical" in [finding.severity for finding in check(subject)]


def test_many_findings_do_not_hide_the_worst(tmp_path: Path) -> None:
    blocks = "".join(f"\n```sdd-rule\nforbid regex: a{{{n}}}\n```\n" for n in range(1, 20))
    records = {ADR: adr(NO_EVAL, "severity: MUST") + blocks}
    files = {f"a/{n}.py": "aaaaaaaaaaaaaaaaaaaaa\n" * 20 for n in range(100)}
    subject = subject_of(tmp_path, records, {**files, "z.py": "eval(1)\n"})
    findings = apply_rules(subject, (RULE,)).findings
    critical = [(one.path, one.rule) for one in findings if one.severity == "critical"]
    assert critical == [("", INCOMPLETE), ("z.py", "decision-rule/ADR-0011")]


SUPERSEDED = {
    ADR: adr(NO_EVAL, "severity: MUST", status="superseded by ADR-0012"),
    "docs/adrs/ADR-0012-x.md": adr(number=12),
    "a.py": "eval(1)\n",
}


def test_a_superseded_rule_of_must_leaves_a_remark(tmp_path: Path) -> None:
    before = {ADR: adr(NO_EVAL, "severity: MUST")}
    message = (
        "this change supersedes ADR-0011, and is not held to a rule that it states as MUST: check"
        " the record that replaces it"
    )
    assert check(subject_of(tmp_path, before, SUPERSEDED)) == [
        Finding(ADR, 0, "decision-rule/superseded", "info", message, "forbid regex: \\beval\\(")
    ]


def test_the_base_can_hold_a_change_to_rules_that_it_supersedes(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, {ADR: adr(NO_EVAL, "severity: MUST")}, SUPERSEDED)
    subject = replace(subject, settings=subject.settings._replace(suppressions="base"))
    assert describe(check(subject)) == ["a.py:1 ADR-0011", f"{ADR}:0 changed"]


def test_two_hundred_rules_on_two_hundred_files_are_fast(tmp_path: Path) -> None:
    records = {
        f"docs/adrs/ADR-{number:04d}-x.md": adr(
            f"forbid regex: \\bbad{number}\\(", "in: src/**", number=number
        )
        for number in range(1, 201)
    }
    files = {f"src/f{number}.py": "ordinary = code(1)\n" * 200 for number in range(200)}
    files["src/f7.py"] += "bad7(1)\n"
    subject = subject_of(tmp_path, records, files)
    findings = assert_cpu_seconds(lambda: check(subject), 6)
    assert [finding.path for finding in findings] == ["src/f7.py"]


@pytest.mark.parametrize(
    ("what", "within", "files", "named"),
    [
        ("import", "ios/**, src/**", "ios/a.swift src/a.py src/b.c", "swift"),
        ("import", "**", "a.dart README.md b.yml", "dart"),
        ("import", "**", "a.dart a.py", ""),
        ("import", "**/*.{py,dart}", "a.dart a.py", "dart"),
        ("dependency", "app/**", "app/mix.exs app/a.ex", "mix.exs"),
        ("regex", "ios/**", "ios/a.swift", ""),
    ],
)
def test_a_rule_about_files_that_are_not_read(
    what: str, within: str, files: str, named: str, tmp_path: Path
) -> None:
    record = adr(f"forbid {what}: x", f"in: {within}")
    findings = check(subject_of(tmp_path, dict.fromkeys(files.split(), "y\n"), {ADR: record}))
    messages = [one.message for one in findings if one.rule == "decision-rule/unread"]
    assert [one.partition(":")[0].rpartition(" ")[2] for one in messages] == named.split()
