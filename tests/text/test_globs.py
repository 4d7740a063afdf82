import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.text.globs import compile_glob
from tests.support.cpu_time import assert_cpu_seconds


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.md", ["a.md", ".md"], ["a/b.md", "a.mdx", "amd", "a.md\n"]),
        ("**/*.md", ["a.md", "a/b/c.md"], ["a/b.txt"]),
        ("**", ["a", "a/b"], []),
        ("a/**", ["a/b", "a/b/c"], ["ab", "a", "b/a/c"]),
        ("a/**/**", ["a/b"], ["a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/b/c", "ab"]),
        ("**/a/**/b*/c", ["a/b/c", "x/a/y/a/bx/c"], ["a/c", "a/b/d/c"]),
        ("a**c", ["ac", "abc"], ["a/c"]),
        ("a?c", ["abc"], ["a/c", "ac"]),
        ("[a-c].md", ["b.md"], ["d.md", "/.md"]),
        ("[!a-c].md", ["d.md"], ["b.md", "/.md"]),
        ("[]].md", ["].md"], ["a.md"]),
        ("[[:].md", ["[.md", ":.md"], []),
        ("[+-9]", ["0", "+"], ["/"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("*.{md,mdx}", ["a.md", "a.mdx"], ["a.{md,mdx}"]),
        ("{a,b}*/x", ["a1/x", "b/x"], ["c/x"]),
        ("{a/b,c}/{x,y}", ["a/b/x", "c/y"], ["a/x"]),
        ("{,x}a", ["a", "xa"], ["ya"]),
        ("[a", ["[a"], ["a"]),
        ("{a", ["{a"], ["a"]),
        ("{a}", ["{a}"], ["a"]),
        ("a+(b)$.md", ["a+(b)$.md"], ["aab.md"]),
        ("", [""], ["a"]),
    ],
)
def test_globs(pattern: str, yes: list[str], no: list[str]):
    matches = compile_glob(pattern)
    assert [path for path in yes if not matches(path)] == []
    assert [path for path in no if matches(path)] == []


def test_a_reversed_range_matches_literally():
    assert not compile_glob("[z-a]x")("mx")


def test_too_many_alternatives():
    with pytest.raises(ValueError, match="more than 100 patterns"):
        compile_glob("{a,b}" * 30)


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**/" * 30 + "b", "**/*a*a*a*a/" * 10 + "b"])
def test_no_pattern_takes_exponential_time(pattern: str):
    matches = compile_glob(pattern)
    path = "/".join(["a" * 80] * 30)
    assert not assert_cpu_seconds(lambda: matches(path), 1)


@settings(max_examples=300)
@given(
    st.text(alphabet=st.sampled_from("ab*?[]{}!^-,/.\\&|~(+$"), max_size=12),
    st.text(alphabet="ab/.-", max_size=8),
)
def test_any_glob_accepts_any_path(pattern: str, path: str):
    with contextlib.suppress(ValueError):
        compile_glob(pattern)(path)


@given(st.text(alphabet="ab/.+({^$", max_size=12))
def test_a_glob_without_wildcards_matches_itself(pattern: str):
    assert compile_glob(pattern)(pattern)
    assert not compile_glob(pattern)(pattern + "x")
