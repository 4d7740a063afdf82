"""What a rule of a decision searches: no place, name or encoding of a file hides a violation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sdd_hooks.changes.diff import read_change, read_staged
from sdd_hooks.findings import Finding
from sdd_hooks.review.review import subject_of as subject_of_project
from sdd_hooks.review.rules.decision.rule import RULE
from sdd_hooks.review.rules.decision.searched import MAX_BYTES, MAX_LINKED_FILES, MAX_LINKS
from tests.review.repositories import Files, subject_of
from tests.support.repos import Repo

ADR = "docs/adrs/ADR-0011-storage.md"


def adr(*lines: str) -> str:
    block = "\n".join(["```sdd-rule", *lines, "severity: MUST", "```", ""])
    return f"---\nstatus: accepted\n---\n\n# ADR-0011: Storage\n\n{block}"


NO_IMPORT = adr("forbid import: requests", "in: src/**")
NO_EVAL = adr("forbid regex: \\beval\\(", "in: src/**")


def found(tmp_path: Path, before: Mapping[str, str | bytes], after: Files) -> list[Finding]:
    return sorted(RULE.check(subject_of(tmp_path, before, after)))


def places(tmp_path: Path, before: Mapping[str, str | bytes], after: Files) -> list[str]:
    return [f"{one.path}:{one.line}" for one in found(tmp_path, before, after)]


@pytest.mark.parametrize(
    "text",
    [
        "if 1: import requests\n",
        "a = 1; import requests\n",
        "import \\\n requests\n",
        "a = 1\rimport requests\n",
        "\x0cimport requests\n",
        b"import requests\0\n",
        " " * 3_000 + "\nif 1:" + " " * 3_000 + "import requests\n",
        b"\xef\xbb\xbfimport requests\n",
        "import requests\n".encode("utf-16"),
    ],
)
def test_an_import_is_found_in_any_notation(tmp_path: Path, text: str | bytes) -> None:
    for finding in found(tmp_path, {ADR: NO_IMPORT}, {"src/a.py": text}):
        assert (finding.path, finding.severity) == ("src/a.py", "critical")
        return
    pytest.fail("the import is not found")


@pytest.mark.parametrize("path", ["src/a.pyw", "src/a.PY", "SRC/a.py", "src/x/y.pyi"])
def test_an_import_is_found_in_a_file_of_any_name(tmp_path: Path, path: str) -> None:
    assert places(tmp_path, {ADR: NO_IMPORT}, {path: "import requests\n"}) == [f"{path}:1"]


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("System.Data", "src/A.vb", "imports SYSTEM.data.Odbc\n"),
        ("system.*", "src/A.vb", "Imports System.Data\n"),
        ("System.Data", "src/A.fs", "open System.Data\n"),
        ("requests", "src/a.ipynb", '{"cells": [{"source": ["import requests"]}]}\n'),
    ],
)
def test_an_import_is_found_in_a_language(tmp_path: Path, name: str, path: str, text: str) -> None:
    record = adr(f"forbid import: {name}")
    assert places(tmp_path, {ADR: record}, {path: text}) == [f"{path}:1"]
    required = adr(f"require import: {name}")
    assert places(tmp_path, {ADR: required}, {path: text}) == []


def test_case_matters_where_the_language_says_so(tmp_path: Path) -> None:
    record = adr("forbid import: System.Data")
    for path, text in (("src/A.fs", "open system.data\n"), ("src/A.cs", "using system.data;\n")):
        assert places(tmp_path / path[-2:], {ADR: record}, {path: text}) == []


def test_an_import_that_only_moves_is_not_added(tmp_path: Path) -> None:
    before = {ADR: NO_IMPORT, "src/a.py": "import os\nfrom requests import get\n\nx = 1\n"}
    after = {"src/a.py": "import sys\nfrom requests import get\n\nx = 2\n"}
    assert places(tmp_path, before, after) == []


def test_an_import_that_a_removed_line_brings_to_life(tmp_path: Path) -> None:
    before = {ADR: NO_IMPORT, "src/a.py": '"""\nimport requests\n"""\nx = 1\n'}
    assert places(tmp_path, before, {"src/a.py": "import requests\nx = 1\n"}) == ["src/a.py:1"]


def test_a_line_of_a_statement_that_is_added(tmp_path: Path) -> None:
    before = {ADR: NO_IMPORT, "src/a.py": "from \\\n urllib \\\n import get\n"}
    after = {"src/a.py": "from \\\n requests \\\n import get\n"}
    module, name = found(tmp_path, before, after)
    assert (module.line, module.evidence) == (2, "requests \\")
    assert (name.line, name.evidence) == (3, "requests.get")


@pytest.mark.parametrize(("name", "text"), [("a.py", "import requests\n"), ("b.txt", "eval(1)\n")])
def test_a_file_that_moves_into_the_reach_of_a_rule_is_new(
    tmp_path: Path, name: str, text: str
) -> None:
    record = NO_IMPORT if name == "a.py" else NO_EVAL
    padding = "".join(f"# {number}\n" for number in range(30))
    repo_before = {ADR: record, f"lib/{name}": text + padding}
    after: Files = {f"lib/{name}": None, f"src/{name}": text + padding}
    assert places(tmp_path, repo_before, after) == [f"src/{name}:1"]


def test_a_file_that_becomes_source_code_is_new(tmp_path: Path) -> None:
    padding = "".join(f"# {number}\n" for number in range(30))
    before = {ADR: NO_IMPORT, "src/a.txt": "import requests\n" + padding}
    after: Files = {"src/a.txt": None, "src/a.py": "import requests\n" + padding}
    assert places(tmp_path, before, after) == ["src/a.py:1"]


def test_the_text_beyond_the_columns_of_a_diff(tmp_path: Path) -> None:
    after = {"src/a.js": "x" * 5_000 + " eval(1)\n"}
    assert places(tmp_path, {ADR: NO_EVAL}, after) == ["src/a.js:1"]


def test_a_null_character_hides_nothing(tmp_path: Path) -> None:
    after = {"src/a.js": b"// \0\nev\0al(1)\neval(2)\n", "src/a.png": b"eval(1)\0"}
    assert places(tmp_path, {ADR: NO_EVAL}, after) == ["src/a.js:2", "src/a.js:3"]


def test_a_carriage_return_ends_a_line(tmp_path: Path) -> None:
    record = adr("forbid regex: ^eval", "in: src/**")
    assert places(tmp_path, {ADR: record}, {"src/a.py": "a\reval\r"}) == ["src/a.py:1"]


def test_a_required_text_is_read_in_source_with_a_null_character(tmp_path: Path) -> None:
    record = adr("require regex: ^// Copyright", "in: src/**")
    after = {"src/a.js": b"\0x\n", "src/b.js": b"// Copyright\n\0", "src/c.png": b"\0"}
    assert places(tmp_path, {ADR: record}, after) == ["src/a.js:0"]


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("src/a.py", "# coding: utf-7\n", "it declares the encoding 'utf_7': write UTF-8"),
        (
            "src/a.py",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "a file whose content is in Git LFS: add it to the repository itself",
        ),
        (
            "src/a.ipynb",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "a file whose content is in Git LFS: add it to the repository itself",
        ),
        (
            "src/a.ipynb",
            '{"cells": [',
            "it is a notebook, but no valid JSON: repair it",
        ),
        (
            "src/a.rs",
            "use " + "a::{" * 200,
            "an import has more than 100 levels: write shorter ones",
        ),
    ],
)
def test_what_cannot_be_read_is_a_finding(
    tmp_path: Path, path: str, text: str, reason: str
) -> None:
    (finding,) = found(tmp_path, {ADR: NO_IMPORT}, {path: text})
    assert finding == Finding(path, 0, "incomplete", "critical", f"not checked: {reason}")


def test_the_base_sets_the_severity_of_what_cannot_be_read(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, {ADR: NO_IMPORT}, {"src/a.py": "# coding: utf-7\n"})
    subject = replace(subject, settings=subject.settings._replace(incomplete="info"))
    assert [finding.severity for finding in RULE.check(subject)] == ["info"]


def test_a_pointer_of_git_lfs_to_a_picture_is_no_finding(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
    assert found(tmp_path, {ADR: NO_EVAL}, {"src/a.png": pointer}) == []


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        ("package.json", '{"dependencies": {"\\u0072equests": "1"}}\n'),
        ("requirements.txt", b"requests\0\n"),
    ],
)
def test_a_dependency_is_found_however_it_is_written(
    tmp_path: Path, manifest: str, text: str | bytes
) -> None:
    record = adr("forbid dependency: requests")
    assert places(tmp_path, {ADR: record}, {manifest: text}) == [f"{manifest}:1"]


def test_a_manifest_that_is_not_read_whole(tmp_path: Path) -> None:
    record = adr("forbid dependency: requests")
    (finding,) = found(tmp_path, {ADR: record}, {"Gemfile": "eval_gemfile 'other'\n"})
    assert (finding.rule, finding.severity) == ("incomplete", "critical")


def linked(tmp_path: Path, files: Mapping[str, str], links: Mapping[str, str]) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    declared = "## Architecture Context\n\n- Architecture Decision Records are in `docs/adrs/`\n"
    repo.commit(files={"CLAUDE.md": declared, ADR: NO_IMPORT, **files})
    for path, target in links.items():
        (repo.root / path).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, repo.root / path)  # noqa: PTH211
    return repo


def committed(repo: Repo) -> list[str]:
    repo.commit("Change")
    change = read_change(repo.handle, "HEAD~1", "HEAD")
    findings = RULE.check(subject_of_project(repo.project(), change))
    return [f"{one.path}:{one.line}" for one in sorted(findings)]


def test_a_new_link_shows_a_file_to_a_rule(tmp_path: Path) -> None:
    repo = linked(tmp_path, {"lib/a.py": "\nimport requests\n"}, {"src/b.py": "../lib/a.py"})
    assert committed(repo) == ["src/b.py:2"]


def test_a_new_link_to_a_directory(tmp_path: Path) -> None:
    repo = linked(tmp_path, {"lib/x/a.py": "import requests\n"}, {"src/b": "../lib"})
    assert committed(repo) == ["src/b/x/a.py:1"]


def test_a_link_to_a_link(tmp_path: Path) -> None:
    links = {"src/b": "../c", "c": "lib"}
    repo = linked(tmp_path, {"lib/a.py": "import requests\n"}, links)
    assert committed(repo) == ["src/b/a.py:1"]


def test_a_change_of_a_file_that_a_link_shows(tmp_path: Path) -> None:
    repo = linked(tmp_path, {"lib/a.py": "\n"}, {"src/b.py": "../lib/a.py"})
    assert committed(repo) == []
    repo.write("lib/a.py", "\nimport requests\n")
    assert committed(repo) == ["src/b.py:2"]
    repo.write("lib/a.py", "\nimport requests\nimport os\n")
    assert committed(repo) == []


@pytest.mark.parametrize("target", ["../../outside", "/etc/passwd", "b.py", "../none"])
def test_a_link_that_leads_nowhere_is_no_finding(tmp_path: Path, target: str) -> None:
    repo = linked(tmp_path, {"lib/a.py": "import requests\n"}, {"src/b.py": target})
    assert committed(repo) == []


def test_links_beyond_the_limit_are_a_finding(tmp_path: Path) -> None:
    links = {f"lib/{n}.py": "a.txt" for n in range(MAX_LINKS)}
    repo = linked(
        tmp_path, {"lib/a.txt": "import requests\n"}, {**links, "src/b.py": "../lib/a.txt"}
    )
    # The number of the line of a finding about a part of the change is 0.
    assert ":0" in committed(repo)


def test_links_to_files_beyond_the_limit_are_a_finding(tmp_path: Path) -> None:
    files = {f"lib/{n:04d}.txt": "" for n in range(MAX_LINKED_FILES)}
    repo = linked(tmp_path, {**files, "lib/z.py": "import requests\n"}, {"src/b": "../lib"})
    assert committed(repo) == [":0"]


def test_a_link_to_a_large_file_is_a_finding(tmp_path: Path) -> None:
    repo = linked(tmp_path, {"lib/a.py": "#" * (MAX_BYTES + 1)}, {"src/b.py": "../lib/a.py"})
    assert committed(repo) == ["src/b.py:0"]


def test_a_staged_link(tmp_path: Path) -> None:
    repo = linked(tmp_path, {"lib/a.py": "import requests\n"}, {"src/b.py": "../lib/a.py"})
    repo.git("add", "--all")
    findings = RULE.check(subject_of_project(repo.project(), read_staged(repo.handle)))
    assert [finding.path for finding in findings] == ["src/b.py"]
