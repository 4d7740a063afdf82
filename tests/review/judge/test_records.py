"""Prompts contain records in force, shortened so that their decisions remain."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.reporting.outcome import Candidate
from sdd_hooks.review.judge.records import (
    RecordText,
    find_governing_specs,
    format_record,
    select_for_comparison,
    select_records,
)
from tests.review.judge.records import (
    MUST,
    OLD,
    PLAIN,
    QUEUE,
    SPEC,
    SPEC_MUST,
    TOKENS,
    references,
    subject,
)
from tests.review.judge.records import (
    candidates as candidates_of,
)
from tests.review.repositories import subject_of


def test_only_existing_records_in_force_are_selected(tmp_path: Path) -> None:
    made = subject(tmp_path)
    candidates = [*references().ranked, Candidate("docs/adrs/gone.md", "", "Gone", 0.1)]
    assert [record.path for record in select_records(made, candidates, 20)] == [QUEUE, TOKENS]
    assert [record.path for record in select_records(made, candidates, 1)] == [QUEUE]
    assert OLD in made.corpus.by_path


def test_a_record_with_a_very_long_path_is_left_out(tmp_path: Path) -> None:
    path = f"docs/adrs/{'/'.join(['deep' * 20] * 4)}/ADR-0009-x.md"
    made = subject_of(tmp_path, {path: "# ADR-0009: Deep\n\n## Decision\n\nDeep.\n"}, {"a": "b\n"})
    assert path in made.corpus.by_path
    assert select_records(made, [Candidate(path, "ADR-0009", "Deep", 1.0)], 20) == []


def test_a_record_is_formatted_with_its_path_and_prose(tmp_path: Path) -> None:
    shown = format_record(candidates_of(subject(tmp_path))[1], 2, 1_000)
    assert shown.name == "record 2"
    head, _, text = shown.text.partition("\n")
    assert head == f'{{"path": "{TOKENS}", "name": "ADR-0001", "title": "Encrypt tokens at rest"}}'
    assert MUST in text
    assert "status" not in text
    assert "\n\n" not in text


def test_the_excerpt_of_a_long_record_has_its_decision() -> None:
    text = "# Title\n\n" + "Context, and more of it.\n" * 500 + f"\n## Decision\n\n{MUST}\n"
    lines = text.count("\n")
    shown = format_record(
        RecordText("a.md", "ADR-1", "Title", text, ((lines - 2, lines),)), 1, 600
    ).text
    assert len(shown) <= 600
    assert MUST in shown
    assert "# Title" in shown
    without = format_record(RecordText("a.md", "ADR-1", "Title", text), 1, 600).text
    assert MUST not in without
    assert len(without) <= 600


def test_a_long_title_is_shortened() -> None:
    shown = format_record(RecordText("a.md", "ADR-1", "T\u202e" * 9_000, f"{MUST}\n"), 1, 1_000)
    assert MUST in shown.text
    assert len(format_record(RecordText("a.md", "ADR-1", "T", MUST), 1, 10).text) < 60


def test_specs_in_governing_comments_are_compared(tmp_path: Path) -> None:
    code = '# Governing: SPEC-0004 REQ "Expiry", SPEC-0099, ADR-0001\nlogin = 7200\n'
    made = subject(tmp_path, code)
    (spec,) = find_governing_specs(made)
    assert spec.path == SPEC
    ((first, last),) = spec.focus
    assert SPEC_MUST in "\n".join(spec.text.split("\n")[first - 1 : last])
    compared = select_for_comparison(made, references(suggested=TOKENS), 4)
    assert [record.path for record in compared] == [TOKENS, SPEC, QUEUE]
    assert [record.path for record in select_for_comparison(made, references(), 1)] == [SPEC]


def test_cited_records_come_before_higher_ranked_ones(tmp_path: Path) -> None:
    made = subject(tmp_path)
    assert find_governing_specs(made) == []
    compared = select_for_comparison(made, references(referenced=TOKENS), 4)
    assert [record.path for record in compared] == [TOKENS, QUEUE]
    assert PLAIN in compared[0].text
