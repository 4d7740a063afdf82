from __future__ import annotations

from pathlib import Path

from sdd_hooks.changes.diff import read_change
from sdd_hooks.findings import Finding
from sdd_hooks.review.review import subject_of as subject_at
from sdd_hooks.review.rules.duplicate_number import RULE
from tests.review.repositories import staged_subject_of, subject_of
from tests.review.rules.records import SPECS, adr, run_rule, spec
from tests.support.repos import Repo

MEMORY = (
    "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    "- Specifications are in `docs/openspec/specs/`\n"
)


def path_of(files: dict[str, str]) -> str:
    return next(iter(files))


def write(repo: Repo, files: dict[str, str]) -> None:
    for path, text in files.items():
        repo.write(path, text)


def branches(repo: Repo, before: dict[str, str]) -> None:
    """A repository with the branches `main` and `topic` at one commit."""
    repo.write("CLAUDE.md", MEMORY)
    write(repo, before)
    repo.commit("Base")
    repo.git("branch", "topic")


def against_tip(repo: Repo) -> list[Finding]:
    """The findings for `topic` against the current commit of `main`."""
    change = read_change(repo.handle, "main", "topic")
    tip = repo.git("rev-parse", "main")
    repo.git("switch", "--quiet", "topic")
    return run_rule(RULE, subject_at(repo.project(), change, tip=tip))


def test_a_number_that_the_base_branch_used_since(repo: Repo) -> None:
    branches(repo, adr(1))
    write(repo, {**adr(2, "Theirs"), **adr(3, "Next")})
    repo.commit("Main goes on")
    repo.git("switch", "--quiet", "topic")
    write(repo, adr(2, "Ours"))
    repo.commit("Topic")

    findings = against_tip(repo)

    assert findings == [
        Finding(
            path_of(adr(2, "Ours")),
            5,
            "duplicate-number",
            "critical",
            f"ADR-0002 is taken by {path_of(adr(2, 'Theirs'))}: `sdd adr renumber"
            f" {path_of(adr(2, 'Ours'))} 4` gives it the next number that is free",
            "ADR-0002",
        )
    ]


def test_the_same_file_on_both_sides_is_the_same_record(repo: Repo) -> None:
    branches(repo, adr(1))
    write(repo, adr(2, "Ours"))
    repo.commit("Picked")
    repo.git("switch", "--quiet", "topic")
    write(repo, adr(2, "Ours", more="\nMore.\n"))
    repo.commit("Topic")

    assert against_tip(repo) == []


def test_a_number_that_was_in_use_at_the_base(tmp_path: Path) -> None:
    for make, name in ((subject_of, "commits"), (staged_subject_of, "staged")):
        subject = make(tmp_path / name, adr(1, "One"), adr(1, "Other"))
        findings = run_rule(RULE, subject)

        assert [finding.path for finding in findings] == [path_of(adr(1, "Other"))]
        assert f"`sdd adr renumber {path_of(adr(1, 'Other'))} 2`" in findings[0].message


def test_each_record_gets_a_different_free_number(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(2, "Two")}
    findings = run_rule(RULE, subject_of(tmp_path, before, {**adr(1, "A"), **adr(2, "B")}))

    assert len(findings) == 2
    assert " 3`" in findings[0].message
    assert " 4`" in findings[1].message


def test_a_renamed_or_moved_record_keeps_its_number(tmp_path: Path) -> None:
    old, new = adr(1, "One"), adr(1, "Other")
    renamed = subject_of(tmp_path / "a", old, {path_of(old): None, **new})
    rewritten = {path_of(new): "# ADR-0001: Other\n\n## Decision\n\nSomething else.\n"}
    replaced = subject_of(tmp_path / "b", old, {path_of(old): None, **rewritten})

    assert run_rule(RULE, renamed) == []
    assert run_rule(RULE, replaced) == []


def test_a_record_that_is_renamed_to_a_number_in_use(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(2, "Two")}
    subject = subject_of(tmp_path, before, {path_of(adr(2, "Two")): None, **adr(1, "Two")})

    assert [finding.path for finding in run_rule(RULE, subject)] == [path_of(adr(1, "Two"))]


def test_specs_and_decisions_are_numbered_separately(tmp_path: Path) -> None:
    before = {**adr(1), **spec(1)}
    findings = run_rule(RULE, subject_of(tmp_path, before, {**spec(1, "index"), **adr(2, "Two")}))

    assert [(finding.path, finding.evidence) for finding in findings] == [
        (f"{SPECS}/index/spec.md", "SPEC-0001")
    ]
    assert "SPEC-0002" in findings[0].message


def test_collisions_of_the_base_are_ignored(tmp_path: Path) -> None:
    before = {**adr(1, "One"), **adr(1, "Other")}

    assert run_rule(RULE, subject_of(tmp_path, before, adr(1, "One", more="\nMore.\n"))) == []


def test_a_number_of_another_directory_is_a_warning(tmp_path: Path) -> None:
    before = {"CLAUDE.md": MEMORY, **adr(1, "One")}
    ((path, text),) = adr(1, "Other").items()
    (finding,) = run_rule(
        RULE, subject_of(tmp_path, before, {path.replace("adrs/", "adrs/web/"): text})
    )

    assert finding.severity == "warning"
    assert f"taken by {path_of(adr(1, 'One'))}" in finding.message


def test_directories_that_share_two_numbers_count_separately(tmp_path: Path) -> None:
    def below(directory: str, *records: tuple[int, str]) -> dict[str, str]:
        found = {path: text for record in records for path, text in adr(*record).items()}
        return {path.replace("adrs/", f"adrs/{directory}/"): text for path, text in found.items()}

    before = {
        "CLAUDE.md": MEMORY,
        **below("api", (1, "One"), (2, "Two"), (3, "Three")),
        **below("web", (1, "First"), (2, "Second")),
    }
    assert run_rule(RULE, subject_of(tmp_path, before, below("web", (3, "Third")))) == []


def test_two_new_records_make_no_series(tmp_path: Path) -> None:
    before = {"CLAUDE.md": MEMORY, **adr(1, "One"), **adr(2, "Two")}
    new = {
        path.replace("adrs/", "adrs/web/"): text
        for path, text in {**adr(1, "Other"), **adr(2, "Another")}.items()
    }
    found = run_rule(RULE, subject_of(tmp_path, before, new))
    assert [one.severity for one in found] == ["warning", "warning"]
