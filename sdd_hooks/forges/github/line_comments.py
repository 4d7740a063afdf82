"""Comments on lines of a pull request on GitHub, which takes all of a review or nothing."""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.github.api import Api
from sdd_hooks.forges.github.threads import threads
from sdd_hooks.forges.protocol import LineComment, WriteDenied
from sdd_hooks.forges.sticky import same_text

MOST_TRIES = 32
"""Reviews that are sent to find the comments that GitHub does not take."""


def post(
    api: Api, number: int, head: str, comments: Sequence[LineComment]
) -> tuple[LineComment, ...]:
    """Post them in one review of the commit `head`. Returns those that GitHub does not take.

    It refuses all for one, and does not say for which: then halves are posted, the larger ones
    first. Raises RemoteError, and WriteDenied.
    """
    waiting = deque([tuple(comments)] if comments else [])
    taken: set[LineComment] = set()
    for _ in range(MOST_TRIES):
        if not waiting:
            break
        part = waiting.popleft()
        if _posted(api, number, head, part):
            taken.update(part)
        elif len(part) > 1:
            middle = len(part) // 2
            waiting += [part[:middle], part[middle:]]
    return tuple(one for one in comments if one not in taken)


def _posted(api: Api, number: int, head: str, part: Sequence[LineComment]) -> bool:
    """Whether GitHub took them. What may have been done is looked for before it is sent again."""
    try:
        return _send(api, number, head, part)
    except (WriteDenied, RateLimited):
        raise
    except RemoteError:
        there = [one.body for one in threads(api, number) if one.ours and not one.resolved]
        if any(same_text(body, one.body) for body in there for one in part):
            return True
        return _send(api, number, head, part)


def _send(api: Api, number: int, head: str, part: Sequence[LineComment]) -> bool:
    lines = [
        {"path": one.path, "line": one.line, "side": "RIGHT", "body": one.body} for one in part
    ]
    review = {"commit_id": head, "event": "COMMENT", "comments": lines}
    return api.write("POST", f"pulls/{number}/reviews", review, allow=(422,)).status != 422
