"""The added lines of a change are searched in one pass, in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.added_text import AddedText, join_added_lines
from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.text.linear_regex import compile_pattern
from sdd_hooks.text.lines import NumberedLine
from tests.support.cpu_time import assert_linear

lines = st.lists(st.text("ab Ω\t", max_size=6), max_size=6)


def file(path: str, *texts: str, first: int = 1) -> ChangedFile:
    rows = tuple(NumberedLine(number, text) for number, text in enumerate(texts, first))
    return ChangedFile(path, "", "A", "100644", added=rows)


def test_a_pattern_never_matches_across_lines() -> None:
    text = join_added_lines([file("a.py", "a", "b", "", "c")])
    for source in (r"a\s*b", "a[^x]b", "(?s)a.b", "\n", r"b\n"):
        assert list(text.search(compile_pattern(source), limit=9, limit_per_file=9)) == []


def test_each_matching_line_is_found_once() -> None:
    text = join_added_lines(
        [file("a.py", "ΩΩ eval eval", "none", "eval", first=7), file("b"), file("c.py", "eval")]
    )
    matches = list(text.search(compile_pattern("eval"), limit=9, limit_per_file=9))
    assert [(match.file.path, match.line.number) for match in matches] == [
        ("a.py", 7),
        ("a.py", 9),
        ("c.py", 1),
    ]


def test_matches_are_limited_by_file_and_in_total() -> None:
    text = join_added_lines([file(path, *["x"] * 50) for path in ("a", "b", "c")])
    pattern = compile_pattern("x")
    matches = list(text.search(pattern, limit=5, limit_per_file=2))
    assert [(match.file.path, match.line.number) for match in matches] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
        ("c", 1),
    ]


@given(st.lists(lines, max_size=5), st.sampled_from(["a", "^b", "a+b?$", "Ω| a", r"\t"]))
def test_matches_are_those_of_python_regexes(files: list[list[str]], source: str) -> None:
    changed = [file(str(index), *texts) for index, texts in enumerate(files)]
    pattern = compile_pattern(source)
    matches = list(join_added_lines(changed).search(pattern, limit=99, limit_per_file=99))
    expected = [
        (str(index), number)
        for index, texts in enumerate(files)
        for number, text in enumerate(texts, 1)
        if re.search(source, text)
    ]
    assert [(match.file.path, match.line.number) for match in matches] == expected


@pytest.mark.parametrize(
    "source", ["(x+x+)+y", "(a|a|aa|x)*y", "(.*x){20}y", "(?:x?){30}x{30}y", "(x|xx)+(x|xx)+y"]
)
def test_patterns_that_are_exponential_in_python_run_in_linear_time(source: str) -> None:
    pattern = compile_pattern(source)

    def search(text: AddedText) -> None:
        assert list(text.search(pattern, limit=9, limit_per_file=9)) == []

    assert_linear(search, lambda size: join_added_lines([file("a", *["x" * size] * 100)]), 2_000)


def test_text_with_surrogates_and_null_characters_is_searched() -> None:
    text = join_added_lines([file("a", "\ud800 eval", "\0eval")])
    matches = list(text.search(compile_pattern("eval"), limit=9, limit_per_file=9))
    assert [match.line.number for match in matches] == [1, 2]
