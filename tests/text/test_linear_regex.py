"""Untrusted patterns are compiled or refused with a reason, and match within a line."""

from __future__ import annotations

import re
import sys

import pytest

from sdd_hooks.errors import SddError
from sdd_hooks.text.linear_regex import MAX_PATTERN, PatternError, compile_pattern, encode


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
        ("x" * (MAX_PATTERN + 1), "longer than 1,000 characters"),
        ("a*", "every line"),
        ("^", "every line"),
        ("a|", "every line"),
        (r"\Za", "invalid escape sequence"),
        ("[z-a]", "invalid character class range: z-a"),
    ],
)
def test_an_invalid_pattern_gives_the_reason(source: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        compile_pattern(source)


def test_a_missing_engine_is_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(SddError, match=r"^google-re2 is not installed: `sdd doctor` has"):
        compile_pattern("a")


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
def test_a_pattern_matches_within_a_line(source: str, text: str, found: bool) -> None:
    assert (compile_pattern(source).find(encode(text)) is not None) is found


def test_text_with_surrogates_does_not_raise() -> None:
    assert compile_pattern("eval").find(encode("\ud800")) is None
