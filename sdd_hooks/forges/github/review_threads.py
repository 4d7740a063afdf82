"""Comments on lines of a pull request on GitHub: reading, posting and resolving their threads.

Only the GraphQL API tells whether a thread is resolved, and resolves it. If it refuses the token,
comments are read from the REST API, and are edited to mark their threads as resolved.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "Comments on lines"

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from sdd_hooks.errors import RateLimited, RemoteError
from sdd_hooks.forges.comments import is_account, is_marked_resolved, is_same_text, mark_resolved
from sdd_hooks.forges.github.api import RepositoryApi
from sdd_hooks.forges.protocol import LineComment, ReviewThread, WriteDenied
from sdd_hooks.hosts.github import LABEL
from sdd_hooks.remote.json_fields import Json, field, flag, rows, text
from sdd_hooks.remote.paging import MAX_PAGES

MAX_REVIEWS = 32
"""Reviews that are posted to find the comments that GitHub refuses."""

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
_BOT_SUFFIX = "[bot]"


def read_threads(api: RepositoryApi, number: int) -> tuple[ReviewThread, ...]:
    """Every comment on a line that begins a thread. Raises RemoteError.

    The `id` of each is `{thread}/{comment}`; the part before the slash is empty if the GraphQL API
    refused the token.
    """
    try:
        return tuple(_read_from_graphql(api, number))
    except RateLimited:
        raise
    except RemoteError:
        return tuple(_read_from_rest(api, number))


def post_comments(
    api: RepositoryApi, number: int, head: str, comments: Sequence[LineComment]
) -> tuple[LineComment, ...]:
    """Post the comments as one review of the commit `head`. Returns those that GitHub refuses.

    GitHub refuses all comments of a review for one of them, and does not say for which: then halves
    are posted, the larger parts first. Raises RemoteError and WriteDenied.
    """
    waiting = deque([tuple(comments)] if comments else [])
    posted: set[LineComment] = set()
    for _ in range(MAX_REVIEWS):
        if not waiting:
            break
        part = waiting.popleft()
        if _is_posted(api, number, head, part):
            posted.update(part)
        elif len(part) > 1:
            middle = len(part) // 2
            waiting += [part[:middle], part[middle:]]
    return tuple(comment for comment in comments if comment not in posted)


def resolve_threads(api: RepositoryApi, threads: Iterable[ReviewThread]) -> None:
    """Resolve these threads, or mark their comments as resolved.

    Raises RemoteError, and WriteDenied if neither is allowed.
    """
    may_resolve = True
    for thread in threads:
        id, _, comment = thread.id.rpartition("/")
        if id and may_resolve:
            try:
                api.execute(_RESOLVE, {"thread": id})
            except RateLimited:
                raise
            except RemoteError:
                # A job's token needs write access to contents for it, which is too much.
                may_resolve = False
            else:
                continue
        body = {"body": mark_resolved(thread.body)}
        api.write("PATCH", f"pulls/comments/{comment}", body, idempotent=True)


def _is_posted(api: RepositoryApi, number: int, head: str, comments: Sequence[LineComment]) -> bool:
    """Post a review with these comments. Returns False if GitHub refuses it.

    A failed request may have been executed, so the comments are looked up before the one retry.
    """
    try:
        return _send_review(api, number, head, comments)
    except (WriteDenied, RateLimited):
        raise
    except RemoteError:
        open = [
            thread.body
            for thread in read_threads(api, number)
            if thread.is_own and not thread.is_resolved
        ]
        if any(is_same_text(body, comment.body) for body in open for comment in comments):
            return True
        return _send_review(api, number, head, comments)


def _send_review(
    api: RepositoryApi, number: int, head: str, comments: Sequence[LineComment]
) -> bool:
    lines = [
        {"path": comment.path, "line": comment.line, "side": "RIGHT", "body": comment.body}
        for comment in comments
    ]
    review = {"commit_id": head, "event": "COMMENT", "comments": lines}
    return api.write("POST", f"pulls/{number}/reviews", review, allow=(422,)).status != 422


def _read_from_graphql(api: RepositoryApi, number: int) -> Iterator[ReviewThread]:
    owner, _, name = api.repository.partition("/")
    variables: dict[str, object] = {"owner": owner, "name": name, "number": number}
    seen = set()
    for _ in range(MAX_PAGES):
        data = api.execute(_THREADS, variables)
        page = field(data, "repository", "pullRequest", "reviewThreads")
        has_next = field(page, "pageInfo", "hasNextPage")
        if not isinstance(has_next, bool) or not isinstance(field(page, "nodes"), list):
            raise RemoteError(f"{LABEL} answers without a list of threads: try again later")
        viewer = text(data, "viewer", "login")
        yield from filter(None, (_parse_thread(node, viewer) for node in rows(page, "nodes")))
        after = text(page, "pageInfo", "endCursor")
        if not has_next:
            return
        if not after or after in seen:
            break
        seen.add(after)
        variables["after"] = after
    raise RemoteError(f"{LABEL} lists the same threads again and again: try again later")


def _parse_thread(node: Json, viewer: str) -> ReviewThread | None:
    """A thread in the format of the GraphQL API; None if it has no comment any more."""
    first = next(iter(rows(node, "comments", "nodes")), None)
    id, comment = text(node, "id"), text(first, "fullDatabaseId")
    if not id or not comment.isdecimal():
        return None
    body, author = text(first, "body"), text(first, "author", "login")
    is_bot = text(first, "author", "__typename") == "Bot"
    # As an author a bot has its name without the suffix that it has as the viewer.
    is_own = flag(first, "viewerDidAuthor") or (is_bot and f"{author}{_BOT_SUFFIX}" == viewer)
    resolver = text(node, "resolvedBy", "login")
    # The API names the resolver only if it is a person.
    by_viewer = resolver == viewer if resolver else viewer.endswith(_BOT_SUFFIX)
    is_marked = is_own and is_marked_resolved(body)
    is_resolved = flag(node, "isResolved")
    return ReviewThread(
        f"{id}/{comment}",
        body,
        is_own,
        is_resolved or is_marked,
        is_marked or (is_resolved and by_viewer),
    )


def _read_from_rest(api: RepositoryApi, number: int) -> Iterator[ReviewThread]:
    account = api.account()
    for entry in api.list(f"pulls/{number}/comments"):
        if field(entry, "in_reply_to_id") is not None:
            continue
        body, is_bot = text(entry, "body"), text(entry, "user", "type") == "Bot"
        is_own = is_account(account, text(entry, "user", "login"), is_bot=is_bot)
        is_marked = is_own and is_marked_resolved(body)
        yield ReviewThread(f"/{text(entry, 'id')}", body, is_own, is_marked, is_marked)
