"""GitLab's listings, page by page, while they change.

A page is asked for by the time at which the one before ended, so that what is edited meanwhile,
which moves to the end, leaves no gap behind.
"""

# Governing: SPEC-0009 REQ "Talking to a tracker"

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json, epoch, number, stamp, text
from sdd_hooks.trackers.page_windows import Window, windows

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Answer

LABEL = "GitLab"
PER_PAGE = 100
_TOTAL = "x-total"


class Listed(NamedTuple):
    """A page of a listing, when it was asked for (epoch seconds), and how many entries there were
    from its first one on, where GitLab tells."""

    entries: list[Json]
    at: float
    total: int | None = None


def changed(
    client: Client,
    path: str,
    since: float | None,
    notes: Mapping[str, str],
    now: MutableMapping[str, str],
) -> Iterator[Listed]:
    """Pages of what changed at `since` (epoch seconds) or later, the last change at the end.

    There are no entries where the tag that `notes` have of the same question still holds. A listing
    of one page leaves its tag in `now`.
    """
    kind = path.rpartition("/")[2]
    start = "" if since is None else stamp(since)
    known = notes.get(f"{kind} tag", "") if start and notes.get(f"{kind} since") == start else ""
    now.update({f"{kind} since": start, f"{kind} tag": known})
    for count, (answer, listed) in enumerate(_pages(client, path, "updated", start, known)):
        if count == 0 and answer.status != 304:
            now[f"{kind} tag"] = _tag(answer)
        elif count > 0:
            # The tag of one page says nothing about those after it.
            now[f"{kind} tag"] = ""
        yield listed


def created(client: Client, path: str) -> Iterator[Listed]:
    """Pages of all there is, in the order in which it was made."""
    for _, listed in _pages(client, path, "created", "", ""):
        yield listed


def entries_of(answer: Answer) -> list[Json]:
    """The entries of a list. Raises RemoteError where it is none."""
    found = answer.json()
    if not isinstance(found, list):
        raise RemoteError(f"{LABEL} answers without a list: check the URL")
    return found


def repeated() -> RemoteError:
    """The error for a server that does not look at which page is asked for."""
    return RemoteError(f"{LABEL} lists the same page again and again: try again later")


def _pages(
    client: Client, path: str, by: Literal["created", "updated"], since: str, tag: str
) -> Iterator[tuple[Answer, Listed]]:
    params: dict[str, str | int] = {
        "scope": "all", "state": "all", "order_by": f"{by}_at", "sort": "asc", "per_page": PER_PAGE,
    }  # fmt: skip
    begin = _milliseconds(since)
    while True:
        if since:
            params[f"{by}_after"] = since
        headers = {"If-None-Match": tag} if tag else {}
        answer = client.get(path, params, headers=headers, allow=(304,) if tag else ())
        at = client.at(answer)
        if answer.status == 304:
            yield answer, Listed([], at, 0)
            return
        entries = entries_of(answer)
        yield answer, Listed(entries, at, answer.count(_TOTAL))
        if not _goes_on(client, answer):
            return
        ended = max((_milliseconds(text(entry, f"{by}_at")) for entry in entries), default=0)
        if ended <= begin:
            break
        begin, since, tag = ended, _moment(ended), ""
    # More than a page has one and the same time. Edits leave the order of creation as it is.
    yield from _numbered(client, path, {**params, "order_by": "created_at"})


def _numbered(
    client: Client, path: str, params: Mapping[str, str | int]
) -> Iterator[tuple[Answer, Listed]]:
    """A listing by the numbers of its pages."""
    beginning: set[int | None] = set()
    last: list[Answer] = []

    def ask(page: int, limit: int) -> Window:
        answer = client.get(path, {**params, "per_page": limit, "page": page})
        last[:] = [answer]
        entries = entries_of(answer)
        found = {number(entry, "iid") for entry in entries}
        if page > 1 and found == beginning:
            raise repeated()
        if page == 1:
            beginning.update(found)
        return Window(entries, answer.count(_TOTAL), _goes_on(client, answer), client.at(answer))

    for window in windows(ask, lambda entry: number(entry, "iid"), LABEL):
        yield last[0], Listed(window.rows, window.at)


def _goes_on(client: Client, answer: Answer) -> bool:
    """Whether a listing has another page."""
    if "link" in answer.headers:
        return client.following(answer) is not None
    return answer.headers.get("x-next-page", "").strip() != ""


def _tag(answer: Answer) -> str:
    tag = answer.headers.get("etag", "")
    return tag if tag.isascii() and tag.isprintable() else ""


def _milliseconds(time: str) -> int:
    return int((epoch(time) or 0.0) * 1000 + 0.5)


def _moment(milliseconds: int) -> str:
    """A time as GitLab tells them: what it knows of it besides, it leaves out."""
    return f"{stamp(milliseconds // 1000)[:-1]}.{milliseconds % 1000:03}Z"
