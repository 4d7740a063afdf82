import contextlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.text.globs import MAX_PATTERN, compile_glob, compile_path_pattern
from tests.support.cpu_time import assert_cpu_seconds, assert_linear


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


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("src/outbox/", "src/outbox/store.py", True),
        ("src/outbox/", "src/outbox", False),
        ("src/outbox", "src/outbox/deep/store.py", True),
        ("src/outbox", "lib/src/outbox/store.py", False),
        ("/src", "src/a.py", True),
        ("/src", "lib/src/a.py", False),
        ("src", "lib/src/a.py", True),
        ("*.sql", "db/migrations/1.sql", True),
        ("*.sql", "1.sql.bak", False),
        ("db/*.sql", "db/1.sql", True),
        ("db/*.sql", "db/old/1.sql", False),
        ("db/**/1.sql", "db/1.sql", True),
        ("db/**/1.sql", "db/a/b/1.sql", True),
        ("**/outbox", "a/outbox/b.py", True),
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", False),
        ("**", "a/b.py", True),
        ("./src/a.py", "src/a.py", True),
        ("src/{a,b}.py", "src/b.py", True),
        ("src/{a,b}.py", "src/c.py", False),
        ("src/[ab].py", "src/a.py", True),
        ("SRC", "src/a.py", False),
        ("**/**/**/a.py", "x/y/a.py", True),
    ],
)
def test_patterns_match_as_in_gitignore(pattern: str, path: str, *, matches: bool) -> None:
    assert compile_path_pattern(pattern)(path) is matches


@pytest.mark.parametrize(
    "pattern", ["", "/", "./", "../a", "a/../b", "a" * (MAX_PATTERN + 1), "{a,b}" * 8]
)
def test_an_unusable_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError):
        compile_path_pattern(pattern)


_PARTS = st.sampled_from(["a", "b", "*", "**", "a*", "?", "[ab]"])
_PATTERNS = st.tuples(
    st.sampled_from(["", "/"]), st.lists(_PARTS, min_size=1, max_size=4), st.sampled_from(["", "/"])
).map(lambda parts: parts[0] + "/".join(parts[1]) + parts[2])
_PATHS = st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=4).map("/".join)


@settings(max_examples=15, deadline=None)
@given(st.lists(_PATTERNS, min_size=1, max_size=8), st.lists(_PATHS, min_size=1, max_size=8))
def test_git_agrees(
    tmp_path_factory: pytest.TempPathFactory, patterns: list[str], paths: list[str]
) -> None:
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", root], check=True)
    for pattern in dict.fromkeys(patterns):
        (root / ".gitignore").write_text(f"{pattern}\n")
        ignored = _ignored(root, paths)
        matching = {path for path in paths if compile_path_pattern(pattern)(path)}
        assert matching == ignored, pattern


def _ignored(root: Path, paths: list[str]) -> set[str]:
    command = ["git", "-C", str(root), "check-ignore", "--no-index", "--stdin", "-z"]
    data = "".join(f"{path}\0" for path in paths).encode()
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    return set(done.stdout.decode().split("\0")) - {""}


@pytest.mark.parametrize("piece", ["**/", "*a", "a/**/", "?*", "[a-", "{a,"])
def test_a_hostile_pattern_is_refused_or_costs_linear_time(piece: str) -> None:
    pattern = (piece * MAX_PATTERN)[:MAX_PATTERN]
    try:
        matches = compile_path_pattern(pattern)
    except ValueError:
        return
    assert_linear(matches, lambda size: "a/" * size + "b", 2_000)
