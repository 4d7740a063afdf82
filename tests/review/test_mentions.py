from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import Change
from sdd_hooks.review.mentions import (
    MAX_TEST_HEADER_LINES,
    Mention,
    find_file_mentions,
    find_mentions,
)
from tests.review.repositories import staged_subject_of, subject_of


def summaries(mentions: list[Mention]) -> list[tuple[str, str, int]]:
    return [(mention.place, str(mention.id), mention.line) for mention in mentions]


def in_file(tmp_path: Path, path: str, text: str) -> list[tuple[str, str, int]]:
    subject = staged_subject_of(tmp_path, {}, {path: text})
    return summaries([mention for mention in subject.mentions if mention.path == path])


def mentioned(title: str = "", body: str = "", *messages: str) -> list[tuple[str, str]]:
    change = Change("", "", title, body, messages, ())
    return [(mention.place, str(mention.id)) for mention in find_mentions(change, lambda path: "")]


def test_governing_comments_and_ids_in_code(tmp_path: Path) -> None:
    text = (
        "# Governing: ADR-0001 (why), SPEC-0002\n"
        '#   REQ "Typo tolerance"\n'
        "x = 1  # as ADR-0003 and [api]/SPEC-0004 say\n"
        "y = ADR(5) + adr_0006 + spec7  # ADR 8, spec 9\n"
        "z = 'see `ADR-0010`'\n"
    )

    assert in_file(tmp_path, "a.py", text) == [
        ("comment", "ADR-0001", 1),
        ("comment", "SPEC-0002", 1),
        ("text", "ADR-0003", 3),
        ("text", "[api]/SPEC-0004", 3),
    ]


def test_only_added_lines_have_mentions(tmp_path: Path) -> None:
    before = "# Governing: ADR-0001,\n#   ADR-0002\nx = 1  # ADR-0003\n"
    after = "# Governing: ADR-0001,\n#   ADR-0002,\n#   ADR-0004\nx = 1  # ADR-0003\ny = 2\n"
    subject = subject_of(tmp_path, {"a.py": before}, {"a.py": after})

    assert summaries(list(subject.mentions)) == [
        ("comment", "ADR-0002", 2),
        ("comment", "ADR-0004", 3),
    ]


def test_each_requirement_is_one_mention(tmp_path: Path) -> None:
    text = '// Governing: SPEC-0001 REQ "One", REQ "Two"\n// by SPEC-0001 REQ "Three"\n'
    subject = staged_subject_of(tmp_path, {}, {"a.go": text})

    assert [(mention.line, mention.requirement, mention.text) for mention in subject.mentions] == [
        (1, "One", '// Governing: SPEC-0001 REQ "One", REQ "Two"'),
        (1, "Two", '// Governing: SPEC-0001 REQ "One", REQ "Two"'),
        (2, "Three", '// by SPEC-0001 REQ "Three"'),
    ]


def test_code_urls_and_frontmatter_of_markdown_have_no_mentions(tmp_path: Path) -> None:
    text = (
        "---\nextends: [ADR-0001]\n---\n"
        "<!-- Governing: ADR-0002 -->\n"
        "See [ADR-0003](ADR-0003-x.md), `ADR-0004` and ADR 5.\n"
        "```\n# Governing: ADR-0006\n```\n"
        "At https://example.org/adr/ADR-0007-x.md and ADR-0008.\n"
        "<!--\nADR-0009\n-->\n"
    )

    assert in_file(tmp_path, "a.md", text) == [
        ("text", "ADR-0002", 4),
        ("text", "ADR-0003", 5),
        ("text", "ADR-0003", 5),
        ("text", "ADR-0005", 5),
        ("text", "ADR-0008", 9),
    ]


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("Its ADR-0001, upstream ADR-0002, the other tool's ADR-0003", []),
        ("`that` its ADR-0001, their own ADR-0002, that-tool ADR-0003, OpenTool ADR-0004", []),
        ("Its ADR-0001 says so. By ADR-0001, and ADR-0002.", ["ADR-0002"]),
        ("Rename all ADRs (#4234)", []),
        ("as ADR #12 says", ["ADR-0012"]),
        ("see [ADR-0001] and **ADR-0002**", ["ADR-0001", "ADR-0002"]),
        ("RFC 12, rfc-0012, C99 ADRIFT, spectrum 4, a spec 12", []),
    ],
)
def test_ids_of_other_projects_are_left_out(tmp_path: Path, line: str, ids: list[str]) -> None:
    assert [id_ for _, id_, _ in in_file(tmp_path, "a.md", f"{line}\n")] == ids


def test_lines_are_counted_as_git_counts_them(tmp_path: Path) -> None:
    text = "one\rtwo\r\n\rADR-0001\r\n# Governing: ADR-0002\r\n"

    assert [line for _, _, line in in_file(tmp_path, "a.md", text)] == [3, 2]
    assert [line for _, _, line in in_file(tmp_path / "b", "a.py", text)] == [3, 2]


def test_ids_of_a_range_are_not_alone(tmp_path: Path) -> None:
    text = "ADR-0001..0003 and ADR-0010, ADR-0020 – ADR-0022, ADR-0030 to ADR-0031; ADR-0040\n"
    subject = staged_subject_of(tmp_path, {}, {"a.md": text})

    assert [str(mention.id) for mention in subject.mentions if mention.alone] == [
        "ADR-0010",
        "ADR-0040",
    ]


def test_vendored_generated_and_fixture_files_are_left_out(tmp_path: Path) -> None:
    text = "# Governing: ADR-0001\n"
    files: dict[str, str | bytes] = dict.fromkeys(
        ("tests/fixtures/a.py", "vendor/a.py", "docs/template.md", "a.min.js", "a.json"), text
    )
    subject = staged_subject_of(tmp_path, {}, {**files, "a.bin": b"\0# Governing: ADR-0001\n"})

    assert [mention for mention in subject.mentions if mention.path != "CLAUDE.md"] == []


def test_only_the_header_of_a_test_has_mentions(tmp_path: Path) -> None:
    text = (
        '"""Tests."""\n# Governing: ADR-0001\nx = \'ADR-0002\'\n'
        'y = """\n# Governing: ADR-0003\n"""\nz = "# Governing: ADR-0004"\n'
    )
    text += "\n" * MAX_TEST_HEADER_LINES + "# Governing: ADR-0005\n"

    assert in_file(tmp_path, "tests/test_a.py", text) == [("comment", "ADR-0001", 2)]


def test_title_body_and_messages_mention_each_artifact_once() -> None:
    assert mentioned("ADR-0001: go", "By ADR-0002 and adr-0001.", "ADR-0003\n\nADR-0002") == [
        ("title", "ADR-0001"),
        ("body", "ADR-0002"),
        ("message", "ADR-0003"),
    ]


def test_comments_code_urls_and_merges_in_texts_have_no_mentions() -> None:
    body = "<!-- for example ADR-0001 -->\n```\nADR-0002\n```\n`ADR-0003` https://x.org/ADR-0004\n"

    assert mentioned("", body, "Merge branch 'adr-0005-go'") == []


@given(
    st.lists(
        st.one_of(
            st.text(st.characters(exclude_categories=[]), max_size=30),
            st.sampled_from(
                [
                    "ADR-0001",
                    "`",
                    "```",
                    "<!--",
                    "..",
                    'SPEC-1 REQ "',
                    "its ",
                    "\x1b[31m",
                    "](",
                    "\n",
                ]
            ),
        ),
        max_size=20,
    )
)
def test_no_text_makes_the_search_fail(pieces: list[str]) -> None:
    text = "".join(pieces)
    added = dict(enumerate(text.split("\n"), 1))

    mentioned(text, text, text)
    for path in ("a.md", "a.py", "a.txt"):
        for mention in find_file_mentions(path, text, added):
            assert mention.text == added[mention.line]


@pytest.mark.parametrize(
    "piece",
    ["[", "`", "http://", "](", "ADR-", "its ", "(#", "ADR-0001", 'REQ "', "SPEC-1 REQ", "a-"],
)
def test_hostile_lines_are_searched_in_linear_time(piece: str) -> None:
    line = piece * (2_000 // len(piece))
    text = "\n".join([line] * 40)

    mentioned(line, text)
    for path in ("a.md", "a.py"):
        list(find_file_mentions(path, text, dict(enumerate(text.split("\n"), 1))))


def test_a_body_that_is_made_of_messages_is_read_as_they_are(tmp_path: Path) -> None:
    message = "Sweep\n\n# See ADR-0001\nAs ADR-0002 says\n"
    subject = subject_of(tmp_path, {}, {"a.py": "x = 1\n"}, message=message)
    assert {str(one.id) for one in subject.mentions} == {"ADR-0002"}
