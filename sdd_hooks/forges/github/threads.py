"""Threads on the lines of a pull request on GitHub: which there are, and settling them.

Only GraphQL tells whether a thread is resolved, and resolves it. Where it refuses, comments come
from REST, and are edited to say that they are settled.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.github.api import Api
from sdd_hooks.forges.protocol import Thread
from sdd_hooks.forges.resolution import is_settled, settled
from sdd_hooks.forges.sticky import wrote
from sdd_hooks.hosts.github import LABEL
from sdd_hooks.remote.json_fields import Json, field, flag, rows, text
from sdd_hooks.remote.paging import MAX_PAGES

_THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          resolvedBy { login }
          comments(first: 1) {
            nodes { fullDatabaseId body viewerDidAuthor author { __typename login } }
          }
        }
      }
    }
  }
}
"""
_RESOLVE = """
mutation($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { isResolved } }
}
"""
_PROGRAM = "[bot]"


def threads(api: Api, number: int) -> tuple[Thread, ...]:
    """Every comment on a line that begins a thread. Raises RemoteError.

    The `id` of each is that of the thread, a slash, and the number of the comment; there is
    nothing before the slash where GraphQL was refused.
    """
    try:
        return tuple(_from_graphql(api, number))
    except RateLimited:
        raise
    except RemoteError:
        return tuple(_from_rest(api, number))


def settle(api: Api, settling: Iterable[Thread]) -> None:
    """Resolve these threads, or have our comments say that they are settled.

    Raises RemoteError, and WriteDenied where neither is allowed.
    """
    may_resolve = True
    for thread in settling:
        id, _, comment = thread.id.rpartition("/")
        if id and may_resolve:
            try:
                api.execute(_RESOLVE, {"thread": id})
            except RateLimited:
                raise
            except RemoteError:
                # The token of a job needs write access to contents for it, which is too much.
                may_resolve = False
            else:
                continue
        body = {"body": settled(thread.body)}
        api.write("PATCH", f"pulls/comments/{comment}", body, idempotent=True)


def _from_graphql(api: Api, number: int) -> Iterator[Thread]:
    owner, _, name = api.repository.partition("/")
    variables: dict[str, object] = {"owner": owner, "name": name, "number": number}
    seen = set()
    for _ in range(MAX_PAGES):
        data = api.execute(_THREADS, variables)
        found = field(data, "repository", "pullRequest", "reviewThreads")
        more = field(found, "pageInfo", "hasNextPage")
        if not isinstance(more, bool) or not isinstance(field(found, "nodes"), list):
            raise RemoteError(f"{LABEL} answers without a list of threads: try again later")
        viewer = text(data, "viewer", "login")
        yield from filter(None, (_thread(one, viewer) for one in rows(found, "nodes")))
        after = text(found, "pageInfo", "endCursor")
        if not more:
            return
        if not after or after in seen:
            break
        seen.add(after)
        variables["after"] = after
    raise RemoteError(f"{LABEL} lists the same threads again and again: try again later")


def _thread(data: Json, viewer: str) -> Thread | None:
    """A thread as GraphQL has it; None where nothing is left of it."""
    first = next(iter(rows(data, "comments", "nodes")), None)
    id, comment = text(data, "id"), text(first, "fullDatabaseId")
    if not id or not comment.isdecimal():
        return None
    body, author = text(first, "body"), text(first, "author", "login")
    program = text(first, "author", "__typename") == "Bot"
    # There a program goes by another name than when it asks who it is.
    ours = flag(first, "viewerDidAuthor") or (program and f"{author}{_PROGRAM}" == viewer)
    resolver = text(data, "resolvedBy", "login")
    # Only people are named as those who resolved.
    by_us = resolver == viewer if resolver else viewer.endswith(_PROGRAM)
    said = ours and is_settled(body)
    resolved = flag(data, "isResolved")
    return Thread(f"{id}/{comment}", body, ours, resolved or said, said or (resolved and by_us))


def _from_rest(api: Api, number: int) -> Iterator[Thread]:
    us = api.us()
    for entry in api.every(f"pulls/{number}/comments"):
        if field(entry, "in_reply_to_id") is not None:
            continue
        body, program = text(entry, "body"), text(entry, "user", "type") == "Bot"
        ours = wrote(us, text(entry, "user", "login"), bot=program)
        said = ours and is_settled(body)
        yield Thread(f"/{text(entry, 'id')}", body, ours, said, said)
