"""The API and the runners of Gitea and Forgejo: what the forge and the tracker adapter share."""

# Governing: ADR-0019 (a token belongs to one host), SPEC-0009 REQ "Talking to a tracker",
# SPEC-0011 REQ "Recognising the job"

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdd_hooks.remote.paging import Window

if TYPE_CHECKING:
    from sdd_hooks.remote.json_fields import Json
    from sdd_hooks.remote.response import Response

LABEL = "Gitea"
API_PATH = "/api/v1"
TOTAL_HEADER = "x-total-count"
"""The response header with the number of all entries of a listing."""
RUNNER_VARIABLES = ("GITEA_ACTIONS", "FORGEJO_ACTIONS")
"""The variables that the runners of Gitea and Forgejo set and GitHub's runner does not."""


def is_gitea_job(environ: Mapping[str, str]) -> bool:
    """Whether this is a job of Gitea or Forgejo, whose runner sets `GITHUB_*` to its own server."""
    return any(environ.get(name) == "true" for name in RUNNER_VARIABLES)


def window_of(response: Response, entries: list[Json], limit: int, at: float = 0.0) -> Window:
    """The window of a listing that a response to a request for `limit` entries has.

    The link to the next page only says that there is one: many servers are configured with another
    host name. Without a link and a total, a full page may have another one after it.
    """
    total = response.header_number(TOTAL_HEADER)
    is_full = total is None and len(entries) == limit
    more = is_full or 'rel="next"' in response.headers.get("link", "")
    return Window(entries, total, more, at)
