from pathlib import Path

import pytest

from sdd_hooks.artifacts.corpus import Corpus
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.changes.change import Change
from sdd_hooks.review.references.asking.question import (
    Eligibility,
    find_cited_ids,
    find_silencing_trailer,
)
from tests.review.repositories import subject_of
from tests.review.test_successors import corpus


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
        ("ADR-Exempt: does not touch ADR-0001", "ADR-Exempt: does not touch ADR-0001"),
        ("ADR-Exempt: <reason>", ""),
        ("ADR-Exempt: \u200b\u2060", ""),
        ("> ADR-Exempt: quoted", ""),
        ("<!-- if none applies:\nADR-Exempt: reason of yours\n-->", ""),
        ("```\nADR-Exempt: generated\n```", ""),
        ("Text\n\n    ADR-Exempt: generated", ""),
        ("I wrote ADR-Exempt: x in the middle", ""),
    ],
)
def test_a_trailer_asks_for_no_suggestion(text: str, trailer: str) -> None:
    assert find_silencing_trailer(change(text)) == trailer
    assert find_silencing_trailer(change("", "Subject", f"Other\n\n{text}")) == trailer


def test_a_change_cites_ids_in_texts_added_lines_and_governing_comments(tmp_path: Path) -> None:
    subject = subject_of(
        tmp_path,
        {"a.py": "# Governing: ADR-0004 (why)\n# see ADR-0009\nx = 1\n", "b.py": "# ADR-0010\n"},
        {"a.py": "# Governing: ADR-0004 (why)\n# see ADR-0009\nx = 2  # ADR-0005\n"},
        message="Change\n\nRefs: ADR-0003",
        title="Change (ADR-0001)",
        body="As ADR-0002 says.",
    )
    assert find_cited_ids(subject) == {ArtifactId("ADR", number) for number in (1, 2, 3, 4, 5)}


def test_a_change_cites_a_record_by_its_path(tmp_path: Path) -> None:
    record = {"docs/adrs/0012-use-queues.md": "# Use queues\n\n## Decision\n\nQueues.\n"}
    guide = {"guide.md": "See [this](docs/adrs/0012-use-queues.md).\n"}
    subject = subject_of(tmp_path, record, guide)
    assert find_cited_ids(subject) == {ArtifactId("ADR", 12)}


@pytest.mark.parametrize(
    ("body", "cites"),
    [
        ("https://git.example/acme/app/blob/main/docs/adrs/0012-use-queues.md", True),
        ("<https://site.example/adrs/0012-use-queues.html#why>", True),
        ("https://git.example/other/app/blob/main/docs/adrs/0012-use-queues.md", False),
        ("https://jira.example/browse/ADR-0012", False),
        ("https://jira.example/issues?q=ADR-0012", False),
        ("https://other.example/adr/0012-use-kafka.md", False),
        ("<!-- e.g. Refs: ADR-0012 -->", False),
        ("- [ ] ADR-0012", False),
        ("Does not touch ADR-0012.", False),
        ("- [x] ADR-0012", True),
        ("Refs: `ADR-0012`", True),
    ],
)
def test_the_text_of_a_template_and_what_a_description_cites(
    tmp_path: Path, body: str, cites: bool
) -> None:
    record = {"docs/adrs/0012-use-queues.md": "# Use queues\n\n## Decision\n\nQueues.\n"}
    subject = subject_of(tmp_path, record, {"a.py": "x = 1\n"}, body=body)
    subject.after.git.output("remote", "add", "origin", "git@git.example:acme/app.git")
    assert bool(find_cited_ids(subject)) == cites


def test_examples_in_added_markdown_cite_nothing(tmp_path: Path) -> None:
    guide = "<!-- see ADR-0001 -->\n```\n# Governing: ADR-0002\n```\n    ADR-0003\n\nAs ADR-0004.\n"
    subject = subject_of(tmp_path, {}, {"guide.md": guide})
    assert find_cited_ids(subject) == {ArtifactId("ADR", 4)}


def suggested_for(records: Corpus, number: int, cited: int = 0) -> list[str]:
    eligibility = Eligibility(records, {ArtifactId("ADR", cited)}, set())
    record = records.resolve(ArtifactId("ADR", number))[0]
    return [path[10:18] for path in eligibility.find_eligible(record)]


def test_a_record_in_force_is_suggested() -> None:
    assert suggested_for(corpus(a1="status: accepted", a2="status: proposed"), 1) == ["ADR-0001"]
    assert suggested_for(corpus(a1="status: accepted", a2="status: proposed"), 2) == ["ADR-0002"]


def test_the_replacement_of_an_outdated_record_is_suggested() -> None:
    records = corpus(
        a1="status: superseded by ADR-0002",
        a2="status: superseded by ADR-0003",
        a3="status: accepted",
    )
    assert suggested_for(records, 1) == ["ADR-0003"]
    assert suggested_for(records, 1, cited=3) == []


def test_rejected_records_and_cycles_have_no_suggestion() -> None:
    assert suggested_for(corpus(a1="status: rejected"), 1) == []
    records = corpus(a1="status: superseded by ADR-0002", a2="status: superseded by ADR-0001")
    assert suggested_for(records, 1) == []


def test_a_record_that_the_change_edits_is_cited() -> None:
    records = corpus(a1="status: accepted")
    eligibility = Eligibility(records, set(), {"docs/adrs/ADR-0001-x.md"})
    assert eligibility.is_cited(records.artifacts[0])
