"""How much a path says about a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.ranking.fusion import RankedMatch
from sdd_hooks.engines.ranking.path_evidence import PathEvidence, is_secondary, weigh_paths
from tests.support.cpu_time import assert_linear


def factor(query: str, path: str) -> float:
    return PathEvidence(query).factor(path)


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("how are sessions stored", "src/session_store.py", "src/cookies.py"),
        ("command completion", "completions.go", "args.go"),
        ("cultural heritage", "DBCulturalHeritage.java", "DBTourist.java"),
        ("CulturalHeritage", "src/cultural_heritage.py", "src/cultural.py"),
        ("authentication", "lib/auth.py", "lib/store.py"),
        # A folder names what its files are about; a short name says more than a long one.
        ("web ui of the store", "webui/web/Startup.java", "registry/rest/Startup.java"),
        ("picker", "picker.lua", "picker_history_cache_format.lua"),
        ("session store", "store.py", "store_test.py"),
        ("session store", "src/store.py", "src/store.pb.go"),
        ("session store", "src/store.py", "examples/store.py"),
        # Words of a query and of a name may have other endings.
        ("field serialization", "src/Serializer.java", "src/Types.java"),
        ("request tracing", "src/trace.py", "src/retry.py"),
        # A folder's entry file has the folder's name.
        ("response", "response/mod.rs", "routes/mod.rs"),
        ("how the router matches", "router/index.ts", "router/cache/key.ts"),
        ("the derive macro", "derive/src/lib.rs", "core/src/lib.rs"),
        ("the request context", "src/ctx.py", "src/cookies.py"),
        # A name of two humps may be one word of a file's name.
        ("ETag caching", "lib/etag.rb", "lib/gzip.rb"),
        ("WebSocket frames", "websocket.py", "web.py"),
        # What the folder says is internal is behind what the others use.
        ("string split", "strings/split.h", "strings/internal/split.h"),
        # A file that is named by the query alone says more than one with another word.
        ("split a string", "strings/split.h", "strings/split_benchmark_run.h"),
    ],
)
def test_a_file_that_is_named_like_the_query_has_more_evidence(
    query: str, better: str, worse: str
) -> None:
    assert factor(query, better) > factor(query, worse)


@pytest.mark.parametrize("query", ["test of the store", "store fixtures", "StoreSpec"])
def test_a_query_about_tests_finds_them(query: str) -> None:
    assert factor(query, "tests/test_store.py") >= factor("store", "src/store.py") / 2
    assert factor(query, "tests/test_store.py") > factor("store", "tests/test_store.py")


@pytest.mark.parametrize("path", ["docs/sessions.md", "README.md", "tests/notes.md"])
def test_the_name_of_a_document_is_no_evidence_beside_its_words(path: str) -> None:
    assert factor("sessions", path) == 1
    assert not is_secondary(path)


def test_a_query_about_internals_finds_them() -> None:
    path = "strings/internal/split.h"
    assert factor("internal string split", path) > factor("string split", path)


def test_the_program_in_the_internal_folder_of_go_has_the_evidence_of_others() -> None:
    assert factor("send", "internal/outbox/send.go") == factor("send", "pkg/outbox/send.go")


def test_an_older_version_beside_a_newer_one_has_less_evidence() -> None:
    paths = ["lib/v3/types.ts", "lib/v4/types.ts", "lib/v10/types.ts", "other/v1/types.ts"]
    evidence = PathEvidence("optional types", paths)
    old, middle, newest, alone = map(evidence.factor, paths)
    assert old == middle < newest
    assert alone == PathEvidence("optional types").factor(paths[-1])
    assert PathEvidence("optional types of v3", paths).factor(paths[0]) >= newest


@given(st.text(max_size=40), st.from_regex(r"[\w./-]{1,40}", fullmatch=True))
def test_a_factor_is_in_its_range(query: str, path: str) -> None:
    assert 0.1 < factor(query, path) <= 1.5
    assert 0.1 < PathEvidence(query, [path, "v9/a"]).factor(path) <= 1.5


@given(
    st.lists(st.tuples(st.from_regex(r"[a-z]{1,9}\.(py|md)", fullmatch=True), st.floats(0, 1))),
    st.text(max_size=20),
)
def test_weighed_lists_keep_their_entries_and_are_in_order(
    entries: list[tuple[str, float]], query: str
) -> None:
    matches = [RankedMatch(path, strength, strength) for path, strength in entries]
    weighed = weigh_paths(matches, str, query)
    assert sorted((m.key, m.cosine) for m in weighed) == sorted((m.key, m.cosine) for m in matches)
    strengths = [match.strength for match in weighed]
    assert strengths == sorted(strengths, reverse=True)
    assert all(0 <= strength <= 1 for strength in strengths)


def test_the_cost_is_linear_in_the_query() -> None:
    def weigh(query: str) -> None:
        evidence = PathEvidence(query)
        for number in range(50):
            evidence.factor(f"some/folder{number}/name{number}.py")

    assert_linear(weigh, lambda size: " ".join(f"word{n}Part{n}" for n in range(size)), 4_000)
