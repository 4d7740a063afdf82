"""`_meta.json`: unusable, forged and generated contents lose no issue."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdd_hooks.remote.json_fields import format_utc
from sdd_hooks.trackers.protocol import IssuePage
from sdd_hooks.trackers.sync import last_synced, sync
from tests.support.sync_harness import NOW, SyncHarness, counts
from tests.support.tracker import START, FakeTracker

NAMES = (
    *("schema_version", "cursor", "sync_counts", "state", "last_sync", "tracker"),
    *("issues", "pulls", "reconciled", "notes", "links", "fake|x"),
)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"schema_version": 2}',
        b'{"schema_version": 1, "cursor": [], "sync_counts": {}}',
        b'{"schema_version": 1, "cursor": {"a": {}, "b": {}}, "sync_counts": {}}',
        b" " * 20_000_001,
        b'{"schema_version": 1, "cursor": {}, "sync_counts": {}, "x": ' + b"9" * 5000 + b"}",
    ],
)
def test_an_unusable_file_causes_a_full_fetch_and_a_warning(
    harness: SyncHarness, content: bytes
) -> None:
    harness.sync()
    harness.backend.delete("3")
    (harness.folder.path / "_meta.json").write_bytes(content)
    assert last_synced(harness.folder) is None
    done = harness.sync()
    assert done.warnings == (
        ".sdd/issues/_meta.json could not be used: all issues were fetched again",
    )
    assert counts(done) == (0, 0, 1, 9, 0)
    assert harness.sync().warnings == ()
    harness.assert_as_synced_anew()


def test_a_missing_file_causes_a_full_fetch(harness: SyncHarness) -> None:
    harness.sync()
    (harness.folder.path / "_meta.json").unlink()
    done = harness.sync()
    assert (counts(done), done.warnings) == ((0, 0, 0, 10, 0), ())


@pytest.mark.parametrize(
    "forged",
    [
        {"issues": "9999-12-31T23:59:59Z"},
        {"pulls": "9999-12-31T23:59:59Z"},
        {"issues": 1e300},
        {"issues": "NaN", "pulls": "never"},
        {"issues": ["2026-01-01T00:00:00Z"]},
        {"notes": []},
        {"notes": {"etag": 5}, "links": {"1": "3", "2": [None, {}, "../../x", "4"]}},
        {"links": 3},
        {"reconciled": "9999-12-31T23:59:59Z"},
    ],
)
def test_a_forged_cursor_loses_nothing(harness: SyncHarness, forged: Mapping[str, Any]) -> None:
    harness.sync()
    meta = harness.meta()
    (cursor,) = meta["cursor"].values()
    cursor.update(forged)
    (harness.folder.path / "_meta.json").write_text(json.dumps(meta))
    harness.backend.now += 60
    harness.backend.edit("4", title="Changed")
    harness.sync()
    assert harness.issue("4").title == "Changed"
    harness.assert_as_synced_anew()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
        ),
        max_leaves=20,
    )
)
@settings(max_examples=60)
def test_any_content_is_parsed(content: Any) -> None:
    from sdd_hooks.trackers.sync_state import SyncState, parse_sync_state

    for document in (
        content,
        {"schema_version": 1, "sync_counts": {}, "cursor": {"a|b": content}},
    ):
        found = parse_sync_state(json.dumps(document).encode())
        assert found is None or isinstance(found, SyncState)


def test_the_format_of_the_file(harness: SyncHarness) -> None:
    harness.sync()
    meta = harness.meta()
    assert meta["schema_version"] == 1
    assert meta["last_sync"] == format_utc(NOW)
    assert meta["tracker"] == "fake"
    assert meta["sync_counts"] == {
        "added": 10,
        "updated": 0,
        "removed": 0,
        "unchanged": 0,
        "failed": 0,
    }
    assert list(meta["cursor"]) == ["fake|tracker.example/acme/shop"]
    assert harness.cursor()["issues"] == format_utc(START + 90)


def test_large_notes_are_not_stored(harness: SyncHarness) -> None:
    class LargeNotes(FakeTracker):
        def fetch(self, since: Any, notes: Any) -> Iterator[IssuePage]:
            notes["all"] = "x" * 1_000_000
            return super().fetch(since, notes)

    tracker = LargeNotes(harness.server.url)
    sync(tracker, harness.folder, clock=lambda: NOW)
    tracker.disconnect()
    assert harness.cursor()["notes"] == {}
