"""Every entry of a listing, or an error: what is missing from one may be the comment of ours."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", SPEC-0011 REQ "Limits of forges"

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sdd_hooks.errors import RemoteError
from sdd_hooks.remote.json_fields import Json, text

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client

MOST_PAGES = 1000
"""Pages of a listing: GitHub takes 2,500 comments on a pull request, GitLab 5,000."""


def every(
    client: Client,
    path: str,
    params: Mapping[str, str | int],
    *,
    key: str = "id",
    headers: Mapping[str, str] | None = None,
) -> Iterator[Json]:
    """The entries of every page of the listing at `path`, each once by its `key`.

    The next page is the one of the `Link` header, and where there is none the one that the header
    `X-Next-Page` numbers. Raises RemoteError for a page that cannot be had, is no list, or has
    nothing new: who was given all entries knows that there are no others.
    """
    target, asked = path, params
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        answer = client.get(target, asked, headers=headers)
        listed = answer.json()
        if not isinstance(listed, list):
            raise RemoteError(f"{client.label} answers without a list: check the URL")
        entries = {text(entry, key): entry for entry in listed}
        if "" in entries:
            raise RemoteError(f"{client.label} lists something without {key}: try again later")
        if entries and entries.keys() <= seen:
            raise RemoteError(
                f"{client.label} lists the same page again and again: try again later"
            )
        yield from (entry for name, entry in entries.items() if name not in seen)
        seen |= entries.keys()
        following = client.following(answer)
        page = answer.headers.get("x-next-page", "").strip()
        if following is not None:
            target, asked = following, {}
        elif page and "link" not in answer.headers:
            target, asked = path, {**params, "page": page}
        else:
            return
    raise RemoteError(f"{client.label} lists more than {MOST_PAGES} pages: try again later")
