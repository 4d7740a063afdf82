"""The note about chunks without vectors: once a day for a person, and another during an embed."""

from __future__ import annotations

import json
import os

import pytest

from sdd_hooks.embedding.lock import acquire_lock
from sdd_hooks.project.repository import Repository
from sdd_hooks.retrieval.search import pending_notes
from sdd_hooks.usecases.reading.search import REMINDER_FILE, REMINDER_INTERVAL, remind, running_note
from tests.support.repos import Repo

NOW = 1_800_000_000.0
USUAL = pending_notes(7)
NOTES = ("Index was 3 hours stale.", *USUAL, "shop-code is not indexed")
QUIET = (NOTES[0], NOTES[-1])


@pytest.fixture
def repository(repo: Repo) -> Repository:
    (repo.root / ".sdd/search").mkdir(parents=True)
    return repo.repository


def test_the_note_appears_once_a_day(repository: Repository) -> None:
    assert remind(repository, NOTES, 7, NOW) == NOTES
    assert remind(repository, NOTES, 7, NOW + 1) == QUIET
    assert remind(repository, NOTES, 7, NOW + REMINDER_INTERVAL - 1) == QUIET
    assert remind(repository, NOTES, 7, NOW + REMINDER_INTERVAL) == NOTES
    assert remind(repository, NOTES, 7, NOW + REMINDER_INTERVAL + 1) == QUIET


def test_a_clock_that_was_ahead_hides_nothing(repository: Repository) -> None:
    assert remind(repository, NOTES, 7, NOW + 10 * REMINDER_INTERVAL) == NOTES
    assert remind(repository, NOTES, 7, NOW) == NOTES


def test_nothing_is_shown_or_stored_where_every_chunk_has_a_vector(repository: Repository) -> None:
    assert remind(repository, QUIET, 0, NOW) == QUIET
    assert not (repository.search_dir / REMINDER_FILE).exists()


def test_an_embed_that_runs_is_what_the_note_says(repository: Repository) -> None:
    assert remind(repository, NOTES, 7, NOW) == NOTES
    lock = acquire_lock(repository)
    assert lock is not None
    assert remind(repository, NOTES, 7, NOW + 1) == (NOTES[0], running_note(7), NOTES[-1])
    assert "run `sdd index embed`" not in running_note(7)
    assert remind(repository, NOTES, 7, NOW + 2) == QUIET
    os.close(lock)
    # The embed ended, and left chunks.
    assert remind(repository, NOTES, 7, NOW + 3) == NOTES


@pytest.mark.parametrize(
    "text",
    [
        *("", "[" * 150, "{}", '["pending"]', f'["pending", "{NOW}"]', '["pending", NaN]'),
        *("[1" * 999, f'["other", {NOW}]', f'["pending", {NOW}, 1]', "\udcff", '["pending", true]'),
    ],
)
def test_a_file_that_was_not_written_here_hides_nothing(repository: Repository, text: str) -> None:
    path = repository.search_dir / REMINDER_FILE
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert remind(repository, NOTES, 7, NOW + 1) == NOTES
    assert json.loads(path.read_bytes()) == ["pending", NOW + 1]


def test_a_link_is_replaced_and_not_followed(repository: Repository) -> None:
    outside = repository.root / "outside"
    outside.write_text(json.dumps(["pending", NOW]))
    (repository.search_dir / REMINDER_FILE).symlink_to(outside)
    assert remind(repository, NOTES, 7, NOW + 1) == NOTES
    assert outside.read_text() == json.dumps(["pending", NOW])
    assert remind(repository, NOTES, 7, NOW + 2) == QUIET


def test_the_note_appears_each_time_where_nothing_can_be_stored(repo: Repo) -> None:
    for seconds in (0, 1):
        assert remind(repo.repository, NOTES, 7, NOW + seconds) == NOTES
