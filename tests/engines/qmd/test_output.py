"""Every form of qmd's output, as `record` took it from the real qmd, and any text in its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.qmd import output
from sdd_hooks.engines.qmd.mcp import IndexStatus, parse_status
from sdd_hooks.engines.qmd.output import (
    LEXICAL_ONLY,
    EmbedOutcome,
    complaint,
    parse_device,
    parse_embed,
    parse_listing,
    parse_pending,
    parse_results,
    parse_update,
    parse_version,
)
from tests.engines.qmd.record import BROKEN, ODD

RECORDED = Path(__file__).parent / "recorded"

# From the source of qmd 2.8.3, `runDoctorDeviceChecks`: this needs a machine with one.
ON_CUDA = "✓ device probe: GPU cuda; offloading enabled; devices: 2× NVIDIA H100; 16 CPU math cores"
ON_METAL = "✓ device probe: GPU metal (macOS Metal backend); offloading enabled; 8 CPU math cores"
NOT_OFFLOADING = "⚠ device probe: GPU vulkan; offloading disabled; 4 CPU math cores. Next: check"


def said(name: str, stream: str = "out") -> str:
    return (RECORDED / f"{name}.{stream}").read_text()


def embedded(name: str) -> EmbedOutcome:
    return parse_embed(said(name), said(name, "err"))


def test_an_update_by_collection() -> None:
    assert parse_update(said("update-first")) == {
        "shop-adrs": Counts(added=4),
        "shop-specs": Counts(added=1),
    }
    assert parse_update(said("update-changed")) == {
        "shop-adrs": Counts(added=1, updated=1, removed=1, unchanged=2),
        "shop-specs": Counts(unchanged=1),
    }


def test_documents_without_vectors() -> None:
    assert parse_pending(said("status-pending")) == 5
    assert parse_pending(said("status-embedded")) == 0
    assert parse_pending(said("version")) is None


def test_a_listing_with_odd_names() -> None:
    assert parse_listing(said("ls"), "shop-adrs") == ["a.md", "c.md", BROKEN, ODD]
    assert parse_listing(said("ls"), "shop") == []
    assert parse_listing(said("ls-unknown"), "shop-code") == []


def test_results_with_what_each_list_says() -> None:
    first, second, *others = parse_results(said("query"))
    assert (first.collection, first.path, first.title) == ("shop-adrs", "a.md", "Sessions")
    assert (first.line, first.score, first.context) == (3, 1.0, "")
    lexical, vector = first.contributions
    assert (lexical.source, lexical.query_type, lexical.query) == ("fts", "lex", "session cookie")
    assert (vector.source, vector.query_type, vector.query) == ("vec", "vec", "user password")
    assert lexical.rank == 1
    assert vector.rank > 1
    assert 0 < lexical.score < 1
    assert (second.path, second.score) == (ODD, 0.5)
    (vector,) = second.contributions
    assert (vector.source, vector.rank, round(vector.score, 3)) == ("vec", 1, 0.503)
    assert BROKEN in [one.path for one in others]
    assert parse_results(said("query-nothing")) == []
    assert parse_results(said("query-unknown")) == []


def test_the_daemon_escapes_what_the_command_does_not() -> None:
    over_http = parse_results(said("http-query"), encoded=True)
    assert [one.path for one in over_http][:3] == ["a.md", ODD, BROKEN]
    assert over_http[0].contributions == ()
    assert all(one.context == "" for one in over_http)


def test_an_answer_by_words_alone_shows_on_stderr_only() -> None:
    assert LEXICAL_ONLY in said("query-lexical-only", "err")
    assert LEXICAL_ONLY not in said("query", "err")


def test_an_embed() -> None:
    assert embedded("embed") == EmbedOutcome(17, 0, (), 0, False, False, "cpu")
    assert embedded("embed-nothing") == EmbedOutcome(0, 0, (), 0, False, False, "")
    assert embedded("embed-busy") == EmbedOutcome(0, 0, (), 0, False, True, "")


def test_an_embed_that_some_chunks_fail() -> None:
    outcome = embedded("embed-partly")
    assert (outcome.embedded, outcome.failed, len(outcome.failures)) == (6, 8, 8)
    assert outcome.failures[0].startswith("unknown/spec.md#3 (3 attempts): Inserted vector")
    assert not outcome.expired


def test_a_session_that_ends_is_no_failure() -> None:
    assert embedded("embed-expired") == EmbedOutcome(26, 0, (), 278, True, False, "cpu")
    between = "⚠ Session expired — skipping remaining document batches\n"
    assert parse_embed(said("embed"), between).expired
    assert parse_embed(said("embed"), between).skipped == 0


def test_an_embed_without_its_model() -> None:
    assert embedded("embed-failed").embedded == 0
    reason = 'No model file found at "/nowhere/model.gguf"'
    assert complaint(said("embed-failed"), said("embed-failed", "err")) == reason


def test_an_embed_on_a_gpu_says_nothing_of_it() -> None:
    assert parse_embed(said("embed"), "\x1b[?25l\x1b[?25h").device == "gpu"


@pytest.mark.parametrize(
    ("text", "device"),
    [
        (ON_CUDA, "cuda"),
        (ON_METAL, "metal"),
        (NOT_OFFLOADING, "cpu"),
        ("✓ device probe: GPU sycl; offloading enabled; 4 CPU math cores", "gpu"),
        ("⚠ device probe: skipped by QMD_DOCTOR_DEVICE_PROBE=0", None),
        ("⚠ device probe: probe failed: no such library", None),
        ("", None),
    ],
)
def test_a_device(text: str, device: str | None) -> None:
    assert parse_device(text) == device


def test_the_device_of_this_recording() -> None:
    assert parse_device(said("doctor")) == "cpu"


def test_a_version() -> None:
    assert parse_version(said("version")) == (2, 8, 3)
    assert parse_version("qmd 2.10.0-beta.1\n") == (2, 10, 0)
    assert parse_version("QMD") is None
    assert parse_version("qmd 2.8") is None
    assert parse_version(f"qmd 2.{'9' * 5000}.1") is None


def test_the_status_over_both_transports() -> None:
    documents = {"shop-adrs": 4, "shop-specs": 2}
    lines = said("mcp-status").splitlines()
    assert [parse_status(line) for line in lines] == [None, IndexStatus(6, 0, True, documents)]
    data = said("http-status").splitlines()[1]
    assert parse_status(data.removeprefix("data:")) == IndexStatus(6, 0, True, documents)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"results": [{"file": 1}, {"file": "qmd://"}, {"file": "qmd://x"}, 7, null]}',
        '[{"file": "http://x/y"}]',
    ],
)
def test_no_result_in_it(text: str) -> None:
    assert parse_results(text) == []


def test_numbers_out_of_range() -> None:
    text = '[{"file": "qmd://a/b", "score": 1e999, "line": -3, "explain": {"rrf": {"contributions":'
    (one,) = parse_results(text + '[{"backendScore": NaN, "rank": "x"}, 3]}}}]')
    assert (one.score, one.line) == (0.0, 1)
    assert [(c.score, c.rank) for c in one.contributions] == [(0.0, 1)]


def test_what_a_failure_says_is_one_line() -> None:
    assert complaint("", "\x1b[31m  \n\x1b]9;4;0\x07Error:\ta\x00b\r\n") == "Error:ab"
    assert complaint("", "") == "it failed without a word"
    assert len(complaint("x" * 10_000, "")) == 300


PARSERS = [
    parse_update,
    parse_pending,
    lambda text: parse_listing(text, "shop-adrs"),
    parse_results,
    lambda text: parse_results(text, encoded=True),
    lambda text: parse_embed(text, text),
    parse_device,
    parse_version,
    parse_status,
    lambda text: complaint(text, text),
    output.plain,
]

# Pieces of what qmd does say, so that a parser gets further than its first test.
PIECES = st.sampled_from(
    [
        *(line for path in sorted(RECORDED.glob("*")) for line in path.read_text().splitlines()),
        *("\n", "[1/1] x (y)", "qmd://shop-adrs/", "\x1b[", "9" * 5000, "{", "}", "[", "]", '"'),
    ]
)


@given(st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text()), max_size=8).map("\n".join)))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    for parse in PARSERS:
        parse(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda below: st.lists(below) | st.dictionaries(
        st.sampled_from(
            ["result", "structuredContent", "collections", "name", "documents", "totalDocuments",
             "needsEmbedding", "id", "results", "file", "explain", "rrf", "contributions", "rank",
             "score", "line", "backendScore"]
        ),
        below,
    ),
)  # fmt: skip


@given(JSON)
def test_any_json_is_read_without_an_exception(value: object) -> None:
    text = json.dumps(value)
    parse_results(text, encoded=True)
    parse_status(text)
