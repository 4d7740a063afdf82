"""Patterns of strangers over text of strangers: what they find, and what they may cost."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.changes.change import ChangedFile
from sdd_hooks.review.patterns import (
    LONGEST,
    PatternError,
    added_text,
    compile_pattern,
)
from sdd_hooks.text.lines import NumberedLine

lines = st.lists(st.text("ab Ω\t", max_size=6), max_size=6)


def file(path: str, *texts: str, first: int = 1) -> ChangedFile:
    rows = tuple(NumberedLine(number, text) for number, text in enumerate(texts, first))
    return ChangedFile(path, "", "A", "100644", added=rows)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "empty"),
        ("(?=a)b", "RE2 has no lookahead and no lookbehind (invalid perl operator: (?=)"),
        ("(?<!a)b", "no lookahead"),
        (r"(a)\1", r"RE2 has no backreference (invalid escape sequence: \1)"),
        ("a(", "missing ): a("),
        ("a)(b", "unexpected ): a)(b"),
        ("a{1001}", "invalid repetition size"),
        ("(a{100}){11}b", "invalid repetition size"),
        ("a{600}b{600}", "repeats too much"),
        (r"((\pL{30}){30})x", "repeats too much"),
        ("x" * (LONGEST + 1), "longer than 1,000 characters"),
        ("a*", "every line"),
        ("^", "every line"),
        ("a|", "every line"),
        (r"\Za", "invalid escape sequence"),
        ("[z-a]", "invalid character class range: z-a"),
    ],
)
def test_what_cannot_be_used_says_why(source: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        compile_pattern(source)


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^b$", "b", True),
        ("^b$", "ab", False),
        (r"\beval\(", "x = eval(1)", True),
        (r"\beval\(", "medieval(1)", False),
        ("(?i)TODO", "todo", True),
        (r"Ω+", "aΩ", True),
        (r"\p{Greek}", "aΩ", True),
    ],
)
def test_a_pattern_is_matched_within_a_line(source: str, text: str, found: bool) -> None:
    assert compile_pattern(source).matches(text) is found


def test_no_pattern_reaches_the_next_line() -> None:
    text = added_text([file("a.py", "a", "b", "", "c")])
    for source in (r"a\s*b", "a[^x]b", "(?s)a.b", "\n", r"b\n"):
        assert list(text.search(compile_pattern(source), most=9, most_of_file=9)) == []


def test_each_line_with_a_match_is_a_hit_with_its_columns() -> None:
    text = added_text(
        [file("a.py", "ΩΩ eval eval", "none", "eval", first=7), file("b"), file("c.py", "eval")]
    )
    hits = list(text.search(compile_pattern("eval"), most=9, most_of_file=9))
    assert [(hit.file.path, hit.line.number, hit.start, hit.end) for hit in hits] == [
        ("a.py", 7, 3, 7),
        ("a.py", 9, 0, 4),
        ("c.py", 1, 0, 4),
    ]


def test_hits_are_bounded_by_file_and_in_all() -> None:
    text = added_text([file(path, *["x"] * 50) for path in ("a", "b", "c")])
    pattern = compile_pattern("x")
    hits = list(text.search(pattern, most=5, most_of_file=2))
    assert [(hit.file.path, hit.line.number) for hit in hits] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
        ("c", 1),
    ]


@given(st.lists(lines, max_size=5), st.sampled_from(["a", "^b", "a+b?$", "Ω| a", r"\t"]))
def test_hits_are_the_lines_that_match(files: list[list[str]], source: str) -> None:
    changed = [file(str(index), *texts) for index, texts in enumerate(files)]
    pattern = compile_pattern(source)
    hits = list(added_text(changed).search(pattern, most=99, most_of_file=99))
    expected = [
        (str(index), number, found.span())
        for index, texts in enumerate(files)
        for number, text in enumerate(texts, 1)
        if (found := re.search(source, text))
    ]
    assert [(hit.file.path, hit.line.number, (hit.start, hit.end)) for hit in hits] == expected


@pytest.mark.parametrize(
    "source", ["(x+x+)+y", "(a|a|aa|x)*y", "(.*x){20}y", "(?:x?){30}x{30}y", "(x|xx)+(x|xx)+y"]
)
def test_what_python_takes_for_ever_is_done_in_a_moment(source: str) -> None:
    text = added_text([file("a", *["x" * 2_000] * 100)])
    started = time.monotonic()
    hits = list(text.search(compile_pattern(source), most=9, most_of_file=9))
    assert hits == []
    assert time.monotonic() - started < 5


def test_text_that_is_no_unicode_is_searched_all_the_same() -> None:
    text = added_text([file("a", "\ud800 eval", "\0eval")])
    hits = list(text.search(compile_pattern("eval"), most=9, most_of_file=9))
    assert [(hit.line.number, hit.start) for hit in hits] == [(1, 2), (2, 1)]
    assert not compile_pattern("eval").matches("\ud800")
