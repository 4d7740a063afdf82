"""Parsers of qmd's output: of everything that `record` recorded, and of any other text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.engines.protocol import Counts
from sdd_hooks.engines.qmd import output
from sdd_hooks.engines.qmd.installation import QmdStatus, parse_status
from sdd_hooks.engines.qmd.output import (
    QUERY_NOT_EMBEDDED,
    EmbedOutput,
    first_error_line,
    parse_device,
    parse_embed,
    parse_listing,
    parse_pending,
    parse_results,
    parse_titles,
    parse_update,
    parse_version,
)
from tests.engines.qmd.record import BROKEN, ODD

RECORDED = Path(__file__).parent / "recorded"

# From the source of qmd 2.8.3, `runDoctorDeviceChecks`: this needs a machine with one.
ON_CUDA = "✓ device probe: GPU cuda; offloading enabled; devices: 2× NVIDIA H100; 16 CPU math cores"
ON_METAL = "✓ device probe: GPU metal (macOS Metal backend); offloading enabled; 8 CPU math cores"
NOT_OFFLOADING = "⚠ device probe: GPU vulkan; offloading disabled; 4 CPU math cores. Next: check"


def recorded(name: str, stream: str = "out") -> str:
    return (RECORDED / f"{name}.{stream}").read_text()


def embedded(name: str) -> EmbedOutput:
    return parse_embed(recorded(name), recorded(name, "err"))


def test_an_update_counts_by_collection() -> None:
    assert parse_update(recorded("update-first")) == {
        "shop-adrs": Counts(added=4),
        "shop-specs": Counts(added=1),
    }
    assert parse_update(recorded("update-changed")) == {
        "shop-adrs": Counts(added=1, updated=1, removed=1, unchanged=2),
        "shop-specs": Counts(unchanged=1),
    }


def test_pending_documents_are_counted() -> None:
    assert parse_pending(recorded("status-pending")) == 5
    assert parse_pending(recorded("status-embedded")) == 0
    assert parse_pending(recorded("version")) is None


def test_a_listing_has_names_with_special_characters() -> None:
    assert parse_listing(recorded("ls"), "shop-adrs") == ["a.md", "c.md", BROKEN, ODD]
    assert parse_listing(recorded("ls"), "shop") == []
    assert parse_listing(recorded("ls-unknown"), "shop-code") == []


def test_results_have_the_contribution_of_each_list() -> None:
    first, second, *others = parse_results(recorded("query"))
    assert (first.collection, first.path) == ("shop-adrs", "a.md")
    assert (first.line, first.context) == (3, "")
    lexical, vector = first.contributions
    assert (lexical.source, lexical.query_type, lexical.query) == ("fts", "lex", "session cookie")
    assert (vector.source, vector.query_type, vector.query) == ("vec", "vec", "user password")
    assert 0 < lexical.score < 1
    assert second.path == ODD
    (vector,) = second.contributions
    assert (vector.source, round(vector.score, 3)) == ("vec", 0.503)
    assert BROKEN in [result.path for result in others]
    assert parse_results(recorded("query-nothing")) == []
    assert parse_results(recorded("query-unknown")) == []


def test_a_query_without_its_model_shows_only_on_stderr() -> None:
    assert QUERY_NOT_EMBEDDED in recorded("query-lexical-only", "err")
    assert QUERY_NOT_EMBEDDED not in recorded("query", "err")


def test_an_embed_counts_chunks() -> None:
    assert embedded("embed") == EmbedOutput(17, 0, (), False, False, "cpu")
    assert embedded("embed-nothing") == EmbedOutput(0, 0, (), False, False, "")
    assert embedded("embed-busy") == EmbedOutput(0, 0, (), False, True, "")


def test_failed_chunks_are_counted_and_named() -> None:
    output = embedded("embed-partly")
    assert (output.embedded, output.failed, len(output.failures)) == (6, 8, 8)
    assert output.failures[0].startswith("unknown/spec.md#3 (3 attempts): Inserted vector")
    assert not output.expired


def test_an_expired_session_is_no_failure() -> None:
    assert embedded("embed-expired") == EmbedOutput(26, 0, (), True, False, "cpu")
    between = "⚠ Session expired — skipping remaining document batches\n"
    assert parse_embed(recorded("embed"), between).expired


def test_an_embed_without_its_model_has_a_reason() -> None:
    assert embedded("embed-failed").embedded == 0
    reason = 'No model file found at "/nowhere/model.gguf"'
    assert first_error_line(recorded("embed-failed"), recorded("embed-failed", "err")) == reason


def test_an_embed_without_a_warning_ran_on_a_gpu() -> None:
    assert parse_embed(recorded("embed"), "\x1b[?25l\x1b[?25h").device == "gpu"


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
def test_the_device_of_the_doctor(text: str, device: str | None) -> None:
    assert parse_device(text) == device


def test_the_recorded_device_is_cpu() -> None:
    assert parse_device(recorded("doctor")) == "cpu"


def test_the_version_is_parsed() -> None:
    assert parse_version(recorded("version")) == (2, 8, 3)
    assert parse_version("qmd 2.10.0-beta.1\n") == (2, 10, 0)
    assert parse_version("QMD") is None
    assert parse_version("qmd 2.8") is None
    assert parse_version(f"qmd 2.{'9' * 5000}.1") is None


def test_the_status_is_a_message() -> None:
    documents = {"shop-adrs": 4, "shop-specs": 2}
    lines = recorded("mcp-status").splitlines()
    assert [parse_status(line) for line in lines] == [None, QmdStatus(6, 0, documents)]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"results": [{"file": 1}, {"file": "qmd://"}, {"file": "qmd://x"}, 7, null]}',
        '[{"file": "http://x/y"}]',
    ],
)
def test_invalid_results_are_skipped(text: str) -> None:
    assert parse_results(text) == []


def test_numbers_out_of_range_are_corrected() -> None:
    text = '[{"file": "qmd://a/b", "score": 1e999, "line": -3, "explain": {"rrf": {"contributions":'
    (result,) = parse_results(text + '[{"backendScore": NaN, "rank": "x"}, 3]}}}]')
    assert result.line == 1
    assert [one.score for one in result.contributions] == [0.0]


def test_the_first_error_line_is_one_printable_line() -> None:
    assert first_error_line("", "\x1b[31m  \n\x1b]9;4;0\x07Error:\ta\x00b\r\n") == "Error:ab"
    assert first_error_line("", "") == "it printed no error message"
    assert len(first_error_line("x" * 10_000, "")) == 300


PARSERS = [
    parse_titles,
    parse_update,
    parse_pending,
    lambda text: parse_listing(text, "shop-adrs"),
    parse_results,
    lambda text: parse_embed(text, text),
    parse_device,
    parse_version,
    parse_status,
    lambda text: first_error_line(text, text),
    output.strip_escapes,
]

# Pieces of real output, so that parsers get past their first check.
PIECES = st.sampled_from(
    [
        *(line for path in sorted(RECORDED.glob("*")) for line in path.read_text().splitlines()),
        *("\n", "[1/1] x (y)", "qmd://shop-adrs/", "\x1b[", "9" * 5000, "{", "}", "[", "]", '"'),
    ]
)


@given(st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text()), max_size=8).map("\n".join)))
def test_any_text_is_parsed_without_an_exception(text: str) -> None:
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
def test_any_json_is_parsed_without_an_exception(value: object) -> None:
    text = json.dumps(value)
    parse_results(text)
    parse_status(text)


def test_titles_of_documents() -> None:
    text = (
        'native: loaded\n[{"file": "a.md", "docid": "#1", "title": "A", "body": "# A"},'
        ' {"file": "big.md", "title": "big.md", "skipped": true}, {"file": 1, "title": "x"}, "y"]'
    )
    assert parse_titles(text) == [("a.md", "A"), ("big.md", "big.md")]
    assert parse_titles("No files matched pattern: x") == []
