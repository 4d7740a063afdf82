"""Baselines: known findings that do not count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.drift.baseline import (
    MAX_MESSAGE,
    STALE,
    Baseline,
    BaselineEntry,
    compare_with_baseline,
    format_baseline,
    parse_baseline,
    renewed_entries,
    stale_findings,
)
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.findings import Finding, ReportedFinding, identify_findings, incomplete_finding
from sdd_hooks.text.display import printable_line
from tests.reporting.reviews import findings, paths, texts

PATH = "sdd-baseline.json"


def everything(_: BaselineEntry) -> bool:
    return True


def reported(*some: Finding) -> tuple[ReportedFinding, ...]:
    return identify_findings(some, {})


def written(
    some: tuple[ReportedFinding, ...],
    old: Baseline | None = None,
    covers: Callable[[BaselineEntry], bool] = everything,
) -> Baseline:
    return parse_baseline(format_baseline(renewed_entries(some, old, covers)).encode(), PATH)


CDN = Finding("web/page.html", 3, "security/cdn-integrity", "warning", "add integrity", "<script>")
RAW = Finding("web/page.js", 7, "security/inner-html", "warning", "use text", "a.innerHTML = b")
OLD = Finding("docs/adrs/ADR-0001-x.md", 0, "unimplemented", "warning", "ADR-0001 is unused")


def test_a_baseline_has_a_line_for_each_finding() -> None:
    first, second = reported(RAW, CDN)
    assert format_baseline(renewed_entries((first, second), None, everything)) == (
        "{\n"
        '  "schema_version": 1,\n'
        '  "findings": [\n'
        f'    {{"fingerprint": "{second.fingerprint}", "rule": "security/cdn-integrity",'
        ' "path": "web/page.html", "message": "add integrity"},\n'
        f'    {{"fingerprint": "{first.fingerprint}", "rule": "security/inner-html",'
        ' "path": "web/page.js", "message": "use text"}\n'
        "  ]\n"
        "}\n"
    )
    assert format_baseline(()) == '{\n  "schema_version": 1,\n  "findings": []\n}\n'


def test_known_findings_do_not_count() -> None:
    baseline = written(reported(CDN))
    compared = compare_with_baseline(reported(CDN, RAW), baseline, everything)
    assert [one.finding for one in compared.new] == [RAW]
    assert (compared.known, compared.stale) == (1, ())


def test_a_finding_that_moves_to_another_line_stays_known() -> None:
    baseline = written(reported(CDN))
    moved = Finding(CDN.path, 90, CDN.rule, "critical", "another message", "<script> ")
    assert compare_with_baseline(reported(moved), baseline, everything).new == ()


def test_a_second_finding_of_the_same_text_is_new() -> None:
    baseline = written(reported(CDN))
    again = Finding(CDN.path, 30, CDN.rule, CDN.severity, CDN.message, CDN.evidence)
    compared = compare_with_baseline(reported(CDN, again), baseline, everything)
    assert [one.finding.line for one in compared.new] == [30]
    # The first of two is gone: one entry is left over, and not two.
    compared = compare_with_baseline(reported(again), written(reported(CDN, again)), everything)
    assert (compared.new, len(compared.stale)) == ((), 1)


def test_an_entry_that_no_longer_occurs_is_a_finding_at_its_line() -> None:
    baseline = written(reported(CDN, RAW))
    compared = compare_with_baseline(reported(CDN), baseline, everything)
    (stale,) = stale_findings(baseline, compared.stale)
    assert stale == Finding(
        PATH,
        5,
        STALE,
        "warning",
        "security/inner-html in web/page.js no longer occurs: remove the entry, or write the"
        " baseline again with --write-baseline",
        reported(RAW)[0].fingerprint,
    )


def test_a_run_that_does_not_cover_an_entry_says_nothing_about_it() -> None:
    baseline = written(reported(CDN, RAW))

    def covers(entry: BaselineEntry) -> bool:
        return entry.path == "web/page.html"

    assert compare_with_baseline((), baseline, covers).stale == baseline.entries[:1]
    # Writing the baseline in such a run keeps the entry.
    renewed = written((), baseline, covers)
    assert [entry.path for entry in renewed.entries] == ["web/page.js"]


def test_what_could_not_be_checked_is_never_known() -> None:
    unread = reported(incomplete_finding("a.py is too large: split it", "critical", "a.py"))
    assert written(unread).entries == ()
    entry = BaselineEntry(unread[0].fingerprint, "incomplete", "a.py", "not checked")
    assert compare_with_baseline(unread, Baseline(PATH, (entry,)), everything).new == unread


def test_a_stale_entry_cannot_become_known() -> None:
    baseline = written(reported(RAW))
    stale = reported(*stale_findings(baseline, baseline.entries))
    assert written(stale).entries == ()


def test_a_merge_that_kept_both_sides_is_harmless() -> None:
    data = format_baseline(renewed_entries(reported(RAW), None, everything))
    row = data.splitlines()[3]
    both = parse_baseline(data.replace(row, f"{row},\n{row}").encode(), PATH)
    assert len(both.entries) == 2
    assert len(stale_findings(both, both.entries)) == 1
    assert written((), both, lambda _: False).entries == parse_baseline(data.encode(), PATH).entries


def test_the_texts_are_for_people() -> None:
    hostile = Finding("a/\u202eb\udce9.py", 1, "odd", "info", "x\x1b[31m\n" + "y" * 5_000, "z")
    text = format_baseline(renewed_entries(reported(hostile), None, everything))
    assert text.isascii()
    (entry,) = parse_baseline(text.encode(), PATH).entries
    assert entry.path == hostile.path
    assert entry.message.startswith("x\\u001b[31m yyy")
    assert len(entry.message) == MAX_MESSAGE
    named = Finding("src/größe.py", 1, "odd", "info", "größer")
    assert "src/größe.py" in format_baseline(renewed_entries(reported(named), None, everything))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no JSON document: restore it, or write it again with --write-baseline"),
        (b"\xff\xfe", "is no JSON document: restore it, or write it again with --write-baseline"),
        (b"[" * 200_000, "is no JSON document"),
        (b"[]", "is no baseline of sdd"),
        (b'{"findings": []}', "is no baseline of sdd"),
        (b'{"schema_version": "1", "findings": []}', "is no baseline of sdd"),
        (b'{"schema_version": 0, "findings": []}', "is no baseline of sdd"),
        (b'{"schema_version": 1, "findings": {}}', "is no baseline of sdd"),
        (b'{"schema_version": 2}', "has version 2, and this sdd knows 1"),
        (b'{"schema_version": 1, "findings": [1]}', "finding 1 is no entry of a baseline"),
        (
            b'{"schema_version": 1, "findings": [{"fingerprint": "a", "rule": "b", "path": "c",'
            b' "message": "d"}]}',
            "finding 1 is no entry of a baseline",
        ),
        (
            b'{"schema_version": 1, "findings": [{"fingerprint": "' + b"a" * 32 + b'", "rule": 1,'
            b' "path": "c", "message": "d"}]}',
            "finding 1 is no entry of a baseline",
        ),
        (
            b'{"schema_version": 1, "findings": [' + b"1," * 100_000 + b"1]}",
            "has more than 100,000",
        ),
    ],
    ids=range(13),
)
def test_another_file_is_refused_with_one_line(data: bytes, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse_baseline(data, PATH)
    assert str(raised.value).startswith(f"{PATH}: {message}")
    assert str(raised.value).isprintable()


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda one: one.encode("utf-8", "replace"))
)
def test_any_data_is_read_or_refused(data: bytes) -> None:
    try:
        parse_baseline(data, PATH)
    except ConfigurationError as error:
        assert str(error).isprintable()


@given(st.lists(findings(), max_size=6))
@settings(deadline=None, max_examples=50)
def test_a_written_baseline_knows_every_finding(some: list[Finding]) -> None:
    found = reported(*some)
    baseline = written(found)
    text = format_baseline(baseline.entries)
    assert text == format_baseline(reversed(baseline.entries))
    compared = compare_with_baseline(found, baseline, everything)
    assert (compared.new, compared.stale) == ((), ())
    assert written(found, baseline) == baseline


@given(
    st.builds(
        BaselineEntry,
        st.text("0123456789abcdef", min_size=32, max_size=32),
        texts(),
        paths(),
        texts(),
    )
)
@settings(deadline=None, max_examples=50)
def test_an_entry_is_read_as_it_was_written(entry: BaselineEntry) -> None:
    text = format_baseline([entry])
    assert all(printable_line(character) == character for character in set(text) - {"\n"})
    (read,) = parse_baseline(text.encode(), PATH).entries
    assert read == entry._replace(line=4)
    (stale,) = stale_findings(Baseline(PATH, (read,)), (read,))
    assert all(printable_line(character) == character for character in stale.message)
