"""A model is shown records that hold, shortly, and what they decide before anything else."""

from __future__ import annotations

from pathlib import Path

from sdd_hooks.reporting.outcome import Candidate
from sdd_hooks.review.judge.records import Record, governing_specs, part, records_of, to_compare
from tests.review.judge.records import (
    MUST,
    OLD,
    PLAIN,
    QUEUE,
    SPEC,
    SPEC_MUST,
    TOKENS,
    offered,
    references,
    subject,
)
from tests.review.repositories import subject_of


def test_only_records_that_hold_and_are_there(tmp_path: Path) -> None:
    made = subject(tmp_path)
    candidates = [*references().ranked, Candidate("docs/adrs/gone.md", "", "Gone", 0.1)]
    assert [one.path for one in records_of(made, candidates, 20)] == [QUEUE, TOKENS]
    assert [one.path for one in records_of(made, candidates, 1)] == [QUEUE]
    assert OLD in made.corpus.by_path


def test_a_path_that_would_take_all_the_room_is_left_out(tmp_path: Path) -> None:
    path = f"docs/adrs/{'/'.join(['deep' * 20] * 4)}/ADR-0009-x.md"
    made = subject_of(tmp_path, {path: "# ADR-0009: Deep\n\n## Decision\n\nDeep.\n"}, {"a": "b\n"})
    assert path in made.corpus.by_path
    assert records_of(made, [Candidate(path, "ADR-0009", "Deep", 1.0)], 20) == []


def test_a_record_is_its_path_and_its_prose(tmp_path: Path) -> None:
    shown = part(offered(subject(tmp_path))[1], 2, 1_000)
    assert shown.name == "record 2"
    head, _, text = shown.text.partition("\n")
    assert head == f'{{"path": "{TOKENS}", "name": "ADR-0001", "title": "Encrypt tokens at rest"}}'
    assert MUST in text
    assert "status" not in text
    assert "\n\n" not in text


def test_of_a_long_record_the_decision_is_shown() -> None:
    text = "# Title\n\n" + "Context, and more of it.\n" * 500 + f"\n## Decision\n\n{MUST}\n"
    lines = text.count("\n")
    shown = part(Record("a.md", "ADR-1", "Title", text, ((lines - 2, lines),)), 1, 600).text
    assert len(shown) <= 600
    assert MUST in shown
    assert "# Title" in shown
    without = part(Record("a.md", "ADR-1", "Title", text), 1, 600).text
    assert MUST not in without
    assert len(without) <= 600


def test_a_title_of_any_length_leaves_room() -> None:
    shown = part(Record("a.md", "ADR-1", "T\u202e" * 9_000, f"{MUST}\n"), 1, 1_000)
    assert MUST in shown.text
    assert len(part(Record("a.md", "ADR-1", "T", MUST), 1, 10).text) < 60


def test_specs_that_the_changed_files_name_are_compared_too(tmp_path: Path) -> None:
    code = '# Governing: SPEC-0004 REQ "Expiry", SPEC-0099, ADR-0001\nlogin = 7200\n'
    made = subject(tmp_path, code)
    (spec,) = governing_specs(made)
    assert spec.path == SPEC
    ((first, last),) = spec.focus
    assert SPEC_MUST in "\n".join(spec.text.split("\n")[first - 1 : last])
    compared = to_compare(made, references(suggested=TOKENS), 4)
    assert [one.path for one in compared] == [TOKENS, SPEC, QUEUE]
    assert [one.path for one in to_compare(made, references(), 1)] == [SPEC]


def test_what_the_change_names_comes_before_what_is_ranked_higher(tmp_path: Path) -> None:
    made = subject(tmp_path)
    assert governing_specs(made) == []
    compared = to_compare(made, references(referenced=TOKENS), 4)
    assert [one.path for one in compared] == [TOKENS, QUEUE]
    assert PLAIN in compared[0].text
