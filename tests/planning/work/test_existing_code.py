"""What hits of a search are about: definitions, and the conventions of their directory."""

from __future__ import annotations

from sdd_hooks.engines.protocol import Hit
from sdd_hooks.planning.work.existing_code import (
    MAX_NAMES,
    MAX_SYMBOLS,
    SYMBOLS_PER_FILE,
    existing_definitions,
    find_conventions,
)
from tests.planning.work.shop import PARSE, SMALL, STORE

FILES = {"internal/auth/parse.go": PARSE, "internal/session/store.go": STORE}


def hit(path: str, first: int, last: int, score: float) -> Hit:
    return Hit(f"{path}#x", "shop-code", path, first, last, "", "", score, None, "", "")


def read(path: str) -> str:
    return FILES.get(path, "")


def test_the_definition_on_the_lines_of_the_hit() -> None:
    (found,) = existing_definitions([hit("internal/auth/parse.go", 10, 17, 0.8)], "", read)
    assert (found.symbol, found.score) == ("parseUserID", 0.8)


def test_a_name_with_words_of_the_query_counts_more() -> None:
    store = hit("internal/session/store.go", 5, 8, 0.5)
    scores = {one.symbol: one.score for one in existing_definitions([store], "loading users", read)}
    # `Load` has a word of the query, `Store` is on the lines of the hit.
    assert scores == {"Store": 0.5, "Store.Load": 0.5}


def test_the_best_score_of_several_hits_counts() -> None:
    hits = [hit("internal/auth/parse.go", 10, 17, score) for score in (0.4, 0.9, 0.5)]
    (found,) = existing_definitions(hits, "", read)
    assert found.score == 0.9


def test_tests_documents_and_missing_files_are_left_out() -> None:
    paths = ("internal/auth/parse_test.go", "docs/x.md", "vendor/x/parse.go", "gone.go")
    texts = dict.fromkeys(paths[:3], PARSE)
    hits = [hit(path, 1, 99, 0.9) for path in paths]
    assert existing_definitions(hits, "parse user", lambda path: texts.get(path, "")) == ()


def test_a_brief_has_room_for_some_of_each_file() -> None:
    text = "".join(f"def load_{at}():\n    pass\n\n" for at in range(50))
    hits = [hit(f"a{at}.py", 1, 200, 0.5) for at in range(20)]
    found = existing_definitions(hits, "load", lambda _: text)
    assert len(found) == MAX_SYMBOLS
    assert sum(one.path == "a0.py" for one in found) == SYMBOLS_PER_FILE


def conventions(files: dict[str, str], *directories: str) -> list[tuple[str, int, int]]:
    found = find_conventions(directories, list(files), lambda path: files[path].encode())
    return [(one.name, one.uses, one.files) for one in found]


def test_a_module_of_the_repository_that_half_of_the_files_import() -> None:
    go = {f"internal/session/{at}.go": SMALL.format(name=f"f{at}") for at in range(3)}
    own = {**go, "internal/errs/errs.go": "package errs\n"}
    own["internal/session/3.go"] = 'package session\n\nimport "strings"\n'
    assert conventions(own, "internal/session") == [("example.com/shop/internal/errs", 3, 4)]
    # Without the module in the repository, it is a library.
    assert conventions(go, "internal/session") == []


def test_relative_imports_are_those_of_the_repository() -> None:
    files = {f"src/api/{at}.ts": "import { log } from '../lib/log'\n" for at in range(3)}
    files["src/lib/log.ts"] = "export function log() {}\n"
    assert conventions(files, "src/api", "src/api") == [("src/lib/log", 3, 3)]


def test_few_files_tests_and_rare_imports_are_no_convention() -> None:
    files = {
        "src/a/x.py": "from shop.lib import log\n",
        "src/a/y.py": "from shop.lib import log\n",
        "src/a/test_x.py": "from shop.lib import log\n",
        "src/shop/lib.py": "log = 1\n",
        **{f"src/b/{at}.py": "import os\n" for at in range(9)},
    }
    assert conventions(files, "src/a", "src/b", "nowhere") == []


def test_at_most_some_imports_of_a_directory_are_listed() -> None:
    lines = "".join(f"import './lib/m{at}'\n" for at in range(20))
    files = {f"a/{at}.ts": lines for at in range(3)} | {f"a/lib/m{at}.ts": "" for at in range(20)}
    assert len(conventions(files, "a")) == MAX_NAMES
