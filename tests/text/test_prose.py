"""The prose of Markdown: its blocks, its plain text, its sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.prose import plain_text, read_prose, split_sentences
from tests.support.cpu_time import assert_linear

MARKUP = st.text(alphabet="ab `*_[]()<>|#-.!?\n>~:/1é。", max_size=300)


def test_paragraphs_and_items_are_blocks() -> None:
    text = """\
---
status: accepted
---
# A title

A first line
continues here.

- One *item*
  of two lines
1. [x] Done
> A quotation.

| a | b |
|---|---|
![image](x.png)

```sh
code
```
<!-- hidden -->
"""
    assert [(one.kind, one.text, one.line) for one in read_prose(text)] == [
        ("paragraph", "A first line continues here.", 5),
        ("item", "One item of two lines", 8),
        ("item", "Done", 10),
        ("paragraph", "A quotation.", 11),
    ]


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("a **bold** and _soft_ word", "a bold and soft word"),
        ("see [the docs](https://x.test/a_b) now", "see the docs now"),
        ("keep `a_b * c` and snake_case", "keep `a_b * c` and snake_case"),
        ("line<br>break  and   spaces", "line break and spaces"),
        ("2 * 3 is 6", "2 * 3 is 6"),
    ],
)
def test_plain_text(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use e.g. Redis. It works.", ["Use e.g. Redis.", "It works."]),
        ("Version 1.2 is out. `sdd` runs.", ["Version 1.2 is out.", "`sdd` runs."]),
        ("一つ。二つ。", ["一つ。", "二つ。"]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(MARKUP)
def test_any_text_is_read_without_losing_words(text: str) -> None:
    for block in read_prose(text):
        assert block.text == " ".join(block.text.split())
        assert block.text
        joined = "".join(split_sentences(block.text))
        assert joined.replace(" ", "") == block.text.replace(" ", "")


@pytest.mark.parametrize("unit", ["[", "`", "*", "![", "<a", "- ", "> ", "[a](", "a. ", "`a"])
def test_hostile_text_costs_in_proportion(unit: str) -> None:
    assert_linear(lambda text: list(read_prose(text)), lambda size: unit * size, 4000)
