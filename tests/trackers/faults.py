"""The faults that every tracker behind HTTP must survive, against its vendor's loopback server.

A vendor's test module has a fixture `stand` and a class of its own:

    class TestFaults(FaultTable):
        pass
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field

import pytest

from sdd_hooks.errors import AccessRefused, Missing, RateLimited, RemoteError
from sdd_hooks.remote.client import RETRIES
from sdd_hooks.trackers.issue import Issue
from sdd_hooks.trackers.protocol import Since, Tracker
from tests.support.loopback import CannedResponse, Request, Server
from tests.support.machines import SOURCE, TOKEN, Workplace

START = 1_777_640_000
"""2026-05-01T12:53:20Z: when the first issue of a stand was changed. Its clocks begin NOW."""
NOW = START + 86_400


@dataclass
class Stand:
    """A vendor's loopback server with an empty project, and a way to open it as a tracker.

    `answer` is what the server answers where there is no fault.
    `add(at)` makes an issue that was changed at that time (epoch seconds, as the server has it) and
    returns its id, `edit(id, at)` changes it. `lists` says whether a request is for a page of the
    listing, whose pages have at most `page` entries. `limited(seconds)` are the answers by which
    the vendor says that its limit is reached for so long. `now` moves the server's clock.
    """

    server: Server
    answer: Callable[[Request], CannedResponse]
    workplace: Workplace
    open: Callable[[], Tracker]
    add: Callable[[int], str]
    edit: Callable[[str, int], None]
    lists: Callable[[Request], bool]
    page: int
    limited: Callable[[int], list[CannedResponse]] = field(default=lambda _seconds: [])

    def fill(self, count: int) -> list[str]:
        """That many issues, changed a second apart from START on."""
        return [self.add(START + number) for number in range(count)]

    def listings(self) -> int:
        """How many pages of the listing were asked for."""
        return sum(1 for request in self.server.asked if self.lists(request))

    def page_after(self, count: int) -> Callable[[Request], bool]:
        """Whether a request is for a page, when `count` were asked for before it."""
        return lambda request: self.lists(request) and self.listings() > count


def fetched(
    tracker: Tracker, since: Since | None = None, notes: MutableMapping[str, str] | None = None
) -> dict[str, Issue]:
    """What a fetch brings, by id, as it came last."""
    pages = tracker.fetch(since or Since(), {} if notes is None else notes)
    return {issue.id: issue for page in pages for issue in page.issues}


class FaultTable:
    """Each fault is a test. A subclass may add those that only its vendor has."""

    def test_a_limit_of_the_vendor_is_waited_for(self, stand: Stand) -> None:
        ids = stand.fill(2)
        for answer in stand.limited(20):
            stand.workplace.waits.clear()
            stand.server.fail(answer, when=stand.lists)
            assert sorted(fetched(stand.open())) == sorted(ids)
            assert stand.workplace.waits == [pytest.approx(20, abs=2)]

    def test_a_limit_that_lasts_too_long_is_told(self, stand: Stand) -> None:
        stand.fill(2)
        for answer in stand.limited(3000):
            stand.server.fail(answer, when=stand.lists)
            with pytest.raises(RateLimited) as caught:
                fetched(stand.open())
            assert caught.value.until == pytest.approx(stand.workplace.now + 3000, abs=2)
        assert stand.workplace.waits == []

    def test_retry_after_is_kept_to(self, stand: Stand) -> None:
        ids = stand.fill(2)
        busy = CannedResponse(429, {"message": "slow down"}, {"Retry-After": "7"})
        stand.server.fail(busy, busy, when=stand.lists)
        assert sorted(fetched(stand.open())) == sorted(ids)
        assert stand.workplace.waits == [pytest.approx(7, abs=1)] * 2

    def test_a_server_that_fails_is_asked_again(self, stand: Stand) -> None:
        ids = stand.fill(2)
        broken = CannedResponse(502, b"<html>bad gateway</html>", {"Content-Type": "text/html"})
        stand.server.fail(broken, broken, when=stand.lists)
        assert sorted(fetched(stand.open())) == sorted(ids)
        assert stand.workplace.waits == sorted(stand.workplace.waits)
        assert len(stand.workplace.waits) == 2

    def test_a_server_that_goes_on_failing_is_left_alone(self, stand: Stand) -> None:
        stand.fill(2)
        stand.server.fail(*[CannedResponse(500, {"message": "no"})] * 9, when=stand.lists)
        with pytest.raises(RemoteError, match="500"):
            fetched(stand.open())
        assert stand.listings() == RETRIES + 1

    @pytest.mark.parametrize("status", [401, 403])
    def test_a_refusal_ends_it_at_once(self, stand: Stand, status: int) -> None:
        stand.fill(2)
        refused = CannedResponse(status, {"message": f"Bad credentials {TOKEN}"})
        stand.server.fail(*[refused] * 9, when=stand.lists)
        with pytest.raises(AccessRefused) as caught:
            fetched(stand.open())
        assert stand.listings() == 1
        assert SOURCE in str(caught.value)
        assert TOKEN not in repr(caught.value)

    @pytest.mark.parametrize("status", [404, 410])
    def test_a_project_that_is_not_there(self, stand: Stand, status: int) -> None:
        stand.fill(1)
        stand.server.fail(CannedResponse(status, {"message": "Not Found"}), when=stand.lists)
        with pytest.raises(RemoteError):
            fetched(stand.open())

    @pytest.mark.parametrize("status", [404, 410])
    def test_an_issue_that_is_not_there(self, stand: Stand, status: int) -> None:
        (id,) = stand.fill(1)
        stand.server.fail(CannedResponse(status, {"message": "gone"}), when=lambda _: True)
        with pytest.raises(Missing):
            stand.open().issue(id)

    @pytest.mark.parametrize("id", ["../../user", "a/b", "7?x=1", "7#", "", "%2e%2e", "\x00"])
    def test_an_id_that_is_a_path(self, stand: Stand, id: str) -> None:
        stand.fill(1)
        with pytest.raises(RemoteError):
            stand.open().issue(id)

    def test_a_failure_on_the_second_page(self, stand: Stand) -> None:
        stand.fill(stand.page + 5)
        stand.server.fail(*[CannedResponse(500, {})] * 9, when=stand.page_after(1))
        notes: dict[str, str] = {}
        with pytest.raises(RemoteError):
            fetched(stand.open(), notes=notes)
        assert notes == {}

    def test_two_edits_in_one_second(self, stand: Stand) -> None:
        first, second = stand.fill(2)
        stand.edit(first, START + 9)
        fetched(stand.open())
        stand.edit(second, START + 9)
        assert set(fetched(stand.open(), Since(START + 9, START + 9))) == {first, second}

    def test_all_of_one_second(self, stand: Stand) -> None:
        count = 2 * stand.page + 3
        ids = [stand.add(START) for _ in range(count)]
        assert sorted(fetched(stand.open())) == sorted(ids)

    def test_what_changes_while_pages_are_read(self, stand: Stand) -> None:
        """Nothing is missed: it is on a page, or newer than the first page's time."""
        ids = stand.fill(3 * stand.page)
        later = int(stand.workplace.now) + 5
        tracker = stand.open()
        found: dict[str, Issue] = {}
        first = None
        for count, page in enumerate(tracker.fetch(Since(), {})):
            first = page.at if first is None else first
            found |= {issue.id: issue for issue in page.issues}
            if count == 0:
                # Of the first page and of the last: both are now the newest.
                for id in (ids[3], ids[-3]):
                    stand.edit(id, later)
                stand.add(later)
        assert first is not None
        assert first <= later
        missed = set(ids) - set(found)
        assert missed <= {ids[3], ids[-3]}

    def test_a_redirect_to_another_host(self, stand: Stand) -> None:
        stand.fill(1)
        away = {"Location": "http://localhost.invalid/steal"}
        stand.server.fail(CannedResponse(302, None, away), when=stand.lists)
        with pytest.raises(RemoteError, match=r"localhost\.invalid"):
            fetched(stand.open())

    def test_a_connection_that_is_cut(self, stand: Stand) -> None:
        ids = stand.fill(2)
        stand.server.fail(CannedResponse(200, [{"number": 1}], cut=5), when=stand.lists)
        assert sorted(fetched(stand.open())) == sorted(ids)

    def test_an_answer_that_is_no_list(self, stand: Stand) -> None:
        stand.fill(1)
        login = CannedResponse(200, b"<html>log in</html>", {"Content-Type": "text/html"})
        stand.server.fail(*[login] * 9, when=stand.lists)
        with pytest.raises(RemoteError):
            fetched(stand.open())

    def test_a_page_that_repeats_for_ever(self, stand: Stand) -> None:
        """As from a server that does not look at where the next page should begin."""
        stand.fill(2 * stand.page)
        repeated: list[CannedResponse] = []

        def again(request: Request) -> CannedResponse | None:
            return repeated[0] if repeated and stand.lists(request) else None

        stand.server.faults.append(again)
        with pytest.raises(RemoteError):
            for _ in stand.open().fetch(Since(), {}):
                asked = next(request for request in stand.server.asked if stand.lists(request))
                repeated[:] = repeated or [stand.answer(asked)]
        assert stand.listings() < 20
