"""A repository on GitHub as a forge.

https://docs.github.com/rest/issues/comments, https://docs.github.com/rest/commits/statuses,
https://docs.github.com/rest/checks/runs, https://docs.github.com/rest/pulls/pulls
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job), ADR-0054 (pull requests
# are reviewed and merged together), SPEC-0011 REQ "One comment", REQ "Statuses", REQ "Checks and
# merges"

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sdd_hooks.errors import AccessRefused, Missing, RemoteError
from sdd_hooks.forges.actions_event import parse_pull_request
from sdd_hooks.forges.comments import Comment, CommentApi, own_comments, upsert
from sdd_hooks.forges.github.api import RepositoryApi
from sdd_hooks.forges.github.review_threads import post_comments, read_threads, resolve_threads
from sdd_hooks.forges.protocol import (
    Checks,
    CommitStatus,
    FileLinks,
    JobContext,
    LineComment,
    MergeStrategy,
    PullDetails,
    PullRequest,
    ReviewThread,
    UpsertResult,
)
from sdd_hooks.forges.pull_checks import (
    MERGE_REFUSED,
    UNKNOWN,
    CheckResult,
    OneState,
    changed_paths,
    combine_checks,
    require_merged,
)
from sdd_hooks.hosts.github import LABEL
from sdd_hooks.remote.json_fields import Json, number, rows, text
from sdd_hooks.text.display import clipped

MAX_DESCRIPTION = 140
"""Characters of the description of a status."""
MAX_FILES = 3000
"""Files of a pull request that GitHub lists."""

_PASSED = frozenset({"success", "neutral", "skipped"})


@dataclass(frozen=True)
class GitHubForge:
    """The repository of the job `context`."""

    context: JobContext
    api: RepositoryApi

    def pull_request(self, number: int) -> PullRequest:
        """Request a pull request."""
        pull = parse_pull_request(self.api.get(f"pulls/{number}"))
        if pull is None:
            raise RemoteError(f"{LABEL} answers without a pull request: check the URL")
        return pull

    def open_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` open pull requests, those that were updated last first.

        https://docs.github.com/rest/pulls/pulls#list-pull-requests
        """
        return tuple(islice(self._pulls("open"), limit))

    def merged_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` merged pull requests, those that were updated last first.

        GitHub lists those that were closed without a merge, too; ten times as many are read.
        """
        closed = islice(self._pulls("closed"), 10 * limit)
        return tuple(islice((pull for pull in closed if pull.is_merged), limit))

    def _pulls(self, state: str) -> Iterator[PullRequest]:
        params = {"state": state, "sort": "updated", "direction": "desc"}
        return filter(None, map(parse_pull_request, self.api.list("pulls", params)))

    def details(self, pull: PullRequest) -> PullDetails:
        """The checks of the head of a pull request, and the paths that it changes."""
        checks = self._checks(pull.head) if pull.head else UNKNOWN
        files = list(self.api.list(f"pulls/{pull.number}/files", key="filename"))
        is_complete = len(files) < MAX_FILES
        paths = changed_paths(files, "previous_filename", "filename") if is_complete else None
        return PullDetails(pull, checks, paths)

    def _checks(self, sha: str) -> Checks:
        """The check runs and the statuses of a commit, together."""
        below = f"commits/{sha}"
        try:
            runs = self.api.list_below(f"{below}/check-runs", "check_runs", {"filter": "latest"})
            results = [CheckResult(text(run, "name"), _run_state(run)) for run in runs]
            # The combined status has the last status of each context.
            statuses = rows(self.api.get(f"{below}/status"), "statuses")
        except (AccessRefused, Missing):
            # A fine-grained token may lack the permission for checks.
            return UNKNOWN
        results += [CheckResult(text(one, "context"), _status_state(one)) for one in statuses]
        return combine_checks(results)

    def merge(self, pull: PullRequest, strategy: MergeStrategy) -> None:
        """Merge a pull request if its head is still the same."""
        body = {"merge_method": strategy, "sha": pull.head}
        path = f"pulls/{pull.number}/merge"
        response = self.api.write("PUT", path, body, allow=MERGE_REFUSED)
        require_merged(self.api.client, response, pull.number)

    def edit_description(self, number: int, body: str) -> None:
        """Give a pull request another description.

        https://docs.github.com/rest/pulls/pulls#update-a-pull-request
        """
        self.api.write("PATCH", f"pulls/{number}", {"body": body}, idempotent=True)

    def upsert_comment(
        self, number: int, body: str, has_marker: Callable[[str], bool], *, create: bool = True
    ) -> UpsertResult:
        """Give the one comment on a pull request the text `body`; see the protocol."""
        account = self.api.account()
        listing = f"issues/{number}/comments"

        def find() -> list[Comment]:
            comments = map(_parse_comment, self.api.list(listing))
            return own_comments(comments, account, has_marker)

        def post(text: str) -> str:
            return _web_url(self.api.write("POST", listing, {"body": text}).json())

        def edit(comment: Comment, text: str) -> str:
            response = self.api.write("PATCH", path(comment), {"body": text}, idempotent=True)
            return _web_url(response.json())

        def delete(comment: Comment) -> None:
            self.api.write("DELETE", path(comment), None, idempotent=True, allow=(404, 410))

        def path(comment: Comment) -> str:
            return f"issues/comments/{comment.id}"

        return upsert(body, CommentApi(find, post, edit, delete), may_create=create)

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """Every comment on a line that begins a thread."""
        return read_threads(self.api, number)

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Post comments on lines and resolve threads; see the protocol."""
        refused = post_comments(self.api, number, head, comments)
        resolve_threads(self.api, resolve)
        return refused

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Set the status of a commit."""
        description = clipped(status.description, MAX_DESCRIPTION)
        body = {"state": status.state, "context": status.context, "description": description}
        target = {"target_url": status.url} if status.url else {}
        self.api.write("POST", f"statuses/{sha}", {**body, **target}, idempotent=True)

    def file_links(self) -> FileLinks:
        """The parts of the web addresses of files."""
        return FileLinks(f"{self.context.web_url}/{self.context.repository}/blob", "plain=1")

    def disconnect(self) -> None:
        """Close the connections."""
        self.api.client.close()


def _parse_comment(entry: Json) -> Comment:
    return Comment(
        id=number(entry, "id") or 0,
        body=text(entry, "body"),
        author=text(entry, "user", "login"),
        is_bot=text(entry, "user", "type") == "Bot",
        url=_web_url(entry),
    )


def _status_state(status: Json) -> OneState:
    state = text(status, "state")
    return "success" if state == "success" else "pending" if state == "pending" else "failure"


def _run_state(run: Json) -> OneState:
    if text(run, "status") != "completed":
        return "pending"
    return "success" if text(run, "conclusion") in _PASSED else "failure"


def _web_url(entry: Json) -> str:
    return text(entry, "html_url")
