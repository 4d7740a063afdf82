"""What every tracker over HTTP must do, and the faults that it must handle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import Missing, RateLimited, RemoteError
from sdd_hooks.trackers.issue import IssueDraft
from sdd_hooks.trackers.protocol import IssueFilter, Since
from tests.support.loopback import CannedResponse, Request
from tests.trackers.fetching import START, fetched
from tests.trackers.folders import assert_as_synced_anew, stored, synced
from tests.trackers.sites import SITES, TrackerSite


@pytest.fixture(params=SITES)
def site(request: pytest.FixtureRequest) -> Iterator[TrackerSite]:
    with SITES[request.param]() as found:
        yield found


def test_a_sync_of_everything_of_nothing_and_of_changes(site: TrackerSite, tmp_path: Path) -> None:
    ids = site.fill(site.page + 5)
    site.fake.now += 3600
    assert synced(site, tmp_path).added == len(ids)
    synced(site, tmp_path)
    site.server.requests.clear()
    assert synced(site, tmp_path).changed == ()
    assert len(site.server.requests) == site.unchanged
    site.fake.now += 60
    site.edit(ids[3], "Edited")
    site.delete(ids[5])
    done = synced(site, tmp_path)
    assert (done.added, done.updated, done.removed) == (0, 1, 0)
    assert 'title: "Edited"' in stored(tmp_path)[ids[3]]
    site.fake.now += 86_400
    assert synced(site, tmp_path).removed == 1
    assert {*stored(tmp_path)} == {*ids} - {ids[5]}
    assert_as_synced_anew(site, tmp_path)


def test_changes_between_two_pages(site: TrackerSite, tmp_path: Path) -> None:
    ids = [site.add(at=START + number // 40) for number in range(3 * site.page)]
    site.fake.now += 3600
    pages = 0

    def change(request: Request) -> None:
        nonlocal pages
        pages += site.lists(request)
        if site.lists(request) and pages in {2, 3}:
            site.fake.now += 1
            # One of the first page, and one of the last.
            for id in (ids[pages], ids[3 * site.page - 5 + pages]):
                site.edit(id, "Edited")
            ids.append(site.add())

    site.server.faults.append(change)
    synced(site, tmp_path)
    site.fake.now += 3600
    synced(site, tmp_path)
    assert {*stored(tmp_path)} == {*ids}
    assert sum("Edited" in text for text in stored(tmp_path).values()) == 4
    assert_as_synced_anew(site, tmp_path)


def test_two_edits_in_one_second(site: TrackerSite, tmp_path: Path) -> None:
    first, second = site.fill(2)
    at = int(site.now) - 1
    site.edit(first, "Edited", at)
    synced(site, tmp_path)
    site.edit(second, "Edited", at)
    assert synced(site, tmp_path).updated == 1
    assert all("Edited" in text for text in stored(tmp_path).values())


def test_a_query(site: TrackerSite) -> None:
    bug = site.add(at=START + 3, labels=("bug", "ui"))
    done = site.add(at=START + 2, labels=("bug",), closed=True)
    plain = site.add(at=START + 1)
    has_pulls = not site.name.startswith("jira")

    def found(status: Any = None, *labels: str) -> list[str]:
        return [issue.id for issue in site.open().query(IssueFilter(status, labels))]

    assert found() == [bug, done, plain]
    assert found("open") == [bug, plain]
    assert found("closed") == [done]
    assert found("draft") == ([bug, plain] if has_pulls else [])
    assert found("merged") == ([done] if has_pulls else [])
    assert found(None, "bug") == [bug, done]
    assert found("open", "bug", "ui") == [bug]
    assert found(None, "bug", "no, such") == []


def test_a_query_requests_only_the_consumed_pages(site: TrackerSite) -> None:
    ids = site.fill(site.page + 20)
    found = site.open().query(IssueFilter())
    assert next(found).id == ids[-1]
    assert site.listings() == 1
    assert [*dict.fromkeys(issue.id for issue in found)] == ids[-2::-1]
    assert site.listings() > 1


def test_an_issue_is_created_extended_and_closed(site: TrackerSite) -> None:
    tracker = site.open()
    made = tracker.create(IssueDraft("New", "Body", ("bug", "epic")))
    assert (made.title, made.body, {*made.labels}) == ("New", "Body", {"bug", "epic"})
    changed = tracker.append(made.id, "### A\n\nb")
    assert changed == tracker.issue(made.id)
    assert (changed.title, changed.labels) == ("New", made.labels)
    assert changed.body == "Body\n\n### A\n\nb"
    empty = tracker.create(IssueDraft("Empty"))
    assert (empty.body, empty.labels) == ("", ())
    assert tracker.append(empty.id, "### A").body == "### A"
    tracker.close(made.id)
    tracker.close(made.id)
    assert tracker.issue(made.id).status == "closed"


@pytest.mark.parametrize(
    "answer", [CannedResponse(502, b""), CannedResponse(201, {"key": "SHOP-1"}, cut=3)]
)
def test_a_write_with_an_unknown_result_is_not_retried(
    site: TrackerSite, answer: CannedResponse
) -> None:
    site.server.fail(*[answer] * 9, when=site.creates)
    with pytest.raises(RemoteError):
        site.open().create(IssueDraft("New"))
    assert sum(map(site.creates, site.server.requests)) == 1


def test_writing_a_missing_issue(site: TrackerSite) -> None:
    (id,) = site.fill(1)
    site.delete(id)
    tracker = site.open()
    for write in (lambda: tracker.append(id, "x"), lambda: tracker.close(id)):
        with pytest.raises(Missing):
            write()


def test_waits_for_a_rate_limit(site: TrackerSite) -> None:
    ids = site.fill(2)
    for answer in site.limited(20):
        site.factory.waits.clear()
        site.server.fail(answer, when=site.lists)
        assert sorted(fetched(site.open())) == sorted(ids)
        assert site.factory.waits == [pytest.approx(20, abs=2)]


def test_a_long_rate_limit_is_an_error(site: TrackerSite) -> None:
    site.fill(2)
    for answer in site.limited(3000):
        site.server.fail(answer, when=site.lists)
        with pytest.raises(RateLimited) as caught:
            fetched(site.open())
        assert caught.value.until == pytest.approx(site.factory.now + 3000, abs=2)
    assert site.factory.waits == []


@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_project(site: TrackerSite, status: int) -> None:
    site.fill(1)
    site.server.fail(CannedResponse(status, {"message": "Not Found"}), when=site.lists)
    with pytest.raises(RemoteError):
        fetched(site.open())


@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_issue(site: TrackerSite, status: int) -> None:
    (id,) = site.fill(1)
    site.server.fail(CannedResponse(status, {"message": "gone"}), when=lambda _: True)
    with pytest.raises(Missing):
        site.open().issue(id)


def test_an_id_that_is_a_path(site: TrackerSite) -> None:
    site.fill(1)
    tracker = site.open()
    for id in ("../../user", "a/b", "7?x=1", "7#", "", "%2e%2e", "\x00"):
        with pytest.raises(RemoteError):
            tracker.issue(id)


def test_a_failure_on_the_second_page(site: TrackerSite) -> None:
    site.fill(site.page + 5)
    site.server.fail(*[CannedResponse(500, {})] * 9, when=site.page_after(1))
    notes: dict[str, str] = {}
    with pytest.raises(RemoteError):
        fetched(site.open(), notes=notes)
    assert notes == {}


def test_many_issues_of_one_second(site: TrackerSite) -> None:
    count = 2 * site.page + 3
    ids = [site.add(at=START) for _ in range(count)]
    assert sorted(fetched(site.open())) == sorted(ids)


def test_a_page_that_repeats_forever(site: TrackerSite) -> None:
    """As from a server that ignores the requested start of a page."""
    site.fill(2 * site.page)
    repeated: list[CannedResponse] = []

    def repeat(request: Request) -> CannedResponse | None:
        return repeated[0] if repeated and site.lists(request) else None

    site.server.faults.append(repeat)
    with pytest.raises(RemoteError):
        for _ in site.open().fetch(Since(), {}):
            asked = next(request for request in site.server.requests if site.lists(request))
            repeated[:] = repeated or [site.fake.answer(asked)]
    assert site.listings() < 20
