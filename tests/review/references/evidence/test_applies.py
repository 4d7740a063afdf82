import os
from pathlib import Path

import pytest

from sdd_hooks.project.repository import discover
from sdd_hooks.reporting.outcome import Candidate, References
from sdd_hooks.review.references.find import find_references
from tests.review.references.test_find import BEFORE
from tests.review.repositories import Files, subject_of

PAGES = BEFORE["docs/adrs/ADR-0004-pages.md"]
CHANGE = {"src/other/thing.py": "def unrelated(rabbit):\n    return Hutch.open_door(rabbit)\n"}


def review(tmp_path: Path, matter: str, after: Files = CHANGE) -> References:
    text = PAGES.replace("status: accepted\n", f"status: accepted\n{matter}\n")
    subject = subject_of(tmp_path, {**BEFORE, "docs/adrs/ADR-0004-pages.md": text}, after)
    return find_references(discover(subject.after.root, os.environ), subject, 1)


def pages_of(references: References) -> Candidate:
    return next(one for one in references.ranked if one.id == "ADR-0004")


@pytest.mark.parametrize("entry", ["src/other/", "thing.py", "Hutch.open_door", "open_door()"])
def test_a_record_that_applies_to_the_change_gets_a_vote(tmp_path: Path, entry: str) -> None:
    without = pages_of(review(tmp_path / "none", "date: 2026-01-01"))
    found = pages_of(review(tmp_path / "some", f"applies-to: [{entry}]"))
    assert found.score >= without.score + 0.07
    reason = found.evidence[0]
    assert reason.kind == "applies"
    assert entry in reason.detail


def test_the_place_is_the_entry_or_the_added_line(tmp_path: Path) -> None:
    by_path = pages_of(review(tmp_path / "path", "applies-to: [src/other/]")).evidence[0]
    assert (by_path.path, by_path.line) == ("docs/adrs/ADR-0004-pages.md", 3)
    assert by_path.detail == "it applies to src/other/, which matches src/other/thing.py"
    by_symbol = pages_of(review(tmp_path / "symbol", "applies-to: [open_door()]")).evidence[0]
    assert (by_symbol.path, by_symbol.line) == ("src/other/thing.py", 2)


def test_a_part_of_a_longer_name_is_not_the_symbol(tmp_path: Path) -> None:
    after = {"src/other/thing.py": "open_doors = reopen_door = Open_Door\n"}
    ranked = review(tmp_path, "applies-to: [open_door()]", after).ranked
    assert all(reason.kind != "applies" for one in ranked for reason in one.evidence)


def test_other_records_lose_nothing(tmp_path: Path) -> None:
    without = {one.id: one.score for one in review(tmp_path / "1", "date: 2026-01-01").ranked}
    applied = {one.id: one.score for one in review(tmp_path / "2", "applies-to: src/").ranked}
    assert applied["ADR-0004"] > without["ADR-0004"]
    for id in ("ADR-0003", "ADR-0007"):
        assert applied[id] >= without[id] - 0.01


def test_a_record_that_applies_to_everything_gains_nothing(tmp_path: Path) -> None:
    plain = review(tmp_path / "1", "date: 2026-01-01").ranked
    everything = review(tmp_path / "2", "applies-to: '**'").ranked
    assert [one.id for one in plain] == [one.id for one in everything]
