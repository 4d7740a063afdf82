import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.text.path_patterns import MAX_PATTERN, compile_path_pattern
from tests.support.cpu_time import assert_linear


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
