from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import (
    MemoryFile,
    find_memory_file,
    normalize_key,
    normalize_title,
    parse_memory_sections,
    read_settings,
    unquote_value,
)

HAS_CONTEXT = "# App\n\n## Architecture Context\n\n- text\n"


def titles(text: str) -> list[tuple[int, str, int]]:
    return [(s.level, s.title, s.number) for s in parse_memory_sections(text)]


def visible_lines(text: str) -> list[tuple[int, str]]:
    return [
        (line.number, line.text)
        for s in parse_memory_sections(text)
        for line in s.lines
        if line.text.strip()
    ]


def test_sections_and_their_lines():
    assert titles("intro\n# One\na\n\n## Two ##\nb\n   ### Three\n#No\n####### No\n#\n") == [
        (0, "", 0),
        (1, "One", 2),
        (2, "Two", 5),
        (3, "Three", 7),
        (1, "", 10),
    ]


def test_lines_keep_their_numbers():
    assert visible_lines("a\n# One\nb\n\nc") == [(1, "a"), (3, "b"), (5, "c")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_end_of_line(end: str):
    text = end.join(["# One", "a", "## Two", "b"])
    assert titles(text) == [(0, "", 0), (1, "One", 1), (2, "Two", 3)]
    assert visible_lines(text) == [(2, "a"), (4, "b")]


@pytest.mark.parametrize(
    "fenced",
    [
        "```\n# no\n```",
        "```markdown\n# no\n~~~\n# no\n```",
        "~~~\n# no\n```\n# no\n~~~~",
        "````\n```\n# no\n```\n````",
        "1. step\n   ```sh\n   # no\n   ```",
        "- ```sh\n  # no\n  ```",
        "> ```\n> # no\n> ```",
        "<!-- # no -->",
        "<!--\n# no\n\n# no\n-->",
        "text <!-- a\n# no\n--> # no",
    ],
)
def test_headings_in_code_and_comments_are_ignored(fenced: str):
    assert [title for _, title, _ in titles(f"# One\n{fenced}\n# Two\n")] == ["", "One", "Two"]


def test_an_unclosed_fence_extends_to_the_end():
    assert [title for _, title, _ in titles("# One\n```\n# no\n")] == ["", "One"]


def test_three_backticks_within_a_line_open_no_fence():
    assert [title for _, title, _ in titles("```code``` text\n# One\n")] == ["", "One"]


def test_a_comment_within_a_line_is_dropped():
    assert visible_lines("- **Key**: value <!-- why -->\n`<!--` is how one begins\n") == [
        (1, "- **Key**: value "),
        (2, "`<!--` is how one begins"),
    ]


def test_find_sections_returns_a_section_with_its_subsections():
    sections = parse_memory_sections("## A\n### B\n#### C\n### D\n## E\n### b:\n# F")
    memory = MemoryFile(Path("x"), tuple(sections))
    assert [[s.title for s in group] for group in memory.find_sections("a")] == [
        ["A", "B", "C", "D"]
    ]
    assert [[s.title for s in group] for group in memory.find_sections("b")] == [
        ["B", "C"],
        ["b:"],
    ]


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("SDD Configuration", "sdd configuration"),
        ("**SDD  configuration**:", "sdd configuration"),
        ("[SDD](https://x.y/z) `Configuration`", "sdd configuration"),
    ],
)
def test_normalize_title(title: str, plain: str):
    assert normalize_title(title) == plain


def test_the_first_file_with_a_known_section_is_the_memory_file(tmp_path: Path):
    assert find_memory_file(tmp_path) == (None, [])
    (tmp_path / "CRUSH.md").write_text(HAS_CONTEXT)
    (tmp_path / "AGENTS.md").write_text("### SDD Configuration\n")
    (tmp_path / "CLAUDE.md").write_text("See @AGENTS.md\n\n```\n## Architecture Context\n```\n")
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path == tmp_path / "AGENTS.md"
    assert unreadable == []


def test_the_older_section_name_is_accepted(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_text("### Design Plugin Configuration\n")
    memory, _ = find_memory_file(tmp_path)
    assert memory


def test_a_link_to_another_memory_file_is_followed(tmp_path: Path):
    (tmp_path / "AGENTS.md").write_text(HAS_CONTEXT)
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path == tmp_path / "AGENTS.md"
    assert unreadable == []


def test_a_link_out_of_the_repository_is_unreadable(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "other.md").write_text(HAS_CONTEXT)
    (root / "CLAUDE.md").symlink_to("../other.md")
    memory, [unreadable] = find_memory_file(root)
    assert memory is None
    assert (unreadable.path, unreadable.reason) == (
        root / "CLAUDE.md",
        "CLAUDE.md: leaves the repository",
    )


def test_a_large_file_and_a_directory_are_unreadable(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_bytes(b"x" * (1 << 20) + b"x")
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "CRUSH.md").write_text(HAS_CONTEXT)
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path.name == "CRUSH.md"
    assert [u.path.name for u in unreadable] == ["CLAUDE.md", "AGENTS.md"]
    assert unreadable[0].reason == (
        "CLAUDE.md: larger than 1048576 bytes: move a part of its text to another file"
    )


@given(st.text(alphabet=st.sampled_from("# \n\r\t`~<!->abc*"), max_size=200))
def test_every_line_appears_once_at_most(text: str):
    sections = list(parse_memory_sections(text))
    numbers = [n for s in sections for n in (s.number, *(line.number for line in s.lines))][1:]
    assert numbers == sorted(set(numbers))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(
        line.text in lines[line.number - 1] or "<!--" in lines[line.number - 1]
        for s in sections
        for line in s.lines
    )


@given(st.text(max_size=200), st.text(alphabet="abc \n", max_size=50))
def test_text_before_a_heading_does_not_hide_it(before: str, after: str):
    """An unclosed fence or comment hides it; those are excluded."""
    if any(mark in before for mark in ("```", "~~~", "<!--")):
        return
    found = list(parse_memory_sections(f"{before}\n# SDD Configuration\n{after}"))
    assert found[-1].title == "SDD Configuration"


GROUP_KEYS = {"tracker", "branchconventions"}


def settings(text: str) -> list[tuple[str, str, str]]:
    (section,) = parse_memory_sections(text)
    return [(e.group, e.key, e.value) for e in read_settings(section, GROUP_KEYS)]


@pytest.mark.parametrize(
    "line",
    [
        "- **Type**: github",
        "* **Type:** github",
        "+ __Type__: `github`",
        "- Type: github",
        '**Type**: "github"',
        "Type: github",
        "  - **Type** : *github*  ",
        "\t- **Type**:\tgithub",
    ],
)
def test_variations_of_a_setting(line: str):
    assert settings(line) == [("", "Type", "github")]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- text",
        "**Note** that this is text",
        "- **bold** text: with a colon",
        "| **Type** | github |",
        "- https://example.org",
        "- `code`: text",
        "10:30 o'clock",
    ],
)
def test_other_lines_are_not_settings(line: str):
    assert settings(line) == []


def test_groups_opened_by_a_paragraph():
    text = (
        "**Tracker**: GitHub\n**Owner**: me\n"
        "**Branch Conventions**:\n- Prefix: a\n\n  - Epic: b\n**X**: c"
    )
    assert settings(text) == [
        ("", "Tracker", "GitHub"),
        ("", "Owner", "me"),
        ("", "Branch Conventions", ""),
        ("Branch Conventions", "Prefix", "a"),
        ("Branch Conventions", "Epic", "b"),
        ("", "X", "c"),
    ]


def test_groups_opened_by_an_item():
    text = "- **Tracker**: GitHub\n  - Owner: me\n- **X**: c\n- **Branch conventions**\n- **Y**: d"
    assert settings(text) == [
        ("", "Tracker", "GitHub"),
        ("Tracker", "Owner", "me"),
        ("", "X", "c"),
        ("", "Y", "d"),
    ]


def test_a_value_may_hold_anything():
    assert settings("- **URL**: https://a.b:8/c?d=e: f **g**") == [
        ("", "URL", "https://a.b:8/c?d=e: f **g**")
    ]
    assert settings("- **Views**:") == [("", "Views", "")]


@pytest.mark.parametrize(
    ("value", "bare"),
    [("`a`", "a"), ("**a**", "a"), ("'\"a\"'", "a"), ("`", "`"), ("`a", "`a"), ("``", "")],
)
def test_unquote_value(value: str, bare: str):
    assert unquote_value(value) == bare


@given(st.text())
def test_normalize_key(name: str):
    assert normalize_key(name).isalnum() or normalize_key(name) == ""
    assert normalize_key(f" {name}-_: ") == normalize_key(name)


words = st.text(alphabet="abc", min_size=1, max_size=5)


@given(st.lists(st.tuples(words, words), max_size=5))
def test_written_settings_are_read_back(pairs: list[tuple[str, str]]):
    text = "\n".join(f"- **{key}**: {value}" for key, value in pairs)
    assert [(key, value) for _, key, value in settings(text)] == pairs


@given(st.text(alphabet=st.sampled_from("-*_: \tab`"), max_size=60))
def test_a_line_has_at_most_one_setting(line: str):
    assert len(settings(line)) <= 1
