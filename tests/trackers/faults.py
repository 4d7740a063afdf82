"""What every tracker over HTTP must do, and the faults that it must handle, against a fake server.

The test module of a vendor has a fixture `vendor` and a class:

    class TestVendor(VendorTable):
        pass
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.client import MAX_RETRIES
from sdd_hooks.trackers.issue import Issue, IssueDraft
from sdd_hooks.trackers.protocol import IssueFilter, Since, Tracker
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import SOURCE, TOKEN, ClientFactory
from tests.trackers.folders import assert_as_synced_anew, stored, synced

START = 1_777_640_000
"""2026-05-01T12:53:20Z, the time of the first issue. The clocks start at NOW."""
NOW = START + 86_400


@dataclass
class VendorServer:
    """The fake server of a vendor with an empty project, and a function to open it as a tracker.

    `fake` has the clock `now` of the server, and `answer`, its response without a fault.
    `add(at, labels, closed)` adds an issue created and updated at that time (epoch seconds by the
    server's clock) and returns its id, `edit(id, at)` changes its title. `lists` is whether a
    request is for a page of the listing, which has at most `page` entries; `creates` is whether it
    creates an issue. A sync in which nothing changed takes `unchanged` requests. `limited(seconds)`
    are the responses that report a rate limit for that long.
    """

    fake: Any
    server: Server
    client_factory: ClientFactory
    open: Callable[[], Any]
    add: Callable[..., str]
    edit: Callable[[str, int], None]
    delete: Callable[[str], None]
    lists: Callable[[Request], bool]
    page: int
    unchanged: int = 1
    creates: Callable[[Request], bool] = lambda request: (
        request.method == "POST" and request.path.endswith(("/issues", "/issue"))
    )
    has_pulls: bool = True
    limited: Callable[[int], list[CannedResponse]] = field(default=lambda _seconds: [])

    @property
    def now(self) -> float:
        """The time of the server."""
        return float(self.fake.now)

    def fill(self, count: int) -> list[str]:
        """Add issues, updated a second apart from START on. Returns their ids."""
        return [self.add(START + number) for number in range(count)]

    def listings(self) -> int:
        """The number of requests for pages of the listing."""
        return sum(1 for request in self.server.requests if self.lists(request))

    def page_after(self, count: int) -> Callable[[Request], bool]:
        """Whether a request is for a page after the first `count` requests for pages."""
        return lambda request: self.lists(request) and self.listings() > count


def fetched(
    tracker: Tracker, since: Since | None = None, notes: MutableMapping[str, str] | None = None
) -> dict[str, Issue]:
    """The issues of a fetch, by id; the last occurrence of each counts."""
    pages = tracker.fetch(since or Since(), {} if notes is None else notes)
    return {issue.id: issue for page in pages for issue in page.issues}


def listed(tracker: Tracker) -> Iterator[str]:
    """The ids of the inventory."""
    for entry in tracker.inventory() or ():
        yield entry.id if isinstance(entry, Issue) else entry


class VendorTable:
    """One test for each fact. A subclass may replace those that its vendor has otherwise."""

    def test_a_sync_of_everything_of_nothing_and_of_changes(
        self, vendor: VendorServer, tmp_path: Path
    ) -> None:
        ids = vendor.fill(vendor.page + 5)
        vendor.fake.now += 3600
        assert synced(vendor, tmp_path).added == len(ids)
        synced(vendor, tmp_path)
        vendor.server.requests.clear()
        assert synced(vendor, tmp_path).changed == ()
        assert len(vendor.server.requests) == vendor.unchanged
        vendor.fake.now += 60
        vendor.edit(ids[3], int(vendor.now))
        vendor.delete(ids[5])
        done = synced(vendor, tmp_path)
        assert (done.added, done.updated, done.removed) == (0, 1, 0)
        assert 'title: "Edited"' in stored(tmp_path)[ids[3]]
        vendor.fake.now += 86_400
        assert synced(vendor, tmp_path).removed == 1
        assert {*stored(tmp_path)} == {*ids} - {ids[5]}
        assert_as_synced_anew(vendor, tmp_path)

    def test_changes_between_two_pages(self, vendor: VendorServer, tmp_path: Path) -> None:
        ids = [vendor.add(START + number // 40) for number in range(3 * vendor.page)]
        vendor.fake.now += 3600
        pages = 0

        def change(request: Request) -> None:
            nonlocal pages
            pages += vendor.lists(request)
            if vendor.lists(request) and pages in {2, 3}:
                vendor.fake.now += 1
                # One of the first page, and one of the last.
                for id in (ids[pages], ids[3 * vendor.page - 5 + pages]):
                    vendor.edit(id, int(vendor.now))
                ids.append(vendor.add(int(vendor.now)))

        vendor.server.faults.append(change)
        synced(vendor, tmp_path)
        vendor.fake.now += 3600
        synced(vendor, tmp_path)
        assert {*stored(tmp_path)} == {*ids}
        assert sum("Edited" in text for text in stored(tmp_path).values()) == 4
        assert_as_synced_anew(vendor, tmp_path)

    def test_two_edits_in_one_second(self, vendor: VendorServer, tmp_path: Path) -> None:
        first, second = vendor.fill(2)
        at = int(vendor.now) - 1
        vendor.edit(first, at)
        synced(vendor, tmp_path)
        vendor.edit(second, at)
        assert synced(vendor, tmp_path).updated == 1
        assert all("Edited" in text for text in stored(tmp_path).values())

    def test_a_query(self, vendor: VendorServer) -> None:
        bug = vendor.add(START + 3, ("bug", "ui"))
        done = vendor.add(START + 2, ("bug",), closed=True)
        plain = vendor.add(START + 1)

        def found(status: Any = None, *labels: str) -> list[str]:
            return [issue.id for issue in vendor.open().query(IssueFilter(status, labels))]

        assert found() == [bug, done, plain]
        assert found("open") == [bug, plain]
        assert found("closed") == [done]
        assert found("draft") == ([bug, plain] if vendor.has_pulls else [])
        assert found("merged") == ([done] if vendor.has_pulls else [])
        assert found(None, "bug") == [bug, done]
        assert found("open", "bug", "ui") == [bug]
        assert found(None, "bug", "no, such") == []

    def test_a_query_requests_only_the_consumed_pages(self, vendor: VendorServer) -> None:
        ids = vendor.fill(vendor.page + 20)
        found = vendor.open().query(IssueFilter())
        assert next(found).id == ids[-1]
        assert vendor.listings() == 1
        assert [*dict.fromkeys(issue.id for issue in found)] == ids[-2::-1]
        assert vendor.listings() > 1

    def test_an_issue_is_created_extended_and_closed(self, vendor: VendorServer) -> None:
        tracker = vendor.open()
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
        self, vendor: VendorServer, answer: CannedResponse
    ) -> None:
        vendor.server.fail(*[answer] * 9, when=vendor.creates)
        with pytest.raises(RemoteError):
            vendor.open().create(IssueDraft("New"))
        assert sum(map(vendor.creates, vendor.server.requests)) == 1

    def test_a_write_without_permission(self, vendor: VendorServer) -> None:
        vendor.server.fail(CannedResponse(403, {"message": "push access"}), when=vendor.creates)
        with pytest.raises(AccessRefused):
            vendor.open().create(IssueDraft("New"))

    def test_writing_a_missing_issue(self, vendor: VendorServer) -> None:
        (id,) = vendor.fill(1)
        vendor.delete(id)
        tracker = vendor.open()
        for write in (lambda: tracker.append(id, "x"), lambda: tracker.close(id)):
            with pytest.raises(Missing):
                write()

    def test_waits_for_a_rate_limit(self, vendor: VendorServer) -> None:
        ids = vendor.fill(2)
        for answer in vendor.limited(20):
            vendor.client_factory.waits.clear()
            vendor.server.fail(answer, when=vendor.lists)
            assert sorted(fetched(vendor.open())) == sorted(ids)
            assert vendor.client_factory.waits == [pytest.approx(20, abs=2)]

    def test_a_long_rate_limit_is_an_error(self, vendor: VendorServer) -> None:
        vendor.fill(2)
        for answer in vendor.limited(3000):
            vendor.server.fail(answer, when=vendor.lists)
            with pytest.raises(RateLimited) as caught:
                fetched(vendor.open())
            assert caught.value.until == pytest.approx(vendor.client_factory.now + 3000, abs=2)
        assert vendor.client_factory.waits == []

    def test_waits_for_retry_after(self, vendor: VendorServer) -> None:
        ids = vendor.fill(2)
        busy = CannedResponse(429, {"message": "slow down"}, {"Retry-After": "7"})
        vendor.server.fail(busy, busy, when=vendor.lists)
        assert sorted(fetched(vendor.open())) == sorted(ids)
        assert vendor.client_factory.waits == [pytest.approx(7, abs=1)] * 2

    def test_a_failed_request_is_retried(self, vendor: VendorServer) -> None:
        ids = vendor.fill(2)
        broken = CannedResponse(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"})
        vendor.server.fail(broken, broken, when=vendor.lists)
        assert sorted(fetched(vendor.open())) == sorted(ids)
        assert vendor.client_factory.waits == sorted(vendor.client_factory.waits)
        assert len(vendor.client_factory.waits) == 2

    def test_the_number_of_retries_is_limited(self, vendor: VendorServer) -> None:
        vendor.fill(2)
        vendor.server.fail(*[CannedResponse(500, {"message": "no"})] * 9, when=vendor.lists)
        with pytest.raises(RemoteError, match="500"):
            fetched(vendor.open())
        assert vendor.listings() == MAX_RETRIES + 1

    @pytest.mark.parametrize("status", [401, 403])
    def test_a_refusal_is_not_retried(self, vendor: VendorServer, status: int) -> None:
        vendor.fill(2)
        refused = CannedResponse(status, {"message": f"Bad credentials {TOKEN}"})
        vendor.server.fail(*[refused] * 9, when=vendor.lists)
        with pytest.raises(AccessRefused) as caught:
            fetched(vendor.open())
        assert vendor.listings() == 1
        assert SOURCE in str(caught.value)
        assert TOKEN not in repr(caught.value)

    @pytest.mark.parametrize("status", [404, 410])
    def test_a_missing_project(self, vendor: VendorServer, status: int) -> None:
        vendor.fill(1)
        vendor.server.fail(CannedResponse(status, {"message": "Not Found"}), when=vendor.lists)
        with pytest.raises(RemoteError):
            fetched(vendor.open())

    @pytest.mark.parametrize("status", [404, 410])
    def test_a_missing_issue(self, vendor: VendorServer, status: int) -> None:
        (id,) = vendor.fill(1)
        vendor.server.fail(CannedResponse(status, {"message": "gone"}), when=lambda _: True)
        with pytest.raises(Missing):
            vendor.open().issue(id)

    @pytest.mark.parametrize("id", ["../../user", "a/b", "7?x=1", "7#", "", "%2e%2e", "\x00"])
    def test_an_id_that_is_a_path(self, vendor: VendorServer, id: str) -> None:
        vendor.fill(1)
        with pytest.raises(RemoteError):
            vendor.open().issue(id)

    def test_a_failure_on_the_second_page(self, vendor: VendorServer) -> None:
        vendor.fill(vendor.page + 5)
        vendor.server.fail(*[CannedResponse(500, {})] * 9, when=vendor.page_after(1))
        notes: dict[str, str] = {}
        with pytest.raises(RemoteError):
            fetched(vendor.open(), notes=notes)
        assert notes == {}

    def test_many_issues_of_one_second(self, vendor: VendorServer) -> None:
        count = 2 * vendor.page + 3
        ids = [vendor.add(START) for _ in range(count)]
        assert sorted(fetched(vendor.open())) == sorted(ids)

    def test_a_redirect_to_another_host(self, vendor: VendorServer) -> None:
        vendor.fill(1)
        away = {"Location": "http://localhost.invalid/steal"}
        vendor.server.fail(CannedResponse(302, None, away), when=vendor.lists)
        with pytest.raises(RemoteError, match=r"localhost\.invalid"):
            fetched(vendor.open())

    def test_an_interrupted_connection(self, vendor: VendorServer) -> None:
        ids = vendor.fill(2)
        vendor.server.fail(CannedResponse(200, [{"number": 1}], cut=5), when=vendor.lists)
        assert sorted(fetched(vendor.open())) == sorted(ids)

    def test_a_response_that_is_not_a_list(self, vendor: VendorServer) -> None:
        vendor.fill(1)
        login = CannedResponse(200, b"<html>log in</html>", {"Content-Type": "text/html"})
        vendor.server.fail(*[login] * 9, when=vendor.lists)
        with pytest.raises(RemoteError):
            fetched(vendor.open())

    def test_a_page_that_repeats_forever(self, vendor: VendorServer) -> None:
        """As from a server that ignores the requested start of a page."""
        vendor.fill(2 * vendor.page)
        repeated: list[CannedResponse] = []

        def repeat(request: Request) -> CannedResponse | None:
            return repeated[0] if repeated and vendor.lists(request) else None

        vendor.server.faults.append(repeat)
        with pytest.raises(RemoteError):
            for _ in vendor.open().fetch(Since(), {}):
                asked = next(request for request in vendor.server.requests if vendor.lists(request))
                repeated[:] = repeated or [vendor.fake.answer(asked)]
        assert vendor.listings() < 20
