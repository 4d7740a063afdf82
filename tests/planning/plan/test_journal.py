from __future__ import annotations

from pathlib import Path

import pytest

from sdd_hooks.errors import StorageError
from sdd_hooks.planning.plan.journal import Creating, JournalState, PlanJournal


def journal(tmp_path: Path, spec: str = "SPEC-0003") -> PlanJournal:
    return PlanJournal(tmp_path, "github:github.com/acme/shop", spec)


def test_a_journal_keeps_what_was_created_and_what_is_being_created(tmp_path: Path) -> None:
    first = journal(tmp_path)
    first.begin(("aa", "bb"), 12.5)
    assert journal(tmp_path).state == JournalState({}, Creating(("aa", "bb"), 12.5))
    first.finish(("aa", "bb"), "7")
    first.begin(("cc",), 13.0)
    again = journal(tmp_path)
    assert again.state == JournalState({"aa": "7", "bb": "7"}, Creating(("cc",), 13.0))
    again.settle()
    again.finish(("cc",), "8")
    again.forget(["7"])
    assert journal(tmp_path).state == JournalState({"cc": "8"})
    assert journal(tmp_path, "SPEC-0004").state == JournalState({})


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"issues": 3, "creating": null}', b"\xff", b"[" * 100_000]
)
def test_a_damaged_journal_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    journal(tmp_path).begin(("aa",), 1.0)
    (path,) = (tmp_path / "plans").glob("*.json")
    path.write_bytes(content)
    assert journal(tmp_path).state == JournalState({})


def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plans").symlink_to("/tmp")
    with pytest.raises(StorageError, match="symbolic link"):
        journal(tmp_path)
