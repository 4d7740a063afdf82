from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import MemoryFile, decode, find_memory_file, normalised, parse

HOLDS = "# App\n\n## Architecture Context\n\n- text\n"


def titles(text: str) -> list[tuple[int, str, int]]:
    return [(s.level, s.title, s.number) for s in parse(text)]


def shown(text: str) -> list[tuple[int, str]]:
    return [(line.number, line.text) for s in parse(text) for line in s.lines if line.text.strip()]


def test_sections_and_their_lines():
    assert titles("intro\n# One\na\n\n## Two ##\nb\n   ### Three\n#No\n####### No\n#\n") == [
        (0, "", 0),
        (1, "One", 2),
        (2, "Two", 5),
        (3, "Three", 7),
        (1, "", 10),
    ]


def test_lines_keep_their_numbers():
    assert shown("a\n# One\nb\n\nc") == [(1, "a"), (3, "b"), (5, "c")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_end_of_line(end: str):
    text = end.join(["# One", "a", "## Two", "b"])
    assert titles(text) == [(0, "", 0), (1, "One", 1), (2, "Two", 3)]
    assert shown(text) == [(2, "a"), (4, "b")]


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
def test_code_and_comments_hold_no_headings(fenced: str):
    assert [title for _, title, _ in titles(f"# One\n{fenced}\n# Two\n")] == ["", "One", "Two"]


def test_a_fence_that_is_never_closed_takes_the_rest():
    assert [title for _, title, _ in titles("# One\n```\n# no\n")] == ["", "One"]


def test_three_backticks_in_a_line_are_no_fence():
    assert [title for _, title, _ in titles("```code``` text\n# One\n")] == ["", "One"]


def test_a_comment_in_a_line_is_left_out():
    assert shown("- **Key**: value <!-- why -->\n`<!--` is how one begins\n") == [
        (1, "- **Key**: value "),
        (2, "`<!--` is how one begins"),
    ]


def test_below_takes_a_section_with_those_inside():
    sections = parse("## A\n### B\n#### C\n### D\n## E\n### b:\n# F")
    memory = MemoryFile(Path("x"), tuple(sections))
    assert [[s.title for s in inside] for inside in memory.below("a")] == [["A", "B", "C", "D"]]
    assert [[s.title for s in inside] for inside in memory.below("b")] == [["B", "C"], ["b:"]]


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("SDD Configuration", "sdd configuration"),
        ("**SDD  configuration**:", "sdd configuration"),
        ("[SDD](https://x.y/z) `Configuration`", "sdd configuration"),
    ],
)
def test_normalised(title: str, plain: str):
    assert normalised(title) == plain


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_decode(codec: str):
    assert decode("Größe".encode(codec)) == "Größe"


def test_decode_never_fails():
    assert decode(b"\xff\xfe\x00") == "\ufffd"
    assert decode("Größe".encode("latin-1")) == "Gr\ufffd\ufffde"


def test_first_that_holds_the_sections(tmp_path: Path):
    assert find_memory_file(tmp_path) == (None, [])
    (tmp_path / "CRUSH.md").write_text(HOLDS)
    (tmp_path / "AGENTS.md").write_text("### SDD Configuration\n")
    (tmp_path / "CLAUDE.md").write_text("See @AGENTS.md\n\n```\n## Architecture Context\n```\n")
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path == tmp_path / "AGENTS.md"
    assert unreadable == []


def test_older_name_of_the_section(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_text("### Design Plugin Configuration\n")
    memory, _ = find_memory_file(tmp_path)
    assert memory


def test_link_to_another_memory_file(tmp_path: Path):
    (tmp_path / "AGENTS.md").write_text(HOLDS)
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path == tmp_path / "AGENTS.md"
    assert unreadable == []


def test_link_out_of_the_repository_is_left_alone(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "other.md").write_text(HOLDS)
    (root / "CLAUDE.md").symlink_to("../other.md")
    memory, [unreadable] = find_memory_file(root)
    assert memory is None
    assert (unreadable.path, unreadable.reason) == (
        root / "CLAUDE.md",
        "CLAUDE.md: leaves the repository",
    )


def test_too_large_and_not_a_file(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_bytes(b"x" * (1 << 20) + b"x")
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "CRUSH.md").write_text(HOLDS)
    memory, unreadable = find_memory_file(tmp_path)
    assert memory
    assert memory.path.name == "CRUSH.md"
    assert [u.path.name for u in unreadable] == ["CLAUDE.md", "AGENTS.md"]


@given(st.text(alphabet=st.sampled_from("# \n\r\t`~<!->abc*"), max_size=200))
def test_every_line_is_seen_once_at_most(text: str):
    sections = list(parse(text))
    numbers = [n for s in sections for n in (s.number, *(line.number for line in s.lines))][1:]
    assert numbers == sorted(set(numbers))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(
        line.text in lines[line.number - 1] or "<!--" in lines[line.number - 1]
        for s in sections
        for line in s.lines
    )


@given(st.text(max_size=200), st.text(alphabet="abc \n", max_size=50))
def test_anything_before_a_heading_is_harmless(before: str, after: str):
    """Unless it opens a fence or a comment, which is what those are for."""
    if any(mark in before for mark in ("```", "~~~", "<!--")):
        return
    found = list(parse(f"{before}\n# SDD Configuration\n{after}"))
    assert found[-1].title == "SDD Configuration"
