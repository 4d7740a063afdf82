"""The merge requests of a project on GitLab as a forge.

The one comment is a note; a comment on a line begins a discussion, which can be resolved. GitLab
posts discussions one by one: its drafts would be published together with those of the person whose
token this is.
"""

# Governing: ADR-0023 (one comment, posted to the host that runs the job),
# SPEC-0011 REQ "One comment", REQ "Comments on lines", REQ "Statuses", REQ "Denied writes"

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from sdd_hooks.errors import Missing, RemoteError
from sdd_hooks.forges.event import branch_name, commit_id
from sdd_hooks.forges.protocol import (
    LineComment,
    PullRequest,
    Run,
    Status,
    Thread,
    Upserted,
    WriteDenied,
)
from sdd_hooks.forges.resolution import is_settled, settled
from sdd_hooks.forges.sticky import Comment, last_of_ours, upsert, wrote
from sdd_hooks.forges.writing import writing
from sdd_hooks.hosts.gitlab import LABEL, PAGE_SIZE
from sdd_hooks.remote.json_fields import Json, field, flag, number, rows, text
from sdd_hooks.remote.paging import read_listing

if TYPE_CHECKING:
    from sdd_hooks.remote.client import Client
    from sdd_hooks.remote.response import Response

LONGEST = 255
"""Characters of a status's description, and of its address."""

_STATES = {"success": "success", "failure": "failed", "error": "failed", "pending": "pending"}
# https://docs.gitlab.com/user/project/settings/project_access_tokens/#bot-users-for-projects
_BOT = re.compile(r"(?:project|group)_[0-9]+_bot(?:[0-9]+|_[0-9a-f]+)?|service_account_.*")


@dataclass(frozen=True)
class GitLab:
    """The merge requests of one project."""

    run: Run
    client: Client

    def pull_request(self, number: int) -> PullRequest:
        """A merge request as it is now."""
        entry = self.client.get(self._merge(number)).json()
        source, target = (text(entry, f"{one}_project_id") for one in ("source", "target"))
        return PullRequest(
            number=number,
            title=text(entry, "title"),
            body=text(entry, "description"),
            base=commit_id(text(entry, "diff_refs", "base_sha")),
            base_ref=branch_name(text(entry, "target_branch")),
            head=commit_id(text(entry, "diff_refs", "head_sha") or text(entry, "sha")),
            fork=not target or source != target,
            ref=f"refs/merge-requests/{number}/head",
            open=text(entry, "state") == "opened",
        )

    def upsert_comment(
        self, number: int, body: str, is_ours: Callable[[str], bool], *, create: bool = True
    ) -> Upserted:
        """Make `body` the one note of ours."""
        notes = f"{self._merge(number)}/notes"

        def look() -> Comment | None:
            listed = self._listed(notes, {"sort": "asc", "order_by": "created_at"})
            written = (self._comment(number, one) for one in listed if not flag(one, "system"))
            return last_of_ours(written, self._me, is_ours)

        def make() -> str:
            made = self._write("POST", notes, {"body": body}).json()
            return self._comment(number, made).url

        def edit(comment: Comment) -> str:
            self._write("PUT", f"{notes}/{comment.id}", {"body": body}, idempotent=True)
            return comment.url

        return upsert(body, look, make, edit, create=create)

    def threads(self, number: int) -> tuple[Thread, ...]:
        """Every discussion that begins on a line."""
        listed = self._listed(f"{self._merge(number)}/discussions", {})
        return tuple(found for found in map(self._thread, listed) if found is not None)

    def publish_review(
        self, number: int, head: str, comments: Sequence[LineComment], resolve: Sequence[Thread]
    ) -> tuple[LineComment, ...]:
        """Begin a discussion for each comment, and resolve those threads.

        Of a head that is no longer that of the merge request nothing is shown any more.
        """
        discussions = f"{self._merge(number)}/discussions"
        refused = self._posted(number, head, comments) if comments else ()
        for one in resolve:
            self._settle(discussions, one)
        return refused

    def set_status(self, sha: str, status: Status) -> None:
        """Give a commit a status."""
        body = {"state": _STATES[status.state], "name": status.context}
        body["description"] = _cut(status.description)
        if status.url and len(status.url) <= LONGEST:
            body["target_url"] = status.url
        path = f"{self._project}/statuses/{quote(sha, safe='')}"
        answer = self._write("POST", path, body, allow=(400,))
        # GitLab refuses to make pending what is pending.
        is_so = status.state == "pending" and "annot transition" in _said(answer)
        if answer.status == 400 and not is_so:
            raise RemoteError(f"{LABEL} does not take the status: {self._reason(answer)}")

    def blobs(self) -> tuple[str, str]:
        """Where files are shown."""
        return f"{self._web}/-/blob", "plain=1"

    def disconnect(self) -> None:
        """Let connections go."""
        self.client.close()

    @cached_property
    def _me(self) -> str:
        """The name of who writes; "" where the token may not ask for it.

        Raises WriteDenied for a token that is nobody's: of a job, a wrong one, or none.
        """
        answer = self.client.get("user", allow=(401, 403, 404))
        if answer.status == 401:
            raise WriteDenied(str(self.client.access_refused("401, it is nobody's")))
        return text(answer.json(), "username") if answer.status == 200 else ""

    def _is_me(self, person: Json) -> bool:
        name = text(person, "username")
        return wrote(self._me, name, bot=_is_bot(name))

    def _comment(self, merge: int, note: Json) -> Comment:
        """A note, with where people see it."""
        id = number(note, "id") or 0
        author = text(note, "author", "username")
        url = f"{self._web}/-/merge_requests/{merge}#note_{id}" if id else ""
        return Comment(id, text(note, "body"), author, _is_bot(author), url)

    def _thread(self, discussion: Json) -> Thread | None:
        """A discussion as a thread; None where it is about no line."""
        notes = rows(discussion, "notes")
        first = notes[0] if notes else None
        id, note = text(discussion, "id"), text(first, "id")
        if not id or not note or text(first, "type") != "DiffNote":
            return None
        body, ours = text(first, "body"), self._is_me(field(first, "author"))
        answers = [one for one in notes if flag(one, "resolvable")]
        resolved = bool(answers) and all(flag(one, "resolved") for one in answers)
        if ours and not resolved and is_settled(body):
            return Thread(f"{id}:{note}", body, ours, resolved=True, by_us=True)
        by_us = resolved and all(self._is_me(field(one, "resolved_by")) for one in answers)
        return Thread(f"{id}:{note}", body, ours, resolved, by_us)

    def _settle(self, discussions: str, thread: Thread) -> None:
        """Resolve a discussion. Who may not resolve it says so in the note that began it."""
        id, _, note = (quote(part, safe="") for part in thread.id.partition(":"))
        path = f"{discussions}/{id}"
        # One that is gone is settled.
        answer = self._write("PUT", path, {"resolved": True}, idempotent=True, allow=(403, 404))
        if answer.status == 403:
            body = {"body": settled(thread.body)}
            self._write("PUT", f"{path}/notes/{note}", body, idempotent=True)

    def _posted(
        self, number: int, head: str, comments: Sequence[LineComment]
    ) -> tuple[LineComment, ...]:
        """Begin discussions. Returns the comments whose lines are not shown."""
        refs = field(self.client.get(self._merge(number)).json(), "diff_refs")
        if text(refs, "head_sha") != head:
            return tuple(comments)
        shas = {name: text(refs, name) for name in ("base_sha", "start_sha", "head_sha")}
        before = self._paths_before(number, {one.path for one in comments})
        return tuple(one for one in comments if not self._begun(number, one, shas, before))

    def _begun(
        self, number: int, comment: LineComment, shas: Mapping[str, str], before: Mapping[str, str]
    ) -> bool:
        """Begin a discussion. Returns False where its line is not shown."""
        if comment.path not in before:
            return False
        position = {
            **shas,
            "position_type": "text",
            "old_path": before[comment.path],
            "new_path": comment.path,
            "new_line": comment.line,
        }
        body = {"body": comment.body, "position": position}
        answer = self._write("POST", f"{self._merge(number)}/discussions", body, allow=(400,))
        if answer.status != 400:
            return True
        if "line_code" in _said(answer) or "position" in _said(answer):
            return False
        raise RemoteError(f"{LABEL} does not take a comment on a line: {self._reason(answer)}")

    def _paths_before(self, number: int, paths: set[str]) -> Mapping[str, str]:
        """What these files were called before, of those that the merge request shows.

        GitLab finds the line of a renamed file by both of its names.
        """
        found: dict[str, str] = {}
        try:
            for one in self._listed(f"{self._merge(number)}/diffs", {}, key="new_path"):
                path = text(one, "new_path")
                if path in paths:
                    found[path] = text(one, "old_path") or path
                if len(found) == len(paths):
                    break
        except Missing:
            # Before GitLab 15.7 nothing lists them.
            return {path: path for path in paths if path.isprintable()}
        return found

    def _listed(
        self, path: str, params: Mapping[str, str | int], *, key: str = "id"
    ) -> Iterator[Json]:
        """The entries of every page of a listing; see `read_listing`."""
        return read_listing(self.client, path, {**params, "per_page": PAGE_SIZE}, key=key)

    def _write(
        self,
        method: str,
        path: str,
        body: Mapping[str, object],
        *,
        idempotent: bool = False,
        allow: tuple[int, ...] = (),
    ) -> Response:
        """Send something that changes the project. Raises WriteDenied."""
        with writing():
            return self.client.send(method, path, body, allow=allow, idempotent=idempotent)

    def _reason(self, answer: Response) -> str:
        return self.client.redact(_said(answer)) or str(answer.status)

    @property
    def _web(self) -> str:
        return f"{self.run.web}/{self.run.repository}"

    @property
    def _project(self) -> str:
        return f"projects/{quote(self.run.repository, safe='')}"

    def _merge(self, number: int) -> str:
        return f"{self._project}/merge_requests/{int(number)}"


def _is_bot(name: str) -> bool:
    """Whether a name is one that GitLab gives to a program."""
    return _BOT.fullmatch(name) is not None


def _said(answer: Response) -> str:
    """What an answer says of why, as text, whatever its form."""
    said = field(answer.json(), "message")
    said = field(answer.json(), "error") if said is None else said
    return said if isinstance(said, str) else repr(said)


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
