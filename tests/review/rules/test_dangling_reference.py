from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.artifacts.artifact import Artifact
from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.diff import read_change
from sdd_hooks.findings import Finding
from sdd_hooks.review.review import subject_of as subject_at
from sdd_hooks.review.rules.dangling_reference import RULE
from sdd_hooks.review.subject import Subject
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import adr, places, run_rule, spec
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

BEFORE = {**adr(1), **adr(12, "Queues"), **spec(3, "search", "Typo tolerance", "Rank by use")}


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def in_text(tmp_path: Path, line: str, path: str = "docs/guide.md") -> list[Finding]:
    return run_rule(RULE, staged_subject_of(tmp_path, BEFORE, {path: f"{line}\n"}))


def test_an_unknown_id_in_a_governing_comment_is_critical(tmp_path: Path) -> None:
    text = "# Governing: ADR-0001 (why), ADR-0099 (why not)\n"

    assert run_rule(RULE, subject_of(tmp_path, BEFORE, {"a.py": text})) == [
        Finding(
            "a.py",
            1,
            "dangling-reference",
            "critical",
            "ADR-0099 does not exist: name what exists, or take it out",
            "# Governing: ADR-0001 (why), ADR-0099 (why not)",
        )
    ]


def test_an_unknown_id_in_text_is_a_warning_with_a_suggestion(tmp_path: Path) -> None:
    findings = in_text(tmp_path, "As ADR-0013 says.")

    assert [(finding.severity, finding.message) for finding in findings] == [
        ("warning", "ADR-0013 does not exist: did you mean ADR-0012?")
    ]


def test_the_unknown_ids_of_a_line_are_one_finding(tmp_path: Path) -> None:
    findings = in_text(tmp_path, "ADR-0050, ADR-0060 and SPEC-0070, and again ADR-0050.")

    assert [finding.message for finding in findings] == [
        "ADR-0050, ADR-0060 and SPEC-0070 do not exist: name what exists, or take it out"
    ]


def test_an_unknown_requirement(tmp_path: Path) -> None:
    text = (
        '// Governing: SPEC-0003 REQ "Typo tolerance", REQ "Rank by age"\n'
        '// By SPEC-0003 REQ "Nothing alike".\n'
    )
    findings = run_rule(RULE, subject_of(tmp_path, BEFORE, {"a.go": text}))

    assert [(finding.line, finding.severity, finding.message) for finding in findings] == [
        (
            1,
            "critical",
            'SPEC-0003 has no requirement "Rank by age": did you mean "Rank by use"?',
        ),
        (
            2,
            "warning",
            'SPEC-0003 has no requirement "Nothing alike": name what exists, or take it out',
        ),
    ]


def test_a_requirement_of_another_specification(tmp_path: Path) -> None:
    other = "# SPEC-0004: Other\n\n### Requirement: Busy Response\n\nIt MUST say so.\n"
    files = {**BEFORE, "docs/openspec/specs/other/spec.md": other}
    change = {"a.go": '// Governing: SPEC-0003 REQ "busy response"\n'}
    (one,) = run_rule(RULE, subject_of(tmp_path, files, change))
    assert one.message == (
        'SPEC-0003 has no requirement "busy response": did you mean SPEC-0004, which has it?'
    )


@pytest.mark.parametrize(
    "name", ["typo  TOLERANCE", "Typo", "Rank by use", "Rank-by-use", "Typo tolerance as seen"]
)
def test_a_requirement_is_known_by_a_part_of_its_name_or_a_scenario(
    tmp_path: Path, name: str
) -> None:
    text = f'# Implements: SPEC-0003 REQ "{name}"\n'

    assert run_rule(RULE, subject_of(tmp_path, BEFORE, {"a.py": text})) == []


def test_a_spec_without_readable_requirements_has_any_requirement(tmp_path: Path) -> None:
    path = path_of(spec(3))
    before = {**BEFORE, path: "# SPEC-0003: Search\n\nThe search MUST find things.\n"}
    text = '# Implements: SPEC-0003 REQ "Anything"\n'

    assert run_rule(RULE, subject_of(tmp_path, before, {"a.py": text})) == []


def test_unknown_ids_in_title_body_and_messages(tmp_path: Path) -> None:
    subject = subject_of(
        tmp_path,
        BEFORE,
        {"a.py": "1\n"},
        message="Go on\n\nRefs: ADR-0060",
        title="By ADR-0050",
        body="See ADR-0001.\n\nAnd ADR-0040.",
    )

    assert [
        (finding.path, finding.line, finding.message, finding.evidence)
        for finding in run_rule(RULE, subject)
    ] == [
        ("", 0, f"{place} names what is not there: {named} does not exist: {advice}", text)
        for place, named, advice, text in (
            ("a commit message", "ADR-0060", "name what exists, or take it out", "Refs: ADR-0060"),
            ("the description", "ADR-0040", "name what exists, or take it out", "And ADR-0040."),
            ("the title", "ADR-0050", "name what exists, or take it out", "By ADR-0050"),
        )
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ADR-0001, adr 12, [ADR 12](docs/adrs/ADR-0012-queues.md)",
        "RFC 12, PEP 0008, [other]/SPEC-0007, [other]/ADR-0099",
        "its ADR-0099, the other-tool's ADR-0098, that-tool ADR-0097",
        "https://example.org/docs/adrs/ADR-0099-x.md",
        "A file is called `ADR-0099-slug.md`.",
        "Name it, for example, ADR-0099.",
        "ids such as ADR-0099",
        "ADR-0000 and ADR-9999 stand for any number",
        "ADR-0100..0199 are reserved",
        "the two ADR-0012s",
        "Rename ADRs (#4234)",
    ],
)
def test_text_that_refers_to_no_record_of_the_repository(tmp_path: Path, line: str) -> None:
    assert in_text(tmp_path, line) == []


def test_ids_in_tests_fixtures_and_changelogs_are_ignored(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "tests/test_a.py": "# Governing: ADR-0001\ntext = 'ADR-0099'\n",
        "tests/fixtures/a.md": "ADR-0099\n",
        "docs/adrs/template.md": "# ADR-0099: Title\n",
        "data.json": '"ADR-0099"\n',
        "CHANGELOG.md": "- ADR-0099 is gone\n",
        "vendor/a.go": "// Governing: ADR-0099\n",
    }

    assert run_rule(RULE, subject_of(tmp_path, BEFORE, files)) == []


def test_a_record_outside_the_collections_can_name_itself(tmp_path: Path) -> None:
    text = "# ADR-0099: A draft\n\nADR-0099 and ADR-0098.\n"
    findings = in_text(tmp_path, text, "docs/drafts/ADR-0099-draft.md")

    assert [finding.message[:8] for finding in findings] == ["ADR-0098"]


def test_records_that_the_change_adds_exist(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, {**adr(99, "New"), "a.py": "# Governing: ADR-0099\n"})

    assert run_rule(RULE, subject) == []


def test_code_cannot_name_a_record_that_the_change_removes(tmp_path: Path) -> None:
    after = {
        path_of(adr(12, "Queues")): None,
        "a.py": "# Governing: ADR-0012\nx = 1  # by ADR-0012\n",
        "a.md": "ADR-0012 went the way of all records.\n",
    }
    subject = subject_of(tmp_path, BEFORE, after, message="Take out ADR-0012")

    assert [
        (finding.path, finding.line, finding.severity) for finding in run_rule(RULE, subject)
    ] == [
        ("a.py", 1, "critical"),
        ("a.py", 2, "warning"),
    ]


def test_unchanged_lines_and_edges_are_ignored(tmp_path: Path) -> None:
    before = {**BEFORE, "a.py": "# Governing: ADR-0099\nx = 1\n"}
    after = {
        "a.py": "# Governing: ADR-0099\nx = 2\n",
        **adr(2, "Two", matter="extends: [ADR-0099]\n"),
        **spec(4, "index", matter="implements: [ADR-0099]\n"),
    }

    assert run_rule(RULE, subject_of(tmp_path, before, after)) == []


def test_ids_of_a_kind_without_records_are_ignored(tmp_path: Path) -> None:
    # No spec has a number, so that this one belongs to another project.
    before = adr(1)
    after = {"a.md": "SPEC-0007\n", "a.py": "# Governing: SPEC-0007\n"}

    assert run_rule(RULE, subject_of(tmp_path, before, after)) == []


def test_ids_of_a_module_are_resolved_in_that_module(tmp_path: Path) -> None:
    memory = (
        "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n\n"
        "### Workspace Modules\n\n| Module | Root |\n|---|---|\n| api | services/api |\n"
    )
    record = {"services/api/docs/adrs/ADR-0007-x.md": path_of(adr(1)) and adr(7)[path_of(adr(7))]}
    before = {"CLAUDE.md": memory, **adr(1), **record}
    text = "[api]/ADR-0007, ADR-0007, ADR-0001\n\n[api]/ADR-0001\n"
    findings = run_rule(RULE, subject_of(tmp_path, before, {"a.md": text}))

    assert [(finding.line, finding.message[:14]) for finding in findings] == [(3, "[api]/ADR-0001")]


def test_records_that_the_base_branch_added_since_exist(repo: Repo) -> None:
    memory = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    repo.write("CLAUDE.md", memory)
    for path, text in adr(1).items():
        repo.write(path, text)
    repo.commit("Base")
    repo.git("branch", "topic")
    for path, text in adr(2, "Two").items():
        repo.write(path, text)
    tip = repo.commit("Main goes on")
    repo.git("switch", "--quiet", "topic")
    repo.write("a.py", "# Governing: ADR-0002\n# Governing: ADR-0003\n")
    repo.commit("Topic")

    change = read_change(repo.handle, "main", "topic")
    findings = run_rule(RULE, subject_at(repo.project(), change, tip=tip))

    assert places(findings) == [("a.py", 2)]


GOVERNED = '# Governing: ADR-0012 (queues), SPEC-0003 REQ "Rank by use"\ndef rank() -> None: ...\n'


@pytest.mark.parametrize("subject", [subject_of, staged_subject_of])
def test_an_unchanged_comment_about_a_removed_record(tmp_path: Path, subject: Any) -> None:
    before = {**BEFORE, "src/a.py": GOVERNED, "src/b.py": "# Governing: ADR-0001\n"}
    change = subject(tmp_path, before, {path_of(adr(12, "Queues")): None})

    assert run_rule(RULE, change) == [
        Finding(
            "src/a.py",
            1,
            "dangling-reference",
            "critical",
            "this change takes ADR-0012 away, which this comment names: correct it, too",
            GOVERNED.split("\n")[0],
        )
    ]


def test_an_unchanged_comment_about_a_removed_requirement(tmp_path: Path) -> None:
    before = {**BEFORE, "src/a.py": GOVERNED}
    change = subject_of(tmp_path, before, spec(3, "search", "Typo tolerance", "Rank by age"))

    assert [
        (finding.path, finding.message.partition(",")[0]) for finding in run_rule(RULE, change)
    ] == [("src/a.py", 'this change takes the requirement "Rank by use" of SPEC-0003 away')]


def test_unknown_moved_and_corrected_references_are_not_stale(tmp_path: Path) -> None:
    record = adr(12, "Queues")
    before = {**BEFORE, "src/a.py": GOVERNED, "src/b.py": "# Governing: ADR-0099\n"}
    moved = {path_of(record): None, "docs/adrs/ADR-0012-moved.md": record[path_of(record)]}

    assert run_rule(RULE, subject_of(tmp_path / "1", before, moved)) == []
    corrected = {path_of(record): None, "src/a.py": "# Governing: ADR-0001\n"}
    assert run_rule(RULE, subject_of(tmp_path / "2", before, corrected)) == []


def test_a_finding_names_a_limited_number_of_ids(tmp_path: Path) -> None:
    ids = ", ".join(f"ADR-{number}" for number in range(2000, 2200))

    (finding,) = in_text(tmp_path, f"As {ids} say.")

    assert "ADR-2019 and 180 more do not exist: name what exists" in finding.message
    assert "ADR-2020" not in finding.message


@pytest.mark.parametrize("name", ["ADR-{}", 'SPEC-0003 REQ "Name {}"', "ADR-0001 and ADR-{}"])
def test_the_cost_grows_with_the_length_of_the_description(tmp_path: Path, name: str) -> None:
    subject = subject_of(tmp_path, BEFORE, {"a.py": "x = 1\n"})

    def make(count: int) -> Subject:
        body = ", ".join(name.format(number) for number in range(20, 20 + count))
        return replace(subject, change=subject.change.described_by("A title", body))

    def run(subject: Subject) -> None:
        assert list(RULE.check(subject))

    assert_linear(run, make, 6_000)


def test_the_cost_grows_with_the_number_of_records(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, BEFORE, {"a.py": "x = 1\n"})

    def make(count: int) -> Subject:
        body = "\n".join(f"ADR-{number}" for number in range(30_000, 30_000 + count // 10))
        made = replace(subject, change=subject.change.described_by("A title", body))
        records = (
            Artifact(
                kind="ADR", path=f"docs/adrs/{number}.md", title="", id=ArtifactId("ADR", number)
            )
            for number in range(count)
        )
        made.__dict__["corpus"] = Corpus(tuple(records))
        return made

    assert_linear(lambda subject: list(RULE.check(subject)), make, 16_000)
