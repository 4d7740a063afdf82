from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.document import find_successors, read_document
from sdd_hooks.artifacts.frontmatter_edit import NotEditable
from sdd_hooks.artifacts.identifiers import ArtifactId
from sdd_hooks.authoring.status_change import (
    TRANSITIONS,
    NewStatus,
    StatusRefused,
    change_status,
    validate_transition,
)

ACCEPTED_FORMS = [
    "---\nstatus: accepted\ndate: 2026-01-02\n---\n\n# ADR-0001: X\n",
    "---\nstatus: 'ACCEPTED'  # by all\n---\n\n# ADR-0001: X\n",
    "# X\n\n* Status: accepted (by the board, 2026-01-02)\n* Date: 2026-01-02\n",
    "# X\n\n**Status:** ✅ Accepted  \n**Date:** 2026-01-02\n",
    "# X\n\n- **Status**: Accepted — see [the accepted plan](plan.md)\n",
    "# X\n\n| Field | Value |\n|---|---|\n| Status | Accepted |\n| Date | 2026-01-02 |\n",
    "# X\n\n| Status | Date | Author |\n|---|---|---|\n| Accepted | 2026-01-02 | A |\n",
    "# X\n\n## Status\n\nAccepted\n\nAmended by ADR-0007\n\n## Context\n\nAccepted words.\n",
    "# X\r\n\r\n## Status: Accepted\r\n\r\nText\r\n",
    "# X\n\nStatus: proposed → accepted\n",
    "# X\n\nStatus: ~~Proposed~~ Accepted\n",
    "---\nstatus: accepted\n---\n# X\n\n## Status\n\nAccepted\n",
]

OTHER = {"accepted": "deprecated", "Accepted": "Deprecated", "ACCEPTED": "DEPRECATED"}
WORD = re.compile("|".join(OTHER))


@pytest.mark.parametrize("text", ACCEPTED_FORMS)
def test_only_the_word_of_the_status_changes(text: str) -> None:
    changed = change_status(text, "ADR", NewStatus("deprecated"))
    document = read_document(changed, "ADR")
    assert {status.value for status in document.statuses} == {"deprecated"}
    old, new = text.splitlines(keepends=True), changed.splitlines(keepends=True)
    differing = [(one, two) for one, two in zip(old, new, strict=True) if one != two]
    assert len(differing) == len(document.statuses)
    # A word elsewhere on the line stays.
    assert [two for _, two in differing] == [
        WORD.sub(lambda match: OTHER[match[0]], one, count=1) for one, _ in differing
    ]


@pytest.mark.parametrize("text", ACCEPTED_FORMS)
def test_a_superseded_record_names_its_successor(text: str) -> None:
    new = NewStatus("superseded", ArtifactId("ADR", 12), "0012-y.md")
    document = read_document(change_status(text, "ADR", new), "ADR")
    assert document.status.value == "superseded"
    assert find_successors(document, "ADR") == (ArtifactId("ADR", 12),)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "# X\n\n## Status\n\nSuperseded by [ADR-0009](0009-y.md)\n",
            "# X\n\n## Status\n\nAccepted\n",
        ),
        (
            "---\nstatus: superseded by ADR-0009\n---\n# X\n",
            "---\nstatus: accepted\n---\n# X\n",
        ),
        ("# X\n\nText\n", "---\nstatus: accepted\n---\n\n# X\n\nText\n"),
        ("---\ndate: 2026\n---\n# X\n", "---\ndate: 2026\nstatus: accepted\n---\n# X\n"),
        ("# X\n\nStatus: work on it\n", "# X\n\nStatus: accepted\n"),
    ],
)
def test_other_forms(text: str, wanted: str) -> None:
    assert change_status(text, "ADR", NewStatus("accepted")) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "# X\n\n## Status\n\n- [x] Accepted\n- [ ] Deprecated\n",
        "# X\n\nStatus: Partially superseded by ADR-0009\n",
    ],
)
def test_a_form_that_cannot_be_edited_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(NotEditable, match=r"^[35]: the status `.*` has a form .* edit it by hand$"):
        change_status(text, "ADR", NewStatus("deprecated"))


@given(
    st.sampled_from(["", "---\nstatus: {}\n---\n", "Status: {}\n", "## Status\n\n{}\n"]),
    st.text(max_size=40),
    st.sampled_from(["accepted", "superseded", "rejected"]),
)
def test_any_status_is_changed_or_refused(form: str, written: str, value: str) -> None:
    text = f"{form.format(written)}\n# Title\n\nProse {written}\n"
    with suppress(NotEditable):
        changed = change_status(text, "ADR", NewStatus(value))
        statuses = read_document(changed, "ADR").statuses
        assert statuses
        assert all(status.value == value for status in statuses)


@pytest.mark.parametrize(
    ("kind", "current", "wanted"),
    [
        ("ADR", "proposed", "accepted"),
        ("ADR", "accepted", "superseded"),
        ("ADR", "accepted", "accepted"),
        ("ADR", "implemented", "deprecated"),
        ("ADR", "", "rejected"),
        ("ADR", "unknown", "accepted"),
        ("SPEC", "draft", "review"),
        ("SPEC", "accepted", "implemented"),
    ],
)
def test_a_status_that_may_follow(kind, current, wanted) -> None:
    validate_transition(kind, current, wanted)


@pytest.mark.parametrize(
    ("kind", "current", "wanted", "message"),
    [
        ("ADR", "rejected", "accepted", "that is rejected cannot become accepted: use one of"),
        ("ADR", "implemented", "proposed", "cannot become proposed"),
        ("SPEC", "draft", "implemented", "a spec that is draft cannot become implemented"),
        ("SPEC", "draft", "superseded", "'superseded' is not a status of a spec: use one of draft"),
    ],
)
def test_a_status_that_may_not_follow(kind, current, wanted, message) -> None:
    with pytest.raises(StatusRefused, match=message):
        validate_transition(kind, current, wanted)


def test_every_status_that_may_follow_is_a_status() -> None:
    for transitions in TRANSITIONS.values():
        assert {value for following in transitions.values() for value in following} <= {
            *transitions
        }
