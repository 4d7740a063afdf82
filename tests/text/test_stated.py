"""What an author states in Markdown and in commit messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.stated import has_reason, read_stated, read_stated_message
from tests.support.cpu_time import assert_linear

HIDDEN = [
    "<!--\nIf no decision applies, write:\nX-1\n-->\n\nFix.",
    "A <!-- e.g. X-1 --> B",
    "<!-- X-1\n\nX-1 -->",
    "```\nX-1\n```",
    "- a\n\n  ~~~\n  X-1\n  ~~~",
    "    X-1",
    "a\n\n\tX-1",
    "- [ ] X-1\n  also X-1\n  - X-1",
    "1. [ ] X-1",
    "> - [ ] X-1",
    "[ ] X-1",
    "☐ X-1",
    "~~X-1~~ and ~X-1~",
    "<del>X-1</del> <S>X-1</S>",
    "<del>\n\nX-1 and\n\n- X-1</del>",
    "<details hidden='X-1'>\n<pre>\nX-1\n\nX-1</pre>",
    "[//]: # (X-1)",
    "[x]: <X-1> 'X-1'",
    "<X-1>",
    "---\nrefs: X-1\n---\n",
    "Does not touch X-1, X-1 or X-1.",
    "Doesn’t\nchange X-1",
    "Unrelated to X-1; this has nothing to do with X-1",
    "X-1 is not affected, X-1 and `X-1` are unchanged",
    "1. Does not touch X-1",
    "#12 does not touch the X-1",
    "This doesn't apply to [X-1](docs/x-1.md)",
    "Never applies X-1, no change of X-1, and not ADR-1",
    "Fixes a leak without touching X-1",
]
STATED = [
    "X-1",
    "- [x] X-1",
    "- [ ] other\n  - [X] X-1",
    "- [ ] other\n- X-1",
    "> X-1",
    "# X-1",
    "`X-1`",
    "`<!--` X-1 `-->`",
    "a <!-- b\n\nX-1",
    "a\n    X-1",
    "<p>X-1</p>",
    "<details>\n<summary>S</summary>\n\nX-1\n\n</details>",
    "<https://example.com/X-1>",
    "see [it][x]\n\n[x]: X-1",
    "<del>a\n\nb</del> X-1",
    "<s>\n\nX-1",
    "~5 files of X-1, ~6 others",
    "Does not violate X-1",
    "Does not yet follow X-1",
    "Not only X-1",
    "Does not touch the cache, follows X-1",
    "Does not touch ADR-1 but follows X-1",
    "As X-1 says not to use Redis",
    "We do not use Redis because of X-1",
    "Per X-1 we must not change the table",
    "See X-1. Does not touch the cache",
    "X-1 does not allow direct writes",
    "This is not about tests.\nRefs: X-1",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_what_the_author_does_not_state_is_blank(text: str) -> None:
    assert "X-1" not in read_stated(text)
    assert "X-1" not in read_stated(text.replace("\n", "\r\n"))


@pytest.mark.parametrize("text", STATED)
def test_what_the_author_states_stays(text: str) -> None:
    assert "X-1" in read_stated(text)


def test_an_issue_states_its_open_boxes_and_tools_read_comments() -> None:
    text = "- [ ] X-1\n\n<!-- X-2 -->\n\n    X-3\n"

    assert read_stated(text, open_boxes=True).split() == ["-", "[", "]", "X-1"]
    assert read_stated(text, comments=True).split() == ["<!--", "X-2", "-->"]


def test_commit_messages() -> None:
    message = "Fix\n\n# X-1\n#12 stays\n```\nX-2\n```\n# ---- >8 ----\nX-3\n"
    assert read_stated_message(message).split() == ["Fix", "#12", "stays"]

    squashed = "Squashed commit of the following:\n\ncommit 1\n\n    X-1\n\n        X-2\n"
    assert read_stated_message(squashed).split()[-1] == "X-1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the last caller", True),
        ("理由", True),
        ("👍", True),
        ("7", True),
        ("it has a reason", True),
        *((reason, False) for reason in ("", " ", ".", "…", "-", "<reason>", "<why not>")),
        *(
            (reason, False)
            for reason in ("reason", "TODO", "[why]", "[your reason]", "(the reason here)")
        ),
        *((chr(code), False) for code in (0x200B, 0x2060, 0xFEFF, 0xAD, 0x3164, 0x2800, 0x115F)),
        *((reason, False) for reason in ("\u0301", "\U000e0041", "\ufe0f", "&nbsp;", "&#8203;")),
    ],
)
def test_reasons(text: str, expected: bool) -> None:
    assert has_reason(text) is expected


@given(st.lists(st.sampled_from([*HIDDEN, *STATED, "\r", "\n", "`", "~", "<", "- ", "[", "é"])))
def test_every_character_keeps_its_place(parts: list[str]) -> None:
    text = "\n".join(parts)
    stated = read_stated(text)

    assert len(stated) == len(text)
    assert all(old in (new, "\r") or new == " " for old, new in zip(text, stated, strict=True))


@pytest.mark.parametrize(
    "unit",
    ["<!--", "`` ` ``` ", "<a ", "~a ", "<del>", "not touch, ", "n't a1", "- [ ] a\n", "[a]: b\n"],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_linear(read_stated, lambda size: unit * size, 1_000)
