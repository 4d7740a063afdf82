"""The faults that every tracker over HTTP must handle, against the fake server of its vendor.

The test module of a vendor has a fixture `vendor` and a class:

    class TestFaults(FaultTable):
        pass
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field

import pytest

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.client import MAX_RETRIES
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import Since, Tracker
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import SOURCE, TOKEN, ClientFactory

START = 1_777_640_000
"""2026-05-01T12:53:20Z, the time of the first issue. The clocks start at NOW."""
NOW = START + 86_400


@dataclass
class VendorServer:
    """The fake server of a vendor with an empty project, and a function to open it as a tracker.

    `answer` is the response of the server without a fault. `add(at)` adds an issue updated at that
    time (epoch seconds by the server's clock) and returns its id, `edit(id, at)` changes it.
    `lists` is whether a request is for a page of the listing, which has at most `page` entries.
    `limited(seconds)` are the responses that report a rate limit for that long.
    """

    server: Server
    answer: Callable[[Request], CannedResponse]
    client_factory: ClientFactory
    open: Callable[[], Tracker]
    add: Callable[[int], str]
    edit: Callable[[str, int], None]
    lists: Callable[[Request], bool]
    page: int
    limited: Callable[[int], list[CannedResponse]] = field(default=lambda _seconds: [])

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


class FaultTable:
    """One test for each fault. A subclass may add faults of its vendor."""

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

    def test_two_edits_in_one_second(self, vendor: VendorServer) -> None:
        first, second = vendor.fill(2)
        vendor.edit(first, START + 9)
        fetched(vendor.open())
        vendor.edit(second, START + 9)
        assert set(fetched(vendor.open(), Since(START + 9, START + 9))) == {first, second}

    def test_many_issues_of_one_second(self, vendor: VendorServer) -> None:
        count = 2 * vendor.page + 3
        ids = [vendor.add(START) for _ in range(count)]
        assert sorted(fetched(vendor.open())) == sorted(ids)

    def test_changes_between_pages(self, vendor: VendorServer) -> None:
        """Every issue is on a page, or newer than the time of the first page."""
        ids = vendor.fill(3 * vendor.page)
        later = int(vendor.client_factory.now) + 5
        tracker = vendor.open()
        found: dict[str, Issue] = {}
        first = None
        for count, page in enumerate(tracker.fetch(Since(), {})):
            first = page.at if first is None else first
            found |= {issue.id: issue for issue in page.issues}
            if count == 0:
                # One of the first page and one of the last; both become the newest.
                for id in (ids[3], ids[-3]):
                    vendor.edit(id, later)
                vendor.add(later)
        assert first is not None
        assert first <= later
        missed = set(ids) - set(found)
        assert missed <= {ids[3], ids[-3]}

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
                repeated[:] = repeated or [vendor.answer(asked)]
        assert vendor.listings() < 20
