"""Read the listings of GitLab page by page, while they change.

Each page starts at the time of the last entry before it. An entry that is edited meanwhile moves to
the end, so no entry is skipped.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Literal

from sdd_hooks.errors import RemoteError
from sdd_hooks.hosts.gitlab import LABEL, PAGE_SIZE
from sdd_hooks.named_tuple import NamedTuple
from sdd_hooks.remote.json_fields import Json, format_utc, number, parse_epoch, text
from sdd_hooks.remote.paging import Window, read_windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

_TOTAL = "x-total"


class GitLabPage(NamedTuple):
    """A page of a listing.

    `at` is the time of the request (epoch seconds, by the server's clock), `total` the number of
    entries from the first one of this page on; None where GitLab does not count them.
    """

    entries: list[Json]
    at: float
    total: int | None = None


def list_updated(
    client: Client,
    path: str,
    since: float | None,
    notes: Mapping[str, str],
    new_notes: MutableMapping[str, str],
) -> Iterator[GitLabPage]:
    """Pages of the entries updated at `since` (epoch seconds) or later, last updated last.

    The first page is empty if the ETag in `notes` is of the same request and still valid. The ETag
    of a listing of one page is stored in `new_notes`.
    """
    kind = path.rpartition("/")[2]
    start = "" if since is None else format_utc(since)
    known = notes.get(f"{kind} tag", "") if start and notes.get(f"{kind} since") == start else ""
    new_notes.update({f"{kind} since": start, f"{kind} tag": known})
    for count, (response, page) in enumerate(_pages(client, path, "updated", start, known)):
        if count == 0 and response.status != 304:
            new_notes[f"{kind} tag"] = _etag(response)
        elif count > 0:
            # The ETag of one page does not cover the pages after it.
            new_notes[f"{kind} tag"] = ""
        yield page


def list_all(client: Client, path: str) -> Iterator[GitLabPage]:
    """Pages of all entries, in the order of creation."""
    for _, page in _pages(client, path, "created", "", ""):
        yield page


def entries_of(response: Response) -> list[Json]:
    """The entries of a list. Raises RemoteError for anything else."""
    entries = response.json()
    if not isinstance(entries, list):
        raise RemoteError(f"{LABEL} answers without a list: check the URL")
    return entries


def _pages(
    client: Client, path: str, by: Literal["created", "updated"], since: str, etag: str
) -> Iterator[tuple[Response, GitLabPage]]:
    params: dict[str, str | int] = {
        "scope": "all", "state": "all", "order_by": f"{by}_at", "sort": "asc",
        "per_page": PAGE_SIZE,
    }  # fmt: skip
    begin = _milliseconds(since)
    while True:
        if since:
            params[f"{by}_after"] = since
        headers = {"If-None-Match": etag} if etag else {}
        response = client.get(path, params, headers=headers, allow=(304,) if etag else ())
        at = client.server_time(response)
        if response.status == 304:
            yield response, GitLabPage([], at, 0)
            return
        entries = entries_of(response)
        yield response, GitLabPage(entries, at, response.header_number(_TOTAL))
        if not _has_next(client, response):
            return
        last = max((_milliseconds(text(entry, f"{by}_at")) for entry in entries), default=0)
        if last <= begin:
            break
        begin, since, etag = last, _timestamp(last), ""
    # More than a page has the same time. Edits do not change the order of creation.
    yield from _numbered_pages(client, path, {**params, "order_by": "created_at"})


def _numbered_pages(
    client: Client, path: str, params: Mapping[str, str | int]
) -> Iterator[tuple[Response, GitLabPage]]:
    """The pages of a listing by page number."""
    first_page: set[int | None] = set()
    last: list[Response] = []

    def request(page: int, limit: int) -> Window:
        response = client.get(path, {**params, "per_page": limit, "page": page})
        last[:] = [response]
        entries = entries_of(response)
        iids = {number(entry, "iid") for entry in entries}
        if page > 1 and iids == first_page:
            # The server ignores the requested page number.
            raise RemoteError(f"{LABEL} lists the same page again and again: try again later")
        if page == 1:
            first_page.update(iids)
        has_next = _has_next(client, response)
        return Window(
            entries, response.header_number(_TOTAL), has_next, client.server_time(response)
        )

    for window in read_windows(request, lambda entry: number(entry, "iid"), LABEL):
        yield last[0], GitLabPage(window.rows, window.at)


def _has_next(client: Client, response: Response) -> bool:
    """Whether another page of the listing follows."""
    if "link" in response.headers:
        return client.next_page_url(response) is not None
    return response.headers.get("x-next-page", "").strip() != ""


def _etag(response: Response) -> str:
    etag = response.headers.get("etag", "")
    return etag if etag.isascii() and etag.isprintable() else ""


def _milliseconds(time: str) -> int:
    return int((parse_epoch(time) or 0.0) * 1000 + 0.5)


def _timestamp(milliseconds: int) -> str:
    """A time in the format and precision of GitLab's payloads."""
    return f"{format_utc(milliseconds // 1000)[:-1]}.{milliseconds % 1000:03}Z"
