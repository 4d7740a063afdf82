"""How many records govern code, and directories without one."""

from __future__ import annotations

from sdd_hooks.drift.audit.audited import Audited
from sdd_hooks.drift.audit.coverage import (
    MAX_UNGOVERNED,
    NearRecord,
    count_folders,
    find_gaps,
    measure_coverage,
    named_paths,
    ungoverned_files,
)
from sdd_hooks.reporting.outcome import DecisionCoverage, UncitedRecord
from tests.drift.audit.repositories import adr, audited, named_files
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

MAIL = {f"src/mail/part{number}.py": "def send(): ...\n" for number in range(5)}


def gaps(
    repo: Repo, files: dict[str, str], near: NearRecord | None = None, scope: str = ""
) -> list[str]:
    return [one.path for one in find_gaps(audited(repo, files, scope=scope), lambda _: near)]


def test_the_coverage_counts_what_code_names_and_what_records_state(repo: Repo) -> None:
    files = {
        **named_files((1, 2)),
        "docs/adrs/ADR-0003-mail.md": adr(3).replace("date", "applies-to: [src/mail/]\ndate"),
        "docs/adrs/ADR-0004-rule.md": adr(
            4, text="```sdd-rule\nforbid import: re\nin: src/post/**\n```"
        ),
        "docs/adrs/ADR-0005-lost.md": adr(5),
        "docs/adrs/ADR-0006-old.md": adr(6, "deprecated"),
        "docs/adrs/ADR-0007-named.md": adr(7, text="Prices are in `src/other.py`."),
        **MAIL,
        "src/post/a.py": "import os\n",
        "src/other.py": "",
        "src/conf.yaml": "",
        "tests/test_a.py": "",
        "README.md": "",
    }
    found = audited(repo, files)
    assert measure_coverage(found) == DecisionCoverage(
        records=6,
        cited=2,
        stated=3,
        uncited=(UncitedRecord("ADR-0005", "Path 5", "docs/adrs/ADR-0005-lost.md"),),
        files=9,
        governed=9,
    )
    assert found.governed >= {"src/path1/path.py", "src/mail/part0.py", "src/post/a.py"}
    # ADR-0005 is in force, and governs nothing.
    folders = count_folders(audited(repo, {"src/new/deep/free.py": "import re\n"}))
    shown = {path: counts for path, *counts in folders}
    assert [*shown][:3] == ["", "src", "src/mail"]
    assert shown[""][:2] == shown["src"][:2] == [10, 9]
    assert shown["src/mail"] == [5, 5, ["docs/adrs/ADR-0003-mail.md"]]
    assert shown["src/post"] == [1, 1, ["docs/adrs/ADR-0004-rule.md"]]
    assert shown["src/new"] == [1, 0, []] and "src/new/deep" not in shown


def test_a_missing_comment_counts_where_files_have_one(repo: Repo) -> None:
    names = [f"src/part{number:02}.py" for number in range(MAX_UNGOVERNED + 1)]
    few, many = (
        adr(3, text=" ".join(f"`{name}`" for name in chosen)) for chosen in (names[1:], names)
    )
    files = dict.fromkeys(names, "x = 1\n")
    record = "docs/adrs/ADR-0003-parts.md"
    assert ungoverned_files(audited(repo, {**files, record: few})) == []
    files |= named_files((1,))
    assert ungoverned_files(audited(repo, {**files, record: few})) == names[1:]
    assert ungoverned_files(audited(repo, {**files, record: many})) == []


def test_a_directory_that_no_record_governs(repo: Repo) -> None:
    (found,) = find_gaps(audited(repo, {**named_files(range(1, 6)), **MAIL}), lambda _: None)
    assert (found.path, found.line, found.severity, found.evidence) == (
        "src/mail",
        0,
        "info",
        "src/mail",
    )
    assert found.message == (
        "no record governs src/mail (5 source files): record the decision that it rests on with"
        " `Governing:` in a comment or `applies-to` in a record"
    )


def test_the_record_that_a_search_finds_is_named(repo: Repo) -> None:
    files = {**named_files(range(1, 6)), **MAIL}
    near = NearRecord("ADR-0002", "Path 2", names_it=False)
    (found,) = find_gaps(audited(repo, files), lambda _: near)
    assert "name ADR-0002 (Path 2) there if it applies, or record the decision" in found.message
    assert gaps(repo, files, near._replace(names_it=True)) == []


def test_only_where_records_govern_much_of_the_code(repo: Repo) -> None:
    assert gaps(repo, {**named_files((1,)), **MAIL}) == []
    assert gaps(repo, named_files((1,))) == []


def test_only_the_topmost_directory_is_reported(repo: Repo) -> None:
    named = named_files(range(1, 12))
    deep = {f"lib/{name}/{n}/x.py": "" for name in "ab" for n in range(5)}
    assert gaps(repo, {**named, **deep}) == ["lib"]
    assert gaps(repo, {**named, **deep, "lib/a/b.py": "# Governing: ADR-0001\n"}) == ["lib/b"]


def test_small_directories_and_others_than_code_are_no_gap(repo: Repo) -> None:
    named = named_files(range(1, 9))
    few = {f"src/few/{n}.py": "" for n in range(4)}
    others = {f"{name}/{n}.py": "" for name in ("tests", "examples", "vendor") for n in range(9)}
    assert gaps(repo, {**named, **few, **others}) == []


def test_a_directory_out_of_scope_is_left_out(repo: Repo) -> None:
    files = {**named_files(range(1, 6)), **MAIL}
    assert gaps(repo, files, scope="src") == ["src/mail"]
    assert gaps(repo, files, scope="src/mail") == ["src/mail"]
    assert gaps(repo, files, scope="src/path1") == []


def test_a_directory_that_a_record_names_is_no_gap(repo: Repo) -> None:
    named = named_files(range(1, 9))
    folder = {f"lib/mail-queue/{number}.py": "" for number in range(5)}
    assert gaps(repo, {**named, **folder}) == ["lib"]
    for text in (
        "The package @x/mail-queue.",
        "`lib/mail-queue/` sends.",
        "In lib/mail-queue/1.py.",
    ):
        files = {**named, "docs/adrs/ADR-0009-mail.md": adr(9, text=text), **folder}
        assert gaps(repo, {**files, "lib/a.py": "# Governing: ADR-0001\n"}) == []


def test_hidden_directories_documentation_and_texts_are_no_gap(repo: Repo) -> None:
    named = named_files(range(1, 15))
    folders = (".agents/hooks", "docs-site/src", "website", "src/locales", "db/migrations")
    files = {f"{folder}/{number}.py": "" for folder in folders for number in range(5)}
    governed = {"src/a.py": "# Governing: ADR-0001\n", "db/a.py": "# Governing: ADR-0001\n"}
    assert gaps(repo, {**named, **files, **governed}) == []


def test_a_long_word_in_a_record_is_read_in_linear_time(repo: Repo) -> None:
    def make(count: int) -> Audited:
        files = {"docs/adrs/ADR-0001-a.md": adr(1, text="x" * 1_000 * count)}
        found = audited(repo, files)
        assert len(found.subject.text("docs/adrs/ADR-0001-a.md")) > 1_000 * count
        return found

    def read(found: Audited) -> None:
        assert named_paths(found) == []

    assert_linear(read, make, 50)
