import re

import pytest

from sdd_hooks.text.lazy_regex import expression


def test_it_does_what_a_compiled_one_does() -> None:
    word = expression(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    assert [found["first"] for found in word.finditer("Keep it")] == ["K", "i"]
    assert word.findall("ab CD") == ["a", "C"]
    assert word.sub("-", "ab CD") == "- -"
    assert word.match(" ab") is None
    assert word.fullmatch("ab")
    assert word.pattern == r"(?P<first>[a-z])[a-z]*"
    assert word.flags & re.IGNORECASE


def test_nothing_is_compiled_before_it_is_used() -> None:
    broken = expression("(")
    with pytest.raises(re.error):
        broken.search("x")
