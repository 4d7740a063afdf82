"""A fake GitLab on loopback as a forge: merge requests of one project, notes and discussions.

GitLab has no usable OpenAPI description of these. The responses, and the accepted parameters and
fields, are written by hand from its documentation (https://docs.gitlab.com/api/notes, /discussions,
/merge_requests, /commits, /users and /rest), and the errors from reports of users; any other
parameter or field is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import unquote, urlencode

from tests.support.loopback import CannedResponse, Request, Server, serving

Row = dict[str, Any]
Right = Literal["write", "report", "read", "narrow", "job"]

HOME = "acme/tools/shop"
TOKENS: Mapping[str, Right] = {
    "glpat-writes": "write",
    "glpat-reports": "report",
    "glpat-reads": "read",
    "glpat-narrow": "narrow",
    "glcbt-of-the-job": "job",
}
"""Tokens and their rights: of a developer; of a reporter, who may not resolve; with the scope
read_api; one that may write, but not read its user; and the token of a job."""
ME = "project_7_bot_4f3c"
MAX_PAGE_SIZE = 100
BASE, START, HEAD = "b" * 40, "5" * 40, "a" * 40

_PAGED = frozenset({"per_page", "page"})
_PARAMETERS = {
    "merge_requests": _PAGED | {"state", "sort", "order_by"},
    "notes": _PAGED | {"sort", "order_by"},
    "discussions": _PAGED,
    "diffs": _PAGED,
}
_POSITION = {
    "base_sha", "start_sha", "head_sha", "position_type", "old_path", "new_path", "new_line",
}  # fmt: skip


@dataclass
class FakeGitLabForge:
    """The server with the project acme/tools/shop; `merges` are its merge requests.

    `shown` are the lines that a merge request adds, by path; `renamed` has former paths.
    """

    url: str = ""
    me: str = ME
    public: bool = True
    diffs: bool = True
    links: bool = True
    """Whether pages have the header `Link`, or only `X-Next-Page`."""
    locked: bool = False
    merges: dict[int, Row] = field(default_factory=dict)
    notes: dict[int, list[Row]] = field(default_factory=dict)
    discussions: dict[int, list[Row]] = field(default_factory=dict)
    shown: dict[str, set[int]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    statuses: list[Row] = field(default_factory=list)
    _last: int = 300

    def merge(self, iid: int = 7, **fields: Any) -> None:
        """Add a merge request from a branch of the project."""
        refs = {"base_sha": BASE, "start_sha": START, "head_sha": HEAD}
        self.merges[iid] = {
            "id": 2000 + iid,
            "iid": iid,
            "project_id": 1,
            "title": "Keep sessions",
            "description": "It says **why**.",
            "state": "opened",
            "target_branch": "main",
            "source_branch": "sessions",
            "source_project_id": 1,
            "target_project_id": 1,
            "sha": HEAD,
            "diff_refs": refs,
            "discussion_locked": None,
            "web_url": f"{self.url}/{HOME}/-/merge_requests/{iid}",
            **fields,
        }
        self.notes[iid], self.discussions[iid] = [], []

    def note(self, body: str, author: str = "ana", iid: int = 7, **fields: Any) -> int:
        """Add a note by this author. Returns its id."""
        note = self._note(body, author, None, **fields)
        self.notes[iid].append(note)
        return int(note["id"])

    def discussion(self, body: str, author: str = ME, iid: int = 7, **fields: Any) -> str:
        """Add a discussion on a line by this author. Returns its id."""
        first = self._note(
            body, author, "DiffNote", resolvable=True, resolved=False, resolved_by=None
        )
        discussion = {
            "id": f"{first['id']:040x}",
            "individual_note": False,
            "notes": [first],
            **fields,
        }
        self.discussions[iid].append(discussion)
        return str(discussion["id"])

    def bodies(self, iid: int = 7) -> list[str]:
        """The texts of the notes, oldest first."""
        return [note["body"] for note in self.notes[iid]]

    def answer(self, request: Request) -> CannedResponse:
        """The response to a request."""
        private, job = (request.headers.get(name) for name in ("private-token", "job-token"))
        right = TOKENS.get(private or job or "")
        # The token of a job is valid only in the header `Job-Token`.
        if (private or job) and (right is None or (right == "job") != (private is None)):
            return _refused(401)
        if request.path == "/api/v4/user":
            return self._user(right)
        match = re.fullmatch(r"/api/v4/projects/([^/]+)/(.+)", request.path)
        assert match, request.path
        if unquote(match[1]) != HOME or (right is None and not self.public):
            return CannedResponse(404, {"message": "404 Project Not Found"})
        parts = match[2].split("/")
        refusal = self._refusal(request, parts, right)
        if refusal is not None:
            return refusal
        if request.method == "GET":
            return self._read(request, parts)
        assert not request.query
        return self._written(request.method, parts, request.json(), right)

    def _user(self, right: Right | None) -> CannedResponse:
        if right in {None, "job"}:
            return _refused(401)
        if right == "narrow":
            return _scope()
        return CannedResponse(200, {"id": 31, "username": self.me, "bot": True})

    def _refusal(
        self, request: Request, parts: list[str], right: Right | None
    ) -> CannedResponse | None:
        """The response to a request for which the token lacks the right; None if it is allowed."""
        reads = request.method == "GET"
        if right is None and not (reads and len(parts) <= 2):
            return _refused(401)
        if right == "job" and (not reads or len(parts) < 2 or parts[2:] not in ([], ["notes"])):
            return _refused(401)
        if right == "read" and not reads:
            return _scope()
        if self.locked and not reads and parts[0] == "merge_requests":
            return _refused(403)
        resolves = request.method == "PUT" and len(parts) == 4 and parts[2] == "discussions"
        return _refused(403) if right == "report" and resolves else None

    def _read(self, request: Request, parts: list[str]) -> CannedResponse:
        allowed = _PARAMETERS.get(parts[-1], frozenset())
        assert request.query.keys() <= allowed, f"{request.path}: {sorted(request.query)}"
        match parts:
            case ["merge_requests"]:
                opened = [one for one in self.merges.values() if one["state"] == "opened"]
                listed = [{**one} for one in reversed(opened)]
                for one in listed:
                    del one["diff_refs"]
                return self._list(request, listed)
            case ["merge_requests", iid, *rest] if int(iid) in self.merges:
                match rest:
                    case []:
                        return CannedResponse(200, self.merges[int(iid)])
                    case ["notes"]:
                        # The default order is newest first.
                        notes = sorted(self.notes[int(iid)], key=lambda note: int(note["id"]))
                        upwards = request.query.get("sort", "desc") == "asc"
                        return self._list(request, notes if upwards else notes[::-1])
                    case ["discussions"]:
                        return self._list(request, self.discussions[int(iid)])
                    case ["diffs"] if self.diffs:
                        return self._list(request, list(map(self._diff, self.shown)))
        return CannedResponse(404, {"message": "404 Not notes"})

    def _written(
        self, method: str, parts: list[str], body: Any, right: Right | None
    ) -> CannedResponse:
        match method, *parts:
            case "POST", "merge_requests", iid, "notes":
                assert body.keys() == {"body"} and body["body"]
                id = self.note(body["body"], self.me, int(iid))
                return CannedResponse(
                    201,
                    next(candidate for candidate in self.notes[int(iid)] if candidate["id"] == id),
                )
            case "PUT", "merge_requests", iid:
                self.merges[int(iid)] |= body
                return CannedResponse(200, self.merges[int(iid)])
            case "PUT", "merge_requests", iid, "notes", id:
                assert body.keys() == {"body"} and body["body"]
                return self._edit(self.notes[int(iid)], id, body["body"])
            case "DELETE", "merge_requests", iid, "notes", id:
                kept = [note for note in self.notes[int(iid)] if str(note["id"]) != id]
                was_there = len(kept) < len(self.notes[int(iid)])
                self.notes[int(iid)] = kept
                return CannedResponse(204 if was_there else 404)
            case "POST", "merge_requests", iid, "discussions":
                assert body.keys() == {"body", "position"}
                return self._start_discussion(int(iid), body["body"], body["position"])
            case "PUT", "merge_requests", iid, "discussions", id, *rest:
                discussion = next(
                    (
                        discussion
                        for discussion in self.discussions[int(iid)]
                        if discussion["id"] == id
                    ),
                    None,
                )
                if discussion is None:
                    return CannedResponse(404, {"message": "404 Discussion Not Found"})
                if rest:
                    assert body.keys() == {"body"} and rest[0] == "notes"
                    return self._edit(discussion["notes"], rest[1], body["body"])
                assert body == {"resolved": True}
                for note in discussion["notes"]:
                    note |= {"resolved": True, "resolved_by": _person(self.me)}
                return CannedResponse(200, discussion)
            case "POST", "statuses", sha:
                return self._set_status(sha, body)
        return CannedResponse(404, {"message": "404 Not discussion"})

    def _edit(self, notes: list[Row], id: str, body: str) -> CannedResponse:
        edited = next((note for note in notes if str(note["id"]) == id), None)
        if edited is None:
            return CannedResponse(404, {"message": "404 Not edited"})
        if edited["author"]["username"] != self.me:
            return _refused(403)
        edited["body"] = body
        return CannedResponse(200, edited)

    def _start_discussion(self, iid: int, body: str, position: Row) -> CannedResponse:
        assert position.keys() == _POSITION and position["position_type"] == "text"
        path = position["new_path"]
        shas = {name: position[name] for name in ("base_sha", "start_sha", "head_sha")}
        assert shas == self.merges[iid]["diff_refs"]
        line = position["new_line"] in self.shown.get(path, set())
        if not line or position["old_path"] != self.renamed.get(path, path):
            why = 'Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'
            return CannedResponse(400, {"message": f"400 Bad request - {why}"})
        self.discussion(body, self.me, iid, position=position)
        return CannedResponse(201, self.discussions[iid][-1])

    def _set_status(self, sha: str, body: Row) -> CannedResponse:
        assert body.keys() <= {"state", "name", "description", "target_url"}
        assert body["state"] in {"pending", "running", "success", "failed", "canceled", "skipped"}
        if any(len(body.get(name, "")) > 255 for name in ("description", "target_url")):
            return CannedResponse(400, {"message": {"description": ["is too long"]}})
        last = next(
            (status for status in reversed(self.statuses) if status["name"] == body["name"]), {}
        )
        if (last.get("state"), body["state"]) == ("pending", "pending"):
            why = 'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot "'
            return CannedResponse(400, {"message": why})
        self.statuses.append({**body, "sha": sha})
        return CannedResponse(201, {"id": 1, "status": body["state"]})

    def _diff(self, path: str) -> Row:
        before = self.renamed.get(path, path)
        return {"old_path": before, "new_path": path, "renamed_file": before != path, "diff": ""}

    def _list(self, request: Request, rows: list[Row]) -> CannedResponse:
        size = min(int(request.query.get("per_page", 20)), MAX_PAGE_SIZE)
        page = int(request.query.get("page", 1))
        has_next = page * size < len(rows)
        headers = {"X-Next-Page": str(page + 1) if has_next else ""}
        if has_next and self.links:
            following = urlencode({**request.query, "page": page + 1})
            headers["Link"] = f'<{self.url}{request.path}?{following}>; rel="next"'
        return CannedResponse(200, rows[(page - 1) * size : page * size], headers)

    def _note(self, body: str, author: str, type: str | None, **fields: Any) -> Row:
        self._last += 1
        return {
            "id": self._last,
            "type": type,
            "body": body,
            "author": _person(author),
            "system": False,
            "noteable_type": "MergeRequest",
            "resolvable": False,
            **fields,
        }


@contextmanager
def gitlab_forge() -> Iterator[tuple[FakeGitLabForge, Server]]:
    """The project acme/tools/shop with merge request 7, and its server."""
    forge = FakeGitLabForge()
    with serving(forge.answer) as server:
        forge.url = server.url
        forge.merge()
        yield forge, server


def job(server: Server, **variables: str) -> dict[str, str]:
    """The variables of a job in a pipeline of merge request 7."""
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_SERVER": "yes",
        "CI_SERVER_URL": server.url,
        "CI_API_V4_URL": f"{server.url}/api/v4",
        "CI_PROJECT_ID": "1",
        "CI_PROJECT_PATH": HOME,
        "CI_DEFAULT_BRANCH": "main",
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_COMMIT_SHA": HEAD,
        "CI_COMMIT_BEFORE_SHA": "0" * 40,
        "CI_COMMIT_REF_NAME": "sessions",
        "CI_MERGE_REQUEST_ID": "2007",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
        "CI_MERGE_REQUEST_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_PROJECT_PATH": HOME,
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": HOME,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "sessions",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
        "CI_MERGE_REQUEST_TITLE": "Keep sessions",
        "CI_MERGE_REQUEST_DESCRIPTION": "It says **why**.",
        "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED": "false",
        "CI_MERGE_REQUEST_REF_PATH": "refs/merge-requests/7/head",
        **variables,
    }


def wants(method: str, ending: str) -> Callable[[Request], bool]:
    """Whether a request is of that method, for a path with that ending."""
    return lambda request: request.method == method and request.path.endswith(ending)


def _person(name: str) -> Row:
    return {"id": 31, "username": name, "name": name.title(), "state": "active"}


def _refused(status: int) -> CannedResponse:
    return CannedResponse(
        status, {"message": {401: "401 Unauthorized", 403: "403 Forbidden"}[status]}
    )


def _scope() -> CannedResponse:
    description = "The request requires higher privileges than provided by the access token."
    return CannedResponse(403, {"error": "insufficient_scope", "error_description": description})
