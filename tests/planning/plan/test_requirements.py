from __future__ import annotations

import pytest

from sdd_hooks.planning.plan.marker import key_of
from sdd_hooks.planning.plan.requirements import MAX_REQUIREMENTS, NothingToPlan, read_planned
from tests.planning.plan.specs import planned, read, spec_text


def test_a_requirement_has_its_text_its_names_and_its_section() -> None:
    text = """\
# SPEC-0003: Sessions

## Storage

### Requirement: Store

Sessions MUST be kept in a `SessionStore`. It SHOULD be fast.

<!-- It MUST
not `This`. -->

#### Scenario: Restart

- WHEN the service restarts
- THEN `GET /me` answers as before
"""
    (one,) = read_planned(read(text), text)
    assert (one.name, one.first_line, one.last_line) == ("Store", 5, 15)
    assert one.statement.startswith("Sessions MUST be kept in a `SessionStore`.")
    assert "Restart" not in one.statement
    assert one.spans[0] == "SessionStore"
    assert "GET /me" in one.spans
    assert (one.obligations, len(one.scenarios), one.section) == (2, 1, "Storage")
    assert one.first_sentences == "Sessions MUST be kept in a `SessionStore`. It SHOULD be fast."
    assert "answers as before" in one.text


def test_equal_names_have_different_keys() -> None:
    first, second = planned(("Store", "It MUST."), ("Store", "It MUST too."))
    assert (first.key, second.key) == (key_of("Store"), key_of("Store #2"))


def test_a_specification_without_requirements_is_refused() -> None:
    text = "# SPEC-0003: Sessions\n\nText.\n"
    with pytest.raises(NothingToPlan, match=r"SPEC-0003 has no requirements: write `### Req"):
        read_planned(read(text), text)


def test_too_many_requirements_are_refused() -> None:
    text = spec_text(*((f"R{n}", "It MUST.") for n in range(MAX_REQUIREMENTS + 1)))
    with pytest.raises(NothingToPlan, match="201 requirements, and a plan at most 200: divide"):
        read_planned(read(text), text)
