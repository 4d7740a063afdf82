"""GitHub as a vendor: addresses of repositories, tokens, rate limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.github import open_shop, rate_limited
from tests.support.loopback import Request
from tests.trackers.faults import NOW, VendorServer, VendorTable


@pytest.fixture
def vendor() -> Iterator[VendorServer]:
    def lists(request: Request) -> bool:
        return request.method == "GET" and request.path.endswith("/issues")

    with open_shop(NOW) as shop:

        def add(at: int, labels: tuple[str, ...] = (), *, closed: bool = False) -> str:
            state = "closed" if closed else "open"
            return str(shop.github.add(at=at, labels=labels, state=state))

        yield VendorServer(
            fake=shop.github,
            server=shop.server,
            client_factory=shop.client_factory,
            open=shop.open,
            add=add,
            edit=lambda id, at: shop.github.edit(int(id), at=at, title="Edited"),
            delete=lambda id: shop.github.delete(int(id)),
            lists=lists,
            page=100,
            limited=rate_limited(shop.github),
        )


class TestVendor(VendorTable):
    """What every tracker over HTTP must do."""


def test_name_label_and_addresses(vendor: VendorServer) -> None:
    tracker = vendor.open()
    host = vendor.server.url.removeprefix("http://")
    assert (tracker.name, tracker.label) == ("github", "GitHub")
    assert tracker.web_url == f"http://{host}/acme/shop"
    assert tracker.identity == f"{host}/acme/shop"
    tracker.disconnect()
