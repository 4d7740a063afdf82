from pathlib import Path

import pytest

from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.already_cited import named_ids, silence
from tests.review.repositories import subject_of


def change(body: str = "", *messages: str) -> Change:
    return Change("a", "b", "Title", body, messages, ())


@pytest.mark.parametrize(
    ("text", "trailer"),
    [
        ("Reviewed-ADRs: none", "Reviewed-ADRs: none"),
        ("Text.\n\nreviewed-adrs:  None (looked at all)", "reviewed-adrs: None (looked at all)"),
        ("ADR-Exempt: a typo", "ADR-Exempt: a typo"),
        ("  ADR-exempt : generated", "ADR-exempt : generated"),
        ("ADR-Exempt:", ""),
        ("ADR-Exempt: \n", ""),
        ("Reviewed-ADRs: ADR-0007", ""),
        ("Reviewed-ADRs: nonesuch", ""),
        ("I wrote ADR-Exempt: x in the middle", ""),
    ],
)
def test_a_trailer_asks_for_silence(text: str, trailer: str) -> None:
    assert silence(change(text)) == trailer
    assert silence(change("", "Subject", f"Other\n\n{text}")) == trailer


def test_a_change_names_what_its_texts_its_lines_and_its_files_say(tmp_path: Path) -> None:
    subject = subject_of(
        tmp_path,
        {"a.py": "# Governing: ADR-0004 (why)\n# see ADR-0009\nx = 1\n", "b.py": "# ADR-0010\n"},
        {"a.py": "# Governing: ADR-0004 (why)\n# see ADR-0009\nx = 2  # ADR-0005\n"},
        message="Change\n\nRefs: ADR-0003",
        title="Change (ADR-0001)",
        body="As ADR-0002 says.",
    )
    assert named_ids(subject) == {ArtifactId("ADR", number) for number in (1, 2, 3, 4, 5)}
