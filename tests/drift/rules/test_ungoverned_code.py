from __future__ import annotations

import pytest

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.drift.candidates import CandidateRecord
from sdd_hooks.drift.query import summarize_file
from sdd_hooks.drift.rules.ungoverned_code import check_file
from sdd_hooks.findings import Finding

PATH = "src/outbox/sweeper.py"
CODE = "def sweep_outbox():\n    ...\n\n\nclass OutboxLease:\n    ...\n"
ADR = "docs/adrs/ADR-0001-outbox.md"


def candidate(body: str, *, status: str = "accepted", number: int = 1) -> CandidateRecord:
    path = f"docs/adrs/ADR-000{number}-outbox.md"
    text = f"---\nstatus: {status}\n---\n# ADR-000{number}: Outbox\n\n## Decision\n\n{body}\n"
    artifact = read_adr(path, text)
    assert artifact
    return CandidateRecord(artifact, ((path, text),), 0.5)


def check(*candidates: CandidateRecord, path: str = PATH, code: str = CODE) -> list[Finding]:
    return list(check_file(summarize_file(path, code), candidates))


def test_a_record_that_names_the_path() -> None:
    """Scenario "A record that names the file" of SPEC-0002."""
    (one,) = check(candidate("Queues."), candidate(f"See `{PATH}`.", number=2))
    assert (one.path, one.line, one.severity) == (PATH, 0, "info")
    assert one.message == (
        "ADR-0002 (Outbox) names this file (docs/adrs/ADR-0002-outbox.md:8), and no comment says"
        " which record governs the file: if it does, add `Governing: ADR-0002`"
    )


def test_the_best_record_that_names_what_the_file_exports() -> None:
    named = "`sweep_outbox` takes an OutboxLease."
    (one,) = check(candidate(named))
    assert "names sweep_outbox and OutboxLease (docs/adrs/ADR-0001-outbox.md:8)" in one.message
    assert check(candidate("Queues.", number=2), candidate(named)) == []


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ("`sweep_outbox` sweeps.", PATH, CODE),
        (f"See `lib/{PATH}` and `{PATH}-old`.", PATH, CODE),
        (f"See `{PATH}`.", PATH, f"# Governing: ADR-0007\n{CODE}"),
        (f"See `{PATH}`.", PATH, f"# Governing: SPEC outbox REQ 4\n{CODE}"),
        ("See `setup.py`.", "setup.py", ""),
        ("See `tests/test_a.py`.", "tests/test_a.py", ""),
        ("The run and the stop.", PATH, "def run(): ...\ndef stop(): ...\n"),
    ],
)
def test_what_is_not_strong_is_silent(body: str, path: str, code: str) -> None:
    assert check(candidate(body), path=path, code=code) == []


def test_a_record_that_is_not_in_force_is_silent() -> None:
    assert check(candidate(f"See `{PATH}`.", status="rejected")) == []


def test_a_record_that_applies_to_the_file_governs_it() -> None:
    stated = candidate(f"See `{PATH}`.")
    text = stated.files[0][1].replace("---\nstatus", "---\napplies-to: [src/outbox/]\nstatus", 1)
    artifact = read_adr(ADR, text)
    assert artifact
    assert check(CandidateRecord(artifact, ((ADR, text),), 0.5)) == []
    rule = f"See `{PATH}`.\n\n```sdd-rule\nforbid import: os\nin: src/**\n```"
    assert check(candidate(rule)) == []
