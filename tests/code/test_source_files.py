"""Comments and strings are recognised by their marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.code.source_files import find_parts
from tests.support.cpu_time import assert_linear

LETTERS = {"code": "c", "comment": "#", "string": "s"}


def draw(path: str, text: str) -> str:
    part = find_parts(path, text)
    return "".join(LETTERS[part(offset)] for offset in range(len(text)))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "a//b", "c###"),
        ("a.js", "a/*b\n*/c", "c######c"),
        ("a.js", "'//'a", "ssssc"),
        ("a.js", '"\\"//"a', "ssssssc"),
        ("a.ts", "`a\nb`c", "sssssc"),
        ("a.js", "don't\nx", "cccsscc"),
        ("a.go", "`\\`//", "sss##"),
        ("a.rs", "'a'b &'a x", "ssscccccccc"[:10]),
        ("a.py", "a # b\nc", "cc###cc"),
        ("a.py", '"""#\n"""#', "ssssssss#"),
        ("a.rb", "'#'#", "sss#"),
        ("a.html", "a<!--b\n-->c", "c#########c"),
        ("a.html", "{# a #}{{ b }}", "#######ccccccc"),
        ("a.html", "a{% comment %}b{% endcomment %}", "c" + "#" * 27 + "ccc"),
        ("a.blade.php", "a{{-- 'b' --}}{{ c }}", "c" + "#" * 13 + "ccccccc"),
        ("a.html", "  // a\nhttps://b", "######" + "c" * 10),
        ("a.erb", "<%# a %>b", "########c"),
        ("a.vue", "'a'", "ccc"),
        ("a.php", "a // b\n# c", "cc####c###"),
        ("a.php", "a<!--'\n-->b", "c#########c"),
        ("a.js", "/* open", "#######"),
        ("a.js", "", ""),
    ],
)
def test_the_parts_of_a_text(path: str, text: str, expected: str) -> None:
    assert draw(path, text) == expected


@given(
    st.sampled_from(["js", "go", "rs", "py", "rb", "html", "php"]),
    st.text("ab/*#'\"`\\\n<!-{}%>", max_size=60),
)
def test_every_character_has_a_part(suffix: str, text: str) -> None:
    assert len(draw(f"a.{suffix}", text)) == len(text)


@pytest.mark.parametrize("path", ["a.js", "a.go", "a.rs", "a.py", "a.html", "a.php"])
@pytest.mark.parametrize(
    "piece", ["'\\", '"\\\\', "/*", "`\\", "<!--", "{#", "'''", "{{!--", "\n  "]
)
def test_hostile_text_takes_linear_time(path: str, piece: str) -> None:
    def find(text: str) -> None:
        find_parts(path, text)(len(text) - 1)

    assert_linear(find, lambda size: piece * size, 50_000)
