"""Every kind of decision rule is whole: its one entry says all that a review needs of it."""

from pathlib import Path
from typing import NamedTuple

import pytest

from sdd_hooks.findings import INCOMPLETE, Finding
from sdd_hooks.review.rules.decision.blocks import read_rules
from sdd_hooks.review.rules.decision.kinds import KINDS, RuleKind
from sdd_hooks.review.rules.decision.rule import RULE
from sdd_hooks.review.rules.decision.searched import LFS_POINTER
from tests.review.repositories import Files, subject_of

ADR = "docs/adrs/ADR-0011-storage.md"


class Sample(NamedTuple):
    """A name of a kind, a file that has it, one that can have it and does not, and its words."""

    name: str
    path: str
    text: str
    without: str
    words: str


SAMPLES = {
    "regex": Sample("eval", "src/a.sql", "x\neval\n", "x\n", "/eval/"),
    "import": Sample("requests", "src/a.py", "import requests\n", "x = 1\n", "the import of"),
    "dependency": Sample(
        "left-pad",
        "package.json",
        '{"dependencies": {\n"left-pad": "1"\n}}\n',
        '{"dependencies": {}}\n',
        "the dependency left-pad",
    ),
}
"""A sample of each kind. A kind without one fails these tests."""


def review(tmp_path: Path, verb: str, what: str, after: Files) -> list[Finding]:
    block = f"```sdd-rule\n{verb} {what}: {SAMPLES[what].name}\nseverity: MUST\n```\n"
    record = f"---\nstatus: accepted\n---\n\n# ADR-0011: Storage\n\n{block}"
    return list(RULE.check(subject_of(tmp_path, {ADR: record}, after)))


@pytest.mark.parametrize("what", KINDS)
def test_a_kind_finds_what_is_forbidden_and_what_lacks(tmp_path: Path, what: str) -> None:
    sample = SAMPLES[what]
    has, lacks = {sample.path: sample.text}, {sample.path: sample.without}
    (forbidden,) = review(tmp_path / "1", "forbid", what, has)
    assert (forbidden.path, forbidden.severity) == (sample.path, "critical")
    assert forbidden.line == sample.text[: sample.text.index(sample.name)].count("\n") + 1
    assert f"forbids {sample.words}" in forbidden.message
    assert review(tmp_path / "2", "forbid", what, lacks) == []
    (required,) = review(tmp_path / "3", "require", what, lacks)
    assert f"requires {sample.words}" in required.message
    assert review(tmp_path / "4", "require", what, has) == []


@pytest.mark.parametrize(
    ("path", "before", "after", "number"),
    [
        ("a.js", "/*\nimport 'requests'\n*/\n", "import 'requests'\n", 1),
        ("a.js", "let a = `\nrequire('requests')\n`\n", "require('requests')\n", 1),
        ("a.go", 'package a\n/*\nimport "requests"\n*/\n', 'package a\nimport "requests"\n', 2),
        ("A.java", "/* import requests.A; */\n", "import requests.A;\n", 1),
        ("A.java", "/*\nimport requests.A;\n*/\n", "/*\n*/\nimport requests.A;\n", 3),
        ("a.rb", "=begin\nrequire 'requests'\n=end\n", "require 'requests'\n", 1),
        ("a.fs", "(*\nopen requests\n*)\n", "open requests\n", 1),
        ("a.py", '"""\nimport requests\n"""\n', "import requests\n", 1),
        ("a.js", "/*\nb\n*/\nimport 'requests'\n", "import 'requests'\n", 0),
        ("a.js", "a = 'x/*'\nimport 'requests'\n", "import 'requests'\n", 0),
    ],
)
def test_an_import_that_a_change_takes_out_of_a_comment(
    tmp_path: Path, path: str, before: str, after: str, number: int
) -> None:
    block = "```sdd-rule\nforbid import: requests\n```\n"
    record = f"---\nstatus: accepted\n---\n\n# ADR-0011: S\n\n{block}"
    subject = subject_of(tmp_path, {ADR: record, path: before}, {path: after})
    assert [one.line for one in RULE.check(subject)] == ([number] if number else [])


@pytest.mark.parametrize("what", KINDS)
def test_a_file_of_a_kind_that_cannot_be_read_is_a_finding(tmp_path: Path, what: str) -> None:
    pointer = LFS_POINTER + b"v1\noid sha256:0\n"
    (finding,) = review(tmp_path, "require", what, {SAMPLES[what].path: pointer})
    assert (finding.rule, finding.severity) == (INCOMPLETE, "critical")


@pytest.mark.parametrize("what", KINDS)
def test_a_directory_of_any_files_may_have_a_kind(what: str) -> None:
    kind = KINDS[what]
    assert any(kind.may_have(path) for path in kind.paths)
    (rule,), errors = read_rules(f"```sdd-rule\nforbid {what}: {SAMPLES[what].name}\n```\n")
    assert (rule.kind, errors) == (kind, ())


@pytest.mark.parametrize("part", RuleKind._fields)
def test_a_kind_without_a_part_cannot_be_made(part: str) -> None:
    parts = KINDS["regex"]._asdict()
    del parts[part]
    with pytest.raises(TypeError):
        RuleKind(**parts)
