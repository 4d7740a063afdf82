"""The merge requests of a project on GitLab as a forge.

The one comment is a note; a comment on a line begins a discussion, which can be resolved. The
discussions of a review are posted one by one: drafts would be published together with those of the
person who owns the token.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job), ADR-0054 (pull requests
# are reviewed and merged together), SPEC-0011 REQ "One comment", REQ "Comments on lines",
# REQ "Statuses", REQ "Denied writes", REQ "Checks and merges"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.forges.actions_event import valid_branch, valid_commit
from sdd_hooks.forges.comments import (
    Comment,
    CommentApi,
    is_account,
    is_marked_resolved,
    mark_resolved,
    own_comments,
    upsert,
    write_access,
)
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
    WriteDenied,
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
from sdd_hooks.hosts.gitlab import LABEL, PAGE_SIZE
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.remote.paging import read_listing
from sdd_hooks.text.display import clipped
from sdd_hooks.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

MAX_STATUS_FIELD = 255
"""Characters of the description and of the URL of a status."""

_PASSED = frozenset({"success", "skipped"})
_FAILED = frozenset({"failed", "canceled"})
_STATES = {"success": "success", "failure": "failed", "error": "failed", "pending": "pending"}
# https://docs.gitlab.com/user/project/settings/project_access_tokens/#bot-users-for-projects
_BOT = lazy_regex(r"(?:project|group)_[0-9]+_bot(?:[0-9]+|_[0-9a-f]+)?|service_account_.*")


@dataclass(frozen=True)
class GitLabForge:
    """The merge requests of the project of the job `context`."""

    context: JobContext
    client: Client

    def pull_request(self, number: int) -> PullRequest:
        """Request a merge request."""
        return _parse_merge_request(number, self.client.get(self._merge_request(number)).json())

    def open_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` open merge requests, those that were updated last first.

        https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
        """
        return self._merge_requests("opened", limit)

    def merged_pull_requests(self, limit: int) -> tuple[PullRequest, ...]:
        """At most `limit` merged merge requests, those that were updated last first."""
        return self._merge_requests("merged", limit)

    def _merge_requests(self, state: str, limit: int) -> tuple[PullRequest, ...]:
        params = {"state": state, "order_by": "updated_at", "sort": "desc"}
        listed = self._list(f"{self._project}/merge_requests", params)
        numbered = ((number(entry, "iid"), entry) for entry in listed)
        parsed = (_parse_merge_request(iid, entry) for iid, entry in numbered if iid and iid > 0)
        return tuple(islice(parsed, limit))

    def details(self, pull: PullRequest) -> PullDetails:
        """The pipeline of a merge request, and the paths that it changes."""
        path = self._merge_request(pull.number)
        checks = _checks(self.client.get(path).json(), pull.head)
        files: tuple[str, ...] | None = None
        # GitLab before 15.7 does not list them.
        with suppress(Missing):
            listed = self._list(f"{path}/diffs", {}, key="new_path")
            files = changed_paths(listed, "old_path", "new_path")
        return PullDetails(pull, checks, files)

    def merge(self, pull: PullRequest, strategy: MergeStrategy) -> None:
        """Merge a merge request if its head is still the same.

        Whether commits are rebased is a setting of the project; a merge can only choose to squash.
        """
        body = {"sha": pull.head, "squash": strategy == "squash"}
        path = f"{self._merge_request(pull.number)}/merge"
        response = self._write("PUT", path, body, allow=MERGE_REFUSED)
        require_merged(self.client, response, pull.number)

    def edit_description(self, number: int, body: str) -> None:
        """Give a merge request another description.

        https://docs.gitlab.com/api/merge_requests/#update-mr
        """
        self._write("PUT", self._merge_request(number), {"description": body}, idempotent=True)

    def upsert_comment(
        self, number: int, body: str, has_marker: Callable[[str], bool], *, create: bool = True
    ) -> UpsertResult:
        """Give the one note on a merge request the text `body`; see the protocol."""
        notes = f"{self._merge_request(number)}/notes"

        def find() -> list[Comment]:
            listed = self._list(notes, {"sort": "asc", "order_by": "created_at"})
            comments = (
                self._parse_comment(number, note) for note in listed if not flag(note, "system")
            )
            return own_comments(comments, self._account, has_marker)

        def post(text: str) -> str:
            note = self._write("POST", notes, {"body": text}).json()
            return self._parse_comment(number, note).url

        def edit(comment: Comment, text: str) -> str:
            self._write("PUT", f"{notes}/{comment.id}", {"body": text}, idempotent=True)
            return comment.url

        def delete(comment: Comment) -> None:
            path = f"{notes}/{comment.id}"
            self._write("DELETE", path, None, idempotent=True, allow=(404,))

        return upsert(body, CommentApi(find, post, edit, delete), may_create=create)

    def threads(self, number: int) -> tuple[ReviewThread, ...]:
        """Every discussion that begins on a line."""
        listed = self._list(f"{self._merge_request(number)}/discussions", {})
        return tuple(thread for thread in map(self._parse_thread, listed) if thread is not None)

    def publish_review(
        self,
        number: int,
        head: str,
        comments: Sequence[LineComment],
        resolve: Sequence[ReviewThread],
    ) -> tuple[LineComment, ...]:
        """Begin a discussion for each comment, and resolve the threads.

        All comments are refused if `head` is not the head of the merge request any more.
        """
        discussions = f"{self._merge_request(number)}/discussions"
        refused = self._post_comments(number, head, comments) if comments else ()
        for thread in resolve:
            self._resolve(discussions, thread)
        return refused

    def set_status(self, sha: str, status: CommitStatus) -> None:
        """Set the status of a commit."""
        body = {"state": _STATES[status.state], "name": status.context}
        body["description"] = clipped(status.description, MAX_STATUS_FIELD)
        if status.url and len(status.url) <= MAX_STATUS_FIELD:
            body["target_url"] = status.url
        path = f"{self._project}/statuses/{quote(sha, safe='')}"
        response = self._write("POST", path, body, allow=(400,))
        # GitLab refuses to set a pending status to pending.
        is_unchanged = status.state == "pending" and "annot transition" in _message(response)
        if response.status == 400 and not is_unchanged:
            raise RemoteError(f"{LABEL} does not take the status: {self._reason(response)}")

    def file_links(self) -> FileLinks:
        """The parts of the web addresses of files."""
        return FileLinks(f"{self._web_url}/-/blob", "plain=1")

    def disconnect(self) -> None:
        """Close the connections."""
        self.client.close()

    @cached_property
    def _account(self) -> str:
        """The user name of the token's account; "" if the token may not read it.

        Raises WriteDenied for a token without an account: of a job, an invalid one, or none.
        """
        response = self.client.get("user", allow=(401, 403, 404))
        if response.status == 401:
            raise WriteDenied(str(self.client.access_refused("401, it has no user")))
        return text(response.json(), "username") if response.status == 200 else ""

    def _is_own(self, user: Json) -> bool:
        name = text(user, "username")
        return is_account(self._account, name, is_bot=_is_bot(name))

    def _parse_comment(self, merge_request: int, note: Json) -> Comment:
        """A note and its web address."""
        id = number(note, "id") or 0
        author = text(note, "author", "username")
        url = f"{self._web_url}/-/merge_requests/{merge_request}#note_{id}" if id else ""
        return Comment(id, text(note, "body"), author, _is_bot(author), url)

    def _parse_thread(self, discussion: Json) -> ReviewThread | None:
        """A discussion as a thread; None if it is not about a line."""
        notes = rows(discussion, "notes")
        first = notes[0] if notes else None
        id, note = text(discussion, "id"), text(first, "id")
        if not id or not note or text(first, "type") != "DiffNote":
            return None
        body, is_own = text(first, "body"), self._is_own(field(first, "author"))
        resolvable = [entry for entry in notes if flag(entry, "resolvable")]
        is_resolved = bool(resolvable) and all(flag(entry, "resolved") for entry in resolvable)
        if is_own and not is_resolved and is_marked_resolved(body):
            return ReviewThread(f"{id}:{note}", body, is_own, True, True)
        is_own_resolution = is_resolved and all(
            self._is_own(field(entry, "resolved_by")) for entry in resolvable
        )
        return ReviewThread(f"{id}:{note}", body, is_own, is_resolved, is_own_resolution)

    def _resolve(self, discussions: str, thread: ReviewThread) -> None:
        """Resolve a discussion, or mark its first note if the token may not resolve it."""
        id, _, note = (quote(part, safe="") for part in thread.id.partition(":"))
        path = f"{discussions}/{id}"
        # A discussion that was deleted counts as resolved.
        response = self._write("PUT", path, {"resolved": True}, idempotent=True, allow=(403, 404))
        if response.status == 403:
            body = {"body": mark_resolved(thread.body)}
            self._write("PUT", f"{path}/notes/{note}", body, idempotent=True)

    def _post_comments(
        self, number: int, head: str, comments: Sequence[LineComment]
    ) -> tuple[LineComment, ...]:
        """Begin discussions. Returns the comments whose lines the merge request does not show."""
        refs = field(self.client.get(self._merge_request(number)).json(), "diff_refs")
        if text(refs, "head_sha") != head:
            return tuple(comments)
        shas = {name: text(refs, name) for name in ("base_sha", "start_sha", "head_sha")}
        old_paths = self._old_paths(number, {comment.path for comment in comments})
        return tuple(
            comment
            for comment in comments
            if comment.path not in old_paths
            or not self._is_posted(number, comment, {**shas, "old_path": old_paths[comment.path]})
        )

    def _is_posted(self, number: int, comment: LineComment, position: Mapping[str, str]) -> bool:
        """Begin a discussion. Returns False if the merge request does not show its line.

        `position` has the commits of the diff and the path before it.
        """
        line = {"position_type": "text", "new_path": comment.path, "new_line": comment.line}
        body = {"body": comment.body, "position": {**position, **line}}
        response = self._write(
            "POST", f"{self._merge_request(number)}/discussions", body, allow=(400,)
        )
        if response.status != 400:
            return True
        if "line_code" in _message(response) or "position" in _message(response):
            return False
        raise RemoteError(f"{LABEL} does not take a comment on a line: {self._reason(response)}")

    def _old_paths(self, number: int, paths: set[str]) -> Mapping[str, str]:
        """The path before the merge request of each of these files that it shows.

        GitLab needs both paths to find the line of a renamed file.
        """
        old_paths: dict[str, str] = {}
        try:
            for entry in self._list(f"{self._merge_request(number)}/diffs", {}, key="new_path"):
                path = text(entry, "new_path")
                if path in paths:
                    old_paths[path] = text(entry, "old_path") or path
                if len(old_paths) == len(paths):
                    break
        except Missing:
            # GitLab before 15.7 does not list them.
            return {path: path for path in paths if path.isprintable()}
        return old_paths

    def _list(
        self, path: str, params: Mapping[str, str | int], *, key: str = "id"
    ) -> Iterator[Json]:
        """The entries of every page of a listing; see `read_listing`."""
        return read_listing(self.client, path, {**params, "per_page": PAGE_SIZE}, key=key)

    def _write(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None,
        *,
        idempotent: bool = False,
        allow: tuple[int, ...] = (),
    ) -> Response:
        """Send a write; see `Client.send`. Raises WriteDenied, too."""
        with write_access():
            return self.client.send(method, path, body, allow=allow, idempotent=idempotent)

    def _reason(self, response: Response) -> str:
        return self.client.redact(_message(response)) or str(response.status)

    @property
    def _web_url(self) -> str:
        return f"{self.context.web_url}/{self.context.repository}"

    @property
    def _project(self) -> str:
        return f"projects/{quote(self.context.repository, safe='')}"

    def _merge_request(self, number: int) -> str:
        return f"{self._project}/merge_requests/{int(number)}"


def _parse_merge_request(iid: int, entry: Json) -> PullRequest:
    """A merge request in the format of the API. A listing leaves some fields out."""
    source, target = (text(entry, f"{end}_project_id") for end in ("source", "target"))
    return PullRequest(
        number=iid,
        title=text(entry, "title"),
        body=text(entry, "description"),
        base=valid_commit(text(entry, "diff_refs", "base_sha")),
        base_ref=valid_branch(text(entry, "target_branch")),
        head=valid_commit(text(entry, "diff_refs", "head_sha") or text(entry, "sha")),
        is_fork=not target or source != target,
        ref=f"refs/merge-requests/{iid}/head",
        is_open=text(entry, "state") == "opened",
        head_ref=valid_branch(text(entry, "source_branch")),
        is_draft=flag(entry, "draft") or flag(entry, "work_in_progress"),
        is_merged=text(entry, "state") == "merged",
        merged_at=text(entry, "merged_at"),
        is_locked=flag(entry, "discussion_locked"),
    )


def _checks(entry: Json, head: str) -> Checks:
    """The state of the last pipeline of a merge request in the format of the API."""
    pipeline = field(entry, "head_pipeline")
    if pipeline is None:
        # A token that may not read pipelines gets no such field.
        has_field = isinstance(entry, dict) and "head_pipeline" in entry
        return Checks("none") if has_field else UNKNOWN
    if text(pipeline, "sha") not in ("", head):
        return Checks("pending", pending=("pipeline",))
    status = text(pipeline, "status")
    state: OneState = (
        "success" if status in _PASSED else "failure" if status in _FAILED else "pending"
    )
    return combine_checks((CheckResult("pipeline", state),))


def _is_bot(name: str) -> bool:
    """Whether GitLab gives a user name of this form to programs."""
    return _BOT.fullmatch(name) is not None


def _message(response: Response) -> str:
    """The error message of a response as text; some have an object instead."""
    message = field(response.json(), "message")
    message = field(response.json(), "error") if message is None else message
    return message if isinstance(message, str) else repr(message)
