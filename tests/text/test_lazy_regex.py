import re

import pytest

from sdd_hooks.text.lazy_regex import lazy_regex


def test_it_behaves_like_a_compiled_pattern() -> None:
    word = lazy_regex(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    assert [match["first"] for match in word.finditer("Keep it")] == ["K", "i"]
    assert word.findall("ab CD") == ["a", "C"]
    assert word.sub("-", "ab CD") == "- -"
    assert word.match(" ab") is None
    assert word.fullmatch("ab")
    assert word.pattern == r"(?P<first>[a-z])[a-z]*"
    assert word.flags & re.IGNORECASE


def test_the_pattern_compiles_on_first_use() -> None:
    broken = lazy_regex("(")
    with pytest.raises(re.error):
        broken.search("x")
